"""The fate that a row gives to each wager: by rank of its demands, and by what had become of the wager before."""

from itertools import product

import pytest

from controller.games.fates import FATES, VOIDS_ALL, Fate, Placed, Why, wager_fates
from controller.rules.elections import elect, proposals
from controller.rules.model import Demand
from controller.rules.named_wagers import ABOUT_ONE
from controller.rules.read.checks import every_state
from controller.rules.read.library import available, find
from controller.rules.vocabulary import GUARDS_OF, Action

CITE = ("99.A",)


@pytest.fixture(scope="module")
def law():
    return _law()


def _law(**chosen):
    book = find("ma-uth")
    return elect(book, {q: (choice, "test") for q, choice in (proposals(book) | chosen).items()})


def demand(action, reading=None, wager=None):
    return Demand(action, () if reading else CITE, reading, wager)


def fates(law, *demands, wagers, at=0):
    return {(x.seat, x.wager): (x.fate, x.by.action, x.why) for x in wager_fates(law, demands, wagers, at)}


def test_a_demand_that_names_its_wager_comes_before_the_others(law):
    """The order in which the row says them does not count."""
    row = (
        demand(Action.RETURN_ALL_WAGERS),
        demand(Action.RETURN_SEAT_WAGERS),
        demand(Action.SETTLE, wager="trips"),
    )
    found = fates(law, *row, wagers=[Placed(1, "trips"), Placed(1, "ante"), Placed(2, "ante")], at=1)
    assert found == {
        (1, "trips"): (Fate.TO_SETTLE, Action.SETTLE, Why.ROW),
        (1, "ante"): (Fate.RETURNED, Action.RETURN_SEAT_WAGERS, Why.ROW),
        (2, "ante"): (Fate.RETURNED, Action.RETURN_ALL_WAGERS, Why.ROW),
    }


def test_the_answer_comes_demand_by_demand(law):
    """So that the table opens one duty and one hold for each."""
    row = (demand(Action.RETURN_ALL_WAGERS), demand(Action.HOLD_SEAT_WAGERS))
    found = wager_fates(law, row, [Placed(1, "ante"), Placed(2, "ante"), Placed(3, "ante")], 2)
    assert [(x.seat, x.fate) for x in found] == [(2, "held"), (1, "returned"), (3, "returned")]


def test_a_wager_of_another_name_is_left_as_it_lies(law):
    assert fates(law, demand(Action.RETURN, wager="blind"), wagers=[Placed(1, "ante"), Placed(1, "bonus")]) == {}


@pytest.mark.parametrize("void", [Action.VOID_ROUND, Action.VOID_ALL_HANDS])
def test_a_silent_void_holds_each_wager_under_the_reading_of_holds(law, void):
    (found,) = wager_fates(law, [demand(void)], [Placed(1, "ante")])
    assert (found.fate, found.by.cite, found.by.reading) == (Fate.HELD, (), "R-51")


@pytest.mark.parametrize("hold", [Action.HOLD_ALL_WAGERS, Action.HOLD_OTHERS])
def test_a_void_holds_wagers_by_their_own_reading_beside_a_hold_of_the_round(law, hold):
    """The two readings ask two questions: R-22 what becomes of the wagers, R-25 what becomes of the deck."""
    row = (demand(Action.VOID_ALL_HANDS), demand(hold, "R-22"), demand(Action.HOLD_ROUND, "R-25"))
    (found,) = wager_fates(law, row, [Placed(1, "ante")])
    assert (found.fate, found.by.action, found.by.reading, found.why) == (Fate.HELD, hold, "R-22", Why.ROW)


@pytest.mark.parametrize("book", available())
def test_a_row_that_holds_its_wagers_is_not_silent_on_them(book):
    """Each row of each book, under every election that it knows."""
    rulebook, seen = find(book), 0
    rows = {id(row): (row, state) for trigger in GUARDS_OF for state in every_state(trigger, rulebook.rows[trigger])
            for row in (rulebook.row(trigger, state),)}  # fmt: skip
    for row, state in rows.values():
        asked = sorted({reading for step in row.by_reading for reading, _ in step.condition})
        for chosen in product(*(rulebook.questions[reading].choices for reading in asked)):
            law = elect(rulebook, {reading: (c.id, "test") for reading, c in zip(asked, chosen, strict=True)})
            _, demands = law.demands(row.trigger, state)
            actions = {demand.action for demand in demands}
            if actions & {*VOIDS_ALL} and actions & {Action.HOLD_ALL_WAGERS, Action.HOLD_OTHERS}:
                seen += 1
                (found,) = wager_fates(law, demands, [Placed(1, "ante")])
                assert found.by.reading != law.of_holds, (row.cite, asked, chosen)
    assert seen, "no row holds wagers of a void round: nothing was looked at"


