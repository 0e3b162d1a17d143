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
