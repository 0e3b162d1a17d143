"""A round of which every bet was taken back before the deal: it was not played, wherever rounds are counted or asked about."""

import pytest

from controller.rules.vocabulary import Method, Trigger
from controller.table.decide import fold
from controller.table.state.table import State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.structs import replace
from tests.support.failing import betting

BOOKS = ("ma-uth", "md-uth", "nj-pikit", "fast-action", "ma-colorado")


def taken_back(make_table, rulebook):
    """Bets were placed and taken back before the announcement, and the round has ended."""
    table = betting(make_table, rulebook, Method.MANUAL_SHOE)
    table.state = replace(table.state, last_seats=(1, 3), cutting_card=3, since_stub_count=2)
    before = table.state
    lies = [(seat, wager) for seat, wager in table.fates()]
    for seat, wager in lies:
        table.act(a.WithdrawWager(seat, wager))
    (ended,) = [event for event in table.act(a.EndRound()) if isinstance(event, f.RoundEnded)]
    return table, before, ended


@pytest.mark.parametrize("rulebook", BOOKS)
def test_its_outcome_says_that_nothing_was_dealt(make_table, rulebook):
    """Not in the words of a round that was played, void or stopped."""
    _, _, ended = taken_back(make_table, rulebook)
    assert (ended.outcome, ended.cards) == ("not_dealt", 0)


@pytest.mark.parametrize("rulebook", BOOKS)
def test_nothing_that_counts_played_rounds_counts_it(make_table, rulebook):
    """The stub count's interval, what the set answers for, whose turn it is, and who cuts next."""
    table, before, _ = taken_back(make_table, rulebook)
    now = table.state
    assert (now.since_stub_count, now.last_back) == (before.since_stub_count, before.last_back)
    assert (now.last_seats, now.cutting_card) == (before.last_seats, before.cutting_card)
    assert now.sets == before.sets
    assert now.marker == before.marker


@pytest.mark.parametrize("rulebook", ["ma-uth", "md-uth", "nj-pikit", "ma-colorado"])
def test_a_round_that_a_device_stops_before_the_deal_is_void(make_table, rulebook):
    """Once bets are closed; and a void round in which nothing was dealt is not played either."""
    table = betting(make_table, rulebook, Method.DEALING_SHOE).close_bets()
    before = table.state.since_stub_count
    table.act(a.ReportIrregularity(Trigger.SHOE_JAM))
    table.act(a.CollectCards())
    (ended,) = [event for event in table.act(a.EndRound()) if isinstance(event, f.RoundEnded)]
    assert ended.outcome == "void"
    assert (table.state.since_stub_count, table.state.last_back) == (before, "")


def test_an_older_record_that_calls_it_played_is_read_as_before(make_table):
    """The word of earlier versions: folding it asks the round itself."""
    table = betting(make_table, "ma-uth", Method.MANUAL_SHOE)
    for seat, wager in table.fates():
        table.act(a.WithdrawWager(seat, wager))
    table.act(a.EndRound())
    older = [
        replace(fact, event=replace(fact.event, outcome="played"))
        if isinstance(fact.event, f.RoundEnded)
        else fact
        for fact in table.all
    ]
    assert fold(State.initial(table.setup), older) == table.state
