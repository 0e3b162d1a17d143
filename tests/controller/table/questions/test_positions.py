"""One person at several positions: as many as the document allows, side by side, and only where the person is known."""

from controller.rules.vocabulary import Method, Trigger
from controller.table.words import acts as a
from controller.table.words import facts as f


def betting(make_table, rulebook, elect=None, method=Method.DEALING_SHOE):
    table = make_table(rulebook, method, elect=elect, offered=()).ready()
    table.act(a.BeginRound("red"))
    return table


def test_a_position_in_the_middle_that_is_given_up_keeps_the_bets_open(make_table):
    """Three in a row, the middle one withdrawn: the two that are left do not lie side by side. Clause: nj-pikit 39.3(e)."""
    table = betting(make_table, "nj-pikit", {"positions": "three"})
    for seat in (1, 2, 3):
        table.act(a.PlaceWager(seat, "ante", 1000, "ann"))
        table.act(a.PlaceWager(seat, "five_card_bonus", 1000, "ann"))
    for name in ("five_card_bonus", "ante"):
        table.act(a.WithdrawWager(2, name))
    refused = table.refused(a.AnnounceNoMoreBets())
    assert ("side by side" in refused.reason, refused.cite) == (True, ("39.3(e)",))


def test_a_name_stays_with_the_wager_through_its_fate(make_table):
    """What becomes of a wager does not make its player unknown; a name that is a slip of the keys is refused."""
    table = betting(make_table, "md-uth")
    assert "64 characters" in table.refused(a.PlaceWager(1, "ante", 1000, "x" * 65)).reason
    for name in ("ante", "blind"):
        table.act(a.PlaceWager(1, name, 1000, "ann"))
    table.close_bets()
    table.act(a.StartDealing())
    table.act(a.ReportIrregularity(Trigger.SHOE_JAM))
    assert isinstance(table.round.seats[1].wagers["ante"].player, str)
    assert table.round.seats[1].wagers["ante"].player == "ann"
    assert any(isinstance(x.event, f.WagerDecided) for x in table.all)
