"""The record grows, whole transactions at a time, and is read back as it was written."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.clock import ManualClock, Stamp
from controller.journal.chain import data_hash, header_of, record_hash
from controller.journal.disk import file
from controller.journal.disk.file import PRIME_BYTES, connect_writer
from controller.journal.errors import JournalRepeat, JournalWriteFailed
from controller.journal.proof.verify import verify
from controller.journal.record import FACTS, Draft, Position, Record, Stream, Transaction
from controller.journal.store import NEWEST, Journal

Event = Callable[..., Transaction]
Open = Callable[..., Journal]
INPUT, MAIN, DIAG = Stream.INPUT, Stream.MAIN, Stream.DIAG


def test_what_append_returns_is_what_is_read_back(journal: Journal, event: Event, clock: ManualClock) -> None:
    """Every field of every record, before and after a look at the disk, with its input as the cause of each fact."""
    at = clock.stamp()
    clock.advance(0.25)
    appended = journal.append([event(1, MAIN, DIAG), event(2)], clock.stamp())
    assert [(r.stream, r.sequence, r.order) for r in appended] == [
        (INPUT, 1, 1), (MAIN, 1, 2), (DIAG, 1, 3), (INPUT, 2, 4), (MAIN, 2, 5),
    ]  # fmt: skip
    assert (
        sorted([*journal.records((Stream.INPUT,), {}), *journal.records(FACTS, {})], key=lambda r: r.order)
        == appended
    )
    said, fact = appended[:2]
    assert (fact.kind, fact.version, fact.subject, fact.round_id) == ("stub_counted", 2, "shoe-1", "r-0007")
    assert (fact.data, said.data) == (b'{"cards":0}', b'{"counter":1}')
    assert (fact.cause, said.cause) == (f"{journal.id}-input-1", None)
    assert (said.origin, fact.origin) == (("SHOE-0042", "00000000000000d1", 1), None)
    assert fact.time_us == at.wall_us + 250_000 == fact.recorded_us
    assert (fact.mono_ns, fact.boot, fact.clock) == (at.mono_ns + 250_000_000, at.boot, "synced")
    assert fact.id(journal.id) == f"{journal.id}-main-1"


def test_time_is_when_it_came_in_and_recorded_is_when_it_was_committed(
    journal: Journal, event: Event, clock: ManualClock
) -> None:
    """A fact carries the times of its input, not those of its own making."""
    waiting = event(1)
    clock.advance(3)
    said, fact = journal.append([waiting], clock.stamp())
    assert said.recorded_us - said.time_us == fact.recorded_us - fact.time_us == 3_000_000
    assert fact.mono_ns == waiting.at.mono_ns


def test_what_is_kept_in_memory_is_what_stands_in_the_file(journal: Journal, event: Event, now: Stamp) -> None:
    """Wherever a reader stands, near the head or far behind it, it gets the records of the file and no others."""
    for first in range(1, 200, 7):
        journal.append([event(n, MAIN, DIAG) for n in range(first, first + 7)], now)
    with closing(Journal.open_readonly(journal.path)) as other:
        head = journal.heads()[MAIN]
        for stream in Stream:
            for after in (0, 1, head - 80, head - 70, head - 64, head - 63, head - 8, head - 1, head, head + 5):
                for limit in (1, 3, 500):
                    assert journal.read(stream, after, limit) == other.read(stream, after, limit)


def test_only_the_newest_are_kept_in_memory(
    journal: Journal, event: Event, now: Stamp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that keeps up costs no look at the file; one that lags is given the file's, so memory does not grow."""
    asked: list[int] = []
    read = journal.view.read

    def watched(stream: Stream, after: int, limit: int) -> list[Record]:
        asked.append(after)
        return read(stream, after, limit)

    monkeypatch.setattr(journal.view, "read", watched)
    for n in range(1, 301):
        journal.append([event(n)], now)
        journal.read(MAIN, max(0, n - NEWEST), 1)
    assert not asked
    journal.read(MAIN, 300 - 3 * NEWEST, 1)
    assert asked == [300 - 3 * NEWEST]


