"""Time: two clocks in one stamp, and an honest word about how far the wall clock can be trusted."""

import re
import time

import pytest

from controller import clock as clock_module
from controller.clock import MAX_ERROR_US, STA_UNSYNC, STATE_KEPT_NS, Discipline, ManualClock, SystemClock


def test_the_system_stamp_lies_between_two_readings_of_both_clocks() -> None:
    """A stamp is now, in microseconds of UTC and nanoseconds since boot."""
    clock = SystemClock()
    before = (time.time_ns() // 1000, time.monotonic_ns())
    stamp = clock.stamp()
    after = (time.time_ns() // 1000, time.monotonic_ns())
    assert before[0] <= stamp.wall_us <= after[0]
    assert before[1] <= stamp.mono_ns <= after[1]


def test_two_clocks_of_one_boot_name_the_same_boot() -> None:
    """The boot comes from the kernel, so that a restarted daemon can compare its intervals with those before."""
    first, second = SystemClock().stamp(), SystemClock().stamp()
    assert re.fullmatch("[0-9a-f]{16}", first.boot)
    assert first.boot == second.boot


def test_the_clock_state_follows_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never synced is unsynced; synced is synced; a lost or forbidden discipline afterwards is holdover."""
    now = [0]
    discipline: list[Discipline | None] = [Discipline(STA_UNSYNC, 16_000_000)]
    monkeypatch.setattr(clock_module.time, "monotonic_ns", lambda: now[0])
    monkeypatch.setattr(clock_module, "kernel_discipline", lambda: discipline[0])
    clock = SystemClock()

    def state_when(answer: tuple[int, int] | None) -> str:
        discipline[0] = None if answer is None else Discipline(*answer)
        now[0] += STATE_KEPT_NS + 1
        return clock.stamp().clock

    assert state_when(None) == "unsynced"
    assert state_when((0, MAX_ERROR_US + 1)) == "unsynced"
    assert state_when((0, MAX_ERROR_US)) == "synced"
    assert state_when((0, MAX_ERROR_US + 1)) == "holdover"
    assert state_when((STA_UNSYNC, 10)) == "holdover"
    assert state_when(None) == "holdover"
    assert state_when((0, 10)) == "synced"


def test_the_kernel_is_asked_once_a_second_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamping an event costs no system call for the discipline."""
    now, asked = [5], []
    monkeypatch.setattr(clock_module.time, "monotonic_ns", lambda: now[0])
    monkeypatch.setattr(clock_module, "kernel_discipline", lambda: asked.append(now[0]))
    clock = SystemClock()
    for at in (5, 6, STATE_KEPT_NS + 5, STATE_KEPT_NS + 6, STATE_KEPT_NS + 7):
        now[0] = at
        clock.stamp()
    assert asked == [5, STATE_KEPT_NS + 6]


def test_a_manual_clock_moves_only_when_told() -> None:
    """Time passes on both clocks; a correction moves the wall clock alone."""
    clock = ManualClock()
    start = clock.stamp()
    assert clock.stamp() == start
    clock.advance(1.5)
    clock.step_wall(-3600)
    moved = clock.stamp()
    assert moved.mono_ns - start.mono_ns == 1_500_000_000
    assert moved.wall_us - start.wall_us == 1_500_000 - 3_600_000_000
    assert (moved.boot, moved.clock) == (start.boot, start.clock)
