"""Logs have one form for everybody, and no card and no secret in them."""

import io
import json
import logging
import os
import re
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from controller.log import WITHHELD, LogFormat, LogLevel, configure, get_logger, redact


class Rank(IntEnum):
    ACE = 14


@dataclass(frozen=True)
class Card:
    rank: int
    suit: str


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Each test sets logging up anew and leaves it as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    logging.captureWarnings(False)
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def told() -> Callable[[], list[dict[str, Any]]]:
    """Logging as JSON, and what has been written so far."""
    out = io.StringIO()
    configure(LogFormat.JSON, LogLevel.DEBUG, stream=out)
    return lambda: [json.loads(line) for line in out.getvalue().splitlines()]


def test_an_event_is_one_json_object_with_its_fields(told: Any) -> None:
    """Time in UTC, level, where from, what, and the fields as they are."""
    get_logger("link").warning("shoe_jam", device="shoe-1", round_no=42, cite=["13.I"])
    (line,) = told()
    assert list(line)[:4] == ["timestamp", "level", "logger", "event"]
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "shoe_jam", "level": "warning", "logger": "link", "device": "shoe-1", "round_no": 42, "cite": ["13.I"],
    }  # fmt: skip


@pytest.mark.parametrize("name", ["asyncio", "aiomqtt", "paho.mqtt.client", "whatever"])
def test_libraries_log_in_the_same_form(told: Any, name: str) -> None:
    """A person greps one format: positional arguments, level and logger included."""
    logging.getLogger(name).warning("lost %s after %d s", "broker", 5)
    (line,) = told()
    assert (line["event"], line["level"], line["logger"]) == ("lost broker after 5 s", "warning", name)


