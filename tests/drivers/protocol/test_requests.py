"""Wanted levels on the wire: one outstanding, repeated, answered once, never executed twice, unknown in the end."""

from collections import Counter
from itertools import pairwise

import pytest

from drivers.protocol import messages as m
from drivers.protocol.codec import decode, encode
from drivers.protocol.constants import RTO_FIRST_S, TRANSMISSIONS
from drivers.protocol.framing import decode_piece, encode_frame
from drivers.protocol.host.link import Failed, LevelRefused, LevelSet, LevelsRead, LevelUnknown, Online
from drivers.protocol.reports import ALLOWED, ENGAGED, INHIBITED, RELEASED, Level


def frame_in(wire_bytes):
    return decode(decode_piece(wire_bytes.strip(b"\0")))


def dropping(kind, times=10**9):
    left = [times]

    def faults(frame):
        if isinstance(frame_in(frame).message, kind) and left[0] > 0:
            left[0] -= 1
            return []
        return [(0.001, frame)]

    return faults


def requests_in(wire):
    frames = [(at, frame_in(frame)) for at, frame in wire.sent]
    return [
        (at, f) for at, f in frames if isinstance(f.message, m.Request) and isinstance(f.message.what, m.SetLevel)
    ]


@pytest.fixture
def world(make_world):
    """A link that is online."""
    world = make_world()
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Online))
    world.reconnecting = False
    return world


def test_a_level_is_asked_for_once_and_confirmed(world):
    """The plain case: one frame there, one back; the digest then leads to a read of the levels."""
    world.host.set_level(Level.LOCKOUT, RELEASED, 41, world.now)
    assert world.run(1.0, until=lambda: world.of(LevelSet))
    assert world.of(LevelSet) == [LevelSet(Level.LOCKOUT, RELEASED, 41)]
    assert [r.operation for r in world.executed] == [41]
    assert world.run(1.5, until=lambda: world.of(LevelsRead))
    assert world.of(LevelsRead)[0].levels.lockout == RELEASED


@pytest.mark.parametrize("lost", [m.Request, m.Response])
def test_four_losses_are_repaired_and_the_level_is_carried_out_once(world, lost):
    """Same number, retransmit flag set; the device answers a repeat out of its memory."""
    wire = world.to_device if lost is m.Request else world.to_host
    wire.faults = dropping(lost, times=TRANSMISSIONS - 1)
    world.host.set_level(Level.LOCKOUT, RELEASED, 1, world.now)
    assert world.run(10.0, until=lambda: world.of(LevelSet) or world.of(Failed))
    assert world.of(LevelSet)
    frames = [frame for _, frame in requests_in(world.to_device)]
    assert len({frame.seq for frame in frames}) == 1
    assert [frame.retransmit for frame in frames] == [False] + [True] * (TRANSMISSIONS - 1)
    assert [r.operation for r in world.executed] == [1]


def test_the_wait_between_transmissions_doubles(world):
    """A line that is slow or noisy is not pressed harder."""
    world.to_device.faults = dropping(m.Request)
    world.host.set_level(Level.LOCKOUT, RELEASED, 1, world.now)
    world.run(9.0)
    times = [at for at, _ in requests_in(world.to_device)]
    waits = [b - a for a, b in pairwise(times)]
    assert [round(b / a, 1) for a, b in pairwise(waits)] == [2.0] * (TRANSMISSIONS - 2)


def test_after_five_transmissions_the_outcome_is_unknown_and_the_link_fails(world):
    """It may have been carried out: nobody may call it failed. What waited behind it is unknown as well."""
    world.to_host.faults = dropping(m.Response)
    world.host.set_level(Level.LOCKOUT, RELEASED, 1, world.now)
    world.host.set_level(Level.LAMPS, "1,4", 2, world.now)
    assert world.run(12.0, until=lambda: world.of(Failed))
    assert len(requests_in(world.to_device)) == TRANSMISSIONS
    assert world.of(LevelUnknown) == [
        LevelUnknown(Level.LOCKOUT, RELEASED, 1, "timeout_request"),
        LevelUnknown(Level.LAMPS, "1,4", 2, "timeout_request"),
    ]
    assert world.of(Failed)[0].fault == "timeout_request"
    assert isinstance(world.host_events[-1], Failed), "nothing follows"
    assert [r.operation for r in world.executed] == [1]


