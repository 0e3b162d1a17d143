"""What was paid or collected before somebody found what makes the hands void: it stays on record, and a person is asked."""

import dataclasses

import pytest

from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Trigger
from controller.table.decide import fold
from controller.table.settlement.unchecked import Check, unchecked
from controller.table.state.table import State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.structs import replace

WIN, LOSE, RETURN = a.Outcome.WIN, a.Outcome.LOSE, a.Outcome.RETURN
FALSE = a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=1)
PAID_ANTE, PAID_BONUS = a.SettleWager(1, "ante", WIN, 5000), a.SettleWager(1, "bonus", WIN, 500)


@pytest.fixture
def declared(make_table):
    """Colorado, where seat 1 has declared and seat 3 is still to answer; `paid`: what was settled on it then."""

    def make(*paid, reading="hold", coupon=0):
        elect = {"version": "required_bet", "R-60": reading}
        table = make_table("ma-colorado", elect=elect, offered=("bonus",)).ready()
        table.act(a.BeginRound("red"))
        table.act(a.PlaceWager(1, "ante", 1000, coupon=coupon))
        for bet in ((1, "bonus", 100), (3, "ante", 1000)):
            table.act(a.PlaceWager(*bet))
        table.let_out().deal()
        table.answer(1, "declare")
        for act in paid:
            table.act(act)
        return table

    return make


def asked(events):
    return {event.wager: event for event in events if isinstance(event, f.HoldPlaced)}


def test_a_false_winner_that_was_paid_is_asked_about_with_the_sum(declared):
    """The chips are with the player, so that nothing lies to be collected. Clause: ma-colorado 14(d)."""
    table = declared(PAID_ANTE, PAID_BONUS)
    holds = asked(table.act(FALSE))
    assert [*holds] == ["ante", "bonus"]
    assert holds["ante"].reason == (
        "seat 1: ante was settled as win with 6000 cents handed back, and it is lost [14(d)]; take back what was too much and "
        "correct it (correct_settlement), or go_on lets it stand"
    )
    assert "with 600 cents handed back, and a person decides about it [R-60]" in holds["bonus"].reason
    assert (holds["ante"].cite, holds["bonus"].reading) == (("14(d)",), "R-60")
    assert {hold.choices for hold in holds.values()} == {(a.Resolution.GO_ON,)}
    assert table.round.seats[1].void
    assert (table.fates()[1, "ante"], table.fates()[1, "bonus"]) == ("settled", "settled")
    assert not table.state.duties
    assert Check.PAYMENTS in unchecked(table.setup, table.state)


def test_what_a_false_winner_was_paid_is_corrected_and_play_goes_on(declared):
    """Each correction owes what was handed back, and lifts the hold that asked for it."""
    table = declared(PAID_ANTE, PAID_BONUS)
    table.act(FALSE)
    first = table.act(a.CorrectSettlement(1, "ante", LOSE, "no instant winner"))[0]
    assert (first.was, first.before, first.owed) == (WIN, 6000, -6000)
    assert [hold.wager for hold in table.state.holds.values()] == ["bonus"]
    assert table.act(a.CorrectSettlement(1, "bonus", RETURN, "given back"))[0].owed == -500
    assert not table.state.held
    table.answer(3, "bet", 1)
    assert fold(State.initial(table.setup), table.all) == table.state


def test_a_person_may_let_stand_what_a_false_winner_was_paid(declared):
    table = declared(PAID_ANTE)
    table.act(FALSE)
    for hold in tuple(table.state.holds):
        if table.state.holds[hold].wager == "ante":
            table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    assert table.round.seats[1].wagers["ante"].paid == 5000
    assert table.fates()[1, "ante"] == "settled"


@pytest.mark.parametrize(("reading", "bonus"), [("hold", "held"), ("return", "returned"), ("collect", "lost")])
def test_what_was_not_paid_yet_has_the_fate_of_the_row(declared, reading, bonus):
    """Only the ante was paid; of the bonus nothing was handed back."""
    table = declared(PAID_ANTE, reading=reading)
    holds = asked(table.act(FALSE))
    assert set(holds) == {"ante"} | ({"bonus"} if reading == "hold" else set())
    assert table.fates() == {(1, "ante"): "settled", (1, "bonus"): bonus, (3, "ante"): "live"}


