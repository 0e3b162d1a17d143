"""What a document demands, carried out word by word: at which device and set, by whom, under which clause, at which wagers."""

import pytest

from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Method, Trigger
from controller.table.state.table import ALL_HELD
from controller.table.words import acts as a
from controller.table.words import facts as f

CITE = ("99.B",)
VOID_ALL = Demand(Action.VOID_ALL_HANDS, CITE)
TOO_MANY = a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1)
MISMATCH = a.RecordProgressiveCount(5)


def holds(events):
    return [event for event in events if isinstance(event, f.HoldPlaced)]


def fates(events):
    return {(x.seat, x.wager): (x.fate, x.cite, x.reading) for x in events if isinstance(x, f.WagerDecided)}


@pytest.fixture
def betting_closed(make_table):
    """Seats 1 and 3 have wagers, a count of progressive chips is to be recorded."""
    return lambda **how: make_table("md-uth", **how).ready().begin().close_bets()


@pytest.fixture
def dealt(make_table):
    """Seats 1 and 3 before the flop, Trips at seat 1."""
    return lambda **how: make_table("md-uth", **how).ready().begin().let_out().deal()


def test_a_late_wager_that_nobody_placed_is_given_back_to_nobody(betting_closed):
    """The trigger names no seat."""
    table = betting_closed().with_answer(Trigger.PROGRESSIVE_MISMATCH, Demand(Action.RETURN_LATE_WAGER, CITE))
    assert fates(table.act(MISMATCH)) == {}
    assert set(table.round.seats) == {1, 3}


@pytest.mark.parametrize("demanded", [(CITE, None), ((), "R-22")])
def test_a_void_hand_tells_what_made_it_void(dealt, demanded):
    """A clause, or a reading where the text is silent."""
    table = dealt().with_answer(TOO_MANY.trigger, Demand(Action.VOID_HAND, *demanded))
    (void,) = [x for x in table.act(TOO_MANY) if isinstance(x, f.HandVoided)]
    assert void == f.HandVoided(table.round.id, 1, *demanded)


def test_wagers_of_a_void_that_says_nothing_of_them_are_held(dealt):
    """No clause and no reading decides them, so the floor does, with one answer; Trips that a void spared before as well."""
    table = dealt(elect={"R-11": "return"})
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    assert table.fates()[1, "trips"] == "to_settle"
    events = table.with_answer(TOO_MANY.trigger, VOID_ALL).act(TOO_MANY)
    assert fates(events) == {(1, "trips"): ("held", (), "R-51")}
    table = dealt().with_answer(TOO_MANY.trigger, VOID_ALL)
    events = table.act(TOO_MANY)
    wagers = [(1, "ante"), (1, "blind"), (1, "trips"), (3, "ante"), (3, "blind")]
    assert fates(events) == dict.fromkeys(wagers, ("held", (), "R-51"))
    (hold,) = holds(events)
    assert (hold.wager, hold.cite, hold.reading) == (ALL_HELD, (), table.setup.law.of_holds)
    assert hold.choices == (a.Resolution.RETURN_WAGER, a.Resolution.WAGER_STANDS)


def test_a_wager_that_a_person_let_stand_is_touched_by_a_void_like_any_other(dealt):
    """It was held and stands: its Trips is spared, and the rest goes back. Clause: md-uth 13.F, 13.G."""
    table = dealt(elect={"R-53": "hold"})
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.WAGER_STANDS))
    assert {table.fates()[1, name] for name in ("ante", "blind", "trips")} == {"stands"}
    events = table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    (made,) = [x for x in events if isinstance(x, f.DispositionMade)]
    assert "trips_placed" in made.guards
    decided = fates(events)
    assert decided[1, "ante"] == decided[1, "blind"] == ("returned", ("13.F",), None)
    assert decided[1, "trips"] == ("to_settle", ("13.G",), None)


def test_trips_that_a_void_spared_is_not_lost_when_its_player_leaves(dealt):
    """It is settled all the same; only what nobody has decided is abandoned. Clause: md-uth 13.G, 7.C(2)."""
    table = dealt(elect={"R-11": "return", "R-53": "abandoned"})
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    assert fates(table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))) == {}
    assert table.fates()[1, "trips"] == "to_settle"


@pytest.mark.parametrize(("seat", "asked"), [(1, True), (2, False)])
def test_a_void_hand_that_was_paid_is_asked_about_and_that_of_another_seat_is_not(make_table, seat, asked):
    """A natural is paid at once, while the others are still asked; no text says what a void makes of that."""
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready()
    table.bet((1, "original", 1000), (2, "original", 1000)).let_out()
    table.act(a.RecordInitialDeal())
    table.answer(1, "natural")
    table.act(a.SettleWager(1, "original", a.Outcome.WIN, 5000))
    table.with_answer(TOO_MANY.trigger, Demand(Action.VOID_HAND, CITE))
    placed = holds(table.act(a.ReportIrregularity(TOO_MANY.trigger, seat=seat)))
    (hold,) = placed
    if asked:
        assert (hold.code, hold.reading, hold.cite) == ("settled_before_void", "R-131", ())
        assert "They are: seat 1 original: win, 6000 cents handed back." in hold.reason
    else:
        assert (hold.code, hold.reading, hold.seat, hold.wager) == ("wager_held", "R-51", 2, "original")