def test_a_device_that_takes_its_time_is_asked_again_but_executes_once(world):
    """While a level is being set, repeats are neither executed nor answered."""
    world.answering = False
    world.host.set_level(Level.LOCKOUT, RELEASED, 1, world.now)
    world.run(1.5)
    assert len(requests_in(world.to_device)) > 1
    world.device.answer(world.executed[0], ok=True)
    assert world.run(1.0, until=lambda: world.of(LevelSet))
    assert len(world.executed) == 1


def test_a_refusal_carries_the_devices_reason(world):
    """No is an answer: it is told with its code, and not repeated."""
    world.answering = False
    world.host.set_level(Level.DISPENSING, ALLOWED, 5, world.now)
    assert world.run(1.0, until=lambda: world.executed)
    world.device.answer(world.executed[0], ok=False, code=300, text="door is open")
    world.run(2.0)
    assert world.of(LevelRefused) == [LevelRefused(Level.DISPENSING, ALLOWED, 5, 300, "door is open")]


def test_a_late_answer_is_never_taken_for_another_requests(world):
    """The answer to the first request arrives while the second is outstanding: the number tells them apart."""
    world.answering = False
    world.host.set_level(Level.LOCKOUT, RELEASED, 1, world.now)
    world.run(0.01)
    seq = requests_in(world.to_device)[0][1].seq
    session = requests_in(world.to_device)[0][1].session
    for wrong in (seq - 1, seq + 1, 0):
        late = m.Frame(m.Response(), session, seq=wrong % 65536, ack=seq)
        world.to_host.inject(encode_frame(encode(late)), world.now)
    other_channel = m.Frame(m.Error(3, False, "of a log read", m.CHANNEL_LOG), session, seq=seq, ack=seq)
    world.to_host.inject(encode_frame(encode(other_channel)), world.now)
    world.run(0.01)
    assert not world.of(LevelSet)
    assert not world.of(LevelRefused)
    world.device.answer(world.executed[0], ok=True)
    assert world.run(1.0, until=lambda: world.of(LevelSet))


def test_an_engage_overtakes_what_waits_and_interrupts_what_is_stuck(world):
    """Towards safety nothing waits: at most 0.4 s behind a request that gets no answer, never behind the queue."""
    world.to_host.faults = dropping(m.Response)
    world.host.set_level(Level.LAMPS, "1", 1, world.now)
    world.run(1.0)
    for operation in range(2, 5):
        world.host.set_level((Level.DISPLAY, Level.MODE, Level.DISPENSING)[operation - 2],
                             ("wait", "sort", ALLOWED)[operation - 2], operation, world.now)  # fmt: skip
    asked_at = world.now
    world.host.set_level(Level.LOCKOUT, ENGAGED, 9, world.now)
    assert world.run(5.0, until=lambda: any(r.operation == 9 for r in world.executed))
    assert world.now - asked_at <= RTO_FIRST_S + 0.05
    assert [r.operation for r in world.executed] == [1, 9]
    world.to_host.faults = lambda frame: [(0.001, frame)]
    assert world.run(10.0, until=lambda: len(world.of(LevelSet)) == 5)
    assert max(Counter(r.operation for r in world.executed).values()) == 1, (
        "the interrupted one was known by its id"
    )
    assert [e.operation for e in world.of(LevelSet)] == [9, 4, 1, 2, 3], "releases before lamps, texts and modes"