def test_each_stream_is_a_chain_from_its_genesis(journal: Journal, event: Event, now: Stamp) -> None:
    """Each record's hash follows from its own bytes and from the hash before it in the same stream."""
    journal.append([event(n, MAIN, DIAG) for n in range(1, 6)], now)
    for stream in Stream:
        records = journal.read(stream, 0, 100)
        assert len({r.salt for r in records}) == 5
        for before, record in zip([None, *records], records, strict=False):
            if before:
                assert record.prevhash == before.recordhash
            assert record.datahash == data_hash(record.salt, record.data)
            assert record.recordhash == record_hash(
                record.prevhash, header_of(journal.id, record), record.datahash
            )


def test_reading_gives_a_window_of_one_stream(journal: Journal, event: Event, now: Stamp) -> None:
    """Behind a sequence, at most so many, linked to their predecessor."""
    journal.append([event(n) for n in range(1, 11)], now)
    window = journal.read(MAIN, 3, 4)
    assert [r.sequence for r in window] == [4, 5, 6, 7]
    assert window[0].prevhash == journal.read(MAIN, 2, 1)[0].recordhash
    assert journal.read(MAIN, 10, 4) == []
    assert journal.read(DIAG, 0, 4) == []


def test_facts_of_many_batches_come_in_global_order(journal: Journal, event: Event, now: Stamp) -> None:
    """A start folds MAIN and DIAG as they were decided, however many there are; inputs are not among them."""
    journal.append([event(n, *((DIAG, MAIN) if n % 3 else (MAIN, DIAG, MAIN))) for n in range(1, 1500)], now)
    facts = list(journal.records(FACTS, {}))
    assert len(facts) == 1499 * 2 + 499
    assert [f.order for f in facts] == sorted(f.order for f in facts)
    assert {f.stream for f in facts} == {MAIN, DIAG}


def test_heads_and_oldest_of_an_empty_stream_say_that_it_is_empty(
    journal: Journal, event: Event, now: Stamp
) -> None:
    """The oldest record to come lies one above the head."""
    journal.append([event(1)], now)
    assert journal.heads() == {INPUT: 1, MAIN: 1, DIAG: 0}
    assert journal.oldest() == {INPUT: 1, MAIN: 1, DIAG: 1}


def test_a_reopened_journal_goes_on_where_it_stopped(
    open_journal: Open, event: Event, now: Stamp, path: Path
) -> None:
    """Same id, next numbers, one unbroken chain."""
    first = open_journal()
    first.append([event(1, MAIN, DIAG)], now)
    first.close()
    second = open_journal()
    records = second.append([event(2, MAIN, DIAG)], now)
    assert second.id == first.id
    assert [(r.stream, r.sequence, r.order) for r in records] == [(INPUT, 2, 4), (MAIN, 2, 5), (DIAG, 2, 6)]
    assert verify(path).ok


@pytest.mark.parametrize("again", [[3], [4, 2], [5, 5]], ids=["alone", "after a new one", "twice in one call"])
def test_a_repeated_device_event_writes_nothing_and_harms_nothing(
    journal: Journal, event: Event, now: Stamp, path: Path, again: list[int]
) -> None:
    """(serial, boot, counter) is unique; the call is refused whole, names the repeat, and the journal goes on."""
    journal.append([event(n) for n in (1, 2, 3)], now)
    with pytest.raises(JournalRepeat) as refused:
        journal.append([event(n) for n in again], now)
    assert (refused.value.serial, refused.value.counter) == ("SHOE-0042", again[-1])
    assert journal.heads()[INPUT] == len(journal.read(INPUT, 0, 9)) == 3
    journal.append([event(6)], now)
    assert [r.origin[2] for r in journal.records((Stream.INPUT,), {}) if r.origin] == [1, 2, 3, 6]
    assert verify(path).ok


def test_the_same_counter_of_another_boot_or_device_is_no_repeat(
    journal: Journal, event: Event, now: Stamp
) -> None:
    """And acts and deadlines, which have no identity of a device, are never repeats."""
    journal.append(
        [event(1), event(1, boot="00000000000000d2"), event(1, serial="X"), event(None), event(None)], now
    )
    assert journal.heads()[INPUT] == 5


