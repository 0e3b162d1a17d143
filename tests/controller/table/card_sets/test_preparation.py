"""Steps that a set goes through before it is dealt: what is first, what a player may ask for, what may lie face up."""

from dataclasses import replace

import pytest

from controller.daemon.views.status import next_step
from controller.rules.vocabulary import Method, Role, Step
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e
from tests.controller.table.conftest import MakeTable, Table

STEPS = {
    "opening": ("opening", "inspect", ("4.A",)),
    "new_set": ("new set", "inspect", ("4.A",)),
    "idle": ("idle", "spread face down", ("5.H(1)",)),
}


def with_steps(make_table: MakeTable, why: str) -> Table:
    """A table in Maryland whose red set is to go through these steps."""
    if why == "opening":
        table = make_table()
        table.act(a.OpenTable())
        return table
    table = make_table().ready()
    if why == "idle":
        table.act(a.IdleTable())
        return table
    table.act(a.TakeSetAway("red"))
    table.act(a.BringSet("red"))
    return table


@pytest.mark.parametrize("why", STEPS)
def test_no_round_is_begun_before_the_first_step_and_the_reason_for_the_steps_is_told(
    make_table: MakeTable, why: str
) -> None:
    """Clauses: md-uth 4.A, 5.H(1)."""
    table = with_steps(make_table, why)
    said, step, cite = STEPS[why]
    refused = table.refused(a.BeginRound("red"))
    assert (refused.reason, refused.cite) == (f"first the red set ({said}): {step}, by the dealer", cite)


def test_only_cards_that_are_spread_may_be_told_to_lie_face_up(make_table: MakeTable) -> None:
    """Then nobody turns them up any more. Clauses: md-uth 4.A, 5.H(1), 5.H(2)."""
    table = with_steps(make_table, "opening")
    refused = table.refused(a.ConfirmStep("red", Step.INSPECT, face_up=True), Role.DEALER)
    assert (refused.code, refused.cite) == ("step_contradicts", ("4.A",))
    table = with_steps(make_table, "idle")
    table.act(a.RequestSpread("red"), Role.PLAYER)
    table.act(a.ConfirmStep("red", Step.SPREAD_FACE_DOWN, face_up=True), Role.DEALER)
    following = table.state.sets["red"].next_step
    assert following is not None
    assert following.step is Step.PLAYER_INSPECTS


def test_a_player_may_have_the_kept_set_spread_by_the_clause_that_says_so(make_table: MakeTable) -> None:
    """It goes through the steps of any set. Clause: fast-action (e)(8)(ii)."""
    table = make_table("fast-action", Method.SHUFFLER, offered=()).ready()
    asked, steps = table.act(a.RequestSpread("blue"))
    cite = ("(e)(8)(ii)", "(e)(8)(ii)(A)", "(e)(8)(ii)(B)")
    assert asked == f.SpreadRequested("blue", "a supervisor", cite)
    assert isinstance(steps, f.StepsAsked)
    assert steps.steps == table.setup.law.rulebook.idle.steps


def test_where_no_clause_says_when_cards_are_shuffled_the_document_alone_is_named(make_table: MakeTable) -> None:
    """Preshuffled cards are no exception to anything there, and are shuffled."""
    table = make_table("ma-uth", Method.MANUAL_SHOE, devices=(), backs=("red",))
    table.with_book(shuffle=replace(table.setup.law.rulebook.shuffle, at={}))
    events = table.act(a.BringSet("red", preshuffled=True))
    (disarmed,) = [event for event in events if isinstance(event, f.SetDisarmed)]
    assert disarmed.reason == "it is shuffled before play all the same (ma-uth)"


