"""A device that means harm: it cannot stop the daemon, fill disk or memory, speak for another, or put text that runs anywhere."""

import asyncio
import random
import tracemalloc
from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers import events
from drivers.catalog import Approval, Firmware
from drivers.commands import WantedLevel
from drivers.protocol import messages as m
from drivers.protocol.codec import decode, encode
from drivers.protocol.constants import FLOOD_BURST, FLOOD_PER_S, MAX_EXTRA
from drivers.protocol.framing import FrameError, decode_piece, encode_frame
from drivers.protocol.host.link import Failed, HostLink, LevelRefused, Reported, Trust
from drivers.protocol.messages import Identity
from drivers.protocol.payloads import PayloadError
from drivers.protocol.reports import (
    SIMULATED_VENDOR,
    AlarmRaised,
    Capability,
    DeviceKind,
    DoorOpened,
    Level,
    LineUnparsed,
    ResetCause,
    Severity,
    WagerSensed,
)
from drivers.protocol.texts import MARK, is_plain, plain
from drivers.protocol.words import RELEASED
from drivers.session.edge import Allowance, fit_to_show
from tests.drivers.protocol.test_vectors import MESSAGES, RECORDS

PROGRESSIVE = Identity(
    DeviceKind.PROGRESSIVE, SIMULATED_VENDOR, "tiny progressive", "1", "P-1", "1.0",
    capabilities=(Capability.EVENT_LOG, Capability.LOCKOUT, Capability.SENSES_WAGERS),
)  # fmt: skip
HARMFUL = [
    "\x1b[2J",
    "\x9b2J",
    "\r\nforged line",
    "a\u202eb",
    "\u2066x",
    "\ufeff",
    "\x00",
    "\u2028",
    "\xa0",
    "\ud7ff\U000e0001",
]
TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


@given(TEXT)
def test_a_text_that_is_made_fit_to_show_is_plain_and_no_longer(text):
    """And one that was plain stays as it is."""
    assert is_plain(plain(text))
    assert len(plain(text)) == len(text)
    assert plain(text) == text or MARK in plain(text)


@pytest.mark.parametrize("text", HARMFUL)
def test_what_would_do_something_to_a_terminal_or_a_page_is_marked(text):
    """Escape sequences in both forms, line ends, what turns the direction, what cannot be seen."""
    assert not is_plain(text)
    assert MARK in plain(text)


@pytest.mark.parametrize("field", ["vendor", "model", "hardware", "serial", "firmware"])
@pytest.mark.parametrize("text", HARMFUL)
def test_a_name_with_such_a_text_names_nobody(bench, virtual, field, text):
    """The device is not believed, and nothing of the text is told."""

    async def scene():
        b = bench()
        b.device.identity = replace(PROGRESSIVE, **{field: f"x{text}"})
        b.device.power_up()
        async with b:
            await b.until(lambda: "proto_payload" in [s.reason for s in b.owner.states], 10.0)
            assert b.session.identity is None
            assert b.owner.bodies(events.DeviceOnline) == []
            assert is_plain("".join(status.detail for status in b.owner.states))

    virtual(scene())


def test_the_text_of_a_report_is_fit_to_show_when_it_is_delivered(bench, virtual):
    """The alarm comes all the same; only what would run is gone."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            b.device.report(AlarmRaised(Severity.ALARM, 3, "Card \x1b]0;own\x07Not Read"))
            b.device.report(LineUnparsed("\x9b31m[GAME]\r"))
            await b.until(lambda: len(b.owner.counters) == 2, 1.0)
            alarm, line = (d.body for d in b.owner.deliveries if d.origin)
            assert alarm.text == f"Card {MARK}]0;own{MARK}Not Read"
            assert line.text == f"{MARK}31m[GAME]{MARK}"

    virtual(scene())
    assert fit_to_show(DoorOpened()) == DoorOpened()


def test_the_text_of_a_refusal_is_fit_to_show(bench, virtual):
    """It stands in records, logs and on pages."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            b.device.refuses = True
            real = b.device.link.answer
            b.device.link.answer = lambda request, ok, text="": real(request, ok, text="no\x1b[2J\u202e")
            b.session.want(events_wanted(1))
            await b.until(lambda: b.owner.bodies(events.LevelUnknown), 3.0)
            assert b.owner.bodies(events.LevelUnknown)[0].reason == f"refused (3): no{MARK}[2J{MARK}"

    virtual(scene())


def events_wanted(operation):
    return WantedLevel("prog-1", Level.LOCKOUT, RELEASED, operation)


def test_unknown_values_of_a_welcome_are_bounded():
    """Sixteen are kept, the rest is passed over."""
    who = replace(PROGRESSIVE, extra=tuple((100 + n, bytes([n])) for n in range(40)))
    welcome = m.Welcome(bytes(16), bytes(16), who, 1, ResetCause.POWER, 1, 0)
    found = decode(encode(m.Frame(welcome, 1))).message
    assert len(found.identity.extra) == MAX_EXTRA


def test_an_allowance_is_used_up_and_earned_again():
    """Bursts of a log are let through, a stream without end is not."""
    allowance = Allowance(100, 2.0)
    assert sum(allowance.allows(0.0) for _ in range(500)) == 100
    assert sum(allowance.allows(10.0) for _ in range(500)) == 20
    assert sum(allowance.allows(1e6) for _ in range(500)) == 100