def test_a_newer_wish_replaces_an_older_one_for_the_same_level(world):
    """Nobody wants the older value any more; its outcome is told as superseded, once."""
    world.to_device.faults = dropping(m.Request, times=1)
    world.host.set_level(Level.LAMPS, "1", 1, world.now)
    for operation in (2, 3, 4):
        world.host.set_level(Level.LOCKOUT, (RELEASED, ENGAGED)[operation % 2], operation, world.now)
    assert world.run(5.0, until=lambda: len(world.of(LevelSet)) == 2)
    superseded = [LevelUnknown(Level.LOCKOUT, (RELEASED, ENGAGED)[n % 2], n, "superseded") for n in (2, 3)]
    assert world.of(LevelUnknown) == superseded
    assert [r.operation for r in world.executed if r.level is Level.LOCKOUT] == [4]


def test_a_superseded_wish_that_is_on_its_way_is_not_repeated(world):
    """Its answer still counts if it comes; if not, the newer wish goes out instead of the repeat."""
    world.to_device.faults = dropping(m.Request, times=1)
    world.host.set_level(Level.LOCKOUT, RELEASED, 1, world.now)
    world.run(0.01)
    world.host.set_level(Level.LOCKOUT, ENGAGED, 2, world.now)
    assert world.run(5.0, until=lambda: world.of(LevelSet))
    assert world.of(LevelUnknown) == [LevelUnknown(Level.LOCKOUT, RELEASED, 1, "superseded")]
    assert [r.operation for r in world.executed] == [2]


def test_the_same_operation_after_a_new_handshake_is_not_executed_again(world):
    """The answer was lost with the link; the device knows the operation and says yes once more."""
    world.to_host.faults = dropping(m.Response)
    world.host.set_level(Level.LOCKOUT, RELEASED, 1, world.now)
    assert world.run(12.0, until=lambda: world.of(Failed))
    world.to_host.faults = lambda frame: [(0.001, frame)]
    world.connect()
    assert world.run(5.0, until=lambda: len(world.of(Online)) == 2)
    world.host.set_level(Level.LOCKOUT, RELEASED, 1, world.now)
    assert world.run(1.0, until=lambda: world.of(LevelSet))
    assert [r.operation for r in world.executed] == [1]


def test_the_safe_side_is_taken_again_by_the_same_operation_when_it_no_longer_holds(world):
    """Something opened the level meanwhile; saying yes from memory would be a lie."""
    world.host.set_level(Level.DISPENSING, INHIBITED, 1, world.now)
    assert world.run(1.0, until=lambda: world.of(LevelSet))
    world.levels = world.levels.__class__(lockout=ENGAGED, dispensing=ALLOWED)
    world.device.set_levels(world.levels)
    world.host.set_level(Level.DISPENSING, INHIBITED, 1, world.now)
    assert world.run(1.0, until=lambda: len(world.of(LevelSet)) == 2)
    assert [r.operation for r in world.executed] == [1, 1]


@pytest.mark.parametrize(("level", "opened"), [(Level.DISPENSING, ALLOWED), (Level.LOCKOUT, RELEASED)])
def test_an_operation_opens_once_and_what_was_taken_back_needs_another(world, level, opened):
    """The watchdog took the level back: whatever brings the old wish again, a person must open anew."""
    world.host.set_level(level, opened, 1, world.now)
    assert world.run(1.0, until=lambda: world.of(LevelSet))
    world.levels = world.levels.__class__(lockout=ENGAGED, dispensing=INHIBITED)
    world.device.set_levels(world.levels)
    world.host.set_level(level, opened, 1, world.now)
    assert world.run(1.0, until=lambda: world.of(LevelRefused))
    assert world.of(LevelRefused)[0].code == m.ERR_REFUSED
    assert [r.operation for r in world.executed] == [1]
    world.host.set_level(level, opened, 2, world.now)
    assert world.run(1.0, until=lambda: len(world.of(LevelSet)) == 2)
    assert [r.operation for r in world.executed] == [1, 2]


