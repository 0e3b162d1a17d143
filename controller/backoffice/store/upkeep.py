"""The acts of people on a store: they list alarms, acknowledge them, and remove old days."""

import re
import time
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from controller.backoffice.store import statements
from controller.backoffice.store.database import Database
from controller.clock import rfc3339

KEPT_DAYS = {"main": 1_830, "diag": 42}
"""How long a class is kept where nobody says otherwise: five years, six weeks."""
_PARTITION = re.compile(r"event_(main|diag)_(\d{4})(\d\d)(\d\d)")


class Alarm(NamedTuple):
    """A row of `alarm`. Times are text; None = not yet."""

    id: int
    source: str
    code: str
    journal: str
    stream: str
    first: int
    last: int
    detail: str
    opened: str
    asked: str | None
    filled: str | None
    acknowledged: str | None
    acknowledged_by: str | None
    closed: str | None


def alarms(db: Database, *, is_all: bool = False) -> list[Alarm]:
    """Returns the alarms that are not closed, or all of them, oldest first."""
    which = "" if is_all else " WHERE closed IS NULL"
    found = db.execute(f"{statements.ALARMS}{which} ORDER BY id")
    return [Alarm._make(str(each) if isinstance(each, datetime) else each for each in row) for row in found]


def acknowledge(db: Database, number: int, who: str) -> bool:
    """Notes that a person has seen an alarm. Returns False if there is no such alarm, or if somebody has before."""
    found = db.execute(statements.ACKNOWLEDGE, [rfc3339(time.time_ns() // 1000), who, number])
    for (source,) in found:
        db.execute(statements.CLOSE, [source])
    return bool(found)


def prune(db: Database, kept_days: dict[str, int], *, is_only_asked: bool = False) -> list[tuple[str, str, int]]:
    """Takes out all days of each class before the last `kept_days`. Returns class, day and number of events of each.

    Today of the clock of this machine counts. What the tables have signed (`checkpoint`) and alarms stay.
    """
    found = []
    for name, days in kept_days.items():
        before = (datetime.now(UTC).date() - timedelta(days=days)).isoformat()
        gone = db.execute(
            "SELECT day, count(*) FROM event WHERE stream = ? AND day < ? GROUP BY day ORDER BY day",
            [name, before],
        )
        found += [(name, str(day), count) for day, count in gone]
        if is_only_asked:
            continue
        db.execute(
            "INSERT INTO retention (class, before) VALUES (?, ?) ON CONFLICT (class) DO UPDATE SET before = "
            "CASE WHEN excluded.before > retention.before THEN excluded.before ELSE retention.before END",
            [name, before],
        )
        if db.dialect == "postgresql":
            for partition in _partitions(db, name, before):
                db.execute(f"DROP TABLE {partition}")
        db.execute("DELETE FROM event WHERE stream = ? AND day < ?", [name, before])
    return found


def _partitions(db: Database, name: str, before: str) -> list[str]:
    rows = db.execute(
        "SELECT relid::regclass::text FROM pg_partition_tree(?::regclass) WHERE isleaf", [f"event_{name}"]
    )
    found = [_PARTITION.fullmatch(each) for (each,) in rows]
    return [each[0] for each in found if each and "-".join(each.groups()[1:]) < before]
