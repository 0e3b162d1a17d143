"""Who is there: waiting, PING and echo, suspect and stale, the device's own watchdog, noise."""

import random

import pytest

from drivers.protocol import messages as m
from drivers.protocol.codec import decode, encode
from drivers.protocol.constants import (
    HANDSHAKE_TIMEOUT_S,
    HOST_WATCHDOG_S,
    STALE_AFTER_LOCKOUT_S,
    STALE_AFTER_S,
    SUSPECT_AFTER_S,
)
from drivers.protocol.device.link import HostFound, HostLost
from drivers.protocol.framing import decode_piece, encode_frame
from drivers.protocol.host.link import Failed, Online, Recovered, Suspect
from drivers.protocol.reports import Level


def frame_in(wire_bytes):
    return decode(decode_piece(wire_bytes.strip(b"\0")))


def only(*kinds):
    return lambda frame: [(0.001, frame)] if isinstance(frame_in(frame).message, kinds) else []


def without(*kinds):
    return lambda frame: [] if isinstance(frame_in(frame).message, kinds) else [(0.001, frame)]


def clear(frame):
    return [(0.001, frame)]


def silent(frame):
    return []


@pytest.fixture
def world(make_world):
    """A link that is online and is not opened again when it fails."""
    world = make_world()
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Online))
    world.reconnecting = False
    return world


def inject(world, message, session, **header):
    world.to_host.inject(encode_frame(encode(m.Frame(message, session, **header))), world.now)
    world.run(0.005)


def test_a_device_that_was_never_heard_is_waited_for_and_not_stale(make_world):
    """No data yet is not old data: only the handshake's own time ends, and no liveness alarm is raised."""
    world = make_world()
    world.reconnecting = False
    world.device = None
    world.connect()
    world.run(HANDSHAKE_TIMEOUT_S - 0.1)
    assert world.host_events == []
    world.run(0.2)
    assert [event.fault for event in world.of(Failed)] == ["timeout_handshake"]
    assert not world.of(Suspect)
    hellos = [at for at, _ in world.to_device.sent]
    assert 4 <= len(hellos) <= 8


def test_without_an_echo_the_device_is_suspect_and_then_the_link_fails(world):
    """2.5 s and 5 s from the last echo; told once each, and nothing after the end."""
    world.to_host.faults = silent
    quiet_since = world.now
    assert world.run(4.0, until=lambda: world.of(Suspect))
    assert SUSPECT_AFTER_S - 1.0 <= world.now - quiet_since <= SUSPECT_AFTER_S + 0.1
    assert world.of(Suspect) == [Suspect(half_dead=False)]
    assert world.run(4.0, until=lambda: world.of(Failed))
    assert world.now - quiet_since <= STALE_AFTER_S + 0.1
    assert world.of(Failed)[0].fault == "timeout_liveness"


def test_a_device_with_a_lockout_is_stale_after_three_seconds(make_world):
    """The limit is the caller's, as the profile of the device says."""
    world = make_world(stale_after_s=STALE_AFTER_LOCKOUT_S)
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Online))
    world.to_host.faults = silent
    quiet_since = world.now
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert 2.0 <= world.now - quiet_since <= STALE_AFTER_LOCKOUT_S + 0.1


def test_an_echo_in_time_recovers(world):
    """A short interruption leaves the link as it was."""
    world.to_host.faults = silent
    assert world.run(4.0, until=lambda: world.of(Suspect))
    world.to_host.faults = clear
    assert world.run(2.0, until=lambda: world.of(Recovered))
    world.run(10.0)
    assert not world.of(Failed)


def test_frames_without_an_echo_are_half_dead_and_fail_in_the_end(world):
    """Reports that come in prove one half of the link only: what we say may not arrive."""
    world.to_host.faults = without(m.Pong)
    for _ in range(12):
        world.report(1)
        world.run(0.5)
    assert world.of(Suspect) == [Suspect(half_dead=True)]
    assert len(world.journal) >= 8
    assert [event.fault for event in world.of(Failed)] == ["timeout_liveness"]
    assert "frames come in" in world.of(Failed)[0].detail


