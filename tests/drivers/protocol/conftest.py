"""Two real link ends joined by a hostile wire on virtual time. Nothing here knows how the ends work inside."""

import heapq
import importlib.util
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from drivers.protocol.auth import Trust
from drivers.protocol.chain import Place
from drivers.protocol.device.link import Acknowledged, DeviceLink, HostFound, HostLost, LevelRequested
from drivers.protocol.device.log import ReportLog
from drivers.protocol.host.link import Failed, HostLink, Lost, Reported
from drivers.protocol.messages import Identity
from drivers.protocol.reports import (
    ENGAGED,
    INHIBITED,
    Capability,
    DeviceKind,
    Level,
    Levels,
    Mode,
    StackDispensed,
)
from drivers.protocol.reports import Back as CardBack

BYTE_TIME_S = 10 / 115200
IDENTITY = Identity(DeviceKind.SHOE, "Maker", "Shoe 1", "A", "SN-1", "1.0.0")


def frames_of(data: bytes) -> Iterator[bytes]:
    """The single frames in what a link end handed out, delimiters included."""
    for piece in data.split(b"\0"):
        if piece:
            yield b"\0" + piece + b"\0"


@dataclass
class Wire:
    """One direction of a line. `faults` turns a frame into the pieces that arrive: (seconds later, bytes).

    `is_bytewise`: each byte arrives by itself, at the rate of the line, none before the one written before it.
    """

    faults: Callable[[bytes], list[tuple[float, bytes]]] = lambda frame: [(0.001, frame)]
    is_bytewise: bool = False
    _free_at: float = 0.0
    sent: list[tuple[float, bytes]] = field(default_factory=list)
    _queue: list[tuple[float, int, bytes]] = field(default_factory=list)
    _number: Iterator[int] = field(default_factory=itertools.count)

    def write(self, data: bytes, now: float) -> None:
        for frame in frames_of(data):
            self.sent.append((now, frame))
            if self.is_bytewise:
                self._write_bytewise(frame, now)
                continue
            for later, piece in self.faults(frame):
                heapq.heappush(self._queue, (now + later, next(self._number), piece))

    def _write_bytewise(self, frame: bytes, now: float) -> None:
        self._free_at = max(self._free_at, now)
        for at in range(len(frame)):
            self._free_at += BYTE_TIME_S
            self.inject(frame[at : at + 1], self._free_at)

    def inject(self, data: bytes, at: float) -> None:
        heapq.heappush(self._queue, (at, next(self._number), data))

    def next_arrival(self) -> float | None:
        return self._queue[0][0] if self._queue else None

    def arrived(self, now: float) -> list[bytes]:
        found = []
        while self._queue and self._queue[0][0] <= now:
            found.append(heapq.heappop(self._queue)[2])
        return found

    def cut(self) -> None:
        self._queue.clear()


