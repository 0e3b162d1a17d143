"""Ten devices at one host: commands while every line is full of reports, and what ten idle devices cost.

The devices live in one process of their own, each on a pseudo-terminal. Both directions are paced as a line of 115,200 baud
is, 10 bits a byte; a device that was late catches up by at most `CATCH_UP_S`. The host side is ten sessions in one loop.

    python -m tests.bench.ten_devices [--seconds 20]
"""

import argparse
import asyncio
import contextlib
import json
import math
import os
import random
import sys
import time
import tty
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from drivers.commands import WantedLevel
from drivers.device import Delivery, DeviceConfig, SessionState
from drivers.events import LevelConfirmed, LevelUnknown
from drivers.protocol.device.link import DeviceLink, HostFound, LevelRequested
from drivers.protocol.messages import Identity
from drivers.protocol.reports import (
    SIMULATED_VENDOR,
    Button,
    ButtonPressed,
    Capability,
    DeviceKind,
    Levels,
)
from drivers.protocol.words import ENGAGED, RELEASED, Level
from drivers.session.session import DeviceSession

DEVICES = 10
LINE_BYTES_PER_S = 115_200 / 10
CATCH_UP_S = 0.1
AHEAD_BYTES = 64
"""A device makes its next report when less than this is waiting, so that an answer stands behind two frames at most."""
WARM_S, TURN_S = 1.0, 0.001
"""The first second is for getting up; time between two looks at the lines."""
COMMAND_EVERY_S = 0.5
"""Between two wishes to one device."""
DEADLINE_S = 2.0
"""For an actuator, from the wish to its confirmation."""
SETTLE_S = 6.0
"""The first echoes of a new link come quickly; the rest is what goes on for days."""
PATIENCE_S = 60.0
IDLE_GOAL_PERCENT = 2.0


@dataclass(frozen=True, slots=True)
class TenDevices:
    """`line_use_*`: the part of a line that carried bytes, 1.0 = full. `*_percent`: processor time of the host, of one core."""

    line_use_least: float
    line_use_mean: float
    reports_per_s: float
    asked: int
    confirmed: int
    p99_ms: float
    worst_ms: float
    busy_percent: float
    idle_percent: float


async def ten_devices(seconds: float = 20.0) -> TenDevices:
    """Both cases, one after the other. Raises `TimeoutError` where a device does not come online."""
    async with _host("busy", seconds) as host:
        commanding = asyncio.create_task(host.command())
        began, cpu = time.monotonic(), time.process_time()
        lines = await host.lines()
        busy = (time.process_time() - cpu) / (time.monotonic() - began)
        reports = host.reports / (time.monotonic() - began)
        commanding.cancel()
        await asyncio.wait({commanding})
        await asyncio.sleep(DEADLINE_S)  # what was asked last has its time too
    async with _host("idle", 0.0) as idle:
        await asyncio.sleep(SETTLE_S)
        cpu, began = time.process_time(), time.monotonic()
        await asyncio.sleep(seconds)
        share = (time.process_time() - cpu) / (time.monotonic() - began)
        idle.check_online()
    times = sorted(host.times_s)
    p99 = times[math.ceil(0.99 * len(times)) - 1] if times else math.inf
    return TenDevices(
        min(lines), sum(lines) / len(lines), reports, host.asked, len(times), p99 * 1e3,
        times[-1] * 1e3 if times else math.inf, busy * 100, share * 100,
    )  # fmt: skip


def report(it: TenDevices) -> str:
    """Lines for people."""
    is_met = it.asked == it.confirmed and it.worst_ms <= DEADLINE_S * 1e3
    verdict = "all within" if is_met else "NOT ALL WITHIN"
    idle = "within" if it.idle_percent < IDLE_GOAL_PERCENT else "OVER"
    return (
        f"{DEVICES} devices report on full lines of 115,200 baud: use {it.line_use_mean:.1%}, the least {it.line_use_least:.1%}; "
        f"{it.reports_per_s:.0f} reports a second, {it.busy_percent:.0f} % of a core\n"
        f"  wanted levels meanwhile: {it.asked} asked, {it.confirmed} confirmed, p99 {it.p99_ms:.0f} ms, worst "
        f"{it.worst_ms:.0f} ms; deadline {DEADLINE_S:g} s: {verdict}\n"
        f"  {DEVICES} idle devices: {it.idle_percent:.2f} % of a core; goal {IDLE_GOAL_PERCENT:g} %: {idle}"
    )


