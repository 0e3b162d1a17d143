"""A journal with something in it, and short ways to say what to append."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from controller.clock import ManualClock, Stamp
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal

SITE, TABLE = "lv01", "uth-017"
SERIAL, BOOT = "SHOE-0042", "00000000000000d1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def open_journal(path: Path) -> Iterator[Callable[..., Journal]]:
    """Opens the journal of the test's table; whatever is still open at the end is closed."""
    opened = []

    def open_(at: Path = path, site: str = SITE, table: str = TABLE, **options: Any) -> Journal:
        opened.append(Journal.open(at, site=site, table=table, **options))
        return opened[-1]

    yield open_
    for journal in opened:
        journal.close()


@pytest.fixture
def journal(open_journal: Callable[..., Journal]) -> Journal:
    return open_journal()


@pytest.fixture
def event(clock: ManualClock) -> Callable[..., Transaction]:
    """A device event number `counter` with one MAIN fact, or with facts in the streams that are named."""

    def event_(counter: int | None, *streams: Stream, boot: str = BOOT, serial: str = SERIAL) -> Transaction:
        facts = tuple(
            Draft(stream, "stub_counted", 2, "shoe-1", "r-0007", b'{"cards":%d}' % n)
            for n, stream in enumerate(streams or (Stream.MAIN,))
        )
        said = Draft(Stream.INPUT, "device_report", 1, "shoe-1", None, b'{"counter":%d}' % (counter or 0))
        return Transaction(clock.stamp(), said, None if counter is None else (serial, boot, counter), facts)

    return event_


@pytest.fixture
def now(clock: ManualClock) -> Stamp:
    return clock.stamp()


@pytest.fixture
def filled(path: Path, event: Callable[..., Transaction], now: Stamp) -> Path:
    """A closed journal: 40 inputs, 40 MAIN facts, 10 DIAG facts."""
    journal = Journal.open(path, site=SITE, table=TABLE)
    for counter in range(1, 41):
        streams = (Stream.MAIN, Stream.DIAG) if counter % 4 == 0 else (Stream.MAIN,)
        journal.append([event(counter, *streams)], now)
    journal.close()
    return path


@pytest.fixture
def tamper() -> Callable[..., None]:
    """Runs SQL on a journal that is at rest, as somebody with a tool would, with the append-only triggers out of the way."""

    def tamper_(at: Path, *statements: str) -> None:
        with closing(sqlite3.connect(at, isolation_level=None)) as db:
            triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                db.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                db.execute(statement)
            for _, sql in triggers:
                db.execute(sql)

    return tamper_
