"""`sim` as a process of its own: what it imports, what it prints, how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from simulators.cli.main import sim
from simulators.scenario.faults import FAULTS, SHOE_ALIASES

START_S = 20.0
END_S = 1.0


class Process:
    """One `python -m simulators`, its record, its socket."""

    def __init__(self, room: Path, *arguments: str) -> None:
        self.link, self.log = room / "dev", room / "log"
        command = [sys.executable, "-X", "importtime", "-m", "simulators", *arguments]
        self.errors = (room / "stderr").open("w+")
        self.child = subprocess.Popen([*command, "--link", self.link, "--log", self.log], stderr=self.errors)
        end = time.monotonic() + START_S
        while not self.link.is_symlink():
            assert self.child.poll() is None, "it ended at once"
            assert time.monotonic() < end, "no port"
            time.sleep(0.01)

    def ask(self, **request: object) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.link) + ".ctl")
            line.sendall(json.dumps(request).encode() + b"\n")
            with line.makefile() as answers:
                answered = json.loads(answers.readline())
        assert isinstance(answered, dict)
        return answered

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def end(self, number: int = signal.SIGTERM) -> float:
        """Seconds until it was gone."""
        began = time.monotonic()
        self.child.send_signal(number)
        self.child.wait(START_S)
        return time.monotonic() - began

    def close(self) -> None:
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        self.errors.close()


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Any]:
    """Starts simulators; kills what a failed test left."""
    made: list[Process] = []

    def start(*arguments: str) -> Process:
        room = tmp_path / str(len(made))
        room.mkdir()
        made.append(Process(room, *arguments))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly_within_a_second(process: Any, number: int) -> None:
    """Exit code 0, no name, no socket, and the record has its last line."""
    sim_ = process("progressive", "--seats", "3")
    assert sim_.ask(act="put_chip", seat=3)["ok"]
    assert sim_.lines()[-1]["kind"] == "wager_sensed", "a line must be in the file at once"
    assert sim_.end(number) < END_S
    assert sim_.child.returncode == 0
    assert not os.path.lexists(sim_.link)
    assert not os.path.lexists(str(sim_.link) + ".ctl")
    whats = [line["what"] for line in sim_.lines()]
    assert whats[0] == "start"
    assert whats[-1] == "end"
    assert {"power", "link", "report", "act", "chip"} <= set(whats)


def test_a_client_that_watches_does_not_delay_the_end(process: Any) -> None:
    """An open line to the socket is simply cut."""
    sim_ = process("shoe")
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(sim_.link) + ".ctl")
        line.sendall(b'{"act": "watch"}\n')
        assert line.recv(100)
        assert sim_.end() < END_S
    assert sim_.child.returncode == 0


def test_it_needs_no_daemon_and_only_the_protocol_of_the_drivers(process: Any) -> None:
    """A maker can run it from the room of the protocol and that of the readers, which read its scenarios."""
    sim_ = process("shuffler", "--plan", "4,5,2,2,2", "--recognition")
    sim_.end()
    sim_.errors.seek(0)
    names = {line.rsplit("|", 1)[-1].strip() for line in sim_.errors if line.startswith("import time:")}
    assert "drivers.protocol.device.link" in names
    foreign = {n for n in names if n.split(".")[0] == "controller" or n.startswith("drivers.")}
    rooms = ("drivers.protocol", "controller.readers")
    assert not {
        n for n in foreign - {"controller"} if n not in rooms and not n.startswith(tuple(f"{r}." for r in rooms))
    }


def test_the_seed_repeats_cards_and_boots(process: Any) -> None:
    """The same seed gives the same shuffle and the same boot id; none gives others, and the record says which was drawn."""
    seen = []
    for arguments in (("--seed", "5"), ("--seed", "5"), ()):
        sim_ = process("shoe", "--serial", "X", *arguments)
        sim_.ask(act="wash", back="red")
        cards = sim_.ask(act="load", back="red")["cards"]
        seen.append((cards, sim_.ask(act="state")["state"]["link"]["boot"]))
        sim_.end()
        assert isinstance(sim_.lines()[0]["seed"], int)
    assert seen[0] == seen[1]
    assert seen[2][0] != seen[0][0]
    assert seen[2][1] != seen[0][1]


def test_the_record_goes_to_standard_output_where_no_file_is_named(tmp_path: Path) -> None:
    """Each line at once, so that a pipe sees it as it happens."""
    command = [sys.executable, "-m", "simulators", "shoe", "--link", str(tmp_path / "dev"), "--speed", "20"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        first = json.loads(child.stdout.readline())
        assert (first["what"], first["speed"], first["settings"]["plan"]) == ("start", 20.0, [2, 2, 2])
        while json.loads(child.stdout.readline())["what"] != "link":
            pass
        child.terminate()
        rest = child.stdout.read().splitlines()
    assert json.loads(rest[-1])["what"] == "end"
    assert child.returncode == 0


@pytest.mark.parametrize("device", ["shuffler", "shoe", "progressive"])
def test_the_help_lists_every_fault_of_the_device(device: str) -> None:
    """With what it does and its particulars, and an example of the command."""
    shown = CliRunner().invoke(sim, [device, "--help"]).output
    assert f"tablewarden sim {device} --link" in shown
    short = {full: name for name, full in SHOE_ALIASES.items()} if device == "shoe" else {}
    for name, kind in FAULTS.items():
        assert (kind.effect in shown) == (device in kind.devices)
        if device in kind.devices:
            assert f"  {short.get(name, name)}" in shown


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["shoe"], 2, "--link"),
        (["shoe", "--link", "x", "--fault", "jamm@4"], 2, "did you mean jam"),
        (["shoe", "--link", "x", "--plan", "2,0"], 2, "stack sizes"),
        (["shoe", "--link", "x", "--plan", "none"], 2, "needs a plan"),
        (["shuffler", "--link", "x", "--backs", "pink"], 2, "no list of"),
        (["progressive", "--link", "x", "--seats", "16"], 2, "1<=x<=15"),
        (["shoe", "--link", "missing/x"], 1, "missing: no such directory"),
        (["shoe", "--link", "x", "--control", "missing/x"], 1, "missing: no such directory"),
        (["shoe", "--link", "x", "--control", "y" * 150], 1, "path too long"),
        (["shoe", "--link", "x", "--log", "missing/log"], 1, "No such file"),
        (["shoe", "--link", "taken"], 1, "is no symlink"),
        (["shoe", "--link", "x", "--control", "taken"], 1, "is there and is no socket"),
        (["bee-tek", "--link", "x", "--control", "taken"], 1, "is there and is no socket"),
        (["remote-io", "--link", "x", "--control", "taken"], 1, "is there and is no socket"),
        (["shoe", "--link", "x", "--plan", "9" * 5000], 2, "stack sizes"),
        (["shoe", "--link", "x", "--serial", "9" * 49], 2, "1 to 48 bytes"),
        (["shoe", "--link", "x", "--serial", "\n"], 2, "1 to 48 bytes"),
        (["shoe", "--link", "x", "--firmware", "9" * 49], 2, "1 to 48 bytes"),
        (["shoe", "--link", "x", "--serial", "\udcff"], 2, "1 to 48 bytes"),
        (["shoe", "--link", "x", "--usb", "1-1", "--listen", "127.0.0.1:65536"], 2, "no HOST:PORT"),
        (["shoe", "--link", "x", "--usb", "1-1", "--listen", "127.0.0.1:0"], 2, "no HOST:PORT"),
        (["shoe", "--link", "x", "--key", "missing"], 2, "does not exist"),
        (["shoe", "--link", "x", "--image", "missing"], 2, "does not exist"),
        (["shuffler", "--link", "x", "--fault", "wire_slow:rate=0"], 2, "rate is from 1 to"),
        (["shoe", "--link", "x", "--fault", "log_small:reports=0"], 2, "reports is from 1 to"),
        (["remote-io", "--link", "x", "--fault", "bus_crc:each=0"], 2, "each is from 1 to"),
        (["remote-io", "--link", "x", "--units", "2", "--fault", "unit_stranger:unit=3"], 2, "there are 1, 2"),
        (["remote-io", "--link", "x", "--fault", "chatters:seat=7"], 2, "there are 1, 2, 3, 4, 5, 6"),
        (["bee-tek", "--link", "x", "--fault", "no_answer"], 2, "no fault 'no_answer' for a bee-tek"),
    ],
)
def test_a_wrong_command_says_what_is_wrong(
    arguments: list[str], code: int, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line, with the exit code of a usage error or of a thing that is not there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("mine")
    result = CliRunner().invoke(sim, arguments)
    assert (result.exit_code, why in result.output) == (code, True), result.output
    assert "Traceback" not in result.output
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_simulator_runs_on_after_its_scenario(process: Any, tmp_path: Path) -> None:
    """Its host still needs it: it answers after the last step, and ends on a signal as ever."""
    script = tmp_path / "s.toml"
    script.write_text('about = "x"\ndevice = "shoe"\n[[step]]\ndo = "open_lid"\nexpect = {lid_open = true}\n')
    sim_ = process("shoe", "--scenario", str(script))
    assert sim_.ask(act="await", key="lid_open", value=True)["ok"]
    assert sim_.ask(act="scenario", steps=[{"do": "close_lid", "expect": {"lid_open": False}}])["ok"]
    assert [line["ok"] for line in sim_.lines() if line["what"] == "step"] == [True, True]
    assert sim_.end() < END_S
    assert sim_.child.returncode == 0


def test_a_signal_ends_a_simulator_whose_scenario_still_waits(process: Any, tmp_path: Path) -> None:
    """At once and cleanly, not when the wait is over."""
    script = tmp_path / "s.toml"
    script.write_text('about = "x"\ndevice = "shoe"\n[[step]]\non = "jammed"\nwithin = 600\n')
    sim_ = process("shoe", "--scenario", str(script))
    assert sim_.ask(act="state")["ok"]
    assert sim_.end() < END_S
    assert sim_.child.returncode == 0
    assert sim_.lines()[-1]["what"] == "end"
