"""Simulated devices and a session on one cable, on virtual time, with a tap in it: what the corpus is made of.

Everything is drawn from seeds, so a scene gives the same bytes as long as neither end of the wire is changed.
"""

import asyncio
import random
from collections.abc import Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from drivers.commands import WantedLevel
from drivers.device import Delivery, DeviceConfig
from drivers.protocol.messages import Identity
from drivers.protocol.reports import SIMULATED_VENDOR, DeviceKind, Level, ResetCause
from drivers.recording.anonymise import PUBLIC_KEY
from drivers.recording.format import Header, header_line
from drivers.recording.tap import Recorder
from drivers.session.session import DeviceSession
from drivers.transport import LoopbackCable
from simulators.cable.cable import Cable
from simulators.cable.wire import Wire
from simulators.devices import shoe, shuffler
from simulators.devices.body import CardSettings
from simulators.devices.model import Model
from simulators.devices.progressive import Progressive, ProgressiveSettings
from simulators.firmware.device import SimulatedDevice
from simulators.scenario.faults import WIRE, FaultBook, parse

KINDS = {"shuffler": DeviceKind.SHUFFLER, "shoe": DeviceKind.SHOE, "progressive": DeviceKind.PROGRESSIVE}
COMMIT_S = 0.004
"""How long the owner takes to make a report durable."""
LEAST_S = 0.0001
"""A model whose step is due in less than a rounding error must not stop virtual time."""


class Kept:
    """A sink that keeps its lines."""

    state, missed = "on", 0

    def __init__(self) -> None:
        self.lines: list[str] = []

    def begin(self) -> None: ...

    def put(self, line: str) -> bool:
        self.lines.append(line)
        return True

    async def end(self) -> None: ...


