"""The wiring of a simulated bus: which unit has which terminals, and the matching lines of a table's
configuration."""

from drivers.protocol.records import dataclass

Spot = tuple[int, int]
"""(seat, sensor)."""

IDENTITY_REGISTER, SERIAL_REGISTER, WATCHDOG_REGISTER, SCRATCH_REGISTER = 0, 2, 16, 32
HOLDING_REGISTERS = 64
MAKER = 0x5457
COILS, INPUTS = 16, 32


@dataclass(frozen=True, slots=True)
class UnitWiring:
    """The wiring of one unit. `sensors`: the spot at each input; `lamps`: the seat at each coil."""

    address: int
    sensors: dict[int, Spot]
    lamps: dict[int, int]
    contact: int | None = None
    button: int | None = None
    lockout: int | None = None

    @property
    def identity(self) -> tuple[int, int]:
        """The words in its identity registers: maker, and intended place."""
        return MAKER, 0x0100 + self.address

    @property
    def serial(self) -> tuple[int, int]:
        """The serial number in the unit's registers: two words."""
        return 0x2026, 0x1000 + self.address

    def described(self) -> list[str]:
        """Returns its lines of a configuration."""
        words = " ".join(f"{word:04X}" for word in self.identity)
        lines = [
            "[[device.unit]]",
            f"address  = {self.address}",
            f'identity = {{ register = {IDENTITY_REGISTER}, words = "{words}" }}',
            f"serial   = {{ register = {SERIAL_REGISTER}, words = {len(self.serial)} }}",
        ]
        inputs = {_sensor(spot): place for place, spot in self.sensors.items()}
        inputs |= {name: p for name, p in (("contact", self.contact), ("button", self.button)) if p is not None}
        coils = {f"lamp{seat}": place for place, seat in self.lamps.items()}
        if self.lockout is not None:
            coils["lockout"] = self.lockout
        if coils:
            lines.append(f"watchdog = {{ register = {WATCHDOG_REGISTER}, tick_ms = 1 }}")
        lines += [f"inputs   = {_table(inputs)}"] * bool(inputs) + [f"coils    = {_table(coils)}"] * bool(coils)
        return lines


def wired(seats: int, sensors: int, units: int) -> tuple[UnitWiring, ...]:
    """Returns the wiring of this many units: relay, button and lamps at the first; sensors there or seat by seat
    at the others."""
    all_seats = range(1, seats + 1)
    lamps = {seat: seat for seat in all_seats}
    behind = max(units - 1, 1)
    rows: list[dict[int, Spot]] = [{} for _ in range(behind)]
    first = 2 if units == 1 else 0
    for seat in all_seats:
        row = rows[(seat - 1) * behind // seats]
        for sensor in range(1, sensors + 1):
            row[first + len(row)] = (seat, sensor)
    main = UnitWiring(1, rows[0] if units == 1 else {}, lamps, contact=0, button=1, lockout=0)
    if units == 1:
        return (main,)
    return (main, *(UnitWiring(address, row, {}) for address, row in enumerate(rows, 2)))


def described(wiring: tuple[UnitWiring, ...]) -> list[str]:
    """Returns the `[[device.unit]]` lines of a configuration for these units."""
    return [line for unit in wiring for line in ("", *unit.described())]


def _sensor(spot: Spot) -> str:
    seat, sensor = spot
    return f"seat{seat}" if sensor == 1 else f"seat{seat}_{sensor}"


def _table(places: dict[str, int]) -> str:
    return "{ " + ", ".join(f"{name} = {place}" for name, place in places.items()) + " }"
