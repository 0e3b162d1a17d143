"""Restarts, lost links, gaps, and errors of our own: only towards the safe side, and never silently."""

import dataclasses

import pytest

from controller.rules.vocabulary import Area, Role
from controller.table import decide as decide_module
from controller.table.acts.registry import REGISTRY
from controller.table.course import reports as devices_module
from controller.table.decide import fold
from controller.table.fold import ruling as draft_module
from controller.table.fold.fold import evolve
from controller.table.state.table import Phase, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor, CardsUnread, RecordChecked, RecordReplaced, ServiceStarted
from drivers import events as e

STARTED = ServiceStarted("0.1.0", "md-uth", "1.4", "00")


def wanted(events):
    return [(w.device, w.level, w.value) for w in events if isinstance(w, f.LevelWanted)]


def test_after_a_restart_every_release_is_taken_back_and_a_person_opens_again(make_table):
    """Betting was open: the lock-out is wanted engaged, and only an act in the present state releases it."""
    table = make_table("md-uth").ready().begin()
    assert ("progressive-1", "lockout", "engaged") in wanted(table.put(STARTED))
    table.online("progressive-1")
    assert ("progressive-1", "lockout", "released") in wanted(table.act(a.ReleaseLockout(), Role.DEALER))


def test_a_deal_goes_on_after_a_restart_when_every_log_closes_its_gap(make_table):
    """The round is not void; the dealer lets the cards out again once each device was heard."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)
    assert ("shoe-1", "dispensing", "inhibited") in wanted(table.put(STARTED))
    assert "waiting for" in table.refused(a.StartDealing()).reason
    for name in table.setup.devices:
        table.online(name)
    assert ("shoe-1", "dispensing", "allowed") in wanted(table.act(a.StartDealing()))
    for number in range(2, 5):
        table.stack(number)
    assert table.round.phase is Phase.PRE_FLOP


@pytest.mark.parametrize("lost", [True, False])
def test_a_gap_in_a_live_round_holds_it_as_unproven(make_table, rulebook, lost):
    """Lost events, or a device that came back with a gap: a floorperson decides under a named reading."""
    table = make_table(rulebook).ready().begin().let_out().deal(1)
    if lost:
        table.put(e.EventsLost("SIM-shoe-1", "0" * 16, 5, 7), "shoe-1")
    else:
        table.put(STARTED)
        table.online("shoe-1", gap_closed=False)
    holds = list(table.state.holds.values())
    assert holds
    assert all(hold.reading or hold.cite for hold in holds)
    table.act(a.ResolveHold(holds[0].id, a.Resolution.VOID, "three stacks cannot be proven"), Role.FLOORPERSON)
    assert table.round.void
    assert set(table.fates().values()) == {"returned"}


def test_a_gap_between_rounds_voids_nothing(make_table):
    """No wager lies: the loss is on record, play is not held."""
    table = make_table("md-uth").ready()
    table.put(e.EventsLost("SIM-shoe-1", "0" * 16, 5, 7), "shoe-1")
    assert not table.state.held


def test_holds_and_duties_outlive_a_restart(make_table):
    """Folding the record gives back every open demand; only a person closes it."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)
    table.put(e.Jammed(e.Back.RED, e.Activity.DEALING, e.JamPlace.OUTPUT, 2, 40), "shoe-1")
    again = fold(State.initial(table.setup), table.all)
    assert again == table.state
    table.put(STARTED)
    assert table.state.duties == again.duties


def test_a_device_that_opens_by_itself_is_locked_again_and_play_is_held(make_table):
    """Somebody pressed something under the table."""
    table = make_table("md-uth").ready().begin().close_bets()
    events = table.put(e.LockoutReleased(e.Cause.BUTTON, 0), "progressive-1")
    assert ("progressive-1", "lockout", "engaged") in wanted(events)
    assert table.state.held


def test_cards_that_nobody_let_out_hold_the_round(make_table):
    """A stack before "no more bets" is no deal."""
    table = make_table("md-uth").ready().begin()
    table.put(e.StackDispensed(e.Back.RED, 1, 5), "shoe-1")
    assert table.state.held


