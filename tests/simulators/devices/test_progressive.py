"""The progressive unit: chips on sensors, the lock-out and its safe side, and what comes late."""

from collections.abc import Callable

import pytest

from drivers.protocol.reports import (
    AlarmRaised,
    ButtonPressed,
    Cause,
    Level,
    LockoutEngaged,
    LockoutReleased,
    PoweredUp,
    ResetCause,
    SelfTestFailed,
    ServiceDue,
    Severity,
    WagerRemoved,
    WagerSensed,
)
from simulators.devices.model import ActImpossible, Outcome


def open_bets(table) -> None:
    """The daemon releases the lock-out by a new command."""
    assert table.want(Level.LOCKOUT, "released").holds


def test_it_comes_up_locked_and_says_so(bench: Callable) -> None:
    """No daemon has spoken yet, so nothing is taken."""
    unit = bench("progressive")
    assert unit.reports == [PoweredUp(ResetCause.POWER, None), LockoutEngaged(Cause.POWER_UP, 0)]
    assert unit.model.levels().lockout == "engaged"


def test_chips_before_the_lock_are_accepted_and_the_dealer_collects_them(bench: Callable) -> None:
    """Two wagers are accepted; after the lock they are lifted and stay counted until the next release."""
    unit = bench("progressive")
    open_bets(unit)
    unit.act("put_chip", seat=1)
    unit.act("put_chip", seat=4)
    unit.want(Level.LOCKOUT, "engaged", operation=55)
    unit.act("collect")
    assert unit.of(WagerSensed) == [WagerSensed(1, 1, False), WagerSensed(4, 1, False)]
    assert unit.of(WagerRemoved) == [WagerRemoved(1, 1, True), WagerRemoved(4, 1, True)]
    assert unit.of(LockoutEngaged)[-1] == LockoutEngaged(Cause.COMMAND, 55)
    assert unit.model.state()["accepted"] == [(1, 1), (4, 1)]
    open_bets(unit)
    assert unit.model.state()["accepted"] == []


def test_a_chip_after_the_lock_is_reported_late_and_never_accepted(bench: Callable) -> None:
    """Not even when the lock is released with the chip still lying there: it must be put down anew."""
    unit = bench("progressive")
    unit.act("put_chip", seat=2)
    assert unit.of(WagerSensed) == [WagerSensed(2, 1, True)]
    open_bets(unit)
    assert unit.model.state()["accepted"] == []
    unit.act("lift_chip", seat=2)
    unit.act("put_chip", seat=2)
    assert unit.model.state()["accepted"] == [(2, 1)]


def test_a_chip_swapped_under_the_lock_is_not_the_accepted_one(bench: Callable) -> None:
    """Lifted and put down again while locked, it is late, whatever lay there before."""
    unit = bench("progressive")
    open_bets(unit)
    unit.act("put_chip", seat=3)
    unit.want(Level.LOCKOUT, "engaged")
    unit.act("lift_chip", seat=3)
    unit.act("put_chip", seat=3)
    assert unit.of(WagerSensed)[-1] == WagerSensed(3, 1, True)
    open_bets(unit)
    assert unit.model.state()["accepted"] == []


def test_the_dealers_button_engages_and_never_releases(bench: Callable) -> None:
    """Each press is reported; only the first changes anything."""
    unit = bench("progressive")
    open_bets(unit)
    unit.act("lockout")
    unit.act("lockout")
    assert len(unit.of(ButtonPressed)) == 2
    assert unit.of(LockoutEngaged)[-1] == LockoutEngaged(Cause.BUTTON, 0)
    assert len(unit.of(LockoutEngaged)) == 2
    assert unit.model.levels().lockout == "engaged"


def test_the_watchdogs_lock_stays_until_a_new_release_comes(bench: Callable) -> None:
    """The old release, repeated after the link is back, does not open it; a new one does."""
    unit = bench("progressive")
    assert unit.want(Level.LOCKOUT, "released", operation=9).holds
    unit.reports += unit.model.host_lost(unit.now)
    assert unit.of(LockoutEngaged)[-1] == LockoutEngaged(Cause.WATCHDOG, 0)
    again = unit.want(Level.LOCKOUT, "released", operation=9)
    assert (again.outcome, again.holds) == (Outcome.DUPLICATE, False)
    assert unit.model.levels().lockout == "engaged"
    assert unit.want(Level.LOCKOUT, "released", operation=10).holds
    assert [r.operation for r in unit.of(LockoutReleased)] == [9, 10]