class World:
    """A host that journals and acknowledges, a device that carries out levels, and the line between them."""

    def __init__(
        self,
        seed: int = 1,
        log: ReportLog | None = None,
        stale_after_s: float = 5.0,
        *,
        trust: Trust | None = None,
        key: bytes | None = None,
        image: bytes | None = None,
        capabilities: tuple[Capability, ...] = (),
    ) -> None:
        self.rng = random.Random(seed)
        self.trust, self.key, self.image, self.capabilities = trust, key, image, capabilities
        self.now = 1000.0
        self.stale_after_s = stale_after_s
        self.to_device, self.to_host = Wire(), Wire()
        self.journal: list[Reported | Lost] = []
        self.host_events: list[object] = []
        self.device_events: list[object] = []
        self.executed: list[LevelRequested] = []
        self.levels = Levels(lockout=ENGAGED, dispensing=INHIBITED, mode=Mode.SHUFFLE)
        self.acknowledging = True
        self.answering = True
        self.reconnecting = True
        self.last: tuple[int, int] | None = None
        self.last_chain = b""  # of that report
        self.dealt: list[tuple[int, int]] = []
        self.host: HostLink | None = None
        self.device: DeviceLink | None = None
        self._connect_at: float | None = None
        self.boot_device(log=log)

    def entropy(self, size: int) -> bytes:
        return self.rng.randbytes(size)

    def boot_device(self, log: ReportLog | None = None) -> None:
        """Power on; a log that is given outlived the power cut."""
        self.boot_device_as(self.rng.getrandbits(64), log)

    def boot_device_as(self, boot: int, log: ReportLog | None) -> None:
        """Power on with a boot id of one's own choice."""
        self.boot = boot
        identity = replace(IDENTITY, capabilities=self.capabilities)
        if self.image is not None:
            identity = replace(identity, firmware_hash=sha256(self.image).digest())
        self.device = DeviceLink(
            identity, boot=self.boot, entropy=self.entropy, log=log, byte_time_s=BYTE_TIME_S, epoch_s=self.now,
            key=self.key, image=self.image,
        )  # fmt: skip
        self.device.set_levels(self.levels)

    def connect(self) -> HostLink:
        last = Place(*self.last, self.last_chain) if self.last else None
        self.host = HostLink(
            entropy=self.entropy, last=last, stale_after_s=self.stale_after_s, byte_time_s=BYTE_TIME_S,
            trust=self.trust,
        )  # fmt: skip
        self.host.connect(self.now)
        self._connect_at = None
        return self.host

    def report(self, count: int = 1) -> None:
        """The device deals stacks 1, 2, ... 250 in turn."""
        assert self.device is not None
        for _ in range(count):
            number = len(self.dealt) % 250 + 1
            tick = int(self.now * 1e6)
            counter = self.device.report(StackDispensed(CardBack.RED, number, 3), tick)
            self.dealt.append((self.boot, counter))

    def run(self, seconds: float, until: Callable[[], bool] | None = None) -> bool:
        """Lets virtual time pass; True as soon as `until` holds, else False at the end (True without `until`)."""
        end = self.now + seconds
        self._flush()
        while until is None or not until():
            upcoming = [t for t in self._deadlines() if t is not None]
            if not upcoming or min(upcoming) > end:
                self.now = end
                return until is None or until()
            self.now = max(self.now, min(upcoming))
            self._step()
        return True

    def of(self, kind: type) -> list[Any]:
        """What the host's link end told, of one kind."""
        return [event for event in self.host_events if isinstance(event, kind)]

    def _deadlines(self) -> list[float | None]:
        ends = [end.next_deadline() for end in (self.host, self.device) if end is not None]
        return [*ends, self._connect_at, self.to_device.next_arrival(), self.to_host.next_arrival()]

    def _step(self) -> None:
        if self._connect_at is not None and self.now >= self._connect_at:
            self.connect()
        for data in self.to_device.arrived(self.now):
            if self.device is not None:
                self._from_device_end(self.device.receive(data, self.now))
        for data in self.to_host.arrived(self.now):
            if self.host is not None:
                self._from_host_end(self.host.receive(data, self.now))
        if self.device is not None:
            self._from_device_end(self.device.tick(self.now))
        if self.host is not None:
            self._from_host_end(self.host.tick(self.now))
        self._flush()

    def _flush(self) -> None:
        if self.host is not None:
            self.to_device.write(self.host.data_to_send(), self.now)
        if self.device is not None:
            self.to_host.write(self.device.data_to_send(), self.now)

    def _from_device_end(self, events: list[Any]) -> None:
        for event in events:
            self.device_events.append(event)
            if isinstance(event, LevelRequested):
                self._execute(event)
            assert isinstance(event, LevelRequested | HostLost | HostFound | Acknowledged)

    def _execute(self, request: LevelRequested) -> None:
        self.executed.append(request)
        match request.level:
            case Level.LOCKOUT | Level.DISPENSING:
                fields: dict[str, Any] = {request.level.value: request.value}
                self.levels = replace(self.levels, **fields)
            case Level.MODE:
                self.levels = replace(self.levels, mode=Mode(request.value))
            case Level.LAMPS:
                seats = [int(seat) for seat in request.value.split(",") if seat]
                self.levels = replace(self.levels, lamps=sum(1 << seat - 1 for seat in seats))
            case Level.DISPLAY:
                pass
        assert self.device is not None
        self.device.set_levels(self.levels)
        if self.answering:
            self.device.answer(request, ok=True)

    def _from_host_end(self, events: list[Any]) -> None:
        for event in events:
            self.host_events.append(event)
            if isinstance(event, Reported | Lost):
                self.journal.append(event)
            if isinstance(event, Reported):
                self.last, self.last_chain = (event.boot, event.counter), event.chain
            elif isinstance(event, Lost) and event.last:
                self.last, self.last_chain = (event.boot, event.last), b""
            if (
                isinstance(event, Reported | Lost)
                and self.acknowledging
                and self.last
                and self.last[0] == event.boot
            ):
                assert self.host is not None
                self.host.acknowledge(*self.last, self.now)
            if isinstance(event, Failed):
                self.host = None
                if self.reconnecting:
                    self._connect_at = self.now + 0.25
                break


@pytest.fixture
def make_world() -> Callable[..., World]:
    """Builds a world; see `World`."""
    return World


def _load_independent() -> ModuleType:
    """The second decoder, loaded by its path: nothing else may import it, and it imports nothing of ours."""
    spec = importlib.util.spec_from_file_location("independent_tdp1", Path(__file__).with_name("independent.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def independent_module() -> ModuleType:
    """The second decoder, for tests that draw many examples."""
    return _load_independent()


@pytest.fixture
def independent(independent_module: ModuleType) -> ModuleType:
    """The second decoder."""
    return independent_module
