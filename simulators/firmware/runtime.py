"""The shell of a simulated device: cable, power and timer in one event loop."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol

from drivers.protocol.records import dataclass
from drivers.protocol.reports import ResetCause
from simulators.cable.port import Port
from simulators.devices.model import ActImpossible, Done, Model
from simulators.firmware.log import EventLog
from simulators.scenario.faults import WIRE, Fault, parse

KERNEL_S = 0.05
"""Bytes just written may still be on their way through the kernel's tty layer; only after this can they be dropped."""

MakePort = Callable[[Callable[[bytes], None]], Port]


class Simulated(Protocol):
    """The interface of what runs at the end of the cable."""

    @property
    def model(self) -> Model:
        """The model of the mechanics behind the firmware."""

    @property
    def is_hung(self) -> bool:
        """True while the firmware hangs and does nothing."""

    @property
    def host_here(self) -> bool:
        """True while the device hears its host."""

    @property
    def counters(self) -> Mapping[str, int]:
        """Counts of what passed on the link."""

    def power_on(self, now: float, cause: ResetCause) -> None:
        """Switches the device on. Raises ActImpossible if it is on."""

    def power_off(self, now: float) -> None:
        """Cuts the device's power. Raises ActImpossible if it is off."""

    def reboot(self, now: float, cause: ResetCause) -> None:
        """Cuts the power and switches the device on again, for this cause."""

    def hang(self, now: float) -> None:
        """Stops the firmware; the device then neither hears nor answers."""

    def wake(self, now: float) -> None:
        """Ends a hang of the firmware. Raises ActImpossible if nothing hangs."""

    def receive(self, data: bytes, now: float) -> None:
        """Takes bytes from the host."""

    def tick(self, now: float) -> None:
        """Lets the device act on the time, in seconds."""

    def next_deadline(self) -> float | None:
        """Returns when `tick` must be called next, in seconds; None: not before something happens."""

    def due_fault(self, now: float) -> Fault | None:
        """Takes the next fault of the link or the power that is due; None if none is."""

    def arm(self, fault: Fault, now: float) -> bool:
        """Arms a coming fault, or begins a lasting one; returns True for the latter."""
        ...

    def calm(self) -> None:
        """Ends lasting faults and disarms coming ones."""
        ...

    def data_to_send(self) -> bytes:
        """Takes the bytes that the port must send now."""

    def act(self, name: str, given: Mapping[str, object], now: float) -> Done:
        """Does what a person does at the device, such as pressing a button. Raises ActImpossible."""

    def state(self) -> dict[str, object]:
        """Returns the device's state for the simulator's socket."""


@dataclass(frozen=True, slots=True)
class _Awaited:
    """A caller that waits until `true` holds."""

    true: Callable[[], bool]
    seen: asyncio.Future[None]


