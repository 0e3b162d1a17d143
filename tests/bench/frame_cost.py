"""What one frame costs in processor time at 500 frames a second: from the read to the released report, and in all.

A session of the daemon on a pseudo-terminal, with seals and without, beside the least that a script can do: pyserial reads,
and the bytes are split at their zeros. *In all* has the system calls in it, an acknowledgement of each frame, and the loop.
The device is a process of its own, so its cost is not in the figures. A core that slept between two frames begins each with empty
caches, and by how much that costs is the machine's; so the same frames are measured as fast as they come, too.

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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import serial

from drivers.events import Origin
from drivers.protocol.codec import encode
from drivers.protocol.constants import UNACKED_WINDOW
from drivers.protocol.device import Acknowledged, DeviceLink, HostFound
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
from drivers.session import Delivery, DeviceConfig, DeviceSession, device_transport
from drivers.transport import DataCallback, LostCallback, Transport

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
class FrameCost:
    """Microseconds of processor time for each frame: released, and in all; `busy`: released, without pauses. The least of the
    repetitions each: what a busy machine adds is not the daemon's."""

    plain_us: float
    plain_in_all_us: float
    sealed_us: float
    sealed_in_all_us: float
    pyserial_us: float
    busy_us: float
    sealed_busy_us: float


def frame_costs(reps: int = 3) -> FrameCost:
    """Runs the cases in turn, `reps` times over."""
    found = []
    for _ in range(reps):
        paced = [*_session_us(None, RATE), *_session_us(KEY, RATE), _pyserial_us()]
        found.append([*paced, _session_us(None, NO_PAUSE)[0], _session_us(KEY, NO_PAUSE)[0]])
    return FrameCost(*map(min, zip(*found, strict=True)))


def report(cost: FrameCost) -> str:
    """Lines for people."""
    verdict = "within" if max(cost.plain_us, cost.sealed_us) <= GOAL_US else "OVER"
    return (
        f"one frame at {RATE}/s, read to released report: {cost.plain_us:.0f} us of processor time, sealed "
        f"{cost.sealed_us:.0f} us; goal {GOAL_US:.0f} us: {verdict}\n"
        f"  in all, system calls and acknowledgements with it: {cost.plain_in_all_us:.0f} us, sealed "
        f"{cost.sealed_in_all_us:.0f} us; a bare pyserial reader that splits at zeros: {cost.pyserial_us:.0f} us "
        f"(read to released is {cost.plain_us / cost.pyserial_us:.1f} times that, sealed "
        f"{cost.sealed_us / cost.pyserial_us:.1f} times)\n"
        f"  as fast as they come, so that the core does not sleep between them: {cost.busy_us:.0f} us, sealed "
        f"{cost.sealed_busy_us:.0f} us"
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


def _session_us(key: bytes | None, rate: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder, _device(key, alone=False, rate=rate) as path:
        key_file = None
        if key is not None:
            key_file = Path(folder) / "key"
            key_file.write_bytes(key)
            key_file.chmod(0o400)
        config = DeviceConfig("dut", DeviceKind.PROGRESSIVE, path, accept_test_only=True, key_file=key_file)
        return asyncio.run(_measured(config))


async def _measured(config: DeviceConfig) -> tuple[float, float]:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[float, float]] = loop.create_future()
    began, count, released_ns = 0.0, 0, 0
    durable: list[Origin] = []  # is acknowledged when the clock of what is released has stopped

    def timed(config: DeviceConfig, on_data: DataCallback, on_lost: LostCallback) -> Transport:
        def data(came: bytes) -> None:
            nonlocal released_ns
            start = time.thread_time_ns()
            on_data(came)
            released_ns += time.thread_time_ns() - start
            if durable:
                session.acknowledge(durable[-1].boot, durable[-1].counter)
                durable.clear()

        return device_transport(config, data, on_lost)

    def deliver(delivery: Delivery) -> bool:
        nonlocal began, count, released_ns
        if delivery.origin is None:
            return True
        count += 1
        durable.append(delivery.origin)
        if count == RATE:  # the first second is for getting up
            began, released_ns = time.process_time(), 0
        elif count == RATE + FRAMES and not done.done():
            in_all_us = (time.process_time() - began) / FRAMES * 1e6
            done.set_result((released_ns / FRAMES / 1e3, in_all_us))
        return True

    session = DeviceSession(
        config, deliver=deliver, entropy=os.urandom, rng=random.Random(1), transport_factory=timed
    )
    running = asyncio.create_task(session.run())
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await done
    finally:
        running.cancel()
        await asyncio.wait({running})


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


def _be_device(mode: str, master: int, key: bytes | None, rate: int) -> None:
    """Reports at the rate for ever; a child of the functions above. No more waits in it than a window holds."""
    os.set_blocking(master, False)
    if mode == "alone":
        _stream(master)
    link = DeviceLink(IDENTITY, boot=int.from_bytes(os.urandom(8), "big"), entropy=os.urandom, key=key)
    link.set_levels(Levels(lockout=ENGAGED))
    has_host = False
    reported = acknowledged = 0
    due = time.monotonic()
    while True:
        now = time.monotonic()
        try:
            heard = link.receive(os.read(master, 65536), now)
        except OSError:
            heard = []
        for event in heard:
            has_host |= isinstance(event, HostFound)
            acknowledged = event.counter if isinstance(event, Acknowledged) else acknowledged
        link.tick(now)
        if not has_host:
            due = now
        while now >= due and has_host and reported < acknowledged + UNACKED_WINDOW:
            due += 1 / rate
            reported = link.report(PRESSED, int(now * 1e6))
        if data := link.data_to_send():
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
