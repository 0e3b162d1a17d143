"""Brings a table of the bench of the pure core to the state that a case of a clause names under `given`."""

import importlib.util
import json
import sys
from collections.abc import Callable
from copy import copy
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from controller.games.model import Game, Settle, ShowCommunity, ShowDealer
from controller.games.model import Stage as GameStage
from controller.games.registry import game_of
from controller.rules.vocabulary import Method, Role, Trigger
from controller.table.questions.stub_count_and_turns import asking_order
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.acts import ACTS
from controller.table.words.codec import BODIES, body_from
from controller.table.words.inputs import Actor
from controller.table.words.structs import names
from drivers import events as e

BENCH = Path(__file__).resolve().parents[1] / "controller" / "table" / "conftest.py"
_spec = importlib.util.spec_from_file_location("bench_of_the_core", BENCH)
assert _spec is not None
assert _spec.loader is not None
bench = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = bench
_spec.loader.exec_module(bench)

BEFORE = ("closed", "opened", "no_round", "betting", "bets_closed", "dealing")
AFTER = ("settled", "collected")
"""Where a table stands before the first stage of its game and after the last; between them come the phases of the game."""
GIVEN = frozenset(
    {"at", "method", "elect", "offered", "counting", "rounds", "void_rounds", "back", "backs", "devices", "seats", "trips",
     "bets", "chips", "mode", "stacks", "answers", "steps", "wall_clock", "reshuffles", "limits", "before"}
)  # fmt: skip
"""Words of `given`. `rounds`, `void_rounds`: rounds before this one; `chips`: seats with a progressive chip in time;
`bets`: wagers beside those that each seat must place, as [seat, name, cents]; `answers`: by seat, others give the first
answer of each stage; `backs`, `devices`: what is at the table, [] = none; `steps`: so many steps of the opening are
taken with each set, without it all of them; `wall_clock`: what stamps say of it, as a rule "unsynced";
`reshuffles`: the device that does so by itself."""
OFFERED = ("trips", "progressive", "three_card_bonus", "bonus")


def known(given: dict[str, Any], words: frozenset[str], where: str) -> None:
    """Raises for a word that the runner would pass over: a case with a slip of the pen proves nothing."""
    unknown = sorted(set(given) - words)
    assert not unknown, f"{where}: unknown {', '.join(unknown)}; there are: {', '.join(sorted(words))}"


