"""The fail-safe: commands that go to the devices the moment an input arrives, before queue and record.

May only hold, never decide: every level here is the safe side. What follows comes from the ordered input later.
"""

from controller.table.fold.ruling import AT_ONCE
from controller.table.state.device import has_level
from controller.table.state.table import State
from controller.table.words.acts import AnnounceNoMoreBets
from controller.table.words.inputs import Input
from drivers.commands import WantedLevel
from drivers.events import (
    ENGAGED,
    INHIBITED,
    DealStopped,
    DeviceKind,
    DoorOpened,
    FaceUpCard,
    Jammed,
    Level,
    PoweredUp,
    SelfTestFailed,
)

ALARMS = (Jammed, DealStopped, DoorOpened, FaceUpCard, PoweredUp, SelfTestFailed)


def at_once(state: State, given: Input, serial: int) -> tuple[WantedLevel, ...]:
    """Safe levels for this input. `serial`: any number not used before in this run of the daemon."""
    operation = AT_ONCE | (serial & (AT_ONCE - 1))
    if isinstance(given.body, AnnounceNoMoreBets) and given.actor is not None and state.round is not None:
        return _everywhere(state, DeviceKind.PROGRESSIVE, Level.LOCKOUT, ENGAGED, operation)
    if isinstance(given.body, ALARMS):
        dispensers = [DeviceKind.SHOE, DeviceKind.SHUFFLER]
        return tuple(
            w for kind in dispensers for w in _everywhere(state, kind, Level.DISPENSING, INHIBITED, operation)
        )
    return ()


def everything_safe(state: State, serial: int) -> tuple[WantedLevel, ...]:
    """All levels with a safe side to that side: the record has failed, or the core has."""
    operation = AT_ONCE | (serial & (AT_ONCE - 1))
    return (
        *_everywhere(state, DeviceKind.PROGRESSIVE, Level.LOCKOUT, ENGAGED, operation),
        *_everywhere(state, DeviceKind.SHOE, Level.DISPENSING, INHIBITED, operation),
        *_everywhere(state, DeviceKind.SHUFFLER, Level.DISPENSING, INHIBITED, operation),
    )


def _everywhere(
    state: State, kind: DeviceKind, level: Level, value: str, operation: int
) -> tuple[WantedLevel, ...]:
    """One command for each device of this kind that has the level and may be on its open side."""
    may_be_open = [
        name
        for name, device in state.devices.items()
        if device.kind is kind and has_level(device, level) and device.wanted.get(level) != value
    ]
    return tuple(WantedLevel(name, level, value, operation + i) for i, name in enumerate(may_be_open))
