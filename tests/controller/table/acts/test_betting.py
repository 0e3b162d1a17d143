"""The bounds of a wager, and what the announcement that ends the betting finds at each seat."""

from dataclasses import replace

import pytest

from controller.daemon.views.status import next_step
from controller.rules.vocabulary import Moment
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e


@pytest.fixture
def with_wager():
    """The same table, with one wager of its document as `changes` say."""

    def make(table, name, **changes):
        wagers = table.setup.law.rulebook.wagers
        return table.with_book(wagers={**wagers, name: replace(wagers[name], **changes)})

    return make


def test_the_largest_wager_and_the_longest_name_are_taken_and_no_more(make_table):
    """A slip of the keys is refused."""
    table = make_table("ma-uth").ready()
    table.act(a.BeginRound("red"))
    refused = {
        a.PlaceWager(1, "ante", 10_000_000_001): "seat 1: 10000000001 cents cannot be; at most 10000000000",
        a.PlaceWager(1, "ante", 1000, player="x" * 65): "seat 1: a player's name has at most 64 characters",
    }
    for act, says in refused.items():
        assert table.refused(act).reason == says
    table.act(a.PlaceWager(1, "ante", 10_000_000_000, player="x" * 64))
    assert table.round.seats[1].wagers["ante"].cents == 10_000_000_000


def test_a_seat_with_nothing_but_a_chip_that_came_too_late_owes_no_ante_and_hides_no_other(make_table):
    """It is no seat in play, and the next is looked at all the same."""
    table = make_table("md-uth").ready().begin(seats=(), trips=())
    table.put(e.WagerSensed(1, 1, True), "progressive-1")
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.RETURN_WAGER))
    assert list(table.round.seats[1].wagers) == ["progressive"]
    table.act(a.PlaceWager(2, "ante", 1000))
    refused = table.refused(a.AnnounceNoMoreBets())
    assert (refused.reason, refused.cite) == ("seat 2: the blind must stand and equal the ante", ("7.D", "7.F(1)"))
    table.act(a.PlaceWager(2, "blind", 1000))
    table.act(a.AnnounceNoMoreBets())


def test_a_wager_that_lost_its_ground_is_named_with_its_seat(make_table, with_wager):
    """The bonus of a game whose ante were optional stays back alone. Clause: ma-colorado 1, 10(b)(1)."""
    table = with_wager(make_table("ma-colorado", offered=("ante", "bonus")).ready(), "ante", optional=True)
    table.bet((1, "ante", 1000), (1, "bonus", 100), (3, "ante", 1000))
    table.act(a.WithdrawWager(1, "ante"))
    refused = table.refused(a.AnnounceNoMoreBets())
    assert refused.reason == "seat 1: bonus needs ante; place that, or take bonus back too"
    assert refused.cite == table.setup.law.rulebook.wagers["bonus"].requires.cite
    table.act(a.WithdrawWager(1, "bonus"))
    table.act(a.AnnounceNoMoreBets())


def test_a_wager_stands_in_a_printed_multiple_of_the_other(make_table, with_wager):
    """Were the blind twice the ante, half of it would be no blind."""
    table = make_table("ma-uth").ready()
    ((_, once),) = table.setup.law.rulebook.wagers["blind"].times
    with_wager(table, "blind", times=((Moment.BEFORE_DEAL, replace(once, value=(2,))),))
    table.bet((1, "ante", 1000), (1, "blind", 500))
    assert "seat 1" in table.refused(a.AnnounceNoMoreBets()).reason
    table.act(a.WithdrawWager(1, "blind"))
    table.act(a.PlaceWager(1, "blind", 2000))
    table.act(a.AnnounceNoMoreBets())


def test_a_chip_that_leaves_its_sensor_in_time_is_no_wager_whatever_happened_before(make_table, rulebook):
    """A late chip at another seat had made it one already; it is taken back before the announcement. Clause: md-uth 7.E.

    That chip alone: the one of seat 5, in time as well, lies where it lay.
    """
    table = make_table(rulebook, elect={"R-45": "return"}).ready().begin(seats=(1, 3, 5), trips=(1, 3, 5))
    table.chip(1)
    table.chip(5)
    table.chip(3, locked=True)
    assert table.fates()[1, "progressive"] == "live"
    report = e.WagerRemoved(1, 1, False)
    taken = f.WagerWithdrawn(1, "progressive", "progressive-1")
    assert table.put(report, "progressive-1") == [report, taken]
    assert (1, "progressive") not in table.fates()
    assert table.fates()[5, "progressive"] == "live"
    table.chip(1)
    table.close_bets()
    assert table.fates()[1, "progressive"] == "live"


def test_a_chip_that_leaves_its_sensor_after_the_announcement_stays_a_wager(make_table, rulebook):
    """No wager is withdrawn any more. Clauses: md-uth 7.E, ma-uth 6(b)."""
    table = make_table(rulebook).ready().begin(seats=(1,), trips=(1,))
    table.chip(1)
    table.close_bets()
    table.put(e.WagerRemoved(1, 1, True), "progressive-1")
    assert table.fates()[1, "progressive"] == "live"


def test_a_chip_that_went_back_at_the_announcement_is_not_among_those_that_are_counted(make_table):
    """Seat 1 took its Trips away, so that its progressive wager may not stand. Clause: ma-uth 14(b), R-44."""
    table = make_table("ma-uth").ready().begin(trips=(1, 3))
    table.chip(1)
    table.chip(3)
    table.act(a.WithdrawWager(1, "trips"))
    table.close_bets()
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.RETURN_WAGER))
    (counted,) = table.act(a.RecordProgressiveCount(1))
    assert (counted.chips, counted.accepted) == (1, 1)
    assert not table.state.held
    table.act(a.StartDealing())


def test_no_count_is_waited_for_where_every_chip_went_back(make_table):
    """Clause: ma-uth 14(b), R-44."""
    table = make_table("ma-uth").ready().begin(trips=())
    table.chip(1)
    table.close_bets()
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.RETURN_WAGER))
    assert next_step(table.setup, table.state) == "Let the cards out (start_dealing)."
    table.act(a.StartDealing())
