"""The machine runs out of descriptors for a while: a state with its reason, never a traceback, never the end of the daemon."""

import asyncio
import errno
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from controller.config.load import load_config
from controller.control.endpoint import ControlUnavailable, Endpoint
from controller.control.server import ControlServer
from controller.daemon import app
from controller.daemon.record import archivist
from controller.daemon.subprocess_json import NoAnswer, answer_of
from controller.daemon.systemd import Notifier
from controller.limits.descriptors import Spare
from tests.controller.control.conftest import Peer, config, connect, desk, server, socket_path, until  # noqa: F401
from tests.controller.daemon.record.test_record_kept import PATIENCE_S, journal, public  # noqa: F401  # fixtures
from tests.controller.daemon.record.test_record_kept import config as table_config  # noqa: F401  # a fixture

FULL = OSError(errno.EMFILE, os.strerror(errno.EMFILE))


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    """This process may open nothing more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = {int(name) for name in os.listdir("/proc/self/fd")}
    taken = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(used) + 1, hard))
    try:
        while True:
            taken.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        pass
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for number in taken:
            os.close(number)


async def test_who_connects_is_told_why_and_who_is_connected_goes_on(
    connect: Any,  # noqa: F811
    server: ControlServer,  # noqa: F811
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """asyncio alone logs a traceback for each place of the queue, and leaves whoever knocks without a word."""
    before = await connect()
    with socket.socket(socket.AF_UNIX) as knocking:
        knocking.setblocking(False)
        with no_descriptor_left():
            knocking.connect(str(server.path))
            async with asyncio.timeout(10):
                said = await asyncio.get_running_loop().sock_recv(knocking, 1000)
            assert b"Too many open files" in said
            assert (await before.ask({"id": 1, "do": "status"}))["ok"]
    async with asyncio.timeout(10):
        while not (await _asked(connect)).get("ok"):  # noqa: ASYNC110  # asyncio takes connections again a second later
            await asyncio.sleep(0.05)
    said_too = caplog.text + capsys.readouterr().err
    assert "Traceback" not in said_too
    assert said_too.count("control_connection_not_taken") <= 1


async def _asked(connect: Any) -> dict[str, Any]:  # noqa: F811
    peer: Peer = await connect()
    return await peer.ask({"id": 1, "do": "status"})


def test_a_socket_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """As any other reason why people cannot reach the table."""
    with no_descriptor_left(), pytest.raises(ControlUnavailable, match="Too many open files"):
        Endpoint.open(tmp_path / "c.sock")


async def test_the_watchdog_is_fed_without_a_free_descriptor(
    tmp_path: Path,
    table_config: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The service manager would kill a table that plays."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "10000000")
        monkeypatch.setattr(app, "Notifier", lambda: Notifier(os.environ))
        daemon = app.Daemon(load_config(table_config))
        daemon._spare.keep()
        try:
            with no_descriptor_left():
                assert not Notifier(os.environ).alive(), "it says no, and raises nothing"
                daemon._feed()
            manager.settimeout(5)
            assert manager.recv(100) == b"WATCHDOG=1"
        finally:
            daemon._spare.free()


async def test_a_child_that_cannot_be_started_gives_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof of each day needs pipes; without them it is made the next day, and the daemon goes on."""

    async def refuse(*arguments: object, **more: object) -> None:
        raise FULL

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)
    with pytest.raises(NoAnswer, match="could not be started: Too many open files"):
        await answer_of("-c", "1")


async def test_a_part_that_lacks_descriptors_holds_play_and_is_begun_again_for_ever(
    table_config: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each time the reason is told; what ends by a fault of ours is begun again once, this as often as it takes."""
    times = 0

    async def run(*given: Any) -> None:
        nonlocal times
        times += 1
        if times <= 3:
            raise FULL
        await asyncio.Event().wait()

    monkeypatch.setattr(app.Checker, "run", run)
    monkeypatch.setattr(app, "RETRY_S", 0.0)
    monkeypatch.setattr(app, "SAFE_S", 0.0)
    daemon = app.Daemon(load_config(table_config))
    closed: list[str] = []
    close = daemon.desk.closed
    monkeypatch.setattr(daemon.desk, "closed", lambda reason: (closed.append(reason), close(reason)))
    serving = asyncio.create_task(daemon.serve())
    async with asyncio.timeout(PATIENCE_S):
        while times < 4 and not serving.done():  # noqa: ASYNC110  # it tells nobody
            await asyncio.sleep(0.01)
    assert not serving.done()
    daemon._stop.set()
    assert await serving == 0
    told = [reason for reason in closed if "Too many open files" in reason]
    assert len(told) >= 3
    assert all("checker failed" in reason and "fault of this software" not in reason for reason in told)


async def test_an_archivist_that_cannot_look_at_the_record_says_so_and_tries_again(
    table_config: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It closes days later; play goes on meanwhile."""
    whole, times = archivist.open_day, 0

    def open_day(path: Path) -> Any:
        nonlocal times
        times += 1
        if times == 1:
            raise FULL
        return whole(path)

    monkeypatch.setattr(archivist, "open_day", open_day)
    monkeypatch.setattr(archivist, "AGAIN_S", 0.05)
    daemon = app.Daemon(load_config(table_config))
    serving = asyncio.create_task(daemon.serve())
    async with asyncio.timeout(PATIENCE_S):
        while times < 2 and not serving.done():  # noqa: ASYNC110  # it tells nobody
            await asyncio.sleep(0.01)
    assert daemon.desk.table is not None
    assert daemon.desk.table.engine.failed is None
    daemon._stop.set()
    assert await serving == 0


def test_spare_descriptors_are_there_when_there_are_no_others() -> None:
    """For putting a record back, and for a word to whoever knocks."""
    spare = Spare(2)
    spare.keep()
    with no_descriptor_left():
        with pytest.raises(OSError, match="Too many open files"):
            os.open(os.devnull, os.O_RDONLY)
        spare.free()
        spare.free()
        opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(2)]
        spare.keep()
        for number in opened:
            os.close(number)