def test_preshuffled_cards_are_shuffled_all_the_same_where_the_document_spares_none(make_table: MakeTable) -> None:
    """Clause: ma-uth 4(a), unlike ma-colorado 5(a). Bets may be taken before that, and then the shuffle comes next."""
    table = make_table("ma-uth", Method.MANUAL_SHOE, devices=(), backs=("red",), offered=("trips",))
    events = table.act(a.BringSet("red", preshuffled=True))
    (disarmed,) = [event for event in events if isinstance(event, f.SetDisarmed)]
    assert disarmed.reason == "it is shuffled before play all the same (ma-uth 4(a))"
    table.act(a.OpenTable())
    assert table.state.sets["red"].steps == ()
    table.begin(trips=())
    table.act(a.AnnounceNoMoreBets())
    assert next_step(table.setup, table.state) == "Shuffle the red set; no card goes out before (record_shuffle)."
    assert "not armed" in table.refused(a.StartDealing()).reason
    table.act(a.RecordShuffle("red"))
    assert next_step(table.setup, table.state) == "Cut the red set (record_cut)."
    table.act(a.RecordCut("red"))
    table.act(a.StartDealing())


def shown_to_the_shuffle(table: Table, back: str) -> Table:
    """Every step of this set that people confirm is taken; its shuffle is next."""
    while (step := table.state.sets[back].waits) is not None:
        table.act(a.ConfirmStep(back, step.step), step.by)
    following = table.state.sets[back].next_step
    assert following is not None
    assert following.step is Step.SHUFFLE
    return table


@pytest.mark.parametrize("cut_waits", [False, True])
def test_no_cut_is_waited_for_once_a_device_has_shuffled(make_table: MakeTable, *, cut_waits: bool) -> None:
    """It is dealt; also where a shuffle by hand came first and nobody had cut. Clause: fast-action (e)(2)(i)."""
    table = make_table(
        "fast-action", Method.MANUAL_SHOE, {"R-18": "house_procedure"}, devices=("shuffler-1",)
    ).ready()
    table.act(a.IdleTable())
    while (step := table.state.sets["red"].waits) is not None:
        looked = step.step is Step.TAKE_STORED_SET
        table.act(a.ConfirmStep("red", step.step, secured=looked or None, prepared=looked or None), step.by)
    table.act(a.RequestSpread("blue"))
    shown_to_the_shuffle(table, "blue")
    if cut_waits:
        table.act(a.TakeDeviceOut("shuffler-1", a.OutOfService.REMOVED, failed=False))
        table.act(a.RecordShuffle("blue"))
        table.act(a.ReturnDevice("shuffler-1"))
        assert table.state.sets["blue"].cut_due
    table.shuffled("blue", 312)
    blue = table.state.sets["blue"]
    assert (blue.armed, blue.steps, blue.procedure) == (True, (), None)
    table.bet((1, "original", 1000), back="blue").close_bets()
    table.act(a.StartDealing())


def test_a_cut_is_a_step_where_people_shuffle(make_table: MakeTable) -> None:
    """Clause: fast-action (e)(8)(i)."""
    table = make_table("fast-action", Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
    table.shuffled_by_hand("red")
    table.act(a.IdleTable())
    shown_to_the_shuffle(table, "red").act(a.RecordShuffle("red"))
    following = table.state.sets["red"].next_step
    assert following is not None
    assert following.step is Step.CUT
    table.act(a.RecordCut("red", 3))
    assert not table.state.sets["red"].steps


def test_an_idle_table_goes_on_with_a_shoe_that_reshuffles(make_table: MakeTable) -> None:
    """Its word is the shuffle, and nobody cuts. Clause: fast-action (k)(1), R-69."""
    elected = {"R-18": "house_procedure"}
    table = make_table("fast-action", Method.DEALING_SHOE, elected, backs=("red",), devices=("shoe-1",))
    table.online("shoe-1", capabilities=(e.Capability.DISPENSES_STACKS, e.Capability.RESHUFFLES))
    reshuffled = e.ShuffleCompleted(e.Back.RED, mode=e.Mode.SHUFFLE, identities=e.Identities.NOT_READ, count=None)
    table.open().put(reshuffled, "shoe-1")
    table.act(a.IdleTable())
    shown_to_the_shuffle(table, "red").put(reshuffled, "shoe-1")
    assert not table.state.sets["red"].steps
    table.bet((1, "original", 1000)).close_bets()
    table.act(a.StartDealing())