class Simulator:
    """Runs a simulated device in one event loop. Public methods but `run` and `until` act at once and may raise
    `ActImpossible`.

    `speed`: of the device's mechanics. `drops_unread`: bytes that a lost host has not read are dropped, so that
    the next host finds no ghost bytes.
    """

    def __init__(
        self,
        device: Simulated,
        log: EventLog,
        make_port: MakePort,
        *,
        drops_unread: bool = False,
        speed: float = 1.0,
    ) -> None:
        self.device, self.log, self.speed = device, log, speed
        self._drops_unread = drops_unread
        self.port = make_port(self._on_data)
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._timer: asyncio.TimerHandle | None = None
        self._ahead_s = 0.0
        self._later: set[asyncio.TimerHandle] = set()
        self._awaited: list[_Awaited] = []

    async def run(self) -> None:
        """Powers up and runs until `stop`; leaves no port, name or timer behind. A bug ends it with its exception."""
        try:
            self.power_on()
            await self._ended
        finally:
            for timer in (self._timer, *self._later):
                if timer:
                    timer.cancel()
            self.port.unplug()

    def stop(self) -> None:
        """Ends the simulator's `run`."""
        if not self._ended.done():
            self._ended.set_result(None)

    def act(self, name: str, given: Mapping[str, object]) -> Done:
        """Does what hands do at the device; the models list what is possible."""
        try:
            return self.device.act(name, given, self._now())
        finally:
            self._settle()

    def power_on(self, cause: ResetCause = ResetCause.POWER) -> None:
        """Switches the device on, and plugs the cable in if it is out."""
        self.device.power_on(self._now(), cause)
        if not self.port.is_plugged:
            self.replug()
        self._settle()

    def power_off(self, for_s: float = 0.0) -> None:
        """Cuts power and port; both return after `for_s` seconds (0 = at `power_on`)."""
        self.device.power_off(self._now())
        if self.port.is_plugged:
            self.unplug()
        self._after(for_s, self.power_on)

    def unplug(self, for_s: float = 0.0) -> None:
        """Unplugs the cable; the device runs on. The cable returns after `for_s` seconds (0 = at `replug`)."""
        if not self.port.is_plugged:
            raise ActImpossible("the cable is out already")
        self.port.unplug()
        self.log("link", {"state": "unplugged"})
        self._after(for_s, self.replug)

    def replug(self) -> None:
        """Plugs the cable in. Raises ActImpossible if the cable is in."""
        if self.port.is_plugged:
            raise ActImpossible("the cable is in already")
        self.port.plug()
        self.log("link", {"state": "plugged", "path": str(self.port.link)})
        self._settle()

    def hang(self, for_s: float = 0.0) -> None:
        """Stops the firmware for `for_s` seconds (0 = until `wake`); the port stays open and silent."""
        self.device.hang(self._now())
        if self.port.is_plugged:
            self.port.pause()
        self._after(for_s, self.wake)

    def wake(self) -> None:
        """Ends a hang of the firmware. Raises ActImpossible if nothing hangs."""
        self.device.wake(self._now())
        if self.port.is_plugged:
            self.port.resume()
        self._settle()

    def reboot(self, cause: ResetCause = ResetCause.WATCHDOG) -> None:
        """Restarts the firmware at once; the port stays open."""
        was_hung = self.device.is_hung
        self.device.reboot(self._now(), cause)
        if was_hung and self.port.is_plugged:
            self.port.resume()
        self._settle()

    def sleep_host(self, seconds: float) -> None:
        """Simulates that the host slept: time went on here and stood still there."""
        self._ahead_s += seconds
        self._settle()

    @property
    def kind(self) -> str:
        """The device's name in scenarios."""
        return str(self.device.model.kind)

    @property
    def faults_as(self) -> str:
        """The device whose faults this one can have, by the names of `fault_kind`."""
        return self.device.model.kind

    def inject(self, text: str) -> None:
        """Arms a fault written as on the command line. Raises `FaultError`."""
        fault = parse(text, self.faults_as)
        if fault.name in WIRE:
            self.port.wire.add(fault)
            self.log("fault", {"fault": text, "occasion": self.device.model.occasion})
        elif self.device.arm(fault, self._now()):
            self.log("fault", {"fault": text, "occasion": self.device.model.occasion})
        self._settle()

    def heal(self) -> None:
        """Ends all faults of cable and firmware and disarms coming ones."""
        self.port.heal()
        self.device.calm()
        self.log("healed", {})
        self._settle()

    def state(self) -> dict[str, object]:
        """Returns the device's state, whether its cable is in, and the armed faults."""
        armed = [str(fault) for fault in self.device.model.faults.armed]
        return {
            **self.device.state(),
            "plugged": self.port.is_plugged,
            "overruns": self.port.overruns,
            "armed": armed,
        }

    async def until(self, key: str, value: object, timeout_s: float) -> None:
        """Waits until the state has `value` under `key`. Raises `TimeoutError`."""
        await self.until_true(lambda: self.state().get(key) == value, timeout_s)

    async def until_true(self, true: Callable[[], bool], timeout_s: float) -> None:
        """Waits until `true()` holds, checked now and after each event. Raises `TimeoutError`."""
        if true():
            return
        awaited = _Awaited(true, self._loop.create_future())
        self._awaited.append(awaited)
        try:
            async with asyncio.timeout(timeout_s):
                await awaited.seen
        finally:
            self._awaited.remove(awaited)

    def _now(self) -> float:
        return self._loop.time() + self._ahead_s

    def _after(self, for_s: float, back: Callable[[], None]) -> None:
        """Calls `back` in `for_s` seconds unless it was undone before (0 = never)."""
        if for_s > 0:
            self._schedule(for_s, back)
        self._settle()

    def _schedule(self, for_s: float, act: Callable[[], None]) -> None:
        def run() -> None:
            self._later.discard(timer)
            try:
                act()
            except ActImpossible:
                self.log("act", {"name": act.__name__, "ok": False, "error": "was done before its time came"})
            except Exception as exc:
                self._fail(exc)

        timer = self._loop.call_later(for_s, run)
        self._later.add(timer)

    def _drop_unread(self) -> None:
        if not self.device.host_here:
            self.port.flush()
            self.log("link", {"state": "unread_dropped"})

    def _on_data(self, data: bytes) -> None:
        try:
            self.device.receive(data, self._now())
            self._settle()
        except Exception as exc:
            self._fail(exc)

    def _on_timer(self) -> None:
        self._timer = None
        try:
            self._settle()
        except Exception as exc:
            self._fail(exc)

    def _fail(self, exc: Exception) -> None:
        """Ends the simulator with the exception of a bug."""
        if not self._ended.done():
            self._ended.set_exception(exc)

    def _settle(self) -> None:
        """Runs what is due, sends what waits, wakes waiting callers, and sets the timer."""
        now = self._now()
        host_was_here = self.device.host_here
        self.device.tick(now)
        if host_was_here and not self.device.host_here and self._drops_unread:
            self._schedule(KERNEL_S, self._drop_unread)
        self.port.write(self.device.data_to_send())
        if fault := self.device.due_fault(now):
            self._carry_out(fault)
            return
        for awaited in self._awaited:
            if not awaited.seen.done() and awaited.true():
                awaited.seen.set_result(None)
        if self._timer:
            self._timer.cancel()
        deadline = self.device.next_deadline()
        self._timer = None if deadline is None else self._loop.call_at(deadline - self._ahead_s, self._on_timer)

    def _carry_out(self, fault: Fault) -> None:
        """Carries out a fault of the whole device; one that is impossible now changes nothing."""
        try:
            match fault.name:
                case "hang":
                    self.hang(fault.real("for"))
                case "unplug":
                    self.unplug(fault.real("for"))
                case "power_loss":
                    self.power_off(fault.real("for"))
                case "reboot":
                    self.reboot()
        except ActImpossible:
            self._settle()
