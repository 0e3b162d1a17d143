"""A round from the opening of the table to its end, and what stands in the way at each step."""

import pytest

from controller.table.words import acts as a
from controller.table.words.structs import replace
from drivers import events as e


def test_the_table_does_not_open_while_a_reading_that_moves_money_is_not_elected(make_table, rulebook):
    """Nobody's silence is taken for a choice: the refusal names each open reading."""
    table = make_table(rulebook, unelected=True)
    table = type(table)(replace(table.setup, offered=frozenset(table.setup.law.rulebook.wagers)))
    refused = table.refused(a.OpenTable())
    for reading in table.setup.law.rulebook.readings.values():
        assert (f"{reading.id} (" in refused.reason) is reading.closes, reading.id


@pytest.mark.parametrize(
    ("act", "word"),
    [
        (a.PlaceWager(0, "ante", 100), "seat 0"),
        (a.PlaceWager(7, "ante", 100), "seat 7"),
        (a.PlaceWager(1, "ante", -1), "at least 1 cent"),
        (a.PlaceWager(1, "ante", 10_000_000_001), "cannot be"),
        (a.PlaceWager(1, "anteup", 100), "no wager anteup"),
        (a.PlaceWager(1, "trips", 100), "needs ante"),
        (a.PlaceWager(1, "play", 100), "no wager play"),
        (a.PlaceWager(1, "six_card", 100), "not offered"),
        (a.PlaceWager(1, "progressive", 500), "on its sensor"),
    ],
)
def test_a_wager_that_cannot_be_is_refused_with_seat_and_reason(make_table, act, word):
    """The dealer reads what is wrong, at which seat."""
    table = make_table("md-uth").ready()
    table.act(a.BeginRound("red"))
    refused = table.refused(act)
    assert word in refused.reason
    assert f"seat {act.seat}" in refused.reason


def test_five_void_rounds_without_a_count_stop_the_sixth_until_the_set_is_counted(make_table):
    """A void round need not count its stub, but it counts as a round: a whole set is counted before the sixth."""
    table = make_table("ma-uth").ready()
    for number in range(5):
        back = "red" if number % 2 == 0 else "blue"
        table.begin(back).let_out().deal(1)
        table.put(e.Jammed(e.Back(back), e.Activity.DEALING, e.JamPlace.OUTPUT, 2, 40), "shoe-1")
        table.act(a.CollectCards())
        table.act(a.EndRound())
        table.put(e.CardsRemoved(0), "shoe-1")
        table.put(e.JamCleared(False, 1), "shoe-1")
        table.shuffled(back)
        for duty in list(table.state.duties):
            table.act(a.ConfirmDuty(duty))
    refused = table.refused(a.BeginRound("blue"))
    assert "5 rounds without a count" in refused.reason
    table.act(a.RecordStubCount(52))
    table.act(a.BeginRound("blue"))


def test_a_set_is_dealt_only_when_all_its_predicates_hold(make_table):
    """A lamp, or the number 52, is not enough: a sort cycle with 52 cards is not a shuffle."""
    table = make_table("md-uth").ready()
    table.shuffled("red", mode=e.Mode.SORT)
    table.begin("red").close_bets()
    refused = table.refused(a.StartDealing())
    assert "mode shuffle: NO" in refused.reason
    assert "count right: yes" in refused.reason
    table.shuffled("red")
    table.act(a.StartDealing())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mode": e.Mode.DEMO}, "mode shuffle: NO"),
        ({"count": 51}, "count right: NO"),
        ({"identities": e.Identities.INCOMPLETE}, "identities complete: NO"),
        (
            {"identities": e.Identities.INCOMPLETE, "defects": (e.Defect.MISSING, e.Defect.DUPLICATE)},
            "identities complete: NO (missing, duplicate)",
        ),
    ],
)
def test_one_predicate_that_is_not_met_is_enough_to_keep_the_cards_in(make_table, changes, said):
    """Each stands by itself: 52 cards of which one is there twice are no deck, whatever they were shuffled in."""
    table = make_table("md-uth").ready().begin("red").close_bets()
    table.shuffled("red", **changes)
    for hold in list(table.state.holds):  # nor does a person who lifts a hold make a set of it
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    assert said in table.refused(a.StartDealing()).reason
