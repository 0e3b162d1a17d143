"""Brings a table of the bench of the pure core to the state that a case of a clause names under `given`."""

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from controller.rules.vocabulary import Method, Role, Trigger
from controller.table import acts as a
from controller.table import facts as f
from controller.table.acts import ACTS
from controller.table.codec import BODIES, body_from
from controller.table.inputs import Actor
from drivers import events as e

BENCH = Path(__file__).resolve().parents[1] / "controller" / "table" / "conftest.py"
_spec = importlib.util.spec_from_file_location("bench_of_the_core", BENCH)
assert _spec is not None
assert _spec.loader is not None
bench = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = bench
_spec.loader.exec_module(bench)
make_table = bench.make_table

STAGES = (
    "closed", "opened", "no_round", "betting", "bets_closed", "dealing", "pre_flop", "flop", "last_two", "showdown",
    "settled", "collected",
)  # fmt: skip
GIVEN = frozenset(
    {"at", "method", "elect", "offered", "counting", "rounds", "void_rounds", "back", "seats", "trips", "chips", "stacks",
     "before"}
)  # fmt: skip
"""Words of `given`. `rounds`, `void_rounds`: rounds before this one; `chips`: seats with a progressive chip in time."""


def known(given: dict[str, Any], words: frozenset[str], where: str) -> None:
    """Raises for a word that the runner would pass over: a case with a slip of the pen proves nothing."""
    unknown = sorted(set(given) - words)
    assert not unknown, f"{where}: unknown {', '.join(unknown)}; there are: {', '.join(sorted(words))}"


class Stage:
    """Plays a table up to the state that is given, then puts the one input of the case."""

    def __init__(self, table: Any, given: dict[str, Any]) -> None:
        self.table, self.given = table, given
        self.at = STAGES.index(given.get("at", "no_round"))
        self.back = given.get("back", "blue" if self._earlier() % 2 else "red")

    def _earlier(self) -> int:
        return int(self.given.get("rounds", 0)) + int(self.given.get("void_rounds", 0))

    def set_up(self) -> None:
        steps: tuple[Callable[[], object], ...] = (
            self._heard, lambda: self.table.act(a.OpenTable()), self._earlier_rounds, self._betting,
            self.table.close_bets, self._let_out, self._deal, lambda: self._street(a.Street.FLOP),
            lambda: self._street(a.Street.LAST_TWO), self._showdown, lambda: self.table.act(a.SettleRound()),
            lambda: self.table.act(a.CollectCards()),
        )  # fmt: skip
        for step in steps[: self.at + 1]:
            step()
        for step_given in self.given.get("before", []):
            events = self.put(step_given)
            refused = [event for event in events if isinstance(event, f.InputRefused)]
            assert not refused, refused[0].reason

    def _heard(self) -> None:
        for name in self.table.setup.devices:
            uncounted = name == "shuffler-1" and not self.given.get("counting", True)
            self.table.online(name, **({"capabilities": (e.Capability.TWO_SETS,)} if uncounted else {}))

    def _earlier_rounds(self) -> None:
        for back in self.table.setup.backs:
            self._shuffle(back)
        for number in range(self._earlier()):
            back = "blue" if number % 2 else "red"
            self.table.begin(back).let_out()
            if number < int(self.given.get("rounds", 0)):
                self._deal()
                self.table.to_showdown().end()
            else:
                self._void_round()
            self._shuffle(back)

    def _void_round(self) -> None:
        """The shoe jams before its first stack, and all that this demands is done."""
        self.table.act(a.ReportIrregularity(Trigger.SHOE_JAM))
        self.table.act(a.CollectCards())
        self.table.act(a.EndRound())
        self.table.put(e.CardsRemoved(0), "shoe-1")
        self._shuffle(self.table.state.last_back)
        for duty in list(self.table.state.duties):
            self.table.act(a.ConfirmDuty(duty))

    def _shuffle(self, back: str) -> None:
        self.table.shuffled(back, 52 if self.given.get("counting", True) else None)

    def _betting(self) -> None:
        self.table.begin(self.back, tuple(self.given.get("seats", (1, 3))), tuple(self.given.get("trips", ())))
        for seat in self.given.get("chips", ()):
            self.table.chip(seat)

    def _let_out(self) -> None:
        round_ = self.table.round
        if round_.accepted and self.table.setup.law.rulebook.progressive.verify_count.value:
            self.table.act(a.RecordProgressiveCount(len(round_.accepted)))
        self.table.act(a.StartDealing())
        if self.at == STAGES.index("dealing"):
            for number in range(1, int(self.given.get("stacks", 0)) + 1):
                self.table.stack(number)

    def _deal(self) -> None:
        if self.table.state.dispenser():
            self.table.deal()
        else:
            self.table.act(a.RecordInitialDeal())

    def _street(self, street: a.Street) -> None:
        self.table.decide_all(a.Decision.CHECK)
        self.table.act(a.RevealCommunity(street))

    def _showdown(self) -> None:
        self.table.decide_all(a.Decision.PLAY, 1)
        self.table.act(a.RevealDealer())

    def put(self, given: dict[str, Any]) -> list[f.Event]:
        """One input, `seconds` later: an `act` of a `role`, a `report` `from` a device, or what the `clock` says.

        `off_by`: cards of the stub against a right one; a duty is named by its action, a hold by what it was placed by.
        """
        words = dict(given)
        self.table.pass_time(float(words.pop("seconds", 0.001)) - 0.001)
        role, device = Role(words.pop("role", "supervisor")), words.pop("from", "")
        kind = words.pop("act", None) or words.pop("report", None) or words.pop("clock", None)
        assert kind in BODIES, f"when: no input of kind {kind}"
        if "off_by" in words:
            words["stub"] = self.table.right_stub() + words.pop("off_by")
        known(words, frozenset(x.name for x in fields(BODIES[kind])), f"when {kind}")
        if kind == "confirm_duty":
            words["duty"] = next(d.id for d in self.table.state.duties.values() if d.action == words["duty"])
        if kind == "resolve_hold":
            words["hold"] = next(
                h.id for h in self.table.state.holds.values() if (h.reading or h.cite[0]) == words["hold"]
            )
        actor = Actor(f"a {role}", role) if kind in ACTS else None
        events: list[f.Event] = self.table.put(body_from(kind, words), device or "table", actor)
        return events


@pytest.fixture
def stage(make_table: Callable[..., Any]) -> Callable[[str, dict[str, Any]], Stage]:
    """A table of a rulebook in the state that is given."""

    def make(rulebook: str, given: dict[str, Any]) -> Stage:
        known(given, GIVEN, "given")
        method = Method(given.get("method", "dealing_shoe"))
        offered = tuple(given.get("offered", ("trips", "progressive")))
        staged = Stage(make_table(rulebook, method, given.get("elect"), offered), given)
        staged.set_up()
        return staged

    return make
