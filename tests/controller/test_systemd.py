"""The service manager hears what it needs, in its own words, and its absence changes nothing."""

import os
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.systemd import Notifier


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
