"""A device that fails: whether it holds the set of the round, which it still has to deal, or the other one."""

import pytest

from controller.rules.vocabulary import Guard, Method, Trigger
from controller.table.state.table import Phase
from controller.table.words import acts as a
from drivers import events as e
from tests.support.failing import (
    CLAUSE,
    DEALT_BY_SHUFFLER,
    OTHER_METHODS,
    OTHERS,
    at,
    betting,
    freed,
    jammed,
    reported,
    seen,
    stopped,
)


@reported
@pytest.mark.parametrize("phase", ["betting", "closed"])
@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_a_shuffler_that_deals_fails_with_the_set_that_it_has_yet_to_deal(
    make_table, disposed, rulebook, phase, report
):
    """Clause: md-uth 13.H, ma-uth 15(e), ma-colorado 14(e), nj-pikit 38.12(e). The armed set lies in that very device."""
    table = at(make_table, rulebook, phase)
    made = disposed(report(table))
    assert made.cite == (CLAUSE[rulebook],)
    assert not {Guard.IDLE_SET, Guard.HANDING_OUT} & set(made.guards)
    assert {duty.back for duty in table.state.duties.values() if "reshuffle" in duty.action} == {"red"}
    assert (table.state.sets["red"].armed, table.state.sets["blue"].armed) == (False, True)
    if rulebook == "md-uth":
        assert (table.round.void, set(table.fates().values())) == (True, {"returned"})
    else:
        assert a.Resolution.VOID in next(iter(table.state.holds.values())).choices


@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_a_shuffler_that_deals_and_names_the_other_set_leaves_the_round(make_table, disposed, rulebook):
    """Clause: R-10. The device knows which of the two is stuck."""
    table = at(make_table, rulebook, "closed")
    made = disposed(jammed(e.Activity.SHUFFLING, e.Back.BLUE)(table))
    assert Guard.IDLE_SET in made.guards
    assert table.round.phase is Phase.BETS_CLOSED
    assert {duty.back for duty in table.state.duties.values() if "reshuffle" in duty.action} == {"blue"}


@pytest.mark.parametrize(
    ("report", "handing_out"),
    [
        (seen, True),
        (jammed(e.Activity.IDLE), True),
        (jammed(e.Activity.SHUFFLING), False),
        (stopped, False),
        (freed, True),
    ],
)
@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_in_the_deal_it_fails_with_the_set_that_it_deals(make_table, disposed, rulebook, report, handing_out):
    """Clause: R-29, and each text's clause on a shuffler. Some stacks lie on the layout, and the others are still inside."""
    table = at(make_table, rulebook, "dealing")
    made = disposed(report(table))
    assert (Guard.IDLE_SET in made.guards, Guard.HANDING_OUT in made.guards) == (False, handing_out)
    assert {duty.back for duty in table.state.duties.values() if "reshuffle" in duty.action} == {"red"}


@reported
def test_the_dealers_stack_that_waits_in_a_failed_shuffler_is_of_the_round(make_table, disposed, report):
    """Clause: md-uth 10.B(4), 13.H, R-31: all wagers go back, and its cards are shuffled with those already dealt."""
    table = at(make_table, "md-uth", "waiting")
    made = disposed(report(table))
    assert made.cite == ("13.H",)
    assert not {Guard.IDLE_SET, Guard.HANDING_OUT} & set(made.guards)
    assert table.round.void
    assert set(table.fates().values()) == {"returned"}
    assert {duty.back for duty in table.state.duties.values() if "reshuffle" in duty.action} == {"red"}


@pytest.mark.parametrize("report", [seen, freed, jammed(e.Activity.IDLE), jammed(e.Activity.DEALING)])
def test_a_shuffler_that_fails_with_the_dealers_stack_let_out_was_handing_it_out(make_table, disposed, report):
    """Clause: md-uth 10.B(4), 13.H with 13.I, R-29."""
    table = at(make_table, "md-uth", "delivered")
    made = disposed(report(table))
    assert Guard.HANDING_OUT in made.guards
    assert table.round.void
    assert set(table.fates().values()) == {"returned"}


@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_once_all_stacks_are_out_a_failed_shuffler_has_nothing_of_the_round(make_table, disposed, rulebook):
    """Clause: R-10. What is dealt is played out; only the other set is shuffled in it now."""
    table = at(make_table, rulebook, "dealt")
    made = disposed(seen(table))
    assert Guard.IDLE_SET in made.guards
    assert not table.round.void


