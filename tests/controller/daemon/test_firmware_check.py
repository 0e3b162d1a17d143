"""Firmware is measured when the table opens: once, at every device, and the daemon sees to it."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from controller.config.load import load_config
from controller.daemon import app
from controller.daemon.engine import Engine
from controller.daemon.firmware_check import Measuring
from controller.table.words.structs import replace

EXAMPLE = Path(__file__).resolve().parents[3] / "config" / "tables" / "example.toml"


class Table:
    """What is looked at of an engine."""

    def __init__(self, *, open: bool) -> None:
        self.open = open

    @property
    def state(self) -> "Table":
        return self


class Session:
    def __init__(self) -> None:
        self.times = 0

    def measure(self) -> None:
        self.times += 1


@pytest.mark.parametrize("was_open", [True, False])
def test_each_opening_measures_each_device_once(was_open: bool) -> None:
    """Not at a start with an open table, as every device was measured when it came, and not with each commit."""
    table, sessions = Table(open=was_open), {"shoe-1": Session(), "progressive-1": Session()}
    measuring = Measuring(table, sessions)  # type: ignore[arg-type]  # a table is all that it asks for
    measuring.wake()
    assert [s.times for s in sessions.values()] == [0, 0]
    for times in (1, 2):
        table.open = False
        measuring.wake()
        table.open = True
        measuring.wake()
        measuring.wake()
        assert [s.times for s in sessions.values()] == [times, times]


async def test_the_daemon_has_it_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its own engine and its own sessions."""
    daemon = app.Daemon(dataclasses.replace(load_config(EXAMPLE), journal=tmp_path / "t.journal"))
    sessions: dict[str, Session] = {}

    async def together(engine: Engine, *_: Any) -> None:
        sessions.update(engine.devices)  # type: ignore[arg-type]
        for session in sessions.values():
            monkeypatch.setattr(session, "measure", counted(session), raising=False)
        engine.state = replace(engine.state, open=True)
        for reader in engine._readers:
            reader()

    measured: list[Any] = []

    def counted(session: Any) -> Any:
        return lambda: measured.append(session)

    monkeypatch.setattr(daemon, "_together", together)
    daemon._stop.set()
    await daemon._one_record()
    assert measured == list(sessions.values())
    assert len(measured) > 1
