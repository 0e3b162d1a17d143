"""A progressive unit made of remote I/O: units on one bus, chips on sensors, the lock-out relay and its contact.

It has the methods of `SimulatedDevice`. The units count and keep nothing, so its log has no reports: it says where
chips lie, which coil was set, and what the relay did. `now` is real seconds; chips live on model time.
"""

from collections.abc import Iterator, Mapping
from random import Random

from drivers.protocol.reports import ENGAGED, RELEASED, Level, ResetCause
from simulators.bus.io_unit import IoUnit
from simulators.bus.rtu import Ear, Question
from simulators.bus.terminals import UnitWiring
from simulators.bus.wire import BusWire
from simulators.devices.cards import Witness
from simulators.devices.model import ActImpossible, Done, earliest
from simulators.devices.progressive import MAX_SENSORS, Progressive, Spot
from simulators.scenario.faults import FAULTS, OWN_FAULTS, Fault, FaultError

STANDING = ("unit_stranger", "watchdog_zero", "watchdog_ignored")
HOST_AWAY_S = 3.0
"""Nobody asked anything for this long: the host is away."""
PRESS_S = 0.15
"""How long a hand presses the button."""
BOUNCE_S = 0.02
CHATTER_S = 0.06
"""A chip settles in steps of this; a broken sensor changes slower, so that a look sees it."""


