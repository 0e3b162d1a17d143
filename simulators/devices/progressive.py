"""A progressive unit: chip sensors and a lamp at each seat, one lock-out for the table.

A chip is accepted if it was put down while the lock-out was released and stayed until it engaged. A chip that
comes under an engaged lock-out is reported as late and never accepted, not even by a later release: it must be
lifted and put down again.
"""

from collections.abc import Iterable, Mapping

from drivers.protocol.records import dataclass
from drivers.protocol.reports import (
    ENGAGED,
    RELEASED,
    AlarmRaised,
    Button,
    ButtonPressed,
    Capability,
    Cause,
    DeviceKind,
    Level,
    Levels,
    LockoutEngaged,
    LockoutReleased,
    PoweredUp,
    Report,
    ResetCause,
    SelfTestFailed,
    ServiceDue,
    Severity,
    WagerRemoved,
    WagerSensed,
)
from simulators.devices.cards import Witness, unseen
from simulators.devices.model import (
    DISPLAY_CHARS,
    ActImpossible,
    Answer,
    Done,
    Emitter,
    Latch,
    Operations,
    Outcome,
    earliest,
    number,
    obey,
)
from simulators.scenario.faults import Fault, FaultBook

Spot = tuple[int, int]
"""(seat 1-15, sensor 1-3)."""
MAX_SENSORS = 3
"""Sensors that the level of covered spots has room for at each seat."""
TIMED = ("late_chip", "chip_gone", "stuck", "blinded", "service_due")
BLINDED = 39
"""Number of the alarm that tells of it."""


@dataclass(frozen=True, slots=True)
class ProgressiveSettings:
    """Size of the unit. `seats`: 1-15. `sensors`: spots at each seat, 1-3."""

    seats: int = 6
    sensors: int = 1
    remembers: bool = False


