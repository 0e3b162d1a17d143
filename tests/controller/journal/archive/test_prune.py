"""What is pruned from the live file is still read, still known, and no longer takes its room."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from controller.clock import ManualClock
from controller.journal.archive import prune
from controller.journal.archive.boundary import Boundary, Mark
from controller.journal.archive.keep import seal_days
from controller.journal.archive.shelf import all_in, beside
from controller.journal.errors import JournalRepeat, JournalWriteFailed
from controller.journal.opening import opened, opened_alone
from controller.journal.proof.verify import verify
from controller.journal.proof.verify_segments import verify_days
from controller.journal.record import Draft, Record, Stream, Transaction
from controller.journal.seal import Head
from controller.journal.store import Journal
from tests.controller.journal.conftest import BOOT, SERIAL, SITE, TABLE
from tests.support.closed_days import close_day, mark, say_pruned

Event = Callable[..., Transaction]
HIGH = (1 << 64) - 5


@pytest.fixture
def days(journal: Journal, event: Event, clock: ManualClock) -> list[Boundary]:
    """Three closed days of 20 events each, sealed, and a few events more; the device started anew in the second."""
    closed, begin = [], mark(journal)
    for n, day in enumerate(("2026-01-01", "2026-01-02", "2026-01-03")):
        for counter in range(1, 21):
            boot = BOOT if n == 0 else f"{n:016x}"
            journal.append(
                [event(counter + (HIGH - 20 if n == 0 else 0), Stream.MAIN, Stream.DIAG, boot=boot)], clock.stamp()
            )
        closed.append(close_day(journal, day, begin, clock))
        begin = closed[-1].end
    journal.append([event(21, boot="0000000000000002")], clock.stamp())
    say_pruned(journal, closed, clock)
    seal_days(journal.path)
    return closed


def pruned(journal: Journal, end: Mark) -> None:
    journal.prune(end)
    while journal.remove_some():
        pass


def whole(path: Path) -> list[Record]:
    with opened(path) as view:
        return list(view.merged(Stream))


def test_every_reader_reads_what_was_pruned_as_before(journal: Journal, days: list[Boundary]) -> None:
    """In order, by number, backwards, in brief, the newest of them; from the first record on."""

    def read() -> list[object]:
        with opened(journal.path) as view:
            heads = view.last()[0]
            return [
                list(view.merged(Stream)),
                list(view.merged([Stream.MAIN], {Stream.MAIN: 7})),
                [journal.read(s, after, 3) for s in Stream for after in (0, 11, 18, 19, 30, heads[s].sequence)],
                list(view.backwards(Stream.DIAG, ["stub_counted"])),
                list(view.backwards(Stream.DIAG, ["record_day_closed"], before=25)),
                [list(view.briefly(Stream.MAIN, 5, through)) for through in (6, 19, 33, heads[Stream.MAIN].sequence)],
                [view.before_last(Stream, n) for n in (None, 0, 5, 50, 150, 10_000)],
                view.last(),
            ]  # fmt: skip

    before = read()
    for day in days:
        pruned(journal, day.end)
        assert read() == before
        with opened_alone(journal.path) as view:
            assert next(view.merged(Stream)).order == day.order + 1
        assert verify(journal.path).ok
    assert all(r.ok for r in verify_days(all_in(beside(journal.path, journal.id)), journal.path))


def test_a_segment_that_is_away_or_damaged_is_no_damage_of_the_live_file(
    journal: Journal, days: list[Boundary], event: Event, clock: ManualClock, open_journal: Callable[..., Journal]
) -> None:
    """A reader that asks for a record of it gets none, and the table plays on."""
    journal.prune(days[0].end)
    journal.close()
    journal = open_journal()  # which remembers nothing
    (named, *_) = all_in(beside(journal.path, journal.id))
    assert [r.sequence for r in journal.read(Stream.MAIN, 4, 2)] == [5, 6]
    named.path.write_bytes(named.path.read_bytes()[:-1] + b"?")
    assert journal.read(Stream.MAIN, 4, 2) == []
    named.path.unlink()
    assert journal.read(Stream.MAIN, 4, 2) == []
    assert journal.append([event(99, boot="0000000000000003")], clock.stamp())


def test_what_a_device_said_is_known_for_ever(
    journal: Journal, days: list[Boundary], event: Event, clock: ManualClock, open_journal: Callable[..., Journal]
) -> None:
    """A repeat of a pruned report is a repeat, by counters that SQLite holds as negative numbers too."""
    known = [(SERIAL, BOOT, HIGH - 1), (SERIAL, BOOT, HIGH), (SERIAL, f"{1:016x}", 20), (SERIAL, f"{2:016x}", 21)]
    new = [(SERIAL, BOOT, HIGH + 1), (SERIAL, f"{1:016x}", 21), (SERIAL, f"{9:016x}", 1), ("SHOE-1", BOOT, 1)]
    for day in days:
        pruned(journal, day.end)
        assert [journal.has(*origin) for origin in known] == [True] * 4
        assert [journal.has(*origin) for origin in new] == [False] * 4
        assert journal.last_of(SERIAL) == (f"{2:016x}", 21)
    with pytest.raises(JournalRepeat):
        journal.append([event(21, boot="0000000000000002")], clock.stamp())
    last = close_day(journal, "2026-01-04", days[-1].end, clock)
    say_pruned(journal, [last], clock)
    pruned(journal, last.end)
    assert journal.last_of(SERIAL) == (f"{2:016x}", 21)
    assert journal.has(SERIAL, f"{2:016x}", 21)
    journal.close()
    assert open_journal().last_of(SERIAL) == (f"{2:016x}", 21)


@pytest.mark.parametrize("steps", range(4))
def test_a_prune_that_is_cut_off_leaves_a_whole_record_and_is_gone_on_with(
    steps: int,
    journal: Journal,
    days: list[Boundary],
    open_journal: Callable[..., Journal],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever rows are left: the chain begins where it says, nothing is there twice, and the next start goes on."""
    monkeypatch.setattr(prune, "ROWS", 13)
    before = whole(journal.path)
    journal.prune(days[1].end)
    for _ in range(steps):
        assert journal.remove_some()
    journal.close()
    assert verify(journal.path).ok
    assert whole(journal.path) == before
    again = open_journal()
    while again.remove_some():
        pass
    with closing(sqlite3.connect(journal.path)) as db:
        left = db.execute("SELECT min(ord), count(*) FROM body").fetchone()
    assert left == (days[1].order + 1, len(before) - days[1].order)
    assert whole(journal.path) == before


