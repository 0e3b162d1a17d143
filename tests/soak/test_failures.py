"""The property about failing devices sees what it is for: the printed words are void only by their own reading."""

import msgspec
import pytest

from controller.cli.filters.decide import example_setup
from controller.rules.elections import proposals
from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.state.deal import Deal
from controller.table.state.table import Phase, Round, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor, Input, Moment
from tests.soak.failures import leaves_the_round
from tests.soak.tables import book

BOOKS = ("ma-uth", "md-uth", "nj-pikit", "ma-colorado")


def at(rulebook: str, elected: str, phase: Phase, trigger: Trigger, demand: Demand) -> None:
    """A round in this phase; after the deal nothing is left to be dealt. A person reports that a device failed."""
    law = book(rulebook)
    chosen = {question: (choice, "soak") for question, choice in {**proposals(law), "R-128": elected}.items()}
    setup = msgspec.structs.replace(example_setup(law, chosen), method=Method.DEALING_SHOE)
    state = State.initial(setup)
    dealt = phase is not Phase.BETTING
    round_ = Round(
        "r1",
        1,
        "red",
        Method.DEALING_SHOE,
        phase=phase,
        deal=Deal.DONE if dealt else Deal.NOTHING,
        cards_out=4 * dealt,
    )
    given = Input(Moment(0, 0, "b"), "table", a.ReportIrregularity(trigger), None, Actor("x", Role.DEALER))
    made = f.DispositionMade(trigger, (), "r1", 0, (demand,), (), False, rulebook, "", "", "")
    leaves_the_round(setup, msgspec.structs.replace(state, round=round_), given, made)


@pytest.mark.parametrize("phase", [Phase.BETTING, Phase.SHOWDOWN])
@pytest.mark.parametrize("action", [Action.VOID_ROUND, Action.RETURN_ALL_WAGERS, Action.HOLD_ROUND])
@pytest.mark.parametrize("rulebook", BOOKS)
def test_a_shoe_without_its_cards_stops_a_round_by_its_reading_alone(
    rulebook: str, action: Action, phase: Phase
) -> None:
    """Neither by the clause, nor by another reading, nor where the other choice is elected."""
    by_reading = Demand(action, reading="R-128")
    for demand in (Demand(action, ("15(f)",)), Demand(action, reading="R-22"), Demand(action, reading="R-30")):
        with pytest.raises(AssertionError, match="stops a round without its cards"):
            at(rulebook, "printed_words", phase, Trigger.SHOE_JAM, demand)
    with pytest.raises(AssertionError, match="R-128 is cards_to_deal"):
        at(rulebook, "cards_to_deal", phase, Trigger.SHOE_JAM, by_reading)
    at(rulebook, "printed_words", phase, Trigger.SHOE_JAM, by_reading)


@pytest.mark.parametrize("rulebook", BOOKS)
def test_a_shuffler_without_the_set_stops_a_round_by_r_10_alone(rulebook: str) -> None:
    """The round is dealt by a shoe, and its cards lie on the layout."""
    for demand in (Demand(Action.VOID_ROUND, ("13.H",)), Demand(Action.VOID_ROUND, reading="R-32")):
        with pytest.raises(AssertionError, match="stops a round without its cards"):
            at(rulebook, "printed_words", Phase.SHOWDOWN, Trigger.SHUFFLER_JAM, demand)
