"""What the wall clock does is on record: who lays a recording of the floor beside it must know."""

from controller.clock import ManualClock, SystemClock
from controller.daemon.clock_watch import EVERY_NS, ClockWatch
from controller.table.words.inputs import ClockJudged, ClockStepped


class Table:
    def __init__(self) -> None:
        self.told: list[ClockStepped | ClockJudged] = []

    def submit(self, subject: str, body: ClockStepped | ClockJudged) -> bool:
        assert subject == "table"
        self.told.append(body)
        return True


def watched(clock: ManualClock) -> tuple[ClockWatch, list[ClockStepped | ClockJudged]]:
    table = Table()
    watch = ClockWatch(table, clock)
    watch.look()
    return watch, table.told


def test_a_step_is_told_with_its_size_and_direction_once() -> None:
    """Forward, back, and over midnight; what comes after it is no step."""
    clock = ManualClock()
    watch, told = watched(clock)
    for seconds in (3600.0, -0.6, -86_400.0):
        clock.step_wall(seconds)
        clock.advance(1)
        watch.look()
        clock.advance(1)
        watch.look()
    assert told == [ClockStepped(3_600_000_000), ClockStepped(-600_000), ClockStepped(-86_400_000_000)]


def test_slewing_a_late_look_and_a_sleep_of_the_machine_are_no_steps() -> None:
    """The clock only runs a little faster; the loop was late; the machine slept, which the devices' links are told of."""
    clock = ManualClock()
    watch, told = watched(clock)
    for _ in range(50):
        clock.advance(1)
        clock.step_wall(0.05)
        watch.look()
    clock.advance(45)
    watch.look()
    clock.sleep(8 * 3600)
    watch.look()
    assert told == []


def test_readings_that_lie_apart_are_not_compared() -> None:
    """A process that was stopped between two clocks would see a step that there was none."""
    clock = ManualClock()
    watch, told = watched(clock)
    stamp = clock.stamp

    def late() -> object:
        clock.advance(5)
        return stamp()

    clock.stamp = late  # type: ignore[method-assign, assignment]
    watch.look()
    assert told == []


def test_trust_is_told_when_it_changes_and_each_hour_with_the_offset() -> None:
    """Not at the start, which has it in its own record."""
    clock = ManualClock()
    watch, told = watched(clock)
    clock.clock, clock.offset_us = "holdover", -1234
    watch.look()
    watch.look()
    clock.clock = "synced"
    watch.look()
    assert told == [ClockJudged("holdover", -1234, 0), ClockJudged("synced", -1234, 0)]
    clock.advance(EVERY_NS / 1e9 - 1)
    watch.look()
    assert len(told) == 2
    clock.advance(1)
    watch.look()
    watch.look()
    assert told[2:] == [ClockJudged("synced", -1234, 0)]


def test_this_machine_can_be_watched() -> None:
    """Whatever its kernel allows to be read."""
    table = Table()
    watch = ClockWatch(table, SystemClock())
    for _ in range(3):
        watch.look()
    assert not [told for told in table.told if isinstance(told, ClockStepped)]
    mono_ns = SystemClock().mono_ns()
    assert SystemClock().boot_ns() >= mono_ns
