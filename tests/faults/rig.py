"""A whole table in one loop: simulators on real pseudo-terminals, sessions, engine, a journal on disk, a subscriber.

The parts are those of the daemon, put together as `controller.app` does it; the loop is a `VirtualLoop`. Of the daemon
only signals, control socket and watchdog are missing, and the broker is the one in memory.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from hashlib import sha256
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

from controller.bench.options import SITE, TABLE, Options
from controller.config_file import load_config
from controller.engine import Engine, last_reported, refusal
from controller.journal.errors import JournalError
from controller.journal.record import Record, Stream
from controller.journal.recorder import FIRST, Recorder
from controller.journal.store import Journal
from controller.publish.memory import Delivery as Taken
from controller.publish.memory import MemoryBroker
from controller.publish.publisher import PublishConfig, Publisher
from controller.rules.vocabulary import Role
from controller.status import state_documents
from controller.table import acts as a
from controller.table.inputs import Actor, BrokerChanged, ServiceStarted
from controller.table.state import Setup
from drivers.catalog import Approval, Firmware
from drivers.protocol.constants import KEY_SIZE
from drivers.protocol.messages import Identity
from drivers.protocol.reports import SIMULATED_VENDOR, Back, DeviceKind
from drivers.session import Delivery, DeviceConfig, DeviceSession, SessionState, SessionStatus
from drivers.transport import SerialSettings, SerialTransport
from simulators import shoe, shuffler
from simulators.body import CardSettings
from simulators.device import SimulatedDevice
from simulators.faults import FaultBook
from simulators.log import EventLog
from simulators.model import DISPLAY_CHARS, Model
from simulators.port import PtyPort
from simulators.progressive import Progressive, ProgressiveSettings
from simulators.runtime import Simulator
from simulators.wire import Wire
from tests.faults.virtual import VirtualClock, VirtualLoop

CALM_S = 1.0
"""Virtual seconds after which everything that follows from an act, and the first echoes of a new link, are through."""
BASE = f"tablewarden/v1/{SITE}/{TABLE}"
LOOK_S = 0.01
"""Virtual seconds between two looks at whether something has come about."""
MAKER, IMAGE = "a maker", Random(7).randbytes(4096)
"""Of devices with a key: they are judged as a maker's would be, and measured."""
PEOPLE = {"dealer": Role.DEALER, "floorperson": Role.FLOORPERSON, "supervisor": Role.SUPERVISOR}


@cache
def _bench_table(rulebook: str) -> tuple[Setup, tuple[DeviceConfig, ...]]:
    """The table of a bench run, read once from a configuration file as any table's is."""
    import tempfile

    from controller.bench.broker import Broker
    from controller.bench.rig import Rig as Names

    with tempfile.TemporaryDirectory() as room:
        names = Names(Options(rulebook=rulebook), Path(room))
        names.write_config(Broker("memory"))
        config = load_config(names.config)
    return config.setup(), config.devices


def _key_file(room: Path, key: bytes) -> Path:
    path = room / "key"
    path.touch(mode=0o600)
    path.write_bytes(key)
    return path


def _approved(kind: DeviceKind) -> Firmware:
    return Firmware(MAKER, f"simulated {kind}", kind, sha256(IMAGE).digest(), Approval.APPROVED, IMAGE)


