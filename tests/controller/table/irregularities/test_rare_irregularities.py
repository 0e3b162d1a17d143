"""Irregularities that only some games can have: refused where the game has no such thing, carried out where it has."""

import pytest

from controller.rules.vocabulary import Action, Method, Trigger
from controller.table.words import acts as a


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