@pytest.mark.parametrize(
    ("reading", "says"), [("return", "it goes back [R-60]"), ("collect", "it is lost [R-60]")]
)
def test_a_paid_bonus_is_asked_about_as_was_elected(declared, reading, says):
    """The ante was not paid: it is lost, and collected. Clause: ma-colorado 14(d)."""
    table = declared(PAID_BONUS, reading=reading)
    holds = asked(table.act(FALSE))
    assert [*holds] == ["bonus"]
    assert says in holds["bonus"].reason
    assert table.fates()[1, "ante"] == "lost"
    assert "collect_ante" in {duty.word for duty in table.state.duties.values()}


@pytest.mark.parametrize(
    ("reading", "outcome", "bonus"),
    [("return", RETURN, False), ("return", LOSE, True), ("collect", LOSE, False), ("collect", RETURN, True)],
)
def test_what_was_settled_as_the_row_has_it_is_not_asked_about(declared, reading, outcome, bonus):
    """The dealer saw the slip and collected the ante at once."""
    table = declared(a.SettleWager(1, "ante", LOSE), a.SettleWager(1, "bonus", outcome), reading=reading)
    assert [*asked(table.act(FALSE))] == ["bonus"] * bonus
    assert table.fates()[1, "ante"] == "settled"


def test_a_coupon_that_was_paid_is_asked_about_too(declared):
    """A coupon lies beside the ante and is a part of the wager. Clause: ma-colorado 6(a), 14(d)."""
    table = declared(PAID_ANTE, a.SettleWager(1, "ante", WIN, 500, coupon=True), coupon=500, reading="collect")
    holds = asked(table.act(FALSE))
    assert [*holds] == ["ante", "coupon beside the ante"]
    assert "settled as win with 500 cents handed back" in holds["coupon beside the ante"].reason
    corrected = table.act(a.CorrectSettlement(1, "ante", LOSE, "no instant winner", coupon=True))[0]
    assert corrected.owed == -500
    assert [hold.wager for hold in table.state.holds.values()] == ["ante"]


def test_a_coupon_beside_a_lost_ante_is_taken_with_it(declared):
    """As `settle` has it. Clause: ma-colorado 6(a), 14(d)."""
    table = declared(coupon=500, reading="collect")
    table.act(FALSE)
    assert table.fates()[1, "ante"] == "lost"
    settled = table.act(a.SettleWager(1, "ante", LOSE, coupon=True))[0]
    assert (settled.outcome, settled.paid) == (LOSE, 0)


def test_a_false_winner_that_is_found_after_the_round_is_asked_about_wager_by_wager(declared):
    """What is on record one by one is named with its sum; without that nobody knows what was paid. Clause: ma-colorado 14(d)."""
    for paid in ((PAID_ANTE, PAID_BONUS), ()):
        table = declared(*paid)
        table.answer(3, "bet", 1)
        table.act(a.RevealCommunity(a.Street.COMMUNITY))
        table.act(a.SettleRound())
        holds = asked(table.act(FALSE))
        assert [*holds] == (["ante", "bonus"] if paid else [""])
        assert paid or "settled already" in holds[""].reason
        assert table.fates()[1, "ante"] == "settled"


def test_a_false_winner_that_was_paid_in_a_void_round_is_asked_about(declared):
    """The void asks already about what was settled before it; the declaration names the sum. Clause: ma-colorado 14(c), (d)."""
    table = declared(PAID_ANTE)
    void = asked(table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_COMMUNITY)))
    assert "wagers are settled already" in void[""].reason
    assert "with 6000 cents" in asked(table.act(FALSE))["ante"].reason


def test_what_was_paid_is_corrected_or_stands_though_its_reading_may_void_a_round(declared):
    """The money has changed hands: a void would give back none of it. Clause: ma-colorado 14(d), R-60."""
    table = declared(PAID_ANTE, PAID_BONUS)
    law = table.setup.law
    (row,) = law.rulebook.rows[Trigger.FALSE_DECLARATION]
    step = next(step for step in row.by_reading if step.reading == "R-60")
    voids = dataclasses.replace(step, choice="void", do=(Demand(Action.VOID_ROUND, reading="R-60"),))
    row = dataclasses.replace(row, by_reading=(*row.by_reading, voids))
    book = dataclasses.replace(law.rulebook, rows={**law.rulebook.rows, Trigger.FALSE_DECLARATION: (row,)})
    table.setup = replace(table.setup, law=dataclasses.replace(law, rulebook=book))
    assert table.setup.law.may_void("R-60")
    holds = asked(table.act(FALSE))
    assert {name: hold.choices for name, hold in holds.items()} == dict.fromkeys(
        ("ante", "bonus"), (a.Resolution.GO_ON,)
    )