@pytest.mark.parametrize("method", OTHER_METHODS)
@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_a_shuffler_that_does_not_deal_hands_nothing_of_a_round_out(make_table, disposed, rulebook, method):
    """Clause: R-10, R-29. Whatever it was doing when it jammed, the round is dealt from elsewhere with the armed set."""
    table = at(make_table, rulebook, "closed", method)
    for report in (jammed(e.Activity.DEALING), jammed(e.Activity.DEALING, e.Back.BLUE), seen):
        made = disposed(report(table))
        assert (Guard.IDLE_SET in made.guards, Guard.HANDING_OUT in made.guards) == (True, False)
    assert table.state.sets["red"].armed


@pytest.mark.parametrize("rulebook", ["md-uth", *OTHERS])
@pytest.mark.parametrize("phase", ["betting", "closed", "dealing", "dealt"])
@pytest.mark.parametrize("report", [jammed(e.Activity.IDLE), freed, None])
def test_the_set_in_a_shoe_that_fails_in_a_round_is_that_of_the_round(
    make_table, disposed, rulebook, phase, report
):
    """Clause: md-uth 13.I, ma-uth 15(f), ma-colorado 14(f), nj-pikit 38.12(f), whether the device names it or not. The round is
    void with cards to be dealt (R-128)."""
    table = at(make_table, rulebook, phase, Method.DEALING_SHOE)
    if report is None:
        made = disposed(table.act(a.ReportIrregularity(Trigger.SHOE_JAM)))
    else:
        event = (
            e.JamCleared(True, 2)
            if report is freed
            else e.Jammed(e.Back.UNKNOWN, e.Activity.IDLE, e.JamPlace.RACK, 0, 40)
        )
        made = disposed(table.put(event, "shoe-1"))
    assert made.trigger is Trigger.SHOE_JAM
    assert table.round.void is (phase in ("closed", "dealing"))
    assert {duty.back for duty in table.state.duties.values() if "reshuffle" in duty.action} == {"red"}


# ---- a device that is emptied


@pytest.mark.parametrize(("method", "name"), [(Method.SHUFFLER, "shuffler-1"), (Method.DEALING_SHOE, "shoe-1")])
@pytest.mark.parametrize("phase", ["betting", "closed"])
@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_a_set_that_is_taken_out_of_the_device_that_was_to_deal_it_is_shuffled_again(
    make_table, rulebook, phase, method, name
):
    """Clause: md-uth 5.A(1), 10.A(1); ma-uth 4(a), 9(b)(1); ma-colorado 5(a), 9(b)(1); nj-pikit 39.9(b)1. It is put into the
    device as it was shuffled; the other set is none of its business."""
    table = at(make_table, rulebook, phase, method)
    table.put(e.CardsRemoved(0), name)
    assert (table.state.sets["red"].armed, table.state.sets["blue"].armed) == (False, True)
    if phase == "betting":
        table.close_bets()
    assert "the red set is not armed: present: yes, cycle complete: NO" in table.refused(a.StartDealing()).reason
    table.shuffled("red")
    table.act(a.StartDealing())


@pytest.mark.parametrize("method", [Method.HAND, Method.MANUAL_SHOE, Method.DEALING_SHOE])
def test_a_shuffler_that_does_not_deal_is_rightly_emptied(make_table, rulebook, method):
    """The set was shuffled in it, and is dealt from elsewhere."""
    table = at(make_table, rulebook, "closed", method)
    table.put(e.CardsRemoved(0), "shuffler-1")
    assert table.state.sets["red"].armed


@pytest.mark.parametrize("inside", [None, 2])
def test_a_device_that_does_not_say_that_it_is_empty_proves_nothing(make_table, rulebook, inside):
    """Some of its cards may be what is still to be dealt."""
    table = at(make_table, rulebook, "closed")
    table.put(e.CardsRemoved(inside), "shuffler-1")
    assert table.state.sets["red"].armed


@pytest.mark.parametrize(("method", "name"), [(Method.SHUFFLER, "shuffler-1"), (Method.DEALING_SHOE, "shoe-1")])
@pytest.mark.parametrize("phase", ["dealing", "waiting"])
def test_cards_that_are_taken_out_before_all_are_dealt_are_asked_about(make_table, phase, method, name):
    """Clause: md-uth 10.B. Stacks of the round are still to come, and nothing is in the device any more."""
    table = at(make_table, "md-uth", phase, method)
    table.put(e.CardsRemoved(0), name)
    (hold,) = table.state.holds.values()
    assert hold.choices == (a.Resolution.GO_ON, a.Resolution.VOID)
    assert "the red set, which is in play, does not count as shuffled any more" in hold.reason


@pytest.mark.parametrize(("method", "name"), [(Method.SHUFFLER, "shuffler-1"), (Method.DEALING_SHOE, "shoe-1")])
def test_the_stub_may_be_taken_out_once_all_stacks_are_dealt(make_table, rulebook, method, name):
    """Clause: md-uth 10.B(5), ma-uth 9(e)."""
    table = at(make_table, rulebook, "dealt", method)
    assert [x.kind for x in table.put(e.CardsRemoved(0), name)] == ["cards_removed"]


