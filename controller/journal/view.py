"""The reading side of a journal file: records by stream and number, heads, and known devices. Never writes."""

import heapq
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from controller.journal.disk.file import READ_ERRORS, SEEN, Anchor, Description, examine, read_anchors
from controller.journal.errors import JournalDamaged
from controller.journal.record import Position, Record, Stream
from controller.journal.seal import Head, signed
from controller.journal.vault.vault import KeyRow, Unsealer
from controller.journal.vault.vault_keys import VaultKeys
from controller.table.words.inputs import RecordDayClosed

Row = tuple[Any, ...]
Progress = Callable[[int, int], None]
"""Receives now and then how many records are done, and of how many."""
BATCH = 400
"""Rows read at once: no statement stays open between batches, so a slow reader never holds the writer's log back."""
MAX_SEQUENCE = (1 << 63) - 1
MASK_64 = (1 << 64) - 1
"""Turns the signed number that SQLite holds back into a device's u64 counter."""

_COLUMNS = (
    "r.sequence, r.kind, r.version, r.subject, r.round, r.cause, r.time_us, r.recorded_us, r.mono_ns, r.boot, "
    "r.clock, b.data, r.recordhash, r.datahash, b.salt, r.ord"
)


def _select(stream: Stream) -> str:
    origin = "r.serial, r.device_boot, r.counter" if stream is Stream.INPUT else "NULL, NULL, NULL"
    return (
        f"SELECT {_COLUMNS}, {origin} FROM {stream.value} AS r LEFT JOIN body AS b ON b.ord = r.ord "  # noqa: S608
        "WHERE r.sequence > ? AND r.sequence <= ? ORDER BY r.sequence LIMIT ?"
    )


SELECT = {stream: _select(stream) for stream in Stream}
"""Rows of a stream after ?, through ?, at most ?: number, header columns, body and hashes, order, origin."""

# Walks from boot to boot of one device along the index, so the cost is that of its boots and not of its events.
_LAST_OF = """
WITH RECURSIVE seen(boot) AS (
  SELECT min(device_boot) FROM input WHERE serial = :serial
  UNION ALL
  SELECT (SELECT min(device_boot) FROM input WHERE serial = :serial AND device_boot > seen.boot)
  FROM seen WHERE seen.boot IS NOT NULL
), newest(boot, counter) AS (
  SELECT boot, (SELECT max(counter) FROM input WHERE serial = :serial AND device_boot = seen.boot)
  FROM seen WHERE boot IS NOT NULL
)
SELECT boot, counter FROM newest ORDER BY (
  SELECT sequence FROM input WHERE serial = :serial AND device_boot = newest.boot AND counter = newest.counter
) DESC LIMIT 1
"""
_HEADS = " UNION ALL ".join(
    f"SELECT '{stream.value}', * FROM (SELECT sequence, recordhash, ord FROM {stream.value} "  # noqa: S608
    "ORDER BY sequence DESC LIMIT 1)"
    for stream in Stream
)


_BRIEF = (
    "SELECT r.sequence, r.kind, r.version, r.subject, r.round, r.time_us, b.data FROM {stream} AS r "
    "LEFT JOIN body AS b ON b.ord = r.ord WHERE "
)

_BUNCH = (
    "SELECT count(*), count(b.data), group_concat(r.sequence), {names}, group_concat(ifnull(r.round, ''), char(10)), "
    "'[' || ifnull(group_concat(b.data), '') || ']' FROM {stream} AS r LEFT JOIN body AS b ON b.ord = r.ord "
    "WHERE r.sequence > ? AND r.sequence <= ? AND r.kind IN ({marks}) AND (b.data IS NULL OR instr(b.data, ?) > 0)"
)
BUNCH = 4000
"""Numbers that a bunch spans: one row of the database for them all, since each row costs more than what stands in it."""


_KEY_ROWS = "SELECT round, use, commitment, vault, made, wrapped, opened FROM round_key WHERE "
_MADE = """SELECT made FROM round_key WHERE made <= ? AND (wrapped IS NOT NULL OR opened IS NOT NULL)
 ORDER BY made LIMIT 1 OFFSET ?"""
_ANY_KEPT = (
    "SELECT 1 FROM round_key WHERE made BETWEEN ? AND ? AND (wrapped IS NOT NULL OR opened IS NOT NULL) LIMIT 1"
)
_SHUT = f"{_KEY_ROWS} wrapped IS NOT NULL AND opened IS NULL ORDER BY round"  # by the index over these


def quiet(done: int, of: int) -> None:
    """No-op progress callback."""


class Brief(NamedTuple):
    """A record without its hashes, for readers that skip most records."""

    sequence: int
    kind: str
    version: int
    subject: str
    round_id: str | None
    time_us: int
    data: bytes