class Stage:
    """Plays a table up to the state that is given, then puts the one input of the case."""

    def __init__(self, table: Any, given: dict[str, Any]) -> None:
        self.table, self.given = table, given
        table.clock = given.get("wall_clock", table.clock)
        self.law = table.setup.law.rulebook
        game = game_of(self.law)
        assert game is not None
        self.game: Game = game
        said = {answer.decision.value for stage in game.stages for answer in stage.answers}
        known(dict.fromkeys(given.get("answers", {}).values()), frozenset(said), "given answers")
        self.at: str = given.get("at", "no_round")
        self.back: str = given.get("back", self._back(self._earlier()))

    def _earlier(self) -> int:
        return int(self.given.get("rounds", 0)) + int(self.given.get("void_rounds", 0))

    def _back(self, number: int) -> str:
        """The set of this round: two take turns, unless one is dealt on from round to round."""
        backs: tuple[str, ...] = self.table.setup.backs
        return backs[0] if self.game.keeps_set else backs[number % len(backs)]

    def set_up(self) -> None:
        steps: tuple[Callable[[], object], ...] = (
            self._heard, self._open, self._earlier_rounds, self._betting,
            self.table.close_bets, self._let_out, self._deal, *(partial(self._play, stage) for stage in self.game.stages),
            lambda: self.table.act(a.CollectCards()),
        )  # fmt: skip
        names = (*BEFORE, *(stage.phase.value for stage in self.game.stages), *AFTER)
        assert self.at in names, f"given: no stage {self.at}; there are: {', '.join(names)}"
        for step in steps[: names.index(self.at) + 1]:
            step()
        phase = self.table.state.round and self.table.round.phase
        assert phase == self.at or self.at in (*BEFORE, *AFTER), f"given: at {self.at} it is in phase {phase}"
        for step_given in self.given.get("before", []):
            events = self.put(step_given)
            refused = [event for event in events if isinstance(event, f.InputRefused)]
            assert not refused, refused[0].reason

    def _heard(self) -> None:
        for name in self.table.setup.devices:
            uncounted = name == "shuffler-1" and not self.given.get("counting", True)
            can = (
                (e.Capability.TWO_SETS,) if uncounted else bench.CAPABILITIES[self.table.setup.devices[name].kind]
            )
            by_itself = (e.Capability.RESHUFFLES,) if name == self.given.get("reshuffles") else ()
            changes: dict[str, Any] = {"capabilities": (*can, *by_itself)}
            if name == "shuffler-1" and self._mode() is not None:
                changes["levels"] = e.Levels(dispensing=e.INHIBITED, mode=self._mode(), cards_inside=0)
            self.table.online(name, **changes)

    def _mode(self) -> e.Mode | None:
        """The mode that is given, else the one that a wager on offer needs."""
        needs = "cover_all" if "cover_all" in self.given.get("offered", ()) else None
        mode = self.given.get("mode", needs)
        return None if mode is None else e.Mode(mode)

    def _open(self) -> None:
        self.table.act(a.OpenTable())
        self.table.take_steps(self.given.get("steps"))

    def _earlier_rounds(self) -> None:
        for back in self.table.setup.backs:
            self._shuffle(back)
        for number in range(self._earlier()):
            self._bet(self._back(number))
            self.table.let_out()
            if number < int(self.given.get("rounds", 0)):
                self._whole_round()
            else:
                self._void_round()
            if not self.game.keeps_set:
                self._shuffle(self._back(number))

    def _whole_round(self) -> None:
        self._deal()
        for stage in self.game.stages:
            self._play(stage)
        self.table.act(a.CollectCards())
        self.table.act(a.EndRound())

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
        """By the shuffler or the shoe that reshuffles, where one is at the table, else by hand."""
        if self.given.get("reshuffles") == "shoe-1":
            full = self.law.decks.full.value
            done = e.ShuffleCompleted(
                e.Back(back), mode=e.Mode.SHUFFLE, identities=e.Identities.NOT_READ, count=full
            )
            self.table.put(done, "shoe-1")
            return
        if "shuffler-1" not in self.table.setup.devices:
            self.table.shuffled_by_hand(back)
            return
        self.table.shuffled(back, self.law.decks.full.value if self.given.get("counting", True) else None)

    def _betting(self) -> None:
        self._bet(self.back)
        for seat in self.given.get("chips", ()):
            self.table.chip(seat)

    def _bet(self, back: str) -> None:
        """What each seat must place, ten units of the currency each, and then what it places beside that."""
        must = [
            rule.name for rule in self.law.wagers.values() if rule.placed == "before_deal" and not rule.optional
        ]
        bets = [(seat, name, 1000) for seat in self.given.get("seats", (1, 3)) for name in must]
        bets += [(seat, "trips", 500) for seat in self.given.get("trips", ())]
        self.table.bet(*bets, *map(tuple, self.given.get("bets", ())), back=back)

    def _let_out(self) -> None:
        round_ = self.table.round
        if round_.chips_accepted and self.law.progressive.verify_count.value:
            self.table.act(a.RecordProgressiveCount(round_.chips_accepted))
        self.table.act(a.StartDealing())
        if self.at == "dealing":
            for number in range(1, int(self.given.get("stacks", 0)) + 1):
                self.table.stack(number)

    def _deal(self) -> None:
        if self.table.state.dispenser():
            self.table.deal()
        else:
            self.table.act(a.RecordInitialDeal())

    def _play(self, stage: GameStage) -> None:
        """Each player is asked who has to be, then the act that ends the stage."""
        if self.table.round.phase is not stage.phase:  # passed over, for nobody is asked
            return
        for seat in asking_order(self.table.setup, self.table.round)[0]:
            self._answer(stage, seat)
        match stage.ends:
            case ShowCommunity(street=street):
                self.table.community(street)
            case ShowDealer():
                self.table.act(a.RevealDealer())
            case Settle():
                self.table.act(a.SettleRound())

    def _answer(self, stage: GameStage, seat: int) -> None:
        wanted = self.given.get("answers", {}).get(str(seat))
        version = self.law.play.version.value if self.law.play.version else None
        may = [x for x in stage.answers if x.version in (None, version)]
        answer = next((x for x in may if x.decision == wanted), may[0])
        multiple = 0
        if answer.places and stage.moment:
            multiple = self.law.wagers[answer.places].multiples(stage.moment)[0]
        self.table.act(a.RecordDecision(seat, answer.decision, multiple))

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
        known(words, frozenset(names(BODIES[kind])), f"when {kind}")
        if kind == "confirm_duty":
            words["duty"] = next(d.id for d in self.table.state.duties.values() if d.word == words["duty"])
        if kind == "resolve_hold":
            words["hold"] = next(
                h.id for h in self.table.state.holds.values() if (h.reading or h.cite[0]) == words["hold"]
            )
        actor = Actor(f"a {role}", role) if kind in ACTS else None
        events: list[f.Event] = self.table.put(body_from(kind, words), device or "table", actor)
        return events


def stage_of(rulebook: str, given: dict[str, Any]) -> Stage:
    """A table of a rulebook in the state that is given."""
    known(given, GIVEN, "given")
    method = Method(given.get("method", "dealing_shoe"))
    offered = tuple(given.get("offered", OFFERED))
    at_table: dict[str, Any] = {word: given[word] for word in ("backs", "devices") if word in given}
    at_table["limits"] = {wager: tuple(limits) for wager, limits in given.get("limits", {}).items()}
    staged = Stage(bench.table_of(rulebook, method, given.get("elect"), offered, **at_table), given)
    staged.set_up()
    return staged


@cache
def _staged(rulebook: str, given: str) -> Stage:
    return stage_of(rulebook, json.loads(given))


def _stage_again(rulebook: str, given: dict[str, Any]) -> Stage:
    staged = copy(_staged(rulebook, json.dumps(given)))
    staged.table = staged.table.copy()
    return staged


@pytest.fixture
def stage() -> Callable[[str, dict[str, Any]], Stage]:
    """Brings a table to a state, see `stage_of`: once for all cases that are given the same."""
    return _stage_again
