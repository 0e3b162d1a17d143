"""A table where nobody counts chips: the rounds are the same, no amount is compared, and that is said."""

import pytest

from controller.rules.vocabulary import Area
from controller.table import acts as a
from controller.table import facts as f
from controller.table.offer import offer
from controller.table.unchecked import Check, unchecked


def tell(table, area, cards, seat=0):
    table.act(a.RecordHand(area, cards, seat))


def happened(table, kind):
    return [fact.event for fact in table.all if isinstance(fact.event, kind)]


def bets(table, *seats):
    """Ante and blind of each seat, `seats`: seat and cents."""
    return table.bet(*((seat, name, cents) for seat, cents in seats for name in ("ante", "blind")))


@pytest.fixture
def at_showdown(make_table):
    """Massachusetts' game: seat 3 has nobody count its chips, seat 1 bets 10.00; both play 1 x at the end."""
    table = make_table("ma-uth", elect={"R-03": "both"}).ready()
    bets(table, (1, 1000), (3, 0))
    table.let_out().deal().to_showdown()
    tell(table, Area.COMMUNITY, "As Ad Kd 2h 7c")
    tell(table, Area.DEALER, "9c 8c")
    tell(table, Area.PLAYER, "Kc 3c", 1)
    tell(table, Area.PLAYER, "Ah Qc", 3)
    return table


def test_a_round_in_which_nobody_counts_is_played_and_says_so(make_table, rulebook):
    """From the first wager to the end, in both Ultimate games; no limit, no equality and no payout is compared."""
    table = bets(make_table(rulebook).ready(), (1, 0), (3, 0))
    assert Check.AMOUNTS in unchecked(table.setup, table.state)
    table.let_out().deal().to_showdown().end()
    assert not table.state.holds
    (ended,) = happened(table, f.RoundEnded)
    assert Check.AMOUNTS in ended.unchecked


def test_of_a_counted_round_amounts_are_checked(at_showdown, make_table):
    table = bets(make_table("ma-uth").ready(), (1, 500), (3, 1000))
    assert Check.AMOUNTS not in unchecked(table.setup, table.state)
    assert Check.AMOUNTS in unchecked(at_showdown.setup, at_showdown.state)


def test_an_amount_that_was_told_is_held_against_the_document_all_the_same(make_table):
    """Two told amounts must fit; one beside chips that nobody counted cannot be compared. Clause: ma-uth 6(a)."""
    table = make_table("ma-uth").ready()
    table.act(a.BeginRound("red"))
    table.act(a.PlaceWager(1, "ante", 1000))
    table.act(a.PlaceWager(1, "blind", 500))
    assert "must stand and equal the ante" in table.refused(a.AnnounceNoMoreBets()).reason
    table.act(a.WithdrawWager(1, "blind"))
    table.act(a.PlaceWager(1, "blind", 0))
    table.act(a.AnnounceNoMoreBets())
    assert table.round.uncounted() == (1,)


def test_the_seats_beside_are_compared(at_showdown):
    """Seat 1 is offered its sums; seat 3 nothing, and the sum of the round is not known."""
    found = offer(at_showdown.setup, at_showdown.round)
    assert {line.seat for line in found.lines} == {1}
    assert (found.uncounted, found.comes_to()) == ((3,), None)
    for name in ("ante", "blind", "play"):
        at_showdown.act(a.SettleWager(3, name, a.Outcome.WIN))
    at_showdown.act(a.SettleWager(1, "ante", a.Outcome.WIN, 900))
    (hold,) = at_showdown.state.holds.values()
    assert (hold.seat, hold.wager) == (1, "ante")


def test_a_win_of_chips_that_nobody_counted_needs_no_sum(at_showdown):
    """And no sum that is said is compared; put right, nobody is told what is owed."""
    at_showdown.act(a.SettleWager(3, "ante", a.Outcome.WIN))
    (settled,) = happened(at_showdown, f.WagerSettled)
    assert (settled.stake, settled.paid, settled.difference) == (0, 0, None)
    at_showdown.act(a.SettleWager(3, "play", a.Outcome.WIN, 12345))
    assert not at_showdown.state.holds
    at_showdown.act(a.CorrectSettlement(3, "ante", a.Outcome.LOSE, reason="misread"))
    (put_right,) = happened(at_showdown, f.SettlementCorrected)
    assert (put_right.was, put_right.owed) == (a.Outcome.WIN, None)


def test_counted_chips_that_win_are_paid_something(at_showdown):
    for name in ("ante", "blind", "play"):
        at_showdown.act(a.SettleWager(3, name, a.Outcome.LOSE))
    assert "is paid 1 to" in at_showdown.refused(a.SettleWager(1, "ante", a.Outcome.WIN)).reason


def test_a_wager_of_one_printed_amount_is_of_that_amount(make_table):
    """It is known without counting, and stands beside chips that nobody counted. Clause: ma-colorado 6a(b)."""
    table = make_table("ma-colorado", offered=("bonus",)).ready().bet((1, "ante", 0))
    assert "bonus is exactly 100 cents" in table.refused(a.PlaceWager(1, "bonus", 0)).reason
    table.act(a.PlaceWager(1, "bonus", 100))