def test_a_text_is_shown_again_by_the_same_operation(world):
    """A device takes texts off its display when no host is there, and nothing says whether one still stands on it."""
    for _ in range(2):
        world.host.set_level(Level.DISPLAY, "count the stub", 1, world.now)
        world.run(1.0)
    assert [r.value for r in world.executed] == ["count the stub"] * 2


def test_an_old_request_that_comes_late_is_neither_executed_nor_answered(world):
    """A doubled frame that wandered for ten requests must not move a level back."""
    frames = []
    world.to_device.faults = lambda frame: frames.append(frame) or [(0.001, frame)]
    for operation in range(1, 12):
        world.host.set_level(Level.LOCKOUT, (ENGAGED, RELEASED)[operation % 2], operation, world.now)
        assert world.run(1.0, until=lambda count=operation: len(world.of(LevelSet)) == count)
    old = next(f for f in frames if isinstance(frame_in(f).message, m.Request))
    answers = len(world.to_host.sent)
    world.to_device.inject(old, world.now)
    world.run(0.01)
    assert len(world.executed) == 11
    assert len(world.to_host.sent) == answers


def test_a_changed_level_is_read_because_the_digest_differs(world):
    """A button at the device changes a level; no event is needed for the host's picture to follow."""
    world.levels = world.levels.__class__(lockout=RELEASED, dispensing=INHIBITED)
    world.device.set_levels(world.levels)
    assert world.run(1.5, until=lambda: world.of(LevelsRead))
    assert world.of(LevelsRead)[0].levels == world.levels
    world.run(3.0)
    assert len(world.of(LevelsRead)) == 1


def test_reading_the_levels_on_request(world):
    """`LevelsRead` follows also where nothing changed."""
    world.host.read_levels(world.now)
    assert world.run(1.0, until=lambda: world.of(LevelsRead))
    assert world.of(LevelsRead)[0].levels == world.levels


@pytest.mark.parametrize(
    ("level", "value"),
    [(Level.LOCKOUT, "open"), (Level.LAMPS, "16"), (Level.LAMPS, "1,"), (Level.DISPLAY, "x" * 65),
     (Level.DISPLAY, "ä"), (Level.MODE, "burn"), (Level.DISPENSING, "")],
)  # fmt: skip
def test_an_impossible_value_never_reaches_the_wire(world, level, value):
    """The caller learns it at once; and a device that is asked all the same says no."""
    with pytest.raises(ValueError, match=level.value):
        world.host.set_level(level, value, 1, world.now)


@pytest.mark.parametrize("what", [m.UnknownRequest(0x7F, b"\1"), m.SetLevel(Level.LOCKOUT, "open", 3)])
def test_a_device_refuses_what_it_does_not_understand(world, what):
    """An unknown request or value is answered with ERR, and nothing is done."""
    session = requests_session(world)
    world.to_device.inject(encode_frame(encode(m.Frame(m.Request(what), session, seq=500))), world.now)
    world.run(0.01)
    answer = frame_in(world.to_host.sent[-1][1])
    assert isinstance(answer.message, m.Error)
    assert answer.message.code in (m.ERR_UNKNOWN_REQUEST, m.ERR_BAD_VALUE)
    assert answer.seq == 500
    assert not world.executed


@pytest.mark.parametrize(
    "message",
    [m.TimeSet(1, 1), m.Auth(bytes(32)), m.Measure(bytes(16), ((0, 16),) * 8)],
    ids=lambda v: type(v).__name__,
)
def test_what_has_a_place_but_no_content_yet_is_answered_as_unsupported(world, message):
    """Authentication, measurement and wall time are laid out; a device without them must say so."""
    frame = m.Frame(message, requests_session(world), seq=600)
    world.to_device.inject(encode_frame(encode(frame)), world.now)
    world.run(0.01)
    answer = frame_in(world.to_host.sent[-1][1]).message
    assert isinstance(answer, m.Error)
    assert answer.code == m.ERR_UNSUPPORTED
    assert answer.channel == m.channel_of(message)


