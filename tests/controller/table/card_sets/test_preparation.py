"""Steps that a set goes through before it is dealt: what is first, what a player may ask for, what may lie face up."""

import pytest

from controller.rules.vocabulary import Method, Role, Step
from controller.table.words import acts as a
from drivers import events as e
from tests.controller.table.conftest import MakeTable, Table


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
