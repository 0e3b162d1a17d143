"""The short form of `make soak`: a thousand random rounds of each rulebook, every input watched."""

import json
import sys

import pytest

from controller.cli.filters.decide import example_setup
from controller.games.fates import Fate
from controller.games.model import Phase
from controller.rules.elections import proposals
from controller.rules.vocabulary import Method, Role
from controller.table.state.table import Round, Seat, State, Wager
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor, Input, Moment
from controller.table.words.structs import replace
from tests.soak import run
from tests.soak.day import Day, Tally
from tests.soak.invariants import Watch
from tests.soak.plan import days, missing, play_day, report, seed_of
from tests.soak.shrink import breaks_at, shrunk
from tests.soak.tables import RULEBOOKS, book

ROUNDS = 1_000
SEED = {"ma-uth": 3, "md-uth": 6, "nj-pikit": 4}
"""Else 1. What comes up once in a thousand rounds or so does not come up under every seed."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_random_rounds_break_nothing_and_everything_comes_up(rulebook):
    """A thousand rounds under each document keep the invariants and agree with `settle`; every act, trigger and way of dealing
    comes up."""
    tally = Tally()
    for day, rounds in days(ROUNDS):
        tally.add(play_day(rulebook, SEED.get(rulebook, 1), day, rounds))
    print(report(rulebook, tally))
    assert sum(tally.rounds.values()) == ROUNDS
    assert tally.rounds["played"] > ROUNDS // 2
    assert missing(rulebook, tally) == []


def test_a_day_is_the_same_each_time_from_its_seed():
    """What broke can be played again: the same seed draws the same inputs, another one others."""
    drawn = []
    for seed in (7, 7, 8):
        inputs: list[Input] = []
        Day("md-uth", seed_of("md-uth", seed, 0), 5, inputs).play()
        drawn.append(inputs)
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


def _day(rounds: int) -> tuple[Day, list[Input]]:
    inputs: list[Input] = []
    day = Day("md-uth", seed_of("md-uth", 1, 0), rounds, inputs)
    day.play()
    return day, inputs


def test_a_wager_that_is_decided_twice_is_seen():
    """The eyes are open: what was given back once has no other fate."""
    day, _ = _day(1)
    watch, state = Watch(day.setup), State.initial(day.setup)
    given = Input(Moment(1, 1, "b"), "table", a.SettleRound(), None, Actor("eve", Role.DEALER))
    back = f.WagerDecided("r", 1, "ante", 500, "USD", "returned", ("13.I",))
    watch._decided(state, given, back)
    with pytest.raises(AssertionError, match="was returned and is now lost"):
        watch._decided(state, given, replace(back, fate="lost"))
    with pytest.raises(AssertionError, match="was returned"):
        watch._decided(state, given, back)


def test_what_broke_is_made_short(monkeypatch):
    """A day that breaks is cut down to the few inputs without which it would not."""
    day, inputs = _day(5)
    assert breaks_at(day.setup, inputs) is None
    assert shrunk(day.setup, inputs) == inputs

    begun = Watch._begun

    def no_third_round(self, before, given, event):
        begun(self, before, given, event)
        assert event.number < 3

    monkeypatch.setattr(Watch, "_begun", no_third_round)
    few = shrunk(day.setup, inputs)
    assert sum(given.body.kind in ("begin_round", "next_round") for given in few) == 3
    assert len(few) < len(inputs) // 2
    broken = breaks_at(day.setup, few)
    assert broken is not None
    assert broken[0] == len(few) - 1


@pytest.mark.parametrize(
    ("elected", "lies", "phase", "decided", "seen"),
    [
        ("return", Fate.SETTLED, Phase.SHOWDOWN, {}, None),
        ("hold", Fate.SETTLED, Phase.SHOWDOWN, {}, "R-131 is not return"),
        ("stands", Fate.SETTLED, Phase.SHOWDOWN, {}, "R-131 is not return"),
        ("return", Fate.SETTLED, Phase.SHOWDOWN, {"reading": "R-71"}, "was settled and is now returned"),
        ("return", Fate.SETTLED, Phase.SHOWDOWN, {"fate": "lost"}, "lost"),
        ("return", Fate.LIVE, Phase.SHOWDOWN, {}, "R-131"),
        ("return", Fate.SETTLED, Phase.SETTLED, {}, "R-131"),
    ],
)
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_settled_wager_that_goes_back_is_seen_unless_that_was_elected(
    rulebook, elected, lies, phase, decided, seen
):
    """Only by R-131, only what was settled while play went on, only once."""
    law = book(rulebook)
    chosen = {q: (choice, "soak") for q, choice in {**proposals(law), "R-131": elected}.items()}
    watch = Watch(setup := example_setup(law, chosen))
    seats = {1: Seat({"ante": Wager(500, lies)})}
    round_ = Round("r", 1, "red", Method.HAND, phase=phase, seats=seats)
    state = replace(State.initial(setup), round=round_)
    given = Input(Moment(1, 1, "b"), "table", a.SettleRound(), None, Actor("eve", Role.DEALER))
    back = replace(f.WagerDecided("r", 1, "ante", 500, "USD", "returned", (), "R-131"), **decided)
    if seen is None:
        watch._decided(state, given, back)
        seen = "was returned"
    with pytest.raises(AssertionError, match=seen):
        watch._decided(state, given, back)


def test_an_act_that_is_done_without_being_allowed_is_seen():
    """A refusal that leaves something behind, or an act that goes through although it may not, breaks the day."""
    day, _ = _day(1)
    before = State.initial(day.setup)
    given = Input(Moment(1, 1, "b"), "table", a.EndRound(), None, Actor("eve", Role.DEALER))
    with pytest.raises(AssertionError, match="refused False, allowed False"):
        Watch(day.setup).saw(before, given, [f.Fact("table", f.TableOpened("eve"))], before)


def test_a_run_says_what_broke_and_how_to_play_it_again(monkeypatch, capsys):
    """Seed, day and command first, then the inputs as `decide` reads them; a clean run names what never came up."""
    monkeypatch.setattr(
        sys, "argv", ["run", "--rounds", "2", "--seed", "4", "--rulebook", "md-uth", "--processes", "1"]
    )
    assert run.main() == 1
    said = capsys.readouterr().out
    assert said.startswith("seed 4\n")
    assert "md-uth: 2 rounds (" in said
    assert "FAULT: nobody ever did " in said

    monkeypatch.setattr(Watch, "_ended", _never)
    assert run.main() == 1
    said = capsys.readouterr().out
    assert "BROKEN: md-uth, day 0: round 1, input " in said
    assert "again: make soak SEED=4 RULEBOOK=md-uth DAY=0 SOAK_ROUNDS=2" in said
    last = json.loads(said[said.rindex('{"at"') :].splitlines()[0])
    assert last["kind"] == "end_round"


def _never(self, before, given, event):
    raise AssertionError("no round may end")