def test_an_old_or_repeated_echo_proves_nothing(world):
    """Only the nonce of a PING of the last seconds counts, and each once."""
    world.to_host.faults = silent
    pongs = [frame for _, frame in world.to_host.sent if isinstance(frame_in(frame).message, m.Pong)]
    for _ in range(60):
        world.to_host.inject(pongs[-1], world.now)
        world.run(0.1)
    assert world.of(Failed)


def test_a_pause_of_our_own_loop_is_not_the_devices_fault(world):
    """After six blocked seconds the caller extends the deadlines, and nothing is reported."""
    world.run(0.5)
    world.now += 6.0
    world.host.extend_deadlines(6.0)
    world.run(3.0)
    assert not world.of(Suspect)
    assert not world.of(Failed)


def test_a_queue_of_requests_never_delays_a_ping(world):
    """Liveness has its own way past the request window."""
    world.to_host.faults = without(m.Response)
    for operation, level in enumerate((Level.LAMPS, Level.DISPLAY)):
        world.host.set_level(level, "", operation, world.now)
    world.run(2.0)
    assert not world.of(Suspect)
    assert world.host.counters["retransmits"] > 0


def test_the_device_clock_running_backwards_is_a_fault(world):
    """Without a new boot a device's tick only grows."""
    world.run(2.5)
    world.device._epoch_s += 1000.0
    world.run(2.0)
    assert [event.fault for event in world.of(Failed)] == ["proto_unexpected"]


def test_the_device_notices_a_silent_host_and_its_return(world):
    """After three seconds it must take its safe levels by itself; once for each loss."""
    assert world.device_events == [HostFound()]
    world.to_device.faults = silent
    lost_at = world.now
    assert world.run(4.0, until=lambda: HostLost() in world.device_events)
    assert HOST_WATCHDOG_S - 1.0 <= world.now - lost_at <= HOST_WATCHDOG_S + 0.1
    world.to_device.faults = clear
    assert world.run(2.0, until=lambda: world.device_events[-1] == HostFound())
    assert world.device_events.count(HostLost()) == 1


def test_hellos_alone_do_not_feed_the_devices_watchdog(world):
    """Only frames of the session count: a host that never gets past HELLO is no host."""
    world.to_device.faults = only(m.Hello)
    world.run(3.0)
    world.connect()
    world.run(1.0)
    assert HostLost() in world.device_events


def test_a_device_without_a_host_is_quiet(make_world):
    """Before the first session there is nothing to lose, and no report goes on the wire."""
    world = make_world()
    world.report(20)
    world.run(60.0)
    assert world.device_events == []
    assert [type(frame_in(frame).message) for _, frame in world.to_host.sent] == [m.Restarted]


def test_bye_makes_the_device_take_its_safe_levels_at_once(world):
    """The host leaves in good order; waiting three more seconds would help nobody."""
    world.host.bye(world.now)
    world.run(0.01)
    assert world.device_events[-1] == HostLost()
    assert world.host.next_deadline() is None
    with pytest.raises(ValueError, match="closed"):
        world.host.read_levels(world.now)


def test_sixty_seconds_of_noise_cause_no_storm(world):
    """Noise at full rate, delimiters included: under two frames a second from us, memory flat, back within 10 s."""
    world.reconnecting = True
    rng = random.Random(1)
    world.to_device.faults = world.to_host.faults = silent
    sent = len(world.to_device.sent)
    host_end = world.now + 60
    while world.now < host_end:
        for wire in (world.to_device, world.to_host):
            noise = bytes(rng.choice((0, rng.randrange(256))) if rng.random() < 0.05 else rng.randrange(256)
                          for _ in range(1152))  # fmt: skip
            wire.inject(noise, world.now)
        world.run(0.1)
    assert len(world.to_device.sent) - sent < 2 * 60
    assert world.device.counters["crc"] + world.device.counters["cobs"] + world.device.counters["length"] > 100
    assert not world.executed
    assert not world.journal
    world.to_device.faults = world.to_host.faults = clear
    seen = len(world.of(Online))
    assert world.run(10.0, until=lambda: len(world.of(Online)) > seen or not world.of(Failed))
