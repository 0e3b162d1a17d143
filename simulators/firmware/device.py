"""A simulated device without its cable: the model, its link end, boots, clocks, and its log.

No I/O; `now` is real seconds on the caller's monotonic clock. The link's timers and the device's tick are real
time. Model time runs `speed` times as fast, and stands still while the firmware hangs.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from drivers.protocol.codec import decode
from drivers.protocol.constants import MAX_ERROR_TEXT
from drivers.protocol.device.link import Acknowledged, DeviceEvent, DeviceLink, HostFound, HostLost, LevelRequested
from drivers.protocol.device.log import ReportLog
from drivers.protocol.framing import Deframer, FrameError
from drivers.protocol.messages import Identity, Request, SetLevel
from drivers.protocol.reports import (
    Capability,
    DeviceKind,
    DispensingInhibited,
    LockoutEngaged,
    Report,
    ResetCause,
    ServiceDue,
)
from drivers.protocol.reports import Cause as LevelCause
from simulators.devices.cards import Witness
from simulators.devices.model import ActImpossible, Answer, Done, Model, Operations, Outcome, earliest
from simulators.firmware.firmware import Firmware
from simulators.firmware.log import report_body
from simulators.scenario.faults import OWN_FAULTS, Fault

HANGS_WITHIN_S = 0.001
"""A command that makes the firmware hang is not done before it does."""


class SimulatedDevice:
    """One device, with or without power. `keeps_log`: its report log outlives a power cut.

    `key`: 32 bytes; with it the device obeys only a host that proves the key, and chains its log. `image`: its
    firmware, for measurements.
    """

    def __init__(
        self,
        model: Model,
        identity: Identity,
        log: Witness,
        *,
        entropy: Callable[[int], bytes],
        now: float,
        speed: float = 1.0,
        keeps_log: bool = False,
        key: bytes | None = None,
        image: bytes | None = None,
    ) -> None:
        able = (*identity.capabilities, *[Capability.CHAINS_LOG] * (key is not None))
        self.model, self.identity = model, replace(identity, capabilities=able)
        self.acknowledged = 0
        self.host_here = False
        self._log, self._entropy, self._speed, self._keeps_log = log, entropy, speed, keeps_log
        self._key, self._image = key, image
        self._link: DeviceLink | None = None
        self._reports = ReportLog()
        self._tap = Deframer()
        self._obeyed = Operations()
        self.firmware = Firmware(model.faults)
        self._deferred: list[tuple[float, LevelRequested]] = []
        self._happens: list[Fault] = []
        self._boot = 0
        self._booted_at = self._started_at = now
        self._hung_at: float | None = None

    @property
    def is_on(self) -> bool:
        """True while the device has power."""
        return self._link is not None

    @property
    def is_hung(self) -> bool:
        """True while the firmware hangs and does nothing."""
        return self._hung_at is not None

    @property
    def boot(self) -> str:
        """The id of the present boot, 16 hexadecimal digits."""
        return f"{self._boot:016x}"

    def power_on(self, now: float, cause: ResetCause = ResetCause.POWER) -> None:
        """Starts a new boot: a new id, the safe side, and the log of former boots if kept."""
        if self.is_on:
            raise ActImpossible("the power is on")
        firmware, occasion = self.firmware, self.model.occasion
        self._boot = firmware.boot_id(self._boot, lambda: int.from_bytes(self._entropy(8), "big"), occasion)
        self._reports = firmware.log_at_boot(self._reports, self._boot, keeps=self._keeps_log, occasion=occasion)
        self._booted_at, self.acknowledged = now, 0
        self._link = DeviceLink(
            firmware.identity(self.identity, occasion),
            boot=self._boot,
            entropy=self._entropy,
            log=self._reports,
            reset_cause=cause,
            epoch_s=now,
            key=firmware.key(self._key, occasion),
            image=firmware.image(self._image, occasion),
        )
        self._tap = Deframer()
        self._log("power", {"state": "on", "boot": self.boot, "cause": cause.value})
        self._publish(self.model.power_up(self._model_time(now), cause), now)

    def power_off(self, now: float) -> None:
        """Cuts the device's power. Raises ActImpossible if it is off."""
        self._powered()
        if self.is_hung:
            self.wake(now)
        self.model.power_down(self._model_time(now))
        self._log("power", {"state": "off", "boot": self.boot, "link": self.counters})
        self._link, self.host_here = None, False
        self._deferred.clear()

    def reboot(self, now: float, cause: ResetCause) -> None:
        """Restarts the firmware; the cable stays in."""
        self.power_off(now)
        self.power_on(now, cause)

    def hang(self, now: float) -> None:
        """Stops the firmware: no byte is read or sent, nothing moves."""
        self._powered()
        if self.is_hung:
            raise ActImpossible("it hangs already")
        self._hung_at = now
        self._log("link", {"state": "hung"})

    def wake(self, now: float) -> None:
        """Ends a hang of the firmware. Raises ActImpossible if nothing hangs."""
        if self._hung_at is None:
            raise ActImpossible("it does not hang")
        self._started_at += now - self._hung_at  # the model's time stood still
        self._hung_at = None
        self._log("link", {"state": "awake"})

    def receive(self, data: bytes, now: float) -> None:
        """Takes bytes from the host; loses them without power."""
        if self._link is None:
            return
        wishes = self._overhear(data, now)
        events = self._link.receive(data, now)
        self._handle(events, now)
        carried_out = [(e.level, e.value, e.operation) for e in events if isinstance(e, LevelRequested)]
        for wish in wishes:
            key = (wish.level, wish.value, wish.operation)
            if key in carried_out:
                carried_out.remove(key)
            else:
                is_repeat = not self._obeyed.is_new(wish.operation)
                self._log_command(wish, Outcome.DUPLICATE if is_repeat else Outcome.IGNORED, None)

    def tick(self, now: float) -> None:
        """Runs everything that is due: the mechanics first, then the link's timers."""
        if self._link is None or self.is_hung:
            return
        self._publish(self.model.step(self._model_time(now)), now)
        self._do_deferred(now)
        self._handle(self._link.tick(now), now)
        for name in self.firmware.due(now):
            if name == "boot_loop":
                self._happens.append(Fault("reboot"))
            else:
                self._publish((ServiceDue(0) if name == "flood" else self._safe_again(),), now)

    def next_deadline(self) -> float | None:
        """Returns when `tick` must be called next, in seconds; None: not before something happens."""
        if self._link is None or self.is_hung:
            return None
        model = self.model
        fault = model.faults.next_timed(OWN_FAULTS, model.occasion, model.occasion_since)
        moving = earliest(model.next_step(), fault)
        real = None if moving is None else self._started_at + moving / self._speed
        slow = min((due for due, _ in self._deferred), default=None)
        return earliest(self._link.next_deadline(), real, slow, self.firmware.next_due())

    def due_fault(self, now: float) -> Fault | None:
        """Returns a fault of the whole device that happens now; the caller carries it out."""
        if self._link is None or self.is_hung:
            return None
        if self._happens:
            return self._happens.pop(0)
        model, time = self.model, self._model_time(now)
        return model.faults.take_first(OWN_FAULTS, model.occasion, model.occasion_since, time)

    def arm(self, fault: Fault, now: float) -> bool:
        """Arms a coming fault, or begins a lasting one; returns True for the latter."""
        if self.firmware.arm(fault, now):
            return True
        self.model.faults.arm(fault)
        self.firmware.tamper(self._reports, self._link, self.model.occasion)
        return False

    def calm(self) -> None:
        """Ends lasting faults and disarms coming ones."""
        self.firmware.quiet()
        self.model.faults.disarm()

    def data_to_send(self) -> bytes:
        """Takes the bytes that the port must send now."""
        return b"" if self._link is None or self.is_hung else self._link.data_to_send()

    @property
    def counters(self) -> dict[str, int]:
        """The link's counters of this boot; empty without power."""
        return {} if self._link is None else dict(self._link.counters)

    def act(self, name: str, given: Mapping[str, object], now: float) -> Done:
        """Does what hands do and logs it, also if it is impossible. Raises `ActImpossible`."""
        written = {"name": name, "given": dict(given)}
        try:
            if self.is_hung:
                raise ActImpossible("the device hangs")
            done = self.model.act(name, given, self._model_time(now))
        except ActImpossible as exc:
            self._log("act", {**written, "ok": False, "error": str(exc)})
            raise
        self._log("act", {**written, "ok": True, "note": done.note})
        self._publish(done.reports, now)
        return done

    def state(self) -> dict[str, object]:
        """Returns what an onlooker sees of model and link."""
        link = {
            "host": self.host_here,
            "hung": self.is_hung,
            "boot": self.boot,
            "reported": self._reports.span(self._boot).last,
            "acknowledged": self.acknowledged,
        }
        return {**self.model.state(), "link": link}

    def _powered(self) -> DeviceLink:
        if self._link is None:
            raise ActImpossible("the power is off")
        return self._link

    def _model_time(self, now: float) -> float:
        stood_still = now - self._hung_at if self._hung_at is not None else 0.0
        return (now - self._started_at - stood_still) * self._speed

    def _publish(self, reports: Iterable[Report], now: float) -> None:
        """Logs and sends reports, and updates the levels."""
        if self._link is None:
            return
        tick_us = int((now - self._booted_at) * 1e6)
        self._link.set_levels(self.model.levels())
        for report in reports:
            counter = self._link.report(report, tick_us)
            about = {"boot": self.boot, "counter": counter, "tick_us": tick_us}
            self._log("report", {**about, "kind": report.kind, "body": report_body(report)})
        self.firmware.tamper(self._reports, self._link, self.model.occasion)

    def _handle(self, events: Iterable[DeviceEvent], now: float) -> None:
        for event in events:
            match event:
                case LevelRequested():
                    self._obey(event, now)
                case HostLost():
                    self.host_here = False
                    self._log("link", {"state": "host_lost"})
                    self._publish(self.model.host_lost(self._model_time(now)), now)
                case HostFound():
                    self.host_here = True
                    self._log("link", {"state": "host_found"})
                case Acknowledged(boot, counter):
                    if boot == self._boot:
                        self.acknowledged = counter
                    self._log("acknowledged", {"boot": f"{boot:016x}", "counter": counter})

    def _obey(self, wish: LevelRequested, now: float) -> None:
        fault = self.firmware.at_command(self.model.occasion)
        match fault.name if fault else "":
            case "hang_on_command" if fault:
                self._happens.append(Fault("hang", None, {"for": fault.text("for")}))
                self._deferred.append((now + HANGS_WITHIN_S, wish))  # it is done when the firmware wakes
            case "lock_slow" if fault:
                self._deferred.append((now + fault.real("by"), wish))
            case "not_done":
                self._powered().answer(wish, True)
                self._log_command(wish, Outcome.IGNORED, True)
            case "no_answer":
                self._do(wish, now)
            case "done_twice":
                answer = self._do(wish, now)
                self._publish(answer.reports, now)
                self._answer(wish, answer)
            case _:
                self._answer(wish, self._do(wish, now))

    def _do_deferred(self, now: float) -> None:
        due = [wish for at, wish in self._deferred if at <= now]
        self._deferred = [(at, wish) for at, wish in self._deferred if at > now]
        for wish in due:
            self._answer(wish, self._do(wish, now))

    def _do(self, wish: LevelRequested, now: float) -> Answer:
        answer = self.model.command(wish.level, wish.value, wish.operation, self._model_time(now))
        self._obeyed.remember(wish.operation)
        self._log_command(wish, answer.outcome, answer.holds)
        self._publish(answer.reports, now)
        return answer

    def _answer(self, wish: LevelRequested, answer: Answer) -> None:
        self._powered().answer(wish, answer.holds, 0, answer.text[:MAX_ERROR_TEXT])

    def _safe_again(self) -> Report:
        """Returns the report that repeats the safe side without a change."""
        locks = self.model.kind is DeviceKind.PROGRESSIVE
        return (LockoutEngaged if locks else DispensingInhibited)(LevelCause.BUTTON, 0)

    def _log_command(self, wish: LevelRequested | SetLevel, outcome: Outcome, holds: bool | None) -> None:
        asked = {"level": wish.level.value, "value": wish.value, "operation": wish.operation}
        self._log("command", {**asked, "outcome": outcome.value, "holds": holds})

    def _overhear(self, data: bytes, now: float) -> list[SetLevel]:
        """Logs every received level command, repeats that the link answers itself included."""
        wishes = []
        for body in self._tap.feed(data, now):
            try:
                message = decode(body).message
            except FrameError:
                continue  # the link counts it by its cause
            if isinstance(message, Request) and isinstance(message.what, SetLevel):
                wishes.append(message.what)
        return wishes
