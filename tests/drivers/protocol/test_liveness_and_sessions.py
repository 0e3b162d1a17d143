"""Who is there: handshake, PING and echo, suspect and stale, reboots, ghosts of old sessions, noise."""

import random
from dataclasses import replace

import pytest

from drivers.errors import Fault
from drivers.protocol import messages as m
from drivers.protocol.codec import decode, encode
from drivers.protocol.constants import (
    HANDSHAKE_TIMEOUT_S,
    HOST_WATCHDOG_S,
    STALE_AFTER_LOCKOUT_S,
    STALE_AFTER_S,
    SUSPECT_AFTER_S,
)
from drivers.protocol.device import HostFound, HostLost
from drivers.protocol.framing import decode_piece, encode_frame
from drivers.protocol.host import Failed, HostLink, Online, Recovered, Reported, Restarted, Suspect, Welcomed
from drivers.protocol.reports import DoorOpened, Level, ResetCause


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


def session_of(world):
    return frame_in(world.to_device.sent[-1][1]).session


def inject(world, message, session, **header):
    world.to_host.inject(encode_frame(encode(m.Frame(message, session, **header))), world.now)
    world.run(0.005)


def test_the_device_says_who_it_is_before_anything_else(make_world):
    """Welcomed comes first, Online after log and levels."""
    world = make_world()
    world.report(2)
    world.connect()
    assert world.run(1.0, until=lambda: world.of(Online))
    kinds = [type(event) for event in world.host_events]
    assert kinds == [Welcomed, Reported, Reported, Online]
    welcomed = world.host_events[0]
    assert (welcomed.identity.serial, welcomed.boot, welcomed.log_first, welcomed.log_last) == (
        "SN-1",
        world.boot,
        1,
        2,
    )
    assert world.of(Online)[0].levels == world.levels


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


def test_a_device_that_says_bye_or_restarted_ends_the_link_once(world):
    """An orderly end is an end of the line, a restart is named with its cause."""
    inject(world, m.Bye(1), session_of(world))
    assert [event.fault for event in world.of(Failed)] == ["link_eof"]
    inject(world, m.Bye(1), session_of(world))
    assert len(world.of(Failed)) == 1


def test_a_reboot_shows_within_a_ping_period(world):
    """The rebooted device does not know our session and says so to the first frame."""
    world.boot_device()
    rebooted_at = world.now
    assert world.run(3.0, until=lambda: world.of(Failed))
    assert world.now - rebooted_at < 0.1, "its RESTARTED at power-up makes the host ask at once"
    assert world.of(Restarted) == [m.Restarted(world.boot, ResetCause.POWER)]
    assert world.of(Failed)[0].fault == "link_restarted"


def test_an_old_restarted_frame_does_not_end_a_living_session(world):
    """A RESTARTED without a session may be left over from before; it only causes a PING."""
    inject(world, m.Restarted(12345, ResetCause.WATCHDOG), 0)
    world.run(3.0)
    assert not world.of(Failed)
    assert not world.of(Restarted)


def test_valid_frames_of_an_older_session_are_never_released(world):
    """Four thousand ghost bytes out of a driver's buffer hold perfect reports of yesterday: counted and dropped."""
    session = session_of(world)
    for counter in range(1, 100):
        old = m.Frame(m.Event(world.boot, m.Record(counter, 1, DoorOpened())), session ^ 0x5A5A, seq=counter)
        world.to_host.inject(encode_frame(encode(old)), world.now)
    world.run(1.0)
    assert not world.journal
    assert world.host.counters["stale_session"] >= 99
    assert not world.of(Failed)


def test_a_welcome_for_another_nonce_is_not_believed(make_world):
    """A recorded WELCOME can't stand in for the device, even if the session number were guessed."""
    world = make_world()
    world.to_host.faults = silent
    host = world.connect()
    world.run(0.01)
    welcome = next(f for _, frame in world.to_host.sent if isinstance((f := frame_in(frame)).message, m.Welcome))
    forged = replace(welcome, message=replace(welcome.message, nonce=bytes(16)))
    assert host.receive(encode_frame(encode(forged)), world.now) == []
    assert host.receive(encode_frame(encode(welcome)), world.now) != []


def test_a_delayed_hello_of_an_older_session_does_not_take_the_device_away(world):
    """A session takes over with its first frame after the HELLO, and a former one never again."""
    old_hello = next(frame for _, frame in world.to_device.sent if isinstance(frame_in(frame).message, m.Hello))
    old_frames = [frame for _, frame in world.to_device.sent]
    world.connect()
    assert world.run(5.0, until=lambda: len(world.of(Online)) == 2)
    for frame in [old_hello, *old_frames]:
        world.to_device.inject(frame, world.now)
    world.run(6.0)
    assert not world.of(Failed)
    assert not world.of(Suspect)


