"""Irregularities that only some games can have: refused where the game has no such thing, carried out where it has."""

import pytest

from controller.games.fates import FATES
from controller.rules.vocabulary import CONFIRMED, Action, Method, Role, Trigger
from controller.table.irregularities.dispositions import (
    DUTIES_ON_DEVICE,
    DUTIES_ON_SET,
    DUTIES_ON_TABLE,
    LATE_FATES,
)
from controller.table.words import acts as a


@pytest.mark.parametrize(("book", "cite"), [("ma-uth", ("9(c)",)), ("md-uth", ("10.B",))])
def test_what_a_game_does_not_have_can_not_be_reported(make_table, book, cite):
    """A slip of the finger voids nothing: the refusal says that there is no dealing marker, and where that was read."""
    table = make_table(book).ready().begin().let_out().deal()
    refused = table.refused(a.ReportIrregularity(Trigger.MARKER_NOT_MOVED))
    assert "no dealing marker" in refused.reason
    assert refused.cite == cite
    assert not table.state.held


def test_no_shuffler_jams_where_there_is_none(make_table):
    """Nor does a shoe where cards are not dealt from one."""
    table = make_table("md-uth", Method.MANUAL_SHOE, devices=("progressive-1",), backs=("red",))
    table.online("progressive-1")
    table.open()
    table.shuffled_by_hand("red").begin().let_out()
    refused = table.refused(a.ReportIrregularity(Trigger.SHUFFLER_JAM))
    assert refused.reason == "no shuffler belongs to this table"
    refused = table.refused(a.ReportIrregularity(Trigger.SHOE_JAM))
    assert refused.reason == "cards are dealt by manual_shoe, not from a dealing shoe"


@pytest.mark.parametrize("book", ["ma-uth", "md-uth"])
def test_the_wagers_of_a_player_who_left_are_lost_only_under_the_election(make_table, disposed, book):
    """Clause: md-uth 7.C(2); ma-uth is silent. The chips of that seat alone are collected, and a person says so."""
    table = make_table(book, elect={"R-53": "abandoned"}).ready().begin().let_out().deal()
    made = disposed(table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1)))
    assert (made.demands[0].action, made.demands[0].reading) == (Action.COLLECT_SEAT_WAGERS, "R-53")
    fates = table.fates()
    assert {fate for (seat, _), fate in fates.items() if seat == 1} == {"lost"}
    assert {fate for (seat, _), fate in fates.items() if seat == 3} == {"live"}
    duty = next(d for d in table.state.duties.values() if d.action is Action.COLLECT_SEAT_WAGERS)
    assert (duty.seat, duty.least_role) == (1, Role.FLOORPERSON)


@pytest.mark.parametrize(
    ("book", "wager", "answer"),
    [
        ("fast-action", "original", "natural"),
        ("ma-colorado", "ante", "declare"),
        ("fast-action", "original", "surrender"),
    ],
)
def test_what_an_answer_has_settled_is_not_collected_when_its_player_leaves(make_table, book, wager, answer):
    """A natural is paid at once, a hand that was given up is divided: nothing of it lies there to be lost. The floor comes.

    Clause: fast-action (h)(2), (h)(6); ma-colorado 11(b)(2)(i); R-53.
    """
    table = make_table(book, elect={"R-53": "abandoned"}).ready().bet((1, wager, 1000), (3, wager, 1000))
    table.let_out().deal().answer(1, answer)
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    assert table.fates()[1, wager] == "settled"
    assert [duty.action for duty in table.state.duties.values()] == [Action.CALL_FLOORPERSON]
    if answer != "surrender":
        table.act(a.SettleWager(1, wager, a.Outcome.WIN, 5000))


def test_what_was_collected_at_a_fold_is_collected_once(make_table):
    """A player who has folded leaves: only Trips lie there, and without them nothing does. Clause: ma-uth 10(e)(2), R-53."""
    table = make_table("ma-uth", elect={"R-53": "abandoned"}).ready().begin(trips=(1,)).let_out().deal()
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.decide_all(a.Decision.CHECK)
        table.act(a.RevealCommunity(street))
    for seat in (1, 3):
        table.answer(seat, "fold")
        table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=seat))
    collects = [duty.seat for duty in table.state.duties.values() if duty.action is Action.COLLECT_SEAT_WAGERS]
    assert collects == [1]


