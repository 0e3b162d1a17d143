"""The store of a small house: one SQLite file. Durable with each commit; one recorder at a time."""

import fcntl
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from controller.backoffice.row import Row
from controller.backoffice.store import statements
from controller.backoffice.store.batch import Batch, Loaded, Occupied, RowRefused, StoreAway
from controller.backoffice.store.schema import missing

Error = sqlite3.Error
BUSY_S = 5.0
_MIGRATION = (
    "CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied TEXT NOT NULL)"
)
_INSERT = (
    f"INSERT INTO event ({statements.COLUMNS}) VALUES ({', '.join('?' * len(Row._fields))}) "  # noqa: S608
    "ON CONFLICT (source, journal, stream, sequence) DO NOTHING"
)
_HASHES = tuple(Row._fields.index(name) for name in ("prevhash", "recordhash", "datahash", "salt"))


def connect(path: Path) -> sqlite3.Connection:
    """Returns a connection to a store, migrated. Raises sqlite3.Error and SchemaUnknown."""
    db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("BEGIN IMMEDIATE")
        db.execute(_MIGRATION)
        for each in missing("sqlite", {number for (number,) in db.execute("SELECT number FROM migration")}):
            for statement in _split(each.sql):
                db.execute(statement)
            db.execute(
                "INSERT INTO migration VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))", (each.number, each.name)
            )
        db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db


def _split(sql: str) -> list[str]:
    found, statement = [], ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            found.append(statement)
            statement = ""
    return found


class SqliteStore:
    """See `Store`. The lock is on `FILE.lock` and ends with the process."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self._db: sqlite3.Connection | None = None
        self._lock: IO[str] | None = None

    def open(self) -> bool:
        """Takes the lock, opens the file and migrates it."""
        try:
            if self._lock is None:
                self._lock = self._locked()
            self._db = connect(self._path)
        except (OSError, sqlite3.Error) as exc:
            raise StoreAway(f"{self._path}: {exc}") from exc
        return True  # the lock is kept until this process ends

    def load(self) -> Loaded:
        """Returns what is stored, without events."""
        orders = (statements.LOAD_POSITIONS, statements.LOAD_SEEN, statements.LOAD_HOLES, statements.LOAD_ALARMS)
        try:
            return statements.loaded(*(self._need().execute(order).fetchall() for order in orders))
        except sqlite3.Error as exc:
            raise self._away(exc) from exc

    def differing(self, rows: list[Row]) -> list[Row]:
        """Returns the rows that are stored with another content. Those of a pruned day cannot differ."""
        try:
            db = self._need()
            before = dict(db.execute("SELECT class, before FROM retention").fetchall())
            found = []
            for row in rows:
                stored = db.execute(
                    "SELECT body FROM event WHERE source = ? AND journal = ? AND stream = ? AND sequence = ?",
                    row[:4],
                ).fetchone()
                if stored != (row.body,) and (stored or row.day >= before.get(row.stream, "")):
                    found.append(row)
            return found
        except sqlite3.Error as exc:
            raise self._away(exc) from exc

    def write(self, batch: Batch) -> int:
        """Stores a batch in one transaction."""
        db = self._need()
        try:
            db.execute("BEGIN IMMEDIATE")
            new = db.executemany(_INSERT, map(_parameters, batch.rows)).rowcount if batch.rows else 0
            for order, rows in statements.changes(batch):
                if rows:
                    db.executemany(order, rows)
            db.execute("COMMIT")
            return new
        except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError, ValueError) as exc:
            db.execute("ROLLBACK")
            raise RowRefused(str(exc)) from exc
        except sqlite3.Error as exc:
            raise self._away(exc) from exc

    def close(self) -> None:
        """Closes the file and gives up the lock."""
        self._drop()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _locked(self) -> IO[str]:
        lock = Path(f"{self._path}.lock").open("a+")  # noqa: SIM115  # held as long as the store
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            lock.seek(0)
            holder = lock.read(200).strip() or "another process"
            lock.close()
            raise Occupied(f"{self._path} is being written by {holder}") from exc
        lock.truncate(0)
        lock.write(f"the recorder {self._name}, process {os.getpid()}")
        lock.flush()
        return lock

    def _need(self) -> sqlite3.Connection:
        if self._db is None:
            raise StoreAway(f"{self._path} is not open")
        return self._db

    def _away(self, exc: Exception) -> StoreAway:
        self._drop()
        return StoreAway(f"{self._path}: {exc}")

    def _drop(self) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.close()
            self._db = None


def _parameters(row: Row) -> list[Any]:
    values: list[Any] = list(row)
    for at in _HASHES:
        values[at] = None if values[at] is None else bytes.fromhex(values[at])
    return values
