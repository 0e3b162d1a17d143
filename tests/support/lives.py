"""Whole lives of simulated devices on virtual time: a host, hands, power cuts, and one fault that is armed before power.

Nothing here opens a port: the cable ends at the host's own link end. What came of a life is comparable: the same life with a
fault must differ from the one without.
"""

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

from drivers.lines.bee_tek import beetek_link
from drivers.modbus.link import ModbusLink
from drivers.modbus.timing import byte_time, quiet
from drivers.protocol.auth import Trust
from drivers.protocol.host.link import Failed, HostLink, Online, Reported
from drivers.protocol.messages import Identity
from drivers.protocol.reports import Back, DeviceKind, Level
from simulators.bus.remote_io import RemoteIo
from simulators.bus.runtime import BusSimulator
from simulators.bus.terminals import wired
from simulators.cable.cable import Cable
from simulators.cable.wire import Wire
from simulators.devices import continuous, shoe, shuffler
from simulators.devices.bee_tek import BeeTekShoe
from simulators.devices.body import CardSettings
from simulators.devices.model import ActImpossible
from simulators.devices.progressive import Progressive, ProgressiveSettings
from simulators.devices.reading_shoe import ReadingShoe
from simulators.firmware.device import SimulatedDevice
from simulators.firmware.log import EventLog
from simulators.firmware.runtime import Simulator
from simulators.scenario.fault_kind import LINES, REMOTE_IO
from simulators.scenario.faults import WIRE, FaultBook, parse
from tests.drivers.modbus.conftest import unit_of

KEY, IMAGE = bytes(range(32)), Random(3).randbytes(512)
SPEED, LOOK_S, BAUD = 25.0, 0.1, 19_200
LIVES: dict[str, str] = {
    "shuffler": "shuffler", "shoe": "shoe", "reshuffler": "shoe", "reader": "shoe", "lines": LINES,
    "progressive": "progressive", "bus": REMOTE_IO,
}  # fmt: skip
"""Each life -> the kind whose faults its device can have."""


class Lead:
    """A cable between a simulator and the host's link end, without a terminal between them (`simulators.cable.port.Port`)."""

    def __init__(self, on_data: Callable[[bytes], None], wire: Wire, to_host: Callable[[bytes], None]) -> None:
        self.link, self.wire, self.overruns = Path("lead"), wire, 0
        self._to_host, self._held = to_host, bytearray()
        self.cable = Cable(wire, on_data, self._arrive)
        self.is_plugged = self._paused = False
        self.times = 0

    def plug(self) -> None:
        self.is_plugged, self._paused = True, False
        self.times += 1

    def unplug(self) -> None:
        self.is_plugged = False
        self.cable.cut()

    def pause(self) -> None:
        self._paused = True

    def resume(self) -> None:
        self._paused = False
        held, self._held = bytes(self._held), bytearray()
        if held:
            self.cable.from_host(held)

    def flush(self) -> None:
        """Nothing is kept unread here."""

    def heal(self) -> None:
        self.cable.heal()

    def write(self, data: bytes) -> None:
        if self.is_plugged and data:
            self.cable.from_device(data)

    def from_host(self, data: bytes) -> None:
        if not self.is_plugged:
            return
        if self._paused:
            self._held += data
        else:
            self.cable.from_host(data)

    def _arrive(self, data: bytes) -> None:
        if self.is_plugged:
            self._to_host(data)


@dataclass
class Life:
    """One device from power-up to the end. `outcome`: its own record and every byte that reached the host, by time."""

    name: str
    simulator: Simulator
    lead: Lead
    make_link: Callable[[], Any]
    out: StringIO
    heard: list[tuple[float, bytes]] = field(default_factory=list)
    link: Any = None
    operation: int = 0
    plugged: int = 0
    durable: tuple[int, int] | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def outcome(self) -> str:
        lines = [json.loads(line) for line in self.out.getvalue().splitlines()]
        seen = [line for line in lines if line["what"] != "fault"]
        counters = None if self.link is None else dict(self.link.counters)
        return json.dumps(seen) + repr(self.heard) + repr(counters)

    def receive(self, data: bytes) -> None:
        now = self._now()
        self.heard.append((round(now, 4), data))
        self.news.set()
        if self.link is not None:
            self._take(self.link.receive(data, now))
            self._flush()

    async def host(self) -> None:
        """A host that opens a new link whenever the old one failed or the cable was in anew."""
        while True:
            now = self._now()
            if self.link is None or self.plugged != self.lead.times:
                self.plugged, self.link = self.lead.times, self.make_link()
                self.link.connect(now)
            else:
                self._take(self.link.tick(now))
            self._flush()
            due = None if self.link is None else self.link.next_deadline()
            wait_s = LOOK_S if due is None else min(max(due - self._now(), 0.0005), LOOK_S)
            self.news.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self.news.wait()

    def _take(self, events: list[Any]) -> None:
        for event in events:
            if isinstance(event, Reported):
                self.durable = (event.boot, event.counter)
                self.link.acknowledge(event.boot, event.counter, self._now())
            if isinstance(event, Online) and isinstance(self.link, HostLink):
                self.link.measure(self._now())
            if isinstance(event, Failed):
                self.link = None
                return

    def _flush(self) -> None:
        if self.link is not None and (data := self.link.data_to_send()):
            self.lead.from_host(data)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def want(self, level: Level, value: str) -> None:
        self.operation += 1
        if self.link is not None and self.name != "lines":
            with contextlib.suppress(ValueError):  # it is not online now
                self.link.set_level(level, value, self.operation, self._now())
                self._flush()
        await asyncio.sleep(0.3)

    async def hand(self, act: str, **given: object) -> None:
        with contextlib.suppress(ActImpossible):
            self.simulator.act(act, given)
        await asyncio.sleep(0.1)


