"""How long a set may stay in play: by the dealing method, edge right, on a clock that nobody can step."""

import pytest

from controller.rules.vocabulary import Action, Method, Role
from controller.table.card_sets.time_in_play import Deadline, due
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import SetDue

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


def test_after_a_reboot_the_wall_clock_is_asked_only_once(make_table):
    """The time was taken over onto the monotonic clock of this boot; a step afterwards changes nothing."""
    table = opened(make_table, clock="synced")
    table.reboot(off_s=HOUR)
    before = due(table.setup, table.state, table.boot)
    table.step_wall(-10 * HOUR)
    table.put(SetDue("red"))
    assert not table.state.duties
    assert due(table.setup, table.state, table.boot) == before
