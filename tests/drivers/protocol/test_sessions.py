"""Sessions: who is believed, what of an older one is not, how one ends, and frames that have no business here."""

from dataclasses import replace

import pytest

from drivers.errors import Fault
from drivers.protocol import messages as m
from drivers.protocol.codec import decode, encode
from drivers.protocol.device.link import HostFound
from drivers.protocol.framing import decode_piece, encode_frame
from drivers.protocol.host.link import Failed, HostLink, Online, Reported, Restarted, Suspect, Welcomed
from drivers.protocol.reports import DoorOpened, ResetCause


def frame_in(wire_bytes):
    return decode(decode_piece(wire_bytes.strip(b"\0")))


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
    frame = bytearray(encode(m.Frame(m.Pong(bytes(8), world.boot, 0, 0, 0), session_of(world))))
    body = bytes(frame[:12]) + (4).to_bytes(2, "little") + bytes(frame[14:18])
    world.to_host.inject(encode_frame(body), world.now)
    world.run(0.01)
    assert [event.fault for event in world.of(Failed)] == ["proto_payload"]


def test_a_frame_with_a_mac_is_dropped_where_no_key_was_agreed_on(world):
    """Nothing can vouch for it, and passing it on unchecked would pretend that something did."""
    before = world.host.counters["mac"]
    inject(world, m.Pong(bytes(8), world.boot, 0, 0, 0), session_of(world), seal=bytes(24))
    assert world.host.counters["mac"] == before + 1
    frame = m.Frame(m.Ping(bytes(8)), session_of(world), seal=bytes(24))
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


def test_a_rebooted_device_tells_so_at_most_once_a_second(world):
    """A host that shouts into a device without a session must not make it shout back."""
    session = session_of(world)
    world.boot_device()
    world.device.data_to_send()
    for _ in range(100):
        world.device.receive(encode_frame(encode(m.Frame(m.Ping(bytes(8)), session))), world.now)
        world.now += 0.025
    answers = [frame for frame in world.device.data_to_send().split(b"\0") if frame]
    assert len(answers) == 3


def test_a_late_hello_does_not_displace_a_newer_offer(make_world):
    """The device keeps several offers, so that the host's first frame finds its session."""
    device = make_world().device
    for session in (5, 6, 7):
        device.receive(encode_frame(encode(m.Frame(m.Hello(bytes(16)), session))), 0.0)
    device.receive(encode_frame(encode(m.Frame(m.Hello(bytes(16)), 4))), 0.0)
    assert device.receive(encode_frame(encode(m.Frame(m.Ping(bytes(8)), 6))), 0.0) == [HostFound()]


def test_the_device_keeps_to_the_window_and_size_the_host_names(make_world):
    """A small host gets short LOG_DATA and few reports ahead."""
    world = make_world()
    world.report(40)
    device = world.device
    device.data_to_send()
    hello = m.Hello(bytes(16), max_body=256, window=2)
    device.receive(encode_frame(encode(m.Frame(hello, 9))), 0.0)
    device.data_to_send()
    device.receive(encode_frame(encode(m.Frame(m.LogRead(world.boot, 1, 40), 9, seq=1))), 0.0)
    bodies = [decode_piece(piece) for piece in device.data_to_send().split(b"\0") if piece]
    kinds = [type(decode(body).message) for body in bodies]
    assert kinds.count(m.Event) == 2
    assert kinds.count(m.LogData) == 1
    assert max(map(len, bodies)) <= 256


def test_a_device_does_not_answer_its_own_words(make_world):
    """On a looped line its RESTARTED comes back; an answer to it would come back too, for ever."""
    device = make_world().device
    own = device.data_to_send()
    device.receive(own, 0.0)
    device.receive(encode_frame(encode(m.Frame(m.Restarted(1, ResetCause.POWER), 77))), 0.0)
    assert device.data_to_send() == b""
    assert device.counters["stale_session"] == 2
