"""The client of commands: results, refusals, watches, and every way in which a daemon is not there."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from controller.control.client import ControlClient, ControlFailed, ControlUnreachable


@contextmanager
def _daemon_that(path: Path, serve: Callable[[socket.socket], None]) -> Iterator[None]:
    """A peer at `path` that takes one connection and does with it what no sound daemon would."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def run() -> None:
            connected, _ = listening.accept()
            with connected:
                connected.recv(1 << 16)
                serve(connected)

        thread = threading.Thread(target=run, name="odd-daemon")
        thread.start()
        yield
        thread.join()


def test_a_result_comes_back(live: Any) -> None:
    """One question, one answer, and the connection serves the next."""
    path, _, _ = live
    with ControlClient(path) as client:
        assert client.ask("status") == {"table": "t1", "open": True}
        facts = client.ask("act", act="begin_round", args={"back": "red"}, who="ada", role="dealer")["facts"]
    assert [f["kind"] for f in facts] == ["begin_round_done"]


def test_a_refusal_is_an_error_with_code_reason_and_clause(live: Any) -> None:
    """Whoever asked can show all three."""
    path, _, _ = live
    with ControlClient(path) as client, pytest.raises(ControlFailed, match="nearest: ada") as caught:
        client.ask("act", act="end_round", who="adda", role="dealer")
    assert (caught.value.code, caught.value.cite) == ("unknown_person", ())


def test_a_watch_runs_from_the_past_into_the_present(live: Any) -> None:
    """First what was, then the mark, then each record as it becomes durable."""
    path, desk, there = live
    there(lambda: desk.record("a"))
    with ControlClient(path) as client:
        events = client.watch(after=0)
        assert next(events)["kind"] == "a"
        assert next(events) == {"caught_up": 1}
        there(lambda: desk.record("b"))
        assert next(events)["kind"] == "b"


def test_a_watch_refused_is_an_error(live: Any) -> None:
    """A watch that cannot be is not an empty one."""
    path, _, _ = live
    with ControlClient(path) as client, pytest.raises(ControlFailed, match="beyond the newest record"):
        next(client.watch(after=99))


def test_an_event_longer_than_a_request_comes_whole(live: Any) -> None:
    """The limit of a request is not one of answers."""
    path, desk, there = live
    there(lambda: desk.record("long", note="x" * 200_000))
    with ControlClient(path) as client:
        assert len(next(client.watch(after=0))["data"]["note"]) == 200_000


def test_no_daemon_says_how_to_start_one(tmp_path: Path) -> None:
    """The commonest mistake gets the remedy."""
    with pytest.raises(ControlUnreachable, match="no daemon runs here; start it with"):
        ControlClient(tmp_path / "none.sock")


def test_a_dead_daemon_is_told_from_one_that_never_was(tmp_path: Path) -> None:
    """Its socket file is still there, and nobody listens."""
    path = tmp_path / "dead.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with pytest.raises(ControlUnreachable, match="was here and is gone"):
        ControlClient(path)


@pytest.fixture
def ordinary_login() -> Iterator[int]:
    """The rest of the test as a login without rights, also where tests run as the super-user."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    yield os.geteuid()
    os.seteuid(before)


def test_a_forbidden_socket_names_the_login(tmp_path: Path, ordinary_login: int) -> None:
    """Which group is missing is for the administrator; who was refused is for the person."""
    path = tmp_path / "c.sock"
    before = os.geteuid()
    with socket.socket(socket.AF_UNIX) as listening:
        os.seteuid(os.getuid())
        listening.bind(str(path))
        path.chmod(0)
        listening.listen()
        os.seteuid(before)
        with pytest.raises(ControlUnreachable, match=f"uid {ordinary_login}"):
            ControlClient(path)


def test_a_daemon_that_ends_before_it_answers_leaves_the_outcome_open(tmp_path: Path) -> None:
    """A lost answer is unknown, not a failure: the message says so."""
    path = tmp_path / "c.sock"
    with (
        _daemon_that(path, lambda connected: None),
        ControlClient(path) as client,
        pytest.raises(ControlUnreachable, match="may have been done"),
    ):
        client.ask("status")


def test_half_an_answer_is_no_answer(tmp_path: Path) -> None:
    """A daemon killed in the middle of a line has not answered."""
    path = tmp_path / "c.sock"
    with (
        _daemon_that(path, lambda connected: connected.sendall(b'{"id": 1, "ok": true')),
        ControlClient(path) as client,
        pytest.raises(ControlUnreachable, match="ended before it answered"),
    ):
        client.ask("status")


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400",
        b"{}",
        b"[]",
        b'{"ok": true}',
        b'{"ok": true, "result": 1}',
        b'{"ok": false}',
        b"[" * 9999,
        b"\xff",
        b'{"ok": false, "error": {"code": "x"}}',
        b'{"ok": false, "error": 1}',
    ],
)
def test_what_is_no_daemon_is_known_by_its_answer(tmp_path: Path, answer: bytes) -> None:
    """Somebody else's socket was named: that is said, not what Python makes of the answer."""
    path = tmp_path / "c.sock"
    with (
        _daemon_that(path, lambda connected: connected.sendall(answer + b"\n")),
        ControlClient(path) as client,
        pytest.raises(ControlUnreachable, match="no daemon of this software"),
    ):
        client.ask("status")


def test_a_daemon_that_does_not_answer_is_not_waited_for_without_end(tmp_path: Path) -> None:
    """A frozen daemon gives an error with the time that was waited."""
    path, answered = tmp_path / "c.sock", threading.Event()
    with _daemon_that(path, lambda connected: answered.wait(10) and None):
        with (
            ControlClient(path, timeout_s=0.05) as client,
            pytest.raises(ControlUnreachable, match=r"within 0\.05 s"),
        ):
            client.ask("status")
        answered.set()


def test_a_watch_ends_with_its_daemon(tmp_path: Path) -> None:
    """An orderly end is the end of the series, not an error."""
    path = tmp_path / "c.sock"
    with (
        _daemon_that(path, lambda connected: connected.sendall(b'{"id": 1, "ok": true, "caught_up": 0}\n')),
        ControlClient(path) as client,
    ):
        assert list(client.watch()) == [{"caught_up": 0}]


def test_a_full_backlog_is_tried_again(tmp_path: Path) -> None:
    """Where as many wait as can wait, the kernel refuses at once; a moment later there is room."""
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as first:
        listening.bind(str(path))
        listening.listen(0)
        first.connect(str(path))
        with pytest.raises(ControlUnreachable, match="too many wait"):
            ControlClient(path, timeout_s=0.1)

        def take_one() -> None:
            listening.accept()[0].close()

        timer = threading.Timer(0.2, take_one)
        timer.start()
        ControlClient(path).close()
        timer.join()
