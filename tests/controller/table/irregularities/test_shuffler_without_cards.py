"""A shuffler that holds no card of the round in play: its failure is R-10's case, by a device's report and by a person's word.

Fast Action is not among the documents: its text says nothing of a shuffler that fails, whatever is in it (R-18).
"""

import pytest

from controller.rules.vocabulary import Guard, Method
from controller.table.words import acts as a
from drivers import events as e
from tests.support.failing import (
    DEALT_BY_SHUFFLER,
    OF_ITS_OWN,
    OTHER_METHODS,
    at,
    betting,
    jammed,
    reported,
    reported_unnamed,
    seen,
)


def left_alone(table, made):
    """The shuffler is emptied where the text says so; the round and its set are none of the failure's."""
    assert Guard.IDLE_SET in made.guards
    assert Guard.HANDING_OUT not in made.guards
    assert not table.round.void
    assert not table.state.holds
    assert not {"returned", "held"} & set(table.fates().values())
    assert not [duty for duty in table.state.duties.values() if "reshuffle" in duty.action]


@reported_unnamed
@pytest.mark.parametrize("phase", ["betting", "closed", "dealt"])
@pytest.mark.parametrize("method", OTHER_METHODS)
@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_a_shuffler_at_a_table_with_one_set_holds_none_of_the_round(
    make_table, disposed, rulebook, method, phase, report
):
    """Clause: R-10. The one set was shuffled and is dealt from elsewhere: nothing is in the shuffler."""
    table = betting(make_table, rulebook, method, backs=("red",), devices=("shuffler-1", "shoe-1"))
    if phase != "betting":
        table.close_bets()
    if phase == "dealt":
        table.act(a.StartDealing())
        if table.state.dispenser():
            table.deal()
        else:
            table.act(a.RecordInitialDeal())
    made = disposed(report(table))
    left_alone(table, made)
    assert table.state.sets["red"].armed


@reported
@pytest.mark.parametrize("method", [*OTHER_METHODS, Method.SHUFFLER])
@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_a_shuffler_holds_no_set_that_lies_on_the_layout(make_table, disposed, rulebook, method, report):
    """Clause: R-10. All is dealt; not even a shuffler that names the set can have jammed with it."""
    table = betting(make_table, rulebook, method, backs=("red",), devices=("shuffler-1", "shoe-1")).close_bets()
    table.act(a.StartDealing())
    if table.state.dispenser():
        table.deal()
    else:
        table.act(a.RecordInitialDeal())
    left_alone(table, disposed(report(table)))


@pytest.mark.parametrize("activity", list(e.Activity))
@pytest.mark.parametrize("back", [e.Back.RED, e.Back.UNKNOWN])
@pytest.mark.parametrize("phase", ["betting", "closed"])
@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_a_shuffler_that_senses_no_card_holds_none_of_the_round(
    make_table, disposed, rulebook, phase, back, activity
):
    """Clause: R-10. Though it was to deal: the set was not put into it yet."""
    table = at(make_table, rulebook, phase)
    made = disposed(table.put(e.Jammed(back, activity, e.JamPlace.OUTPUT, 0, 0), "shuffler-1"))
    left_alone(table, made)


@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_an_empty_shuffler_in_the_deal_has_failed_to_deal(make_table, disposed, rulebook):
    """Clause: R-29. Stacks are still to come, and none can."""
    table = at(make_table, rulebook, "dealing")
    made = disposed(table.put(e.Jammed(e.Back.RED, e.Activity.IDLE, e.JamPlace.OUTPUT, 2, 0), "shuffler-1"))
    assert Guard.HANDING_OUT in made.guards
    assert table.round.void


@pytest.mark.parametrize("activity", [e.Activity.DEALING, e.Activity.SHUFFLING, e.Activity.IDLE])
@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_a_shuffler_that_has_dealt_all_hands_nothing_more_out(make_table, disposed, rulebook, activity):
    """Clause: R-10, R-29. Whatever it says that it was doing, and though it names the set of the round."""
    for back in (e.Back.RED, e.Back.UNKNOWN):
        table = at(make_table, rulebook, "dealt")
        for made in (
            disposed(jammed(activity, back)(table)),
            disposed(table.put(e.DealStopped(back, e.StopReason.STOPPED, 3, 40), "shuffler-1")),
        ):
            assert (Guard.IDLE_SET in made.guards, Guard.HANDING_OUT in made.guards) == (True, False)
        assert not table.round.void
        assert table.state.sets["red"].armed


@pytest.mark.parametrize("method", [*OTHER_METHODS, Method.SHUFFLER])
@pytest.mark.parametrize("report", ["shuffling", "stopped", "a person"])
def test_the_round_s_own_set_in_its_shuffle_sends_wagers_back_before_the_announcement(
    make_table, disposed, method, report
):
    """Clause: md-uth 13.H(2), R-31. It says nothing of a round of play, as 13.I does."""
    table = betting(make_table, "md-uth", method)
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    made = disposed(OF_ITS_OWN[report](table))
    assert {"return_all_wagers"} <= {d.action for d in made.demands if d.cite == ("13.H(2)",)}
    assert set(table.fates().values()) == {"returned"}


@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_wagers_go_back_for_a_shuffler_without_the_set_only_where_that_is_elected(make_table, disposed, rulebook):
    """Clause: R-10. Only Maryland's text sends wagers back at all, and then under that reading's name."""
    choices = {choice.id for choice in make_table(rulebook).setup.law.rulebook.readings["R-10"].choices}
    assert choices == {"round_goes_on", "hold"} | ({"wagers_back"} if rulebook == "md-uth" else set())
    for choice in choices - {"round_goes_on"}:
        table = betting(
            make_table, rulebook, Method.MANUAL_SHOE, {"R-10": choice}, backs=("red",), devices=("shuffler-1",)
        )
        made = disposed(seen(table))
        assert table.round.void is (choice == "wagers_back")
        assert {"R-10"} == {
            d.reading for d in made.demands if d.action in ("hold_round", "return_all_wagers", "void_round")
        }
