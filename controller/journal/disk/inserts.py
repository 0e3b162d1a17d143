"""Inserts rows into the file, many in one statement.

Each statement costs 1.7 us before its first value, in Python and in SQLite. A conflict rolls the whole transaction
back (`OR ROLLBACK`), so that SQLite need not keep what each statement changes.
"""

import sqlite3
from collections.abc import Callable, Sequence
from itertools import chain

from controller.journal.record import Stream
from controller.journal.seal import Batch, Row

AT_ONCE = 16
"""Rows of one statement; four times as many gain little more. What is left of a batch goes in one by one."""


class _Insert:
    """Inserts rows into one table."""

    def __init__(self, table: str, columns: int) -> None:
        row = f"({', '.join('?' * columns)})"
        self._one, self._many = (
            f"INSERT OR ROLLBACK INTO {table} VALUES {', '.join([row] * count)}"  # noqa: S608
            for count in (1, AT_ONCE)
        )

    def write(self, db: sqlite3.Connection, rows: Sequence[Row]) -> None:
        whole = len(rows) - len(rows) % AT_ONCE
        for first in range(0, whole, AT_ONCE):
            db.execute(self._many, [*chain.from_iterable(rows[first : first + AT_ONCE])])
        if whole < len(rows):
            db.executemany(self._one, rows[whole:])


_RECORDS = {Stream.INPUT: _Insert("input", 17), Stream.MAIN: _Insert("main", 14), Stream.DIAG: _Insert("diag", 14)}
_BODIES = _Insert("body", 3)


def write_batch(db: sqlite3.Connection, batch: Batch) -> None:
    """Inserts a batch inside its transaction. Raises `sqlite3.Error`; after `IntegrityError` the transaction is
    over."""
    for stream, rows in batch.rows.items():
        _RECORDS[stream].write(db, rows)
    _BODIES.write(db, batch.bodies)


class NotUsable(Exception):
    """After a failed transaction nobody knows what the connection or the disk holds. `cause`: the first error."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


def commit(db: sqlite3.Connection, write: Callable[[], None]) -> None:
    """Runs one transaction. Raises what `write` raises with nothing written, otherwise `NotUsable`."""
    try:
        db.execute("BEGIN IMMEDIATE")
        write()
        db.execute("COMMIT")
    except BaseException as exc:
        is_usable = not isinstance(exc, sqlite3.Error) or isinstance(exc, sqlite3.IntegrityError)
        try:
            if db.in_transaction:
                db.execute("ROLLBACK")
        except sqlite3.Error as failed:
            exc.add_note(f"and the transaction could not be taken back: {failed}")
            is_usable = False
        if not is_usable:
            raise NotUsable(exc) from exc
        raise
