"""A hand is turned up in its player's turn, and its bonus settled before the answer. Clause: nj-pikit 39.10(c)1, 39.10(c)2."""

import pytest

from controller.rules.vocabulary import Area, Role
from controller.table.settlement.offer import Missing, offer
from controller.table.words import acts as a
from controller.table.words import facts as f

WIN, LOSE, PUSH = a.Outcome.WIN, a.Outcome.LOSE, a.Outcome.PUSH
PAIRS = a.RecordHand(Area.PLAYER, "As Ad 8d 8c 2h", 4)
BONUS = a.SettleWager(4, "five_card_bonus", WIN, 700)


@pytest.fixture
def dealt(make_table):
    """Seats 1, 2 and 4 have cards, and it is the turn of seat 4."""
    names = ("ante", "five_card_bonus")
    bets = [(seat, name, 700) for seat in (1, 2, 4) for name in names]

    def make(three=(), **elect):
        table = make_table("nj-pikit", elect=elect, offered=("three_card_bonus",)).ready()
        return table.bet(*bets, *((seat, "three_card_bonus", 500) for seat in three)).let_out().deal()

    return make


def test_the_printed_order_is_followed(dealt):
    """Cards, bonus, answer; then the next seat, and the answer leaves what was settled as it is."""
    table = dealt()
    for seat, decision in ((4, "play_5"), (2, "fold"), (1, "play_3")):
        suit = "cdhs"[seat - 1]
        table.act(
            a.RecordHand(Area.PLAYER, f"A{suit} K{suit} 8{suit} 5{suit} 2{'hscd'[seat - 1]}", seat), Role.DEALER
        )
        table.act(a.SettleWager(seat, "five_card_bonus", LOSE), Role.DEALER)
        table.answer(seat, decision, 0 if decision == "fold" else 1)
        wager = table.round.seats[seat].wagers["five_card_bonus"]
        assert (wager.outcome, wager.fate.value) == (LOSE, "settled")
    table.act(a.RevealDealer())
    assert "settled already" in table.refused(a.SettleWager(4, "five_card_bonus", LOSE)).reason


def test_the_bonus_is_offered_by_the_cards_and_nothing_else_is(dealt):
    """Of the seat whose turn it is alone; once it is settled nothing waits before the answer."""
    table = dealt()
    found = offer(table.setup, table.round)
    assert [(x.seat, x.wager, x.outcome) for x in found.lines] == [(4, "five_card_bonus", a.Outcome.HELD)]
    assert found.missing == (Missing(Area.PLAYER, 4),)
    table.act(PAIRS)
    (line,) = offer(table.setup, table.round).lines
    assert (line.seat, line.wager, line.outcome, line.paid) == (4, "five_card_bonus", WIN, 700)
    (settled,) = [x for x in table.act(BONUS) if isinstance(x, f.WagerSettled)]
    assert (settled.offered, settled.difference) == (WIN, 0)
    assert offer(table.setup, table.round) is None


def test_another_seat_waits_for_its_turn(dealt):
    """One player at a time, from the right; each refusal says where the cards and the bonus belong."""
    table = dealt()
    early = table.refused(a.RecordHand(Area.PLAYER, "As Ad 8d 8c 2h", 1))
    assert early.reason == "seat 1: the hand is not turned up before its turn to answer"
    early = table.refused(a.SettleWager(1, "five_card_bonus", LOSE))
    assert early.reason == "seat 1: the five_card_bonus wager is settled in phase decision, in the turn of seat 1"
    assert early.cite == ("39.10(c)",)
    table.answer(4, "fold")
    table.answer(2, "fold")
    table.act(a.SettleWager(1, "five_card_bonus", LOSE))


def test_what_is_compared_with_the_dealer_waits_for_the_settlement(dealt):
    """The turn opens the hand for its bonus, and for nothing else. Clause: nj-pikit 39.10(e)."""
    table = dealt()
    table.act(PAIRS)
    refused = table.refused(a.SettleWager(4, "ante", WIN, 700))
    assert (refused.reason, refused.cite) == ("seat 4: the ante wager is settled in phase showdown", ("39.10(e)",))


def test_no_hand_is_opened_while_three_cards_are_shown(dealt):
    """That bonus is settled first, with its own cards. Clause: nj-pikit 39.10(b)."""
    table = dealt(three=(1, 4))
    assert "before its turn to answer" in table.refused(PAIRS).reason
    assert "in phase decision" in table.refused(BONUS).reason
    asked = table.refused(a.SettleWager(4, "three_card_bonus", LOSE))
    assert "once its player has answered show" in asked.reason
    table.answer(4, "show")
    table.act(a.SettleWager(4, "three_card_bonus", LOSE))
    table.answer(1, "show")
    table.act(PAIRS)
    table.act(BONUS)


@pytest.mark.parametrize(
    ("rulebook", "bets"),
    [("ma-colorado", ("ante",)), ("ma-uth", ("ante", "blind")), ("md-uth", ("ante", "blind"))],
)
def test_in_no_other_document_is_a_hand_opened_before_the_answer(make_table, rulebook, bets):
    """Its player looks at it alone. Clause: ma-colorado 10(a), 10(d); ma-uth 10(h)."""
    table = make_table(rulebook, offered=()).ready().bet(*((1, name, 1000) for name in bets)).let_out().deal()
    cards = "As Ad 8d" if rulebook == "ma-colorado" else "As Ad"
    assert "before it is settled" in table.refused(a.RecordHand(Area.PLAYER, cards, 1)).reason
    assert "showdown" in table.refused(a.SettleWager(1, "ante", LOSE)).reason
