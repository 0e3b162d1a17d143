"""Any record of the input vocabulary, its fields drawn at random: so an act or a report that is new is driven too."""

import enum
import types
import typing
from functools import cache
from random import Random
from typing import Any

from controller.table.state.table import Setup, State
from controller.table.words.structs import is_record, names
from drivers import events as e

DEVICE_KINDS = {
    e.DeviceKind.SHUFFLER: (
        e.ShuffleStarted, e.ShuffleCompleted, e.ShuffleStopped, e.CardsLoaded, e.ModeChanged, e.Jammed, e.JamCleared,
        e.CardsRemoved, e.PoweredUp, e.SelfTestFailed, e.FaceUpCard, e.DoorOpened, e.DoorClosed, e.ButtonPressed,
        e.StackDispensed, e.DealStopped, e.DealCompleted, e.DispensingAllowed, e.DispensingInhibited, e.AlarmRaised,
    ),
    e.DeviceKind.SHOE: (
        e.StackDispensed, e.DealStopped, e.DealCompleted, e.Jammed, e.JamCleared, e.CardsRemoved, e.PoweredUp,
        e.SelfTestFailed, e.FaceUpCard, e.DoorOpened, e.DoorClosed, e.ButtonPressed, e.DispensingAllowed,
        e.DispensingInhibited, e.AlarmRaised,
    ),
    e.DeviceKind.PROGRESSIVE: (
        e.WagerSensed, e.WagerRemoved, e.LockoutEngaged, e.LockoutReleased, e.PoweredUp, e.SelfTestFailed, e.ButtonPressed,
        e.AlarmRaised,
    ),
}  # fmt: skip
"""What each kind of device reports when it is not beside itself."""


class Builder:
    """Draws records for one table."""

    def __init__(self, rng: Random, setup: Setup) -> None:
        self.rng, self.setup = rng, setup
        self._full = setup.law.rulebook.decks.full.value
        self._backs = tuple(e.Back(back) for back in setup.backs)

    def record(self, cls: type[Any], state: State) -> Any:
        """One of this class; of what the table has, where a field speaks of it."""
        return cls(**{name: self._value(name, kind, state) for name, kind in _hints(cls)})

    def _value(self, name: str, kind: Any, state: State) -> Any:
        rng = self.rng
        match name:
            case "seat" | "player" | "position" if kind is int:
                return rng.randint(1, self.setup.seats) if rng.random() < 0.95 else rng.choice((0, 99, -1))
            case "back":
                own = rng.choice(self._backs) if rng.random() < 0.8 else rng.choice(tuple(e.Back))
                return own if kind is e.Back else own.value
            case "wager":
                return rng.choice((*self.setup.law.rulebook.wagers, "none"))
            case "duty":
                return rng.choice((*state.duties, "D0"))
            case "hold":
                return rng.choice((*state.holds, "H0"))
            case "dispute":
                return rng.choice((*state.disputes, "C0"))
            case "alarm":
                return rng.choice((*state.alarms, "A0"))
            case "what":
                return rng.choice((*self.setup.devices, *self.setup.backs, "ghost"))
            case "device":
                return rng.choice((*self.setup.devices, "ghost"))
            case "cents" | "paid":
                return rng.choice((500, 1000, 1500, 1, 0))
            case "count" | "all_cards" | "stub":
                whole = rng.choice((self._full, self._full, self._full - 1, self._full + 1))
                return rng.choice((None, whole)) if kind is not int else whole
            case "lockout":
                return rng.choice((None, e.ENGAGED, e.RELEASED))
            case "dispensing":
                return rng.choice((None, e.INHIBITED, e.ALLOWED))
            case "value":
                return rng.choice((e.ENGAGED, e.RELEASED, e.INHIBITED, e.ALLOWED))
            case "note":
                return ""
            case "coupon" if kind is bool:
                return rng.random() < 0.1
            case "coupon" | "holder":
                return rng.choice((0, 0, 0, 0, 0, 0, 0, 1, 2, 500))
        return self._of_type(kind, state)

    def _of_type(self, kind: Any, state: State) -> Any:
        rng = self.rng
        if kind is bool:
            return rng.random() < 0.5
        if kind is int:
            return rng.choice((0, 1, 1, 2, 3, 4, 5))
        if kind is str:
            return rng.choice(("", "x"))
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return rng.choice(tuple(kind))
        if is_record(kind):
            return self.record(kind, state)
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin in (types.UnionType, typing.Union):
            chosen = rng.choice(inner)
            return None if chosen is types.NoneType else self._of_type(chosen, state)
        if origin is tuple:
            return tuple(self._of_type(inner[0], state) for _ in range(rng.randint(0, 3)))
        raise TypeError(f"nothing is drawn for a {kind}; say here how")


@cache
def _hints(cls: type[Any]) -> tuple[tuple[str, Any], ...]:
    hints = typing.get_type_hints(cls)
    return tuple((name, hints[name]) for name in names(cls))