def test_an_alarm_of_any_device_stops_the_deal_until_a_person_lets_the_cards_out_again(make_table, rulebook):
    """The short path inhibits every dispenser at once; the record says so, and the round goes on by an act."""
    table = make_table(rulebook).ready().begin("red").let_out().deal(1)
    stuck = e.Jammed(e.Back.BLUE, e.Activity.SHUFFLING, e.JamPlace.RACK, 0, 20)
    assert ("shoe-1", "dispensing", "inhibited") in wanted(table.put(stuck, "shuffler-1"))
    assert table.round.phase is Phase.DEALING
    assert ("shoe-1", "dispensing", "allowed") in wanted(table.act(a.StartDealing(), Role.DEALER))


def test_a_shoe_that_lost_its_power_in_the_deal_has_failed_to_deal(make_table, disposed):
    """It cannot say which stacks were taken; the document voids the round."""
    table = make_table("md-uth").ready().begin().let_out().deal(2)
    made = disposed(table.put(e.PoweredUp(e.ResetCause.POWER, 40), "shoe-1"))
    assert made.cite == ("13.I",)


def test_a_set_whose_cards_were_let_out_was_played_though_no_stack_was_reported(make_table, rulebook):
    """The first stack may have left with its report lost in a power cut: it is shuffled again, and the other's turn comes."""
    table = make_table(rulebook).ready().begin("red").let_out()
    table.put(e.PoweredUp(e.ResetCause.POWER, 52), "shoe-1")
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, table.state.holds[hold].choices[0]))
    table.act(a.CollectCards())
    table.act(a.EndRound())
    assert table.state.last_back == "red"
    assert not table.state.sets["red"].armed


def test_a_shoe_that_ends_short_of_the_plan_has_failed_to_deal(make_table):
    """R-21: a stack is missing when it says that its deal is over."""
    table = make_table("md-uth").ready().begin().let_out().deal(2)
    table.put(e.DealCompleted(e.Back.RED, 2, 40), "shoe-1")
    assert table.round.void


def test_the_base_game_goes_on_without_the_progressive_link(make_table):
    """The progressive is locked by itself; nobody waits for it."""
    table = make_table("md-uth").ready()
    table.put(e.DeviceOffline("link_eof"), "progressive-1")
    table.act(a.BeginRound("red"))
    for wager in ("ante", "blind"):
        table.act(a.PlaceWager(1, wager, 1000))
    table.act(a.AnnounceNoMoreBets())
    table.act(a.StartDealing())


def broken(*_):
    raise ZeroDivisionError("planted")


def break_act(monkeypatch, act):
    """Whatever this kind of act comes to, it fails."""
    monkeypatch.setitem(REGISTRY, act.kind, dataclasses.replace(REGISTRY[act.kind], record=broken))