def test_no_common_version_is_told_as_such(make_world):
    """The device stays passive, the host says which versions met."""
    world = make_world()
    host = world.connect()
    world.to_host.faults = silent
    world.run(0.01)
    welcome = next(f for _, frame in world.to_host.sent if isinstance((f := frame_in(frame)).message, m.Welcome))
    newer = replace(welcome, message=replace(welcome.message, min_version=2, max_version=3))
    events = host.receive(encode_frame(encode(newer)), world.now)
    assert [event.fault for event in events] == ["auth_version"]
    assert host.next_deadline() is None
    assert host.tick(world.now + 60) == []


def test_a_device_ignores_a_host_of_another_major_but_says_who_it_is(make_world):
    """HELLO and WELCOME are readable for ever; the session is not entered."""
    world = make_world()
    hello = m.Frame(m.Hello(bytes(16), 2, 9), 77)
    world.device.data_to_send()
    world.device.receive(encode_frame(encode(hello)), world.now)
    (answer,) = [frame_in(f) for f in [world.device.data_to_send()]]
    assert (answer.message.min_version, answer.message.max_version) == (1, 1)
    assert world.device.receive(encode_frame(encode(m.Frame(m.Ping(bytes(8)), 77))), world.now) == []


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


@pytest.mark.parametrize("seed", range(3))
def test_sixty_seconds_of_noise_cause_no_storm(world, seed):
    """Noise at full rate, delimiters included: under two frames a second from us, memory flat, back within 10 s."""
    world.reconnecting = True
    rng = random.Random(seed)
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


def test_our_own_frames_coming_back_harm_nobody(make_world):
    """A looped cable echoes everything: counted as unexpected, no answer to ourselves, no link."""
    world = make_world()
    world.reconnecting = False
    world.device = None
    host = world.connect()
    for _ in range(200):
        data = host.data_to_send()
        world.host_events += host.receive(data, world.now)
        world.now += 0.1
        world.host_events += host.tick(world.now)
    assert [event.fault for event in world.of(Failed)] == ["timeout_handshake"]
    assert host.counters["unexpected"] >= 4


def test_every_fault_a_link_can_name_is_in_the_drivers_list(make_world):
    """The ids travel as text through the pure room; a misspelt one would reach the operator as nonsense."""
    named = {
        "timeout_handshake", "timeout_liveness", "timeout_request", "timeout_fill", "link_eof", "link_restarted",
        "auth_version", "proto_unexpected", "proto_payload", "proto_counter_backwards", "proto_counter_reused",
    }  # fmt: skip
    assert named <= {fault.value for fault in Fault}


def test_a_valid_frame_with_a_broken_payload_fails_the_link(world):
    """The check matched, so it is not noise: the firmware says something this protocol does not have."""
    frame = bytearray(encode(m.Frame(m.Pong(bytes(8), 0, 0, 0), session_of(world))))
    body = bytes(frame[:12]) + (4).to_bytes(2, "little") + bytes(frame[14:18])
    world.to_host.inject(encode_frame(body), world.now)
    world.run(0.01)
    assert [event.fault for event in world.of(Failed)] == ["proto_payload"]


def test_a_frame_with_a_mac_is_dropped_where_no_key_was_agreed_on(world):
    """Nothing can vouch for it, and passing it on unchecked would pretend that something did."""
    before = world.host.counters["mac"]
    inject(world, m.Pong(bytes(8), 0, 0, 0), session_of(world), mac=bytes(16))
    assert world.host.counters["mac"] == before + 1
    frame = m.Frame(m.Ping(bytes(8)), session_of(world), mac=bytes(16))
    world.device.receive(encode_frame(encode(frame)), world.now)
    assert world.device.counters["mac"] == 1


def test_an_unknown_type_is_answered_by_the_device_and_ignored_by_the_host(world):
    """A later minor version may speak of more; neither end falls over it."""
    body = bytearray(encode(m.Frame(m.Ping(bytes(8)), session_of(world), seq=9)))
    body[1] = 0x77
    world.to_host.inject(encode_frame(bytes(body)), world.now)
    world.to_device.inject(encode_frame(bytes(body)), world.now)
    world.run(0.01)
    answer = frame_in(world.to_host.sent[-1][1])
    assert (answer.message.code, answer.seq) == (m.ERR_UNKNOWN_TYPE, 9)
    assert not world.of(Failed)


def test_a_link_connects_once(world):
    """A new life of a link is a new object; an old one is never revived."""
    assert isinstance(world.host, HostLink)
    with pytest.raises(ValueError, match="once"):
        world.host.connect(world.now)