def test_a_flood_of_true_looking_reports_is_cut(bench, virtual, tmp_path):
    """In real play: a day of a device that reports as fast as it can costs the record a bounded number of entries."""
    key_file = tmp_path / "key"
    key_file.write_bytes(bytes(range(32)))
    key_file.chmod(0o400)
    row = Firmware("Maker", "Prog 3", DeviceKind.PROGRESSIVE, sha256(b"x").digest(), Approval.APPROVED)

    async def scene():
        b = bench(key_file=key_file, accept_test_only=False, approved=(row,))
        b.device.identity = replace(PROGRESSIVE, vendor="Maker", model="Prog 3", firmware_hash=row.sha256)
        b.device.key = bytes(range(32))
        b.device.power_up()
        b.session._flood = Allowance(FLOOD_BURST // 40, FLOOD_PER_S)  # the same in small
        b.owner.on_delivery = lambda d: d.origin and b.session.acknowledge(d.origin.boot, d.origin.counter)
        async with b:
            await b.until_online()
            for _ in range(120):
                for _ in range(40):
                    b.device.report(WagerSensed(1, 1, locked=False))
                await asyncio.sleep(1.0)
            assert "proto_flood" in [s.reason for s in b.owner.states]
            assert len(b.owner.counters) <= FLOOD_BURST // 40 + 120 * FLOOD_PER_S + 300
            assert len(b.owner.deliveries) - len(b.owner.counters) < 200

    virtual(scene())


LIES = st.lists(
    st.tuples(
        st.sampled_from(["message", "record", "bytes", "time"]), MESSAGES, RECORDS, st.binary(max_size=200),
        st.integers(0, 3),
    ),
    max_size=25,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(LIES, st.booleans())
def test_whatever_a_device_says_the_link_end_stays_whole(lies, has_key):
    """Any message of any type in its session, true or not, in any order: no exception, at most one end, plain texts only."""
    rng = random.Random(1)
    trust = Trust(bytes(range(32))) if has_key else None
    host = HostLink(entropy=rng.randbytes, last=None, stale_after_s=5.0, byte_time_s=1e-4, trust=trust)
    now, told = 1000.0, []
    host.connect(now)
    hello = encode_and_read(host)
    session = hello.session
    welcome = m.Welcome(hello.message.nonce, bytes(16), PROGRESSIVE, 7, ResetCause.POWER, 1, 0)
    told += host.receive(encode_frame(encode(m.Frame(welcome, session))), now)
    for kind, message, record, junk, ack in lies:
        now += 0.05
        try:
            body = encode(m.Frame(m.Event(7, record) if kind == "record" else message, session, ack=ack))
        except PayloadError:
            continue
        if kind == "time":
            now += 1.0
            told += host.tick(now)
        elif kind == "bytes":
            told += host.receive(junk, now)
        else:
            told += host.receive(encode_frame(body), now)
        host.data_to_send()
    ends = [event for event in told if isinstance(event, Failed)]
    assert len(ends) <= 1
    assert not ends or told[-1] is ends[0]
    counters = [event.counter for event in told if isinstance(event, Reported)]
    assert counters == sorted(set(counters))
    assert all(is_plain(event.text) for event in told if isinstance(event, LevelRefused))


def encode_and_read(host):
    return decode(decode_piece(host.data_to_send().strip(b"\0")))


def test_memory_stays_flat_under_minutes_of_lies(bench, virtual):
    """Reports far ahead, answers to nothing, log pieces nobody asked for, echoes of no PING: each is dropped, none is kept."""

    async def scene():
        rng, used = random.Random(2), []
        async with bench() as b:
            await b.until_online()
            for minute in range(6):
                session, boot = b.session._pump.link._session, b.device.boots
                for _ in range(60):
                    record = m.Record(rng.randrange(1, 2**40), 1, DoorOpened())
                    lie = rng.choice(
                        (m.Event(boot, record), m.LogData(boot, (record,)), m.LogGone(boot, 1, 2**60),
                         m.Pong(rng.randbytes(8), boot, 1, 1, 1), m.Response(), m.Error(3, False, "x" * 100))
                    )  # fmt: skip
                    b.far.write(encode_frame(encode(m.Frame(lie, session, rng.randrange(65536)))))
                    await asyncio.sleep(1.0)
                if minute in (2, 5):
                    used.append(tracemalloc.get_traced_memory()[0])
            assert used[1] - used[0] < 200_000

    tracemalloc.start()
    try:
        virtual(scene())
    finally:
        tracemalloc.stop()


def test_a_device_that_gives_anothers_serial_number_is_not_believed(bench, virtual):
    """Reports are known by serial number, boot and counter: nobody else's may be used up by it."""

    async def scene():
        b = bench(serial="P-9")
        b.device.link.report(DoorOpened(), 0)
        async with b:
            await asyncio.sleep(20)
            assert b.owner.counters == []
            assert [r.reason for r in b.owner.bodies(events.DeviceRejected)] == ["auth_wrong_device"]

    virtual(scene())


def test_a_frame_error_never_shows_bytes_as_they_are():
    """Its words go into logs."""
    with pytest.raises(FrameError) as refused:
        decode_piece(b"\x05\x1b[2J")
    assert is_plain(str(refused.value))
