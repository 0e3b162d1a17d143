"""Proves a journal from outside: computes every hash anew, and names each record that was changed.

A chain alone cannot show that its end was cut off in all streams, or that it was rewritten as a whole. A head that
somebody else holds shows the first, a signature the second.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.journal.archive.sums import with_sum
from controller.journal.chain import data_hash, genesis_hash, header_bytes, record_hash
from controller.journal.disk.file import (
    LOG,
    QUICK_CHECK_BYTES,
    READ_ERRORS,
    SCHEMA_SQL,
    SEEN_SQL,
    Anchor,
    Description,
    connect_readonly,
    examine,
    lacks_log,
    quick_check,
    read_anchors,
)
from controller.journal.errors import JournalDamaged, JournalMissing
from controller.journal.proof.beginning import Late, beginning
from controller.journal.proof.findings import Cause, Fault, Findings, Report
from controller.journal.proof.key_check import KeyCheck
from controller.journal.proof.keys import PublicKey
from controller.journal.proof.runs import Run, Runs
from controller.journal.proof.unreadable import last_unreadable
from controller.journal.proof.witness import Checkpoint, HeadKept, prove_checkpoints, prove_heads
from controller.journal.record import Stream
from controller.journal.seal import Head
from controller.journal.vault.sealing import CLEAR
from controller.journal.view import BATCH, MASK_64, SELECT, Progress
from controller.table.words.codec import IDENTITIES
from controller.table.words.inputs import CardsErased, CheckpointSigned

TAIL = 64
"""Records of each stream that are proved at open: what a crash or a stray write most likely hit."""
Row = tuple[Any, ...]
"""Told now and then: how many records were proved, of how many."""


def verify(
    path: Path,
    *,
    keys: Sequence[PublicKey] = (),
    against: Sequence[HeadKept] = (),
    progress: Progress | None = None,
) -> Report:
    """Proves a journal, live or at rest, without writing to it.

    `keys`: by which the checkpoints are to be signed; none = signatures are not looked at. `against`: heads that somebody
    else holds. Raises `JournalMissing`, `JournalForeign`, `JournalNewer`, `JournalOlder`: those are not damage. All damage
    is in the report.
    """
    if not path.exists():
        raise JournalMissing(path)
    try:
        with closing(connect_readonly(path)) as db:
            report = _proved(db, path, keys, against, progress)
    except (JournalDamaged, *READ_ERRORS) as exc:
        detail = exc.found if isinstance(exc, JournalDamaged) else str(exc)
        report = Report(path, None, (Fault(Cause.FILE, None, None, None, detail),), {}, 0)
    return with_sum(report)


def _proved(
    db: sqlite3.Connection,
    path: Path,
    keys: Sequence[PublicKey],
    against: Sequence[HeadKept],
    progress: Progress | None,
) -> Report:
    """Proves once more if a daemon pruned the file meanwhile."""
    while True:
        about = examine(db, path)
        report = _Proof(db, path, about).whole(keys, against, progress)
        if report.ok or examine(db, path).order_before == about.order_before:
            return report


def check_tail(db: sqlite3.Connection, path: Path, description: Description) -> dict[Stream, Anchor]:
    """The anchors, once the file and the newest records of each stream have proved right.

    Raises `JournalDamaged`, naming the first fault.
    """
    try:
        proof = _Proof(db, path, description)
        proof.tail()
    except READ_ERRORS as exc:
        raise JournalDamaged(path, str(exc)) from exc
    faults = proof.findings.all()
    if faults:
        more = f", and {len(faults) - 1} more faults" if len(faults) > 1 else ""
        raise JournalDamaged(path, f"{faults[0]}{more}")
    return proof.anchors


@dataclass(slots=True)
class _Place:
    """A position in the walk along a stream: hash and order of the last record, and the next number.

    `prevhash` None: nothing can be linked to it. `otherwise`: what it should have been, if that record was changed.
    """

    prevhash: bytes | None
    expected: int
    newest: int = 0
    otherwise: bytes | None = None


class _Proof:
    """One pass over one file. Findings go to `findings`; only what prevents the pass raises."""

    def __init__(self, db: sqlite3.Connection, path: Path, description: Description) -> None:
        self._db, self._path, self._about = db, path, description
        self.findings = Findings()
        self._runs = Runs(db, description.id)
        self._checkpoints: list[Checkpoint] = []
        self._proved = 0
        self._keys: KeyCheck | None = None  # at an open only the chain is looked at
        self.anchors = self._read_anchors()

    def whole(self, keys: Sequence[PublicKey], against: Sequence[HeadKept], progress: Progress | None) -> Report:
        self._check_pages()
        self._check_schema()
        late = self._check_beginning()
        self._keys = KeyCheck(self._db, self._about.schema)
        heads = self._heads()
        count = sum(heads[stream].sequence - self.anchors[stream].sequence for stream in Stream)
        for stream, head in heads.items():
            for _ in self.walk(stream, self.anchors[stream].sequence, head.sequence):
                if progress is not None:
                    progress(self._proved, count)
        if unsaid := self._keys.unsaid():
            self.findings.add(Cause.KEY, detail=unsaid)
        unheld = prove_heads(against, self._path, self._about, heads, self._hash_or_none, self.findings)
        begins = {stream: Head(anchor.sequence, anchor.recordhash) for stream, anchor in self.anchors.items()}
        seals = prove_checkpoints(self._checkpoints, self._about, keys, begins, self._hash_or_none, self.findings)
        if keys and not seals.found:
            self.findings.add(Cause.CHECKPOINT, detail="nothing in it was ever signed")
        if late and keys and (unsigned := late.unsigned(keys, seals.through if seals.proved else 0)):
            self.findings.add(Cause.ANCHOR, detail=unsigned)
        order, pruned = self._about.order_before + count, late.closed.day if late else ""
        found = self.findings.all()
        log = f"{self._path.name}{LOG}" if lacks_log(self._db, self._path) else ""
        return Report(self._path, self._about.id, found, heads, count, order, seals, unheld, pruned, log)

    def tail(self) -> None:
        if self._path.stat().st_size <= QUICK_CHECK_BYTES:
            self._check_pages()
        self._check_schema()
        self._check_beginning()
        for stream, head in self._heads(all_orders=False).items():
            begin = max(self.anchors[stream].sequence, head.sequence - TAIL)
            for _ in self.walk(stream, begin, head.sequence):
                pass

    def _read_anchors(self) -> dict[Stream, Anchor]:
        about = self._about
        try:
            anchors = read_anchors(self._db)
        except ValueError as exc:
            raise JournalDamaged(self._path, f"where the streams begin cannot be read: {exc}") from exc
        for stream in Stream:
            if stream not in anchors:
                raise JournalDamaged(self._path, f"it does not say where stream {stream} begins")
            genesis = genesis_hash(about.id, about.site, about.table, about.created_us, stream)
            if anchors[stream].sequence == 0 and anchors[stream].recordhash != genesis:
                detail = "the first record does not follow from the description of the journal"
                self.findings.add(Cause.ANCHOR, stream, 0, detail=detail)
        return anchors

    def _check_beginning(self) -> Late | None:
        try:
            late, wrong = beginning(self._db, self._path, self._about, self.anchors)
        except READ_ERRORS as exc:
            late, wrong = None, f"where it begins cannot be read: {exc}"
        if wrong:
            self.findings.add(Cause.ANCHOR, detail=wrong)
        return late

    def _check_pages(self) -> None:
        try:
            for found in quick_check(self._db):
                self.findings.add(Cause.FILE, detail=found)
        except READ_ERRORS as exc:
            self.findings.add(Cause.FILE, detail=str(exc))

    def _check_schema(self) -> None:
        rows = self._db.execute(
            "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'prime'"
        ).fetchall()
        there, wanted = {sql for _, sql in rows if sql != SEEN_SQL}, set(SCHEMA_SQL[self._about.schema])
        for statement in sorted(wanted - there):
            self.findings.add(Cause.SCHEMA, detail=f"not there: {' '.join(statement.split()[:3])}")
        for name in sorted(name for name, sql in rows if sql not in (*wanted, SEEN_SQL)):
            self.findings.add(Cause.SCHEMA, detail=f"not of a journal: {name}")

    def _heads(self, *, all_orders: bool = True) -> dict[Stream, Head]:
        """Returns the newest record of each stream, after checking the order over all, at one instant."""
        self._db.execute("BEGIN")
        heads = {stream: self._head(stream) for stream in Stream}
        try:
            if all_orders:
                self._check_orders(sum(heads[s].sequence - self.anchors[s].sequence for s in Stream))
        except READ_ERRORS as exc:
            self.findings.add(Cause.ORDER, detail=f"cannot be read: {exc}")
        finally:
            self._db.rollback()  # nothing was written, and a commit may fail again on a page that could not be read
        return heads

    def _head(self, stream: Stream) -> Head:
        sql = f"SELECT sequence, recordhash FROM {stream.value} ORDER BY sequence DESC LIMIT 1"  # noqa: S608
        try:
            row = self._db.execute(sql).fetchone()
        except READ_ERRORS:
            row = self._last_readable(stream)
            after = row[0] if row else self.anchors[stream].sequence
            self.findings.add(Cause.UNREADABLE, stream, after + 1, detail="from here to its end")
        return Head(*row) if row else Head(self.anchors[stream].sequence, self.anchors[stream].recordhash)

    def _last_readable(self, stream: Stream) -> tuple[int, bytes] | None:
        found, after = None, self.anchors[stream].sequence
        sql = f"SELECT sequence, recordhash FROM {stream.value} WHERE sequence = ?"  # noqa: S608
        while True:
            try:
                row = self._db.execute(sql, (after + 1,)).fetchone()
            except READ_ERRORS:
                return found
            if row is None:
                return found
            found, after = row, after + 1

    def _check_orders(self, records: int) -> None:
        before = self._about.order_before
        # What was pruned and is not yet removed lies before the beginning; it is no part of this file any more.
        bodies = self._db.execute(
            "SELECT count(*), min(ord), max(ord) FROM body WHERE ord > ?", (before,)
        ).fetchone()
        if bodies == ((records, before + 1, before + records) if records else (0, None, None)):
            return
        for previous, order in self._db.execute(_HOLES, (before, before)):
            self.findings.add(Cause.ORDER, None, previous + 1, order - 1, "no record has this place")
        for (order,) in self._db.execute(_ORPHANS, (before,)):
            self.findings.add(Cause.ORDER, None, order, detail="the record that had this place is gone")

    def walk(self, stream: Stream, after: int, through: int) -> Iterator[None]:
        """Proves the records after `after` up to `through`; yields after each batch."""
        at = _Place(self._hash_at(stream, after), after + 1)
        while after < through:
            run = self._sound(stream, after, min(after + BATCH, through), at)
            if run is not None:
                count = min(BATCH, through - after)
                after += count
                at = _Place(run.recordhash, after + 1, run.order)
                for row in run.looked_at:
                    self._take_checkpoint(stream, row)
                    self._check_key(stream, row)
            else:
                rows, after = self._batch(stream, after, through)
                count = len(rows)
                for row in rows:
                    self._prove_at(stream, row, at)
                if len(rows) == BATCH and all(len(row) == 1 for row in rows):
                    after = self._beyond_unreadable(stream, after, through, at)
            self._proved += count
            yield
        if at.expected <= through:
            self.findings.add(Cause.MISSING, stream, at.expected, through)

    def _sound(self, stream: Stream, after: int, through: int, at: _Place) -> Run | None:
        if at.prevhash is None or at.expected != after + 1:
            return None  # behind a hole
        return self._runs.sound(stream, after, through, at.prevhash, at.newest)

    def _prove_at(self, stream: Stream, row: Row, at: _Place) -> None:
        sequence, add = row[0], self.findings.add
        if sequence != at.expected:
            add(Cause.MISSING, stream, at.expected, sequence - 1)
            at.prevhash = at.otherwise = None  # what follows a hole cannot be linked, only its own body be proved
        at.expected = sequence + 1
        if len(row) == 1:
            add(Cause.UNREADABLE, stream, sequence)
            at.prevhash = at.otherwise = None
            return
        try:
            self._prove(stream, row, at)
        except (TypeError, UnicodeError):  # a column is not even of its type
            add(Cause.CHANGED, stream, sequence)
            at.prevhash = at.otherwise = None

    def _prove(self, stream: Stream, row: Row, at: _Place) -> None:
        """Proves one record against the hash before it."""
        sequence, add = row[0], self.findings.add
        origin = None if row[16] is None else (row[16], row[17], row[18] & MASK_64)
        header = header_bytes(self._about.id, stream.value, sequence, row[15], row[1:11], origin)
        data, recordhash, datahash, salt, order = row[11:16]
        self._take_checkpoint(stream, row)
        if data is None:
            add(Cause.BODY_MISSING, stream, sequence)
        elif data_hash(salt, data) != datahash:
            add(Cause.BODY_CHANGED, stream, sequence)
        else:
            self._check_key(stream, row)
        if order <= at.newest:
            add(Cause.ORDER, stream, sequence, detail="not later than the record before it")
        at.newest = order
        computed = None if at.prevhash is None else record_hash(at.prevhash, header, datahash)
        # Only the stored hash of the record before may have been changed: then this one follows from the true one.
        is_linked = computed in (None, recordhash) or (
            at.otherwise is not None and record_hash(at.otherwise, header, datahash) == recordhash
        )
        if not is_linked:
            add(Cause.CHANGED, stream, sequence)
        at.prevhash, at.otherwise = recordhash, None if is_linked else computed

    def _take_checkpoint(self, stream: Stream, row: Row) -> None:
        if row[1] == CheckpointSigned.kind and stream is Stream.DIAG:
            self._checkpoints.append(Checkpoint(row[0], row[15], row[11]))

    def _check_key(self, stream: Stream, row: Row) -> None:
        if self._keys is None:
            return
        sequence, kind, version, _, round_id = row[:5]
        found = ""
        if kind == CardsErased.kind and stream is not Stream.INPUT:
            found = self._keys.erased(row[11])
        elif kind in IDENTITIES and version in CLEAR:
            found = self._keys.look(f"{stream.value}/{sequence}", round_id or "", row[11])
        if found:
            self.findings.add(Cause.KEY, stream, sequence, detail=found)

    def _hash_at(self, stream: Stream, sequence: int) -> bytes | None:
        if sequence == self.anchors[stream].sequence:
            return self.anchors[stream].recordhash
        sql = f"SELECT recordhash FROM {stream.value} WHERE sequence = ?"  # noqa: S608
        row = self._db.execute(sql, (sequence,)).fetchone()
        return row[0] if row else None

    def _hash_or_none(self, stream: Stream, sequence: int) -> bytes | None:
        try:
            return self._hash_at(stream, sequence)
        except READ_ERRORS:
            return None

    def _batch(self, stream: Stream, after: int, through: int) -> tuple[list[Row], int]:
        """Returns the next rows in sequence and how far they reach; an unreadable row is its bare number."""
        try:
            rows = self._db.execute(SELECT[stream], (after, through, BATCH)).fetchall()
        except READ_ERRORS:
            end = min(through, after + BATCH)
            return [row for n in range(after + 1, end + 1) if (row := self._row(stream, n)) is not None], end
        return rows, rows[-1][0] if rows else through

    def _beyond_unreadable(self, stream: Stream, after: int, through: int, at: _Place) -> int:
        """Returns where to continue after an unreadable batch, so that a wrong number costs no long walk."""
        last = last_unreadable(lambda sequence: len(self._row(stream, sequence) or ()) == 1, after, through)
        if last > after:
            self.findings.add(Cause.UNREADABLE, stream, after + 1, last)
            at.expected = last + 1
        return last

    def _row(self, stream: Stream, sequence: int) -> Row | None:
        try:
            row: Row | None = self._db.execute(SELECT[stream], (sequence - 1, sequence, 1)).fetchone()
        except READ_ERRORS:
            return (sequence,)
        return row


_HOLES = """SELECT before, ord FROM (SELECT ord, lag(ord, 1, ?) OVER (ORDER BY ord) AS before FROM body WHERE ord > ?)
WHERE ord <> before + 1"""
_ORPHANS = """SELECT ord FROM body WHERE ord > ? AND ord NOT IN (
 SELECT ord FROM input UNION ALL SELECT ord FROM main UNION ALL SELECT ord FROM diag) ORDER BY ord"""
