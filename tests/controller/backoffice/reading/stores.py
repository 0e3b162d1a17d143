"""Stores for tests of what reads them: events that a table published, written as the recorder writes them."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from controller.backoffice.row import Row, read
from controller.backoffice.store.schema import Dialect, migrations
from controller.journal.proof.checkpoint import read_statement

RECEIVED = "2027-01-15T08:00:00.000000Z"
HASHES = ("prevhash", "recordhash", "datahash", "salt")


def row_of(text: bytes) -> tuple[Any, ...]:
    """As the recorder writes it."""
    told = json.loads(text)
    row = read(told["source"], told["stream"], text, RECEIVED)
    given = {name: bytes.fromhex(value) for name in HASHES if (value := getattr(row, name))}
    return tuple(row._replace(**given))


def checkpoint_of(text: bytes) -> tuple[Any, ...] | None:
    told = json.loads(text)
    if ".checkpoint_signed." not in told["type"]:
        return None
    statement = read_statement(told["data"]["statement"])
    said = told["data"]
    return (
        told["source"],
        told["journal"],
        statement.order,
        said["statement"],
        said["signature"],
        statement.key,
        RECEIVED,
    )


def fill(connection: Any, dialect: Dialect, texts: Iterable[bytes]) -> None:
    """Writes events, their checkpoints, and how far each stream is, into an empty store."""
    mark = "?" if dialect == "sqlite" else "%s"
    texts = list(texts)
    events = [row_of(text) for text in texts]
    cursor = connection.cursor()
    _insert(cursor, mark, "event", Row._fields, events)
    told = [found for text in texts if (found := checkpoint_of(text)) is not None]
    names = ("source", "journal", "ord", "statement", "signature", "key", "received")
    _insert(cursor, mark, "checkpoint", names, told)
    heads = {row[:3]: row[3] for row in sorted(events)}
    positions = [(*at, head, "[]", head, RECEIVED) for at, head in heads.items()]
    names = ("source", "journal", "stream", "through", "held", "head", "head_time")
    _insert(cursor, mark, "stream_position", names, positions)
    seen = {source: (source, journal, "online", "2027-01-15T08:00:10.000000Z") for source, journal, _ in heads}
    _insert(cursor, mark, "table_seen", ("source", "journal", "state", "heard"), list(seen.values()))
    connection.commit()


def _insert(cursor: Any, mark: str, table: str, names: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
    marks = ", ".join([mark] * len(names))
    cursor.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", rows)


def sqlite_store(path: Path, texts: Iterable[bytes]) -> str:
    """Makes a store in SQLite; returns its address."""
    with closing(sqlite3.connect(path)) as connection:
        for step in migrations("sqlite"):
            connection.executescript(step.sql)
        fill(connection, "sqlite", texts)
    return f"sqlite:{path}"