class Device:
    """One simulated device of the table and the session that serves it."""

    def __init__(self, config: DeviceConfig, room: Path, seed: int, *, keyed: bool = False) -> None:
        self.kind = config.kind
        self.key, self.image = (Random(seed).randbytes(KEY_SIZE), IMAGE) if keyed else (None, None)
        self.config = replace(config, path=str(room / config.name))
        if self.key is not None:
            self.config = replace(
                self.config, key_file=_key_file(room, self.key), approved=(_approved(self.kind),)
            )
        self.out = StringIO()
        self.log = EventLog(self.out)
        self.session: DeviceSession
        self.states: list[SessionStatus] = []
        self._awaited: list[tuple[SessionState, asyncio.Future[None]]] = []
        self.host_in = self.host_out = 0
        self.is_read = False
        self._out_0 = self._in_0 = 0
        self.simulator = self._simulator(seed)

    def _simulator(self, seed: int) -> Simulator:
        book = FaultBook([], self.log)
        rng = Random(f"{seed}/{self.kind}")
        model: Model
        match self.kind:
            case DeviceKind.SHUFFLER:
                backs = (Back.RED, Back.BLUE)
                model = shuffler.build(CardSettings((), backs, prefix="S", reads=True), rng, book, self.log)
            case DeviceKind.SHOE:
                model = shoe.build(CardSettings((2, 2), (), False, True, prefix="D"), rng, book, self.log)
            case _:
                model = Progressive(ProgressiveSettings(), book, self.log)
        vendor, digest = (MAKER, sha256(IMAGE).digest()) if self.key else (SIMULATED_VENDOR, bytes(32))
        who = Identity(
            self.kind, vendor, f"simulated {self.kind}", "pty", str(self.config.serial), "1.0.0", digest,
            capabilities=model.capabilities, display=DISPLAY_CHARS,
        )  # fmt: skip
        now = asyncio.get_running_loop().time()
        device = SimulatedDevice(
            model, who, self.log, entropy=rng.randbytes, now=now, key=self.key, image=self.image
        )
        wire = Wire([], Random(f"{seed}/{self.kind}/wire"))
        link = Path(self.config.path)
        return Simulator(device, self.log, lambda on_data: CountedPort(self, link, on_data, wire))

    def moved(self, status: SessionStatus) -> None:
        """The session is in another state."""
        self.states.append(status)
        for state, reached in self._awaited:
            if state == status.state and not reached.done():
                reached.set_result(None)

    async def reaches(self, state: SessionState) -> None:
        """Returns in the very turn in which the session comes into this state."""
        reached: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited.append((state, reached))
        async with asyncio.timeout(30.0):
            await reached

    def noted(self, what: str) -> list[dict[str, Any]]:
        """Lines of the device's own record."""
        lines = [json.loads(line) for line in self.out.getvalue().splitlines()]
        return [line for line in lines if line["what"] == what]

    def state(self, key: str) -> Any:
        return self.simulator.state()[key]

    def bytes_under_way(self) -> bool:
        """Whether the kernel still has bytes that one side wrote and the other is going to read."""
        port = self.simulator.port
        if not (port.is_plugged and self.is_read):
            return False
        to_host = port.bytes_out - self._out_0 > self.host_in
        return to_host or (not self.simulator.device.is_hung and self.host_out > port.bytes_in - self._in_0)

    def count_anew(self, port: PtyPort) -> None:
        """A cable that was plugged in is a new terminal; what an old one held is gone."""
        self._out_0, self._in_0 = port.bytes_out, port.bytes_in
        self.host_in = self.host_out = 0


class CountedPort(PtyPort):
    """The simulator's own port; counting starts with each terminal."""

    def __init__(self, device: Device, link: Path, on_data: Callable[[bytes], None], wire: Wire) -> None:
        super().__init__(link, on_data, wire)
        self._device = device

    def plug(self) -> None:
        super().plug()
        self._device.count_anew(self)


class CountingTransport(SerialTransport):
    """The daemon's own transport; the device at the other end knows how much the host has written and read."""

    def __init__(self, rig: "Rig", device: Device, on_data: Callable[[bytes], None], on_lost: Any) -> None:
        def count(data: bytes) -> None:
            self._peer.host_in += len(data)
            on_data(data)

        super().__init__(device.config.path, SerialSettings(baud=device.config.baud), count, on_lost)
        self._rig, self._peer = rig, device

    async def open(self) -> None:
        await super().open()
        self._peer = self._rig.device_at(self._path) or self._peer
        self._peer.is_read = True

    def _writable(self) -> None:
        waiting = len(self._out)
        super()._writable()
        if not self._lost:
            self._peer.host_out += waiting - len(self._out)

    async def close(self, deadline_s: float = 2.0) -> None:
        self._peer.is_read = False
        await super().close(deadline_s)