def test_what_is_known_of_a_device_is_its_newest_event(journal: Journal, event: Event, now: Stamp) -> None:
    """Newest by the record, so a new boot id counts however it sorts; within a boot by the counter, a full u64."""
    old, new, last = "00000000000000ff", "0000000000000001", 2**64 - 1
    assert journal.last_of("SHOE-0042") is None
    journal.append([event(n, boot=old) for n in (1, 2, 4, 3)], now)
    assert journal.last_of("SHOE-0042") == (old, 4)
    journal.append([event(1, boot=new), event(9, serial="OTHER")], now)
    assert journal.last_of("SHOE-0042") == (new, 1)
    journal.append([event(last, boot="00000000000000aa", serial="HUGE")], now)
    assert journal.last_of("HUGE") == ("00000000000000aa", last)
    assert journal.has("HUGE", "00000000000000aa", last)
    assert journal.read(INPUT, journal.heads()[INPUT] - 1, 1)[0].origin == ("HUGE", "00000000000000aa", last)
    assert verify(journal.path).ok
    assert not journal.has("SHOE-0042", new, 2)


def test_a_fact_in_the_input_stream_is_a_bug_and_writes_nothing(
    journal: Journal, event: Event, now: Stamp
) -> None:
    """And so is an input in a published stream; what came before it in the call is not written either."""
    good = event(1)
    bad = Draft(INPUT, "k", 1, "s", None, b"{}")
    for wrong in (Transaction(now, bad, None, (bad,)), Transaction(now, good.facts[0])):
        with pytest.raises(ValueError, match="cannot go to stream"):
            journal.append([good, wrong], now)
    assert journal.heads() == {INPUT: 0, MAIN: 0, DIAG: 0}
    assert journal.append([good], now)


@pytest.mark.parametrize("table", ["journal", "anchor", "input", "main", "body"])
@pytest.mark.parametrize("act", ["DELETE FROM {}", "UPDATE {} SET rowid = 77"])
def test_the_record_cannot_be_updated_or_deleted(filled: Path, table: str, act: str) -> None:
    """Triggers refuse it to anything that opens the file."""
    with closing(connect_writer(filled)) as db, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute(act.format(table))


