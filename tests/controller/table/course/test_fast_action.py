"""Fast Action Hold 'Em from the wager to the discard rack, round after round from one shoe, and what stands in the way."""

import pytest

from controller.rules.vocabulary import Method, Trigger
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
