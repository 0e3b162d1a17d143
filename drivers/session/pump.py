"""Runs one sans-I/O link end in the event loop: bytes and time go in, bytes and events come out, within one callback."""

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from drivers.errors import Fault
from drivers.protocol.constants import LOOP_LAG_S, SUSPEND_S
from drivers.protocol.host.device_time import DeviceTime
from drivers.protocol.host.link import Failed, HostEvent
from drivers.protocol.reports import Level
from drivers.session.origins import Asleep
from drivers.transport import WriteBufferFull

CLOCK_RESOLUTION_S = 0.001
"""The loop may call a timer this much early; such a timer has fired all the same."""

LOOK_NS, LOOKS = 50_000, 5
"""Two clocks that were read within this time of each other were read together; else they are read again, so often at most."""


class Link(Protocol):
    """The interface of a link end, as a session uses it."""

    def connect(self, now: float) -> None:
        """Starts a connection: the port has just been opened."""

    def receive(self, data: bytes, now: float) -> list[HostEvent]:
        """Takes bytes from the port and returns what they mean."""

    def tick(self, now: float) -> list[HostEvent]:
        """Lets the link act on the time `now` (seconds, monotonic) and returns what happened."""

    def next_deadline(self) -> float | None:
        """Returns when `tick` must be called next, in seconds; None: not before something happens."""

    def data_to_send(self) -> bytes:
        """Takes the bytes that the port must send now."""

    def acknowledge(self, boot: int, counter: int, now: float) -> None:
        """Tells the device that its reports of `boot` up to `counter` are on record."""

    def set_level(self, level: Level, value: str, operation: int, now: float) -> None:
        """Commands the device to set a level, under this operation number."""

    def read_levels(self, now: float) -> None:
        """Asks the device for its levels."""

    def measure(self, now: float) -> None:
        """Asks the device to measure its firmware."""

    def bye(self, now: float) -> None:
        """Says goodbye to the device before the port is closed."""

    def extend_deadlines(self, lag_s: float) -> None:
        """Moves all deadlines back by `lag_s`, the time for which the host itself stood still."""

    @property
    def time(self) -> DeviceTime | None:
        """The device's clock against the host's; None before the first comparison."""

    @property
    def counters(self) -> Mapping[str, int]:
        """Counts of damaged, repeated and lost frames since the link was made."""


class Pump:
    """Runs one link end from `start` to `stop`.

    `write(data)` sends; `handle(event)` takes each event and may call `stop`; `fail(error)` takes exceptions of
    both, so that an error ends the session.
    """

    def __init__(
        self,
        link: Link,
        *,
        write: Callable[[bytes], None],
        handle: Callable[[HostEvent], None],
        fail: Callable[[Exception], None],
    ) -> None:
        self.link = link
        self.received_ns = 0  # CLOCK_MONOTONIC of what is being handled
        asleep = asleep_s()
        self.asleep = Asleep(asleep, asleep)
        self._lags = 0
        self._lag_ms = 0
        self._write = write
        self._handle = handle
        self._fail = fail
        self._timer: asyncio.TimerHandle | None = None
        self._running = False
        self._over = (
            False  # the link's last event is a failure: it takes no requests, though some events still wait
        )

    @property
    def counters(self) -> Mapping[str, int]:
        """How often our own loop stood still past a deadline, and for how long."""
        return {Fault.HOST_LOOP_LAG.value: self._lags, "loop_lag_ms": self._lag_ms}

    def start(self) -> None:
        """Starts the link."""
        self._running = True
        self.received_ns = time.monotonic_ns()
        self.call(lambda link, now: link.connect(now))

    def stop(self) -> None:
        """Stops: nothing is handled, sent or timed any more."""
        self._running = False
        self._disarm()

    def call(self, request: Callable[[Link, float], None]) -> None:
        """Asks something of the link and sends the result; does nothing once the link has failed.

        Raises what `request` raises. If our own loop stood still, the link learns that first.
        """
        if self._running and not self._over:
            now = _now()
            self._look_at_timer(now)
            try:
                request(self.link, now)
            finally:
                self._settle()  # whatever was asked: a timer that was put aside is set again

    def finish(self) -> None:
        """Ends the link and takes its last events."""
        self.call(lambda link, now: link.bye(now))
        self._step(self.link.tick)

    def feed(self, data: bytes) -> None:
        """Takes bytes from the line, in the callback that read them."""
        self._step(partial(self.link.receive, data))

    def _on_timer(self) -> None:
        self._step(self.link.tick)

    def _step(self, work: Callable[[float], list[HostEvent]]) -> None:
        if not self._running:
            return
        now = _now()
        self.received_ns = time.monotonic_ns()
        try:
            self._look_at_timer(now)
            found = self._slept() or work(now)
            self._over = bool(found) and isinstance(found[-1], Failed)
            for event in found:
                if self._running:
                    self._handle(event)
        except Exception as exc:
            self.stop()
            self._fail(exc)
            return
        self._settle()

    def _slept(self) -> list[HostEvent]:
        """Ends this connection if the machine slept, so that the devices are asked anew."""
        first, before = self.asleep
        asleep = asleep_s()
        if asleep - before <= SUSPEND_S:
            self.asleep = Asleep(first, asleep)
            return []
        return [Failed(Fault.HOST_SUSPENDED, f"this machine slept for {asleep - before:.0f} s")]

    def _look_at_timer(self, now: float) -> None:
        """Removes a due timer. If our own loop stood still past it, the device is not to blame."""
        if self._timer is None or (late_s := now - self._timer.when()) < -CLOCK_RESOLUTION_S:
            return
        self._disarm()
        if late_s > LOOP_LAG_S:
            self._lags += 1
            self._lag_ms += int(late_s * 1000)
            self.link.extend_deadlines(late_s)

    def _settle(self) -> None:
        """Sends what waits and sets the timer. A timer that is too early does no harm."""
        if not self._running:
            return
        if data := self.link.data_to_send():
            try:
                self._write(data)
            except WriteBufferFull as exc:
                self._handle(Failed(Fault.LINK_IO_ERROR, str(exc)))
                return
        deadline = self.link.next_deadline()
        if deadline is None or (self._timer is not None and self._timer.when() <= deadline):
            return
        self._disarm()
        self._timer = asyncio.get_running_loop().call_at(deadline, self._on_timer)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def asleep_s() -> float:
    """Returns the seconds that this machine has slept since its boot."""
    nearest_ns, found_ns = 1 << 63, 0
    for _ in range(LOOKS):
        before = time.monotonic_ns()
        boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        took_ns = time.monotonic_ns() - before
        if took_ns < nearest_ns:
            nearest_ns, found_ns = took_ns, boot - before - took_ns // 2
        if took_ns < LOOK_NS:
            break
    return found_ns / 1e9


def _now() -> float:
    return asyncio.get_running_loop().time()
