"""What a table could not check is said with the round: one line for each thing that nobody and nothing told it."""

from controller.rules.vocabulary import Area
from controller.table.settlement.unchecked import unchecked
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e


def ended(table):
    return next(fact.event for fact in reversed(table.all) if isinstance(fact.event, f.RoundEnded))


def test_what_is_told_or_counted_is_checked(make_table):
    """Names with the wagers, a shoe that counts, a set that was counted and read, hands told, each wager settled by itself."""
    table = make_table("ma-uth", offered=()).ready()
    table.shuffled("red", identities=e.Identities.COMPLETE)
    table.act(a.BeginRound("red"))
    for name in ("ante", "blind"):
        table.act(a.PlaceWager(2, name, 1000, "ann"))
    table.let_out().deal()
    table.to_showdown()
    for area, cards, seat in (
        (Area.COMMUNITY, "Kh Qd 7s 4c 2d", 0),
        (Area.DEALER, "Ks 9d", 0),
        (Area.PLAYER, "Jc 9h", 2),
    ):
        table.act(a.RecordHand(area, cards, seat))
    for name in ("ante", "blind", "play"):
        table.act(a.SettleWager(2, name, a.Outcome.LOSE))
    table.end()
    assert ended(table).unchecked == ()


def test_without_a_round_there_is_nothing_to_check(make_table):
    """Between rounds the list is empty."""
    table = make_table("ma-uth").ready()
    assert unchecked(table.setup, table.state) == ()