def test_engaging_again_is_always_obeyed(bench: Callable) -> None:
    """Towards safety a repeat does no harm, so even an old command closes."""
    unit = bench("progressive")
    unit.want(Level.LOCKOUT, "engaged", operation=3)
    open_bets(unit)
    again = unit.want(Level.LOCKOUT, "engaged", operation=3)
    assert (again.outcome, again.holds) == (Outcome.DUPLICATE, True)
    assert unit.model.levels().lockout == "engaged"


def test_lamps_are_a_list_of_seats(bench: Callable) -> None:
    """The daemon says which are lit; a seat that is not there is refused and nothing changes."""
    unit = bench("progressive", seats=6)
    assert unit.want(Level.LAMPS, "1,4").holds
    assert unit.model.levels().lamps == 0b1001
    for wrong in ("7", "x", "1,", "0"):
        assert unit.want(Level.LAMPS, wrong).outcome is Outcome.REFUSED
    assert unit.model.levels().lamps == 0b1001
    assert unit.want(Level.LAMPS, "").holds
    assert unit.model.levels().lamps == 0


def test_covered_sensors_are_bits_three_to_a_seat(bench: Callable) -> None:
    """The same bit means the same spot whatever number of sensors a unit has."""
    for sensors in (1, 3):
        unit = bench("progressive", sensors=sensors)
        unit.act("put_chip", seat=2)
        assert unit.model.levels().wagers == 1 << 3


def test_a_late_chip_comes_on_its_lock_out(bench: Callable) -> None:
    """late_chip@2 spares the first lock-out and comes half a second after the second."""
    unit = bench("progressive", "late_chip@2:seat=5")
    for n in (1, 2):
        open_bets(unit)
        unit.want(Level.LOCKOUT, "engaged")
        unit.run(0.4)
        assert not unit.of(WagerSensed)
        unit.run(0.2)
        assert unit.of(WagerSensed) == [WagerSensed(5, 1, True)] * (n == 2)


def test_a_chip_goes_after_the_lock(bench: Callable) -> None:
    """Somebody takes an accepted wager back: reported as removed under the lock."""
    unit = bench("progressive", "chip_gone@1")
    open_bets(unit)
    unit.act("put_chip", seat=6)
    unit.act("lockout")
    unit.run(1)
    assert unit.of(WagerRemoved) == [WagerRemoved(6, 1, True)]
    assert unit.model.state()["chips"] == []


@pytest.mark.parametrize(("reads", "sensed"), [("on", [WagerSensed(2, 1, True)]), ("off", [])])
def test_a_stuck_sensor_reads_the_same_whatever_lies_there(bench: Callable, reads: str, sensed: list) -> None:
    """Stuck on: a wager nobody made. Stuck off: a chip nobody sees."""
    unit = bench("progressive", f"stuck@1:seat=2:as={reads}")
    open_bets(unit)
    unit.act("lockout")
    unit.run(1)
    assert unit.of(WagerSensed) == sensed
    unit.act("put_chip", seat=2)
    unit.act("lift_chip", seat=2)
    assert unit.of(WagerSensed) == sensed
    assert not unit.of(WagerRemoved)


