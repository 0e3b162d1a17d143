"""The service manager hears what it needs, in its own words, and its absence changes nothing; the unit lets us work."""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli.main import REFUSED
from controller.control.client import DEFAULT_SOCKET
from controller.daemon.app import LAG_LIMIT_S, PULSE_S
from controller.daemon.systemd import Notifier

FILES = Path(__file__).resolve().parents[3] / "systemd"


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    """A service manager's socket and its address as the environment has it."""
    name = str(tmp_path / "notify") if request.param == "path" else "@tablewarden-test-" + secrets.token_hex(8)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(name.replace("@", "\0", 1) if request.param == "abstract" else name)
        listening.settimeout(5)
        yield listening, name


def test_each_message_is_one_datagram_in_the_managers_words(manager: tuple[socket.socket, str]) -> None:
    """Ready, status, watchdog and stopping, over a path as over an abstract name."""
    listening, name = manager
    notifier = Notifier({"NOTIFY_SOCKET": name})
    assert notifier.ready("table t1 under md-uth")
    assert listening.recv(1000) == b"READY=1\nSTATUS=table t1 under md-uth"
    assert notifier.status("HELD: shoe jam")
    assert listening.recv(1000) == b"STATUS=HELD: shoe jam"
    assert notifier.alive()
    assert listening.recv(1000) == b"WATCHDOG=1"
    assert notifier.stopping("stopped")
    assert listening.recv(1000) == b"STOPPING=1\nSTATUS=stopped"


def test_a_reason_with_line_breaks_stays_one_status(manager: tuple[socket.socket, str]) -> None:
    """Text from an error must not turn into another field, least of all into READY."""
    listening, name = manager
    Notifier({"NOTIFY_SOCKET": name}).status("disk full\nREADY=1")
    assert listening.recv(1000) == b"STATUS=disk full READY=1"


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "vsock:2:1"}])
def test_without_a_manager_nothing_happens(environment: dict[str, str]) -> None:
    """From a terminal, or under a manager that listens where we do not speak."""
    assert not Notifier(environment).ready("up")


def test_a_manager_that_went_away_is_no_error(tmp_path: Path) -> None:
    """The table goes on."""
    assert not Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}).alive()


def test_a_manager_that_does_not_read_is_not_waited_for(manager: tuple[socket.socket, str]) -> None:
    """Once its queue is full, a message is not taken; the daemon never blocks on it."""
    _, name = manager
    notifier = Notifier({"NOTIFY_SOCKET": name})
    assert any(not notifier.alive() for _ in range(100_000))


@pytest.mark.parametrize(
    ("environment", "watchdog_s"),
    [
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": str(os.getpid())}, 10.0),
        ({"WATCHDOG_USEC": "10000000"}, 10.0),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "1"}, None),  # meant for our parent
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_watchdog_interval_is_the_managers(environment: dict[str, str], watchdog_s: float | None) -> None:
    """What it allows counts only if it is meant for this process."""
    assert Notifier(environment).watchdog_s == watchdog_s


def _unit() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (FILES / "tablewarden@.service").read_text().splitlines():
        key, sign, value = line.partition("=")
        if sign and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def test_the_unit_brings_the_table_back_and_watches_it() -> None:
    """Told when it is ready, watched, restarted for ever; a pulse and a lag fit well into the watchdog's patience."""
    unit = _unit()
    assert (unit["Type"], unit["Restart"], unit["StartLimitIntervalSec"]) == (["notify"], ["always"], ["0"])
    assert float(unit["WatchdogSec"][0]) > 2 * (PULSE_S + LAG_LIMIT_S)
    assert unit["ExecStart"][0].split()[1:5] == ["-I", "-m", "controller.cli", "run"]
    assert unit["RestartPreventExitStatus"] == [str(REFUSED)]


def test_one_table_needs_no_name_and_its_unit_is_otherwise_that_of_a_named_one() -> None:
    """The drop-ins of tablewarden.service go on to work: the package makes it by the line that the unit's head shows."""
    named = (FILES / "tablewarden@.service").read_text()
    program = re.search(r"^#   sed '([^']+)' tablewarden@.service > (\S+)$", named, re.M)
    assert program is not None
    assert program[2] == "/etc/systemd/system/tablewarden.service"
    one = subprocess.run(["sed", program[1]], input=named, capture_output=True, text=True, check=True).stdout
    assert "--config /etc/tablewarden/table.toml\n" in one
    assert not [line for line in one.splitlines() if "%i" in line and not line.startswith("#")]