class _Host:
    """Ten sessions whose reports are durable at once, and what was asked of them."""

    def __init__(self, paths: list[str], child: asyncio.subprocess.Process) -> None:
        self._child = child
        self.reports = self.asked = 0
        self.times_s: list[float] = []
        self._sent: dict[int, float] = {}
        self._moved = asyncio.Event()
        self.sessions = [self._session(n, path) for n, path in enumerate(paths)]

    def _session(self, number: int, path: str) -> DeviceSession:
        def deliver(delivery: Delivery) -> bool:
            self._take(session, delivery)
            return True

        config = DeviceConfig(f"dut-{number}", DeviceKind.PROGRESSIVE, path, accept_test_only=True)
        session = DeviceSession(
            config,
            deliver=deliver,
            entropy=os.urandom,
            rng=random.Random(number),
            on_state=lambda _: self._moved.set(),
        )
        return session  # `deliver` speaks of it: it is called from `run` on

    def _take(self, session: DeviceSession, delivery: Delivery) -> None:
        if delivery.origin is not None:
            self.reports += 1
            session.acknowledge(delivery.origin.boot, delivery.origin.counter)
            return
        match delivery.body:
            case LevelConfirmed(operation=operation):
                self.times_s.append(time.monotonic() - self._sent.pop(operation))
            case LevelUnknown(operation=operation):
                self._sent.pop(operation, None)

    async def online(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while any(s.state is not SessionState.ONLINE for s in self.sessions):
                self._moved.clear()
                await self._moved.wait()

    def check_online(self) -> None:
        if bad := [str(s.status) for s in self.sessions if s.state is not SessionState.ONLINE]:
            raise RuntimeError(f"not online to the end: {', '.join(bad)}")

    async def command(self) -> None:
        """Wants the other level of each device in turn; the devices take turns, so that each has its own moment."""
        values = (RELEASED, ENGAGED)
        for turn in range(sys.maxsize):
            for session in self.sessions:
                self.asked += 1
                self._sent[self.asked] = time.monotonic()
                session.want(
                    WantedLevel(session.config.name, Level.LOCKOUT, values[turn % len(values)], self.asked)
                )
                await asyncio.sleep(COMMAND_EVERY_S / DEVICES)

    async def lines(self) -> list[float]:
        """How full each line was, as the devices say when their time is over."""
        assert self._child.stdout is not None
        async with asyncio.timeout(PATIENCE_S * 2):
            said = await self._child.stdout.readline()
        return [float(share) for share in json.loads(said)]


@asynccontextmanager
async def _host(mode: str, seconds: float) -> AsyncIterator[_Host]:
    pairs = [os.openpty() for _ in range(DEVICES)]
    for _, slave in pairs:
        tty.setraw(slave)
    masters = [master for master, _ in pairs]
    words = [mode, str(seconds), ",".join(map(str, masters))]
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.ten_devices", "--devices", *words,
        pass_fds=masters, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    host = _Host([os.ttyname(slave) for _, slave in pairs], child)
    running = [asyncio.create_task(session.run()) for session in host.sessions]
    try:
        await host.online()
        yield host
    finally:
        for task in running:
            task.cancel()
        await asyncio.wait(running)
        child.terminate()
        await child.wait()
        for fd in (fd for pair in pairs for fd in pair):
            os.close(fd)


class _Line:
    """One device and the two directions of its line, in the other process."""

    def __init__(self, fd: int, number: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        identity = Identity(
            DeviceKind.PROGRESSIVE, SIMULATED_VENDOR, "bench", "1", f"BENCH-{number}", "1",
            capabilities=(Capability.EVENT_LOG, Capability.LOCKOUT, Capability.SENSES_WAGERS),
        )  # fmt: skip
        boot = int.from_bytes(os.urandom(8), "big")
        self.link = DeviceLink(identity, boot=boot, entropy=os.urandom, byte_time_s=1 / LINE_BYTES_PER_S)
        self.link.set_levels(Levels(lockout=ENGAGED))
        self._out = bytearray()
        self._may_in = self._may_out = 0.0
        self._at = time.monotonic()
        self.written = 0
        self.has_host = False

    def turn(self, *, busy: bool) -> None:
        """Whatever the line lets through since the last turn, in and out."""
        now = time.monotonic()
        passed, self._at = (now - self._at) * LINE_BYTES_PER_S, now
        most = CATCH_UP_S * LINE_BYTES_PER_S
        self._may_in, self._may_out = min(self._may_in + passed, most), min(self._may_out + passed, most)
        if self._may_in >= 1.0:
            with contextlib.suppress(OSError):  # nothing has come
                came = os.read(self._fd, int(self._may_in))
                self._may_in -= len(came)
                self._heard(came, now)
        self.link.tick(now)
        self._send(now, busy=busy)

    def _heard(self, came: bytes, now: float) -> None:
        for event in self.link.receive(came, now):
            match event:
                case HostFound():
                    self.has_host = True
                case LevelRequested(value=value):
                    self.link.set_levels(Levels(lockout=value))
                    self.link.answer(event, True)

    def _send(self, now: float, *, busy: bool) -> None:
        self._out += self.link.data_to_send()
        while self._may_out >= 1.0:
            if busy:
                self._fill(now)
            try:
                done = os.write(self._fd, self._out[: int(self._may_out)]) if self._out else 0
            except OSError:
                return  # the terminal takes no more now
            if not done:
                return
            del self._out[:done]
            self._may_out -= done
            self.written += done

    def _fill(self, now: float) -> None:
        while len(self._out) < AHEAD_BYTES:
            self.link.report(ButtonPressed(Button.GREEN), int(now * 1e6))
            if not (more := self.link.data_to_send()):
                return  # its window is full: the host has to acknowledge
            self._out += more


def _be_devices(mode: str, seconds: float, fds: list[int]) -> None:
    """Serves until it is ended. Busy: says once how full the lines were in that time, a second after all have their host."""
    lines = [_Line(fd, number) for number, fd in enumerate(fds)]
    if mode == "busy":
        while not all(line.has_host for line in lines):
            _turn(lines, 0.0, busy=False)
        _turn(lines, WARM_S, busy=True)
        began, before = time.monotonic(), [line.written for line in lines]
        _turn(lines, seconds, busy=True)
        full = (time.monotonic() - began) * LINE_BYTES_PER_S
        shares = [(line.written - was) / full for line, was in zip(lines, before, strict=True)]
        print(json.dumps(shares), flush=True)
    _turn(lines, math.inf, busy=False)


def _turn(lines: list[_Line], seconds: float, *, busy: bool) -> None:
    until = time.monotonic() + seconds
    while True:
        for line in lines:
            line.turn(busy=busy)
        if time.monotonic() >= until:
            return
        time.sleep(TURN_S)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--devices", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.devices:
        mode, seconds, fds = given.devices
        _be_devices(mode, float(seconds), [int(fd) for fd in fds.split(",")])
    print(report(asyncio.run(ten_devices(given.seconds))))


if __name__ == "__main__":
    main()