def test_warnings_of_python_are_logged_too(told: Any) -> None:
    """What would go to standard error in a form of its own comes as an event."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("old call", DeprecationWarning, stacklevel=1)
    (line,) = told()
    assert line["logger"] == "py.warnings"
    assert "old call" in line["event"]


@pytest.mark.parametrize("by_library", [False, True])
def test_an_exception_comes_with_its_traceback_in_one_line(told: Any, by_library: bool) -> None:
    """One event, one line, also with a stack in it."""
    try:
        raise OSError("disk full")
    except OSError:
        if by_library:
            logging.getLogger("asyncio").exception("failed")
        else:
            get_logger("journal").exception("failed")
    (line,) = told()
    assert "Traceback" in line["exception"]
    assert "OSError: disk full" in line["exception"]


def test_a_traceback_shows_no_local_variables(told: Any) -> None:
    """What a function held in its hands when it failed may be a card."""
    hole_card = Card(14, "spades")
    try:
        raise ValueError(f"no bet for {hole_card}")
    except ValueError:
        get_logger("table").exception("decision_failed")
    (line,) = told()
    assert "spades" not in line["exception"]
    assert "14" not in line["exception"].rpartition("ValueError")[2]


def test_context_rides_on_each_event(told: Any) -> None:
    """Bound once, on every line of the task."""
    structlog.contextvars.bind_contextvars(device="shoe-1")
    get_logger("a").info("one")
    logging.getLogger("asyncio").warning("two")
    assert [line["device"] for line in told()] == ["shoe-1", "shoe-1"]


def test_the_level_holds_for_us_and_libraries_are_quieter() -> None:
    """Debug of a library is never our log; ours is what the configuration says."""
    out = io.StringIO()
    configure(LogFormat.JSON, LogLevel.INFO, stream=out)
    get_logger("a").debug("no")
    logging.getLogger("paho").info("no")
    logging.getLogger("asyncio").debug("no")
    get_logger("a").info("yes")
    assert [json.loads(line)["event"] for line in out.getvalue().splitlines()] == ["yes"]


def test_a_second_setup_replaces_the_first(told: Any) -> None:
    """No event is written twice."""
    out = io.StringIO()
    configure(LogFormat.JSON, LogLevel.INFO, stream=out)
    get_logger("a").info("once")
    assert told() == []
    assert len(out.getvalue().splitlines()) == 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("style", "stream", "is_json"),
    [
        (LogFormat.AUTO, io.StringIO, True),
        (LogFormat.AUTO, Terminal, False),
        (LogFormat.JSON, Terminal, True),
        (LogFormat.CONSOLE, io.StringIO, False),
    ],
)
def test_the_form_follows_the_reader(style: LogFormat, stream: type[io.StringIO], is_json: bool) -> None:
    """A terminal gets a page, everything else JSON, unless the configuration says otherwise."""
    out = stream()
    configure(style, stream=out)
    get_logger("link").info("opened", port="/dev/x", card="As")
    assert out.getvalue().startswith("{") is is_json
    assert "As" not in out.getvalue()
    assert ("\x1b[" in out.getvalue()) is (stream is Terminal and not is_json)


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"card": "As"}, {"card": WITHHELD}),
        ({"card": 51}, {"card": WITHHELD}),
        ({"rank": Rank.ACE}, {"rank": WITHHELD}),
        ({"Suit": "h"}, {"Suit": WITHHELD}),
        ({"hand": Card(14, "s")}, {"hand": WITHHELD}),
        ({"cards": 52}, {"cards": 52}),
        ({"cards": None}, {"cards": None}),
        ({"cards": ["As", "Kd"]}, {"cards": WITHHELD}),
        ({"cards": Rank.ACE}, {"cards": WITHHELD}),
        ({"stub": 30}, {"stub": 30}),
        ({"cards_inside": 47}, {"cards_inside": 47}),
        ({"data": {"seat": 1, "hole": ["As"]}}, {"data": {"seat": 1, "hole": WITHHELD}}),
        ({"list": [{"board": "x"}, 3]}, {"list": [{"board": WITHHELD}, 3]}),
        ({"what": Card(14, "s")}, {"what": f"Card(rank={WITHHELD}, suit={WITHHELD})"}),
        ({"note": "saw A\u2660 and 10\u2665"}, {"note": f"saw {WITHHELD} and {WITHHELD}"}),
        ({"note": "\U0001f0a1 fell"}, {"note": f"{WITHHELD} fell"}),
        ({"note": "{'card': 'As', 'seat': 2}"}, {"note": f"{{'card': {WITHHELD}, 'seat': 2}}"}),
        ({"note": "cards=3 card=[1, 2] x"}, {"note": f"cards=3 card={WITHHELD} x"}),
        ({"password": "x", "PIN": 1234, "token": b"t"}, {"password": WITHHELD, "PIN": WITHHELD, "token": WITHHELD}),
        ({"note": "password: hunter2, user u"}, {"note": f"password: {WITHHELD}, user u"}),
        ({"kind": "stub_counted", "method": "hand"}, {"kind": "stub_counted", "method": "hand"}),
        ({"ok": True, "lag_s": 0.5, "n": None}, {"ok": True, "lag_s": 0.5, "n": None}),
    ],
)  # fmt: skip
def test_cards_and_secrets_are_withheld_and_counts_stay(fields: dict[str, Any], shown: dict[str, Any]) -> None:
    """By name of the field, by its form inside a text, and by the signs of the suits; a count is no identity."""
    assert redact(None, "info", dict(fields)) == shown


@given(
    name=st.sampled_from(["card", "cards", "hole", "password"]),
    value=st.recursive(
        st.text() | st.floats() | st.binary(),
        lambda inner: st.lists(inner, min_size=1) | st.dictionaries(st.text(), inner, min_size=1),
    ),
)
def test_whatever_stands_in_a_withheld_field_is_withheld(name: str, value: object) -> None:
    """No type slips through because nobody thought of it."""
    assert redact(None, "info", {"event": "e", "deep": [{name: value}]})["deep"] == [{name: WITHHELD}]


def test_what_a_library_says_is_redacted_too(told: Any) -> None:
    """asyncio prints the callback that failed, with its arguments."""
    logging.getLogger("asyncio").error("Exception in callback deliver(%r)", Card(14, "s"))
    assert told()[0]["event"] == f"Exception in callback deliver(Card(rank={WITHHELD}, suit={WITHHELD}))"


def test_values_that_are_no_json_do_not_stop_the_log(told: Any) -> None:
    """Bytes, paths that are no text, numbers beyond 64 bits: a line comes out, whatever was given."""
    get_logger("a").info(
        "odd", raw=b"\xff", path="/dev/\udcff", big=2**80, nothing=float("nan"), kind=LogLevel.INFO
    )
    (line,) = told()
    assert (line["kind"], line["path"]) == ("info", "/dev/\\udcff")


def test_logging_without_rich_and_in_one_process_start() -> None:
    """The daemon's environment has no rich: structlog must not have drawn it in."""
    code = (
        "import sys, controller.log as l; l.configure(l.LogFormat.CONSOLE); l.get_logger('a').info('up', n=1);"
        "sys.exit('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 0
    assert "up" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    "text", ["word 1, 'As', is no card", "read As Kd 10h", "?? 2c,", '"Td"', "seen: As,Kd", "no bet for ?? As"]
)
def test_cards_as_people_name_them_are_withheld_in_any_text(told: Any, text: str) -> None:
    """Two in a row, or one in quotes."""
    get_logger("a").warning("odd", note=text, deep={"x": [text]})
    (line,) = told()
    for kept in (line["note"], *line["deep"]["x"]):
        assert WITHHELD in kept
        assert not re.search(r"\b(As|Kd|10h|2c|Td)\b", kept)


