"""How long a set may stay in play: by the dealing method, edge right, on a clock that nobody can step."""

import pytest

from controller.rules.vocabulary import Action, Method, Role
from controller.table.card_sets.time_in_play import Deadline, due
from controller.table.decide import fold
from controller.table.state.table import Phase, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import ServiceStarted, SetDue

HOUR = 3600
STEP_S = 0.001
"""What each input of the bench takes."""


def opened(make_table, method=Method.HAND, rulebook="md-uth", clock="unsynced"):
    """A table that opened with the input just put: both sets have been in play for 0 s."""
    table = make_table(rulebook, method)
    table.clock = clock
    for name in table.setup.devices:
        table.online(name)
    table.act(a.OpenTable())
    return table


def after(table, seconds):
    """What follows from the clock's word, so long after the opening."""
    table.pass_time(seconds - STEP_S)
    return table.put(SetDue("red"))


def change_duties(table):
    return [d for d in table.state.duties.values() if d.action is Action.CHANGE_SET]


@pytest.mark.parametrize(
    ("method", "hours", "stands_in"),
    [
        (Method.HAND, 4, (("3.C(1)",), None)),
        (Method.MANUAL_SHOE, 8, (("3.C(2)",), None)),
        (Method.DEALING_SHOE, 8, (("3.C(2)",), None)),
        (Method.SHUFFLER, 4, ((), "R-06")),
    ],
)
@pytest.mark.parametrize(("seconds", "is_due"), [(-1, False), (0, True), (1, True)])
def test_a_set_is_due_at_its_longest_time_and_not_a_second_before(
    make_table, method, hours, stands_in, seconds, is_due
):
    """Four hours dealt by hand, eight from a shoe, the shorter from a shuffler (R-06): 1 s less, equal, 1 s more."""
    table = opened(make_table, method)
    since = table.state.sets["red"].since
    assert due(table.setup, table.state, "boot") == Deadline("red", since.mono_ns + hours * HOUR * 10**9)
    events = after(table, hours * HOUR + seconds)
    refused = [event for event in events if isinstance(event, f.InputRefused)]
    assert bool(refused) is not is_due
    assert [(d.back, d.cite, d.reading) for d in change_duties(table)] == ([("red", *stands_in)] if is_due else [])


def test_the_method_in_use_decides_the_interval(make_table):
    """A table that goes over from a shoe to the hand has the shorter time, counted from when the set came."""
    table = opened(make_table, Method.DEALING_SHOE)
    since = table.state.sets["red"].since
    table.act(a.ChangeMethod(Method.HAND))
    assert due(table.setup, table.state, "boot").mono_ns == since.mono_ns + 4 * HOUR * 10**9


def test_a_document_without_an_interval_has_no_deadline(make_table):
    """Massachusetts prints none: the clock alone demands nothing there."""
    table = opened(make_table, Method.HAND, "ma-uth")
    assert due(table.setup, table.state, "boot") is None
    (event,) = after(table, 100 * HOUR)
    assert isinstance(event, f.InputRefused)


def test_the_duty_blocks_the_next_round_until_a_new_set_came(make_table):
    """One act of the floor is enough: a new set of this back ends the duty and begins its own time."""
    table = opened(make_table)
    after(table, 4 * HOUR)
    assert "change_set" in table.refused(a.BeginRound("red")).reason
    table.act(a.BringSet("red"), Role.FLOORPERSON)
    assert change_duties(table) == []
    table.take_steps().act(a.BeginRound("red"))
    assert due(table.setup, table.state, "boot").back == "blue"


def test_a_duty_confirmed_first_takes_the_set_off_the_table(make_table):
    """The old set is gone: it has no time left to run, and no round begins with it before a new one came."""
    table = opened(make_table)
    after(table, 4 * HOUR)
    (duty,) = change_duties(table)
    table.act(a.ConfirmDuty(duty.id))
    assert not table.state.sets["red"].present
    assert due(table.setup, table.state, "boot").back == "blue"
    assert "no red set" in table.refused(a.BeginRound("red")).reason


