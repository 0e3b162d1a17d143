"""What everyone who asks is told while the record cannot be written, and while what failed is being closed."""

import asyncio
import dataclasses
from pathlib import Path
from typing import Any

import pytest

from controller import app
from controller.config_file import load_config
from controller.engine import RecordFailed
from controller.journal.errors import JournalWriteFailed
from controller.journal.recorder import Recorder
from drivers.commands import WantedLevel

EXAMPLE = Path(__file__).resolve().parents[2] / "config" / "tables" / "example.toml"


@pytest.mark.parametrize("ends", ["failed", "stopped"])
async def test_the_reason_is_told_before_what_failed_is_closed(
    ends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing may take as long as the disk likes; in that time no table answers, and nobody is told an old reason."""
    told: list[Any] = []
    daemon = app.Daemon(dataclasses.replace(load_config(EXAMPLE), journal=tmp_path / "t.journal"))

    class SlowToClose(Recorder):
        async def close(self) -> None:
            told.append((daemon.desk.table, daemon.desk.status()["record"]["reason"]))
            await super().close()

    async def play(*_: object) -> None:
        daemon.desk.table = object()  # type: ignore[assignment]  # a table answers until the record fails
        if ends == "failed":
            raise ExceptionGroup("the table", [RecordFailed("not recorded: no space left")])

    monkeypatch.setattr(app, "Recorder", SlowToClose)
    monkeypatch.setattr(app, "RETRY_S", 0.0)
    monkeypatch.setattr(daemon, "_play", play)
    await asyncio.wait_for(daemon._one_record(), 5)
    reason = {
        "failed": "the record cannot be written: not recorded: no space left",
        "stopped": "the daemon is stopping",
    }[ends]
    assert told == [(None, reason)]


@pytest.mark.parametrize("what", ["a position", "a prune"])
async def test_what_cannot_be_written_beside_play_holds_the_table_as_a_report_would(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk may fill up while nothing happens at the table: devices hear their safe side then too, before their links end."""
    wanted: list[tuple[str, str]] = []
    recorded = asyncio.Event()

    class Hears:
        def want(self, level: WantedLevel) -> None:
            wanted.append((level.device, level.value))

        def acknowledge(self, boot: str, counter: int) -> None: ...

    async def fail(*_: object) -> None:
        await recorded.wait()
        assert daemon.desk.table is not None
        devices = daemon.desk.table.engine.devices
        devices.update(dict.fromkeys(devices, Hears()))
        raise JournalWriteFailed(config.journal, "no space left")

    monkeypatch.setattr(*((Recorder, "flush") if what == "a position" else (app.Keeper, "run")), fail)
    monkeypatch.setattr(app, "POSITIONS_S", 0.1)
    monkeypatch.setattr(app, "RETRY_S", 0.0)
    monkeypatch.setattr(app.TableDesk, "woken", lambda _: recorded.set())
    config = dataclasses.replace(load_config(EXAMPLE), journal=tmp_path / "t.journal", mqtt=None)
    daemon = app.Daemon(config)
    await asyncio.wait_for(daemon._one_record(), 10)
    assert ("shoe-1", "inhibited") in wanted
    assert ("progressive-1", "engaged") in wanted
    assert daemon.desk.status()["next"].startswith("HELD: the record cannot be written")
    assert "no space left" in daemon.desk.status()["record"]["reason"]
