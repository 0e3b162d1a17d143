"""The store of a house: PostgreSQL. Several recorders may write, each its share of the tables.

The lock of a share is an advisory lock of the very connection that writes. So a recorder that lost the lock cannot write, and the
lock of one that died is free as soon as the server knows.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Any

import psycopg

from controller.backoffice.row import Row
from controller.backoffice.store import statements
from controller.backoffice.store.batch import Batch, Loaded, Occupied, RowRefused, StoreAway
from controller.backoffice.store.schema import missing

Connection = psycopg.Connection[Any]
Error = psycopg.Error

MIGRATIONS, PARTITIONS = 7_461_626_101, 7_461_626_102
"""Advisory locks of all recorders: who migrates, who makes partitions."""
AHEAD_DAYS = 7
REASON_DAYS = 3_700
"""A day further away from today gets no partition: that table's clock is wrong, and its events stay in `_rest`."""
IDLE_S = 60
"""The server ends the connection of a recorder that is frozen for so long, and so its lock."""
CLASSES = ("main", "diag")
_MIGRATION = "CREATE TABLE IF NOT EXISTS migration (number integer PRIMARY KEY, name text NOT NULL, applied timestamptz NOT NULL)"
COPY = f"COPY {{}} ({statements.COLUMNS}) FROM STDIN"
_INSERT = (
    f"INSERT INTO event ({statements.COLUMNS}) SELECT {statements.COLUMNS} FROM arrived ON CONFLICT DO NOTHING"  # noqa: S608
)
_DIFFERING = (
    "SELECT given.at FROM unnest(%s::text[], %s::text[], %s::text[], %s::bigint[], %s::date[], %s::bytea[], %s::int[]) "
    "AS given (source, journal, stream, sequence, day, digest, at) "
    "LEFT JOIN event USING (source, journal, stream, sequence, day) "
    "LEFT JOIN retention ON retention.class = given.stream "
    "WHERE CASE WHEN event.body IS NULL THEN given.day >= coalesce(retention.before, '-infinity') "
    "ELSE sha256(convert_to(event.body, 'UTF8')) <> given.digest END"
)


def connect(url: str) -> Connection:
    """Returns a connection to a store, migrated. Raises psycopg.Error and SchemaUnknown."""
    db: Connection = psycopg.connect(
        url, autocommit=True, connect_timeout=5, application_name="tablewarden",
        keepalives_idle=10, keepalives_interval=5, keepalives_count=3, tcp_user_timeout=20_000,
    )  # fmt: skip
    try:
        db.execute("SET TIME ZONE 'UTC'")
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATIONS])
            if db.execute("SELECT to_regclass('migration')").fetchone() == (None,):
                db.execute(_MIGRATION)
            for each in missing(
                "postgresql", {number for (number,) in db.execute("SELECT number FROM migration")}
            ):
                db.execute(each.sql.encode())
                db.execute("INSERT INTO migration VALUES (%s, %s, now())", [each.number, each.name])
    except BaseException:
        db.close()
        raise
    return db


def lock_key(name: str, share: int, shares: int) -> int:
    """Returns the number of the advisory lock of one share."""
    return int.from_bytes(
        sha256(f"tablewarden recorder {name} {share}/{shares}".encode()).digest()[:8], "big", signed=True
    )


