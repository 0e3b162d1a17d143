"""After a long pause of the host's own loop nothing is released before it is on record what the device did meanwhile."""

from dataclasses import replace

import pytest

from drivers.protocol import messages as m
from drivers.protocol.codec import decode
from drivers.protocol.device.link import HostLost
from drivers.protocol.framing import decode_piece
from drivers.protocol.host.echoes import BITTEN_LAG_S
from drivers.protocol.host.link import Failed, LevelSet, LevelUnknown, Lost, Online, Reported
from drivers.protocol.reports import ENGAGED, RELEASED, Cause, Level, LockoutEngaged


@pytest.fixture
def world(make_world):
    """A link that is online."""
    world = make_world()
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Online))
    world.reconnecting = False
    return world


def without_first_request():
    """The line loses the first request."""
    left = [1]

    def faults(frame):
        if isinstance(decode(decode_piece(frame.strip(b"\0"))).message, m.Request) and left[0]:
            left[0] = 0
            return []
        return [(0.001, frame)]

    return faults


def stand_still(world, seconds):
    """The host's loop stops: nothing is read and nothing sent; the device goes on, and its watchdog bites if it must."""
    host, world.host = world.host, None
    world.run(seconds)
    if HostLost() in world.device_events:
        world.device_events.remove(HostLost())
        world.levels = replace(world.levels, lockout=ENGAGED)
        world.device.set_levels(world.levels)
        world.device.report(LockoutEngaged(Cause.WATCHDOG, 0), int(world.now * 1e6))
    world.host = host
    host.extend_deadlines(seconds)


def releases(world):
    return [request.operation for request in world.executed if request.value == RELEASED]


def test_a_release_that_was_under_way_in_a_long_pause_is_unknown_and_is_not_sent_again(world):
    """It was sent and lost; then our own loop stood still, and the watchdog bit. Its repeat would release again."""
    world.to_device.faults = without_first_request()
    world.host.set_level(Level.LOCKOUT, RELEASED, 5, world.now)
    world.run(0.01)
    stand_still(world, 4.0)
    world.run(5.0)
    assert [(event.operation, event.value) for event in world.of(LevelUnknown)] == [(5, RELEASED)]
    assert releases(world) == []
    assert not world.of(Failed)


def test_what_is_wanted_after_a_long_pause_waits_until_all_is_on_record_that_the_device_told(world):
    """Whoever wants a release right after the pause does not know yet that the watchdog bit; once that is durable, they do."""
    world.acknowledging = False
    stand_still(world, 4.0)
    world.host.set_level(Level.LOCKOUT, RELEASED, 5, world.now)
    world.run(1.5)
    told = [event for event in world.of(Reported) if isinstance(event.report, LockoutEngaged)]
    assert told
    world.host.set_level(Level.LOCKOUT, RELEASED, 6, world.now)
    world.run(0.5)
    assert [event.operation for event in world.of(LevelUnknown)] == [5, 6]
    assert releases(world) == []
    world.host.acknowledge(told[0].boot, told[0].counter, world.now)
    world.host.set_level(Level.LOCKOUT, RELEASED, 7, world.now)
    world.run(0.5)
    assert releases(world) == [7]


def test_the_echo_of_a_ping_from_before_the_pause_says_nothing_of_what_came_in_it(world):
    """The device answered it before its watchdog bit; that answer lay in the kernel through the pause."""
    world.run(2.0)
    world.to_host.faults = lambda frame: [(4.01, frame)]
    pings = len(world.to_device.sent)
    world.run(2.0, until=lambda: len(world.to_device.sent) > pings)
    world.run(0.002)
    world.to_host.faults = lambda frame: [(1.0, frame)]
    stand_still(world, 4.0)
    frames = world.host.counters["frames_in"]
    world.run(0.1)
    world.host.set_level(Level.LOCKOUT, RELEASED, 5, world.now)
    world.run(0.1)
    assert world.host.counters["frames_in"] > frames
    assert releases(world) == []


def test_after_a_pause_that_no_watchdog_notices_releases_go_on(world):
    """Its own request is given the time, and is repeated as any other."""
    world.to_device.faults = without_first_request()
    world.host.set_level(Level.LOCKOUT, RELEASED, 5, world.now)
    world.run(0.01)
    stand_still(world, BITTEN_LAG_S - 0.1)
    world.run(2.0)
    assert world.of(LevelUnknown) == []
    assert releases(world) == [5]


def test_the_safe_side_is_asked_for_at_once_after_any_pause(world):
    """Nothing that the device may have done meanwhile speaks against it."""
    stand_still(world, 4.0)
    world.host.set_level(Level.LOCKOUT, ENGAGED, 5, world.now)
    world.run(0.5)
    assert [(event.operation, event.value) for event in world.of(LevelSet)] == [(5, ENGAGED)]
    assert world.of(LevelUnknown) == []


def test_a_report_that_was_lost_at_the_end_of_a_pause_does_not_bar_releases_for_ever(world):
    """What was told as lost is known, too: it never becomes durable, and nobody waits for it."""
    world.acknowledging = False
    stand_still(world, 4.0)
    world.device.report(m.UnknownReport(0xEE, b"\1\2\3", ""), int(world.now * 1e6))
    world.run(3.0)
    told = world.of(Reported)[-1]
    assert [event.first for event in world.of(Lost)] == [told.counter + 1]
    world.host.set_level(Level.LOCKOUT, RELEASED, 5, world.now)
    world.run(0.5)
    assert releases(world) == []
    world.host.acknowledge(told.boot, told.counter, world.now)
    world.host.set_level(Level.LOCKOUT, RELEASED, 6, world.now)
    world.run(0.5)
    assert releases(world) == [6]
