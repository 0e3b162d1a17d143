"""What one frame costs in processor time at 500 frames a second: from the read to the released report, and in all.

A session of the daemon on a pseudo-terminal, with seals and without, beside the least that a script can do: pyserial reads,
and the bytes are split at their zeros.

*Read to released* is the time of the loop's own thread in the callback that takes what was read, until it returns: link end,
session and hand-over to the owner of every frame in it, echoes of PINGs among them, and half a microsecond for looking at the
clock. The read itself, the wait for it, the acknowledgement and all else that the process does is in *in all* only. No other
thread and no other task is at work, and the garbage collector runs once in some thousand frames. The device is a process of its
own.

At this pace a read has one frame, and a core that slept before it, or did something else, begins with empty caches. So the same
code is measured over a loopback too, one frame a read and the next one at once: by what the pace is above that, the machine and
its other users make the code dearer. (On two cores with others at work, a sleep of 2 ms before each frame made 83 us of 36 us,
over the same loopback.) As fast as they come on the terminal, several frames share what each read costs: another figure again.

    python -m tests.bench.frame_cost
"""

import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

import serial

from drivers.device import Delivery, DeviceConfig
from drivers.events import Origin
from drivers.protocol.codec import encode
from drivers.protocol.constants import UNACKED_WINDOW
from drivers.protocol.device.link import Acknowledged, DeviceLink, HostFound
from drivers.protocol.framing import encode_frame
from drivers.protocol.messages import Event, Frame, Identity, Record
from drivers.protocol.reports import (
    ENGAGED,
    SIMULATED_VENDOR,
    Button,
    ButtonPressed,
    Capability,
    DeviceKind,
    Levels,
)
from drivers.session.assembly import TransportFactory, device_transport
from drivers.session.session import DeviceSession
from drivers.transport import DataCallback, LoopbackCable, LostCallback, Transport