def test_commits_are_synced_into_a_log_of_fixed_size(
    open_journal: Open, event: Event, now: Stamp, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """synchronous = FULL; the log has its size from the start and commits do not make it grow."""
    monkeypatch.setattr(file, "PRIME_BYTES", PRIME_BYTES)
    with closing(connect_writer(open_journal().path)) as db:
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    journal = open_journal(path.with_name("second.db"))
    log = path.with_name("second.db-wal")
    size = log.stat().st_size
    assert size >= PRIME_BYTES
    for n in range(600):  # over two checkpoints
        journal.append([event(n)], now)
    assert log.stat().st_size == size


def test_positions_of_two_readers_outlive_the_journal(open_journal: Open, event: Event, now: Stamp) -> None:
    """Each reader has its own in each stream, with its own bytes; a reader may also go back."""
    journal = open_journal()
    journal.append([event(1)], now)
    journal.move("mqtt", MAIN, 1, b"\x00window")
    journal.move("mqtt", DIAG, 7)
    journal.move("control", MAIN, 5)
    journal.move("control", MAIN, 4)
    journal.close()
    journal = open_journal()
    assert journal.position("mqtt") == {MAIN: Position(1, b"\x00window"), DIAG: Position(7)}
    assert journal.position("control") == {MAIN: Position(4)}
    assert journal.position("nobody") == {}


def test_a_position_costs_no_commit_and_rides_on_one_a_second_later(
    journal: Journal, event: Event, clock: ManualClock
) -> None:
    """A reader in another process sees it only once a commit, at most one each second, or a flush has taken it along."""
    reader = Journal.open_readonly(journal.path)
    try:
        journal.append([event(1)], clock.stamp())
        journal.move("mqtt", MAIN, 1)
        assert (journal.position("mqtt"), reader.position("mqtt")) == ({MAIN: Position(1)}, {})
        clock.advance(1)
        journal.append([event(2)], clock.stamp())
        assert reader.position("mqtt") == {MAIN: Position(1)}
        journal.move("mqtt", MAIN, 2)
        clock.advance(0.5)
        journal.append([event(3)], clock.stamp())
        assert reader.position("mqtt") == {MAIN: Position(1)}
        journal.flush()
        assert reader.position("mqtt") == {MAIN: Position(2)}
    finally:
        reader.close()


def test_a_position_is_not_lost_with_a_refused_call(journal: Journal, event: Event, clock: ManualClock) -> None:
    """It waits for the next commit."""
    journal.append([event(1)], clock.stamp())
    journal.move("mqtt", MAIN, 1)
    clock.advance(2)
    with pytest.raises(JournalRepeat):
        journal.append([event(1)], clock.stamp())
    journal.flush()
    reader = Journal.open_readonly(journal.path)
    assert reader.position("mqtt") == {MAIN: Position(1)}
    reader.close()


def test_a_session_number_is_given_once(open_journal: Open) -> None:
    """Also over a restart: the back office tells a late death from a new one by it."""
    journal = open_journal()
    assert [journal.next_session(), journal.next_session()] == [1, 2]
    journal.close()
    assert open_journal().next_session() == 3


def test_a_readonly_journal_sees_each_commit_and_writes_nothing(
    journal: Journal, event: Event, now: Stamp
) -> None:
    """Rows, heads and devices of the live file; every way of writing raises."""
    reader = Journal.open_readonly(journal.path)
    try:
        assert (reader.id, reader.site, reader.table) == (journal.id, "lv01", "uth-017")
        for n in (1, 2):
            records = journal.append([event(n)], now)
            assert reader.heads() == journal.heads()
            assert [*reader.read(INPUT, n - 1, 9), *reader.read(MAIN, n - 1, 9)] == records
            assert reader.last_of("SHOE-0042") == ("00000000000000d1", n)
        for write in (lambda: reader.append([event(3)], now), reader.next_session):
            with pytest.raises(JournalWriteFailed, match="reading only"):
                write()
        assert journal.heads()[INPUT] == 2
    finally:
        reader.close()


def test_nothing_is_written_after_a_refusal(open_journal: Open, event: Event, now: Stamp) -> None:
    """A commit that was too slow, as one that failed, closes the journal to writing until it is opened again."""
    journal = open_journal()
    journal.append([event(1)], now)
    journal.refuse("the commit took 3 s")
    for write in (lambda: journal.append([event(2)], now), journal.next_session):
        with pytest.raises(JournalWriteFailed, match="the commit took 3 s"):
            write()
    assert len(journal.read(INPUT, 0, 9)) == 1
    journal.close()
    reopened = open_journal()
    assert reopened.heads()[INPUT] == 1
    assert reopened.append([event(2)], now)


def test_a_foreign_lock_on_the_file_is_a_failed_write_and_leaves_nothing(
    open_journal: Open, event: Event, now: Stamp, path: Path
) -> None:
    """Somebody's tool that holds the file: the commit fails, the journal refuses, and after a reopen it is whole."""
    journal = open_journal()
    with closing(sqlite3.connect(path, isolation_level=None)) as tool:
        tool.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalWriteFailed, match="locked"):
            journal.append([event(1)], now)
        tool.execute("ROLLBACK")
    with pytest.raises(JournalWriteFailed, match="locked"):
        journal.append([event(1)], now)
    journal.close()
    reopened = open_journal()
    assert reopened.heads()[INPUT] == 0
    assert reopened.append([event(1)], now)
    assert verify(path).ok


def test_closing_twice_is_closing_once(journal: Journal, event: Event, now: Stamp) -> None:
    """And a closed journal says so when it is written to."""
    journal.close()
    journal.close()
    with pytest.raises(JournalWriteFailed, match="closed"):
        journal.append([event(1)], now)
