"""The wagers of a player who left, that a floorperson takes as lost: a third answer where R-53 asks each time."""

import pytest

from controller.rules.vocabulary import Trigger
from controller.table.words import acts as a
from controller.table.words import facts as f

LEFT = a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1)
LOST = a.Resolution.WAGER_LOST
BETS = {
    "ma-uth": ("ante", "blind"),
    "md-uth": ("ante", "blind"),
    "nj-pikit": ("ante", "five_card_bonus"),
    "fast-action": ("original",),
    "ma-colorado": ("ante",),
}


@pytest.fixture
def left(make_table):
    """Seats 1 and 2 have cards, and the player of seat 1 left."""

    def make(rulebook, **elect):
        table = make_table(rulebook, elect={"R-53": "hold", "R-22": "return", **elect}).ready()
        table.bet(*((seat, name, 1000) for seat in (1, 2) for name in BETS[rulebook]))
        table.let_out().deal()
        table.act(LEFT)
        return table

    return make


def hold_of(table, reading="R-53"):
    return next(hold for hold in table.state.holds.values() if hold.reading == reading)


def of_seat(table, seat):
    return {name: wager.fate.value for name, wager in table.round.seats[seat].wagers.items()}


@pytest.mark.parametrize("rulebook", BETS)
def test_a_floorperson_may_take_them_as_lost(left, rulebook):
    """They are collected as under R-53 = abandoned. Clause: md-uth 7.C(2); elsewhere by the reading alone."""
    table = left(rulebook)
    assert hold_of(table).choices[-1] is LOST
    events = table.act(a.ResolveHold(hold_of(table).id, LOST))
    assert set(of_seat(table, 1).values()) == {"lost"}
    assert {e.reading for e in events if isinstance(e, f.WagerDecided)} == {"R-53"}
    opened = [(e.action.value, e.seat, e.least_role.value) for e in events if isinstance(e, f.DutyOpened)]
    assert opened == [("collect_seat_wagers", 1, "floorperson")]
    assert "lost" not in of_seat(table, 2).values()


def test_the_bonus_of_a_false_declarer_is_lost_when_a_person_says_so(make_table):
    """The declaration itself made the hand void: no later void reaches the bonus. Clause: ma-colorado 14(d), R-60, R-190."""
    elect = {"version": "required_bet", "R-60": "hold", "R-190": "return"}
    table = make_table("ma-colorado", elect=elect, offered=("bonus",)).ready()
    table.bet((1, "ante", 1000), (1, "bonus", 100), (2, "ante", 1000)).let_out().deal()
    table.answer(1, "declare")
    table.act(a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=1))
    table.act(a.ResolveHold(hold_of(table, "R-60").id, LOST))
    assert of_seat(table, 1)["bonus"] == "lost"


@pytest.mark.parametrize(("choice", "fate"), [("return", "returned"), ("lost", "lost"), ("hold", "lost")])
def test_after_a_void_it_is_lost_unless_such_go_back(left, choice, fate):
    """All hands became void while the floorperson was asked. Clause: md-uth 7.C(2), 13.E; R-190."""
    table = left("md-uth", **{"R-190": choice})
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=2))
    events = table.act(a.ResolveHold(hold_of(table).id, LOST))
    assert of_seat(table, 1) == {"ante": fate, "blind": fate}
    decided = {e.reading for e in events if isinstance(e, f.WagerDecided)}
    assert decided == {"R-190" if fate == "returned" else "R-53"}
