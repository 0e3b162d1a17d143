"""The lamps at the seats: coils that are written if they differ, and read back."""

from collections.abc import Mapping, Sequence

from drivers.modbus.frame import Function, Request
from drivers.modbus.master import Outcome
from drivers.modbus.member import Member
from drivers.modbus.timing import TRIES
from drivers.modbus.units import Unit
from drivers.protocol.host.link import HostEvent, LevelRefused, LevelSet
from drivers.protocol.messages import ERR_REFUSED
from drivers.protocol.reports import Level

Wish = tuple[str, int]
"""(value, operation) as they were asked for."""


def seats_of(value: str) -> frozenset[int] | None:
    """Returns the seats in a text like "1,4"; "" = none. Returns None for any other text."""
    seats = value.split(",") if value else []
    return frozenset(map(int, seats)) if all(seat.isascii() and seat.isdecimal() for seat in seats) else None


class Lamps:
    """The lamps at the seats. `lit`: seats whose lamp was read back as lit. Seats without a lamp are ignored."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = [unit for unit in units if unit.lamps]
        self._lit: dict[int, frozenset[int]] = {}  # by address, as last read; missing = not known
        self._wanted: frozenset[int] = frozenset()
        self._wish: Wish | None = None
        self._left = 0  # questions until the wish is given up
        self.asked_last = 0.0

    @property
    def lit(self) -> frozenset[int]:
        """The seats whose lamps are on, over all units."""
        return frozenset().union(*self._lit.values())

    def start(self) -> None:
        """Forgets all lamp states: a new connection begins."""
        self._lit.clear()
        self.give_up()

    def ask(self, seats: frozenset[int], value: str, operation: int) -> Wish | None:
        """Wants exactly these lamps lit; returns the command that this one replaces."""
        before, self._wish = self._wish, (value, operation)
        self._wanted = seats
        self._left = TRIES * sum(2 * len(unit.lamps) + 1 for unit in self._units)
        return before

    def give_up(self) -> Wish | None:
        """Drops the wanted lamps that are not yet set and returns them; None if there were none."""
        before, self._wish = self._wish, None
        return before

    def request(self, members: Mapping[int, Member]) -> Request | None:
        """Returns the next request about lamps: read or write; None if nothing is to do."""
        if self._wish is None:
            return None
        units = (unit for unit in self._units if members[unit.address].is_up)
        return next((request for unit in units if (request := self._of(unit)) is not None), None)

    def _of(self, unit: Unit) -> Request | None:
        coils = sorted(unit.lamps.values())
        first, count = coils[0], coils[-1] - coils[0] + 1
        if unit.address not in self._lit:
            return Request(unit.address, Function.READ_COILS, first, count)
        wanted = self._wanted & unit.lamps.keys()
        changed = wanted ^ self._lit[unit.address]
        if not changed:
            return None
        if count == len(coils):  # a row with nothing else in it is set at once
            on = {unit.lamps[seat] for seat in wanted}
            return Request(
                unit.address, Function.WRITE_COILS, first, count, tuple(int(coil in on) for coil in coils)
            )
        seat = min(changed)
        return Request(unit.address, Function.WRITE_COIL, unit.lamps[seat], values=(int(seat in wanted),))

    def answered(self, outcome: Outcome) -> None:
        """Takes the answer to a lamp request; a write counts once it was read back."""
        self._left -= 1
        address = outcome.request.unit
        self._lit.pop(address, None)
        if outcome.values and not outcome.request.function.writes:
            unit = next(unit for unit in self._units if unit.address == address)
            first = outcome.request.address
            self._lit[address] = frozenset(s for s, coil in unit.lamps.items() if outcome.values[coil - first])

    def done(self) -> list[HostEvent]:
        """Returns the result of the command, once every lamp reads as wanted or all tries failed."""
        if self._wish is None:
            return []
        value, operation = self._wish
        if all(self._lit.get(u.address) == self._wanted & u.lamps.keys() for u in self._units):
            self._wish = None
            return [LevelSet(Level.LAMPS, value, operation)]
        if self._left > 0:
            return []
        self._wish = None
        return [LevelRefused(Level.LAMPS, value, operation, ERR_REFUSED, "the lamps do not take it")]
