"""A whole table in one loop: simulators on real pseudo-terminals, sessions, engine, a journal on disk, a subscriber.

The parts are those of the daemon, put together as `controller.daemon.app` does it; the loop is a `VirtualLoop`. Of the daemon
only signals, control socket and watchdog are missing; the broker is the one in memory, or a real one.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from controller.backoffice.envelope import read
from controller.backoffice.proof import look_at
from controller.clock import rfc3339
from controller.config.load import load_config
from controller.daemon.engine import Engine, last_reported, refusal
from controller.daemon.firmware_check import Measuring
from controller.daemon.views.state_topics import state_topics
from controller.journal.errors import JournalError
from controller.journal.record import Record, Stream
from controller.journal.recorder import FIRST, Recorder
from controller.journal.store import Journal
from controller.publish.broker.link import Code
from controller.publish.broker.memory import Delivery as Taken
from controller.publish.broker.memory import MemoryBroker
from controller.publish.config import PublishConfig
from controller.publish.publisher import Publisher
from controller.rules.vocabulary import Role
from controller.table.state.table import Setup
from controller.table.words import acts as a
from controller.table.words.inputs import Actor, ServiceStarted
from controller.table.words.link_news import LINK_NEWS
from drivers.device import Delivery, DeviceConfig, SessionState
from drivers.session import pump
from drivers.session.session import DeviceSession
from drivers.transport import SerialSettings, SerialTransport
from simulators.bench.options import SITE, TABLE, Options
from simulators.bench.subscriber import Delivered
from tests.faults.machine import Device, device_of
from tests.faults.real_broker import RealBroker
from tests.faults.virtual import VirtualClock, VirtualLoop

CALM_S = 1.0
"""Virtual seconds after which everything that follows from an act, and the first echoes of a new link, are through."""
BASE = f"tablewarden/v1/{SITE}/{TABLE}"
LOOK_S = 0.01
"""Virtual seconds between two looks at whether something has come about."""
PEOPLE = {"dealer": Role.DEALER, "floorperson": Role.FLOORPERSON, "supervisor": Role.SUPERVISOR}


@cache
def _bench_table(**asked: str) -> tuple[Setup, tuple[DeviceConfig, ...]]:
    """The table of a bench run, read once from a configuration file as any table's is."""
    import tempfile

    from simulators.bench.broker import Broker
    from simulators.bench.rig import Rig as Names

    with tempfile.TemporaryDirectory() as room:
        names = Names(Options(**asked), Path(room))
        names.write_config(Broker("memory"))
        config = load_config(names.config)
    return config.setup(), config.devices


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


class _DenyingBroker(MemoryBroker):
    """A broker in memory with an ACL. `denied`: ends of the topics that the table may not write."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.denied: set[str] = set()
        self.judge = self._judge

    def _judge(self, delivery: Taken) -> int:
        denied = any(delivery.topic.endswith(f"/{topic}") for topic in self.denied)
        return Code.NOT_AUTHORIZED if denied else Code.SUCCESS


class Rig:
    """One table from `up` to `close`. `broker.deliveries` is what a subscriber got.

    `broker`: a real one, None = one in memory. `asked`: of the table, by the names of the bench's options.
    """

    def __init__(
        self,
        room: Path,
        *,
        seed: int = 1,
        keyed: bool = False,
        broker: RealBroker | None = None,
        **asked: str,
    ) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        self.loop, self.room, self.seed = loop, room, seed
        self.clock = VirtualClock(loop)
        self.setup, configs = _bench_table(**asked)
        self.devices = {c.name: device_of(c, room, seed, keyed=keyed) for c in configs}
        self.broker = broker or _DenyingBroker(keep=None)
        self.path = room / "journal.sqlite"
        self.failed: Exception | None = None
        self._asleep, pump.asleep_s = pump.asleep_s, loop.asleep_s
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
            device.delivered.clear()
            device.session = self._session(device, rng)
            self.engine.devices[name] = device.session
        self.publisher = self._publisher(rng)
        self.engine.on_news(self.publisher.wake)
        self.engine.on_news(Measuring(self.engine, {n: d.session for n, d in self.devices.items()}).wake)
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
            device.delivered[delivery.body.kind] += 1
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
        def states() -> dict[str, dict[str, object] | None]:
            head = self.journal.heads()[Stream.MAIN]
            topics = state_topics(self.setup, self.engine.state)
            beside = {"sequence": head, "time": rfc3339(self.clock.stamp().wall_us)}
            return {k: v and {**v, **beside} for k, v in topics.items()}

        def report(kind: str, **data: object) -> None:
            self.engine.submit("table", LINK_NEWS[kind](**data))

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
        pump.asleep_s = self._asleep
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
        device = device_of(config, self.room, self.seed + 1)
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
        said = refusal(told.fact for told in await self.engine.act(act, Actor(who, role)))
        assert said is None, f"{act.kind}: {said}"

    async def open_table(self) -> None:
        """The sets are brought, and the table is opened."""
        for back in self.setup.backs:
            await self.act(a.BringSet(back, preshuffled=True), "floorperson")
        await self.act(a.OpenTable(), "floorperson")

    async def open_betting(self) -> None:
        """A round in which wagers are taken and the lock-out is released, by people's acts."""
        await self.open_table()
        await self.act(a.BeginRound("red"))
        await self.act(a.PlaceWager(1, "ante", 1000), "player-1")
        await self.act(a.PlaceWager(1, "blind", 1000), "player-1")
        lock = self.devices["progressive-1"]
        await self.until(lambda: lock.state("lockout") == "released", "the lock-out is released")
        await asyncio.sleep(CALM_S)

    def settled(self) -> bool:
        """Every report that any device made is on record or declared lost."""
        return all(device.is_settled(self.journal) for device in self.devices.values())

    # -- evidence -------------------------------------------------------------------------------------------------

    def records(self, *streams: Stream) -> list[Record]:
        journal = Journal.open_readonly(self.path)
        try:
            return list(journal.records(streams or tuple(Stream), {}))
        finally:
            journal.close()

    def told(self, stream: Stream) -> list[dict[str, Any]]:
        """What a consumer holds of a stream that proves each event, and drops repeats by their id."""
        topic = f"{BASE}/evt/{stream.value}"
        taken: Iterable[Taken | Delivered] = (d for d in self.broker.deliveries if d.topic == topic)
        events: dict[str, dict[str, Any]] = {}
        for delivery in taken:
            event = json.loads(delivery.payload)
            assert look_at(read(delivery.payload)) == ()
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
