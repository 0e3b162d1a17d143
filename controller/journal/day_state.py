"""The table's state on record at the end of a gaming day, so that a start, a replay or a drill can begin there.

It outlives the software that folded it: earlier records may be pruned, and an update has no snapshot.
"""

from typing import NamedTuple

import msgspec
import structlog

from controller.journal.archive.boundary import Boundary, BoundaryUnreadable, read_boundary
from controller.journal.bodies import UNREADABLE
from controller.journal.record import Stream
from controller.journal.seal import Head
from controller.journal.store import Journal
from controller.journal.view import Brief
from controller.table.state.device import Device
from controller.table.state.state_json import StateUnreadable, state_of
from controller.table.state.table import Setup, State
from controller.table.words.inputs import RecordDayClosed
from controller.table.words.structs import replace
from drivers.protocol.records import dataclass

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state and the records behind it: the heads of their streams, the order of the newest."""

    journal: str
    heads: dict[Stream, Head]
    order: int
    state: State


class NotCarried(Exception):
    """A day's recorded state cannot be read by this software."""


def state_from(closed: RecordDayClosed, setup: Setup) -> State:
    """The state at the end of that day, at a table as it is set up now. Raises `NotCarried`.

    What the table or the software has gained since is as at its beginning, what the table has lost is gone; a way of dealing
    that was not changed by an act is that of the setup. What this software has never heard of is refused.
    """
    try:
        state, initial = state_of(closed.folded), State.initial(setup)
    except StateUnreadable as exc:
        raise NotCarried(f"the state at the end of {closed.day}: {exc}") from exc
    was = closed.started.setup
    return replace(
        state,
        method=initial.method if was is not None and was.method == state.method.value else state.method,
        devices={name: _same(state.devices.get(name), device) for name, device in initial.devices.items()},
        sets={back: state.sets.get(back, card_set) for back, card_set in initial.sets.items()},
    )


def rounds_at(closed: RecordDayClosed) -> int:
    """Returns how many rounds had begun by the end of that day. Raises `NotCarried`."""
    try:
        rounds: int = msgspec.json.decode("".join(closed.folded))["rounds"]
        return rounds
    except (msgspec.MsgspecError, KeyError, TypeError, RecursionError) as exc:
        raise NotCarried(f"the state at the end of {closed.day}: {exc}") from exc


class Closed(NamedTuple):
    """A closed day: its record, and where it ends."""

    told: RecordDayClosed
    boundary: Boundary


def closed_in(brief: Brief) -> Closed:
    """Returns the closed day in a record. Raises `NotCarried`."""
    try:
        told = msgspec.json.decode(brief.data, type=RecordDayClosed)
        return Closed(told, read_boundary(told.statement))
    except (*UNREADABLE, BoundaryUnreadable) as exc:
        raise NotCarried(f"the closing diag/{brief.sequence} of a day: {exc}") from exc


def last_day(journal: Journal, setup: Setup) -> Snapshot | None:
    """The state at the end of the newest closed day, where a start may begin; None where none stands in the live file.

    One that cannot be read is passed over for an older one, and in the end for the whole record.
    """
    for brief in journal.backwards(Stream.DIAG, (RecordDayClosed.kind,)):
        try:
            told, boundary = closed_in(brief)
            heads, order = dict(boundary.end.heads), boundary.order
            return Snapshot(journal.id, heads, order, state_from(told, setup))
        except NotCarried as exc:
            log.warning("carried_state_unreadable", record=f"diag/{brief.sequence}", reason=str(exc))
    return None


def _same(before: Device | None, device: Device) -> Device:
    """Returns the device as it was, unless its name now belongs to another kind of device."""
    return before if before is not None and before.kind is device.kind else device
