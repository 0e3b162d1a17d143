"""A store from its address, for commands: `sqlite:FILE` or `postgresql://...`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from controller.backoffice.store import sqlite
from controller.backoffice.store.batch import Store, StoreAway
from controller.backoffice.store.schema import Dialect, SchemaUnknown

SQLITE = "sqlite:"
POSTGRESQL = ("postgresql://", "postgres://")


class Database:
    """One connection. A parameter is a `?` in either dialect, and times come as text."""

    def __init__(self, dialect: Dialect, db: Any) -> None:
        self.dialect, self._db = dialect, db

    def execute(self, order: str, given: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Runs one statement in a transaction of its own; returns its rows."""
        cursor = self._db.execute(order if self.dialect == "sqlite" else order.replace("?", "%s"), given)
        return list(cursor.fetchall()) if cursor.description else []


def dialect_of(url: str) -> Dialect:
    """Returns the dialect of an address. Raises ValueError."""
    if url.startswith(SQLITE) and len(url) > len(SQLITE):
        return "sqlite"
    if url.startswith(POSTGRESQL):
        return "postgresql"
    raise ValueError(f"{url} is neither sqlite:FILE nor postgresql://...")


def store(url: str, name: str, share: int = 1, shares: int = 1) -> Store:
    """Returns the store of a recorder, not opened yet. Raises ValueError."""
    if dialect_of(url) == "postgresql":
        made: Store = _postgresql().PostgresStore(url, name, share, shares)
        return made
    if shares > 1:
        raise ValueError("several recorders cannot share one SQLite file: use PostgreSQL")
    return sqlite.SqliteStore(Path(url[len(SQLITE) :]), name)


@contextmanager
def database(url: str) -> Iterator[Database]:
    """Opens a store and migrates it. Raises ValueError and StoreAway; the latter also for what fails inside."""
    dialect = dialect_of(url)
    module = sqlite if dialect == "sqlite" else _postgresql()
    try:
        db = module.connect(Path(url[len(SQLITE) :]) if dialect == "sqlite" else url)
        try:
            yield Database(dialect, db)
        finally:
            db.close()
    except (module.Error, SchemaUnknown) as exc:
        raise StoreAway(str(exc).strip()) from exc


def _postgresql() -> Any:
    try:
        return import_module("controller.backoffice.store.postgresql")
    except ImportError as exc:
        raise ValueError(f"PostgreSQL needs psycopg: pip install 'tablewarden[backoffice]' ({exc})") from exc