class Progressive:
    """The model of a progressive unit. An occasion is a lock-out by command or button. Chips lie in `chips`."""

    kind = DeviceKind.PROGRESSIVE

    def __init__(
        self, settings: ProgressiveSettings, faults: FaultBook | None = None, witness: Witness = unseen
    ) -> None:
        self.settings = settings
        self.faults = faults or FaultBook()
        self.chips: set[Spot] = set()
        self.accepted: set[Spot] = set()
        self.lamps: set[int] = set()
        self.display = ""
        self.is_on = False
        self.occasion = 0
        self.occasion_since = 0.0
        self._emit = Emitter()
        self._witness = witness
        self.lock = Latch(LockoutEngaged, LockoutReleased, self._emit)
        self._operations = Operations()
        self._sensed: set[Spot] = set()
        self._late: set[Spot] = set()
        self._stuck: dict[int, bool] = {}
        self._blind: dict[int, bool] = {}
        self._blind_until: float | None = None

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        """What the device can do, as its WELCOME says."""
        able = (Capability.LOCKOUT, Capability.SENSES_WAGERS, Capability.EVENT_LOG)
        return (*able, *[Capability.KEEPS_LOG] * self.settings.remembers)

    def power_up(self, now: float, cause: ResetCause) -> tuple[Report, ...]:
        """Starts the unit; reports chips on the sensors as sensed under the lock, because nobody saw them come."""
        self.is_on, self._emit.muted = True, False
        self.display = ""
        self._emit(PoweredUp(cause, None))
        self.lock.power_up()
        self._sensed.clear()
        self._late.clear()
        self.accepted.clear()
        self.lamps.clear()
        self._scan()
        if fault := self.faults.take("self_test", self.occasion):
            self._emit(SelfTestFailed(fault.number("code")))
        return self._emit.drain()

    def power_down(self, now: float) -> None:
        """Stops everything that moves: the power is gone."""
        self.is_on, self._emit.muted = False, True

    def next_step(self) -> float | None:
        """Returns when the model moves next, in seconds of the model; None: not before somebody acts."""
        due = self.faults.next_timed(TIMED, self.occasion, self.occasion_since)
        return earliest(due, self._blind_until) if self.is_on else None

    def step(self, now: float) -> tuple[Report, ...]:
        """Does all steps that are due at `now`, and returns their reports."""
        while (due := self.next_step()) is not None and due <= now:
            self._happen(due)
        return self._emit.drain()

    def command(self, level: Level, value: str, operation: int, now: float) -> Answer:
        """Obeys or refuses a command for a level; returns what the device did with it."""
        match level:
            case Level.LOCKOUT:
                answer = self._set_lock(value, operation, now)
            case Level.LAMPS:
                answer = self._set_lamps(value)
            case Level.DISPLAY if len(value) <= DISPLAY_CHARS and value.isascii():
                self.display = value
                answer = Answer(Outcome.EXECUTED, True)
            case _:
                answer = Answer(Outcome.REFUSED, False, f"this {self.kind} has no {level} {value!r}")
        return Answer(answer.outcome, answer.holds, answer.text, self._emit.drain())

    def host_lost(self, now: float) -> tuple[Report, ...]:
        """Takes the safe state because the host is silent; returns the reports of that."""
        self.display = ""
        self.lock.close(Cause.WATCHDOG)
        return self._emit.drain()

    def levels(self) -> Levels:
        """Returns the device's levels as it would report them now."""
        return Levels(
            lockout=self._lockout,
            wagers=_bits((seat - 1) * MAX_SENSORS + sensor - 1 for seat, sensor in self._sensed),
            lamps=_bits(seat - 1 for seat in self.lamps),
        )

    @property
    def _lockout(self) -> str:
        return ENGAGED if self.lock.closed else RELEASED

    def state(self) -> dict[str, object]:
        """Returns the device's state for the simulator's socket."""
        return {
            "kind": self.kind.value,
            "on": self.is_on,
            "lockout": self._lockout,
            "locks": self.occasion,
            "chips": sorted(self.chips),
            "sensed": sorted(self._sensed),
            "accepted": sorted(self.accepted),
            "lamps": sorted(self.lamps),
            "display": self.display,
        }

    def act(self, name: str, given: Mapping[str, object], now: float) -> Done:
        """Does what a person does at the device; returns the reports and the cards taken out."""
        match name:
            case "put_chip":
                self._put(self._spot(given))
            case "lift_chip":
                self._lift(self._spot(given))
            case "collect":
                for spot in sorted(self.chips):
                    self._lift(spot)
            case "lockout":
                self._press(now)
            case _:
                raise ActImpossible(f"nobody can do {name!r} at a progressive")
        return Done(self._emit.drain())

    def _spot(self, given: Mapping[str, object]) -> Spot:
        seat, sensor = number(given, "seat"), number(given, "sensor", 1)
        if not (1 <= seat <= self.settings.seats and 1 <= sensor <= self.settings.sensors):
            raise ActImpossible(f"there is no sensor {sensor} at seat {seat}")
        return seat, sensor

    def _press(self, now: float) -> None:
        """Handles the dealer's button: it engages the lock-out, and never releases it."""
        if not self.is_on:
            raise ActImpossible("the power is off")
        self._emit(ButtonPressed(Button.LOCKOUT))
        if self.lock.close(Cause.BUTTON):
            self._new_occasion(now)

    def _set_lock(self, value: str, operation: int, now: float) -> Answer:
        was_closed = self.lock.closed
        answer = obey(self.lock, value, (ENGAGED, RELEASED), operation, self._operations)
        if self.lock.closed and not was_closed:
            self._new_occasion(now)
        elif was_closed and not self.lock.closed:
            self.accepted = (self.accepted & self._sensed) - self._late
        return answer

    def _new_occasion(self, now: float) -> None:
        self.occasion += 1
        self.occasion_since = now

    def _set_lamps(self, value: str) -> Answer:
        seats = value.split(",") if value else []
        if not all(seat.isdecimal() and 1 <= int(seat) <= self.settings.seats for seat in seats):
            return Answer(Outcome.REFUSED, False, f"{value!r} is no list of seats 1-{self.settings.seats}")
        self.lamps = {int(seat) for seat in seats}
        return Answer(Outcome.EXECUTED, True)

    def _put(self, spot: Spot) -> None:
        if spot in self.chips:
            raise ActImpossible(f"a chip lies at {spot} already")
        self.chips.add(spot)
        self._witness("chip", {"seat": spot[0], "sensor": spot[1], "lies": True})
        bounce = self.faults.take("bounce", self.occasion + 1, seat=spot[0])
        self._scan()
        for _ in range(bounce.number("times") if bounce else 0):
            self.chips.remove(spot)
            self._scan()
            self.chips.add(spot)
            self._scan()

    def _lift(self, spot: Spot) -> None:
        if spot not in self.chips:
            raise ActImpossible(f"no chip lies at {spot}")
        self.chips.remove(spot)
        self._witness("chip", {"seat": spot[0], "sensor": spot[1], "lies": False})
        self._scan()

    def _scan(self) -> None:
        """Reports each sensor that changed."""
        if not self.is_on:
            return
        locked = self.lock.closed
        for spot in [(s, n + 1) for s in range(1, self.settings.seats + 1) for n in range(self.settings.sensors)]:
            seen = self._blind.get(spot[0], spot in self.chips)
            reads = self._stuck.get(spot[0], seen)
            if reads and spot not in self._sensed:
                self._sensed.add(spot)
                (self._late if locked else self.accepted).add(spot)
                self._emit(WagerSensed(*spot, locked))
            elif not reads and spot in self._sensed:
                self._sensed.discard(spot)
                self._late.discard(spot)
                if not locked:
                    self.accepted.discard(spot)
                self._emit(WagerRemoved(*spot, locked))

    def _happen(self, now: float) -> None:
        def due(name: str) -> Fault | None:
            return self.faults.take_timed(name, self.occasion, self.occasion_since, now)

        seats = range(1, self.settings.seats + 1)
        if fault := due("late_chip"):
            free = [s for s in seats if (s, 1) not in self.chips and fault.number("seat") in (0, s)]
            if free:
                self._put((free[0], 1))
        elif fault := due("chip_gone"):
            lying = [spot for spot in sorted(self.chips) if fault.number("seat") in (0, spot[0])]
            if lying:
                self._lift(lying[0])
        elif fault := due("stuck"):
            self._stuck[fault.number("seat")] = fault.text("as") == "on"
            self._scan()
        elif fault := due("blinded"):
            self._blinded(fault, now)
        elif self._blind_until is not None and self._blind_until <= now:
            self._blind_until = None
            self._blind.clear()
            self._scan()
        elif due("service_due"):
            self._emit(ServiceDue(self.occasion))

    def _blinded(self, fault: Fault, now: float) -> None:
        """Makes the receivers see light, or none, whatever lies there."""
        seats = range(1, self.settings.seats + 1)
        self._blind = {seat: fault.text("as") == "on" for seat in seats if fault.number("seat") in (0, seat)}
        self._blind_until = now + fault.real("for")
        if fault.text("told") == "yes":
            self._emit(AlarmRaised(Severity.ALARM, BLINDED, "sensors blinded"))
        self._scan()


def _bits(positions: Iterable[int]) -> int:
    return sum(1 << position for position in positions)
