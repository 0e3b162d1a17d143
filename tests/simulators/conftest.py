"""Fixtures for the simulated devices: models under a test's hand, and whole simulators on a real pseudo-terminal."""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import pytest

from drivers.protocol.host.link import HostLink, Online, Reported
from drivers.protocol.messages import Identity
from drivers.protocol.reports import DeviceKind, Level, Report, ResetCause
from simulators.cable.port import PtyPort
from simulators.cable.wire import Wire
from simulators.devices import continuous, shoe, shuffler
from simulators.devices.body import CardSettings
from simulators.devices.cards import Card
from simulators.devices.machine import CardMachine
from simulators.devices.model import Answer, Done, Model
from simulators.devices.progressive import Progressive, ProgressiveSettings
from simulators.firmware.control import control_socket
from simulators.firmware.device import SimulatedDevice
from simulators.firmware.log import EventLog
from simulators.firmware.runtime import Simulator
from simulators.scenario.faults import WIRE, FaultBook, parse


@dataclass
class Bench:
    """One model under a test's hand: time, acts, commands, and everything it reported or did with cards."""

    model: Model
    seen: list[tuple[str, Mapping[str, object]]]
    now: float = 0.0
    reports: list[Report] = field(default_factory=list)
    operation: int = 0

    def power_up(self, cause: ResetCause = ResetCause.POWER) -> None:
        self.reports += self.model.power_up(self.now, cause)

    def run(self, seconds: float) -> list[Report]:
        """Lets time pass; returns what was reported meanwhile."""
        before = len(self.reports)
        self.now += seconds
        self.reports += self.model.step(self.now)
        return self.reports[before:]

    def act(self, name: str, **given: object) -> Done:
        done = self.model.act(name, given, self.now)
        self.reports += done.reports
        return done

    def want(self, level: Level, value: str, operation: int | None = None) -> Answer:
        self.operation += 1
        answer = self.model.command(level, value, self.operation if operation is None else operation, self.now)
        self.reports += answer.reports
        return answer

    def of(self, kind: type[Report]) -> list[Report]:
        return [r for r in self.reports if isinstance(r, kind)]

    def take_all(self) -> list[tuple[Card, ...]]:
        """Takes each stack as it comes until none comes any more."""
        stacks = []
        for _ in range(60):
            self.run(3.0)
            if self.model.state()["deal"] != "offered":
                break
            stacks.append(self.act("take").cards)
        return stacks


@pytest.fixture
def bench() -> Callable[..., Bench]:
    """Builds a device of a kind with faults written as on the command line, and powers it up."""

    def build(
        kind: str, *faults: str, on: bool = True, seats: int = 6, sensors: int = 1, **settings: Any
    ) -> Bench:
        seen: list[tuple[str, Mapping[str, object]]] = []

        def witness(what: str, particulars: Mapping[str, object]) -> None:
            seen.append((what, particulars))

        book = FaultBook([parse(text, DeviceKind(kind)) for text in faults], witness)
        model: CardMachine | Progressive
        reshuffles = settings.pop("reshuffles", False)
        match kind:
            case "shuffler":
                model = shuffler.build(CardSettings(**settings), Random(1), book, witness)
            case "shoe" if reshuffles:
                model = continuous.build(CardSettings(**settings), Random(1), book, witness)
            case "shoe":
                model = shoe.build(CardSettings(**settings), Random(1), book, witness)
            case _:
                remembers = bool(settings.get("remembers"))
                model = Progressive(ProgressiveSettings(seats, sensors, remembers), book, witness)
        built = Bench(model, seen)
        if on:
            built.power_up()
        return built

    return build


PATIENCE_S = 15.0


