"""What everyone who asks is told while the record cannot be written, and while what failed is being closed."""

import asyncio
import contextlib
import dataclasses
from pathlib import Path
from typing import Any

import pytest

from controller.clock import SystemClock
from controller.config.load import load_config
from controller.daemon import app
from controller.daemon.engine import RecordFailed
from controller.journal.errors import JournalWriteFailed
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.recorder import Recorder
from controller.journal.store import Journal
from controller.table.words.codec import encode_input
from controller.table.words.facts import TableIdle
from controller.table.words.inputs import Input, Moment
from drivers.commands import WantedLevel
from drivers.events import DoorOpened, Origin

EXAMPLE = Path(__file__).resolve().parents[3] / "config" / "tables" / "example.toml"


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


async def test_a_session_begins_where_the_record_of_its_device_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its last report, and at that report's value in the chain over the device's log; a device without a past at neither."""
    daemon = app.Daemon(dataclasses.replace(load_config(EXAMPLE), journal=tmp_path / "t.journal"))
    began: dict[str, tuple[Any, Any]] = {}

    class Session(app.DeviceSession):
        def __init__(self, config: Any, **given: Any) -> None:
            began[config.name] = given["last"], given["chain"]
            super().__init__(config, **given)

    origin = Origin("SIM-shoe-1", "00000000000000d1", 17, 5, chain="0123456789abcdef")
    at = SystemClock().stamp()
    given = Input(Moment(at.wall_us, at.mono_ns, at.boot), "shoe-1", DoorOpened(), origin)
    report = Draft(Stream.INPUT, "door_opened", 1, "shoe-1", None, encode_input(given))
    with contextlib.closing(
        Journal.open(tmp_path / "t.journal", site=daemon.setup.site, table=daemon.setup.table)
    ) as journal:
        journal.append([Transaction(at, report, (origin.serial, origin.boot, origin.counter))], at)

    async def together(*_: object) -> None: ...

    monkeypatch.setattr(app, "DeviceSession", Session)
    monkeypatch.setattr(daemon, "_together", together)
    daemon._stop.set()
    await daemon._one_record()
    assert began == {
        "shuffler-1": (None, None),
        "shoe-1": (("00000000000000d1", 17), "0123456789abcdef"),
        "progressive-1": (None, None),
    }


@pytest.mark.parametrize(
    ("fact", "says"),
    [
        (("table_blessed", 1), "records of kind table_blessed are not known to this version"),
        (("table_idle", 2), "records of kind table_idle version 2 are not known to this version"),
    ],
)
async def test_a_record_that_a_newer_version_wrote_is_left_to_it(
    fact: tuple[str, int], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a step back to an older version nothing is put aside, nothing ends, and the table says what to run."""
    daemon = app.Daemon(dataclasses.replace(load_config(EXAMPLE), journal=tmp_path / "t.journal", mqtt=None))
    at = SystemClock().stamp()
    given = Input(Moment(at.wall_us, at.mono_ns, at.boot), "table", TableIdle("x"), None, None)  # type: ignore[arg-type]
    asked = Draft(Stream.INPUT, "idle_table", 1, "table", None, encode_input(given))
    kind, version = fact
    told = Draft(Stream.MAIN, kind, version, "table", None, b'{"by":"x"}')
    with contextlib.closing(
        Journal.open(tmp_path / "t.journal", site=daemon.setup.site, table=daemon.setup.table)
    ) as journal:
        journal.append([Transaction(at, asked, None, (told,))], at)
    monkeypatch.setattr(app, "RETRY_S", 0.0)
    await asyncio.wait_for(daemon._one_record(), 10)
    reason = daemon.desk.status()["record"]["reason"]
    assert reason == f"the record cannot be read: {says}; run the version that wrote them"
    assert not _put_aside(tmp_path)


def _put_aside(folder: Path) -> list[Path]:
    return list(folder.glob("*.damaged*"))
