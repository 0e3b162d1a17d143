"""A bus of simulated units and our link end of it, on virtual time: bytes take as long as they do at 19200 baud."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from drivers.modbus.link import ModbusLink
from drivers.modbus.timing import byte_time
from drivers.modbus.units import Unit, misfits
from drivers.protocol.host.link import HostEvent, Online, Reported
from drivers.protocol.reports import Level
from simulators.bus.remote_io import RemoteIo
from simulators.bus.terminals import IDENTITY_REGISTER, SERIAL_REGISTER, WATCHDOG_REGISTER, UnitWiring, wired
from simulators.devices.progressive import Progressive, ProgressiveSettings
from simulators.scenario.faults import FaultBook, parse

BYTE_S = byte_time(19200)
TURNAROUND_S = 0.004


def unit_of(wiring: UnitWiring) -> Unit:
    """The same unit as the driver is told of it."""
    has_coils = bool(wiring.lamps) or wiring.lockout is not None
    return Unit(
        wiring.address, IDENTITY_REGISTER, wiring.identity, SERIAL_REGISTER, len(wiring.serial),
        sensors={spot: place for place, spot in wiring.sensors.items()},
        button=wiring.button, contact=wiring.contact, lockout=wiring.lockout,
        lamps={seat: place for place, seat in wiring.lamps.items()},
        watchdog=WATCHDOG_REGISTER if has_coils else None,
    )  # fmt: skip


class Bus:
    """Both ends of one bus. `heard`: every event of the link with its time; `wire`: each frame, who sent it, when."""

    def __init__(self, seats: int = 3, sensors: int = 1, units: int = 3, faults: tuple[str, ...] = ()) -> None:
        self.now = 1000.0
        wiring = wired(seats, sensors, units)
        self.book = FaultBook(self.fault(text) for text in faults)
        self.seen: list[tuple[float, str, dict[str, Any]]] = []
        self.chips = Progressive(ProgressiveSettings(seats, sensors), self.book)
        self.io = RemoteIo(
            self.chips, wiring, lambda what, about: self.seen.append((self.now, what, dict(about))),
            now=self.now, rng=Random(3), turnaround_s=TURNAROUND_S,
        )  # fmt: skip
        units_ = [unit_of(one) for one in wiring]
        assert misfits(units_) == []
        self.link = ModbusLink(units_, serial="none", boot=7, byte_time_s=BYTE_S)
        self.heard: list[tuple[float, HostEvent]] = []
        self.wire: list[tuple[float, str, bytes]] = []
        self.frozen = False  # our process is stopped
        self._moving: list[tuple[float, str, bytes]] = []
        self.io.power_on(self.now)

    @staticmethod
    def fault(text: str) -> Any:
        name = text.partition("@")[0].partition(":")[0]
        return parse(text, "remote_io") if name else None

    def inject(self, text: str) -> None:
        self.book.arm(parse(text, "remote_io"))

    def connect(self) -> None:
        self._moving.clear()
        self.link.connect(self.now)
        self._exchange()

    def online(self) -> "Bus":
        """Connected, and every unit met."""
        self.connect()
        self.until(lambda: self.of(Online), 5.0)
        return self

    def _exchange(self) -> None:
        for data, who in (
            (b"" if self.frozen else self.link.data_to_send(), "host"),
            (self.io.data_to_send(), "io"),
        ):
            if data:
                self.wire.append((self.now, who, data))
                self._moving.append((self.now + len(data) * BYTE_S, who, data))

    def run(self, seconds: float) -> list[HostEvent]:
        """Lets time pass; returns what the link told meanwhile."""
        end, before = self.now + seconds, len(self.heard)
        while (due := self._next()) <= end:
            self.now = max(self.now, due)
            self._step()
        self.now = end
        return [event for _, event in self.heard[before:]]

    def _next(self) -> float:
        link = None if self.frozen else self.link.next_deadline()
        times = [link, self.io.next_deadline(), *(at for at, _, _ in self._moving)]
        return min((at for at in times if at is not None), default=float("inf"))

    def _step(self) -> None:
        arrived = [m for m in self._moving if m[0] <= self.now]
        self._moving = [m for m in self._moving if m[0] > self.now]
        for _, who, data in arrived:
            if who == "host":
                self.io.receive(data, self.now)
            elif not self.frozen:
                self._hear(self.link.receive(data, self.now))
        self.io.tick(self.now)
        if not self.frozen and (due := self.link.next_deadline()) is not None and due <= self.now:
            self._hear(self.link.tick(self.now))
        self._exchange()

    def _hear(self, events: list[HostEvent]) -> None:
        self.heard += [(self.now, event) for event in events]

    def until(self, true: Callable[[], Any], within_s: float) -> float:
        """Runs until something is true; returns the seconds it took."""
        start = self.now
        while not true():
            assert self.now - start < within_s, f"not within {within_s} s; heard {self.heard[-5:]}"
            self.run(0.005)
        return self.now - start

    def want(self, level: Level, value: str, operation: int) -> None:
        self.link.set_level(level, value, operation, self.now)
        self._exchange()

    def hands(self, name: str, **given: object) -> None:
        self.io.act(name, given, self.now)

    def of(self, kind: type) -> list[Any]:
        return [event for _, event in self.heard if isinstance(event, kind)]

    @property
    def reports(self) -> list[Any]:
        return [event.report for event in self.of(Reported)]

    def asked(self, since: float, unit: int | None = None) -> int:
        """How many questions the host sent since then."""
        return sum(1 for at, who, d in self.wire if who == "host" and at >= since and unit in (None, d[0]))


@pytest.fixture
def bus() -> type[Bus]:
    return Bus
