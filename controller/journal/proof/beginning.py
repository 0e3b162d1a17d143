"""Proves where a live file begins: with the first record, or after a day that the record says was pruned.

A chain that begins late breaks nowhere. So a late beginning needs two records: `record_day_closed`, whose
statement names the heads that the file begins after, and `record_pruned`, which says that the days up to there
left the file.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from controller.journal.archive.boundary import Boundary, BoundaryUnreadable, read_boundary
from controller.journal.archive.segment import peek
from controller.journal.archive.shelf import all_in, beside
from controller.journal.disk.file import Anchor, Description, connect_readonly, examine, read_anchors
from controller.journal.errors import JournalError
from controller.journal.proof.checkpoint import Statement, proved_statement
from controller.journal.proof.keys import PublicKey
from controller.journal.record import Stream
from controller.journal.seal import Head
from controller.table.words.inputs import CheckpointSigned, RecordDayClosed, RecordPruned
from drivers.protocol.records import dataclass

_CLOSING = """SELECT b.data FROM diag AS r JOIN body AS b ON b.ord = r.ord
 WHERE r.kind = ? AND r.sequence > ? ORDER BY r.sequence LIMIT 1"""
_NEWEST_FIRST = """SELECT r.ord, b.data FROM diag AS r JOIN body AS b ON b.ord = r.ord
 WHERE r.kind = ? AND r.sequence > ? ORDER BY r.sequence DESC"""


@dataclass(frozen=True, slots=True)
class Late:
    """A beginning that is not the first record. `closed`: the newest day before it, as signed; `said_at`: order of
    its `record_pruned`."""

    closed: Boundary
    text: str
    signature: str
    said_at: int

    def unsigned(self, keys: Sequence[PublicKey], through: int) -> str:
        """Returns which part of it no key has signed; "" = none. `through`: the order that proved checkpoints
        reach."""
        if self.said_at > through:
            return f"no checkpoint by {_ids(keys)} names record_pruned at order {self.said_at}, by which this file begins late"
        known = {key.id: key for key in keys}
        if self.closed.key in known and not self.closed.signed_by(self.text, self.signature, known):
            return f"key {self.closed.key} has not signed where {self.closed.day} ends"
        return ""


def beginning(
    db: sqlite3.Connection, path: Path, about: Description, anchors: Mapping[Stream, Anchor]
) -> tuple[Late | None, str]:
    """Returns the late beginning of a file, None where it begins with the first record; and what is wrong with it, "" = nothing.

    Raises `READ_ERRORS`.
    """
    before = about.order_before
    if sum(anchor.sequence for anchor in anchors.values()) != before:
        return None, f"it says that it begins behind order {before}, and its streams begin elsewhere"
    if not before:
        return None, ""
    after = anchors[Stream.DIAG].sequence
    row = db.execute(_CLOSING, (RecordDayClosed.kind, after)).fetchone()
    try:
        told = msgspec.json.decode(row[0], type=RecordDayClosed) if row else None
        closed = read_boundary(told.statement) if told else None
        pruned = [
            order
            for order, data in db.execute(_NEWEST_FIRST, (RecordPruned.kind, after))
            if msgspec.json.decode(data, type=RecordPruned).through == before
        ]
    except (msgspec.MsgspecError, BoundaryUnreadable, RecursionError) as exc:
        return None, f"where it begins cannot be read: {exc}"
    begin = {stream: Head(anchor.sequence, anchor.recordhash) for stream, anchor in anchors.items()}
    if closed is None or told is None or (closed.journal, dict(closed.end.heads)) != (about.id, begin):
        return None, f"the records through order {before} are not in it, and no day was closed there"
    if not pruned:
        return (
            None,
            f"the records through order {before} are not in it, and no record_pruned says that they left it",
        )
    return Late(closed, told.statement, told.signature, pruned[0]), _other_segment(path, about, begin)


def unsigned_beginning(path: Path, keys: Sequence[PublicKey]) -> str:
    """Returns in words what no key has signed of the beginning of a live file, or what else is wrong with it; "" = nothing.

    It reads no more than the records that speak of it and the newest checkpoint by one of these keys. Raises `JournalDamaged`,
    `READ_ERRORS`, `OSError`.
    """
    with closing(connect_readonly(path)) as db:
        about = examine(db, path)
        late, wrong = beginning(db, path, about, read_anchors(db))
        if wrong or late is None:
            return wrong
        return late.unsigned(keys, max((s.order for s in _signed(db, keys)), default=0))


def _signed(db: sqlite3.Connection, keys: Sequence[PublicKey]) -> Iterator[Statement]:
    """Returns the newest checkpoint that one of these keys signed."""
    for _, data in db.execute(_NEWEST_FIRST, (CheckpointSigned.kind, 0)):
        try:
            told = msgspec.json.decode(data, type=CheckpointSigned)
        except msgspec.MsgspecError:
            continue
        if statement := proved_statement(told.statement, told.signature, keys):
            yield statement
            return


def _other_segment(path: Path, about: Description, begin: Mapping[Stream, Head]) -> str:
    """Compares the heads with those of the segment beside the file that ends there."""
    for named in all_in(beside(path.resolve(), about.id)):
        if named.last == about.order_before:
            try:
                if dict(peek(named.path).end.heads) != begin:
                    return f"it does not begin where {named.path.name} ends"
            except JournalError as exc:
                return str(exc)
    return ""


def _ids(keys: Sequence[PublicKey]) -> str:
    return ", ".join(key.id for key in keys)
