"""A decision being made: facts are added one by one, and each is folded at once so that the next sees its effect."""

import dataclasses
from typing import Any, TypeVar

from controller.games.model import Phase
from controller.rules.applies import Here, applying
from controller.rules.model import Demand
from controller.rules.parts import ProcedureStep
from controller.rules.vocabulary import Method, Role
from controller.table.fold.fold import evolve
from controller.table.state.table import Fate, Setup, State
from controller.table.words.acts import Resolution
from controller.table.words.facts import (
    FACTS,
    DispositionMade,
    Event,
    Fact,
    HoldPlaced,
    LevelWanted,
    StepsAsked,
    WagerDecided,
)
from controller.table.words.inputs import Moment
from controller.table.words.structs import replace
from drivers.events import SAFE_VALUE, Level

TABLE = "table"
CITING = frozenset(kind for kind in FACTS.values() if hasattr(kind, "cite") or kind is StepsAsked)
"""Facts that cite clauses, or ask for what does."""
P = TypeVar("P", Demand, ProcedureStep)


class Draft:
    """Collects the facts of one input. `state` is the state after the facts so far. `asked`: the way of dealing that the input
    asks for."""

    def __init__(self, setup: Setup, state: State, at: Moment, asked: Method | None = None) -> None:
        self.setup, self.state, self.at, self.asked = setup, state, at, asked
        self.facts: list[Fact] = []

    def add(self, event: Event, subject: str = TABLE) -> None:
        """Adds the fact; of the clauses that it cites those go that do not speak of this table. Clause: `[[applies]]`."""
        if type(event) in CITING:
            event = self._as_applies(event)
        fact = Fact(subject, event)
        self.facts.append(fact)
        self.state = evolve(self.state, fact)

    def applying(self, cite: tuple[str, ...]) -> tuple[str, ...]:
        """These clauses without those that do not speak of this table as it is dealt now."""
        conditions = self.setup.law.rulebook.applies
        for clause in cite:
            if clause in conditions:
                return applying(conditions, cite, here(self.setup, self.state, self.asked))
        return cite

    def _as_applies(self, event: Any) -> Any:
        """The same fact, with what it asks or demands, citing only what applies."""
        changed: dict[str, Any] = {}
        if isinstance(event, StepsAsked):
            changed["steps"] = self._each(event.steps)
        elif (cite := self.applying(event.cite)) != event.cite:
            changed["cite"] = cite
        if isinstance(event, DispositionMade):
            changed["demands"] = self._each(event.demands)
        return replace(event, **changed) if changed else event

    def _each(self, parts: tuple[P, ...]) -> tuple[P, ...]:
        return tuple(dataclasses.replace(part, cite=self.applying(part.cite)) for part in parts)

    def next_id(self, prefix: str) -> str:
        """A number for a duty or a hold: never used twice in one journal, short enough to say aloud."""
        return f"{prefix}{self.state.serial + 1}"

    def decide_wager(
        self, seat: int, wager: str, cents: int, fate: Fate, cite: tuple[str, ...], reading: str | None
    ) -> None:
        """Gives a wager of the round its fate."""
        assert self.state.round is not None
        name, currency = self.state.round.id, self.setup.currency
        self.add(WagerDecided(name, seat, wager, cents, currency, fate.value, cite, reading))

    def want(self, device: str, level: Level, value: str, because: str, *, anew: bool = False) -> None:
        """Records that a level shall hold. Says nothing where it is wanted already and the device does not object.

        `anew`: says so all the same, as another operation.
        """
        known = self.state.devices[device]
        says = _device_says(known.levels, level)
        silent = says is None and not (level in SAFE_VALUE and known.online)
        if not anew and known.wanted.get(level) == value and (silent or says == value):
            return
        operation = operation_id(self.at, self.state.serial + 1)
        self.add(LevelWanted(device, level.value, value, operation, because))

    def make_safe(self, because: str) -> None:
        """Takes back every release and every permission to dispense: the only direction that needs no person."""
        for name, device in self.state.devices.items():
            for level, safe in SAFE_VALUE.items():
                wanted = device.wanted.get(level)
                if wanted is not None and wanted != safe:
                    self.want(name, level, safe, because)

    def hold(
        self,
        reason: str,
        *,
        cite: tuple[str, ...] = (),
        reading: str | None = None,
        seat: int = 0,
        wager: str = "",
        least_role: Role = Role.FLOORPERSON,
        choices: tuple[Resolution, ...] | None = None,
        code: str | None,
    ) -> None:
        """Stops play until a person has looked, and takes every level to the safe side.

        A hold that neither clause nor reading asks for stands under the reading by which people lift holds. To void the
        round is offered only where what the hold stands under can lead to that.
        """
        cite = self.applying(cite)
        if not cite and reading is None:
            reading = self.setup.law.of_holds
        if choices is None:
            choices = self.choices(may_void=self.setup.law.may_void(reading))
        self.add(HoldPlaced(self.next_id("H"), reason, least_role, seat, wager, cite, reading, choices, code))
        self.make_safe(reason)

    def choices(self, *, may_void: bool) -> tuple[Resolution, ...]:
        """What a person may answer to a hold on the round: never a void of what is settled, or is void already."""
        round_ = self.state.round
        can_void = round_ is not None and not round_.void and round_.phase is not Phase.SETTLED
        return (Resolution.GO_ON, Resolution.VOID) if can_void and may_void else (Resolution.GO_ON,)


def here(setup: Setup, state: State, asked: Method | None = None) -> Here:
    """The table as the conditions of clauses see it. `asked`: a way of dealing that somebody asks for."""
    methods = (state.method,) if asked is None else (state.method, asked)
    kinds = [device.kind.value for device in setup.devices.values()]
    offered, round_ = setup.offered, state.round
    if (
        round_ is not None and round_.chips and "progressive" not in offered
    ):  # it is withdrawn since this round began
        offered |= {"progressive"}
    return Here(methods, len(setup.backs), kinds, offered)


def _device_says(levels: object, level: Level) -> str | None:
    value = getattr(levels, level.value)
    return value if isinstance(value, str) else None


def operation_id(at: Moment, serial: int) -> int:
    """Identity of a command: unique over journals and restarts, and small enough (51 bits) for any JSON reader."""
    return (at.wall_us // 1_000_000 & 0x7FFFFFFF) << 20 | serial & 0xFFFFF


AT_ONCE = 1 << 52
"""Marks the operation ids of the fail-safe, which acts before the record."""
