"""Runs of sound records are told at once; of all others the proof of each record finds what it ever found."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.clock import ManualClock, Stamp
from controller.journal.disk.file import connect_readonly, examine, read_anchors
from controller.journal.proof.findings import Cause, Fault
from controller.journal.proof.runs import Run, Runs
from controller.journal.proof.verify import verify
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal
from tests.controller.journal.proof.test_verify import CHANGES, Tamper

MAX_COUNTER = (1 << 64) - 1


def run_of(path: Path, stream: Stream, through: int) -> Run | None:
    """The first records of a stream, from where it begins."""
    with closing(connect_readonly(path)) as db:
        runs = Runs(db, examine(db, path).id)
        return runs.sound(stream, 0, through, read_anchors(db)[stream].recordhash, 0)


def one_by_one(path: Path) -> tuple[Fault, ...]:
    """What the proof of each record finds, without runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Runs, "sound", lambda *args: None)
        return verify(path).faults


def record(path: Path, *transactions: Transaction) -> None:
    with closing(Journal.open(path, site="lv01", table="uth-017")) as journal:
        for transaction in transactions:
            journal.append([transaction], ManualClock().stamp())


def said(kind: str, subject: str, data: bytes = b"{}", origin: tuple[str, str, int] | None = None) -> Transaction:
    return Transaction(ManualClock().stamp(), Draft(Stream.INPUT, kind, 1, subject, None, data), origin)


@pytest.mark.parametrize(("stream", "count"), [(Stream.INPUT, 40), (Stream.MAIN, 40), (Stream.DIAG, 10)])
def test_a_sound_run_is_told_at_once(filled: Path, stream: Stream, count: int) -> None:
    """With the hash and the order of its last record, from which the next run goes on."""
    reader = Journal.open_readonly(filled)
    last = reader.read(stream, count - 1, 1)[0]
    reader.close()
    assert run_of(filled, stream, count) == Run(last.recordhash, last.order, [])
    assert run_of(filled, stream, count + 1) is None


def test_no_record_of_a_sound_journal_is_proved_twice(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the runs would cost and spare nothing."""
    monkeypatch.setattr(
        "controller.journal.proof.verify.record_hash", lambda *args: pytest.fail("proved one by one")
    )
    assert verify(filled).ok


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_run_is_left_to_the_proof_of_each_record(filled: Path, tamper: Tamper, name: str) -> None:
    """Whatever was done to it, what is found is the same, in the same order."""
    tamper(filled, CHANGES[name][0])
    assert verify(filled).faults == one_by_one(filled) != ()


def test_a_run_follows_on_what_was_proved_before_it(filled: Path) -> None:
    """Another hash before it, one of another length, or an order that was there already."""
    with closing(connect_readonly(filled)) as db:
        runs, anchor = Runs(db, examine(db, filled).id), read_anchors(db)[Stream.MAIN].recordhash
        assert runs.sound(Stream.MAIN, 0, 40, anchor, 1)
        assert runs.sound(Stream.MAIN, 0, 40, anchor, 2) is None
        assert runs.sound(Stream.MAIN, 0, 40, anchor[::-1], 0) is None
        assert runs.sound(Stream.MAIN, 0, 40, anchor[:-1], 0) is None
        assert Runs(db, "0" * 16).sound(Stream.MAIN, 0, 40, anchor, 0) is None


def test_a_change_after_many_runs_is_named_and_the_runs_go_on(
    path: Path, event: Callable[..., Transaction], now: Stamp, tamper: Tamper
) -> None:
    """The one record in a thousand, and the sound ones around it are not accused."""
    with closing(Journal.open(path, site="lv01", table="uth-017")) as journal:
        journal.append([event(n) for n in range(1, 1001)], now)
    tamper(path, "UPDATE main SET recordhash = zeroblob(32) WHERE sequence IN (400, 800)",
           "DELETE FROM main WHERE sequence = 900")  # fmt: skip
    assert [(f.cause, f.first) for f in verify(path).faults if f.stream is Stream.MAIN] == [
        (Cause.CHANGED, 400), (Cause.CHANGED, 800), (Cause.MISSING, 900)
    ]  # fmt: skip
    assert verify(path).faults == one_by_one(path)


@pytest.mark.parametrize(
    ("subject", "origin", "is_run"),
    [
        ("Schuh-ä-牌-🂡", None, True),
        ("shoe-1", ("S", "B", 7), True),
        ("shoe-1", ("S", "B", MAX_COUNTER), False),  # SQLite holds it as a negative number
        ('a "shoe"', None, False),  # an escape may be written in more than one way
        ("\x00\x1b\n", None, False),
    ],
)
def test_what_may_be_written_in_two_ways_is_proved_by_itself(
    path: Path, subject: str, origin: tuple[str, str, int] | None, is_run: bool
) -> None:
    """And is as sound as any other."""
    record(path, said("device_report", subject, origin=origin))
    assert (run_of(path, Stream.INPUT, 1) is not None) == is_run
    assert verify(path).ok


def test_bodies_of_any_length_are_hashed_with_it(path: Path, tamper: Tamper) -> None:
    """None, and some that nobody wrote before; a byte that goes from the body to its salt is found."""
    record(path, *(said("device_report", "shoe-1", b"x" * size) for size in (0, 1, 255, 256, 70_000)))
    assert run_of(path, Stream.INPUT, 5)
    tamper(
        path,
        "UPDATE body SET salt = CAST(salt || substr(data, 1, 1) AS BLOB), data = substr(data, 2) WHERE ord = 4",
    )
    assert run_of(path, Stream.INPUT, 3)
    assert run_of(path, Stream.INPUT, 5) is None


def test_what_a_proof_looks_into_comes_with_the_run(path: Path) -> None:
    """The rows of hands that were told, of keys that were erased and of checkpoints, and of nothing else."""
    kinds = ("record_hand", "device_report", "cards_erased", "checkpoint_signed")
    record(path, *(said(kind, "table") for kind in kinds))
    run = run_of(path, Stream.INPUT, 4)
    assert run is not None
    assert [(row[0], row[1]) for row in run.looked_at] == [(1, kinds[0]), (3, kinds[2]), (4, kinds[3])]


def test_text_that_is_none_is_not_taken_for_sound(filled: Path, tamper: Tamper) -> None:
    """Bytes that are no UTF-8 cannot be read by anybody, whatever their hash."""
    tamper(filled, "UPDATE main SET subject = CAST(x'ff' AS TEXT) WHERE sequence = 7")
    assert run_of(filled, Stream.MAIN, 6)
    assert run_of(filled, Stream.MAIN, 40) is None
    assert verify(filled).faults == one_by_one(filled) != ()
