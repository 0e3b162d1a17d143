"""Proves long runs of sound records quickly; says nothing about any other record.

Nearly every record is sound, and a proof pays for each. SQLite builds the headers here, in the bytes of a record's
own proof (`controller/journal/chain.py`), and one loop hashes them. The proof of single records handles everything
else and names its faults.
"""

import sqlite3
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, NamedTuple

from controller.journal.chain import FORMAT, HASH_BYTES
from controller.journal.disk.file import READ_ERRORS
from controller.journal.record import Stream
from controller.journal.view import SELECT
from controller.table.words.codec import IDENTITIES
from controller.table.words.inputs import CardsErased, CheckpointSigned

Row = tuple[Any, ...]
LOOKED_AT = frozenset({*IDENTITIES, CardsErased.kind, CheckpointSigned.kind})
"""Kinds of whose bodies a proof wants to know more than that they are the ones committed to."""


class Run(NamedTuple):
    """A run of sound records: hash and order of the last one, and the rows of `SELECT` to be looked at."""

    recordhash: bytes
    order: int
    looked_at: list[Row]


class Runs:
    """Proves runs of one journal. `journal`: its id."""

    def __init__(self, db: sqlite3.Connection, journal: str) -> None:
        self._db, self._journal = db, journal

    def sound(self, stream: Stream, after: int, through: int, prevhash: bytes, order: int) -> Run | None:
        """The records behind `after` through `through`, if all are there and sound; None = they are to be proved one by one.

        `prevhash`, `order`: of the record before them, where it was proved.
        """
        try:
            rows = self._db.execute(_SQL[stream], (self._journal, after, through)).fetchall()
            if len(rows) != through - after:
                return None
            found = _proved(rows, prevhash, order)
            return found and Run(found[0], found[1], [self._row(stream, after + n) for n in found[2]])
        except (TypeError, *READ_ERRORS):
            return None

    def _row(self, stream: Stream, sequence: int) -> Row:
        row: Row = self._db.execute(SELECT[stream], (sequence - 1, sequence, 1)).fetchone()
        return row


class _Lengths(dict[int, bytes]):
    """Lengths as eight bytes, cached: most records are as long as others."""

    def __missing__(self, length: int) -> bytes:
        return self.setdefault(length, length.to_bytes(8, "big"))


_LENGTHS = _Lengths()


def _proved(rows: Iterable[Row], prevhash: bytes, newest: int) -> tuple[bytes, int, list[int]] | None:
    """The last hash and order, and the places of what is looked at, from 1. The same sums as in `controller/journal/chain.py`:
    a call of a function for each would be a third of the cost."""
    hashed, join, length, len_32 = sha256, b"".join, _LENGTHS, _LENGTHS[HASH_BYTES]
    places: list[int] = []
    for place, (order, kind, header, data, salt, datahash, recordhash) in enumerate(rows, 1):
        # An escape may be written in more than one way.
        if order <= newest or "\\" in header:
            return None
        if hashed(join((length[len(salt)], salt, length[len(data)], data))).digest() != datahash:
            return None
        head = header.encode()
        linked = join((length[len(prevhash)], prevhash, length[len(head)], head, len_32, datahash))
        if hashed(linked).digest() != recordhash:
            return None
        prevhash, newest = recordhash, order
        if kind in LOOKED_AT:
            places.append(place)
    return prevhash, newest, places


def _sql(stream: Stream) -> str:
    # A counter that SQLite holds as a negative number gives another header; its record is proved by itself.
    origin = "NULL"
    if stream is Stream.INPUT:
        origin = "CASE WHEN r.serial IS NOT NULL THEN json_array(r.serial, r.device_boot, r.counter) END"
    header = (
        f"json_array({FORMAT}, ?, '{stream.value}', r.sequence, r.ord, r.kind, r.version, r.subject, r.round, r.cause, "
        f"r.time_us, r.recorded_us, r.mono_ns, r.boot, r.clock, {origin})"
    )
    return (
        f"SELECT r.ord, r.kind, {header}, b.data, b.salt, r.datahash, r.recordhash "  # noqa: S608
        f"FROM {stream.value} AS r JOIN body AS b ON b.ord = r.ord "
        "WHERE r.sequence > ? AND r.sequence <= ? ORDER BY r.sequence"
    )


_SQL = {stream: _sql(stream) for stream in Stream}
