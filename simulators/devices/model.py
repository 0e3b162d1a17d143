"""The interface of every simulated device: a pure state machine with hands. No bytes, no asyncio, no clock.

Time is the model's own, in seconds, and only grows. Each call returns its reports in order. A model takes its safe
side at power-up and whenever it no longer hears its host, and leaves it only for a new command.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Protocol

from drivers.protocol.records import dataclass
from drivers.protocol.reports import (
    Capability,
    Cause,
    DeviceKind,
    DispensingAllowed,
    DispensingInhibited,
    Level,
    Levels,
    LockoutEngaged,
    LockoutReleased,
    Report,
    ResetCause,
)
from simulators.devices.cards import Card
from simulators.scenario.faults import FaultBook

DISPLAY_CHARS = 40
"""What fits on a device's display: two lines of twenty."""
OPERATIONS_KEPT = 256
"""How many executed operations a device remembers; a host has one outstanding, so this is generous."""


class ActImpossible(Exception):
    """Hands cannot do that now: nothing to take, the lid is shut, the power is off."""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of an act at the device. `note`: the display's text for the person, "" = none."""

    reports: tuple[Report, ...] = ()
    cards: tuple[Card, ...] = ()
    note: str = ""


class Outcome(StrEnum):
    """What a device did with a command."""

    EXECUTED = "executed"
    DUPLICATE = "duplicate"  # obeyed before; not obeyed again
    REFUSED = "refused"
    IGNORED = "ignored"  # the link did not let it through: another session, or no such value


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a level command. `holds`: the level is as commanded; `text` says why not."""

    outcome: Outcome
    holds: bool
    text: str = ""
    reports: tuple[Report, ...] = ()


class Model(Protocol):
    """The interface that the simulator's runtime uses."""

    kind: DeviceKind
    faults: FaultBook

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        """What the device can do, as its WELCOME says."""

    @property
    def occasion(self) -> int:
        """The number of the current or last shuffle, deal or lock-out since the start; 0 = none."""
        ...

    @property
    def occasion_since(self) -> float:
        """The model time at which the occasion began."""
        ...

    def power_up(self, now: float, cause: ResetCause) -> tuple[Report, ...]:
        """Starts the device; returns its first reports."""

    def power_down(self, now: float) -> None:
        """Stops everything that moves: the power is gone."""

    def step(self, now: float) -> tuple[Report, ...]:
        """Does all steps that are due at `now`, and returns their reports."""

    def next_step(self) -> float | None:
        """Returns the model time of the next move; None = nothing moves before a hand or a command."""
        ...

    def command(self, level: Level, value: str, operation: int, now: float) -> Answer:
        """Obeys or refuses a command for a level; returns what the device did with it."""

    def host_lost(self, now: float) -> tuple[Report, ...]:
        """Takes the safe state because the host is silent; returns the reports of that."""

    def act(self, name: str, given: Mapping[str, object], now: float) -> Done:
        """Does one thing by hand. Raises `ActImpossible`, also for an unknown act."""
        ...

    def levels(self) -> Levels:
        """Returns the device's levels as it would report them now."""

    def state(self) -> dict[str, object]:
        """Returns everything that an onlooker sees, as plain JSON values."""
        ...


@dataclass(slots=True)
class Emitter:
    """Collects reports until the causing call returns."""

    muted: bool = True  # no power: nothing is noticed
    _reports: list[Report] = field(default_factory=list)

    def __call__(self, report: Report) -> None:
        """Keeps a report until `drain`, except while the device has no power."""
        if not self.muted:
            self._reports.append(report)

    def drain(self) -> tuple[Report, ...]:
        """Returns the waiting reports, oldest first, and forgets them."""
        reports = tuple(self._reports)
        self._reports.clear()
        return reports


class Operations:
    """Remembers obeyed operation ids, so that a repeat after a new handshake has no effect."""

    def __init__(self) -> None:
        self._obeyed: dict[int, None] = {}

    def is_new(self, operation: int) -> bool:
        """Returns True if no command with this operation number was obeyed yet."""
        return operation not in self._obeyed

    def remember(self, operation: int) -> None:
        """Notes an obeyed operation number; the oldest of more than `OPERATIONS_KEPT` is forgotten."""
        self._obeyed[operation] = None
        while len(self._obeyed) > OPERATIONS_KEPT:
            del self._obeyed[next(iter(self._obeyed))]


@dataclass(slots=True)
class Latch:
    """A level with a safe side. Any cause may close it; only a new command opens it."""

    closed_report: type[LockoutEngaged] | type[DispensingInhibited]
    open_report: type[LockoutReleased] | type[DispensingAllowed]
    emit: Callable[[Report], None]
    closed: bool = True

    def close(self, cause: Cause, operation: int = 0) -> bool:
        """Takes the safe side; returns False if it was taken."""
        if self.closed:
            return False
        self.closed = True
        self.emit(self.closed_report(cause, operation))
        return True

    def open(self, operation: int) -> bool:
        """Opens the latch by command and reports the opening; returns False if the latch was open."""
        if not self.closed:
            return False
        self.closed = False
        self.emit(self.open_report(Cause.COMMAND, operation))
        return True

    def power_up(self) -> None:
        """Takes the safe side at power-up and reports it, whatever was before."""
        self.closed = True
        self.emit(self.closed_report(Cause.POWER_UP, 0))


def obey(latch: Latch, value: str, values: tuple[str, str], operation: int, seen: Operations) -> Answer:
    """Sets a latch. `values`: the words for closed and open. A repeated command may close, never open."""
    closed_value, open_value = values
    is_new = seen.is_new(operation)
    outcome = Outcome.EXECUTED if is_new else Outcome.DUPLICATE
    if value == closed_value:
        latch.close(Cause.COMMAND, operation)
    elif value == open_value and is_new:
        latch.open(operation)
    elif value != open_value:
        return Answer(Outcome.REFUSED, False, f"{value!r} is neither {closed_value} nor {open_value}")
    seen.remember(operation)
    holds = latch.closed == (value == closed_value)
    return Answer(
        outcome, holds, "" if holds else f"operation {operation} was obeyed before and does not open again"
    )


def number(given: Mapping[str, object], key: str, default: int | None = None) -> int:
    """Returns a whole number of an act's arguments. Raises `ActImpossible` if it is missing or invalid."""
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ActImpossible(f"{key} must be a whole number")
    return value


def earliest(*times: float | None) -> float | None:
    """Returns the earliest of these times; None if none is set."""
    return min((t for t in times if t is not None), default=None)
