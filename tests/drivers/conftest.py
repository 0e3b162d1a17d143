"""A small device on a cable, an owner that records, and virtual time, for the sessions' tests."""

import asyncio
import random
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from drivers import events
from drivers.device import Delivery, DeviceConfig, SessionStatus
from drivers.protocol.device.link import Acknowledged, DeviceEvent, DeviceLink, HostFound, HostLost, LevelRequested
from drivers.protocol.device.log import ReportLog
from drivers.protocol.messages import Identity
from drivers.protocol.reports import (
    ENGAGED,
    SAFE_VALUE,
    SIMULATED_VENDOR,
    Capability,
    DeviceKind,
    Level,
    Levels,
    Report,
)
from drivers.session.session import DeviceSession
from drivers.transport import LoopbackCable

PROGRESSIVE = Identity(
    DeviceKind.PROGRESSIVE, SIMULATED_VENDOR, "tiny progressive", "1", "P-1", "1.0",
    capabilities=(Capability.EVENT_LOG, Capability.LOCKOUT, Capability.SENSES_WAGERS),
)  # fmt: skip


class TinyDevice:
    """A progressive of a few lines: a lock-out, a log, and switches for how it misbehaves.

    Bytes come through `feed` and leave through `write`; it keeps no port itself.
    """

    def __init__(self, write: Callable[[bytes], None], identity: Identity = PROGRESSIVE) -> None:
        self.write = write
        self.identity = identity
        self.log = ReportLog()
        self.boots = 0
        self.asked: list[LevelRequested] = []
        self.acknowledged: list[tuple[int, int]] = []
        self.found = self.lost = 0
        self.deaf = False  # takes no bytes
        self.mute = False  # sends no bytes
        self.silent = False  # does not answer level requests
        self.refuses = False
        self.lockout = ENGAGED
        self.key: bytes | None = None
        self.image: bytes | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.power_up()

    def power_up(self, log: ReportLog | None = None) -> None:
        """A new boot; `log`: the one that survived, None = it was lost."""
        self.boots += 1
        self.lockout = ENGAGED
        self.log = ReportLog() if log is None else log
        rng = random.Random(self.boots)
        self.link = DeviceLink(
            self.identity, boot=self.boots, entropy=rng.randbytes, log=self.log, key=self.key, image=self.image
        )
        self.link.set_levels(Levels(lockout=self.lockout))

    def report(self, report: Report) -> int:
        counter = self.link.report(report, 1000)
        self._settle()
        return counter

    def feed(self, data: bytes) -> None:
        if not self.deaf:
            self._handle(self.link.receive(data, _now()))

    def off(self) -> None:
        """No timers any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        self._timer = None
        self._handle(self.link.tick(_now()))

    def _handle(self, found: list[DeviceEvent]) -> None:
        for event in found:
            match event:
                case LevelRequested():
                    self._obey(event)
                case Acknowledged(boot, counter):
                    self.acknowledged.append((boot, counter))
                case HostFound():
                    self.found += 1
                case HostLost():
                    self.lost += 1
                    self._set(SAFE_VALUE[Level.LOCKOUT])
        self._settle()

    def _obey(self, request: LevelRequested) -> None:
        self.asked.append(request)
        if self.silent:
            return
        if not self.refuses:
            self._set(request.value)
        self.link.answer(request, not self.refuses, text="not now")

    def _set(self, value: str) -> None:
        self.lockout = value
        self.link.set_levels(Levels(lockout=value))

    def _settle(self) -> None:
        data = self.link.data_to_send()
        if data and not self.mute:
            self.write(data)
        self.off()
        if (deadline := self.link.next_deadline()) is not None:
            self._timer = asyncio.get_running_loop().call_at(deadline, self._tick)


class Recorder:
    """An owner: keeps all deliveries and states; `full` makes it say that its queue is nearly full."""

    def __init__(self) -> None:
        self.deliveries: list[Delivery] = []
        self.states: list[SessionStatus] = []
        self.full = False
        self.on_delivery: Callable[[Delivery], None] = lambda _: None

    def deliver(self, delivery: Delivery) -> bool:
        self.deliveries.append(delivery)
        self.on_delivery(delivery)
        return not self.full

    def bodies(self, *kinds: type) -> list[Any]:
        return [d.body for d in self.deliveries if isinstance(d.body, kinds)]

    @property
    def counters(self) -> list[tuple[str, int]]:
        """(boot, counter) of each report in the order of delivery."""
        return [(d.origin.boot, d.origin.counter) for d in self.deliveries if d.origin is not None]

    @property
    def ups_and_downs(self) -> list[str]:
        """The kinds of all comings and goings."""
        kinds = (events.DeviceOnline, events.DeviceOffline, events.DeviceRejected)
        return [body.kind for body in self.bodies(*kinds)]


class Bench:
    """A tiny device and a session at the two ends of an in-process cable."""

    def __init__(self, **config: Any) -> None:
        self.cable = LoopbackCable()
        self.far = self.cable.device(self._to_device, lambda *_: None)
        self.device = TinyDevice(self.far.write)
        self.owner = Recorder()
        self.opened = 0
        defaults = {"name": "prog-1", "kind": DeviceKind.PROGRESSIVE, "path": "cable", "accept_test_only": True}
        self.config = DeviceConfig(**{**defaults, **config})
        self.session = self.new_session(None)
        self.task: asyncio.Task[None] | None = None

    def _to_device(self, data: bytes) -> None:
        self.device.feed(data)

    def new_session(self, last: tuple[str, int] | None, **more: Any) -> DeviceSession:
        def cable(_: DeviceConfig, on_data: Any, on_lost: Any) -> Any:
            return self.cable.host(on_data, on_lost)

        self.session = DeviceSession(
            self.config,
            deliver=self.owner.deliver,
            entropy=random.Random(5).randbytes,
            rng=random.Random(6),
            last=last,
            transport_factory=cable,
            on_state=self.owner.states.append,
            **more,
        )
        return self.session

    async def __aenter__(self) -> "Bench":
        await self.far.open()
        self.task = asyncio.ensure_future(self.session.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop_session()
        self.device.off()
        await self.far.close(0)

    async def stop_session(self) -> None:
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait({self.task})
            if not self.task.cancelled() and (error := self.task.exception()) is not None:
                raise error
            self.task = None

    async def unplug(self) -> None:
        self.cable.unplug()
        self.device.off()
        await self.far.close(0)

    async def plug(self) -> None:
        self.cable.plug()
        await self.far.open()

    async def until(self, condition: Callable[[], object], within_s: float, what: str = "") -> float:
        """Waits on the loop's clock; returns the seconds it took."""
        start = _now()
        while not condition():
            assert _now() - start <= within_s, f"not within {within_s} s: {what}; {self.session.status}"
            await asyncio.sleep(0.01)
        return _now() - start

    async def until_online(self, times: int = 1, within_s: float = 10.0) -> float:
        online = events.DeviceOnline
        return await self.until(
            lambda: len(self.owner.bodies(online)) >= times, within_s, f"online for time {times}"
        )


class _Jump(selectors.DefaultSelector):
    """Waits no time: moves the loop's clock instead."""

    loop: "VirtualLoop"

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0)
        if not found:
            assert timeout is not None, "everything waits and no timer runs: a deadlock"
            self.loop.virtual_s += max(0.0, timeout)
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop on virtual time: hours pass in the moment it takes to run what is due in them."""

    def __init__(self) -> None:
        selector = _Jump()
        super().__init__(selector)
        self.virtual_s = 1000.0
        selector.loop = self

    def time(self) -> float:
        return getattr(self, "virtual_s", 0.0)


def _now() -> float:
    return asyncio.get_running_loop().time()


@pytest.fixture
def virtual() -> Callable[[Coroutine[Any, Any, None]], None]:
    """Runs a coroutine to its end on virtual time."""

    def run(coroutine: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(coroutine)
            left = asyncio.all_tasks(runner.get_loop())
            assert not left, f"tasks left running: {left}"

    return run


@pytest.fixture
def bench() -> type[Bench]:
    """The bench's class: make one inside the loop."""
    return Bench


@pytest.fixture
def tiny_device() -> type[TinyDevice]:
    return TinyDevice


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()