async def play(life: Life) -> None:
    """What people do at such a device in two rounds, with a restart between them."""
    hands = {"progressive": _chips, "bus": _chips, "reader": _draws, "lines": _draws}.get(life.name, _deals)
    await asyncio.sleep(1.0)
    await hands(life, "red")
    if (
        life.name == "bus"
    ):  # it numbers nothing: a restart brings nothing new, and a look each 50 ms takes long to play
        return
    await _restarts_unseen(life)
    await asyncio.sleep(1.0)
    await hands(life, "blue")


async def _restarts_unseen(life: Life) -> None:
    """Something happens while the cable is out, and the device starts anew before it is in again."""
    for step in ("unplug", "lid", "reboot", "replug"):
        with contextlib.suppress(ActImpossible):
            if step == "lid":
                await life.hand("open_lid")
                await life.hand("close_lid")
                await life.hand("put_chip", seat=3)
                await life.hand("lift_chip", seat=3)
            else:
                getattr(life.simulator, step)()


async def _deals(life: Life, back: str) -> None:
    await life.want(Level.DISPENSING, "allowed")
    await life.hand("load", back=back)
    await life.hand("green")
    await asyncio.sleep(26 / SPEED)
    if life.simulator.state()["deal"] == "idle":
        await life.hand("green")
    for _ in range(3):
        await asyncio.sleep(2 / SPEED)
        await life.hand("take")
    await life.want(Level.DISPENSING, "inhibited")
    await life.hand("remove")


async def _draws(life: Life, back: str) -> None:
    await life.hand("load", back=back)
    for _ in range(6):
        await life.hand("draw")
    await life.hand("draw", cards=36)
    await life.hand("remove")


async def _chips(life: Life, back: str) -> None:
    await life.want(Level.LOCKOUT, "released")
    await life.want(Level.LAMPS, "1,3")
    for seat in (1, 2):
        await life.hand("put_chip", seat=seat)
    await asyncio.sleep(0.5)
    await life.want(Level.LOCKOUT, "engaged")
    await asyncio.sleep(0.7)
    await life.hand("lift_chip", seat=2)


def born(name: str) -> Life:
    """The device of a life with its host, without power yet; all that is chance comes from one seed."""
    out, loop = StringIO(), asyncio.get_running_loop()
    log = EventLog(out, lambda: round(loop.time() * 1e9))
    book, life = FaultBook([], log), Life.__new__(Life)
    rng, now = Random(5), loop.time()
    wire = Wire([], Random(6))
    settings = CardSettings((2, 2), (Back.RED, Back.BLUE), True, True, prefix="S")
    device: Any
    match name:
        case "bus":
            wiring = wired(3, 1, 2)
            turn_s = quiet(byte_time(BAUD))
            device = RemoteIo(
                Progressive(ProgressiveSettings(3), book, log), wiring, log, now=now, rng=rng, turnaround_s=turn_s
            )
            link = ModbusLink([unit_of(w) for w in wiring], serial="b", boot=9, byte_time_s=byte_time(BAUD))

            def make_link() -> Any:
                return link
        case "lines":
            device = BeeTekShoe(ReadingShoe(settings, rng, book, log), log, now=now)
            lines = beetek_link("b", boot=9)

            def make_link() -> Any:
                return lines
        case _:
            kind = DeviceKind(LIVES[name])
            model: Any = {
                "shuffler": lambda: shuffler.build(settings, rng, book, log),
                "shoe": lambda: shoe.build(settings, rng, book, log),
                "reshuffler": lambda: continuous.build(settings, rng, book, log),
                "reader": lambda: ReadingShoe(settings, rng, book, log),
                "progressive": lambda: Progressive(ProgressiveSettings(3), book, log),
            }[name]()
            digest = sha256(IMAGE).digest()
            who = Identity(kind, "v", "m", "h", "S1", "1", digest, capabilities=model.capabilities)
            device = SimulatedDevice(
                model, who, log, entropy=Random(7).randbytes, now=now, speed=SPEED, key=KEY, image=IMAGE
            )
            chance = Random(8)

            def make_link() -> Any:
                trust = Trust(KEY, {digest: IMAGE})
                return HostLink(
                    entropy=chance.randbytes, last=life.durable, stale_after_s=3.0, byte_time_s=0.0, trust=trust
                )

    leads: list[Lead] = []

    def lead(on_data: Callable[[bytes], None]) -> Any:
        leads.append(Lead(on_data, wire, life.receive))
        return leads[0]

    simulator = (BusSimulator if name == "bus" else Simulator)(device, log, lead, speed=SPEED)
    life.__init__(name, simulator, leads[0], make_link, out)  # type: ignore[misc]
    return life


async def lived(name: str, fault: str = "") -> str:
    """What came of one life. `fault`: armed before power, as the command line does it; one of the cable comes later."""
    life = born(name)
    simulator = life.simulator
    parsed = parse(fault, LIVES[name]) if fault else None
    if parsed is not None and parsed.name not in WIRE:
        simulator.device.arm(parsed, asyncio.get_running_loop().time())
    running = asyncio.create_task(simulator.run())
    host = asyncio.create_task(life.host())
    try:
        if parsed is not None and parsed.name in WIRE:
            late_s = 3.0 if parsed.name == "wire_ghosts" else 0.8  # there must be something that can come again
            asyncio.get_running_loop().call_later(late_s, simulator.inject, fault)
        await asyncio.sleep(0.8)
        await play(life)
    finally:
        host.cancel()
        simulator.stop()
        ended = await asyncio.gather(running, host, return_exceptions=True)
    for error in ended:
        if isinstance(error, Exception):
            raise error
    return life.outcome()