class Scene:
    """One device of a kind, its session, and what passed between them."""

    def __init__(
        self,
        kind: str,
        *faults: str,
        keeps_log: bool = False,
        serial: str | None = None,
        key_file: Path | None = None,
    ) -> None:
        self.kind = KINDS[kind]
        found = [parse(fault, self.kind) for fault in faults]
        wire = Wire([f for f in found if f.name in WIRE], random.Random(7))
        self.line = Cable(wire, self._arrived, self._leave)
        self.model = model_of(self.kind, FaultBook([f for f in found if f.name not in WIRE]), keeps_log)
        identity = Identity(
            self.kind, SIMULATED_VENDOR, f"simulated {kind}", "cable", f"SIM-{kind}-1", "1.0.0",
            capabilities=self.model.capabilities,
        )  # fmt: skip
        loop = asyncio.get_running_loop()
        self.device = SimulatedDevice(
            self.model, identity, lambda *_: None, entropy=random.Random(8).randbytes, now=loop.time(),
            keeps_log=keeps_log, key=key_file.read_bytes() if key_file else None,
        )  # fmt: skip
        self.cable = LoopbackCable()
        self.far = self.cable.device(self._to_device, lambda *_: None)
        self.config = DeviceConfig(
            f"{kind}-1", self.kind, "cable", serial, accept_test_only=True, key_file=key_file
        )
        self.kept = Kept()
        self.session = self._session(Recorder(self.kept, loop.time))
        self.deliveries: list[Delivery] = []
        self._operation = 0
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def _session(self, recorder: Recorder | None) -> DeviceSession:
        return DeviceSession(
            self.config, deliver=self._deliver, entropy=random.Random(9).randbytes, rng=random.Random(10),
            transport_factory=lambda _, on_data, on_lost: self.cable.host(on_data, on_lost),
            recorder=recorder,
        )  # fmt: skip

    def unrecorded(self) -> None:
        """The same without a tap, before it begins."""
        self.session = self._session(None)

    async def __aenter__(self) -> "Scene":
        await self.far.open()
        self.device.power_on(_now())
        self._settle()
        self._task = asyncio.ensure_future(self.session.run())
        await asyncio.sleep(0.5)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait({self._task})
        if self._timer:
            self._timer.cancel()
        await self.far.close(0)

    @property
    def text(self) -> str:
        """The recording as a file holds it."""
        header = Header.of(self.config, "tablewarden", "2026-01-01T00:00:00Z", 1)
        return "\n".join([header_line(header), *self.kept.lines, ""])

    async def want(self, level: Level, value: str, wait_s: float = 0.2) -> None:
        self._operation += 1
        self.session.want(WantedLevel(self.config.name, level, value, self._operation))
        await asyncio.sleep(wait_s)

    async def hands(self, act: str, wait_s: float = 0.3, **given: object) -> None:
        self.device.act(act, given, _now())
        self._settle()
        await asyncio.sleep(wait_s)

    async def unplug(self, for_s: float, *meanwhile: str) -> None:
        self.cable.unplug()
        await self.far.close(0)
        for act in meanwhile:
            await self.hands(act)
        await asyncio.sleep(for_s)
        self.cable.plug()
        await self.far.open()
        self._settle()

    async def power_loss(self, for_s: float) -> None:
        self.device.power_off(_now())
        await self.unplug(for_s)
        self.device.power_on(_now(), ResetCause.POWER)
        self._settle()

    async def hang(self, for_s: float) -> None:
        self.device.hang(_now())
        await asyncio.sleep(for_s)
        self.device.wake(_now())
        self._settle()

    def reboot(self) -> None:
        self.device.reboot(_now(), ResetCause.WATCHDOG)
        self._settle()

    def _deliver(self, delivery: Delivery) -> bool:
        self.deliveries.append(delivery)
        if (origin := delivery.origin) is not None:
            asyncio.get_running_loop().call_later(COMMIT_S, self.session.acknowledge, origin.boot, origin.counter)
        return True

    def _to_device(self, data: bytes) -> None:
        self.line.from_host(data)

    def _leave(self, data: bytes) -> None:
        self.far.write(data)

    def _arrived(self, data: bytes) -> None:
        if not self.device.is_hung:
            self.device.receive(data, _now())
            self._settle()

    def _settle(self) -> None:
        if data := self.device.data_to_send():
            self.line.from_device(data)
        if self._timer:
            self._timer.cancel()
        self._timer = None
        if (deadline := self.device.next_deadline()) is not None:
            at = max(deadline, _now() + LEAST_S)
            self._timer = asyncio.get_running_loop().call_at(at, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.device.tick(_now())
        self._settle()


def model_of(kind: DeviceKind, faults: FaultBook, keeps_log: bool) -> Model:
    rng = random.Random(11)
    if kind is DeviceKind.SHOE:
        return shoe.build(CardSettings((2, 2, 2), remembers=keeps_log, prefix="S"), rng, faults)
    if kind is DeviceKind.SHUFFLER:
        return shuffler.build(CardSettings((2, 2, 2), remembers=keeps_log, prefix="S"), rng, faults)
    return Progressive(ProgressiveSettings(6, 1, keeps_log), faults)


async def progressive_round(make: Callable[..., Scene]) -> Scene:
    """Wagers open, chips come, the lock-out engages, one chip is too late."""
    async with make("progressive", "late_chip@1:seat=4:after=0.3") as scene:
        await scene.want(Level.LOCKOUT, "released")
        for seat in (1, 3, 6):
            await scene.hands("put_chip", seat=seat, sensor=1)
        await scene.want(Level.LAMPS, "1,3,6")
        await scene.want(Level.LOCKOUT, "engaged", 1.0)
        await scene.hands("collect")
        await scene.want(Level.LAMPS, "")
    return scene


async def shoe_jam(make: Callable[..., Scene]) -> Scene:
    """A card sticks in the second stack; hands clear it."""
    async with make("shoe", "jam@1:stack=2") as scene:
        await scene.hands("load", back="red")
        await scene.want(Level.DISPENSING, "allowed")
        await scene.hands("green", 4.0)
        await scene.hands("take", 4.0)
        await scene.want(Level.DISPENSING, "inhibited")
        await scene.hands("open_lid")
        await scene.hands("remove", leave=0)
        await scene.hands("close_lid", 1.0)
    return scene


async def shuffler_cycle(make: Callable[..., Scene]) -> Scene:
    """A shuffle with a wrong count, then one that is right, then packets."""
    async with make("shuffler", "miscount@1") as scene:
        await scene.hands("load", back="red")
        await scene.hands("green", 40.0)
    return scene


async def noisy_wire(make: Callable[..., Scene]) -> Scene:
    """One byte in a few hundred is lost, hit or doubled, in both directions."""
    async with make(
        "progressive", "wire_corrupt:rate=0.003", "wire_drop:rate=0.002", "wire_double:rate=0.001"
    ) as scene:
        for seat in range(1, 7):
            await scene.want(Level.LOCKOUT, "released" if seat % 2 else "engaged", 0.5)
            await scene.hands("put_chip", 0.5, seat=seat, sensor=1)
        await asyncio.sleep(5.0)
    return scene


async def unplugged_in_the_deal(make: Callable[..., Scene]) -> Scene:
    """The cable is out for two seconds while stacks come; what was reported meanwhile is read from the log."""
    async with make("shoe") as scene:
        await scene.hands("load", back="red")
        await scene.want(Level.DISPENSING, "allowed")
        await scene.hands("green", 4.0)
        await scene.unplug(2.0, "take")
        await scene.hands("take", 3.0)
    return scene


async def power_lost_log_kept(make: Callable[..., Scene]) -> Scene:
    """A new boot, and the old one's log survived: nothing is missing."""
    async with make("progressive", keeps_log=True) as scene:
        await scene.want(Level.LOCKOUT, "released")
        await scene.hands("put_chip", seat=2, sensor=1)
        await scene.power_loss(1.0)
        await asyncio.sleep(3.0)
    return scene


async def power_lost_log_lost(make: Callable[..., Scene]) -> Scene:
    """A new boot without the old log: the rest of the old boot is lost, and said so."""
    async with make("progressive") as scene:
        await scene.want(Level.LOCKOUT, "released")
        await scene.hands("put_chip", seat=2, sensor=1)
        await scene.power_loss(1.0)
        await asyncio.sleep(3.0)
    return scene


async def firmware_hangs(make: Callable[..., Scene]) -> Scene:
    """Silent for seven seconds: suspect, then stale, then back; later it restarts under us."""
    async with make("shuffler") as scene:
        await asyncio.sleep(1.0)
        await scene.hang(7.0)
        await asyncio.sleep(4.0)
        scene.reboot()
        await asyncio.sleep(4.0)
    return scene


async def wrong_device(make: Callable[..., Scene]) -> Scene:
    """Another serial number than the one expected: welcomed, judged, and left."""
    async with make("progressive", serial="SIM-another") as scene:
        await asyncio.sleep(1.0)
    return scene


async def sealed_session(make: Callable[..., Scene]) -> Scene:
    """Both ends prove the key that everybody knows, and seal every frame; the log is chained over an outage."""
    with TemporaryDirectory() as folder:
        async with make("progressive", key_file=public_key_in(Path(folder))) as scene:
            await scene.want(Level.LOCKOUT, "released")
            await scene.hands("put_chip", seat=2, sensor=1)
            await scene.want(Level.LOCKOUT, "engaged", 1.0)
            await scene.unplug(1.0, "lockout")
            await asyncio.sleep(2.0)
    return scene


def public_key_in(folder: Path) -> Path:
    """The key that everybody knows, as a file that a host takes."""
    folder.chmod(0o700)
    path = folder / "public.key"
    path.touch(0o600)
    path.write_bytes(PUBLIC_KEY)
    return path


SEALED = frozenset({"sealed-session"})
"""Scenes that are replayed with that key."""

SCENES: dict[str, Callable[[Callable[..., Scene]], Coroutine[Any, Any, Scene]]] = {
    "progressive-round": progressive_round,
    "shoe-jam": shoe_jam,
    "shuffler-cycle": shuffler_cycle,
    "noisy-wire": noisy_wire,
    "unplugged-in-the-deal": unplugged_in_the_deal,
    "power-lost-log-kept": power_lost_log_kept,
    "power-lost-log-lost": power_lost_log_lost,
    "firmware-hangs": firmware_hangs,
    "wrong-device": wrong_device,
    "sealed-session": sealed_session,
}


def _now() -> float:
    return asyncio.get_running_loop().time()
