"""Fast Action Hold 'Em from the wager to the discard rack, round after round from one shoe, and what stands in the way."""

import pytest

from controller.rules.vocabulary import Area, Method, Trigger
from controller.table.questions.deal_plan import deal_plan
from controller.table.state.table import Phase
from controller.table.words import acts as a
from controller.table.words import facts as f

BETS = ((1, "original", 1000), (2, "original", 700), (4, "original", 500), (6, "original", 300))
ALL = a.RevealCommunity(a.Street.COMMUNITY)
HAND = a.CollectCards(), a.EndRound()


@pytest.fixture
def table(make_table):
    """A table of Fast Action that deals from a manual shoe, open and with both sets shuffled."""
    return make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready()


def dealt(table, back="red"):
    table.bet(*BETS, back=back).let_out()
    table.act(a.RecordInitialDeal())
    return table


def play(table, back="red"):
    """A whole round in which everybody sets the hand."""
    dealt(table, back)
    for seat, _, _ in BETS:
        table.answer(seat, "set")
    for act in (a.RevealDealer(), ALL, a.SettleRound(), *HAND):
        table.act(act)


def test_a_round_is_played_to_its_end(table):
    """Set, split, surrender and a natural; dealer's hand, burn, community cards, settlement, rack."""
    dealt(table)
    assert (table.round.phase, table.round.cards_out) == (Phase.SETTING, 20)
    table.answer(1, "set")
    table.answer(2, "split", 1)
    table.answer(4, "surrender")
    table.answer(6, "natural")
    fates = table.fates()
    assert (fates[1, "original"], fates[2, "second_hand"]) == ("live", "live")
    assert (fates[4, "original"], fates[6, "original"]) == ("settled", "settled")
    table.act(a.RevealDealer())
    assert table.round.phase is Phase.DEALER_SET
    table.act(ALL)
    assert table.round.phase is Phase.SHOWDOWN
    table.act(a.SettleRound())
    for act in HAND:
        table.act(act)
    ended = [fact.event for fact in table.all if isinstance(fact.event, f.RoundEnded)]
    assert [event.outcome for event in ended] == ["played"]


def test_what_stands_in_the_way_of_each_step(table):
    """A wrong answer, a second wager of another amount, a dealer's hand before all have set, community cards too early."""
    dealt(table)
    for word in ("check", "fold", "play", "bet"):
        assert "sets the hand" in table.refused(a.RecordDecision(1, a.Decision(word), 1)).reason
    for wrong in (0, 2):
        refused = table.refused(a.RecordDecision(1, a.Decision.SPLIT, wrong))
        assert "a Second hand wager is 1 times the original" in refused.reason
        assert "(h)(3)" in refused.cite
    table.answer(1, "split", 1)
    assert table.round.seats[1].wagers["second_hand"].cents == 1000
    assert "answered already" in table.refused(a.RecordDecision(1, a.Decision.SURRENDER)).reason
    assert "seats 2, 4, 6 have not been asked" in table.refused(a.RevealDealer()).reason
    assert "cannot be done in phase setting" in table.refused(ALL).reason


def test_a_dealers_natural_ends_the_round_without_community_cards(table):
    """Original wagers are collected, the second hand of a split goes back. Clause: fast-action (h)(8)."""
    dealt(table)
    table.answer(1, "split", 1)
    for seat in (2, 4, 6):
        table.answer(seat, "set")
    events = table.act(a.RevealDealer(natural=True))
    back = [event for event in events if isinstance(event, f.WagerDecided)]
    assert [(w.seat, w.wager, w.fate, w.cite) for w in back] == [(1, "second_hand", "returned", ("(h)(8)",))]
    assert table.round.phase is Phase.SHOWDOWN
    assert table.fates()[1, "original"] == "live"
    for trigger in (Trigger.WRONG_COUNT_COMMUNITY, Trigger.COMMUNITY_CARD_EXPOSED):
        refused = table.refused(a.ReportIrregularity(trigger))
        assert refused.reason.startswith("the dealer has a natural, so no community card is dealt; if it is none")
        assert refused.cite == ("(h)(8)",)
    table.act(a.SettleRound())


def test_no_hand_of_the_dealers_wins_at_once_in_another_game(make_table):
    """Only a document that knows naturals takes one."""
    table = make_table("md-uth").ready().begin().let_out().deal()
    table.decide_all(a.Decision.PLAY, 4)
    table.act(a.RevealCommunity(a.Street.FLOP))
    table.act(a.RevealCommunity(a.Street.LAST_TWO))
    assert "wins at once" in table.refused(a.RevealDealer(natural=True)).reason