def requests_session(world):
    return frame_in(world.to_device.sent[-1][1]).session


def test_answering_what_was_not_asked_is_a_bug_of_the_device(world):
    """A model that answers twice must hear of it."""
    world.host.set_level(Level.LAMPS, "2", 1, world.now)
    assert world.run(1.0, until=lambda: world.of(LevelSet))
    with pytest.raises(ValueError, match="token"):
        world.device.answer(world.executed[0], ok=True)


def test_a_device_that_acknowledges_what_was_never_sent_fails_the_link(world):
    """Its numbers cannot be trusted any more."""
    pong = m.Frame(m.Pong(bytes(8), world.boot, 0, 0, 0), requests_session(world), ack=999)
    world.to_host.inject(encode_frame(encode(pong)), world.now)
    world.run(0.01)
    assert [failed.fault for failed in world.of(Failed)] == ["proto_unexpected"]


def test_an_interrupted_request_has_no_more_transmissions_than_any_other(world):
    """Engages that keep coming must not keep a dead request alive for ever."""
    world.to_host.faults = dropping(m.Response)
    world.host.set_level(Level.LAMPS, "1", 1, world.now)
    for operation in range(2, 40):
        if world.host is None:
            break
        world.host.set_level(Level.LOCKOUT, ENGAGED, operation, world.now)
        world.to_host.faults = lambda frame: [] if is_answer_to_lamps(world, frame) else [(0.001, frame)]
        world.run(0.5)
    lamps = [f for _, f in requests_in(world.to_device) if f.message.what.level is Level.LAMPS]
    assert len(lamps) == TRANSMISSIONS
    assert [failed.fault for failed in world.of(Failed)] == ["timeout_request"]


def is_answer_to_lamps(world, frame):
    lamps = {f.seq for _, f in requests_in(world.to_device) if f.message.what.level is Level.LAMPS}
    heard = frame_in(frame)
    return isinstance(heard.message, m.Response) and heard.seq in lamps


def test_after_bye_an_answer_is_not_sent_to_nobody(world):
    """The level was set, the host has left: the answer has no session to travel in."""
    world.answering = False
    world.host.set_level(Level.LOCKOUT, RELEASED, 1, world.now)
    assert world.run(1.0, until=lambda: world.executed)
    world.host.bye(world.now)
    world.run(0.1)
    sent = len(world.to_host.sent)
    world.device.answer(world.executed[0], ok=True)
    world.run(0.1)
    assert len(world.to_host.sent) == sent


def test_an_interrupted_request_that_is_still_being_done_is_not_begun_again(world):
    """It comes back under a new number while the mechanism moves; both numbers mean the one operation."""
    world.answering = False
    world.host.set_level(Level.LAMPS, "1", 1, world.now)
    world.run(0.01)
    world.host.set_level(Level.LOCKOUT, ENGAGED, 2, world.now)
    assert world.run(1.0, until=lambda: len(world.executed) == 2)
    world.device.answer(world.executed[1], ok=True)
    assert world.run(1.0, until=lambda: len({f.seq for _, f in requests_in(world.to_device)}) == 3)
    world.run(0.01)
    assert [r.operation for r in world.executed] == [1, 2]
    world.device.answer(world.executed[0], ok=True)
    assert world.run(1.0, until=lambda: len(world.of(LevelSet)) == 2)


def test_a_level_that_was_only_said_to_be_set_is_found_by_reading_it_back(world):
    """A device that answers before its contact moved, or whose contact never moves: what is read counts."""
    honest = world.levels
    world.host.set_level(Level.LOCKOUT, RELEASED, 41, world.now)
    assert world.run(1.0, until=lambda: world.of(LevelSet))
    world.levels = honest
    world.device.set_levels(honest)
    assert world.run(2.5, until=lambda: world.of(LevelsRead))
    assert world.of(LevelsRead)[-1].levels.lockout == ENGAGED