@pytest.mark.parametrize("stage", ["betting", "bets_closed", "dealing", "pre_flop"])
def test_the_round_in_play_goes_on_to_its_end(make_table, stage):
    """Nothing of the round is touched at any point of it; only the next one waits."""
    table = make_table("md-uth", Method.DEALING_SHOE).ready()
    table.begin("red")
    chip = table.chip(1)
    assert chip
    if stage == "bets_closed":
        table.close_bets()
    elif stage != "betting":
        table.let_out()
        if stage == "pre_flop":
            table.deal()
    before = table.round
    table.pass_time(8 * HOUR)
    table.put(SetDue("red"))
    assert table.round == before
    assert not table.state.held
    assert change_duties(table)
    if stage == "betting":
        table.close_bets()
    if stage in ("betting", "bets_closed"):
        table.act(a.RecordProgressiveCount(1))
        table.act(a.StartDealing())
    if stage != "pre_flop":
        table.deal()
    table.to_showdown().end()
    assert "change_set" in table.refused(a.BeginRound("blue")).reason


def test_a_set_in_play_is_not_changed_in_its_round(make_table):
    """Confirming the duty would take the cards of this round off the table."""
    table = make_table("md-uth", Method.DEALING_SHOE).ready()
    table.begin("red").let_out().deal()
    table.pass_time(8 * HOUR)
    table.put(SetDue("red"))
    (duty,) = change_duties(table)
    assert "when the round has ended" in table.refused(a.ConfirmDuty(duty.id)).reason
    assert table.round.phase is Phase.PRE_FLOP


@pytest.mark.parametrize("step_s", [-30 * 24 * HOUR, 30 * 24 * HOUR])
def test_a_step_of_the_wall_clock_neither_fires_nor_hides_a_deadline(make_table, step_s):
    """The month that somebody sets the clock by is no time of play, forward or back."""
    table = opened(make_table, clock="synced")
    table.step_wall(step_s)
    (refused,) = after(table, 4 * HOUR - 1)
    assert isinstance(refused, f.InputRefused)
    assert not table.state.duties
    table.pass_time(1)
    table.put(SetDue("red"))
    assert change_duties(table)


@pytest.mark.parametrize(("seconds", "is_due"), [(-1, False), (0, True)])
def test_a_set_keeps_its_time_over_a_reboot_with_a_trusted_clock(make_table, seconds, is_due):
    """Both stamps are synced, so the hours before and while the PC was off are counted on."""
    table = opened(make_table, clock="synced")
    table.pass_time(HOUR)
    events = table.reboot(off_s=HOUR)
    assert not table.state.duties
    assert [event.back for event in events if isinstance(event, f.SetTimeCarried)] == ["red", "blue"]
    table.pass_time(2 * HOUR + seconds - 2 * STEP_S)
    table.put(SetDue("red"))
    assert bool(change_duties(table)) is is_due


@pytest.mark.parametrize(("off_us", "is_carried"), [(-1, False), (0, True), (1, True)])
def test_a_set_that_came_after_the_start_says_of_a_wall_clock_that_it_was_set_back(make_table, off_us, is_carried):
    """No time of play is less than none: such a clock is not believed, though both stamps call it synced."""
    table = opened(make_table, clock="synced")
    since = table.state.sets["red"].since
    events = table.reboot((since.wall_us + off_us - table.time_us) / 1_000_000 - STEP_S)
    assert table.time_us == since.wall_us + off_us
    carried = [event.mono_ns for event in events if isinstance(event, f.SetTimeCarried)]
    assert carried == ([table.mono_ns - off_us * 1_000] * 2 if is_carried else [])
    assert bool(change_duties(table)) is not is_carried


def test_after_a_reboot_the_wall_clock_is_asked_only_once(make_table):
    """The time was taken over onto the monotonic clock of this boot; a step afterwards changes nothing."""
    table = opened(make_table, clock="synced")
    table.reboot(off_s=HOUR)
    before = due(table.setup, table.state, table.boot)
    table.step_wall(-10 * HOUR)
    table.put(SetDue("red"))
    assert not table.state.duties
    assert due(table.setup, table.state, table.boot) == before


