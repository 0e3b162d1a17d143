"""The units on a bus: address, identity, and the meaning of their terminals."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field

from drivers.modbus.frame import UNITS
from drivers.modbus.timing import WATCHDOG_MOST_MS, WATCHDOG_MS
from drivers.protocol.records import dataclass

Spot = tuple[int, int]
"""(seat, sensor), both from 1."""

MAX_SEATS, MAX_SENSORS = 7, 3
MAX_UNITS = 8
"""With more of them a look at all inputs takes too long at 19200 baud."""
MAX_SPAN = 64
"""Inputs, or lamps, from the first to the last that is used in one unit: they are read in one question."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit. Terminals are numbered from 0, as in requests; None = the unit has no such terminal.

    `identity`: the words that stand in its holding registers from `identity_register` on. `serial_words`: how many hold
    its serial number, 0 = none. `lockout`: coil of the relay that releases the lock-out while it is energised; `contact`:
    input of that relay's auxiliary contact, on while released. `watchdog`: holding register with the time after which the
    unit switches its outputs off when nobody asks it anything, counted in `watchdog_tick_ms`.
    """

    address: int
    identity_register: int
    identity: tuple[int, ...]
    serial_register: int = 0
    serial_words: int = 0
    sensors: Mapping[Spot, int] = field(default_factory=dict)
    button: int | None = None
    contact: int | None = None
    lockout: int | None = None
    lamps: Mapping[int, int] = field(default_factory=dict)
    watchdog: int | None = None
    watchdog_tick_ms: int = 1

    @property
    def inputs(self) -> tuple[int, ...]:
        """The used inputs, in the order of their use."""
        others = (self.button, self.contact)
        return (*self.sensors.values(), *(place for place in others if place is not None))

    @property
    def coils(self) -> tuple[int, ...]:
        """The addresses of all coils that the unit uses: its lamps and the lock-out relay."""
        return (*self.lamps.values(), *(() if self.lockout is None else (self.lockout,)))

    @property
    def watchdog_ticks(self) -> int:
        """The value of the watchdog register: 1500 ms, or the next tick above."""
        return -(-WATCHDOG_MS // self.watchdog_tick_ms)

    @property
    def watchdog_s(self) -> float:
        """Seconds without a request after which the unit switches its outputs off."""
        return self.watchdog_ticks * self.watchdog_tick_ms / 1000


def misfits(units: Sequence[Unit]) -> list[str]:
    """Returns every reason why these units do not make one progressive unit, each with its unit; [] = none."""
    if not units:
        return ["no unit stands on this bus; write a [[device.unit]] for each"]
    faults = [f"unit {unit.address}: {fault}" for unit in units for fault in _of_one(unit)]
    faults += [f"{what} stands at {n} units" for what, n in _everything(units).items() if n > 1]
    if len(units) > MAX_UNITS:
        faults.append(f"{len(units)} units are too many for one bus; {MAX_UNITS} are looked at in time")
    if not any(unit.lockout is not None for unit in units):
        faults.append("no unit has the coil of the lock-out relay: write it as coils = { lockout = 0 }")
    if not any(unit.sensors for unit in units):
        faults.append("no unit has a sensor: write them as inputs = { seat1 = 0, seat2 = 1 }")
    return faults


def _of_one(unit: Unit) -> list[str]:
    faults = []
    if unit.address not in UNITS:
        faults.append(f"addresses are {UNITS[0]} to {UNITS[-1]}")
    if not unit.identity:
        faults.append("say in which registers it is known: nothing is written to a unit that nobody knows")
    if unit.coils and unit.watchdog is None:
        faults.append("it has coils and no watchdog register: its outputs would stay on when the daemon dies")
    if unit.watchdog_ticks * unit.watchdog_tick_ms > WATCHDOG_MOST_MS:
        faults.append(f"a watchdog in steps of {unit.watchdog_tick_ms} ms cannot be set near {WATCHDOG_MS} ms")
    if (unit.lockout is None) != (unit.contact is None):
        faults.append("the relay's coil (lockout) and its auxiliary contact belong to one unit; one is missing")
    for what, places in (("input", unit.inputs), ("coil", unit.coils)):
        faults += [f"{what} {place} is used {n} times" for place, n in Counter(places).items() if n > 1]
        if places and max(places) - min(places) >= MAX_SPAN:
            faults.append(f"its {what}s lie further apart than {MAX_SPAN}, which one question does not read")
    return faults


def _everything(units: Sequence[Unit]) -> Counter[str]:
    """Lists what may stand once on a bus, and how often it does."""
    found: Counter[str] = Counter()
    for unit in units:
        found[f"address {unit.address}"] += 1
        found.update(f"sensor {sensor} of seat {seat}" for seat, sensor in unit.sensors)
        found.update(f"the lamp of seat {seat}" for seat in unit.lamps)
        found.update(["the dealer's button"] * (unit.button is not None))
        found.update(["the lock-out relay"] * (unit.lockout is not None))
    return found
