"""Trips that a void spares, and wagers that are held while their round becomes void: each ends settled or back."""

import pytest

from controller.rules.vocabulary import Trigger
from controller.table import acts as a
from controller.table import facts as f

SEEN = a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED)
STANDS, BACK = a.Resolution.WAGER_STANDS, a.Resolution.RETURN_WAGER


@pytest.fixture
def dealt(make_table):
    """A table with two seats before the flop, Trips at those that are named."""

    def make(rulebook, *trips, **elect):
        table = make_table(rulebook, elect={"R-11": "return", **elect}).ready()
        return table.begin(seats=(1, 3), trips=trips).let_out().deal()

    return make


def duties(table):
    return {duty.action for duty in table.state.duties.values()}


def close(table, action):
    table.act(a.ConfirmDuty(next(d.id for d in table.state.duties.values() if d.action == action)))


def decided(events):
    return {(e.seat, e.wager): (e.fate, e.cite, e.reading) for e in events if isinstance(e, f.WagerDecided)}


@pytest.mark.parametrize("laid", [False, True])
def test_what_was_due_for_a_spared_trips_is_closed_by_the_document_that_sends_it_back(dealt, laid):
    """Whether or not the community cards lie there already. Clauses: md-uth 13.G, 13.E."""
    table = dealt("md-uth", 1)
    table.act(SEEN)
    if laid:
        close(table, "deal_community")
    events = table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=3))
    assert decided(events) == {(1, "trips"): ("returned", ("13.E",), None)}
    closed = [(e.action, e.by, e.role) for e in events if isinstance(e, f.DutyClosed)]
    due = ["settle_trips"] if laid else ["deal_community", "settle_trips"]
    assert closed == [(action, "md-uth", "rulebook") for action in due]
    assert duties(table) == {"return_all_wagers", "reshuffle"}


def test_a_trips_that_was_paid_is_not_sent_back(dealt):
    """Settled is settled: the second void reaches what is still to be settled, and nothing else."""
    table = dealt("md-uth", 1)
    table.act(SEEN)
    close(table, "deal_community")
    close(table, "settle_trips")
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=3))
    assert table.fates()[1, "trips"] == "settled"


def test_a_spared_trips_that_is_held_after_all_and_stands_goes_back_as_the_second_void_would_have_it(dealt):
    """R-22 asks the floor each time; nothing is dealt or settled meanwhile. Clauses: ma-uth 15(a), 15(d)."""
    table = dealt("ma-uth", 1, **{"R-22": "hold"})
    table.act(SEEN)
    table.act(a.ResolveHold(next(iter(table.state.holds)), BACK))
    assert {"deal_community", "settle_trips"} <= duties(table)
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER))
    assert table.fates()[1, "trips"] == "held"
    assert duties(table).isdisjoint({"deal_community", "settle_trips"})


@pytest.mark.parametrize(
    ("rulebook", "back"), [("md-uth", (("13.E",), None)), ("ma-uth", ((), "R-22"))], ids=["md-uth", "ma-uth"]
)
def test_a_wager_held_before_its_round_was_void_goes_back_with_the_others(dealt, rulebook, back):
    """That it stands is no fate in a round in which nothing is settled any more. Clauses: md-uth 13.E; ma-uth 15(d), R-22."""
    table = dealt(rulebook)
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=3))
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER))
    assert table.fates()[3, "ante"] == "held"
    events = table.act(a.ResolveHold(next(iter(table.state.holds)), STANDS))
    assert decided(events) == dict.fromkeys([(3, "ante"), (3, "blind")], ("returned", *back))
    assert "return_all_wagers" in duties(table)


@pytest.mark.parametrize(("first", "again"), [((), {"deal_community"}), (("deal_community",), set())])
def test_a_held_trips_that_stands_is_settled_with_those_that_the_void_spared(dealt, first, again):
    """Community cards that were dealt for another one are not dealt twice. Clause: md-uth 13.G."""
    table = dealt("md-uth", 1, 3)
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=3))
    table.act(SEEN)
    hold = next(iter(table.state.holds))
    for action in first:
        close(table, action)
    found = decided(table.act(a.ResolveHold(hold, STANDS)))
    assert found[3, "trips"] == ("to_settle", ("13.G",), None)
    assert found[3, "ante"] == ("returned", ("13.F",), None)
    assert duties(table) & {"deal_community", "settle_trips"} == {"settle_trips", *again}
