"""A part of the daemon that ends by itself is noticed: play stops, the table is taken up again once, then the daemon ends."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from controller.config.load import load_config
from controller.daemon import app
from controller.daemon.watched_task import TaskEnded, lasting
from tests.controller.daemon.record.test_record_kept import PATIENCE_S, config, journal, public  # noqa: F401  # fixtures

PARTS: dict[str, tuple[Any, str]] = {
    "session": (app.DeviceSession, "run"),
    "publisher": (app.Publisher, "run"),
    "engine": (app.Engine, "run"),
    "positions": (app.Daemon, "_keep_positions"),
    "keeper": (app.Keeper, "run"),
    "deadlines": (app.Deadlines, "run"),
    "displays": (app.Displays, "run"),
    "checker": (app.Checker, "run"),
    "clock": (app.ClockWatch, "run"),
}


@pytest.mark.parametrize("how", ["returned", "cancelled"])
@pytest.mark.parametrize("part", PARTS)
async def test_a_part_that_ends_stops_play_and_the_table_is_taken_up_once(
    part: str,
    how: str,
    config: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever asks is told which one it was; the second time is for the service manager."""
    owner, method = PARTS[part]
    whole, ending = getattr(owner, method), asyncio.Event()

    async def run(*given: Any) -> None:
        work = asyncio.ensure_future(whole(*given))
        try:
            await ending.wait()
            if how == "cancelled":
                inner: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                inner.cancel()
                await inner
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    monkeypatch.setattr(owner, method, run)
    monkeypatch.setattr(app, "RETRY_S", 0.0)
    monkeypatch.setattr(app, "SAFE_S", 0.0)
    daemon = app.Daemon(load_config(config))
    closed: list[str] = []
    close = daemon.desk.closed
    monkeypatch.setattr(daemon.desk, "closed", lambda reason: (closed.append(reason), close(reason)))
    serving = asyncio.create_task(daemon.serve())
    async with asyncio.timeout(PATIENCE_S):
        while daemon.desk.table is None or daemon.desk.table.engine.order < 4:  # noqa: ASYNC110  # it tells nobody
            await asyncio.sleep(0.01)
        first = daemon.desk.table.engine
        ending.set()
        with pytest.raises(TaskEnded, match=part):
            await serving
    assert first.failed is not None
    assert part in first.failed
    assert [part in reason for reason in closed].count(True) >= 2, "once for each time"


async def test_what_is_ended_by_whoever_began_it_has_not_ended_by_itself() -> None:
    """A stop cancels each part, and a part may end once a stop is wanted."""
    task = asyncio.create_task(lasting(asyncio.sleep(60), "clock", lambda: False))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await lasting(asyncio.sleep(0), "clock", lambda: True)
    with pytest.raises(TaskEnded, match="clock ended"):
        await lasting(asyncio.sleep(0), "clock", lambda: False)
