"""Closed days in a journal of a test, as a daemon puts them on record."""

from controller.clock import ManualClock
from controller.journal.archive.boundary import Boundary, Mark, closed_day, read_boundary
from controller.journal.proof.keys import SigningKey
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal
from controller.table.words.codec import encode, encode_input
from controller.table.words.inputs import (
    CheckpointSigned,
    Input,
    Moment,
    RecordDayClosed,
    RecordPruned,
    SegmentCopied,
    ServiceStarted,
)

Told = CheckpointSigned | RecordDayClosed | RecordPruned | SegmentCopied
STARTED = ServiceStarted("0.1.0", "md-uth", "2026", "0" * 64)


def mark(journal: Journal) -> Mark:
    heads, order = journal.last()
    return Mark(dict(heads), order)


def close_day(
    journal: Journal, day: str, begin: Mark, clock: ManualClock, key: SigningKey | None = None
) -> Boundary:
    """Puts on record that the day which began at `begin` ends here."""
    text, signature = closed_day(key, journal.description, day, begin, mark(journal), clock.stamp())
    note(journal, RecordDayClosed(day, STARTED, ("{}",), text, signature), clock)
    return read_boundary(text)


def say_pruned(journal: Journal, days: list[Boundary], clock: ManualClock) -> None:
    """Puts on record of each day that it is about to leave the live file."""
    for day in days:
        note(journal, RecordPruned(day.order, day.file_name), clock)


def note(journal: Journal, event: Told, clock: ManualClock) -> None:
    at = clock.stamp()
    given = Input(Moment(at.wall_us, at.mono_ns, at.boot, at.clock), "table", event)
    said = Draft(Stream.INPUT, event.kind, 1, "table", None, encode_input(given))
    fact = Draft(Stream.DIAG, event.kind, 1, "table", None, encode(event))
    journal.append([Transaction(at, said, None, (fact,))], at)