@pytest.mark.parametrize(
    ("was", "now"),
    [("synced", "unsynced"), ("unsynced", "synced"), ("holdover", "synced"), ("synced", "holdover")],
)
def test_without_a_trusted_clock_a_reboot_makes_the_set_due(make_table, was, now):
    """Nobody can say for how long it was in play: a person brings a new set and so confirms."""
    table = opened(make_table, clock=was)
    events = table.reboot(off_s=1, clock=now)
    told = [event for event in events if isinstance(event, SetDue)]
    assert [event.back for event in told] == ["red", "blue"]
    assert "restarted" in told[0].because
    assert len(change_duties(table)) == 2
    table.act(a.BringSet("red"), Role.FLOORPERSON)
    table.act(a.BringSet("blue"), Role.FLOORPERSON)
    assert not table.state.duties


def test_a_clock_that_went_back_over_a_reboot_is_not_trusted(make_table):
    """Synced by its own word, but the set would have come to the table in the future."""
    table = opened(make_table, clock="synced")
    table.reboot(off_s=-10)
    assert len(change_duties(table)) == 2


def test_a_restart_of_the_daemon_alone_changes_nothing(make_table):
    """The boot is the same, so the monotonic clock runs on."""
    table = opened(make_table)
    before = table.state.sets
    table.put(ServiceStarted("1", "md-uth", "1.4", ""))
    assert table.state.sets == before
    assert not table.state.duties


def test_a_set_is_told_due_once(make_table):
    """A second word of the clock about the same set is refused: its duty stands already."""
    table = opened(make_table)
    after(table, 4 * HOUR)
    (again,) = table.put(SetDue("red"))
    assert isinstance(again, f.InputRefused)
    assert len(change_duties(table)) == 1


def test_opening_the_table_again_does_not_make_old_cards_new(make_table):
    """Closed and opened, the same sets go on with the time they had."""
    table = opened(make_table)
    since = table.state.sets["red"].since
    table.pass_time(HOUR)
    table.act(a.CloseTable())
    table.act(a.OpenTable())
    assert table.state.sets["red"].since == since


def test_the_time_of_a_set_is_folded_from_the_record(make_table):
    """The daemon takes deadlines up from its journal alone."""
    table = opened(make_table)
    after(table, 4 * HOUR)
    table.act(a.BringSet("red"), Role.FLOORPERSON)
    assert fold(State.initial(table.setup), table.all) == table.state


def test_a_set_that_this_table_does_not_have_is_never_due(make_table):
    """The clock's word is refused by name, and is no error of the software."""
    (refused,) = opened(make_table).put(SetDue("green"))
    assert (refused.kind, refused.refused) == ("input_refused", "set_due")
    assert "the green set is not due for change now; it is not at all" in refused.reason


def test_a_set_that_is_called_due_too_early_says_for_how_long_it_may_stay(make_table):
    """Two hours of four are over."""
    (refused,) = after(opened(make_table), 2 * HOUR)
    assert refused.reason == "the red set is not due for change now; it is in 7200 s"


def test_a_new_set_meets_the_demand_for_its_own_change_and_no_other(make_table):
    """Who brought it and in which role stands in the record; the other set is still due."""
    table = opened(make_table)
    table.pass_time(4 * HOUR)
    for back in ("red", "blue"):
        table.put(SetDue(back))
    assert {duty.back for duty in change_duties(table)} == {"red", "blue"}
    events = table.act(a.BringSet("red"), Role.FLOORPERSON)
    closed = [event for event in events if isinstance(event, f.DutyClosed)]
    assert [(event.action, event.by, event.role) for event in closed] == [
        (Action.CHANGE_SET, "a floorperson", Role.FLOORPERSON)
    ]
    assert [duty.back for duty in change_duties(table)] == ["blue"]


def test_each_set_is_looked_at_after_a_reboot(make_table):
    """One that was called due before is passed over; the time of the next one is carried all the same, as it was stamped."""
    table = opened(make_table, clock="synced")
    since = table.state.sets["blue"].since
    table.pass_time(4 * HOUR)
    table.put(SetDue("red"))
    carried = [event for event in table.reboot(off_s=60) if isinstance(event, f.SetTimeCarried)]
    assert [(event.back, event.wall_us, event.clock) for event in carried] == [("blue", since.wall_us, "synced")]
