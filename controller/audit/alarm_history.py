"""Lists every alarm and hold from the record alone: raised when, seen by whom, ended by whom and how."""

from collections.abc import Iterator
from typing import Any

from controller.audit.replay import folded
from controller.clock import rfc3339
from controller.journal.bodies import fact_of
from controller.journal.reading import Reading
from controller.journal.record import Record
from controller.table.state.table import State
from controller.table.words import facts as f

Document = dict[str, Any]
OF_PEOPLE = (f.AlarmSeen.kind, f.AlarmCleared.kind, f.HoldLifted.kind)


def alarms_told(view: Reading) -> list[Document]:
    """Returns alarms oldest first; a repeated alarm is one entry with each time. Raises `JournalDamaged`,
    `NotReplayable`."""
    told: list[Document] = []
    open_: dict[str, Document] = {}
    for record, before, after in folded(view):
        for begun in _begun(record, before, after):
            open_[begun["id"]] = begun
            told.append(begun)
        for name in after.alarms:
            if name in before.alarms and after.alarms[name].times > before.alarms[name].times:
                open_[name]["again"].append(rfc3339(record.time_us))
        if record.kind in OF_PEOPLE:
            _by_a_person(record, open_)
    return told


def _begun(record: Record, before: State, after: State) -> Iterator[Document]:
    for name in after.alarms.keys() - before.alarms.keys():
        alarm = after.alarms[name]
        yield _document(record, name, f"{alarm.device}: {alarm.reason}: {alarm.detail}")
    for name in after.holds.keys() - before.holds.keys():
        yield _document(record, name, after.holds[name].reason)


def _document(record: Record, name: str, what: str) -> Document:
    return {
        "id": name, "kind": record.kind, "raised": rfc3339(record.time_us), "round": record.round_id, "what": what,
        "again": [], "seen": [], "ended": None,
    }  # fmt: skip


def _by_a_person(record: Record, open_: dict[str, Document]) -> None:
    event = fact_of(record.stream, record).event
    time = rfc3339(record.time_us)
    match event:
        case f.AlarmSeen(alarm=name, by=by, role=role) if name in open_:
            open_[name]["seen"].append({"time": time, "by": by, "role": role})
        case f.AlarmCleared(alarm=name, found=found, by=by, role=role) if name in open_:
            open_.pop(name)["ended"] = {"time": time, "by": by, "role": role, "found": found}
        case f.HoldLifted(hold=name, note=note, by=by, role=role) if name in open_:
            open_.pop(name)["ended"] = {"time": time, "by": by, "role": role, "found": note}
