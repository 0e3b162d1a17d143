"""The journal as seen from outside, at rest and while its daemon writes."""

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from controller.clock import Stamp
from controller.journal.errors import JournalMissing
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal
from controller.journal.tail import tail

Event = Callable[..., Transaction]
INPUT, MAIN, DIAG = Stream.INPUT, Stream.MAIN, Stream.DIAG


def test_the_newest_records_come_in_order(filled: Path) -> None:
    """Over all streams together, as they were recorded."""
    shown = list(tail(filled, last=5))
    assert [(r["stream"], r["sequence"]) for r in shown] == [
        ("input", 39), ("main", 39), ("input", 40), ("main", 40), ("diag", 10),
    ]  # fmt: skip
    assert [r["order"] for r in shown] == [86, 87, 88, 89, 90]
    assert [r["order"] for r in tail(filled, last=None)] == list(range(1, 91))
    assert list(tail(filled, last=0)) == []


def test_chosen_streams_are_counted_alone(filled: Path) -> None:
    """The newest three of MAIN and DIAG, however many inputs lie between."""
    shown = list(tail(filled, last=3, streams=[MAIN, DIAG]))
    assert [(r["stream"], r["sequence"]) for r in shown] == [("main", 39), ("main", 40), ("diag", 10)]
    assert [r["sequence"] for r in tail(filled, last=99, streams=[DIAG])] == list(range(1, 11))


def test_a_record_is_json_with_its_body_inside(journal: Journal, event: Event, now: Stamp) -> None:
    """Times as UTC text, hashes as hex; what is not there is absent; it survives being written as JSON."""
    _, fact = journal.append([event(3)], now)
    shown = list(tail(journal.path))
    assert json.loads(json.dumps(shown)) == shown
    assert shown[1] == {
        "id": f"{journal.id}-main-1", "stream": "main", "sequence": 1, "order": 2, "kind": "stub_counted",
        "version": 2, "subject": "shoe-1", "round": "r-0007", "cause": f"{journal.id}-input-1",
        "time": "2026-01-01T00:00:00.000000Z", "recorded": "2026-01-01T00:00:00.000000Z",
        "mono_ns": 1_000_000_000, "boot": "00000000000000b1", "clock": "synced", "data": {"cards": 0},
        "prevhash": fact.prevhash.hex(), "recordhash": fact.recordhash.hex(),
    }  # fmt: skip
    assert shown[0]["origin"] == {"serial": "SHOE-0042", "boot": "00000000000000d1", "counter": 3}
    assert not {"round", "cause"} & set(shown[0])


def test_a_body_that_is_no_json_is_shown_as_hex(journal: Journal, now: Stamp) -> None:
    """The view never fails on a body."""
    journal.append([Transaction(now, Draft(INPUT, "k", 1, "s", None, b"\xff{"))], now)
    (shown,) = tail(journal.path)
    assert shown["data_hex"] == "ff7b"
    assert "data" not in shown


def test_a_followed_journal_shows_each_new_record_once(journal: Journal, event: Event, now: Stamp) -> None:
    """Read-only, from the live file, in order; it looks again after each pause."""
    journal.append([event(n) for n in (1, 2)], now)
    counters = iter(range(3, 100))

    def a_pause() -> None:
        journal.append([event(next(counters), MAIN, DIAG)], now)

    following = tail(journal.path, last=1, follow=True, pause=a_pause)
    shown = list(islice(following, 31))
    following.close()
    assert [r["order"] for r in shown] == list(range(4, 35))


def test_tail_of_nothing_says_so(path: Path) -> None:
    """And makes no file."""
    with pytest.raises(JournalMissing):
        next(tail(path))
    assert not path.exists()
