"""The statements that SQLite and PostgreSQL understand alike, and how rows become parameters. `?` stands for a parameter."""

from collections.abc import Iterator
from typing import Any

from controller.backoffice.row import Row
from controller.backoffice.store.batch import (
    AlarmStep,
    Batch,
    Hole,
    Loaded,
    Position,
    Seen,
    Standing,
    Step,
)


def _upsert(table: str, fields: tuple[str, ...], keys: int) -> str:
    named, marks = ", ".join(fields), ", ".join("?" * len(fields))
    changes = ", ".join(f"{name} = excluded.{name}" for name in fields[keys:])
    return (
        f"INSERT INTO {table} ({named}) VALUES ({marks}) "  # noqa: S608  # names of this file alone
        f"ON CONFLICT ({', '.join(fields[:keys])}) DO UPDATE SET {changes}"
    )


COLUMNS = ", ".join(Row._fields)
POSITION = _upsert("stream_position", Position._fields, 3)
SEEN = _upsert("table_seen", Seen._fields, 1)
OPEN = (
    "INSERT INTO alarm (source, code, journal, stream, first, last, detail, opened) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (source, code, journal, stream, first) WHERE filled IS NULL AND closed IS NULL DO NOTHING"
)
_WHICH = "WHERE source = ? AND code = ? AND journal = ? AND stream = ? AND first = ? AND filled IS NULL AND closed IS NULL"
ASKED = f"UPDATE alarm SET asked = ? {_WHICH}"  # noqa: S608
FILLED = f"UPDATE alarm SET filled = ? {_WHICH}"  # noqa: S608
DECLARED = (
    "INSERT INTO parked (source, journal, stream, first, last, reason, declared) VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO NOTHING"
)
WITHDRAWN = (
    "UPDATE parked SET withdrawn = ? WHERE source = ? AND journal = ? AND stream = ? AND first = ? AND last = ? "
    "AND reason = ? AND withdrawn IS NULL"
)
CHECKPOINT = (
    "INSERT INTO checkpoint (source, journal, ord, statement, signature, key, received) VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO NOTHING"
)
REJECTED = (
    "INSERT INTO refused (source, topic, reason, size, sha256, payload, received) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
RECORDER = _upsert("recorder", ("name", "share", "shares", "host", "pid", "since"), 3)
ENDLESS = ("fork", "new_journal", "went_back", "refused")
"""Codes of alarms whose condition cannot end by itself: a person closes them by acknowledging."""
ACKNOWLEDGE = (
    "UPDATE alarm SET acknowledged = ?, acknowledged_by = ? WHERE id = ? AND acknowledged IS NULL RETURNING source"
)
CLOSE = (
    "UPDATE alarm SET closed = CASE WHEN filled > acknowledged THEN filled ELSE acknowledged END "  # noqa: S608
    f"WHERE source = ? AND closed IS NULL AND acknowledged IS NOT NULL AND (filled IS NOT NULL OR code IN {ENDLESS})"
)
ALARMS = (
    "SELECT id, source, code, journal, stream, first, last, detail, opened, asked, filled, acknowledged, "
    "acknowledged_by, closed FROM alarm"
)


def changes(batch: Batch) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """Yields each statement of a batch but its events, with its rows of parameters."""
    at = batch.at
    yield POSITION, [tuple(each) for each in batch.positions]
    yield SEEN, [tuple(each) for each in batch.seen]
    yield DECLARED, [(*each, at) for each in batch.declared]
    yield WITHDRAWN, [(at, *each) for each in batch.withdrawn]
    yield CHECKPOINT, [(*each, at) for each in batch.checkpoints]
    yield REJECTED, [(*each, at) for each in batch.rejected]
    for step in batch.alarms:  # one by one: an alarm may open, be asked for and end in one batch
        yield _of_alarm(step, at)
    yield (
        CLOSE,
        [(source,) for source in {each.standing.source for each in batch.alarms if each.step == Step.FILLED}],
    )


def _of_alarm(step: AlarmStep, at: str) -> tuple[str, list[tuple[Any, ...]]]:
    match step.step:
        case Step.OPENED:
            return OPEN, [(*step.standing, step.last, step.detail, at)]
        case Step.ASKED:
            return ASKED, [(at, *step.standing)]
        case Step.FILLED:
            return FILLED, [(at, *step.standing)]


LOAD_POSITIONS = f"SELECT {', '.join(Position._fields)} FROM stream_position"  # noqa: S608
LOAD_SEEN = f"SELECT {', '.join(Seen._fields)} FROM table_seen"  # noqa: S608
LOAD_HOLES = f"SELECT {', '.join(Hole._fields)} FROM parked WHERE withdrawn IS NULL"  # noqa: S608
LOAD_ALARMS = f"SELECT {', '.join(Standing._fields)}, last FROM alarm WHERE filled IS NULL AND closed IS NULL"  # noqa: S608


def loaded(
    positions: list[tuple[Any, ...]],
    seen: list[tuple[Any, ...]],
    holes: list[tuple[Any, ...]],
    alarms: list[tuple[Any, ...]],
) -> Loaded:
    """Returns what the four LOAD statements have found."""
    return Loaded(
        [Position(*each) for each in positions],
        [Seen(*each) for each in seen],
        [Hole(*each) for each in holes],
        [AlarmStep(Standing(*each[:-1]), Step.OPENED, each[-1]) for each in alarms],
    )
