"""Sets are changed in each gaming day. Clause: fast-action (d)(5)."""

import pytest

from controller.rules.vocabulary import Action, Method
from controller.table.card_sets.time_in_play import DAY_NS, Deadline, due, next_gaming_day
from controller.table.state.card_set import GamingDay
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import GamingDayTold, Moment, SetDue
from controller.table.words.structs import replace

HOUR_US = 3_600_000_000
DAY_S = 86_400


@pytest.fixture
def table(make_table):
    """One set, opened at eight in the evening of a clock that is synced; the gaming day ends at six in the morning."""
    table = make_table("fast-action", Method.MANUAL_SHOE, devices=(), backs=("red",))
    table.clock = "synced"
    return table.open().shuffled_by_hand("red")


def told(table, ends_in_s, length_h=24):
    """Tells the gaming day that ends in so many seconds."""
    ends = table.time_us + 1_000 + round(ends_in_s * 1_000_000)
    return table.put(GamingDayTold("d", ends - length_h * HOUR_US, ends))


def duties(table):
    return [duty.action for duty in table.state.duties.values()]


def refused(events):
    return [event.reason for event in events if isinstance(event, f.InputRefused)]


def test_a_step_of_the_wall_clock_neither_fires_nor_hides_it(table):
    """The bounds lie on the monotonic clock."""
    told(table, 36_000)
    before = due(table.setup, table.state, "boot")
    table.step_wall(10 * DAY_S)
    assert refused(table.put(SetDue("red")))
    assert "lasts for another" in refused(told(table, 36_000))[0]
    table.step_wall(-20 * DAY_S)
    assert due(table.setup, table.state, "boot") == before
    table.pass_time(36_000)
    table.put(SetDue("red"))
    assert duties(table) == [Action.CHANGE_SET]


def test_the_next_day_follows_on_the_monotonic_clock(table):
    """It is told by the time that runs on from the first one, though the wall clock was set and lost its discipline."""
    told(table, 36_000)
    first = table.state.gaming_day
    table.clock = "unsynced"
    table.step_wall(5 * DAY_S)
    table.pass_time(36_001)
    now = Moment(table.time_us, table.mono_ns, "boot", "unsynced")
    wall_us = next_gaming_day(table.setup, table.state, now)
    begins = first.begins_us + 24 * HOUR_US
    assert begins < wall_us < begins + 2_000_000
    assert not refused(table.put(GamingDayTold("next", begins, begins + 24 * HOUR_US)))
    assert table.state.gaming_day.begins_ns == first.ends_ns


def test_a_set_that_comes_in_the_new_day_stays_to_its_end(table):
    """And one of an earlier day is due at once, whenever the day is told."""
    told(table, 36_000)
    table.pass_time(36_001)
    table.put(SetDue("red"))
    table.act(a.BringSet("red"))
    since = table.state.sets["red"].since
    assert due(table.setup, table.state, "boot").mono_ns == since.mono_ns + DAY_S * 10**9
    begins = table.state.gaming_day.begins_us + 24 * HOUR_US
    table.put(GamingDayTold("next", begins, begins + 24 * HOUR_US))
    assert due(table.setup, table.state, "boot").mono_ns == table.state.gaming_day.ends_ns


def test_a_day_that_is_told_late_finds_the_sets_of_the_day_before(table):
    """The clock was synced only after the day had changed: a set that lay there is due now."""
    table.pass_time(7200)
    ends = table.time_us + 1_000 + 20 * HOUR_US
    table.put(GamingDayTold("d", ends - 21 * HOUR_US, ends))
    assert due(table.setup, table.state, "boot").mono_ns <= table.mono_ns
    table.put(SetDue("red"))
    assert duties(table) == [Action.CHANGE_SET]