def test_who_clears_a_device_that_deals_has_the_round_s_set_in_hand_too(make_table):
    """Clause: md-uth 13.H(3), R-10. The other set jammed in a device that says nothing of what it holds; both come out."""
    table = at(make_table, "md-uth", "closed")
    table.put(e.Jammed(e.Back.BLUE, e.Activity.SHUFFLING, e.JamPlace.RACK, 0, None), "shuffler-1")
    (clear,) = [duty.id for duty in table.state.duties.values() if duty.device == "shuffler-1"]
    assert table.state.sets["red"].armed
    table.act(a.ConfirmDuty(clear))
    assert not table.state.sets["red"].armed


# ---- a device that is gone once no more bets are taken


def ended(table):
    """Whatever is asked or demanded is answered so that the round ends and its wagers are back."""
    void = (a.Resolution.VOID, a.Resolution.RETURN_WAGER, a.Resolution.GO_ON)
    while table.state.holds:
        hold = next(iter(table.state.holds.values()))
        table.act(a.ResolveHold(hold.id, next(answer for answer in void if answer in hold.choices)))
    assert set(table.fates().values()) == {"returned"}
    table.act(a.CollectCards())
    table.act(a.EndRound())


def gone(table, name, how):
    """Its cable is pulled, or a floorperson takes it away, or both."""
    if "offline" in how:
        table.put(e.DeviceOffline("gone"), name)
    if "taken out" in how:
        table.act(a.TakeDeviceOut(name, a.OutOfService.REMOVED))


@pytest.mark.parametrize("how", ["offline", "taken out", "offline, taken out"])
@pytest.mark.parametrize(
    ("method", "name", "trigger"),
    [(Method.SHUFFLER, "shuffler-1", Trigger.SHUFFLER_JAM), (Method.DEALING_SHOE, "shoe-1", Trigger.SHOE_JAM)],
)
@pytest.mark.parametrize("phase", ["closed", "dealing"])
@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_a_round_whose_dealing_device_is_gone_can_be_ended(
    make_table, rulebook, phase, method, name, trigger, how
):
    """Clause: md-uth 13.H, 13.I, ma-uth 15(e), 15(f), ma-colorado 14(e), 14(f), nj-pikit 38.12(e), 38.12(f). What is refused says
    how; then the cards are dealt another way."""
    table = at(make_table, rulebook, phase, method)
    gone(table, name, how)
    assert (
        f"to end the round report that it failed (report_irregularity {trigger})"
        in table.refused(a.StartDealing()).reason
    )
    table.act(a.ReportIrregularity(trigger))
    ended(table)
    gone(table, name, "taken out")
    table.act(a.ChangeMethod(Method.MANUAL_SHOE))


@pytest.mark.parametrize("rulebook", DEALT_BY_SHUFFLER)
def test_a_round_that_only_a_shuffler_may_shuffle_for_can_be_ended_without_it(make_table, disposed, rulebook):
    """Clause: md-uth 9.A(1), ma-uth 8(b)(1), ma-colorado 8(b)(1), nj-pikit 39.8(b)1, and each text's clause on a shuffler."""
    table = at(make_table, rulebook, "closed", Method.HAND)
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    gone(table, "shuffler-1", "taken out")
    table.shuffled_by_hand("red")
    reason = table.refused(a.StartDealing()).reason
    assert "return shuffler-1 to service (return_device)" in reason
    assert "to end the round report that it failed (report_irregularity shuffler_jam)" in reason
    made = disposed(table.act(a.ReportIrregularity(Trigger.SHUFFLER_JAM)))
    assert Guard.IDLE_SET not in made.guards
    ended(table)


@pytest.mark.parametrize("how", ["offline", "taken out", "offline, taken out"])
def test_where_the_text_says_nothing_of_a_shoe_the_house_s_procedure_may_end_the_round(make_table, how):
    """Clause: fast-action (k)(1), R-18: a floorperson says whether the round goes on, or is void by that procedure."""
    table = betting(make_table, "fast-action", Method.DEALING_SHOE, {"R-18": "house_procedure"}).close_bets()
    gone(table, "shoe-1", how)
    assert "(report_irregularity shoe_jam)" in table.refused(a.StartDealing()).reason
    table.act(a.ReportIrregularity(Trigger.SHOE_JAM))
    (hold,) = table.state.holds.values()
    assert (hold.reading, hold.choices) == ("R-18", (a.Resolution.GO_ON, a.Resolution.VOID))
    ended(table)
    assert [duty.action for duty in table.state.duties.values()] == ["follow_house_procedure", "return_all_wagers"]
