"""Sums that no row of a pay table gives are asked about where no cards were told, and nothing else is."""

import pytest

from controller.rules.vocabulary import Area
from controller.table.settlement.unchecked import Check, unchecked
from controller.table.words import acts as a
from controller.table.words import facts as f

WIN, LOSE, GO_ON = a.Outcome.WIN, a.Outcome.LOSE, a.Resolution.GO_ON


@pytest.fixture
def at_showdown(make_table):
    """Seat 1 of Ultimate at its settlement with ante, blind and play of 10.00 and Trips of 5.00; no card was told."""

    def make(book="ma-uth", chip=False, **how):
        table = make_table(book, **how).ready().begin(seats=(1,))
        if chip:
            table.chip(1)
        return table.let_out().deal().to_showdown()

    return make


@pytest.fixture
def at_side_wagers(at_showdown):
    """The same once ante, blind and play have lost."""

    def make(*args, **how):
        table = at_showdown(*args, **how)
        for name in ("ante", "blind", "play"):
            table.act(a.SettleWager(1, name, LOSE))
        return table

    return make


def asked(table, act):
    """Why play waits after this act, "" where it does not."""
    events = table.act(act)
    return next((event.reason for event in events if isinstance(event, f.HoldPlaced)), "")


def test_a_sum_of_no_row_waits_for_a_floorperson(at_showdown):
    """An ante is paid even, whatever the hand was: the record says what was done, and what could have been.

    Clause: ma-uth 11(b).
    """
    table = at_showdown()
    assert asked(table, a.SettleWager(1, "ante", WIN, 10_000)) == (
        "seat 1: ante was settled as win with 10000 cents won, and no row of its pay table gives that for 1000 (1000) "
        "[11(b), 10(h)(2)]; correct it (correct_settlement), or go_on lets it stand"
    )
    (hold,) = table.state.holds.values()
    assert (hold.seat, hold.wager, hold.choices) == (1, "ante", (GO_ON,))
    assert table.round.seats[1].wagers["ante"].paid == 10_000
    table.act(a.CorrectSettlement(1, "ante", WIN, "a nought too much", 1000))
    assert not table.state.holds
    assert Check.PAYMENTS in unchecked(table.setup, table.state)


@pytest.mark.parametrize("paid", [1500, 2000, 3500, 4500, 15_000, 20_000, 25_000])
def test_a_sum_of_any_row_passes(at_side_wagers, paid):
    """Which row it is only the cards tell. Clause: ma-uth 11(d), table A of Trips."""
    assert asked(at_side_wagers(), a.SettleWager(1, "trips", WIN, paid)) == ""


@pytest.mark.parametrize("paid", [1, 500, 1501, 25_001])
def test_a_sum_beside_the_rows_is_asked_about(at_side_wagers, paid):
    """On each side of them."""
    reason = asked(at_side_wagers(), a.SettleWager(1, "trips", WIN, paid))
    assert "no row of its pay table gives that for 500" in reason


@pytest.mark.parametrize(("paid", "returned", "waits"), [
    (5000, 0, False), (4800, 200, False), (4500, 0, False), (5000, None, True), (4800, 0, True), (4900, 200, True),
])  # fmt: skip
def test_a_stake_that_was_counted_into_what_is_paid_is_of_its_row(at_side_wagers, paid, returned, waits):
    """9 to 1 on 5.00 hands back 50.00, however it is told apart; any other sum of both is of no row. Clause: ma-uth 11(d)."""
    reason = asked(at_side_wagers(), a.SettleWager(1, "trips", WIN, paid, returned=returned))
    assert bool(reason) is waits


def test_what_breakage_makes_of_a_row_passes(make_table):
    """3 to 2 on 10.01 is 15.01 or 15.02 as elected. Clause: ma-uth 11(c), R-107."""
    for rule, paid, other in (("up", 1502, 1501), ("down", 1501, 1502)):
        for sum_ in (paid, other):
            table = make_table("ma-uth", elect={"R-107": rule}).ready()
            table.bet((1, "ante", 1001), (1, "blind", 1001)).let_out().deal().to_showdown()
            assert bool(asked(table, a.SettleWager(1, "blind", WIN, sum_))) is (sum_ == other)


def test_what_a_limit_may_have_cut_is_asked_of_nobody(make_table):
    """Where the highest rows of a hand go beyond the limit, what it leaves is no row. Clause: ma-uth 11(e), R-03."""
    for ante, waits in ((1000, True), (20_000, False)):
        table = make_table("ma-uth", elect={"R-03": "both"}).ready()
        table.bet((1, "ante", ante), (1, "blind", ante)).let_out().deal().to_showdown()
        assert bool(asked(table, a.SettleWager(1, "blind", WIN, ante * 100))) is waits


def test_a_part_of_a_meter_is_of_any_sum(at_side_wagers):
    """Clause: md-uth 12.D(4)."""
    table = at_side_wagers("md-uth", chip=True, elect={"progressive_table": "A"})
    table.act(a.SettleWager(1, "trips", LOSE))
    table.act(a.ValidateProgressive(1, True))
    assert asked(table, a.SettleWager(1, "progressive", WIN, 123_457)) == ""


def test_chips_that_nobody_counted_and_cards_that_were_told_need_no_row(make_table, at_showdown):
    """Of the first nothing can be worked out; the others say themselves what the sum should be."""
    table = make_table("ma-uth").ready().bet((1, "ante", 0), (1, "blind", 0)).let_out().deal().to_showdown()
    assert asked(table, a.SettleWager(1, "ante", WIN, 77)) == ""
    table = at_showdown()
    for area, cards, seat in (
        (Area.COMMUNITY, "Kh Qd 7s 4c 2d", 0),
        (Area.DEALER, "Ks 9d", 0),
        (Area.PLAYER, "Kc Qh", 1),
    ):
        table.act(a.RecordHand(area, cards, seat))
    assert "cards and pay table make it win with 2000" in asked(table, a.SettleWager(1, "ante", WIN, 77))
    assert len(table.state.holds) == 1


def test_the_other_games_have_it_too(make_table):
    """A natural is paid 5 to 1 and another hand even; 2 to 1 is neither. Clause: fast-action (h)(2), (h)(12)."""
    for paid, waits in ((5000, False), (1000, False), (2000, True)):
        table = make_table("fast-action").ready().bet((1, "original", 1000)).let_out().deal()
        table.answer(1, "natural")
        assert bool(asked(table, a.SettleWager(1, "original", WIN, paid))) is waits