RATE = 500
"""Frames a second: over twice what a line of 115,200 baud can carry."""
NO_PAUSE = 50_000
"""Frames a second at which no host ever waits for one."""
FRAMES = 2500
GOAL_US = 60.0
PATIENCE_S = 60.0
KEY = bytes(range(32))
PRESSED = ButtonPressed(Button.GREEN)
IDENTITY = Identity(
    DeviceKind.PROGRESSIVE, SIMULATED_VENDOR, "bench", "1", "BENCH-1", "1",
    capabilities=(Capability.EVENT_LOG, Capability.LOCKOUT, Capability.SENSES_WAGERS),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cost:
    """Microseconds of processor time for each frame, released and in all, and how many frames came in a read."""

    released_us: float
    in_all_us: float
    a_read: float


@dataclass(frozen=True, slots=True)
class FrameCost:
    """At the pace, plain and sealed; without pauses, one frame a read, over a loopback; as fast as they come; pyserial's."""

    plain: Cost
    sealed: Cost
    one: Cost
    sealed_one: Cost
    busy: Cost
    sealed_busy: Cost
    pyserial_us: float


def frame_costs(reps: int = 3) -> FrameCost:
    """Runs the cases in turn, `reps` times over, and takes the least of each: what a busy machine adds is not the daemon's."""
    found, bare = [], []
    for _ in range(reps):
        cases = [_session(None, RATE), _session(KEY, RATE), _one_a_read(None), _one_a_read(KEY)]
        found.append([*cases, _session(None, NO_PAUSE), _session(KEY, NO_PAUSE)])
        bare.append(_pyserial_us())
    return FrameCost(*map(_least, zip(*found, strict=True)), min(bare))


def _least(costs: Sequence[Cost]) -> Cost:
    least = min(costs, key=lambda cost: cost.released_us)
    return replace(least, in_all_us=min(cost.in_all_us for cost in costs))


def report(cost: FrameCost) -> str:
    """Lines for people."""
    plain, sealed, bare = cost.plain, cost.sealed, cost.pyserial_us
    verdict = "within" if max(plain.released_us, sealed.released_us) <= GOAL_US else "OVER"
    return (
        f"one frame at {RATE}/s, read to released report: {plain.released_us:.0f} us of processor time, sealed "
        f"{sealed.released_us:.0f} us; goal {GOAL_US:.0f} us: {verdict}\n"
        f"  in all, system calls and acknowledgements with it: {plain.in_all_us:.0f} us, sealed "
        f"{sealed.in_all_us:.0f} us; a bare pyserial reader that splits at zeros: {bare:.0f} us "
        f"(read to released is {plain.released_us / bare:.1f} times that, sealed {sealed.released_us / bare:.1f} times)\n"
        f"  the same code where the core does not sleep between two frames, one a read: {cost.one.released_us:.0f} us, sealed "
        f"{cost.sealed_one.released_us:.0f} us; so the machine makes it {plain.released_us / cost.one.released_us:.1f} times "
        f"as dear at this pace\n"
        f"  as fast as they come, {cost.busy.a_read:.0f} in a read: {cost.busy.released_us:.0f} us, sealed "
        f"{cost.sealed_busy.released_us:.0f} us"
    )


@contextmanager
def _device(key: bytes | None, *, alone: bool, rate: int = RATE) -> Iterator[str]:
    """The path of a terminal at whose other end a device reports. `alone`: without waiting for a host. `rate`: a second."""
    master, slave = os.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    words = ["alone" if alone else "hosted", str(master), "" if key is None else key.hex(), str(rate)]
    child = subprocess.Popen([sys.executable, "-m", "tests.bench.frame_cost", *words], pass_fds=(master,))
    os.close(master)
    try:
        yield path
    finally:
        child.terminate()
        child.wait()
        os.close(slave)


def _session(key: bytes | None, rate: int) -> Cost:
    with _device(key, alone=False, rate=rate) as path, _configured(key, path) as config:
        return asyncio.run(_on_a_terminal(config))


async def _on_a_terminal(config: DeviceConfig) -> Cost:
    return await _Meter().measure(config, device_transport)


@contextmanager
def _configured(key: bytes | None, path: str) -> Iterator[DeviceConfig]:
    """The host's entry of the device, with the key in a file of its own."""
    with tempfile.TemporaryDirectory() as folder:
        key_file = None
        if key is not None:
            key_file = Path(folder) / "key"
            key_file.write_bytes(key)
            key_file.chmod(0o400)
        yield DeviceConfig("dut", DeviceKind.PROGRESSIVE, path, accept_test_only=True, key_file=key_file)


class _Meter:
    """Times what a session does with what was read, once `RATE` frames have come: these are for getting up. Made in its loop."""

    def __init__(self) -> None:
        self.done: asyncio.Future[Cost] = asyncio.Future()
        self._began = 0.0
        self._count = self._reads = self._released_ns = 0
        self._durable: list[Origin] = []  # is acknowledged when the clock of what is released has stopped

    async def measure(self, config: DeviceConfig, make: TransportFactory) -> Cost:
        """Runs the session on what `make` opens until enough has come."""

        def timed(config: DeviceConfig, on_data: DataCallback, on_lost: LostCallback) -> Transport:
            def data(came: bytes) -> None:
                start = time.thread_time_ns()
                on_data(came)
                self._released_ns += time.thread_time_ns() - start
                self._reads += 1
                if self._durable:
                    session.acknowledge(self._durable[-1].boot, self._durable[-1].counter)
                    self._durable.clear()

            return make(config, data, on_lost)

        session = DeviceSession(
            config, deliver=self._deliver, entropy=os.urandom, rng=random.Random(1), transport_factory=timed
        )
        running = asyncio.create_task(session.run())
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self.done
        finally:
            running.cancel()
            await asyncio.wait({running})

    def _deliver(self, delivery: Delivery) -> bool:
        if delivery.origin is None:
            return True
        self._count += 1
        self._durable.append(delivery.origin)
        if self._count == RATE:
            self._began, self._released_ns, self._reads = time.process_time(), 0, 0
        elif self._count == RATE + FRAMES and not self.done.done():
            in_all_us = (time.process_time() - self._began) / FRAMES * 1e6
            self.done.set_result(Cost(self._released_ns / FRAMES / 1e3, in_all_us, FRAMES / max(1, self._reads)))
        return True


def _one_a_read(key: bytes | None) -> Cost:
    """Over a loopback: no system call wakes anybody, and each frame comes when the one before is acknowledged."""
    with _configured(key, "loopback") as config:
        return asyncio.run(_over_loopback(config, key))


async def _over_loopback(config: DeviceConfig, key: bytes | None) -> Cost:
    cable, meter, reporter = LoopbackCable(), _Meter(), _Reporter(key)
    far = cable.device(lambda data: reporter.hear(data, time.monotonic()), lambda *_: None)
    await far.open()

    async def device() -> None:
        while not meter.done.done():
            if data := reporter.say(time.monotonic(), window=1):
                far.write(data)
            await asyncio.sleep(0)

    reporting = asyncio.create_task(device())
    try:
        return await meter.measure(config, lambda _, on_data, on_lost: cable.host(on_data, on_lost))
    finally:
        reporting.cancel()
        await asyncio.wait({reporting})
        await far.close()


def _pyserial_us() -> float:
    with _device(None, alone=True) as path, serial.Serial(path, 115_200, timeout=1.0) as port:
        held, count, began = b"", 0, 0.0
        while count < RATE + FRAMES:
            *pieces, held = (held + port.read(max(1, port.in_waiting))).split(b"\0")
            for piece in pieces:
                count += bool(piece)
                if count == RATE and piece:
                    began = time.process_time()
        return (time.process_time() - began) / FRAMES * 1e6


class _Reporter:
    """A device that reports for ever, at a rate or whenever it may. No more waits in it than a window holds."""

    def __init__(self, key: bytes | None, rate: float = inf) -> None:
        self._link = DeviceLink(IDENTITY, boot=int.from_bytes(os.urandom(8), "big"), entropy=os.urandom, key=key)
        self._link.set_levels(Levels(lockout=ENGAGED))
        self._apart, self._due = 1 / rate, -inf
        self._has_host = False
        self._reported = self._acknowledged = 0

    def hear(self, data: bytes, now: float) -> None:
        for event in self._link.receive(data, now):
            if isinstance(event, HostFound):
                self._has_host, self._due = True, now
            elif isinstance(event, Acknowledged):
                self._acknowledged = event.counter

    def say(self, now: float, window: int) -> bytes:
        """What is to be sent now, with at most `window` reports that nobody has acknowledged."""
        self._link.tick(now)
        while self._has_host and now >= self._due and self._reported < self._acknowledged + window:
            self._due += self._apart
            self._reported = self._link.report(PRESSED, int(now * 1e6))
        return self._link.data_to_send()


def _be_device(mode: str, master: int, key: bytes | None, rate: int) -> None:
    """Reports at the rate for ever; a child of the functions above."""
    os.set_blocking(master, False)
    if mode == "alone":
        _stream(master)
    reporter = _Reporter(key, rate)
    while True:
        now = time.monotonic()
        with suppress(OSError):
            reporter.hear(os.read(master, 65536), now)
        if data := reporter.say(now, UNACKED_WINDOW):
            _write(master, data)
        time.sleep(0.0005)


def _stream(master: int) -> None:
    counter, due = 0, time.monotonic()
    while True:
        counter += 1
        record = Record(counter, counter, PRESSED)
        _write(master, encode_frame(encode(Frame(Event(1, record), 1, counter & 0xFFFF))))
        due += 1 / RATE
        time.sleep(max(0.0, due - time.monotonic()))


def _write(master: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(master, data) :]
        except BlockingIOError:
            time.sleep(0.0005)
        except OSError:
            return


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _be_device(sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3]) or None, int(sys.argv[4]))
    print(report(frame_costs()))
