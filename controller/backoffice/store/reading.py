"""Reads the store, SQLite or PostgreSQL, with the same statements and the same plain values; it writes nothing.

Rows come as a stream: a month of many tables needs no more memory than a page.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

Row = tuple[Any, ...]
PAGE = 1000
"""Rows fetched at once."""


class StoreUnreachable(Exception):
    """The store is not there, or does not answer; the text names it and says why."""


class Reading:
    """A store, read only. Times come as RFC 3339 text, days as `2026-01-31`, hashes as bytes, yes and no as bool or 0 and 1."""

    def __init__(self, connection: Any, is_postgresql: bool, name: str) -> None:
        self._connection = connection
        self._is_postgresql = is_postgresql
        self._name = name
        self._errors: tuple[type[Exception], ...] = (sqlite3.Error,)
        if is_postgresql:
            import psycopg  # noqa: PLC0415  # only where PostgreSQL is the store

            self._errors = (psycopg.Error,)
        self._cursors = 0

    def rows(self, sql: str, *values: object) -> Iterator[Row]:
        """Yields the rows of a question, `?` for each value. Raises `StoreUnreachable`."""
        try:
            if not self._is_postgresql:
                yield from self._connection.execute(*_bound(sql, values))
                return
            self._cursors += 1
            with self._connection.cursor(name=f"rows_{self._cursors}") as cursor:
                cursor.itersize = PAGE
                cursor.execute(sql.replace("?", "%s"), values)
                for row in cursor:
                    yield tuple(map(_plain, row))
        except self._errors as exc:
            raise StoreUnreachable(f"{self._name}: {str(exc).strip()}") from exc

    def first(self, sql: str, *values: object) -> Row | None:
        """Returns the first row, None if there is none."""
        with closing(self.rows(sql, *values)) as rows:  # type: ignore[type-var]  # a generator has close()
            return next(rows, None)

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()


def opened(address: str) -> Reading:
    """Opens `sqlite:FILE` or `postgresql://...` for reading. Raises `StoreUnreachable`."""
    scheme, _, rest = address.partition(":")
    if scheme == "sqlite":
        return _sqlite(Path(rest))
    if scheme in ("postgresql", "postgres"):
        return _postgresql(address)
    raise StoreUnreachable(f"{address}: is no store; write sqlite:FILE or postgresql://USER@HOST/DATABASE")


def _sqlite(path: Path) -> Reading:
    if not path.is_file():
        raise StoreUnreachable(f"{path}: there is no store")
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        connection.text_factory = _text  # bytes that are no text are for the proof to find, not an error here
        connection.execute("SELECT 1 FROM event LIMIT 1")
        connection.execute("BEGIN")  # one state of the store for all questions
    except sqlite3.Error as exc:
        raise StoreUnreachable(f"{path}: is no store of ours: {exc}") from exc
    return Reading(connection, False, str(path))


def _postgresql(address: str) -> Reading:
    try:
        import psycopg  # noqa: PLC0415
    except ImportError as exc:
        raise StoreUnreachable("psycopg is not installed: run pip install 'tablewarden[backoffice]'") from exc
    name = address.rpartition("@")[2]
    try:
        connection = psycopg.connect(address)
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("SET TIME ZONE 'UTC'")
        connection.execute("SELECT 1 FROM event LIMIT 1")
    except psycopg.Error as exc:
        with suppress(NameError):
            connection.close()
        raise StoreUnreachable(f"{name}: {str(exc).strip()}") from exc
    return Reading(connection, True, name)


def _bound(sql: str, values: Sequence[object]) -> tuple[str, list[object]]:
    """Returns a question with values that SQLite takes: a text that is none, as it was found, goes in as its bytes."""
    raw = [value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value for value in values]
    odd = [isinstance(value, str) and not value.isprintable() for value in values]
    if not any(odd):
        return sql, list(values)
    marks = iter(odd)
    asked = "".join(
        part if part != "?" else "CAST(? AS TEXT)" if next(marks) else "?" for part in re.split(r"(\?)", sql)
    )
    return asked, [inner if is_odd else value for value, inner, is_odd in zip(values, raw, odd, strict=True)]


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


def _plain(value: Any) -> Any:
    """Returns a value of PostgreSQL as SQLite holds it."""
    match value:
        case datetime():
            return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        case date():
            return value.isoformat()
        case memoryview():
            return bytes(value)
        case _:
            return value


def journals(store: Reading, tables: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Yields each (source, journal) of the store, of these sources only if there are any; it steps from one to the next."""
    at = ("", "")
    while (found := store.first(_NEXT, *at)) is not None:
        at = (found[0], found[1])
        if not tables or at[0] in tables:
            yield at


_NEXT = "SELECT source, journal FROM event WHERE (source, journal) > (?, ?) ORDER BY source, journal LIMIT 1"
