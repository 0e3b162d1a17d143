"""A shoe out of which everything is dealt: after the first deal the burn, the community cards, and what a short hand lacks."""

import pytest

from controller.rules.vocabulary import Method, Trigger
from controller.table.questions.deal_plan import cards_gone
from controller.table.words import acts as a
from drivers import events as e

COMMUNITY = a.RevealCommunity(a.Street.COMMUNITY)
NOT_LET_OUT = "cards_dispensed"


@pytest.fixture
def table(make_table):
    """Fast Action from a shoe that reshuffles by itself; two players and the dealer have four cards each."""
    made = make_table(
        "fast-action", Method.DEALING_SHOE, {"R-18": "house_procedure"}, offered=(), backs=("red",), devices=("shoe-1",)
    )  # fmt: skip
    made.online("shoe-1", capabilities=(e.Capability.DISPENSES_STACKS, e.Capability.RESHUFFLES))
    made.open().put(
        e.ShuffleCompleted(e.Back.RED, mode=e.Mode.SHUFFLE, identities=e.Identities.NOT_READ, count=312), "shoe-1"
    )
    return made.bet((1, "original", 1000), (3, "original", 1000)).let_out().deal()


@pytest.fixture
def dealer_set(table):
    """All have set their hands and the dealer's is turned up."""
    table.decide_all(a.Decision.SET)
    table.act(a.RevealDealer())
    return table


def give(table, *stacks):
    """The shoe gives out stacks of so many cards."""
    return [event for cards in stacks for event in table.put(e.StackDispensed(e.Back.RED, 1, cards), "shoe-1")]


def wanted(table):
    return table.state.devices["shoe-1"].wanted["dispensing"]


def out(table):
    return cards_gone(table.setup, table.round)


def short(table, seat=3):
    """A player of so many cards is found to lack some; returns the question."""
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat))
    (duty,) = table.state.duties.values()
    return duty.id


def test_one_card_more_than_were_let_out_is_a_wrong_number(dealer_set, disposed):
    """R-37."""
    dealer_set.act(a.StartDealing())
    made = disposed(give(dealer_set, 5, 2))
    assert made.trigger is Trigger.WRONG_COUNT_COMMUNITY
    assert wanted(dealer_set) == "inhibited"


def test_nor_may_one_come_once_they_are_shown(dealer_set):
    """All that belongs to the round is out."""
    dealer_set.act(a.StartDealing())
    give(dealer_set, 6)
    dealer_set.act(COMMUNITY)
    give(dealer_set, 1)
    assert dealer_set.state.held


def test_a_card_that_was_not_let_out_for_it_is_held(table):
    """One is let out at a time."""
    short(table)
    table.act(a.StartDealing())
    give(table, 1, 1)
    assert [hold.code for hold in table.state.holds.values()] == [NOT_LET_OUT]
