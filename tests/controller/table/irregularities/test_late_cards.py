"""A shoe out of which everything is dealt: after the first deal the burn, the community cards, and what a short hand lacks."""

import pytest

from controller.daemon.views.prompts import stage_document
from controller.daemon.views.status import next_step
from controller.rules.vocabulary import Method, Trigger
from controller.table.questions.deal_plan import cards_gone
from controller.table.state.table import Phase
from controller.table.words import acts as a
from controller.table.words import facts as f
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


@pytest.mark.parametrize("stacks", [(1,) * 6, (1, 5), (6,)])
def test_the_burn_and_the_community_cards_come_out_of_it(dealer_set, stacks):
    """Card by card or in stacks, and then it is inhibited. Clause: fast-action (h)(10), (k)(1)."""
    table = dealer_set
    assert (table.round.phase, wanted(table)) == (Phase.DEALER_SET, "inhibited")
    assert "Let 6 cards out of shoe-1" in next_step(table.setup, table.state)
    refused = table.refused(COMMUNITY)
    assert refused.reason == (
        "cards to be burned and for the community are still in shoe-1 (6); let them out first (start_dealing)"
    )
    assert refused.cite == ("(h)(10)",)
    (allowed, _) = table.act(a.StartDealing())
    assert allowed == f.DealingAllowed("a supervisor", resumed=False, late=True)
    for cards in stacks:
        assert wanted(table) == "allowed"
        assert "are still in shoe-1" in table.refused(COMMUNITY).reason
        give(table, cards)
    assert (wanted(table), table.state.held, out(table)) == ("inhibited", False, 18)
    assert table.refused(a.StartDealing()).code == "all_dealt"
    table.act(COMMUNITY)
    assert (table.round.phase, out(table)) == (Phase.SHOWDOWN, 18)
    for act in (a.SettleRound(), a.CollectCards(), a.EndRound()):
        table.act(act)
    (ended,) = [fact.event for fact in table.all if isinstance(fact.event, f.RoundEnded)]
    assert ended.cards == 18


def test_before_they_are_let_out_none_may_come(dealer_set):
    """Clause: fast-action (k)(1)."""
    give(dealer_set, 1)
    assert [hold.code for hold in dealer_set.state.holds.values()] == [NOT_LET_OUT]


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


@pytest.mark.parametrize("report", [e.DealCompleted(e.Back.RED, 1, 0), e.PoweredUp(e.ResetCause.POWER, 300)])
@pytest.mark.parametrize("came", [1, 5])
def test_one_that_stops_before_they_are_out_has_failed(dealer_set, disposed, report, came):
    """What it still owes, be it a single card, is let out again, or dealt by hand once it is away. R-18."""
    table = dealer_set
    table.act(a.StartDealing())
    give(table, came)
    assert disposed(table.put(report, "shoe-1")).trigger is Trigger.SHOE_JAM


def test_interrupted_they_are_let_out_again(dealer_set):
    """As many as are left."""
    table = dealer_set
    table.act(a.StartDealing())
    give(table, 1, 1)
    table.put(e.DoorOpened(), "shoe-1")
    table.put(e.DoorClosed(), "shoe-1")
    assert "Let 4 cards out" in next_step(table.setup, table.state)
    assert stage_document(table.setup, table.round)["ends"]["from_deck"] == 4
    allowed = table.act(a.StartDealing())[0]
    assert (allowed.resumed, allowed.late) == (True, True)
    give(table, 4)
    table.act(COMMUNITY)


@pytest.mark.parametrize("came", [0, 2])
def test_where_the_shoe_is_away_hands_deal_the_rest(dealer_set, came):
    """It is counted all the same."""
    table = dealer_set
    table.act(a.StartDealing())
    give(table, *([1] * came))
    table.act(a.TakeDeviceOut("shoe-1", a.OutOfService.REMOVED, failed=True))
    table.act(COMMUNITY)
    assert out(table) == 18


def test_a_dealers_natural_leaves_them_in_the_shoe(table):
    """Clause: fast-action (h)(8)."""
    table.decide_all(a.Decision.SET)
    table.act(a.RevealDealer(natural=True))
    assert (table.round.phase, out(table)) == (Phase.SHOWDOWN, 12)
    table.act(a.SettleRound())


@pytest.mark.parametrize("lacks", [1, 2])
def test_a_short_hand_has_its_cards_out_of_it_one_by_one(table, lacks):
    """After all others, before the community cards; each is let out by itself. Clause: fast-action (i)(3)."""
    duty = short(table)
    for _ in range(lacks):
        table.act(a.StartDealing())
        give(table, 1)
        assert (wanted(table), table.state.held) == ("inhibited", False)
    table.act(a.ConfirmDuty(duty))
    assert out(table) == 12 + lacks
    refused = table.refused(a.StartDealing())
    assert "the deal is done" in refused.reason
    table.decide_all(a.Decision.SET)
    table.act(a.RevealDealer())
    table.act(a.StartDealing())
    give(table, 1, 5)
    table.act(COMMUNITY)
    assert (out(table), table.state.held) == (18 + lacks, False)


def test_also_where_it_is_found_once_the_dealers_hand_is_up(dealer_set):
    """The community cards wait for it. Clause: fast-action (i)(3)."""
    table = dealer_set
    duty = short(table)
    table.act(a.StartDealing())
    give(table, 1)
    assert wanted(table) == "inhibited"
    table.act(a.ConfirmDuty(duty))
    give(table, 1)
    assert [hold.code for hold in table.state.holds.values()] == [NOT_LET_OUT]


def test_a_card_that_was_not_let_out_for_it_is_held(table):
    """One is let out at a time."""
    short(table)
    table.act(a.StartDealing())
    give(table, 1, 1)
    assert [hold.code for hold in table.state.holds.values()] == [NOT_LET_OUT]


def test_a_player_who_gives_it_up_needs_none(table):
    """What was let out for it is taken back. Clause: fast-action (i)(3)."""
    short(table)
    table.act(a.StartDealing())
    table.act(a.ReportIrregularity(Trigger.HAND_DECLARED_VOID, 3))
    assert wanted(table) == "inhibited"
    give(table, 1)
    assert [hold.code for hold in table.state.holds.values()] == [NOT_LET_OUT]


def test_where_the_rest_is_dealt_by_hand_nothing_more_is_let_out(make_table):
    """Clause: ma-uth 9(d)."""
    table = make_table("ma-uth").ready().begin().let_out().deal()
    assert "cannot be done in phase pre_flop" in table.refused(a.StartDealing()).reason
    table.decide_all(a.Decision.CHECK)
    table.act(a.RevealCommunity(a.Street.FLOP))
