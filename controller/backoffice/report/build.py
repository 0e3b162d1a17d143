"""Reads a day of a store and makes the document of its report; `pages.py` writes it down."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any

from controller.backoffice.report.alarms import KINDS as OF_ALARMS
from controller.backoffice.report.alarms import lives
from controller.backoffice.report.day import KINDS as OF_THE_DAY
from controller.backoffice.report.day import Row, day_of
from controller.backoffice.report.fact import Fact, fact_of, table_of
from controller.backoffice.report.pages import COMPLETE, NOT_PROVEN
from controller.backoffice.store.reading import Reading
from controller.backoffice.verify import Proof, proofs
from controller.clock import rfc3339
from controller.journal.proof.keys import PublicKey

LOOK_BACK_DAYS = 7
"""How long before the day an alarm or a start may lie that still matters on it."""

Document = dict[str, Any]


def report(
    store: Reading, day: date, tables: Sequence[str] = (), keys: Mapping[str, Sequence[PublicKey]] | None = None
) -> Document:
    """Returns the report of one day. `tables`: sources, none = all. Raises `StoreUnreachable`.

    The day of a table is its gaming day of this date, where it published one; otherwise the date in UTC.
    """
    bounds = _Bounds(store, day)
    span = (day - timedelta(days=LOOK_BACK_DAYS), day + timedelta(days=1))
    around = (day - timedelta(days=1), span[1])
    found = day_of(fact for fact in _facts(store, OF_THE_DAY, around, tables) if bounds.hold(fact))
    alarms = [
        {**asdict(life), "seconds": life.seconds}
        for life in lives(_facts(store, OF_ALARMS, span, tables))
        if bounds.stood(life.table, life.raised, life.ended)
    ]
    proven = proofs(store, keys or {}, tables, str(around[0]), str(around[1]))
    return {
        "day": str(day),
        "tables": [{"table": table, "begins": first, "ends": last} for table, (first, last) in bounds.told()],
        "completeness": [_completeness(proof) for proof in proven],
        "rounds": found.rounds,
        "dispositions": sorted(
            found.dispositions, key=lambda row: (row["rulebook"], row["rests_on"], row["trigger"])
        ),
        "voids": found.voids,
        "miscounts": found.miscounts,
        "progressive": found.progressive,
        "alarms": alarms,
        "readings": list(_in_force(found.readings, _facts(store, ("service_started",), span, tables), bounds)),
    }


class _Bounds:
    """When the day begins and ends at each table."""

    def __init__(self, store: Reading, day: date) -> None:
        self._day, self._next = f"{day}T00:00:00.000000Z", f"{day + timedelta(days=1)}T00:00:00.000000Z"
        self._of: dict[str, tuple[str, str]] = {}
        for fact in _facts(store, ("gaming_day_began",), (day - timedelta(days=1), day + timedelta(days=1)), ()):
            if fact.data.get("day") == str(day):
                self._of[fact.table] = (rfc3339(fact.data["begins_us"]), rfc3339(fact.data["ends_us"]))

    def of(self, table: str) -> tuple[str, str]:
        return self._of.get(table, (self._day, self._next))

    def has(self, table: str, time: str) -> bool:
        first, last = self._of.setdefault(table, (self._day, self._next))
        return first <= time < last

    def stood(self, table: str, raised: str, ended: str) -> bool:
        """Whether something stood on the day. `ended`: "" = it still stands."""
        first, last = self.of(table)
        return raised < last and (not ended or ended >= first)

    def hold(self, fact: Fact) -> bool:
        return self.has(fact.table, fact.time)

    def told(self) -> list[tuple[str, tuple[str, str]]]:
        return sorted(self._of.items())


def _facts(store: Reading, kinds: Sequence[str], days: tuple[date, date], tables: Sequence[str]) -> Iterator[Fact]:
    """Yields the events of these kinds, table after table, each table's in its own order."""
    wanted = f"kind IN ({', '.join('?' * len(kinds))}) AND day BETWEEN ? AND ?"
    values: list[object] = [*kinds, *map(str, days)]
    if tables:
        wanted += f" AND source IN ({', '.join('?' * len(tables))})"
        values += tables
    sql = f"SELECT body FROM event WHERE {wanted} ORDER BY source, journal, ord"  # noqa: S608  # marks alone
    return (fact_of(body) for (body,) in store.rows(sql, *values))


def _in_force(today: Iterable[Row], starts: Iterable[Fact], bounds: _Bounds) -> Iterator[Row]:
    """Yields the start before the day of each table, then those of the day that changed something."""
    before: dict[str, Fact] = {}
    for start in starts:
        if start.time < bounds.of(start.table)[0]:
            before[start.table] = start
    last: dict[str, Row] = {}
    for row in (*day_of(before.values()).readings, *today):
        was = last.get(row["table"], {})
        if {**row, "since": ""} != {**was, "since": ""}:
            last[row["table"]] = row
            yield row


def _completeness(proof: Proof) -> Row:
    state = NOT_PROVEN if proof.wrong else "not all is proven" if proof.partial else COMPLETE
    return {
        "table": table_of(proof.source), "journal": proof.journal, "state": state, "events": proof.events,
        "first": proof.first, "last": proof.last, "checkpoints": proof.checkpoints, "unsigned": proof.unsigned,
        "holes": [f"{hole.grade.value}: {hole.text}" for hole in proof.holes], "unnamed": proof.unnamed,
    }  # fmt: skip