@pytest.mark.parametrize(("reads", "sensed", "removed"), [("on", 5, 5), ("off", 1, 1)])
def test_blinded_sensors_read_what_the_light_makes_of_them_and_then_what_lies_there(
    bench: Callable, reads: str, sensed: int, removed: int
) -> None:
    """A light curtain in the sun: wagers nobody made, under the lock, or chips nobody sees; afterwards it is as it was."""
    unit = bench("progressive", f"blinded@1:as={reads}:after=1:for=2:told=yes")
    open_bets(unit)
    unit.act("put_chip", seat=2)
    unit.act("lockout")
    before = len(unit.reports)
    unit.run(1.5)
    during = unit.reports[before:]
    assert during[0] == AlarmRaised(Severity.ALARM, 39, "sensors blinded")
    ghosts = [r for r in during if isinstance(r, WagerSensed)]
    assert len(ghosts) == (sensed if reads == "on" else 0)
    assert all(ghost.locked for ghost in ghosts)
    unit.run(2.0)
    changes = [r for r in unit.reports[before:] if isinstance(r, WagerSensed | WagerRemoved)]
    assert sum(isinstance(r, WagerSensed) for r in changes) == sensed
    assert sum(isinstance(r, WagerRemoved) for r in changes) == removed
    assert unit.model.levels().wagers == 0b1000
    assert unit.model.state()["accepted"] == [(2, 1)]
    assert unit.model.next_step() is None


def test_seven_seats_with_three_sensors_each_are_told_apart(bench: Callable) -> None:
    """Each sensor by itself, lamps at each seat, and the count of accepted chips from the reports alone."""
    unit = bench("progressive", seats=7, sensors=3)
    open_bets(unit)
    for seat in range(1, 8):
        for sensor in range(1, 4):
            unit.act("put_chip", seat=seat, sensor=sensor)
    unit.act("lift_chip", seat=7, sensor=3)
    assert unit.want(Level.LAMPS, "1,2,3,4,5,6,7").holds
    unit.act("lockout")
    unit.act("put_chip", seat=7, sensor=3)
    told = [(r.seat, r.sensor) for r in unit.of(WagerSensed) if not r.locked]
    gone = [(r.seat, r.sensor) for r in unit.of(WagerRemoved) if not r.locked]
    assert len(set(told) - set(gone)) == len(unit.model.state()["accepted"]) == 20
    assert unit.model.levels().wagers == 2**21 - 1
    assert unit.model.levels().lamps == 0b1111111


def test_a_bouncing_sensor_senses_one_chip_several_times(bench: Callable) -> None:
    """One chip is put down; the contact closes three times."""
    unit = bench("progressive", "bounce:seat=1:times=2")
    open_bets(unit)
    unit.act("put_chip", seat=1)
    assert len(unit.of(WagerSensed)) == 3
    assert len(unit.of(WagerRemoved)) == 2
    assert unit.model.state()["accepted"] == [(1, 1)]


def test_chips_that_came_without_power_are_late(bench: Callable) -> None:
    """Nobody saw them come, so at power-up they are sensed under the lock."""
    unit = bench("progressive")
    open_bets(unit)
    unit.model.power_down(unit.now)
    unit.act("put_chip", seat=1)
    before = len(unit.reports)
    unit.power_up()
    assert unit.reports[before:] == [
        PoweredUp(ResetCause.POWER, None), LockoutEngaged(Cause.POWER_UP, 0), WagerSensed(1, 1, True),
    ]  # fmt: skip
    assert unit.model.state()["accepted"] == []


def test_a_failed_self_test_and_a_due_service_are_told(bench: Callable) -> None:
    """Both are for the technician and change nothing else."""
    unit = bench("progressive", "self_test:code=12", "service_due@1")
    assert SelfTestFailed(12) in unit.reports
    open_bets(unit)
    unit.act("lockout")
    unit.run(0.1)
    assert unit.reports[-1] == ServiceDue(1)


@pytest.mark.parametrize(
    ("act", "given"),
    [
        ("put_chip", {"seat": 7}),
        ("put_chip", {"seat": 0}),
        ("put_chip", {"seat": 1, "sensor": 2}),
        ("put_chip", {"seat": "1"}),
        ("put_chip", {}),
        ("lift_chip", {"seat": 1}),
        ("green", {}),
    ],
)
def test_what_hands_can_not_do_is_refused(bench: Callable, act: str, given: dict) -> None:
    """No such seat, no chip there, no such button."""
    unit = bench("progressive")
    with pytest.raises(ActImpossible):
        unit.act(act, **given)


def test_two_chips_can_not_lie_on_one_sensor(bench: Callable) -> None:
    """The spot is taken."""
    unit = bench("progressive")
    unit.act("put_chip", seat=1)
    with pytest.raises(ActImpossible, match="lies at"):
        unit.act("put_chip", seat=1)
