"""One device is one session: open, handshake, reports out, wanted levels in, and again after each failure.

A fault of the port becomes a state with a reason, never the end of the session. Reports reach the owner inside one
callback of the event loop. The session logs nothing; state, counters and the `on_state` callback say what happens.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import assert_never

from drivers import events
from drivers.catalog import ONLY_LINES
from drivers.commands import WantedLevel
from drivers.device import CONNECTED, KNOWN, Delivery, DeviceConfig, SessionState, SessionStatus
from drivers.errors import Fault, PortUnavailable
from drivers.events import LinkEvent, Origin, Report
from drivers.keys import KeyRefused
from drivers.protocol.chain import Place
from drivers.protocol.constants import FLOOD_BURST, FLOOD_PER_S
from drivers.protocol.host import link as host
from drivers.protocol.host.events import Damaged, Reused, Silence, Whole
from drivers.protocol.payloads import is_level_value
from drivers.protocol.texts import plain
from drivers.recording.flight_recorder import FlightRecorder
from drivers.recording.tap import Recorder
from drivers.session.assembly import TransportFactory, counts_itself, device_transport, link_end, tapped
from drivers.session.backoff import Backoff
from drivers.session.edge import Allowance, fit_to_show
from drivers.session.health import Health
from drivers.session.ledger import Acknowledgements, Wishes
from drivers.session.origins import Origins, boot_words, came_online, lost, measured
from drivers.session.pump import Pump

REJECTED_RETRY_S = 60.0
"""Wait after a device was rejected: a person must act, and a wrong device is not asked more than once a minute."""


class DeviceSession:
    """One device for the life of the daemon. Everything is called, and calls back, in one event loop.

    `deliver(delivery)`: takes each delivery at once; False = the owner's queue is nearly full, then reports are no
    longer acknowledged until those delivered are durable. `last`: (boot, counter) of the last durable report, None =
    none; `chain`: of its `Origin`. `on_state(status)`: called with each change. `rng` varies waits only. `recorder`: writes the
    wire down. `frames`: folder for the last frames of the link when something has to be explained.
    """

    def __init__(
        self,
        config: DeviceConfig,
        *,
        deliver: Callable[[Delivery], bool],
        entropy: Callable[[int], bytes],
        rng: random.Random,
        last: tuple[str, int] | None = None,
        chain: str | None = None,
        transport_factory: TransportFactory = device_transport,
        on_state: Callable[[SessionStatus], None] = lambda _: None,
        recorder: Recorder | None = None,
        frames: Path | None = None,
    ) -> None:
        self.config = config
        self.identity: host.Identity | None = None  # of the device last welcomed
        self._deliver_to_owner = deliver
        self._entropy = entropy
        self._health = Health(on_state)
        self._flood = None if config.accept_test_only else Allowance(FLOOD_BURST, FLOOD_PER_S)
        self._counters = self._health.counters
        self._only_lines = config.codec in ONLY_LINES
        self._flight = FlightRecorder(frames, config.name, is_masked=self._only_lines, clock=time.monotonic)
        self._backoff = Backoff(rng)
        self.recorder = recorder
        self._transport = tapped(transport_factory, recorder)(config, self._on_data, self._on_lost)
        durable = Place(int(last[0], 16), last[1], bytes.fromhex(chain or "")) if last else None
        self._acks = Acknowledgements(durable)
        self._wishes = Wishes()
        self._origins = Origins()
        self._kept = None if counts_itself(config) else link_end(config, entropy, durable, recorder)
        self._pump: Pump | None = None
        self._ended: asyncio.Future[None] | None = None
        self._boot = durable[0] if durable else None
        self._rebooted = False
        self._rejection: events.DeviceRejected | None = None
        self._online_at: float | None = None
        self._ack_scheduled = False

    @property
    def status(self) -> SessionStatus:
        """What the session is doing now, since when, and why."""
        return self._health.status

    @property
    def state(self) -> SessionState:
        """Short for `status.state`."""
        return self._health.status.state

    @property
    def counters(self) -> Mapping[str, int]:
        """Counts since the session was made: its own and those of its link ends."""
        total = Counter(self._counters)
        if link := self._kept or (self._pump.link if self._pump else None):
            total.update(link.counters)
        if self._pump is not None:
            total.update(self._pump.counters)
        total.update(frames_kept=self._flight.files, frames_not_kept=self._flight.failed)
        return total

    @property
    def proven(self) -> tuple[bool, float | None]:
        """Whether the device proved its key on this connection, and when (loop's clock) its firmware was last measured."""
        return self._health.authenticated, self._health.measured_at

    async def run(self) -> None:
        """Serves the device until cancelled; then the port is closed and nothing is left. Raises what `deliver` raises."""
        try:
            while True:
                online_s = await self._attempt()
                rejected = self.state is SessionState.REJECTED
                wait_s = REJECTED_RETRY_S if rejected else self._backoff.wait_s(online_s)
                is_gone = self.status.reason == Fault.LINK_MISSING
                await self._backoff.rest(wait_s, self._transport.present, is_gone=is_gone)
        finally:
            self._health.move(SessionState.DISABLED)

    async def _attempt(self) -> float:
        """One connection, from open to close. Returns for how many seconds the device was online."""
        if self.state is SessionState.DISABLED:
            self._health.move(SessionState.OPENING)
        try:
            await self._transport.open()
        except PortUnavailable as exc:
            self._counters[f"open_{exc.fault}"] += 1
            self._closed_to_us(exc.fault, str(exc))
            return 0.0
        self._counters["opened"] += 1
        self._online_at = None
        self._ended = asyncio.get_running_loop().create_future()
        try:
            self._start()
            await self._ended
        finally:
            self._leave()
            await self._transport.close()
        return _now() - self._online_at if self._online_at is not None else 0.0

    def want(self, wanted: WantedLevel) -> None:
        """Asks for a level from now on. Raises ValueError for a value that the level cannot have.

        The safe side goes out in this very call if the device is known, else as soon as it is, and again on each new
        link until another wish replaces it. The other side is asked for once; if it cannot be, or no answer comes
        before the link is lost, `LevelUnknown` is delivered and it is forgotten.
        """
        if not is_level_value(wanted.level, wanted.value):
            raise ValueError(f"{wanted.level} cannot be {wanted.value!r}")
        if not wanted.is_safe and self.state not in CONNECTED:
            self._level_unknown(wanted, "not connected, so it was not sent")
            return
        self._wishes.add(wanted)  # first: asking may find out that the link is lost, and that takes the wish back
        if self.state in (*KNOWN, *CONNECTED):
            self._ask_for(wanted)

    def measure(self) -> None:
        """Wants the firmware of a device with a key measured now, as at each connection; what it comes to is delivered."""
        if self._pump is not None and self.state in CONNECTED:
            self._pump.call(lambda link, now: link.measure(now))

    def finish(self) -> None:
        """Reports a line device's collected damage now, because the owner is about to stop."""
        if self._pump is not None and self._only_lines:
            self._pump.finish()

    def acknowledge(self, boot: str, counter: int) -> None:
        """Notes that every report up to this one is durable; acknowledges it before the loop sleeps again."""
        self._acks.make_durable(int(boot, 16), counter)
        self._acknowledge_soon()

    def _acknowledge_soon(self) -> None:
        if not self._ack_scheduled:
            self._ack_scheduled = True
            asyncio.get_running_loop().call_soon(self._acknowledge_now)

    def _acknowledge_now(self) -> None:
        self._ack_scheduled = False
        if self._pump is None:
            return
        if self._kept is not None and not self._acks.held:
            self._transport.resume_reading()
        if (due := self._acks.due()) is not None:
            self._pump.call(lambda link, now: link.acknowledge(*due, now))

    def _start(self) -> None:
        self._health.new_link()
        self._acks.new_link()
        try:
            link = self._kept or link_end(self.config, self._entropy, self._acks.durable, self.recorder)
        except KeyRefused as exc:
            self._over(Fault.AUTH_KEY_FILE, str(exc))
            return
        self._pump = Pump(link, write=self._write, handle=self._handle, fail=self._fail)
        self._pump.start()

    def _write(self, data: bytes) -> None:
        self._flight.went(data)
        self._transport.write(data)

    def _on_data(self, data: bytes) -> None:
        self._flight.came(data)
        if self._pump is not None:
            self._pump.feed(data)

    def _on_lost(self, fault: Fault, detail: str) -> None:
        try:
            self._end(fault, detail)
        except Exception as exc:
            self._fail(exc)

    def _handle(self, event: host.HostEvent) -> None:
        match event:
            case host.Reported():
                self._report(event)
            case host.Welcomed():
                self._welcome(event)
            case host.Authenticated():
                self._health.proven(measuring=event.measuring)
                self._believe()
            case host.FirmwareMeasured():
                self._health.measured()
                self._deliver(measured(self.identity, self._boot))
                self._believe()
            case host.Online():
                self._online(event)
            case host.Lost(boot, first, last):
                self._lose(boot, first, last)
            case Reused(boot, first, last):
                self._went_back(boot, first, last)
            case host.LevelSet() | host.LevelRefused() | host.LevelUnknown() | host.LevelsRead():
                self._levels(event)
            case host.Suspect(half_dead):
                self._health.suspect(Fault.TIMEOUT_LIVENESS, half_dead=half_dead)
                self._deliver(events.DeviceSuspect(half_dead))
            case host.Recovered():
                self._health.online(Fault.DEVICE_SELF_TEST)
            case Whole() | Silence() | Damaged():
                self._line_news(event)
            case host.Restarted():
                self._counters["restarted"] += 1
            case host.Failed(fault, detail):
                self._end(Fault(fault), detail)
            case _:
                assert_never(event)

    def _levels(self, event: host.LevelSet | host.LevelRefused | host.LevelUnknown | host.LevelsRead) -> None:
        """Delivers the device's answer to a command for a level, or the levels that were read."""
        match event:
            case host.LevelSet(level, value, operation):
                self._wishes.granted(level, operation)
                self._deliver(events.LevelConfirmed(level, value, operation))
            case host.LevelsRead(levels):
                self._deliver(events.LevelsRead(levels))
            case _:
                self._counters["refused"] += isinstance(event, host.LevelRefused)
                if reason := self._wishes.not_set(event):
                    self._level_unknown(event, reason)

    def _line_news(self, event: Whole | Silence | Damaged) -> None:
        """Handles news from a device that sends ASCII lines: a whole line, silence, damaged lines."""
        match event:
            case Whole():
                self._health.is_whole()
            case Silence(ended):
                known = ended or self._transport.asserts(self.config.modem_line) is True
                if self._health.turned(live=known):
                    self._deliver(events.LivenessChanged(known))
            case Damaged(not_text, too_long, cut_off):
                self._deliver(events.LinesDamaged(not_text, too_long, cut_off))

    def _report(self, event: host.Reported) -> None:
        if not self._acks.take(event):
            self._counters["repeated"] += 1  # handed over before the link was lost; it may be durable by now
            self._acknowledge_soon()
            if self._acks.is_another(event) and self._went_back(event.boot, event.counter, event.counter):
                self._end(Fault.PROTO_COUNTER_REUSED, f"two different reports have number {event.counter}")
            return
        self._counters["reports"] += 1
        if isinstance(event.report, events.SelfTestFailed):
            self._health.says_faulty(Fault.DEVICE_SELF_TEST, f"it failed its self-test (code {event.report.code})")
        pump, now, sealed = self._pump, _now(), self._health.authenticated
        assert pump is not None
        origin = self._origins.of(event, self.identity, pump.link.time, now, sealed=sealed, asleep=pump.asleep)
        self._deliver(fit_to_show(event.report), origin)
        if self._flood is not None and not self._flood.allows(now):
            self._end(Fault.PROTO_FLOOD, "the device reports far more than a game can cause; check the device")

    def _welcome(self, event: host.Welcomed) -> None:
        """Judges who answered before anything of it is believed or asked of it."""
        self.identity = event.identity
        if (rejection := self.config.judge(event.identity)) is not None:
            self._end(rejection.fault, rejection.detail)
            return
        # Kept over failing links until it is reported.
        self._rebooted |= self._boot is not None and self._boot != event.boot
        self._boot = event.boot
        self._health.move(SessionState.SYNC if self.config.key_file is None else SessionState.AUTH)
        self._believe()
        for wanted in self._wishes.standing():
            self._ask_for(wanted)

    def _believe(self) -> None:
        """From here on the boot that speaks is one of this table: what it reports and we do not get is lost, and is said so."""
        if self._boot is not None and self.state is SessionState.SYNC:
            self._acks.begin(self._boot)

    def _online(self, event: host.Online) -> None:
        self._online_at = _now()
        self._rejection = None
        self._health.online(Fault.DEVICE_SELF_TEST)
        rebooted, self._rebooted = self._rebooted, False
        self._deliver(came_online(self.identity, self._boot, event, rebooted, self._health.authenticated))

    def _lose(self, boot: int, first: int, last: int) -> None:
        """Reports are gone; those among them that were handed over before the link was lost are not."""
        first = max(first, self._acks.highest(boot) + 1)
        if last and last < first:
            return
        self._acks.pass_over(boot, max(last, first - 1))
        what = f"reports {first} to {last or 'the end'} of boot {boot_words(boot)}"
        self._flight.keep(Fault.DATA_EVENTS_LOST, what)
        self._deliver(lost(self.identity, boot, first, last))

    def _went_back(self, boot: int, first: int, last: int) -> bool:
        """The device uses numbers again: what else it says under them is not taken. Told once, not on each link: True if now."""
        last = max(last, self._acks.highest(boot))
        if is_news := self._acks.went_back(boot, first, last):
            self._deliver(lost(self.identity, boot, first, last, reused=True))
        return is_news

    def _ask_for(self, wanted: WantedLevel) -> None:
        if self._pump is not None:
            self._pump.call(lambda link, now: link.set_level(wanted.level, wanted.value, wanted.operation, now))

    def _end(self, fault: Fault, detail: str) -> None:
        """Ends the connection and tells the owner once; `_attempt` closes the port."""
        if self._pump is not None:
            self._leave()
            self._over(fault, detail)

    def _over(self, fault: Fault, detail: str) -> None:
        detail = plain(detail)
        self._flight.keep(fault, detail)
        if self._online_at is not None:
            self._counters["lost"] += 1
            self._deliver(events.DeviceOffline(fault, detail))
        for wanted in self._wishes.lose():
            self._level_unknown(wanted, f"the link was lost ({fault})")
        self._closed_to_us(fault, detail)
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)

    def _closed_to_us(self, fault: Fault, detail: str) -> None:
        """Sets the state that follows from the fault; reports a rejected device once."""
        self._health.closed(fault, detail)
        rejection = events.DeviceRejected(fault, detail)
        if self.state is SessionState.REJECTED and rejection != self._rejection:
            self._rejection = rejection
            self._deliver(rejection)

    def _fail(self, error: Exception) -> None:
        """An error of ours or of the owner ends `run`."""
        if self._ended is not None and not self._ended.done():
            self._ended.set_exception(error)

    def _leave(self) -> None:
        """Stops the link end, with a farewell where somebody may hear it, and keeps its counts."""
        if (pump := self._pump) is None:
            return
        self._pump = None
        pump.call(lambda link, now: link.bye(now))
        pump.stop()
        self._origins.keep(pump.link.time, pump.asleep)
        self._health.keep(pump.counters)
        if self._kept is None:
            self._health.keep(pump.link.counters)

    def _level_unknown(self, wanted: host.LevelRefused | host.LevelUnknown | WantedLevel, reason: str) -> None:
        self._deliver(events.LevelUnknown(wanted.level, wanted.value, wanted.operation, reason))

    def _deliver(self, body: Report | LinkEvent, origin: Origin | None = None) -> None:
        received_ns = self._pump.received_ns if self._pump else time.monotonic_ns()
        if self._deliver_to_owner(Delivery(self.config.name, body, origin, received_ns)) or not self._acks.hold():
            return
        self._counters[Fault.HOST_QUEUE_FULL] += 1
        if self._kept is not None:
            self._transport.pause_reading()  # it cannot be told to wait, but the kernel can keep its bytes


def _now() -> float:
    return asyncio.get_running_loop().time()