class PostgresStore:
    """See `Store`. `share` counts from 1."""

    def __init__(self, url: str, name: str, share: int = 1, shares: int = 1) -> None:
        self._url, self._name, self._share, self._shares = url, name, share, shares
        self._db: Connection | None = None
        self._since = ""
        self._partitions: set[tuple[str, str]] = set()

    def open(self) -> bool:
        """Connects, takes the lock, migrates, and says who writes now."""
        with self._failing():
            self._db = connect(self._url)
            db = self._need()
            if not self._lock(db):
                holder = self._holder(db)
                self._drop()
                raise Occupied(f"{self._name} {self._share}/{self._shares} is being recorded by {holder}")
            db.execute(f"SET idle_session_timeout = '{IDLE_S}s'")
            db.execute(f"SET idle_in_transaction_session_timeout = '{IDLE_S}s'")
            db.execute("CREATE TEMP TABLE arrived (LIKE event) ON COMMIT DELETE ROWS")
            is_same = not self._since or self._since == self._row(db)[2]
            me = (self._name, self._share, self._shares)
            db.execute(
                statements.RECORDER.replace("?", "%s").replace(
                    "VALUES (%s, %s, %s, %s, %s, %s)", "VALUES (%s, %s, %s, %s, %s, now())"
                ),
                [*me, socket.gethostname(), os.getpid()],
            )
            self._since = self._row(db)[2]
            self._partitions.clear()
            return is_same

    def load(self) -> Loaded:
        """Returns what is stored, without events."""
        with self._failing():
            db = self._need()
            orders = (
                statements.LOAD_POSITIONS, statements.LOAD_SEEN, statements.LOAD_HOLES, statements.LOAD_ALARMS,
            )  # fmt: skip
            return statements.loaded(*(db.execute(_texts(order)).fetchall() for order in orders))

    def differing(self, rows: list[Row]) -> list[Row]:
        """Returns the rows that are stored with another content. Those of a pruned day cannot differ."""
        with self._failing():
            db = self._need()
            columns = [list(each) for each in zip(*(row[:5] for row in rows), strict=True)]
            digests = [sha256(row.body.encode()).digest() for row in rows]
            found = db.execute(_DIFFERING, [*columns, digests, list(range(len(rows)))]).fetchall()
            return [rows[at] for (at,) in found]

    def write(self, batch: Batch) -> int:
        """Stores a batch in one transaction: by COPY if all its rows are new, else by way of a table of this session."""
        with self._failing():
            db = self._need()
            for key in {(row.stream, row.day) for row in batch.rows} - self._partitions:
                self._make_partition(db, *key)
            try:
                return self._write(db, batch, "event")
            except psycopg.errors.UniqueViolation:
                return self._write(db, batch, "arrived")

    def close(self) -> None:
        """Ends the connection and with it the lock."""
        self._drop()

    def _write(self, db: Connection, batch: Batch, into: str) -> int:
        new = len(batch.rows)
        with db.transaction():
            if batch.rows:
                with db.cursor() as cursor, cursor.copy(COPY.format(into)) as copy:
                    copy.write("".join(map(line, batch.rows)))
                if into == "arrived":
                    new = db.execute(_INSERT).rowcount
            for order, rows in statements.changes(batch):
                if rows:
                    with db.cursor() as cursor:
                        cursor.executemany(order.replace("?", "%s"), rows)
        return new

    def _make_partition(self, db: Connection, stream: str, day: str) -> None:
        self._partitions.add((stream, day))
        today = datetime.now(UTC).date()
        if stream in CLASSES and abs((date.fromisoformat(day) - today).days) < REASON_DAYS:
            for each in {day, *(str(today + timedelta(days=ahead)) for ahead in range(AHEAD_DAYS))}:
                make_partition(db, stream, each)
                self._partitions.add((stream, each))

    def _lock(self, db: Connection) -> bool:
        key = lock_key(self._name, self._share, self._shares)
        return db.execute("SELECT pg_try_advisory_lock(%s)", [key]).fetchone() == (True,)

    def _row(self, db: Connection) -> tuple[str, int, str]:
        me = [self._name, self._share, self._shares]
        order = "SELECT host, pid, since::text FROM recorder WHERE (name, share, shares) = (%s, %s, %s)"
        return db.execute(order, me).fetchone() or ("", 0, "")

    def _holder(self, db: Connection) -> str:
        host, pid, since = self._row(db)
        return f"process {pid} of {host} since {since}" if host else "another process"

    def _need(self) -> Connection:
        if self._db is None:
            raise StoreAway("the database is not connected")
        return self._db

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Turns what the database refuses for now into StoreAway, and what it will never take into RowRefused."""
        try:
            yield
        except (psycopg.DataError, psycopg.IntegrityError, UnicodeEncodeError) as exc:
            raise RowRefused(str(exc)) from exc
        except psycopg.Error as exc:
            self._drop()
            raise StoreAway(str(exc).strip() or type(exc).__name__) from exc

    def _drop(self) -> None:
        if self._db is not None:
            with suppress(psycopg.Error):
                self._db.close()
            self._db = None


def make_partition(db: Connection, stream: str, day: str) -> None:
    """Makes the partition of one day; takes rows of the day along that lie in `_rest`."""
    name, rest = f"event_{stream}_{day.replace('-', '')}", f"event_{stream}_rest"
    following = date.fromisoformat(day) + timedelta(days=1)
    is_there = "SELECT true FROM pg_class WHERE relname = %s"  # to_regclass may answer from before the lock
    if db.execute(is_there, [name]).fetchone():
        return
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(%s)", [PARTITIONS])
        if db.execute(is_there, [name]).fetchone():
            return
        db.execute(f"CREATE TABLE {name} (LIKE event INCLUDING ALL)")
        db.execute(
            f"WITH moved AS (DELETE FROM {rest} WHERE day = '{day}' RETURNING *) INSERT INTO {name} SELECT * FROM moved"  # noqa: S608
        )
        db.execute(
            f"ALTER TABLE event_{stream} ATTACH PARTITION {name} FOR VALUES FROM ('{day}') TO ('{following}')"
        )


_NULL, _BYTES = "\\N", "\\\\x"
_ESCAPES = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))


def line(row: Row) -> str:
    """Returns a row in COPY's text form."""
    foreign = (row.source, row.stream, row.subject, row.round_id or "", row.cause or "", row.boot, row.body)
    together = "".join(foreign)
    is_odd = "\\" in together or "\n" in together or "\r" in together or "\t" in together
    escaped = map(_escaped, foreign) if is_odd else foreign
    source, stream, subject, round_id, cause, boot, body = escaped
    return (
        f"{source}\t{row.journal}\t{stream}\t{row.sequence}\t{row.day}\t{row.type}\t{row.kind}\t{row.version}\t"
        f"{subject}\t{round_id or _NULL}\t{cause or _NULL}\t{row.time}\t{row.recorded}\t{row.mono_ns}\t{boot}\t"
        f"{row.clock}\t{_NULL if row.ord is None else row.ord}\t{_BYTES}{row.prevhash}\t{_BYTES}{row.recordhash}\t"
        f"{_BYTES + row.datahash if row.datahash else _NULL}\t{_BYTES + row.salt if row.salt else _NULL}\t"
        f"{row.withheld}\t{body}\t{row.received}\n"
    )


def _escaped(text: str) -> str:
    for sign, escape in _ESCAPES:
        text = text.replace(sign, escape)
    return text


def _texts(order: str) -> str:
    """Times as text, as SQLite has them."""
    for name in ("head_time", "heard", "heartbeat"):
        order = order.replace(f" {name}", f" {name}::text")
    return order
