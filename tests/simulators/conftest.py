"""Fixtures for the simulated devices: machines with power, time that the test moves, hands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

import pytest

from drivers.protocol.reports import DeviceKind, Level, Report, ResetCause
from simulators import shoe, shuffler
from simulators.body import CardSettings
from simulators.cards import Card
from simulators.faults import FaultBook, parse
from simulators.machine import CardMachine
from simulators.model import Answer, Done, Model
from simulators.progressive import Progressive, ProgressiveSettings


@dataclass
class Bench:
    """One model under a test's hand: time, acts, commands, and everything it reported or did with cards."""

    model: Model
    seen: list[tuple[str, Mapping[str, object]]]
    now: float = 0.0
    reports: list[Report] = field(default_factory=list)
    operation: int = 0

    def power_up(self, cause: ResetCause = ResetCause.POWER) -> None:
        self.reports += self.model.power_up(self.now, cause)

    def run(self, seconds: float) -> list[Report]:
        """Lets time pass; returns what was reported meanwhile."""
        before = len(self.reports)
        self.now += seconds
        self.reports += self.model.step(self.now)
        return self.reports[before:]

    def act(self, name: str, **given: object) -> Done:
        done = self.model.act(name, given, self.now)
        self.reports += done.reports
        return done

    def want(self, level: Level, value: str, operation: int | None = None) -> Answer:
        self.operation += 1
        answer = self.model.command(level, value, self.operation if operation is None else operation, self.now)
        self.reports += answer.reports
        return answer

    def of(self, kind: type[Report]) -> list[Report]:
        return [r for r in self.reports if isinstance(r, kind)]

    def take_all(self) -> list[tuple[Card, ...]]:
        """Takes each stack as it comes until none comes any more."""
        stacks = []
        for _ in range(60):
            self.run(3.0)
            if self.model.state()["deal"] != "offered":
                break
            stacks.append(self.act("take").cards)
        return stacks


@pytest.fixture
def bench() -> Callable[..., Bench]:
    """Builds a device of a kind with faults written as on the command line, and powers it up."""

    def build(
        kind: str, *faults: str, on: bool = True, seats: int = 6, sensors: int = 1, **settings: object
    ) -> Bench:
        seen: list[tuple[str, Mapping[str, object]]] = []

        def witness(what: str, particulars: Mapping[str, object]) -> None:
            seen.append((what, particulars))

        book = FaultBook([parse(text, DeviceKind(kind)) for text in faults], witness)
        model: CardMachine | Progressive
        match kind:
            case "shuffler":
                model = shuffler.build(CardSettings(**settings), Random(1), book, witness)
            case "shoe":
                model = shoe.build(CardSettings(**settings), Random(1), book, witness)
            case _:
                remembers = bool(settings.get("remembers"))
                model = Progressive(ProgressiveSettings(seats, sensors, remembers), book, witness)
        built = Bench(model, seen)
        if on:
            built.power_up()
        return built

    return build
