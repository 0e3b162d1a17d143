"""The hardest bugs of a device link, each as a test by its name. All but two run on virtual time."""

import asyncio
import json
import os
import random
import re
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from controller.daemon.link_log import LinkLog
from controller.limits.limited_log import BURST, PERIOD_S
from drivers import events
from drivers.commands import WantedLevel
from drivers.device import SessionState
from drivers.protocol import messages as m
from drivers.protocol.codec import decode, encode
from drivers.protocol.constants import STALE_AFTER_LOCKOUT_S, STALE_AFTER_S
from drivers.protocol.framing import Deframer, decode_piece, encode_frame
from drivers.protocol.messages import Identity
from drivers.protocol.reports import (
    SIMULATED_VENDOR,
    Back,
    Capability,
    CardDrawn,
    DeviceKind,
    DoorOpened,
    Recognition,
)
from drivers.protocol.words import Level
from tests.drivers.session.test_session_ports import TtyDevice, running, session_on, until

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "tdp1.json").read_text())
CARDS = 416
SHOE = Identity(
    DeviceKind.SHOE, SIMULATED_VENDOR, "eight decks", "1", "S-1", "1.0",
    capabilities=(Capability.EVENT_LOG, Capability.DISPENSES_STACKS),
)  # fmt: skip


def frames_in(data):
    """The single frames in some bytes, as messages with their wire images."""
    for piece in data.split(b"\0"):
        if piece:
            yield decode(decode_piece(piece)), b"\0" + piece + b"\0"


# --- a card ---------------------------------------------------------------------------------------------------------


def drawn(number):
    """Card `number` of the shoe, 1 to 416."""
    return CardDrawn(
        Back.RED, Recognition.NOT_READ, burned=False, repeat_suspected=False, cards_left=CARDS - number
    )


async def deal_with_an_unplug(bench, card, offset, reboot, disk_s):
    """Deals the shoe; the cable comes out after `offset` bytes of the frame of `card`. Returns (what the owner has, size).

    The cards long before it are on record already, and those long after it change nothing: 4 on each side are dealt over
    the wire. `reboot`: None, "kept" or "lost", the fate of the device's log. `disk_s`: until a report is durable.
    """
    before = max(0, card - 4)
    b = bench(kind=DeviceKind.SHOE, name="shoe-1")
    b.device.identity, b.device.boots = SHOE, 0
    b.device.power_up()
    for number in range(1, before + 1):
        b.device.link.report(drawn(number), number)
    b.device.link.data_to_send()
    record, size = list(range(1, before + 1)), [0]
    b.session = b.new_session(("0000000000000001", before) if before else None)

    def keep(delivery):
        """The record: a report by its card, a loss by its words; durable later, as a disk has it."""
        if isinstance(delivery.body, CardDrawn):
            record.append(CARDS - delivery.body.cards_left)
            asyncio.get_running_loop().call_later(
                disk_s, b.session.acknowledge, delivery.origin.boot, delivery.origin.counter
            )
        elif isinstance(delivery.body, events.EventsLost):
            record.append(delivery.body)

    b.owner.on_delivery = keep
    real = b.device.write

    def cut(data):
        for frame, wire in frames_in(data):
            is_it = isinstance(frame.message, m.Event) and frame.message.record.counter == card and not size[0]
            if not is_it:
                real(wire)
                continue
            size[0] = len(wire)
            real(wire[:offset])
            asyncio.get_running_loop().call_later(0.001, b.cable.unplug)
            return

    async with b:
        await b.until_online()
        b.device.write = cut
        last = min(CARDS, card + 4)
        for number in range(before + 1, last + 1):
            b.device.report(drawn(number))
            await asyncio.sleep(0.01)
            if not b.cable.plugged:
                await back(b, real, reboot)
        is_told = lambda: last in record or any(not isinstance(entry, int) for entry in record)  # noqa: E731
        await b.until(is_told, 60.0, "the last card")
        await asyncio.sleep(6)  # repeats that are still to come would come now
    return record, size[0]


