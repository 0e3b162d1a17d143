"""Rare turns: devices that are not in use, sets that nobody can vouch for, chips beside chips, counts at an odd time."""

import pytest

from controller.rules.vocabulary import Method
from controller.table import acts as a
from controller.table.state import Phase
from drivers import events as e


def duties(table):
    return {d.action for d in table.state.duties.values()}


def kinds(events):
    return [event.kind for event in events]


def face_up(activity, back=e.Back.BLUE):
    return e.FaceUpCard(back, activity)


# ---- devices that are not in use


def test_a_shoe_that_is_out_of_service_voids_no_round(make_table, rulebook):
    """A technician tries it under the table; the clauses speak of a shoe that is being used."""
    table = make_table(rulebook, Method.HAND).ready().begin().let_out()
    table.act(a.TakeDeviceOut("shoe-1", a.OutOfService.REMOVED))
    stuck = e.Jammed(e.Back.RED, e.Activity.IDLE, e.JamPlace.OUTPUT, 0, 3)
    assert kinds(table.put(stuck, "shoe-1")) == ["jammed"]
    assert kinds(table.put(e.SelfTestFailed(7), "shoe-1")) == ["self_test_failed"]


def test_a_shoe_that_stands_unused_voids_no_round(make_table, rulebook):
    """In service, but the cards are dealt from the hand."""
    table = make_table(rulebook, Method.HAND).ready().begin().let_out()
    table.put(e.Jammed(e.Back.RED, e.Activity.IDLE, e.JamPlace.OUTPUT, 0, 3), "shoe-1")
    assert table.round.phase is Phase.DEALING


def test_a_shuffler_that_is_out_of_service_arms_no_set(make_table):
    """Its test cycle is no shuffle of the game."""
    table = make_table("md-uth").ready()
    table.act(a.TakeDeviceOut("shuffler-1", a.OutOfService.COVERED))
    table.act(a.BringSet("red"))
    table.shuffled("red")
    assert not table.state.sets["red"].armed


def test_a_shuffler_that_jams_while_it_hands_out_is_never_idle(make_table, rulebook, disposed):
    """Whatever colour it names: packets come from the set that is dealt."""
    table = make_table(rulebook, Method.SHUFFLER).ready().begin("red").let_out()
    made = disposed(table.put(e.Jammed(e.Back.BLUE, e.Activity.DEALING, e.JamPlace.OUTPUT, 1, 50), "shuffler-1"))
    assert "idle_set" not in made.guards
    assert "handing_out" in made.guards


# ---- sets that nobody can vouch for


def test_a_set_that_is_being_shuffled_again_is_not_armed(make_table):
    """The complete cycle was the one before; this one may stop half way."""
    table = make_table("md-uth").ready().begin("red").close_bets()
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    assert "cycle complete: NO" in table.refused(a.StartDealing()).reason


def test_a_set_of_a_colour_that_is_not_of_this_table_is_held_and_never_dealt(make_table):
    """It becomes no set of the table."""
    table = make_table("md-uth").ready()
    table.shuffled("green")
    assert table.state.held
    assert set(table.state.sets) == {"red", "blue"}


def test_a_shuffle_of_an_unnamed_set_is_credited_only_where_one_set_can_be_meant(make_table):
    """While red lies on the layout it was blue; with both off the layout nobody knows."""
    table = make_table("md-uth").ready()
    table.shuffled("unknown")
    assert table.state.held
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.GO_ON))
    table.begin("red").let_out().deal(1)
    table.put(e.ShuffleStarted(e.Back.UNKNOWN, e.Mode.SHUFFLE), "shuffler-1")
    assert not table.state.sets["blue"].armed
    table.shuffled("unknown")
    assert table.state.sets["blue"].armed
    assert not table.state.held


def test_a_gap_of_the_shuffler_leaves_no_set_armed_that_it_may_hold(make_table):
    """Between rounds nothing is void, but what it did is not known."""
    table = make_table("md-uth").ready()
    table.put(e.EventsLost("SIM-shuffler-1", "0" * 16, 5, 7), "shuffler-1")
    assert not table.state.held
    assert not any(s.armed for s in table.state.sets.values())


def test_cards_that_leave_the_shoe_with_no_round_disarm_their_set(make_table):
    """A short set must not be dealt from in the next round."""
    table = make_table("md-uth").ready()
    table.put(e.StackDispensed(e.Back.RED, 1, 5), "shoe-1")
    assert not table.state.sets["red"].armed
    assert table.state.sets["blue"].armed
    assert table.state.held


@pytest.mark.parametrize("activity", [e.Activity.SHUFFLING, e.Activity.IDLE])
def test_a_card_face_up_in_a_shuffle_is_no_card_face_up_in_the_deal(make_table, rulebook, activity):
    """Clause: md-uth 13.A, ma-uth 15(b): found "while the cards are being dealt"."""
    table = make_table(rulebook).ready().begin().let_out().deal(1)
    for _ in range(2):
        assert "disposition_made" not in kinds(table.put(face_up(activity), "shuffler-1"))
    assert not table.round.void