def test_an_error_of_our_own_holds_the_table_and_says_so(make_table, monkeypatch):
    """An exception in a decision becomes a fact with a hold; the next input is decided as usual."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)
    table.may_fail = True
    monkeypatch.setattr(devices_module, "_dispensed", broken)
    events = table.stack(2)
    told = next(fact for fact in table.all if fact.event is events[0])
    assert (told.subject, type(told.event)) == ("shoe-1", e.StackDispensed), (
        "what it reported is kept as a fact of it"
    )
    assert events[1] == f.DecisionFailed("stack_dispensed", "ZeroDivisionError: planted")
    assert events[2].reason == "the software could not decide stack_dispensed; check the table by hand"
    assert ("shoe-1", "dispensing", "inhibited") in wanted(events)
    monkeypatch.undo()
    assert "play is held" in table.refused(a.StartDealing()).reason
    (hold,) = table.state.holds
    assert (
        "lifted by a supervisor" in table.refused(a.ResolveHold(hold, a.Resolution.GO_ON), Role.FLOORPERSON).reason
    )
    table.act(a.ResolveHold(hold, a.Resolution.VOID, "checked by hand"), Role.SUPERVISOR)


@pytest.mark.parametrize("cards_known", [True, False])
def test_where_cards_are_known_an_error_of_our_own_is_told_by_its_place(make_table, monkeypatch, cards_known):
    """Its text may repeat them: so it is for an act that tells cards, and for whatever comes in once some were told."""
    table = make_table("md-uth").ready().begin("red").let_out().deal().to_showdown()
    hand = a.RecordHand(Area.PLAYER, "As Kd", 1)
    if cards_known:
        table.act(hand)
        table.may_fail = True
        monkeypatch.setattr(devices_module, "_dispensed", broken)
        failed = next(x for x in table.stack(2) if isinstance(x, f.DecisionFailed))
    else:
        table.may_fail = True
        break_act(monkeypatch, hand)
        failed = table.put(hand, actor=Actor("dora", Role.DEALER))[0]
    assert failed.error == "ZeroDivisionError in broken"


def test_an_act_that_could_not_be_decided_is_no_fact(make_table, monkeypatch):
    """Only what a device told stays true."""
    table = make_table("md-uth").ready().begin("red")
    table.may_fail = True
    break_act(monkeypatch, a.PlaceWager)
    events = table.put(a.PlaceWager(2, "ante", 1000), actor=Actor("dora", Role.DEALER))
    assert events[0] == f.DecisionFailed("place_wager", "ZeroDivisionError: planted")
    assert [event.kind for event in events[1:]] == ["hold_placed", "level_wanted"]


def test_what_a_link_told_is_kept_where_it_could_not_be_decided(make_table, monkeypatch):
    """The device is taken for lost all the same."""
    table = make_table("md-uth").ready()
    table.may_fail = True
    monkeypatch.setattr(decide_module, "decide_link", broken)
    events = table.put(e.DeviceOffline("link_eof"), "shoe-1")
    assert events[:2] == [
        e.DeviceOffline("link_eof"),
        f.DecisionFailed("device_offline", "ZeroDivisionError: planted"),
    ]
    assert not table.state.devices["shoe-1"].online


def test_a_report_that_cannot_be_folded_is_left_out_and_the_table_is_held(make_table, monkeypatch):
    """It stands in the record as an input; a fact of it would stop the daemon at each start."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)

    def folds_no_stack(state, fact):
        return broken() if isinstance(fact.event, e.StackDispensed) else evolve(state, fact)

    table.may_fail = True
    monkeypatch.setattr(draft_module, "evolve", folds_no_stack)
    events = table.stack(2)
    assert events[0] == f.DecisionFailed("stack_dispensed", "ZeroDivisionError: planted")
    assert [event.kind for event in events[1:]] == ["hold_placed", "level_wanted"]
    assert ("shoe-1", "dispensing", "inhibited") in wanted(events)
    assert events[2].operation >> 20 == table.time_us // 1_000_000 & 0x7FFFFFFF
    assert table.round.stacks_out == 1


def test_a_kind_of_input_that_nobody_knows_is_refused(make_table):
    """Said, and nothing else done."""
    table = make_table("md-uth").ready()
    assert table.put(f.TableOpened("ann")) == [f.InputRefused("table_opened", "no such kind of input")]


UNREAD = (
    "the cards recorded in this round are sealed under vault key k1, which is not in the vault's file: "
    "tell them again, and put that key back"
)


@pytest.mark.parametrize(
    ("news", "reason"),
    [
        (CardsUnread("k1", ("t1-0", "t1-1")), UNREAD),
        (CardsUnread("k1", ("t1-0",)), None),
        (RecordChecked(9), None),
        (RecordChecked(9, 1, "record 3 was changed"), "the record is not as it was written: record 3 was changed"),
        (RecordReplaced("old.db", 1, "00", "cut"), "the record before this one is kept as old.db; this new one knows "
         "nothing of rounds, sets and holds before it: look at the table"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_record_holds_the_table_until_a_supervisor_looks(make_table, news, reason):
    """News of the record is kept as it came; what is right with it, or of rounds that are over, asks nobody."""
    table = make_table("md-uth").ready().begin()
    events = table.put(news)
    assert events[0] == news
    holds = [(event.reason, event.least_role) for event in events if isinstance(event, f.HoldPlaced)]
    assert holds == ([(reason, Role.SUPERVISOR)] if reason else [])


def test_an_input_of_a_device_that_is_not_here_is_refused(make_table):
    """It names the devices that belong to the table."""
    (event,) = make_table("md-uth").put(e.DoorOpened(), "shoe-9")
    assert isinstance(event, f.InputRefused)
    assert "shoe-1" in event.reason
