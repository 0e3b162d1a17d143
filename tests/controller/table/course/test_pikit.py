"""Pik-it Poker from the ante to the discard rack, and what stands in the way at each step."""

import pytest

from controller.rules.vocabulary import Area
from controller.table.words import acts as a

WIN, LOSE = a.Outcome.WIN, a.Outcome.LOSE
BONUS = ("three_card_bonus",)
BETS = (
    (1, "ante", 1000), (1, "five_card_bonus", 1000), (1, "three_card_bonus", 300),
    (2, "ante", 500), (2, "five_card_bonus", 500), (4, "ante", 700), (4, "five_card_bonus", 700),
)  # fmt: skip


@pytest.fixture
def dealt(make_table):
    """A table of Pik-it with five cards at seats 1, 2 and 4 and with the dealer; seat 1 has a three card bonus."""

    def deal(**elect):
        return make_table("nj-pikit", elect=elect, offered=BONUS).ready().bet(*BETS).let_out().deal()

    return deal


@pytest.fixture
def told(dealt):
    """The dealer's pair of jacks: seat 4 wins with kings, seats 2 and 1 lose, as far as their cards are told."""

    def make(*seats, of_2="Ts Th 7d 5d 3c", **elect):
        table = dealt(**elect)
        table.answer(1, "show")
        for seat in (4, 2, 1):
            table.answer(seat, "play_5", 1)
        table.act(a.RevealDealer())
        table.act(a.RecordHand(Area.DEALER, "Js Jh 8d 4c 2s"))
        hands = {4: "Ks Kh 9d 5c 3s", 2: of_2, 1: "9s 9h 7c 6d 4s"}
        for seat in seats:
            table.act(a.RecordHand(Area.PLAYER, hands[seat], seat))
        return table

    return make


def test_by_step_what_loses_is_collected_before_any_is_paid_each_from_the_right(told):
    """Clause: nj-pikit 39.10(e)1."""
    table = told(4, 2, 1, settlement="by_step")
    for early in (a.SettleWager(4, "ante", WIN, 700), a.SettleWager(1, "ante", LOSE)):
        refused = table.refused(early)
        assert ("first collect seat 2: ante" in refused.reason, "39.10(e)1" in refused.cite) == (True, True)
    for seat, name in ((2, "play_5"), (2, "ante"), (1, "ante"), (1, "play_5")):
        table.act(a.SettleWager(seat, name, LOSE))
    for name in ("play_5", "ante"):
        table.act(a.SettleWager(4, name, WIN, table.round.seats[4].wagers[name].cents))
    assert not table.state.holds


def test_by_step_each_is_paid_from_the_right_too(told):
    """Clause: nj-pikit 39.10(e)1."""
    table = told(4, 2, 1, of_2="Qs Qh 7d 5d 3c", settlement="by_step")
    for name in ("play_5", "ante"):
        table.act(a.SettleWager(1, name, LOSE))
    refused = table.refused(a.SettleWager(2, "ante", WIN, 700))
    assert refused.reason.startswith("first settle seat 4: ante; what loses is collected of all")


def test_by_step_nothing_waits_for_a_hand_that_was_not_told(told):
    """What it comes to nobody knows here; the others go on. By player the order needs no cards."""
    table = told(4, 1, settlement="by_step")
    table.act(a.SettleWager(1, "ante", LOSE))
    table.act(a.SettleWager(1, "play_5", LOSE))
    table.act(a.SettleWager(4, "ante", WIN, table.round.seats[4].wagers["ante"].cents))
    assert "first seat 4" in told(settlement="by_player").refused(a.SettleWager(1, "ante", LOSE)).reason