async def back(b, real, reboot):
    """The cable goes in again, after the device has lost its power or not."""
    await asyncio.sleep(0.3)
    b.device.write = real
    if reboot is not None:
        b.device.power_up(b.device.log if reboot == "kept" else None)
    await b.far.close(0)
    await b.plug()


def verify_dealt(record, card, reboot):
    """Every card once and in order, or inside a stated loss, and nothing that the wire alone could have cost is lost."""
    seen = [entry for entry in record if isinstance(entry, int)]
    losses = [entry for entry in record if not isinstance(entry, int)]
    assert seen == sorted(set(seen)), "never doubled, never out of order"
    missing = set(range(1, seen[-1] + 1)) - set(seen)
    if reboot != "lost":
        assert not losses
        assert not missing
        return
    assert len(losses) <= 1
    for loss in losses:
        assert loss.boot == "0000000000000001"
        assert loss.last == 0, "how many it was nobody can know"
    assert not missing or losses, "never a silent gap"
    assert missing <= {card, card + 1}, "only what the device had not told when it lost its log"


def unplugged_at_each(bench, virtual, card, disk_s, reboot, step):
    """Unplugs after the first byte of a frame, each so many bytes on, and before the last one."""
    offset, size = 0, 1
    while offset <= size:

        async def scene(offset=offset):
            return await deal_with_an_unplug(bench, card, offset, reboot, disk_s)

        found = []
        virtual(keeping(scene, found))
        record, size = found[0]
        verify_dealt(record, card, reboot)
        offset += step if offset + step < size - 1 else 1
    assert size > 40


@pytest.mark.parametrize("reboot", [None, "kept", "lost"])
@pytest.mark.parametrize(
    ("card", "disk_s"),
    [(1, 0.004), (208, 0.004), (208, 0.9), (CARDS, 0.004)],
    ids=["first", "middle", "middle-slow-disk", "last"],
)
def test_card_lost_or_doubled_over_a_reconnect(bench, virtual, card, disk_s, reboot):
    """A shoe of eight decks, unplugged in a frame, with and without a reboot of the device.

    On a slow disk the cards before it were handed over and are not durable when the device is back, so it sends them again.
    """
    unplugged_at_each(bench, virtual, card, disk_s, reboot, 6)


async def keeping(scene, found):
    found.append(await scene())


@pytest.mark.full
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("reboot", [None, "kept", "lost"])
def test_card_lost_or_doubled_at_every_byte_of_the_shoe(bench, virtual, reboot):
    """The same for every byte of all 416 frames. For `make soak`."""
    for card in range(1, CARDS + 1):
        unplugged_at_each(bench, virtual, card, 0.004, reboot, 1)


# --- time -----------------------------------------------------------------------------------------------------------


def test_storm_of_links_that_fail_at_once(bench, virtual):
    """Each link comes up and fails on the device's first echo, whose check is right and whose contents are impossible."""

    async def scene():
        lines = []
        async with bench() as b:
            await b.until_online()
            log = LinkLog("prog-1", lambda *_, **fields: lines.append(fields), asyncio.get_running_loop().time)
            b.session._health._on_state = log
            real = b.device.write

            def impossible(data):
                if b.session.counters["opened"] > opened + 200:
                    b.task.cancel()  # it storms, and without a wait no time would ever pass
                for frame, wire in frames_in(data):
                    if isinstance(frame.message, m.Pong):
                        body = bytearray(decode_piece(wire.strip(b"\0"))[:-1])
                        body[12] -= 1  # one byte of payload less, and the header says so
                        wire = encode_frame(bytes(body))  # noqa: PLW2901
                    real(wire)

            opened, sent = b.session.counters["opened"], b.session.counters["frames_out"]
            b.device.write = impossible
            await asyncio.sleep(60)
            assert b.session.counters["opened"] - opened >= 8, "it is tried again and again"
            assert b.session.counters["frames_out"] - sent < 2 * 60
            assert len(lines) <= BURST + 60 / PERIOD_S
            b.device.write = real
            await b.until_online(times=2)

    virtual(scene())