@pytest.mark.parametrize(
    ("unit", "most"),
    [("tablewarden@", 18), ("tablewarden-panel", 16), ("tablewarden-recorder", 16), ("tablewarden-drill", 16)],
)
def test_each_unit_is_shut_in_and_gives_a_reason_for_each_point_left(unit: str, most: int) -> None:
    """Judged by systemd itself; tenths, as --threshold has them."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze on this machine: nobody judges the units")
    path = FILES / f"{unit}.service"
    ask = ["systemd-analyze", "security", "--offline=true", f"--threshold={most}", "--json=short", str(path)]
    judged = subprocess.run(ask, capture_output=True, text=True, check=False)
    assert judged.returncode == 0, f"{unit} is more exposed than {most / 10}"
    reasons = " ".join(line for line in path.read_text().splitlines() if line.startswith("# Open:"))
    left = {_point(row["name"]) for row in json.loads(judged.stdout) if row["set"] is False}
    assert left, "systemd-analyze told nothing"
    assert not {point for point in left if point not in reasons}


def _point(name: str) -> str:
    """`RestrictAddressFamilies=~AF_UNIX` -> `AF_UNIX`; `RootDirectory=/RootImage=` -> `RootDirectory=`."""
    return name.partition("~")[2] or name.partition("/")[0].removesuffix("=") + "="


def test_logins_and_folders_of_the_package_are_those_of_the_units() -> None:
    """Each user that sysusers.conf makes runs a unit, and each unit runs as one of them."""
    words = [line.split() for line in (FILES / "sysusers.conf").read_text().splitlines()]
    made = {word[1] for word in words if word and word[0] in "ug"}
    used = set()
    for path in FILES.glob("tablewarden*.service"):
        used |= set(re.findall(r"^(?:User|Group|SupplementaryGroups)=(\S+)$", path.read_text(), re.M))
    assert made == used - {"kiosk"}  # the screen's login is made by who has a screen
    owners = {line.split()[3] for line in (FILES / "tmpfiles.conf").read_text().splitlines() if line[:1] == "d"}
    assert owners == made - {"tabledev"} | {"root"}


def test_the_unit_gives_what_the_daemon_needs_and_no_more() -> None:
    """Its folders are those of the defaults, its devices serial ports and USB; it has no right of its own."""
    unit = _unit()
    assert Path("/run", unit["RuntimeDirectory"][0]) == DEFAULT_SOCKET.parent
    assert unit["DevicePolicy"] == ["closed"]
    assert unit["DeviceAllow"] == ["char-ttyUSB rw", "char-ttyACM rw", "char-usb_device rw"]
    assert (unit["CapabilityBoundingSet"], unit["NoNewPrivileges"], unit["ProtectSystem"]) == (
        [""],
        ["yes"],
        ["strict"],
    )
    assert (unit["IPAddressDeny"], unit["IPAddressAllow"]) == (["any"], ["localhost"])


@pytest.mark.parametrize(
    "trap", ["ProtectClock", "PrivateDevices", "PrivateUsers", "ProcSubset", "PrivateNetwork"]
)
def test_the_unit_does_not_take_what_the_daemon_lives_on(trap: str) -> None:
    """The state of the clock, the ports, who is at the other end of the socket, the boot's id, the broker."""
    assert trap not in _unit()


def test_the_unit_lets_libusb_hear_of_devices() -> None:
    """Without netlink libusb does not start at all, and no USB device is ever found."""
    unit = _unit()
    assert "AF_NETLINK" in unit["RestrictAddressFamilies"][0]
    assert "char-usb_device rw" in unit["DeviceAllow"]


def test_the_rules_leave_the_ports_to_the_daemon() -> None:
    """Group and mode, no probing by ModemManager, bytes at once; each line is assignments and matches only."""
    text = (FILES / "60-tablewarden.rules").read_text()
    rules = [line for line in text.splitlines() if line and not line.startswith("#")]
    word = r'(?:[A-Z]+(?:\{[^}]+\})?)(?:==|!=|\+=|=)"[^"]*"'
    assert all(re.fullmatch(rf"{word}(?:, {word})*", rule) for rule in rules)
    ports = next(rule for rule in rules if rule.startswith("GROUP"))
    assert 'GROUP="tabledev", MODE="0660"' in ports
    assert 'ENV{ID_MM_PORT_IGNORE}="1"' in ports
    assert any('ATTR{latency_timer}="1"' in rule for rule in rules)
    assert {rule.partition('GOTO="')[2].strip('"') for rule in rules if "GOTO" in rule} == {"tablewarden_end"}