class Rig:
    """One table from `up` to `close`. `broker.deliveries` is what a subscriber got."""

    def __init__(self, room: Path, *, seed: int = 1, rulebook: str = "md-uth", keyed: bool = False) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        self.loop, self.room, self.seed = loop, room, seed
        self.clock = VirtualClock(loop)
        self.setup, configs = _bench_table(rulebook)
        self.devices = {c.name: Device(c, room, seed, keyed=keyed) for c in configs}
        self.broker = MemoryBroker(keep=None)
        self.path = room / "journal.sqlite"
        self.failed: Exception | None = None
        self._tasks: list[asyncio.Task[Any]] = []
        self._simulators: list[asyncio.Task[None]] = []
        self._others: list[Device] = []

    # -- starting and ending --------------------------------------------------------------------------------------

    async def up(self) -> None:
        """Everything runs and every device is online."""
        await self.devices_up()
        self.daemon_up()
        await self.until(self.all_online, "every device is online")

    async def devices_up(self) -> None:
        for name, device in self.devices.items():
            self._simulators.append(asyncio.create_task(device.simulator.run(), name=f"simulator {name}"))
            self.loop.under_way.append(device.bytes_under_way)
        await asyncio.sleep(0)

    def daemon_up(self) -> None:
        """A start of the daemon: the journal is opened, folded, and goes on."""
        self.journal = Journal.open(self.path, site=self.setup.site, table=self.setup.table)
        self.recorder = Recorder(self.journal, self.clock)
        self.recorder._were_slow.extend(
            [False] * FIRST
        )  # commits run in the loop: virtual time stands still in them
        self.engine = Engine(self.setup, self.journal, self.recorder, self.clock)
        self.engine.fold_record()
        rng = Random(self.seed)
        for name, device in self.devices.items():
            device.session = self._session(device, rng)
            self.engine.devices[name] = device.session
        self.publisher = self._publisher(rng)
        self.engine.on_news(self.publisher.wake)
        book = self.setup.law.rulebook
        self.engine.submit("table", ServiceStarted("faults", book.id, book.edition, book.sha256))
        runs = {f"session {n}": d.session.run() for n, d in self.devices.items()}
        runs |= {"engine": self.engine.run(), "publisher": self.publisher.run()}
        self._tasks = [asyncio.create_task(self._guarded(run), name=name) for name, run in runs.items()]

    async def _guarded(self, run: Any) -> None:
        """What ends a part with an error ends the daemon; here it is kept for the judge."""
        try:
            await run
        except Exception as exc:
            self.failed = self.failed or exc
            for task in self._tasks:
                if task is not asyncio.current_task():
                    task.cancel()

    def _session(self, device: Device, rng: Random) -> DeviceSession:
        def deliver(delivery: Delivery) -> bool:
            return self.engine.submit(delivery.device, delivery.body, origin=delivery.origin)

        last = last_reported(self.journal, str(device.config.serial))
        return DeviceSession(
            device.config,
            deliver=deliver,
            entropy=Random(f"{self.seed}/{device.kind}/host/{self.loop.time()}").randbytes,
            rng=rng,
            last=(last.boot, last.counter) if last else None,
            chain=last.chain if last else None,
            transport_factory=lambda _, on_data, on_lost: CountingTransport(self, device, on_data, on_lost),
            on_state=device.moved,
        )

    def _publisher(self, rng: Random) -> Publisher:
        def states() -> dict[str, dict[str, object]]:
            head = self.journal.heads()[Stream.MAIN]
            return {k: {**v, "sequence": head} for k, v in state_documents(self.setup, self.engine.state).items()}

        def report(kind: str, **data: object) -> None:
            self.engine.submit("table", BrokerChanged(kind, ", ".join(f"{k}={v}" for k, v in data.items())))

        config = PublishConfig(self.setup.site, self.setup.table, "memory", self.setup.table)
        return Publisher(config, self.journal, states, self.clock, self.broker.link, rng, report)

    async def daemon_down(self) -> None:
        """The daemon ends at once; what is durable is all that is left of it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        try:
            await self.recorder.close()
        except JournalError as exc:
            self.failed = self.failed or exc

    async def close(self) -> None:
        if self._tasks:
            await self.daemon_down()
        for device in (*self.devices.values(), *self._others):
            device.simulator.stop()
            if device.bytes_under_way in self.loop.under_way:
                self.loop.under_way.remove(device.bytes_under_way)
        for ended in await asyncio.gather(*self._simulators, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended

    def device_at(self, path: str) -> Device | None:
        """Whose terminal a name leads to."""
        terminal = os.path.realpath(path)
        found = (d for d in (*self.devices.values(), *self._others) if d.simulator.port._name == terminal)
        return next(found, None)

    async def stranger(self, like: Device) -> Device:
        """A device of the same kind that belongs to another table, on a port of its own."""
        config = replace(like.config, name="stranger", serial="SIM-STRANGER")
        device = Device(config, self.room, self.seed + 1)
        self._simulators.append(asyncio.create_task(device.simulator.run(), name="simulator stranger"))
        self._others.append(device)
        self.loop.under_way.append(device.bytes_under_way)
        await asyncio.sleep(0.01)
        return device

    # -- waiting and doing ----------------------------------------------------------------------------------------

    async def until(self, true: Callable[[], Any], what: str, within_s: float = 30.0) -> float:
        """Waits in virtual time; returns the seconds that it took."""
        began = self.loop.time()
        while not true():
            assert self.failed is None, f"the daemon ended: {self.failed!r}"
            assert self.loop.time() - began < within_s, f"not within {within_s:g} s: {what}; {self.last_words()}"
            await asyncio.sleep(LOOK_S)
        return self.loop.time() - began

    def last_words(self) -> str:
        said = {name: d.session.status for name, d in self.devices.items()}
        held = [hold.reason for hold in self.engine.state.holds.values()]
        return f"{said}, holds {held}"

    def all_online(self) -> bool:
        return all(d.session.state is SessionState.ONLINE for d in self.devices.values())

    async def act(self, act: a.Act, who: str = "dealer") -> None:
        """A person's act; fails where it is refused."""
        role = PEOPLE.get(who, Role.PLAYER)
        said = refusal(await self.engine.act(act, Actor(who, role)))
        assert said is None, f"{act.kind}: {said}"

    async def open_betting(self) -> None:
        """A round in which wagers are taken and the lock-out is released, by people's acts."""
        for back in self.setup.backs:
            await self.act(a.BringSet(back, preshuffled=True), "floorperson")
        await self.act(a.OpenTable(), "floorperson")
        await self.act(a.BeginRound("red"))
        await self.act(a.PlaceWager(1, "ante", 1000), "player-1")
        await self.act(a.PlaceWager(1, "blind", 1000), "player-1")
        lock = self.devices["progressive-1"]
        await self.until(lambda: lock.state("lockout") == "released", "the lock-out is released")
        await asyncio.sleep(CALM_S)

    def settled(self) -> bool:
        """Every report that any device ever numbered in its present boot is on record or declared lost."""
        return all(self._is_settled(device) for device in self.devices.values())

    def _is_settled(self, device: Device) -> bool:
        link = device.simulator.state()["link"]
        assert isinstance(link, dict)
        return bool(link["acknowledged"] == link["reported"])

    # -- evidence -------------------------------------------------------------------------------------------------

    def records(self, *streams: Stream) -> list[Record]:
        journal = Journal.open_readonly(self.path)
        try:
            return list(journal.records(streams or tuple(Stream), {}))
        finally:
            journal.close()

    def told(self, stream: Stream) -> list[dict[str, Any]]:
        """What a consumer holds of a stream that drops repeats by their id."""
        topic = f"{BASE}/evt/{stream.value}"
        taken: Iterable[Taken] = (d for d in self.broker.deliveries if d.topic == topic)
        events: dict[str, dict[str, Any]] = {}
        for delivery in taken:
            event = json.loads(delivery.payload)
            assert events.setdefault(event["id"], event) == event, "two events of one id differ"
        return list(events.values())


@asynccontextmanager
async def table(room: Path, **options: Any) -> AsyncIterator[Rig]:
    """A rig that is not up yet; whatever happens, nothing of it is left."""
    rig = Rig(room, **options)
    try:
        yield rig
    finally:
        await rig.close()