@pytest.mark.parametrize(
    "text", ["As said, it waits 5s", "after 10s and 2d", "4h", "5s, then", "shoe-2s 9d8c", "T0 As"]
)
def test_words_that_only_look_like_a_card_stay(told: Any, text: str) -> None:
    """A time, the first word of a sentence, half of a name."""
    get_logger("a").warning("odd", note=text)
    assert told()[0]["note"] == text


@pytest.mark.parametrize("style", [LogFormat.JSON, LogFormat.CONSOLE])
def test_what_somebody_typed_moves_no_cursor_and_begins_no_line(style: LogFormat) -> None:
    """A name out of a request, and what a library repeats of it; a program still reads the very characters in JSON."""
    out = io.StringIO()
    configure(style, LogLevel.DEBUG, stream=out)
    typed = "a\x1b[2J\u202e\x9b\x7f\U000e0001\nb"
    get_logger("control").info("control_refused", who=typed)
    logging.getLogger("asyncio").warning("heard %s", typed)
    assert len(out.getvalue().splitlines()) == 2
    assert {c for c in out.getvalue() if not c.isprintable()} == {"\n"}
    if style is LogFormat.JSON:
        assert json.loads(out.getvalue().splitlines()[0])["who"] == typed


def test_a_traceback_keeps_its_lines_in_a_terminal() -> None:
    """It is the one text of several lines that this process wrote itself."""
    out = io.StringIO()
    configure(LogFormat.CONSOLE, LogLevel.DEBUG, stream=out)
    try:
        raise ValueError("no")
    except ValueError:
        get_logger("control").exception("failed")
    assert len(out.getvalue().splitlines()) > 3


def test_journald_gets_priority_and_fields_and_no_card(tmp_path, monkeypatch) -> None:
    path = str(tmp_path / "journal")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal, (tmp_path / "stderr").open("w+") as err:
        journal.bind(path)
        found = os.fstat(err.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{found.st_ino}")
        monkeypatch.setattr("controller.log.JOURNAL", path)
        configure(stream=err)
        with structlog.contextvars.bound_contextvars(table="t1", round="r7", device="shoe-1", clause="13.I"):
            get_logger("table").warning("hold_placed", reason="two\nlines", card="As")
        told = journal.recv(65536)
        assert b"PRIORITY\n\1\0\0\0\0\0\0\0004\n" in told
        for field in (b"TABLE\n", b"ROUND\n", b"DEVICE\n", b"CLAUSE\n", b"EVENT\n"):
            assert b"TABLEWARDEN_" + field in told
        assert b"reason=two\nlines" in told
        assert b"As" not in told.replace(b"TABLE", b"")
        journal.close()
        os.unlink(path)
        get_logger("table").warning("hold_placed")  # journald is away
        err.seek(0)
        assert "hold_placed" in err.read()
        for handler in logging.getLogger().handlers:
            handler.close()
