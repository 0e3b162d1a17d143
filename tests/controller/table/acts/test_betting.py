"""The bounds of a wager, and what the announcement that ends the betting finds at each seat."""

from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e


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