def test_a_silent_void_of_one_hand_holds_the_wagers_of_that_seat_alone(law):
    found = fates(law, demand(Action.VOID_HAND), wagers=[Placed(1, "ante"), Placed(2, "ante")], at=1)
    assert found == {(1, "ante"): (Fate.HELD, Action.HOLD_OTHERS, Why.ROW)}


def test_a_hold_of_the_round_keeps_all_that_nothing_else_decides(law):
    """No wager has a hold of its own beside it."""
    row = (demand(Action.HOLD_ALL_WAGERS), demand(Action.HOLD_ROUND), demand(Action.RETURN_SEAT_WAGERS))
    found = fates(law, *row, wagers=[Placed(1, "ante"), Placed(2, "ante"), Placed(3, "ante", Fate.SETTLED)], at=1)
    assert found == {
        (1, "ante"): (Fate.RETURNED, Action.RETURN_SEAT_WAGERS, Why.ROW),
        (2, "ante"): (Fate.HELD, Action.HOLD_ROUND, Why.ROUND_HELD),
        (3, "ante"): (Fate.HELD, Action.HOLD_ROUND, Why.ROUND_HELD),
    }


@pytest.mark.parametrize("fate", [Fate.RETURNED, Fate.HELD])
def test_a_wager_that_has_its_fate_keeps_it(law, fate):
    assert fates(law, demand(Action.RETURN_ALL_WAGERS), wagers=[Placed(1, "ante", fate)]) == {}


def test_a_spared_wager_is_reached_by_a_demand_that_does_not_name_it_and_is_never_lost(law):
    trips = [Placed(1, "trips", Fate.TO_SETTLE)]
    assert fates(law, demand(Action.RETURN_ALL_WAGERS), wagers=trips) == {
        (1, "trips"): (Fate.RETURNED, Action.RETURN_ALL_WAGERS, Why.ROW)
    }
    assert fates(law, demand(Action.COLLECT_SEAT_WAGERS), wagers=trips, at=1) == {}
    assert fates(law, demand(Action.RETURN_ALL_WAGERS), demand(Action.HOLD, wager="trips"), wagers=trips) == {}


def test_a_false_declaration_decides_what_it_had_settled(law):
    """At the seat alone, and as a question where an outcome is on record."""
    row = (demand(Action.VOID_HAND), demand(Action.COLLECT, wager="ante"), demand(Action.RETURN_SEAT_WAGERS))
    wagers = [
        Placed(1, "ante", Fate.SETTLED, on_record=True),
        Placed(1, "bonus", Fate.SETTLED),
        Placed(2, "ante", Fate.SETTLED),
    ]
    assert fates(law, *row, wagers=wagers, at=1) == {
        (1, "ante"): (Fate.LOST, Action.COLLECT, Why.ON_RECORD),
        (1, "bonus"): (Fate.RETURNED, Action.RETURN_SEAT_WAGERS, Why.ROW),
    }


@pytest.mark.parametrize(
    ("choice", "fate"), [("return", "returned"), ("collected", "collected"), ("hold", "held")]
)
def test_a_collected_wager_fares_by_its_reading_where_a_void_reaches_it(choice, fate):
    law = _law(**{"R-71": choice})
    (found,) = wager_fates(law, [demand(Action.VOID_ALL_HANDS)], [Placed(1, "ante", Fate.COLLECTED)])
    assert (found.fate, found.by.reading, found.why) == (fate, "R-71", Why.COLLECTED)
    assert wager_fates(law, [demand(Action.CARD_TO_RACK)], [Placed(1, "ante", Fate.COLLECTED)]) == []


def test_each_action_that_names_a_wager_has_a_fate(law):
    assert set(ABOUT_ONE) <= set(FATES)
