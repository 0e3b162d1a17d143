"""The commands of `device` beside a daemon that has the port: what it says instead, and the recording that it makes."""

import itertools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from controller.rules.elections import proposals
from controller.rules.read.library import find
from drivers.recording.format import read_recording
from drivers.recording.replay import replay

COMMAND = [sys.executable, "-c", "from controller.cli.main import main; main()"]
START_S = 100.0
"""A daemon that starts on a machine with much else to do takes its time."""
Command = Callable[..., Result]
pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory, progressive: Path) -> Iterator[Path]:
    """The configuration of a table whose daemon serves a progressive, and records its wire."""
    folder = tmp_path_factory.mktemp("t")
    elections = "".join(
        f'"{question}" = {{ choice = "{choice}", by = "bench" }}\n'
        for question, choice in proposals(find("md-uth")).items()
    )
    config = folder / "t.toml"
    config.write_text(
        '[table]\nsite = "lv01"\nid = "t1"\nseats = 6\nrulebook = "md-uth"\nmethod = "manual_shoe"\nbacks = ["red"]\n'
        f'[elections]\n{elections}[journal]\npath = "t1.journal"\n[control]\nsocket = "c.sock"\n'
        f'[[device]]\nname = "progressive-1"\nkind = "progressive"\npath = "{progressive}"\nserial = "SIM-progressive-1"\n'
        'record = "wire"\n[log]\nformat = "json"\n'
    )
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen([*COMMAND, "run", "--config", str(config)], stderr=log) as daemon,
    ):
        yield config
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(START_S) == 0, (folder / "log").read_text()


def _list(command: Command, table: Path) -> dict[str, object]:
    end = time.monotonic() + START_S
    while True:
        told = json.loads(command("device", "list", "--config", table, "--json").output)
        (device,) = told["devices"]
        if (device["link"] or {}).get("state") == "online" or time.monotonic() > end:
            return dict(device)
        time.sleep(0.05)


def test_list_says_that_the_daemon_has_the_port(command: Command, table: Path) -> None:
    """State of the link, and the holder as the kernel knows it."""
    device = _list(command, table)
    assert device["link"]["state"] == "online"  # type: ignore[index]
    assert device["holder"]["is_daemon"] is True  # type: ignore[index]
    done = command("device", "list", "--config", table)
    assert done.exit_code == 0, done.output
    assert "the daemon serves table t1" in done.output
    assert "held by  the daemon (process " in done.output
    assert "NEXT" not in done.output


@pytest.mark.parametrize("words", [("probe",), ("record", "--to", "{}"), ("monitor",), ("conformance", "--yes")])
def test_a_port_of_the_daemon_is_left_to_it(
    command: Command, table: Path, progressive: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """With the way to what is wanted."""
    _list(command, table)
    done = command("device", words[0], progressive, *(word.format(tmp_path / "x") for word in words[1:]))
    assert done.exit_code == 3
    assert "the daemon (process " in done.output
    assert "tablewarden device list" in done.output


def test_the_wire_that_the_daemon_records_can_be_replayed_while_it_goes_on(command: Command, table: Path) -> None:
    """Byte for byte; `status` says that it is recorded."""
    _list(command, table)
    time.sleep(1.5)
    files = sorted((table.parent / "wire").iterdir())
    recording = read_recording(files[-1:])
    assert recording.header.device == "progressive-1"
    found = replay(recording)
    assert found.sends >= 3
    assert found.differences == []
    done = command("status", "--config", table)
    assert "recording of the wire: on" in done.output
    assert command("device", "replay", files[-1], "--strict").exit_code == 0


def test_monitor_shows_what_the_daemon_hears(table: Path, progressive: Path, command: Command) -> None:
    """A chip is put on a sensor by hand; its line comes."""
    _list(command, table)
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [*COMMAND, "device", "monitor", "--config", str(table)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        preexec_fn=_heeds_ctrl_c,  # noqa: PLW1509  # the test has no threads of its own
    ) as monitor:
        try:
            assert monitor.stdout is not None
            end = time.monotonic() + START_S
            for act in itertools.cycle(("put_chip", "lift_chip")):  # until the command is listening
                _hands(progressive, act)
                if select.select([monitor.stdout], [], [], 0.5)[0] or time.monotonic() > end:
                    break
            line = next(line for line in monitor.stdout if "levels_read" not in line)  # asked for now and then
            monitor.send_signal(signal.SIGINT)
            assert monitor.wait(START_S) == 0
        finally:
            monitor.kill()  # one that would not end is not for the next test to wait for
    assert "progressive-1" in line
    assert "wager_sensed" in line or "wager_removed" in line
    assert "seat 2" in line


def _heeds_ctrl_c() -> None:
    """A suite that a shell put into the background leaves this signal ignored to its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _hands(progressive: Path, act: str) -> None:
    with socket.socket(socket.AF_UNIX) as hands:
        hands.connect(f"{progressive}.ctl")
        hands.sendall(json.dumps({"act": act, "seat": 2, "sensor": 1}).encode() + b"\n")
        assert json.loads(hands.recv(4096))["ok"]