@pytest.mark.parametrize("clock", ["unsynced", "holdover"])
def test_the_first_day_of_a_boot_is_taken_from_a_synced_clock_only(table, clock):
    """Otherwise no day is known, and a set lies open for 24 hours at most."""
    table.clock = clock
    assert clock in refused(told(table, 36_000))[0]
    now = Moment(table.time_us, table.mono_ns, "boot", clock)
    assert next_gaming_day(table.setup, table.state, now) is None
    since = table.state.sets["red"].since
    assert due(table.setup, table.state, "boot").mono_ns == since.mono_ns + DAY_S * 10**9


def test_after_a_reboot_with_a_trusted_clock_the_day_is_told_again(table):
    """The set keeps its time, and the end of its day lies on the clock of the new boot."""
    told(table, 36_000)
    ends = table.state.gaming_day.begins_us + 24 * HOUR_US
    table.reboot(600)
    assert duties(table) == []
    table.put(GamingDayTold("d", ends - 24 * HOUR_US, ends))
    left_s = (table.state.gaming_day.ends_ns - table.mono_ns) / 1e9
    assert round(left_s) == 36_000 - 600
    assert due(table.setup, table.state, table.boot).mono_ns == table.state.gaming_day.ends_ns


BEGINS_NS, ENDS_NS = 5 * 10**9, 9 * 10**9


@pytest.mark.parametrize(
    ("since_ns", "due_ns"),
    [
        (BEGINS_NS - 1, BEGINS_NS),
        (BEGINS_NS, ENDS_NS),
        (ENDS_NS - 1, ENDS_NS),
        (ENDS_NS, ENDS_NS + DAY_NS),
        (ENDS_NS + 1, ENDS_NS + 1 + DAY_NS),
    ],
)
def test_a_set_is_due_at_the_end_of_the_day_in_which_it_came(table, since_ns, due_ns):
    """The one known, the one before it, or after 24 hours one that nobody has told yet; in another boot at once."""
    red = replace(table.state.sets["red"], since=Moment(0, since_ns, "boot"))
    day = GamingDay("d", 0, BEGINS_NS, ENDS_NS, "boot")
    state = replace(table.state, sets={"red": red}, gaming_day=day)
    assert due(table.setup, state, "boot") == Deadline("red", due_ns)
    assert due(table.setup, state, "another boot") == Deadline("red", 0)
    other = replace(state, gaming_day=replace(day, boot="another boot"))
    assert due(table.setup, other, "boot") == Deadline("red", since_ns + DAY_NS)


@pytest.mark.parametrize(("after_ns", "told_us"), [(-1, None), (0, 0), (999, 0), (1_000, 1)])
def test_the_next_day_is_asked_for_from_the_end_of_the_one_that_is_known(table, after_ns, told_us):
    """To the nanosecond, in whole microseconds, and whatever the wall clock says by then."""
    told(table, 36_000)
    day, ends_us = table.state.gaming_day, table.state.gaming_day.begins_us + 24 * HOUR_US
    now = Moment(7, day.ends_ns + after_ns, "boot", "unsynced")
    assert next_gaming_day(table.setup, table.state, now) == (None if told_us is None else ends_us + told_us)


def test_the_next_gaming_day_is_taken_from_the_moment_the_last_one_ends(table):
    """Not a microsecond earlier; the record has the day's name and its bounds as the calendar told them."""
    told(table, 2, length_h=24)
    ends_us = table.time_us + 2_000_000
    table.pass_time(2 - 0.002)
    following = GamingDayTold("next", ends_us, ends_us + 24 * HOUR_US)
    assert "lasts for another" in refused(table.put(following))[0]
    (began,) = table.put(following)
    assert (began.day, began.begins_us, began.ends_us) == ("next", ends_us, ends_us + 24 * HOUR_US)


def test_a_document_without_that_rule_hears_of_no_day(make_table):
    """Maryland changes sets by hours."""
    table = make_table("md-uth").ready()
    table.clock = "synced"
    assert "knows no change" in refused(told(table, 36_000))[0]
    assert (
        next_gaming_day(table.setup, table.state, Moment(table.time_us, table.mono_ns, "boot", "synced")) is None
    )
