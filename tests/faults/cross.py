"""Every fault in every state of the session, made from the table of faults.

What is on record differs from state to state, so a crossing is judged by what holds after every fault, and by the device
being back; the exact facts are those of the table's own rows.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import dropwhile

from drivers.device import SessionState
from simulators.devices.model import ActImpossible
from tests.faults.catalogue import Row, load
from tests.faults.judge import held
from tests.faults.machine import Device
from tests.faults.play import Played
from tests.faults.rig import Rig
from tests.faults.verbs import inject

BACK_S = 90.0
"""A device that was refused is asked again after its minute."""
STATED = ("H19-hello", "H19-sync")
"""Rows that name a state themselves."""
UNSEEN = ("D08",)
"""Rows whose device counts anew and may be past what is on record before a link is there: then nobody can know of it."""
BORNE = {"one_release": "releases", "deal": "deals"}
"""Acts that the table's rows take for granted may be refused in a crossing."""

Cue = Callable[[Rig, Device], Awaitable[None]]
"""Returns in the turn in which the session of the device comes into a state."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """One fault in one state. `row`: the table's own, fitted to the state."""

    row: Row
    state: SessionState

    @property
    def name(self) -> str:
        return f"{self.row.id}-{self.state}"

    @property
    def cue(self) -> Cue:
        return CUES[self.state]


def crossings() -> list[Crossing]:
    """All of them, state by state within each fault. Where a fault has a row with keys, that one is used for their states."""
    rows = [row for row in load().played if row.id not in STATED and not row.full]
    sealed = {row.base for row in rows if row.keyed}
    return [
        Crossing(_fitted(row, state), state) for row in rows for state in CUES if _can_meet(row, state, sealed)
    ]


def _can_meet(row: Row, state: SessionState, sealed: set[str]) -> bool:
    if row.id == "H12":  # only a port that is held can be asked for in vain
        return state is not SessionState.OPENING
    if row.progressive == "modbus":  # nobody on a bus has a key
        return state not in KEYED
    if row.reader:  # it says nothing of itself, and answers nothing
        return state in (SessionState.OPENING, SessionState.ONLINE)
    return row.keyed or state not in KEYED or row.base not in sealed


def judge(row: Row, played: Played, rig: Rig) -> list[str]:
    """What does not hold; which facts a fault brings is not asked."""
    return held(rig, played, lies=row.lies, unseen=row.id in UNSEEN)


def _fitted(row: Row, state: SessionState) -> Row:
    """It comes at once, at a table whose people bear a refusal, and has keys where the state asks for them.

    A port that is being opened needs no failed read to be opened anew; what hinders the opening would keep that from ever coming.
    """
    at_once = tuple(dropwhile(lambda line: line.startswith("wait "), row.inject))
    if state is SessionState.OPENING and len(at_once) > 1:
        at_once = tuple(line for line in at_once if line != "eio_read")
    return replace(
        row,
        inject=at_once or row.inject,
        drive=BORNE.get(row.drive, row.drive),
        keyed=row.keyed or state in KEYED,
        verdict=replace(row.verdict, within_s=BACK_S),
    )


async def _opening(rig: Rig, device: Device) -> None:
    """A start of the daemon: only then is a port opened that was never tried before."""
    await rig.daemon_down()
    rig.daemon_up()
    await device.reaches(SessionState.OPENING)


def _on_a_new_link(state: SessionState) -> Cue:
    async def cue(rig: Rig, device: Device) -> None:
        reached = asyncio.create_task(device.reaches(state))
        await inject(rig, device, "eio_read")
        with contextlib.suppress(ActImpossible):  # there is something in the log to be read
            if device.config.name == "progressive-1":
                device.simulator.act("put_chip", {"seat": 3})
            else:
                device.simulator.act("green", {})
        await reached

    return cue


async def _online(rig: Rig, device: Device) -> None:
    """It is."""


async def _suspect(rig: Rig, device: Device) -> None:
    """The device stood still until now; what it says next, the host has not read yet."""
    device.simulator.hang()
    await device.reaches(SessionState.SUSPECT)
    device.simulator.wake()


KEYED = (SessionState.AUTH, SessionState.MEASURE)
CUES: dict[SessionState, Cue] = {
    SessionState.OPENING: _opening,
    **{
        state: _on_a_new_link(state)
        for state in (SessionState.HELLO, SessionState.AUTH, SessionState.MEASURE, SessionState.SYNC)
    },
    SessionState.ONLINE: _online,
    SessionState.SUSPECT: _suspect,
}