def test_a_cut_in_the_middle_of_the_record_is_refused_and_changes_nothing(
    journal: Journal, days: list[Boundary]
) -> None:
    """The place must be one of this record; the journal stays usable."""
    end = days[0].end
    for wrong in (
        Mark({**end.heads, Stream.MAIN: Head(end.heads[Stream.MAIN].sequence, bytes(32))}, end.order),
        Mark({**end.heads, Stream.MAIN: Head(10_000, bytes(32))}, end.order),
    ):
        with pytest.raises(ValueError, match="is not the record that was to be the last one"):
            journal.prune(wrong)
    pruned(journal, days[1].end)
    with pytest.raises(ValueError, match="is not the record"):
        journal.prune(days[0].end)
    assert verify(journal.path).ok
    assert journal.next_session() == 1
    journal.refuse("the disk is gone")
    with pytest.raises(JournalWriteFailed):
        journal.prune(days[2].end)


def test_no_program_ever_finds_the_record_without_its_guards(journal: Journal, days: list[Boundary]) -> None:
    """They are back with the same commit; the rows that are left can neither be changed nor deleted."""
    journal.prune(days[0].end)
    journal.remove_some()
    with closing(sqlite3.connect(journal.path)) as db:
        for statement in (
            "DELETE FROM main",
            "UPDATE anchor SET sequence = 0",
            "DELETE FROM body",
            "UPDATE journal SET id = 'x'",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(statement)


def test_the_room_of_what_was_pruned_is_given_back(
    journal: Journal, event: Event, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file becomes smaller, in small steps; a file of an earlier release, which cannot, is used again instead."""
    monkeypatch.setattr(prune, "RESERVE_PAGES", 16)
    monkeypatch.setattr(prune, "ROWS", 400)
    big = b'{"a":"' + b"x" * 3000 + b'"}'
    for first in range(1, 2001, 100):
        group = []
        for n in range(first, first + 100):
            draft = event(n)
            fact = Draft(Stream.MAIN, "x", 1, "shoe-1", None, big)
            group.append(Transaction(draft.at, draft.input, draft.unique, (fact,)))
        journal.append(group, clock.stamp())
    day = close_day(journal, "2026-01-01", Mark(journal.begins, 0), clock)
    say_pruned(journal, [day], clock)
    end = day.end
    journal.append([event(2001)], clock.stamp())

    def pages() -> int:
        with closing(sqlite3.connect(journal.path)) as db:
            count: int = db.execute("PRAGMA page_count").fetchone()[0]
            return count

    before, steps = pages(), 1
    journal.prune(end)
    while journal.remove_some():
        steps += 1
    assert before > 1500
    assert steps < 25, "some hundred rows or pages at a time, not one"
    assert pages() < 200
    assert verify(journal.path).ok


class Pruning(RuleBasedStateMachine):
    """Any order of play, closed days, seals, prunes that are cut off, and starts, against a plain list of records."""

    place: Path

    @initialize()
    def begin(self) -> None:
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        self.path, self.clock = Path(self.folder.name) / "j", ManualClock()
        self.journal = Journal.open(self.path, site=SITE, table=TABLE)
        self.records: list[Record] = []
        self.begin_mark, self.days, self.counter = mark(self.journal), [], 0
        self.pruned_days = 0

    @rule(n=st.integers(1, 6), both=st.booleans())
    def play(self, n: int, both: bool) -> None:
        group = []
        for _ in range(n):
            self.counter += 1
            facts = [
                Draft(s, "stub_counted", 1, "shoe-1", None, b"{}")
                for s in ((Stream.MAIN, Stream.DIAG) if both else ())
            ]
            said = Draft(Stream.INPUT, "device_report", 1, "shoe-1", None, b'{"n":%d}' % self.counter)
            group.append(Transaction(self.clock.stamp(), said, (SERIAL, BOOT, self.counter), tuple(facts)))
        self.records += self.journal.append(group, self.clock.stamp())

    @precondition(lambda self: self.journal.order > self.begin_mark.order)
    @rule()
    def close(self) -> None:
        day = f"2026-01-{len(self.days) % 28 + 1:02d}"
        self.days.append(close_day(self.journal, day, self.begin_mark, self.clock))
        self.begin_mark = self.days[-1].end
        with opened(self.path) as view:
            self.records = list(view.merged(Stream))

    @rule()
    def seal(self) -> None:
        seal_days(self.path)

    @precondition(lambda self: self.days[self.pruned_days :])
    @rule()
    def prune(self) -> None:
        seal_days(self.path)
        say_pruned(self.journal, [self.days[self.pruned_days]], self.clock)
        self.records = whole(self.path)
        self.journal.prune(self.days[self.pruned_days].end)
        self.pruned_days += 1

    @rule()
    def remove(self) -> None:
        self.journal.remove_some()

    @rule()
    def start_anew(self) -> None:
        self.journal.close()
        self.journal = Journal.open(self.path, site=SITE, table=TABLE)

    @invariant()
    def everything_is_there(self) -> None:
        if not hasattr(self, "journal"):
            return
        assert whole(self.path) == self.records
        assert verify(self.path).ok
        assert self.journal.last_of(SERIAL) == ((BOOT, self.counter) if self.counter else None)
        assert all(self.journal.has(SERIAL, BOOT, n) for n in range(1, self.counter + 1))

    def teardown(self) -> None:
        if hasattr(self, "journal"):
            self.journal.close()
            self.folder.cleanup()


Pruning.TestCase.settings = settings(
    max_examples=10, stateful_step_count=12, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestPruning = Pruning.TestCase


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a prune takes several."""
    monkeypatch.setattr(prune, "ROWS", 50)
