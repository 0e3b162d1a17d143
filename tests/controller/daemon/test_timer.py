"""The timer of the table: asks the core, waits on the monotonic clock, hands in what is due once."""

import asyncio
import contextlib
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from controller.clock import ManualClock
from controller.config.gaming_day import calendar
from controller.daemon.timer import LONGEST_WAIT_S, Deadlines
from controller.rules.elections import cautious
from controller.rules.read.loader import load_rulebook
from controller.rules.vocabulary import Method
from controller.table.state.card_set import CardSet, GamingDay
from controller.table.state.table import Setup, State
from controller.table.words.inputs import Moment, SetDue
from controller.table.words.structs import replace

MD_UTH = Path(__file__).resolve().parents[3] / "config" / "rulebooks" / "md-uth.toml"
FOUR_HOURS_S = 4 * 3600


@dataclass
class Table:
    """As much of an engine as the timer sees."""

    setup: Setup
    state: State
    handed_in: list[SetDue] = field(default_factory=list)
    told: asyncio.Event = field(default_factory=asyncio.Event)

    def submit(self, subject: str, body: SetDue) -> bool:
        self.handed_in.append(body)
        self.told.set()
        return True

    def put_in_play(self, back: str, clock: ManualClock) -> None:
        at = clock.stamp()
        since = Moment(at.wall_us, at.mono_ns, at.boot, at.clock)
        self.state = replace(self.state, sets={**self.state.sets, back: CardSet(back, since=since)})

    def decided(self, back: str) -> None:
        told = replace(self.state.sets[back], due=True)
        self.state = replace(self.state, sets={**self.state.sets, back: told})


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def table() -> Table:
    law = cautious(load_rulebook(MD_UTH), "bench")
    setup = Setup("bench", "t1", 6, ("red", "blue"), Method.HAND, {}, law, frozenset(), "USD")
    return Table(setup, State.initial(setup))


def test_nothing_is_due_before_a_set_is_in_play(table, clock):
    """No set, no deadline: the timer waits for news."""
    assert Deadlines(table, clock).look() == LONGEST_WAIT_S
    assert table.handed_in == []


@pytest.mark.parametrize(("seconds", "handed_in"), [(-1, []), (0, [SetDue("red")]), (1, [SetDue("red")])])
def test_a_set_is_handed_in_when_its_time_is_up(table, clock, seconds, handed_in):
    """Four hours by hand: 1 s less, equal, 1 s more."""
    table.put_in_play("red", clock)
    deadlines = Deadlines(table, clock)
    clock.advance(FOUR_HOURS_S + seconds)
    wait_s = deadlines.look()
    assert table.handed_in == handed_in
    assert wait_s == (LONGEST_WAIT_S if handed_in else 1)


def test_a_step_of_the_wall_clock_hands_in_nothing(table, clock):
    """Only the monotonic clock is asked."""
    table.put_in_play("red", clock)
    deadlines = Deadlines(table, clock)
    clock.step_wall(100 * FOUR_HOURS_S)
    deadlines.look()
    assert table.handed_in == []


def test_a_deadline_is_handed_in_once_whatever_comes_of_it(table, clock):
    """An input that the core refused, or failed on, is not offered again and again."""
    table.put_in_play("red", clock)
    deadlines = Deadlines(table, clock)
    clock.advance(FOUR_HOURS_S)
    deadlines.look()
    deadlines.look()
    assert table.handed_in == [SetDue("red")]


def test_the_next_set_is_handed_in_after_the_first_was_decided(table, clock):
    """Each set has a deadline of its own."""
    table.put_in_play("red", clock)
    clock.advance(60)
    table.put_in_play("blue", clock)
    deadlines = Deadlines(table, clock)
    clock.advance(FOUR_HOURS_S)
    deadlines.look()
    table.decided("red")
    deadlines.look()
    assert table.handed_in == [SetDue("red"), SetDue("blue")]


async def test_the_running_timer_looks_again_after_each_commit(table, clock):
    """It is woken by news, and before the first commit it asks nothing."""
    table.put_in_play("red", clock)
    clock.advance(FOUR_HOURS_S)
    deadlines = Deadlines(table, clock)
    task = asyncio.create_task(deadlines.run())
    try:
        await asyncio.sleep(0)
        assert table.handed_in == []
        deadlines.wake()
        await asyncio.wait_for(table.told.wait(), 5)
        assert table.handed_in == [SetDue("red")]
        table.decided("red")
        table.put_in_play("blue", clock)
        clock.advance(FOUR_HOURS_S)
        table.told.clear()
        deadlines.wake()
        await asyncio.wait_for(table.told.wait(), 5)
        assert table.handed_in == [SetDue("red"), SetDue("blue")]
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


# ---- the gaming day


@pytest.fixture
def daily(table) -> Table:
    """A table whose document has sets changed each gaming day."""
    law = cautious(load_rulebook(MD_UTH.with_name("fast-action.toml")), "bench")
    return Table(replace(table.setup, law=law, method=Method.MANUAL_SHOE), table.state)


def test_the_gaming_day_is_told_once_the_clock_is_synced(daily, clock):
    """Before that nothing is told; the same day is not told twice in a row."""
    clock.clock = "unsynced"
    deadlines = Deadlines(daily, clock, calendar("06:00", "UTC"))
    deadlines.look()
    assert daily.handed_in == []
    clock.clock = "synced"
    deadlines.look()
    deadlines.look()
    assert [told.day for told in daily.handed_in] == ["2025-12-31"]


def test_a_day_that_was_not_accepted_is_told_again_later(daily, clock):
    """The clock may have lost its discipline between the look and the decision."""
    deadlines = Deadlines(daily, clock, calendar("06:00", "UTC"))
    deadlines.look()
    clock.advance(599)
    deadlines.look()
    assert len(daily.handed_in) == 1
    clock.advance(1)
    deadlines.look()
    assert len(daily.handed_in) == 2


def test_the_next_day_is_told_when_the_last_one_has_ended_by_the_monotonic_clock(daily, clock):
    """Whatever the wall clock says by then."""
    deadlines = Deadlines(daily, clock, calendar("06:00", "UTC"))
    deadlines.look()
    (told,) = daily.handed_in
    begins_ns = clock.now_ns - (clock.wall_us - told.begins_us) * 1000
    ends_ns = begins_ns + (told.ends_us - told.begins_us) * 1000
    day = GamingDay(told.day, told.begins_us, begins_ns, ends_ns, clock.boot)
    daily.state = replace(daily.state, gaming_day=day)
    clock.clock = "unsynced"
    clock.step_wall(50 * 86_400)
    deadlines.look()
    assert len(daily.handed_in) == 1
    clock.advance(6 * 3600)
    deadlines.look()
    assert [told.day for told in daily.handed_in] == ["2025-12-31", "2026-01-01"]


def test_without_a_calendar_no_day_is_told(daily, clock):
    """Nobody has said when the gaming day begins."""
    Deadlines(daily, clock).look()
    assert daily.handed_in == []