async def until(true: Callable[[], Any], what: str = "it") -> None:
    """Waits for a condition; fails after a deadline that only a broken thing reaches."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, f"{what} did not happen"
        await asyncio.sleep(0.005)


@dataclass
class Host:
    """The host's end on a real descriptor: os.read, os.write, and a link end without I/O."""

    path: Path
    last: tuple[int, int] | None = None
    events: list[Any] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)
    eof: bool = False
    operation: int = 0

    async def __aenter__(self) -> "Host":
        self._loop = asyncio.get_running_loop()
        self._fd = os.open(self.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.link = HostLink(entropy=os.urandom, last=self.last, stale_after_s=60.0, byte_time_s=0.0)
        self._loop.add_reader(self._fd, self._readable)
        self._ticker = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._ticker.cancel()
        await asyncio.gather(self._ticker, return_exceptions=True)
        self._loop.remove_reader(self._fd)
        os.close(self._fd)

    async def online(self) -> "Host":
        self.link.connect(self._loop.time())
        self._flush()
        await until(lambda: any(isinstance(e, Online) for e in self.events), "the handshake")
        return self

    async def want(self, level: Level, value: str) -> None:
        self.operation += 1
        self.link.set_level(level, value, self.operation, self._loop.time())
        self._flush()
        wanted = self.operation
        await until(lambda: any(getattr(e, "operation", 0) == wanted for e in self.events), f"{level} {value}")

    def reports(self, kind: type) -> list[Any]:
        return [e.report for e in self.events if isinstance(e, Reported) and isinstance(e.report, kind)]

    async def _tick(self) -> None:
        while not self.eof:
            self._take(self.link.tick(self._loop.time()))
            await asyncio.sleep(0.02)

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, 4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.eof = True
            self._loop.remove_reader(self._fd)
            return
        self.raw += data
        self._take(self.link.receive(data, self._loop.time()))

    def _take(self, events: list[Any]) -> None:
        self.events += events
        for event in events:
            if isinstance(event, Reported):
                self.link.acknowledge(event.boot, event.counter, self._loop.time())
        self._flush()

    def _flush(self) -> None:
        if data := self.link.data_to_send():
            os.write(self._fd, data)


@dataclass
class Running:
    """A simulator that runs in this loop, with its record and its socket."""

    simulator: Simulator
    out: StringIO
    link: Path
    control: Path
    task: "asyncio.Task[None]"

    def noted(self, what: str, **like: object) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.out.getvalue().splitlines()]
        return [line for line in lines if line["what"] == what and like.items() <= line.items()]

    async def ask(self, **request: object) -> dict[str, Any]:
        reader, writer = await asyncio.open_unix_connection(self.control)
        writer.write(json.dumps(request).encode() + b"\n")
        answered = json.loads(await reader.readline())
        writer.close()
        await writer.wait_closed()
        return answered


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """Starts simulators in this loop; all end with the test."""
    async with AsyncExitStack() as stack:

        async def run(kind: str, *faults: str, **options: Any) -> Running:
            return await stack.enter_async_context(_running(tmp_path, kind, faults, **options))

        yield run


@asynccontextmanager
async def _running(
    room: Path,
    kind: str,
    faults: tuple[str, ...],
    *,
    speed: float = 50.0,
    drops_unread: bool = False,
    settings: Mapping[str, Any] = MappingProxyType({}),
    **port: Any,
) -> AsyncIterator[Running]:
    out = StringIO()
    log = EventLog(out)
    parsed = [parse(text, DeviceKind(kind)) for text in faults]
    book = FaultBook([f for f in parsed if f.name not in WIRE], log)
    model: Model
    match kind:
        case "shoe":
            model = shoe.build(CardSettings(**settings), Random(1), book, log)
        case "shuffler":
            model = shuffler.build(CardSettings(**settings), Random(1), book, log)
        case _:
            model = Progressive(ProgressiveSettings(**settings), book, log)
    identity = Identity(DeviceKind(kind), "v", "m", "h", "S1", "1", capabilities=model.capabilities)
    now = asyncio.get_running_loop().time()
    device = SimulatedDevice(model, identity, log, entropy=os.urandom, now=now, speed=speed)
    wire = Wire([f for f in parsed if f.name in WIRE], Random(2))
    link = room / f"{kind}0"
    simulator = Simulator(
        device, log, lambda on_data: PtyPort(link, on_data, wire, **port), drops_unread=drops_unread, speed=speed
    )
    control = room / f"{kind}0.ctl"
    async with control_socket(simulator, control):
        task = asyncio.create_task(simulator.run())
        await until(lambda: link.is_symlink() or task.done(), "the port")
        try:
            yield Running(simulator, out, link, control, task)
        finally:
            simulator.stop()
            await asyncio.gather(task, return_exceptions=True)


@pytest.fixture(name="until")
def _until() -> Callable[..., Any]:
    """Waits for a condition, with a deadline that only a broken thing reaches."""
    return until


@pytest.fixture
def connect() -> type[Host]:
    """A host at a port: `async with connect(path, last=...) as host`."""
    return Host