def test_watchdog_behind_the_queue_and_one_that_gives_up(bench, virtual):
    """500 slow requests in the queue: a healthy device is never stale. Twelve hours unplugged: online within ten seconds."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            b.device.silent = True
            for number in range(500):
                b.session.want(WantedLevel("prog-1", Level.DISPLAY, f"line {number}", number))
                b.session._pump.call(lambda link, now: link.read_levels(now))
                if number % 50 == 0:
                    await asyncio.sleep(0.2)
            await asyncio.sleep(4)
            assert not [s for s in b.owner.states if s.state in (SessionState.STALE, SessionState.SUSPECT)]
            b.device.silent = False
            await b.unplug()
            await asyncio.sleep(12 * 3600)
            await b.plug()
            assert await b.until_online(times=2) < 10

    virtual(scene())


@pytest.mark.parametrize(("kind", "limit_s"), [("shoe", STALE_AFTER_S), ("progressive", STALE_AFTER_LOCKOUT_S)])
def test_time_lies(bench, virtual, monkeypatch, kind, limit_s):
    """Wall clock an hour off, a loop that stands for 6 s, a device clock that runs 5 % fast and leaps: no false alarm.

    True silence afterwards is found within a second of its limit. That this machine slept is in `test_flight`.
    """
    wall = [1.7e9]
    monkeypatch.setattr("time.time", lambda: wall[0])

    async def scene():
        b = bench(kind=DeviceKind(kind), name="d-1")
        if kind == "shoe":
            b.device.identity = SHOE
            b.device.power_up()
        tick = [1.0, 0.0]
        loop = asyncio.get_running_loop()
        real = b.device.write

        def lying(data):
            for frame, wire in frames_in(data):
                if isinstance(frame.message, m.Pong):
                    pong = replace(frame.message, tick_us=int((loop.time() * tick[0] + tick[1]) * 1e6))
                    wire = encode_frame(encode(replace(frame, message=pong)))  # noqa: PLW2901
                real(wire)

        b.device.write = lying
        b.owner.on_delivery = lambda d: d.origin and b.session.acknowledge(d.origin.boot, d.origin.counter)
        async with b:
            await b.until_online()
            for step in range(60):
                wall[0] += random.Random(step).choice((-3600, 3600, 1))
                tick[:] = [1.05, 0.0] if step < 30 else [1.05, 1000.0 * (step - 29)]
                if step % 20 == 10:
                    loop.virtual_s += 6.0  # the loop stood still
                b.device.report(DoorOpened())
                await asyncio.sleep(1.0)
            assert b.owner.ups_and_downs == ["device_online"]
            assert [n for _, n in b.owner.counters] == list(range(1, 61))
            assert b.session.counters["host_loop_lag"] >= 3
            assert b.session.counters["clock_jumps"] >= 1
            b.device.mute = True
            start = loop.time()
            await b.until(lambda: "device_offline" in b.owner.ups_and_downs, 10.0)
            assert limit_s - 1.1 <= loop.time() - start <= limit_s + 1.0

    virtual(scene())


# --- bytes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("harm", ["length", "no delimiter", "half a frame"])
def test_damaged_length_or_lost_delimiter(harm):
    """No byte that is believed can make the parser wait: the next good frame comes through at once, or after the gap limit."""
    good = bytes.fromhex(VECTORS["good"][-3]["wire"])
    body = decode_piece(good.strip(b"\0"))
    wrong = bytearray(body)
    wrong[12] ^= 0x7F
    damaged = {
        "length": encode_frame(bytes(wrong)),
        "no delimiter": good[:-1],
        "half a frame": good[: len(good) // 2],
    }[harm]
    parser = Deframer(10 / 115_200)
    bodies = parser.feed(damaged, 0.0)
    if harm == "no delimiter":
        bodies += parser.feed(good[1:], 0.01)  # runs into the frame before it: both are lost, the next is not
        bodies += parser.feed(good, 0.02)
    else:
        bodies += parser.feed(good[1:] if harm == "half a frame" else good, 0.06)
    assert bodies[-1] == body
    assert sum(parser.frames_dropped.values()) + len(bodies) >= 1
    assert parser.next_deadline() is None


def test_single_bit_delimiter_hit():
    """Every bit of every wire image, delimiters included, between two good neighbours: nothing false comes through."""
    neighbour = bytes.fromhex(VECTORS["good"][-3]["wire"])
    tried = accepted = 0
    for vector in VECTORS["good"]:
        wire = bytes.fromhex(vector["wire"])
        genuine = {decode_piece(wire.strip(b"\0")), decode_piece(neighbour.strip(b"\0"))}
        for bit in range(len(wire) * 8):
            damaged = bytearray(wire)
            damaged[bit // 8] ^= 1 << bit % 8
            tried += 1
            shared = neighbour[:-1] + damaged + neighbour[1:]  # one delimiter between two frames
            for stream in (neighbour + damaged + neighbour, shared, bytes(damaged)):
                accepted += sum(body not in genuine for body in Deframer().feed(stream, 0.0))
    assert tried > 37_000
    assert accepted == 0


async def test_ghost_bytes(tmp_path, recorder, tiny_device):
    """Whole reports of the last session wait in the kernel when the port is opened: each counts once, from this session."""
    far = TtyDevice(tmp_path / "port", tiny_device)
    far.plug()
    session = session_on(far.path, recorder)
    ghosts = bytearray()
    async with running(session):
        await until(lambda: recorder.bodies(events.DeviceOnline), "online")
        far.device.write = lambda data: (ghosts.extend(data), far._write(data))
        for _ in range(3):
            far.device.report(DoorOpened())
        await until(lambda: len(recorder.counters) == 3, "three reports")
        session.acknowledge(*recorder.counters[-1])
        await until(lambda: far.device.acknowledged, "acknowledged")
    far.device.write = far._write
    far.device.power_up()  # the new boot has reported nothing: all that it could seem to say is from the grave
    assert len(recorder.counters) == 3
    assert len(ghosts) > 100
    recorder.deliveries.clear()
    os.write(far.fd, bytes(ghosts))
    session = session_on(far.path, recorder)
    async with running(session):
        await until(lambda: recorder.bodies(events.DeviceOnline), "online in spite of the ghosts")
        assert session.counters["stale_session"] >= 3, "the ghosts did come"
        assert recorder.counters == []
        far.device.report(DoorOpened())
        await until(lambda: recorder.counters, "the one true report")
        assert [n for _, n in recorder.counters] == [1]
        assert recorder.counters[0][0] == recorder.bodies(events.DeviceOnline)[0].boot
    far.unplug()


async def test_pool_exhaustion(tmp_path, recorder, tiny_device, monkeypatch):
    """Eight ports whose open never returns: the ninth device is online within a second or so all the same."""
    release, real_open = threading.Event(), os.open

    def opening(path, flags, *mode, **more):
        if re.search(r"dead\d$", str(path)):
            release.wait(30)
            raise OSError(5, "Input/output error")
        return real_open(path, flags, *mode, **more)

    for number in range(8):
        (tmp_path / f"dead{number}").touch()
    far = TtyDevice(tmp_path / "port", tiny_device)
    far.plug()
    monkeypatch.setattr(os, "open", opening)
    dead = [session_on(tmp_path / f"dead{number}", recorder) for number in range(8)]
    tasks = [asyncio.ensure_future(session.run()) for session in dead]
    try:
        await asyncio.sleep(0.1)
        recorder.deliveries.clear()
        async with running(session_on(far.path, recorder)):
            await until(lambda: recorder.bodies(events.DeviceOnline), "the ninth is online", within_s=10.0)
            assert all(session.state is SessionState.OPENING for session in dead)
    finally:
        release.set()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        far.unplug()
