"""Takes records out of the live file that are kept in segments. The chain then begins behind them, and still proves.

First the beginning moves, in one transaction, and with it what must be known of them for ever: which report of each boot of a
device was the last. Then the rows go, few at a time, so that no commit of the table waits long; a start that finds some
left continues it. The guards against deletion are away only inside these transactions.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from controller.journal.archive.boundary import Mark
from controller.journal.disk.file import SCHEMA, SCHEMA_SQL, SEEN, SEEN_SQL, read_anchors
from controller.journal.record import Stream

ROWS = 400
"""Rows of each table that one step takes: some tens of milliseconds on a slow disk."""
PAGES = 256
"""Pages that one step gives back to the file system."""
RESERVE_PAGES = 8192
"""Free pages that stay in the file for what comes next: 32 MiB."""
INCREMENTAL = 2

_NEWEST_SEEN = """SELECT serial, device_boot,
 coalesce(max(counter) FILTER (WHERE counter < 0), max(counter)), max(sequence)
 FROM input WHERE sequence <= ? AND serial IS NOT NULL GROUP BY serial, device_boot"""
# A counter is a u64 in SQLite's signed integer: those of 2^63 and more are negative there, and newer than the others.
_KEEP_SEEN = f"""INSERT INTO {SEEN} VALUES (?, ?, ?, ?) ON CONFLICT (serial, boot) DO UPDATE SET sequence = excluded.sequence,
 counter = CASE WHEN (counter < 0) = (excluded.counter < 0) THEN max(counter, excluded.counter)
                ELSE min(counter, excluded.counter) END"""  # noqa: S608


def move_beginning(db: sqlite3.Connection, mark: Mark) -> None:
    """Lets each stream begin behind `mark`, inside a transaction of the caller's. Raises `ValueError` where that is no place
    between two of its records, `sqlite3.Error`.
    """
    for stream, head in mark.heads.items():
        anchor = read_anchors(db)[stream]
        sql = f"SELECT recordhash FROM {stream.value} WHERE sequence = ?"  # noqa: S608
        row = db.execute(sql, (head.sequence,)).fetchone()
        found = anchor.recordhash if head.sequence == anchor.sequence else row and row[0]
        if head.sequence < anchor.sequence or found != head.recordhash:
            raise ValueError(
                f"{stream}/{head.sequence} is not the record that was to be the last one before it begins"
            )
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (SEEN,)).fetchone() is None:
        db.execute(SEEN_SQL)
    seen = db.execute(_NEWEST_SEEN, (mark.heads[Stream.INPUT].sequence,)).fetchall()
    db.executemany(_KEEP_SEEN, seen)
    with _unguarded(db, "UPDATE"):
        db.execute("UPDATE journal SET order_before = ?", (mark.order,))
        for stream, head in mark.heads.items():
            db.execute("UPDATE anchor SET sequence = ?, recordhash = ? WHERE stream = ?", (*head, stream.value))


def remove_some(db: sqlite3.Connection) -> int:
    """Removes the oldest rows before the beginning, inside the caller's transaction; returns how many, 0 = none
    left."""
    ((order,),) = db.execute("SELECT order_before FROM journal").fetchall()
    ends = [(s.value, "sequence", anchor.sequence) for s, anchor in read_anchors(db).items()]
    with _unguarded(db, "DELETE"):
        return sum(_remove(db, *end) for end in (*ends, ("body", "ord", order)))


def _remove(db: sqlite3.Connection, table: str, column: str, through: int) -> int:
    sql = f"DELETE FROM {table} WHERE {column} <= min(?, (SELECT min({column}) FROM {table}) + ?)"  # noqa: S608
    return db.execute(sql, (through, ROWS - 1)).rowcount


def give_back(db: sqlite3.Connection) -> bool:
    """Gives some free pages back to the file system; False where there is no more to give. A file that an earlier release made
    cannot shrink: its free pages are written again instead.
    """
    ((kind,),) = db.execute("PRAGMA auto_vacuum").fetchall()
    ((free,),) = db.execute("PRAGMA freelist_count").fetchall()
    if kind != INCREMENTAL or free <= RESERVE_PAGES:
        return False
    # As a script, since `execute` would leave the statement after the first page of it.
    db.executescript(f"PRAGMA incremental_vacuum({min(PAGES, free - RESERVE_PAGES)})")
    return True


@contextmanager
def _unguarded(db: sqlite3.Connection, act: str) -> Iterator[None]:
    """Lifts the guards against deletion inside a transaction, so that nobody sees the record without them."""
    guards = [sql for sql in SCHEMA_SQL[SCHEMA] if f" BEFORE {act} " in sql and "append-only" in sql]
    for guard in guards:
        db.execute(f"DROP TRIGGER {guard.split()[2]}")
    yield
    for guard in guards:
        db.execute(guard)
