"""Rare turns: devices that are not in use, sets that nobody can vouch for, chips beside chips, counts at an odd time."""

import pytest

from controller.rules.vocabulary import Action, Method, Trigger
from controller.table.state.table import Phase
from controller.table.words import acts as a


def duties(table):
    return {d.action for d in table.state.duties.values()}


# ---- sets that nobody can vouch for


# ---- holds


def test_a_round_goes_on_when_the_floor_lets_held_wagers_stand(make_table, rulebook):
    """R-14 "hold": nothing was void, so what stands is played."""
    table = make_table(rulebook, elect={"R-14": "hold"}).ready().begin(trips=()).let_out().deal()
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP, cards=2))
    assert set(table.fates().values()) == {"held"}
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.WAGER_STANDS))
    assert table.round.phase is Phase.PRE_FLOP
    table.to_showdown().act(a.SettleRound())
    assert set(table.fates().values()) == {"settled"}


def test_a_silence_without_an_election_holds(make_table):
    """The daemon came back with a configuration that elects nothing: the table asks, it does not pass over."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)
    table.setup = make_table("md-uth", unelected=True).setup
    table.act(a.ReportIrregularity(Trigger.PLAYER_CARD_EXPOSED, seat=1))
    assert "No reading was elected" in next(iter(table.state.holds.values())).reason


# ---- after settlement


def test_trips_that_was_spared_is_settled_when_the_dealer_says_so(make_table, rulebook):
    """Clause: md-uth 13.G, ma-uth 15(a)."""
    table = make_table(rulebook).ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.RETURN_WAGER))
    for duty in list(table.state.duties.values()):
        if duty.action in (Action.DEAL_COMMUNITY, Action.SETTLE):
            table.act(a.ConfirmDuty(duty.id))
    assert table.fates()[1, "trips"] == "settled"


# ---- play can always be taken up again


# ---- counts


def test_a_dealer_short_of_a_card_completes_the_hand_before_anyone_is_asked(make_table):
    """Clause: ma-uth 15(d): the cards in sequence; then two seats and the dealer hold six cards."""
    table = make_table("ma-uth").ready().begin().let_out().deal(2)
    table.stack(3, cards=1)
    assert table.round.phase is Phase.DEALING
    assert "all stacks are out" in table.refused(a.StartDealing()).reason
    (duty,) = table.state.duties.values()
    assert duty.action is Action.COMPLETE_DEALER_HAND
    table.act(a.ConfirmDuty(duty.id))
    assert (table.round.phase, table.round.cards_out) == (Phase.PRE_FLOP, 6)


def test_nobody_is_asked_while_the_dealers_hand_is_short(make_table):
    """Found late, dealt by hand: first the dealer's hand, then play."""
    table = make_table("ma-uth", Method.HAND).ready().begin().let_out()
    table.act(a.RecordInitialDeal())
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER, completable=True))
    assert "complete_dealer_hand" in table.refused(a.RecordDecision(1, a.Decision.CHECK)).reason


# ---- clean-up after a void


def test_cards_are_not_collected_before_spared_wagers_are_settled_on_them(make_table, rulebook):
    """Clause: md-uth 13.G, ma-uth 15(a): first the community cards, then Trips, then the discard rack."""
    table = make_table(rulebook, elect={"R-11": "return"}).ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    community, trips = (
        next(d.id for d in table.state.duties.values() if d.action is action)
        for action in (Action.DEAL_COMMUNITY, Action.SETTLE)
    )
    assert "community cards first" in table.refused(a.ConfirmDuty(trips)).reason
    assert "flop comes next" in table.refused(a.RevealCommunity(a.Street.LAST_TWO)).reason
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.act(a.RevealCommunity(street))
    assert "all community cards" in table.refused(a.RevealCommunity(a.Street.FLOP)).reason
    assert community not in table.state.duties
    assert "settle_trips" in table.refused(a.CollectCards()).reason
    table.act(a.ConfirmDuty(trips))
    table.act(a.CollectCards())


# ---- another method


@pytest.mark.parametrize("rulebook", ["md-uth", "ma-uth", "nj-pikit", "ma-colorado"])
def test_a_shuffler_taken_out_after_the_betting_comes_back(make_table, rulebook):
    """One that has not failed is no jam: it is returned, and shuffles what is dealt. Clauses as above."""
    table = make_table(rulebook, Method.HAND, offered=(), devices=("shuffler-1",)).ready()
    names = [n for n, w in table.setup.law.rulebook.wagers.items() if w.placed == "before_deal" and not w.optional]
    table.bet(*((1, name, 1000) for name in names)).close_bets()
    table.act(a.TakeDeviceOut("shuffler-1", a.OutOfService.REMOVED, failed=False))
    table.shuffled_by_hand("red")
    refused = table.refused(a.StartDealing())
    assert refused.code == "shuffled_by_hand"
    assert "return shuffler-1" in refused.reason
    assert "shuffler_jam" not in refused.reason
    table.act(a.ReturnDevice("shuffler-1"))
    assert "shuffle the red set in shuffler-1" in table.refused(a.StartDealing()).reason
    table.shuffled("red")
    table.act(a.StartDealing())


# ---- levels


def test_a_set_shuffled_by_hand_is_counted_whatever_the_idle_shuffler_can(make_table):
    """Clause: md-uth 10.C waives the count where a counting shuffler is being used; for this set none was."""
    table = make_table("md-uth", elect={"R-40": "no_demand"}).ready()
    for number in range(4):
        table.whole_round("red" if number % 2 == 0 else "blue")
    table.shuffled_by_hand("red")
    table.begin("red").let_out().deal().to_showdown()
    table.act(a.SettleRound())
    assert table.refused(a.CollectCards()).code == "stub_count_due"