def test_each_seat_that_is_held_is_named_and_waits_for_its_own_answer(make_table, rulebook):
    """Two players left, and all wagers of one are let stand: those of the other still wait. Play waits for both (R-53)."""
    table = make_table(rulebook).ready().begin(seats=(1, 3, 5)).let_out().deal()
    for seat in (1, 3):
        table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=seat))
    one, three = table.state.holds.values()
    assert [(hold.seat, hold.reason.split(";")[0]) for hold in (one, three)] == [
        (1, "seat 1: 3 wagers are held"),
        (3, "seat 3: 2 wagers are held"),
    ]
    refused = table.refused(a.RecordDecision(5, a.Decision.CHECK))
    assert refused.reason.startswith(f"play is held: {one.id} seat 1: 3 wagers are held")
    table.act(a.ResolveHold(three.id, a.Resolution.RETURN_WAGER))
    fates = table.fates()
    assert {seat: {fate for (at, _), fate in fates.items() if at == seat} for seat in (1, 3, 5)} == {
        1: {"held"}, 3: {"returned"}, 5: {"live"},
    }  # fmt: skip
    table.act(a.ResolveHold(one.id, a.Resolution.WAGER_STANDS))
    assert table.fates()[1, "ante"] == "stands"


def test_the_answer_for_all_wagers_leaves_those_of_a_seat_that_is_held_by_itself(make_table):
    """Clause: ma-uth 15(a), R-22 = hold. The player who left is one question, the void hands are another."""
    table = make_table("ma-uth", elect={"R-22": "hold"}).ready().begin(seats=(1, 3, 5), trips=()).let_out().deal()
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    left, void = table.state.holds.values()
    assert (left.seat, void.seat) == (1, 0)
    table.act(a.ResolveHold(void.id, a.Resolution.RETURN_WAGER))
    assert {fate for (seat, _), fate in table.fates().items() if seat != 1} == {"returned"}
    assert {fate for (seat, _), fate in table.fates().items() if seat == 1} == {"held"}


@pytest.mark.parametrize("first", [0, 1])
def test_two_questions_about_the_whole_table_are_answered_each_for_its_own_wagers(make_table, first):
    """The Trips of hands that were not dealt are one, the progressive wagers another. Clause: md-uth 13.F, 13.G, R-11, R-127."""
    table = make_table("md-uth", elect={"R-11": "hold", "R-127": "hold"}).ready().begin(trips=(1, 3))
    for seat in (1, 3):
        table.chip(seat)
    table.let_out().deal(2)
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    answers = [
        ("R-127", "trips", a.Resolution.WAGER_STANDS, "to_settle"),
        ("R-11", "progressive", a.Resolution.RETURN_WAGER, "returned"),
    ]
    left = {"trips", "progressive"}
    for reading, wager, answer, fate in (answers[first], answers[1 - first]):
        (hold,) = (hold for hold in table.state.holds.values() if hold.reading == reading)
        table.act(a.ResolveHold(hold.id, answer))
        left.remove(wager)
        fates = table.fates()
        assert {fates[seat, wager] for seat in (1, 3)} == {fate}
        assert {name for (_, name), fate in fates.items() if fate == "held"} == left


def test_a_hold_on_the_round_names_the_seat_that_it_is_about(make_table, rulebook):
    """At three in the morning: whose cards were touched?"""
    table = make_table(rulebook).ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.HAND_TOUCHED, seat=3))
    (hold,) = table.state.holds.values()
    assert hold.reason.startswith("seat 3: ")
    assert hold.seat == 0


def test_a_player_who_left_must_have_sat_somewhere(make_table):
    """The report names a seat in play."""
    table = make_table("md-uth").ready().begin().let_out().deal()
    assert "in play are seats 1, 3" in table.refused(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=2)).reason


def test_a_community_card_seen_early_holds_the_round(make_table):
    """No document has a rule for it; a floorperson decides."""
    table = make_table("ma-uth").ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.COMMUNITY_CARD_EXPOSED))
    assert [hold.reading for hold in table.state.holds.values()] == ["R-52"]


def test_every_demand_that_a_person_confirms_is_carried_out_by_the_core():
    """A word of the vocabulary that the core does not know would be demanded, recorded, and done by nobody."""
    known = {
        *DUTIES_ON_DEVICE, *DUTIES_ON_SET, *DUTIES_ON_TABLE, *FATES, *LATE_FATES, Action.HOLD_ROUND,
    }  # fmt: skip
    assert CONFIRMED - known == set()