class RemoteIo:
    """The simulated bus. `turnaround_s`: the silence that a unit keeps before it answers."""

    def __init__(
        self,
        chips: Progressive,
        wiring: tuple[UnitWiring, ...],
        log: Witness,
        *,
        now: float,
        rng: Random,
        turnaround_s: float,
        speed: float = 1.0,
    ) -> None:
        self.model, self._log, self._speed, self._started_at = chips, log, speed, now
        self.units = {w.address: IoUnit(w, self._sense, self._ignores_coils, log) for w in wiring}
        self._relay_unit = next(unit for unit in self.units.values() if unit.wiring.lockout is not None)
        self.wire = BusWire(chips.faults, turnaround_s, rng)
        self.is_on = self.is_hung = False
        self.released = False  # what the relay does, whatever its coil wants
        self._moves_at: float | None = None
        self._ear = Ear()
        self._on_the_way: list[tuple[float, bytes]] = []
        self._out = bytearray()
        self._heard_at: float | None = None
        self._pressed_until = 0.0
        self._unrest: dict[Spot, tuple[float, float, float]] = {}  # from, to, half period
        self._curtain_until = 0.0
        self._flickers = False
        self._relay_late_s = 0.0
        self._is_welded = False
        self._coils_ignored: dict[int, int] = {}
        self._operation = 0
        self._now = now

    # --- power, firmware, cable: as the runtime has them -------------------------------------------------------------

    @property
    def host_here(self) -> bool:
        """True while the host has asked something within `HOST_AWAY_S`."""
        return self._heard_at is not None and self._now - self._heard_at < HOST_AWAY_S

    @property
    def boot(self) -> str:
        """Empty: Modbus units have no boot id."""
        return ""

    @property
    def counters(self) -> dict[str, int]:
        """How many questions the units have received, and how many bytes were noise."""
        return {"asked": sum(unit.asked for unit in self.units.values()), "noise": self._ear.noise}

    def power_on(self, now: float, cause: ResetCause = ResetCause.POWER) -> None:
        """Switches the device on. Raises ActImpossible if it is on."""
        if self.is_on:
            raise ActImpossible("the power is on")
        self.is_on, self._now = True, now
        for unit in self.units.values():
            unit.power_up(now)
        self._log("power", {"state": "on", "boot": self.boot, "cause": cause.value})
        self.model.power_up(self._model_time(now), cause)
        self._settle_relay(now)

    def power_off(self, now: float) -> None:
        """Cuts the device's power. Raises ActImpossible if it is off."""
        self._powered()
        self.is_on = self.is_hung = False
        self.model.power_down(self._model_time(now))
        self._on_the_way.clear()
        for unit in self.units.values():
            unit.power_up(now)
        self._settle_relay(now)
        self._log("power", {"state": "off", "boot": self.boot, "link": self.counters})

    def reboot(self, now: float, cause: ResetCause) -> None:
        """Cuts the power and switches the device on again, for this cause."""
        self.power_off(now)
        self.power_on(now, cause)

    def hang(self, now: float) -> None:
        """Stops all units: none answers; their watchdogs are hardware and run on."""
        self._powered()
        if self.is_hung:
            raise ActImpossible("it hangs already")
        self.is_hung = True
        self._log("link", {"state": "hung"})

    def wake(self, now: float) -> None:
        """Ends a hang of the firmware. Raises ActImpossible if nothing hangs."""
        if not self.is_hung:
            raise ActImpossible("it does not hang")
        self.is_hung = False
        self._log("link", {"state": "awake"})

    def receive(self, data: bytes, now: float) -> None:
        """Takes bytes from the wire and lets the units answer them."""
        self._now = now
        if not self.is_on:
            return
        self._happen(now)
        for question in self._ear.hear(data, now):
            self._heard_at = now
            unit = self.units.get(question.unit)
            if unit is not None:
                self._answer(unit, question, now)

    def tick(self, now: float) -> None:
        """Lets the model, its faults and the units' watchdogs act on the time."""
        self._now = now
        if not self.is_on:
            return
        self.model.step(self._model_time(now))
        self._happen(now)
        for unit in self.units.values():
            unit.tick(now)
        self._settle_relay(now)
        if self.is_hung:
            return
        due = [data for at, data in self._on_the_way if at <= now]
        self._on_the_way = [(at, data) for at, data in self._on_the_way if at > now]
        self._out += b"".join(due)

    def next_deadline(self) -> float | None:
        """Returns when `tick` must be called next, in seconds; None: not before something happens."""
        if not self.is_on:
            return None
        model = self.model
        fault = model.faults.next_timed(OWN_FAULTS, model.occasion, model.occasion_since)
        moving = earliest(model.next_step(), fault)
        real = None if moving is None else self._started_at + moving / self._speed
        watchdogs = (unit.next_due() for unit in self.units.values())
        leaving = () if self.is_hung else (at for at, _ in self._on_the_way)
        return earliest(real, self._moves_at, *watchdogs, *leaving)

    def due_fault(self, now: float) -> Fault | None:
        """Takes the next fault of the link or the power that is due; None if none is."""
        if not self.is_on or self.is_hung:
            return None
        model, time = self.model, self._model_time(now)
        return model.faults.take_first(OWN_FAULTS, model.occasion, model.occasion_since, time)

    def arm(self, fault: Fault, now: float) -> bool:
        """Arms a fault; on a bus each fault waits for its occasion. Raises `FaultError` for one that a bus cannot
        have."""
        self._verify_wired(fault)
        self.model.faults.arm(fault)
        return False

    def _verify_wired(self, fault: Fault) -> None:
        keys = FAULTS[fault.name].parameters
        if "unit" in keys and fault.number("unit") not in (0, *self.units):
            raise FaultError(f"{fault}: no unit has this address; there are {', '.join(map(str, self.units))}")
        seats = {seat for unit in self.units.values() for seat, _ in unit.wiring.sensors.values()}
        if "seat" in keys and fault.number("seat") not in (0, *seats):
            raise FaultError(f"{fault}: there is no such seat; there are {', '.join(map(str, sorted(seats)))}")

    def calm(self) -> None:
        """Ends the faults of bus, units, relay and light; changed registers and a stuck sensor stay."""
        self.model.faults.disarm()
        self.wire.quiet()
        for unit in self.units.values():
            unit.flaws.clear()
        self._coils_ignored.clear()
        self._unrest.clear()
        self._curtain_until = self._relay_late_s = 0.0
        self._flickers = self._is_welded = False
        self._settle_relay(self._now)

    def data_to_send(self) -> bytes:
        """Takes the bytes that the port must send now."""
        data = b"" if self.is_hung else bytes(self._out)
        self._out.clear()
        return data

    # --- hands ------------------------------------------------------------------------------------------------------

    def act(self, name: str, given: Mapping[str, object], now: float) -> Done:
        """Does what hands do and logs it, also if it is impossible. Raises `ActImpossible`."""
        written, self._now = {"name": name, "given": dict(given)}, now
        try:
            done = self._press(now) if name == "lockout" else self._act(name, given, now)
        except ActImpossible as exc:
            self._log("act", {**written, "ok": False, "error": str(exc)})
            raise
        self._log("act", {**written, "ok": True, "note": done.note})
        return done

    def _press(self, now: float) -> Done:
        self._powered()
        self._pressed_until = now + PRESS_S
        return Done()

    def _act(self, name: str, given: Mapping[str, object], now: float) -> Done:
        before = set(self.model.chips)
        bounce = None
        if name == "put_chip" and isinstance(seat := given.get("seat"), int):
            bounce = self.model.faults.take("bounce", self.model.occasion + 1, seat=seat)
        done = self.model.act(name, given, self._model_time(now))
        if bounce:
            for spot in self.model.chips - before:
                self._unrest[spot] = (now, now + 2 * BOUNCE_S * bounce.number("times"), BOUNCE_S)
        return done

    def state(self) -> dict[str, object]:
        """Returns what an onlooker sees; the lock-out is what the relay does."""
        units = {
            str(address): {"asked": unit.asked, "watchdog": unit.holding[16], "coils": sum(unit.coils)}
            for address, unit in self.units.items()
        }
        link = {"host": self.host_here, "hung": self.is_hung}
        return {
            **self.model.state(), "lockout": RELEASED if self.released else ENGAGED, "lamps": self._lit(),
            "units": units, "link": link,
        }  # fmt: skip

    def _lit(self) -> list[int]:
        units = self.units.values()
        return sorted(seat for u in units for place, seat in u.wiring.lamps.items() if u.coils[place])

    def _powered(self) -> None:
        if not self.is_on:
            raise ActImpossible("the power is off")

    def _model_time(self, now: float) -> float:
        return (now - self._started_at) * self._speed

    # --- what is wired ----------------------------------------------------------------------------------------------

    def _sense(self, wiring: UnitWiring) -> dict[int, bool]:
        """Returns each wired input now."""
        read = {place: self._covered(spot) for place, spot in wiring.sensors.items()}
        if wiring.button is not None:
            read[wiring.button] = self._now < self._pressed_until
        if wiring.contact is not None:
            read[wiring.contact] = self.released != self._flickers
            self._flickers = False
        return read

    def _covered(self, spot: Spot) -> bool:
        if self._now < self._curtain_until:
            return True
        seat, sensor = spot
        reads = bool(self.model.levels().wagers >> (seat - 1) * MAX_SENSORS + sensor - 1 & 1)
        begin, end, half_s = self._unrest.get(spot, (0.0, 0.0, 1.0))
        return reads != (begin <= self._now < end and int((self._now - begin) / half_s) % 2 == 1)

    def _settle_relay(self, now: float) -> None:
        """Makes the relay follow its coil, if it can."""
        place = self._relay_unit.wiring.lockout
        assert place is not None
        wanted = bool(self._relay_unit.coils[place])
        if wanted == self.released or (self._is_welded and not wanted):
            self._moves_at = None
            return
        if self._moves_at is None:
            self._moves_at = now + self._relay_late_s
        if now < self._moves_at:
            return
        self._moves_at, self.released = None, wanted
        self._operation += 1
        self._log("relay", {"lockout": RELEASED if wanted else ENGAGED})
        value = RELEASED if wanted else ENGAGED
        self.model.command(Level.LOCKOUT, value, self._operation, self._model_time(now))

    def _ignores_coils(self, address: int) -> bool:
        left = self._coils_ignored.get(address, 0)
        if left > 0:
            self._coils_ignored[address] = left - 1
        return left != 0

    # --- faults -----------------------------------------------------------------------------------------------------

    def _answer(self, unit: IoUnit, question: Question, now: float) -> None:
        said = unit.heard(question, now)
        self._settle_relay(now)
        self._on_the_way += [(now + later, data) for later, data in self.wire.carry(question, said, now)]

    def _happen(self, now: float) -> None:
        """Starts every fault that is due."""
        self.wire.begin(self.model.occasion, now)
        for fault in self._due(*STANDING):
            self.units[fault.number("unit")].flaws.add(fault.name)
        for fault in self._due("unit_restart"):
            self.units[fault.number("unit")].power_up(now)
        for fault in self._due("watchdog_fires"):
            self.units[fault.number("unit")].fire()
        for fault in self._due("coil_ignored"):
            self._coils_ignored[fault.number("unit")] = fault.number("times") or -1
        for fault in self._due("relay_slow"):
            self._relay_late_s = fault.real("by")
        for fault in self._due("curtain"):
            self._curtain_until = now + fault.real("for")
        for fault in self._due("chatters"):
            end = now + fault.real("for") if fault.real("for") else float("inf")
            self._unrest[fault.number("seat"), 1] = (now, end, CHATTER_S)
        for fault in self._due("bus_babble"):
            self._on_the_way += [(now + later, data) for later, data in self.wire.noise(fault.real("for"))]
        for fault in self._due("bus_neighbour"):
            pieces = self.wire.neighbour(fault.real("every"), fault.real("for"))
            self._on_the_way += [(now + later, data) for later, data in pieces]
        self._is_welded = self._is_welded or any(True for _ in self._due("relay_welded"))
        self._flickers = self._flickers or any(True for _ in self._due("contact_flickers"))

    def _due(self, *names: str) -> Iterator[Fault]:
        for name in names:
            while fault := self.model.faults.take(name, self.model.occasion):
                yield fault
