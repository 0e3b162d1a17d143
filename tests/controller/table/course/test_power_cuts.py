"""A device loses its power: what was in it is in order no more, and what was not is as it was."""

import pytest

from controller.rules.vocabulary import Method
from controller.table.state.table import Phase
from controller.table.words import acts as a
from drivers import events as e


def cut(table, name="shuffler-1", inside=52):
    return table.put(e.PoweredUp(e.ResetCause.POWER, inside), name)


def shuffled_whole(table, back):
    """A whole cycle, so that it is known which set lies in the shuffler."""
    table.put(e.ShuffleStarted(e.Back(back), e.Mode.SHUFFLE), "shuffler-1")
    table.shuffled(back)


def armed(table):
    return {back for back, card_set in table.state.sets.items() if card_set.armed}


def test_a_shuffled_set_that_lies_in_the_shuffler_must_be_shuffled_again(make_table):
    """The other one, which was taken out before, stays as it was."""
    table = make_table("md-uth").ready()
    shuffled_whole(table, "red")
    table.put(e.CardsRemoved(0), "shuffler-1")
    shuffled_whole(table, "blue")
    cut(table)
    assert armed(table) == {"red"}


@pytest.mark.parametrize(("inside", "left"), [(0, {"red", "blue"}), (52, set()), (None, set())])
def test_where_nobody_knows_what_lies_in_it_every_set_may_be_the_one(make_table, inside, left):
    """An empty one has nothing to forget; one that cannot say may hold any."""
    table = make_table("md-uth").ready()
    cut(table, inside=inside)
    assert armed(table) == left


@pytest.mark.parametrize("phase", ["betting", "bets_closed", "dealing"])
def test_the_set_of_a_round_that_is_dealt_from_a_shoe_is_no_business_of_the_shuffler(make_table, phase):
    """The cut hits the idle set; that of the round stays armed."""
    table = make_table("md-uth").ready()
    table.put(e.CardsRemoved(0), "shuffler-1")
    shuffled_whole(table, "blue")
    table.begin("red")
    if phase != "betting":
        table.close_bets()
    if phase == "dealing":
        table.act(a.StartDealing())
        table.stack(1)
    assert table.round.phase == phase
    cut(table)
    assert armed(table) == {"red"}


def test_a_hand_forming_shuffler_that_was_to_deal_its_set_must_shuffle_it_again(make_table):
    """Before the first packet: the set is disarmed, and the round waits for it."""
    table = make_table("ma-uth", Method.SHUFFLER, devices=("shuffler-1", "progressive-1")).ready()
    shuffled_whole(table, "red")
    table.begin("red").close_bets()
    cut(table)
    assert "red" not in armed(table)
    assert table.round.phase is Phase.BETS_CLOSED
    assert "cycle complete: NO" in table.refused(a.StartDealing()).reason
    shuffled_whole(table, "red")
    assert "red" in armed(table)


def test_a_hand_forming_shuffler_forgets_both_sets_that_it_keeps(make_table):
    """That which it shuffled last, and the other, which it has still to deal."""
    table = make_table("md-uth", Method.SHUFFLER).ready()
    shuffled_whole(table, "red")
    shuffled_whole(table, "blue")
    table.begin("red").close_bets()
    cut(table)
    assert armed(table) == set()


def test_a_shoe_that_reshuffles_forgets_too_and_one_that_only_deals_does_not(make_table):
    """The set in a dealing shoe lies as it lay."""
    table = make_table("md-uth").ready()
    cut(table, "shoe-1")
    assert armed(table) == {"red", "blue"}
    able = (e.Capability.DISPENSES_STACKS, e.Capability.RESHUFFLES)
    by_itself = make_table("md-uth", offered=("trips",), backs=("red",), devices=("shoe-1",))
    by_itself.online("shoe-1", capabilities=able)
    by_itself.open()
    by_itself.put(e.ShuffleCompleted(e.Back.RED, e.Mode.SHUFFLE, 52, e.Identities.NOT_READ), "shoe-1")
    assert armed(by_itself) == {"red"}
    cut(by_itself, "shoe-1")
    assert armed(by_itself) == set()


def test_a_set_that_is_shuffled_before_its_round_is_ended_is_ready_for_the_next(make_table):
    """Its cards are collected, a whole shuffle of all of them is told, then the round is ended: nothing undoes that."""
    table = make_table("md-uth").ready()
    table.begin("red").let_out().deal().to_showdown()
    table.act(a.SettleRound())
    table.act(a.CollectCards())
    shuffled_whole(table, "red")
    table.act(a.EndRound())
    assert "red" in armed(table)
    assert table.state.sets["red"].gone == 0


def test_one_that_went_wrong_before_its_round_was_ended_is_not(make_table):
    """A cycle that begins anew takes it back."""
    table = make_table("md-uth").ready()
    table.begin("red").let_out().deal().to_showdown()
    table.act(a.SettleRound())
    table.act(a.CollectCards())
    shuffled_whole(table, "red")
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    table.act(a.EndRound())
    assert "red" not in armed(table)
