"""Colorado Hold 'Em from the ante to the discard rack in both versions, and what stands in the way at each step."""

import pytest

from controller.rules.vocabulary import Method, Trigger
from controller.table.state.table import Phase
from controller.table.words import acts as a
from controller.table.words import facts as f

BETS = ((1, "ante", 1000), (1, "bonus", 100), (3, "ante", 500), (5, "ante", 700), (6, "ante", 700))
ALL = a.RevealCommunity(a.Street.COMMUNITY)


@pytest.fixture
def dealt(make_table):
    """A table of Colorado with three cards at seats 1, 3, 5 and 6 and three for all; seat 1 has a bonus wager."""

    def deal(version="required_bet", **elect):
        table = make_table("ma-colorado", elect={"version": version, **elect}, offered=("bonus",))
        return table.ready().bet(*BETS).let_out().deal()

    return deal


def test_a_round_with_the_required_bet_is_played_to_its_end(dealt):
    """Bet, fold and a declared instant winner; then the community cards, settlement and rack."""
    table = dealt()
    assert (table.round.phase, table.round.cards_out) == (Phase.DECISION, 15)
    table.answer(1, "bet", 1)
    table.answer(3, "fold")
    table.answer(5, "declare")
    assert "seats 6 have not been asked" in table.refused(ALL).reason
    table.answer(6, "bet", 1)
    table.act(ALL)
    assert table.round.phase is Phase.SHOWDOWN
    assert table.right_stub() == 37
    table.end(count=True)
    ended = [fact.event for fact in table.all if isinstance(fact.event, f.RoundEnded)]
    assert [event.outcome for event in ended] == ["played"]


def test_with_the_required_bet_a_player_bets_folds_or_declares(dealt):
    """Nobody stays without a bet, and a bet equals the ante. Clause: ma-colorado 10(b)(1), 10(b)(2)."""
    table = dealt()
    refused = table.refused(a.RecordDecision(1, a.Decision.STAY))
    assert "in this version" in refused.reason
    assert "10(b)(1)" in refused.cite
    for wrong in (0, 2):
        assert (
            "a Bet wager is 1 times the ante" in table.refused(a.RecordDecision(1, a.Decision.BET, wrong)).reason
        )
    table.answer(1, "bet", 1)
    assert table.round.seats[1].wagers["bet"].cents == 1000
    assert "answered already" in table.refused(a.RecordDecision(1, a.Decision.FOLD)).reason


def test_with_the_permissible_bet_a_player_may_stay_and_nobody_folds(dealt):
    """Clause: ma-colorado 11(b)(1)."""
    table = dealt("permissible_bet")
    assert "in this version" in table.refused(a.RecordDecision(1, a.Decision.FOLD)).reason
    table.answer(1, "stay")
    table.answer(3, "bet", 1)
    table.answer(5, "declare")
    table.answer(6, "stay")
    table.act(ALL)
    assert table.fates()[1, "ante"] == "live"
    table.end()


def test_what_is_collected_or_paid_before_the_community_cards_is_settled_then(dealt):
    """A fold loses the ante at once, an instant winner is paid at once. Clause: ma-colorado 10(b)(2), 10(b)(3)(i)."""
    table = dealt()
    table.answer(1, "declare")
    table.answer(3, "fold")
    fates = table.fates()
    assert (fates[1, "ante"], fates[1, "bonus"], fates[3, "ante"]) == ("settled", "settled", "collected")
    assert fates[5, "ante"] == "live"


def test_the_community_cards_are_shown_all_at_once_and_no_dealer_has_a_hand(dealt):
    """There is one street and no dealer's hand in this game. Clause: ma-colorado 10(c)."""
    table = dealt()
    for seat in (1, 3, 5, 6):
        table.answer(seat, "fold")
    assert "community comes next" in table.refused(a.RevealCommunity(a.Street.FLOP)).reason
    assert "another game" in table.refused(a.RevealDealer()).reason
    table.act(ALL)
    assert "cannot be done" in table.refused(ALL).reason


def test_a_bonus_is_one_dollar_exactly_and_stands_beside_an_ante(make_table):
    """Clause: ma-colorado 6a(b); an ante that is withdrawn leaves no bonus alone."""
    table = make_table("ma-colorado", offered=("bonus",)).ready().bet((1, "ante", 1000), (3, "ante", 500))
    assert "exactly 100 cents" in table.refused(a.PlaceWager(1, "bonus", 200)).reason
    assert "needs ante" in table.refused(a.PlaceWager(2, "bonus", 100)).reason
    table.act(a.PlaceWager(1, "bonus", 100))
    table.act(a.WithdrawWager(1, "ante"))
    assert "seat 1: the ante must stand" in table.refused(a.AnnounceNoMoreBets()).reason


def test_a_false_declaration_loses_that_ante_and_the_others_play_on(dealt):
    """Clause: ma-colorado 14(d). The bonus beside it is held, for the text is silent on it."""
    table = dealt()
    table.act(a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=1))
    assert table.round.seats[1].void
    fates = table.fates()
    assert (fates[1, "ante"], fates[1, "bonus"], fates[3, "ante"]) == ("lost", "held", "live")


def test_a_table_dealt_from_the_hand_counts_the_same_cards(make_table):
    """On people's word alone: three cards to each and three for all have left the deck."""
    table = make_table("ma-colorado", Method.HAND, offered=("bonus",)).ready().bet(*BETS).let_out()
    table.act(a.RecordInitialDeal())
    assert (table.round.cards_out, table.right_stub()) == (15, 37)