class Bunch(NamedTuple):
    """Records of one stream in their order. `numbers`, `kinds`: with commas, `rounds`: with line ends between; `kinds`: None
    where only one was asked for. `bodies`: one JSON array."""

    numbers: str
    kinds: str | None
    rounds: str
    bodies: str


class JournalView:
    """Reads a journal through one connection. Every method may raise `JournalDamaged`.

    `told`: receives the progress of a reader of many records.
    """

    def __init__(
        self, db: sqlite3.Connection, path: Path, description: Description, anchors: dict[Stream, Anchor]
    ) -> None:
        self._db, self.path, self.description, self.anchors = db, path, description, anchors
        self.told: Progress = quiet

    def copy_to(self, target: Path) -> None:
        """Copies everything that was committed into an empty file at `target`, without free pages. Raises `sqlite3.Error`."""
        self._db.execute("VACUUM INTO ?", (str(target),))

    def last(self) -> tuple[dict[Stream, Head], int]:
        """Returns each stream's head and the newest order number, at one instant."""
        heads = {stream: Head(anchor.sequence, anchor.recordhash) for stream, anchor in self.anchors.items()}
        order = self.description.order_before
        for name, sequence, recordhash, place in self._query(_HEADS, ()):
            heads[Stream(name)] = Head(sequence, recordhash)
            order = max(order, place)
        return heads, order

    def read(self, stream: Stream, after: int, limit: int, through: int = MAX_SEQUENCE) -> list[Record]:
        """Returns at most `limit` records after `after` and up to `through`."""
        rows = self._query(SELECT[stream], (after, through, limit))
        return self._link(stream, rows) if rows else []

    def merged(self, streams: Iterable[Stream], after: Mapping[Stream, int] | None = None) -> Iterator[Record]:
        """Yields all present records of these streams in their order; `after`: numbers to begin after."""
        heads, last = self.last()
        begin = after or {}
        runs = [self._run(s, begin.get(s, self.anchors[s].sequence), heads[s].sequence, last) for s in streams]
        return heapq.merge(*runs, key=attrgetter("order"))

    def before_last(self, streams: Iterable[Stream], count: int | None) -> dict[Stream, int]:
        """Returns for each stream the number after which its last `count` records begin; None = all."""
        after = {stream: self.anchors[stream].sequence for stream in streams}
        if count is None:
            return after
        heads, _ = self.last()
        tails = {stream: max(after[stream], heads[stream].sequence - count) for stream in after}
        newest = list(self.merged(after, tails))
        kept = newest[len(newest) - count :] if count < len(newest) else newest
        first = {record.stream: record.sequence for record in reversed(kept)}
        return {stream: first.get(stream, heads[stream].sequence + 1) - 1 for stream in after}

    def backwards(
        self, stream: Stream, kinds: Sequence[str], before: int = MAX_SEQUENCE, after: int = 0
    ) -> Iterator[Brief]:
        """Yields records of these kinds, newest first, below `before` and above `after`."""
        marks = ", ".join("?" * len(kinds))
        wanted = f"r.sequence < ? AND r.sequence > ? AND r.kind IN ({marks}) ORDER BY r.sequence DESC LIMIT 1"
        sql = _BRIEF.format(stream=stream.value) + wanted
        least = max(after, self.anchors[stream].sequence)
        while rows := self._query(sql, (before, least, *kinds)):
            yield self._brief(stream, rows[0])
            before = rows[0][0]

    def order_before(self, time_us: int) -> int:
        """Returns the order of the newest record of MAIN before a time, by bisection; 0 = none."""
        low, high = self.anchors[Stream.MAIN].sequence, self.last()[0][Stream.MAIN].sequence
        order = self.description.order_before
        while low < high:
            middle = (low + high + 1) // 2
            (record,) = self.read(Stream.MAIN, middle - 1, 1)
            low, high = (middle, high) if record.time_us < time_us else (low, middle - 1)
            order = record.order if low == middle else order
        return order

    def of_round(self, stream: Stream, round_id: str, kinds: Sequence[str]) -> Iterator[Record]:
        """Yields a round's records of these kinds; reads the whole stream."""
        marks = ", ".join("?" * len(kinds))
        wanted = f"sequence > ? AND round = ? AND kind IN ({marks}) ORDER BY sequence"
        sql = f"SELECT sequence FROM {stream.value} WHERE {wanted}"  # noqa: S608
        for (sequence,) in self._query(sql, (self.anchors[stream].sequence, round_id, *kinds)):
            yield from self.read(stream, sequence - 1, 1)

    def closing(self, is_wanted: Callable[[Brief], bool]) -> Brief | None:
        """Returns the newest day's closing that is wanted; earlier closings must be wanted too."""
        return next(
            (brief for brief in self.backwards(Stream.DIAG, (RecordDayClosed.kind,)) if is_wanted(brief)), None
        )

    def briefly(self, stream: Stream, after: int, through: int) -> Iterator[Brief]:
        """Yields all records after `after` and up to `through`."""
        sql = _BRIEF.format(stream=stream.value) + "r.sequence > ? AND r.sequence <= ? ORDER BY r.sequence LIMIT ?"
        begin = after
        while after < through:
            rows = self._query(sql, (after, through, BATCH))
            if not rows:
                raise JournalDamaged(self.path, f"records {stream}/{after + 1} to {stream}/{through} are missing")
            for row in rows:
                yield self._brief(stream, row)
            after = rows[-1][0]
            self.told(after - begin, through - begin)

    def bunches(self, stream: Stream, kinds: Sequence[str], having: bytes = b"") -> Iterator[Bunch]:
        """Yields all records of these kinds with `having` in their body, in bunches."""
        begin, through = self.anchors[stream].sequence, self.last()[0][stream].sequence
        there = f"SELECT count(*) FROM {stream.value} WHERE sequence > ? AND sequence <= ?"  # noqa: S608
        if self._query(there, (begin, through))[0][0] != through - begin:
            where = f"{stream}/{begin + 1} to {stream}/{through}"
            raise JournalDamaged(self.path, f"of the records {where} some are missing")
        marks, names = ", ".join("?" * len(kinds)), "NULL" if len(kinds) == 1 else "group_concat(r.kind)"
        sql = _BUNCH.format(stream=stream.value, marks=marks, names=names)
        for first in range(begin, through, BUNCH):
            last = min(first + BUNCH, through)
            ((count, bodies, *columns),) = self._query(sql, (first, last, *kinds, having))
            if count != bodies:
                where = f"{stream}/{first + 1} to {stream}/{last}"
                raise JournalDamaged(self.path, f"a body of the records {where} is missing")
            numbers, named, rounds, data = columns
            yield Bunch(numbers or "", named, rounds or "", data)
            self.told(last - begin, through - begin)

    def _brief(self, stream: Stream, row: Row) -> Brief:
        if row[6] is None:
            raise JournalDamaged(self.path, f"the body of record {stream}/{row[0]} is missing")
        return Brief(*row)

    def has(self, serial: str, boot: str, counter: int) -> bool:
        """Returns True if this device report is on record, here or among pruned ones."""
        sql = "SELECT 1 FROM input WHERE serial = ? AND device_boot = ? AND counter = ?"
        if self._query(sql, (serial, boot, signed(counter))):
            return True
        seen = self._seen("SELECT counter FROM {} WHERE serial = ? AND boot = ?", serial, boot)
        return bool(seen) and counter <= seen[0][0] & MASK_64

    def last_of(self, serial: str) -> tuple[str, int] | None:
        """Returns boot and counter of a device's newest report on record, pruned ones included."""
        rows = self._query(_LAST_OF, {"serial": serial}) or self._seen(
            "SELECT boot, counter FROM {} WHERE serial = ? ORDER BY sequence DESC LIMIT 1", serial
        )
        return (rows[0][0], rows[0][1] & MASK_64) if rows else None

    def body_of(self, serial: str, boot: str, counter: int) -> bytes | None:
        """Returns a device report's body; None = it is not on record."""
        sql = (
            "SELECT b.data FROM input AS r JOIN body AS b ON b.ord = r.ord "
            "WHERE r.serial = ? AND r.device_boot = ? AND r.counter = ?"
        )
        rows = self._query(sql, (serial, boot, signed(counter)))
        return bytes(rows[0][0]) if rows else None

    def _seen(self, sql: str, *values: str) -> list[Row]:
        """Reads the table of devices' last pruned reports."""
        return self._query(sql.format(SEEN), values) if self.description.order_before else []

    def refresh(self) -> None:
        """Reads again where the file begins, after a prune. Raises what `examine` raises."""
        try:
            self.description, self.anchors = examine(self._db, self.path), read_anchors(self._db)
        except (*READ_ERRORS, ValueError) as exc:
            raise JournalDamaged(self.path, f"the beginning of the file cannot be read: {exc}") from exc

    def first_of(self, rounds: Sequence[str]) -> int | None:
        """Returns the order of the first record of any of these rounds; None = none. Reads all records."""
        marks = ", ".join("?" * len(rounds))
        each = (f"SELECT min(ord) FROM {s.value} WHERE sequence > ? AND round IN ({marks})" for s in Stream)  # noqa: S608
        found = [
            self._query(sql, (self.anchors[s].sequence, *rounds))[0][0]
            for s, sql in zip(Stream, each, strict=True)
        ]
        return min((order for order in found if order is not None), default=None)

    def input_body(self, sequence: int) -> bytes | None:
        """Returns an input's body; None = it is gone."""
        sql = "SELECT b.data FROM input AS r JOIN body AS b ON b.ord = r.ord WHERE r.sequence = ?"
        rows = self._query(sql, (sequence,))
        return bytes(rows[0][0]) if rows else None

    def positions(self) -> dict[tuple[str, str], Position]:
        """Returns durable positions by reader and stream."""
        rows = self._query("SELECT reader, stream, through, extra FROM position", ())
        return {(reader, stream): Position(through, extra) for reader, stream, through, extra in rows}

    def made_through(self, order: int, most: int) -> tuple[int, bool]:
        """Returns up to which order the oldest `most` unerased keys, at most up to `order`, were made, and whether
        more follow."""
        row = self._query(_MADE, (order, most)) if self.description.schema > 1 else []
        return (row[0][0], True) if row else (order, False)

    def unsealer(self, keys: VaultKeys | None = None) -> Unsealer:
        """Returns what opens this journal's sealed records, with `keys` and the open keys."""
        return Unsealer(self.path, self.description.id, lambda r: self.round_keys(r.round_id or ""), keys)

    def round_keys(self, round_id: str) -> list[KeyRow]:
        """Returns a round's keys; none in a journal made before keys existed."""
        if self.description.schema < 2:
            return []
        return [KeyRow(*row) for row in self._query(_KEY_ROWS + "round = ?", (round_id,))]

    def keys_made(self, first: int, last: int) -> list[KeyRow]:
        """Returns the keys made with records from `first` to `last`, erased ones too."""
        if self.description.schema < 2:
            return []
        return [
            KeyRow(*row) for row in self._query(_KEY_ROWS + "made BETWEEN ? AND ? ORDER BY made", (first, last))
        ]

    def has_keys(self, first: int, last: int) -> bool:
        """Returns True if one of those keys is not erased."""
        return self.description.schema > 1 and bool(self._query(_ANY_KEPT, (first, last)))

    def open_keys(self, round_id: str) -> dict[str, str]:
        """Returns commitment -> key (hex) of a round's keys that everybody may read."""
        return {row.commitment.hex(): row.opened.hex() for row in self.round_keys(round_id) if row.opened}

    def shut_keys(self) -> list[KeyRow]:
        """Returns the keys of all rounds that are neither opened nor erased."""
        return [KeyRow(*row) for row in self._query(_SHUT, ())] if self.description.schema > 1 else []

    def sealed_end(self) -> tuple[str, str] | None:
        """Returns the statement and signature of the sealed day at the end; None for a live file."""
        return None

    def close(self) -> None:
        """Closes the connection to the database."""
        self._db.close()

    def _run(self, stream: Stream, after: int, through: int, last: int) -> Iterator[Record]:
        begin = self.description.order_before
        while after < through:
            records = self.read(stream, after, BATCH, through)
            if not records:
                raise JournalDamaged(self.path, f"records {stream}/{after + 1} to {stream}/{through} are missing")
            yield from records
            after = records[-1].sequence
            self.told(records[-1].order - begin, last - begin)

    def _link(self, stream: Stream, rows: list[Row]) -> list[Record]:
        """Returns rows as records. A gap or a missing body raises `JournalDamaged`."""
        expected = rows[0][0]
        prevhash = self._hash_before(stream, expected)
        records = []
        for row in rows:
            (
                sequence, kind, version, subject, round_id, cause, time_us, recorded_us, mono_ns, boot, clock,
                data, recordhash, datahash, salt, order, serial, device_boot, counter,
            ) = row  # fmt: skip
            if sequence != expected or data is None:
                what = "the body of record" if data is None else "record"
                raise JournalDamaged(self.path, f"{what} {stream}/{expected} is missing")
            records.append(
                Record(
                    stream, sequence, kind, version, subject, round_id, cause, time_us, recorded_us, mono_ns, boot,
                    clock, data, prevhash, recordhash, datahash, salt, order,
                    None if serial is None else (serial, device_boot, counter & MASK_64),
                )
            )  # fmt: skip
            prevhash, expected = recordhash, sequence + 1
        return records

    def _hash_before(self, stream: Stream, sequence: int) -> bytes:
        anchor = self.anchors[stream]
        if sequence == anchor.sequence + 1:
            return anchor.recordhash
        sql = f"SELECT recordhash FROM {stream.value} WHERE sequence = ?"  # noqa: S608
        rows = self._query(sql, (sequence - 1,))
        if not rows:
            raise JournalDamaged(self.path, f"record {stream}/{sequence - 1} is missing")
        found: bytes = rows[0][0]
        return found

    def _query(self, sql: str, values: tuple[Any, ...] | dict[str, Any]) -> list[Row]:
        try:
            return self._db.execute(sql, values).fetchall()
        except READ_ERRORS as exc:
            raise JournalDamaged(self.path, f"cannot be read: {exc}") from exc