def test_one_shoe_is_dealt_on_from_round_to_round_until_its_cutting_card_comes(table):
    """No shuffle between rounds; after the cutting card the round ends and the set is shuffled. Clause: (e)(7), (g)(4)."""
    for _ in range(3):
        play(table)
        assert table.state.sets["red"].armed
    dealt(table)
    table.act(a.ReportIrregularity(Trigger.CUTTING_CARD_REACHED, at_dealer=True))
    for seat, _, _ in BETS:
        table.answer(seat, "set")
    for act in (a.RevealDealer(), ALL, a.SettleRound(), *HAND):
        table.act(act)
    assert not table.state.sets["red"].armed
    assert "duties are open" in table.refused(a.BeginRound("blue")).reason
    for duty in list(table.state.duties):
        table.act(a.ConfirmDuty(duty))
    play(table, "blue")


def test_the_marker_goes_clockwise_and_shows_where_the_first_card_goes(table):
    """First the dealer, then seat by seat, and past the last seat to the dealer again. Clause: (g)(2), (g)(3)."""
    firsts = []
    for _ in range(8):
        dealt(table)
        plan = deal_plan(table.setup, table.round)
        firsts.append(plan[0].seat)
        assert len(plan) == 20
        assert [p.seat for p in plan[:5]] == [p.seat for p in plan[5:10]]
        assert all((p.seat == 0) is (p.area is Area.DEALER) for p in plan)
        for seat, _, _ in BETS:
            table.answer(seat, "set")
        for act in (a.RevealDealer(), ALL, a.SettleRound(), *HAND):
            table.act(act)
    assert firsts == [0, 1, 2, 4, 4, 6, 6, 0]


def test_a_marker_that_was_not_moved_lies_one_place_back_for_this_round_alone(table):
    """The round is completed and the marker goes to the place after the one where it lies. Clause: (i)(6)."""
    play(table)
    dealt(table)
    assert deal_plan(table.setup, table.round)[0].seat == 1
    table.act(a.ReportIrregularity(Trigger.MARKER_NOT_MOVED))
    assert deal_plan(table.setup, table.round)[0].seat == 0
    for seat, _, _ in BETS:
        table.answer(seat, "set")
    for act in (a.RevealDealer(), ALL, a.SettleRound(), *HAND):
        table.act(act)
    assert table.state.marker == 1


def test_a_void_round_that_was_dealt_has_moved_the_marker(table):
    """The clause speaks of completed rounds; that a void one counts is the maker's choice, R-173. Clause: (g)(2)."""
    dealt(table)
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER))
    (hold,) = [h for h in table.state.holds.values() if a.Resolution.VOID in h.choices]
    table.act(a.ResolveHold(hold.id, a.Resolution.VOID))
    for duty in list(table.state.duties):
        table.act(a.ConfirmDuty(duty))
    for act in HAND:
        table.act(act)
    ended = [fact.event for fact in table.all if isinstance(fact.event, f.RoundEnded)]
    assert ended[-1].outcome == "void"
    assert table.state.marker == 1


def test_a_round_without_cards_leaves_the_marker_where_it_lies(table):
    """Betting that was opened and given up is no round of play."""
    table.act(a.BeginRound("red"))
    table.act(a.EndRound())
    assert table.state.marker == 0
    assert "has no stub count" in table.refused(a.RecordStubCount(1)).reason


def test_a_way_of_dealing_that_the_document_does_not_have_is_refused_with_those_it_has(table, make_table):
    """This game is dealt from a shoe alone, and from an automated one where that was elected. Clause: (b)(2), (k)(1)."""
    refused = table.refused(a.ChangeMethod(Method.HAND))
    assert "no dealing by hand here; there are: manual_shoe, dealing_shoe" in refused.reason
    assert "(b)(2)" in refused.cite
    refused = table.refused(a.ChangeMethod(Method.DEALING_SHOE))
    assert "no dealing_shoe may be in service here, as R-18 was elected" in refused.reason
    elected = make_table("fast-action", Method.MANUAL_SHOE, elect={"R-18": "house_procedure"}).ready()
    elected.act(a.ChangeMethod(Method.DEALING_SHOE))


def test_a_set_that_is_dealt_by_hand_is_in_play_from_when_it_was_let_out(table):
    """Nobody reports the first card: no other set takes its place, and none of its steps is taken, before it is collected."""
    table.bet(*BETS).let_out()
    assert "the red set is in play" in table.refused(a.BringSet("red")).reason
    table.act(a.RecordInitialDeal())
    assert "the red set is in play" in table.refused(a.BringSet("red")).reason
