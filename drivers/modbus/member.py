"""One unit as the master sees it: identity, watchdog, inputs read after read, and its own back-off."""

from collections.abc import Mapping
from enum import IntEnum

from drivers.modbus.frame import Function, Request
from drivers.modbus.inputs import Edge, Input
from drivers.modbus.master import Outcome
from drivers.modbus.timing import AGREE_S, BITTEN_S, FED_S, POLL_S, REFRESH_S, TRIES
from drivers.modbus.units import Spot, Unit
from drivers.protocol.constants import BACKOFF_FACTOR, BACKOFF_FIRST_S, BACKOFF_MAX_S
from drivers.protocol.records import dataclass

NEVER = (1, 2, 3)
"""Exceptions of a unit that does not have what it is asked for. All others may pass."""

Terminal = Spot | str
"""A sensor by seat and number, or `button`, or `contact`."""


class Stage(IntEnum):
    """What the master asks a unit next. Up to `SERIAL` nothing is written; from `UP` on the unit serves."""

    IDENTITY = 0
    SERIAL = 1
    KNOWN = 2  # waits until every unit of the bus is known
    SET_WATCHDOG = 3
    READ_WATCHDOG = 4
    OPEN_RELAY = 5
    READ_RELAY = 6
    INPUTS = 7
    UP = 8


class Misfit(Exception):
    """The unit may not serve here; a person must act. `wrong_unit`: it is another unit; otherwise it is not fit."""

    def __init__(self, text: str, *, wrong_unit: bool = False) -> None:
        super().__init__(text)
        self.wrong_unit = wrong_unit


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one input."""

    terminal: Terminal
    edge: Edge


class Member:
    """State of one unit. `due`: next request. `heard`: last answer. `looked_at`: last read of its inputs.

    `failures`: in a row, the last one told in `wrong`.
    """

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.stage = Stage.IDENTITY
        self.serial = ""
        self.due = self.heard = self.looked_at = 0.0
        self.failures = 0
        self.wrong = ""  # its last failure, for people
        self.was_up = False  # in this connection: then what happened while it was away is lost
        self.inputs: dict[Terminal, Input] = {spot: Input() for spot in unit.sensors}
        self._places: dict[Terminal, int] = {spot: place for spot, place in unit.sensors.items()}
        if unit.button is not None:
            self.inputs["button"], self._places["button"] = Input(rise_reads=1), unit.button
        if unit.contact is not None:
            self.inputs["contact"], self._places["contact"] = Input(), unit.contact
        self._refresh_at = self._opened_at = 0.0
        self._looked_last = False  # a bad line must not let refreshes take every turn
        self._backoff_s = BACKOFF_FIRST_S

    @property
    def is_up(self) -> bool:
        """True while the unit answers and its set-up is done."""
        return self.stage is Stage.UP

    @property
    def is_away(self) -> bool:
        """True if the unit does not answer: it is asked ever more rarely, and its inputs are unknown."""
        return self.failures >= TRIES

    def start(self, now: float) -> None:
        """Forgets everything about the unit: a new connection begins."""
        self.failures, self.was_up, self.due, self.heard = 0, False, now, now
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.stage = Stage.IDENTITY
        for one in self.inputs.values():
            one.forget()

    def request(self, now: float) -> Request:
        """Returns the request that is due for this unit."""
        unit = self.unit
        match self.stage:
            case Stage.IDENTITY:
                return self._read(unit.identity_register, len(unit.identity))
            case Stage.SERIAL:
                return self._read(unit.serial_register, unit.serial_words)
            case Stage.SET_WATCHDOG:
                assert unit.watchdog is not None
                return Request(unit.address, Function.WRITE_REGISTER, unit.watchdog, values=(unit.watchdog_ticks,))
            case Stage.OPEN_RELAY:
                assert unit.lockout is not None
                return Request(unit.address, Function.WRITE_COIL, unit.lockout, values=(0,))
            case Stage.READ_RELAY:
                assert unit.lockout is not None
                return Request(unit.address, Function.READ_COILS, unit.lockout)
            case Stage.UP if (now >= self._refresh_at and self._looked_last) or not self.inputs:
                return self._read_watchdog()
            case Stage.READ_WATCHDOG:
                return self._read_watchdog()
            case _:
                return self.look()

    def look(self) -> Request:
        """Returns one request that reads all used inputs."""
        first = min(self._places.values())
        count = max(self._places.values()) - first + 1
        return Request(self.unit.address, Function.READ_INPUTS, first, count)

    def _read_watchdog(self) -> Request:
        if self.unit.watchdog is None:  # only sensors: its identity is looked at again instead
            return self._read(self.unit.identity_register, len(self.unit.identity))
        return self._read(self.unit.watchdog, 1)

    def _read(self, register: int, words: int) -> Request:
        return Request(self.unit.address, Function.READ_HOLDING, register, words)

    def answered(self, outcome: Outcome, now: float) -> list[Change]:
        """Takes the result of the unit's request; returns the changes of its inputs. Raises `Misfit`."""
        self._looked_last = outcome.request.function is Function.READ_INPUTS
        if outcome.values is None:
            self._failed(outcome, now)
            return []
        self.failures, self._backoff_s, self.wrong = 0, BACKOFF_FIRST_S, ""
        self.heard = now
        self.due = now + POLL_S if self.is_up else now
        if outcome.request.function is Function.READ_INPUTS:
            return self.looked(outcome, now)
        self._take(outcome.values, now)
        return []

    def _failed(self, outcome: Outcome, now: float) -> None:
        says = f"exception {outcome.code}" if outcome.code else str(outcome.wrong)
        self.wrong = f"{self._name}: {says} when asked for {self._asked}"
        if outcome.code in NEVER and not self.is_up:
            raise Misfit(self.wrong)
        self.failures += 1
        if self.unit.lockout is not None and now >= self.heard + FED_S:
            self.failures = max(self.failures, TRIES)
        self.due = now + POLL_S
        if not self.is_away:
            return
        self.due = now + self._backoff_s
        if self.failures == TRIES and self.unit.lockout is not None:  # whether it understands us, nobody knows
            self.due = now + self.unit.watchdog_s + BITTEN_S
        self._backoff_s = min(BACKOFF_MAX_S, self._backoff_s * BACKOFF_FACTOR)
        self._begin_anew()  # what answers later may be another unit, or this one after a power cut

    def looked(self, outcome: Outcome, now: float) -> list[Change]:
        """Returns the inputs that were just read."""
        assert outcome.values is not None
        self.looked_at = now
        first = outcome.request.address
        changes = []
        for terminal, one in self.inputs.items():
            if (edge := one.look(bool(outcome.values[self._places[terminal] - first]), now)) is not None:
                changes.append(Change(terminal, edge))
        if self.stage is Stage.INPUTS and all(one.known for one in self.inputs.values()) and self._is_locked(now):
            self._serve()
        return changes

    def _is_locked(self, now: float) -> bool:
        """Returns True if the relay was read as engaged. Raises `Misfit` if it did not engage in time."""
        if self.unit.contact is None or not self.inputs["contact"].on:
            return True
        if now >= self._opened_at + AGREE_S:
            raise Misfit(
                f"{self._name}: the contact of the lock-out relay says released while its coil {self.unit.lockout} is off; "
                "the relay is welded, or it is wired otherwise"
            )
        return False

    def go_on(self) -> None:
        """Allows writes: every unit of the bus is identified."""
        unit = self.unit
        if self.stage is Stage.KNOWN:
            self.stage = Stage.INPUTS if unit.watchdog is None else Stage.SET_WATCHDOG

    def _serve(self) -> None:
        self.stage = Stage.UP
        self._refresh_at = 0.0

    def _take(self, values: tuple[int, ...], now: float) -> None:
        """Takes values that were read or written; moves to the next stage. Raises `Misfit`."""
        unit = self.unit
        match self.stage:
            case Stage.IDENTITY:
                self._verify_identity(values)
                self.stage = Stage.SERIAL if unit.serial_words else Stage.KNOWN
            case Stage.SERIAL:
                self.serial = "".join(f"{word:04x}" for word in values)
                self.stage = Stage.KNOWN
            case Stage.SET_WATCHDOG:
                self.stage = Stage.READ_WATCHDOG
            case Stage.READ_WATCHDOG:
                if values != (unit.watchdog_ticks,):
                    raise Misfit(self._no_watchdog(values[0]))
                self.stage = Stage.INPUTS if unit.lockout is None else Stage.OPEN_RELAY
            case Stage.OPEN_RELAY:
                self.stage = Stage.READ_RELAY
            case Stage.READ_RELAY:
                if values != (0,):
                    raise Misfit(
                        f"{self._name} took the lock-out's coil {unit.lockout} to be switched off, and it is on"
                    )
                self.stage, self._opened_at = Stage.INPUTS, now
            case _:
                self._refreshed(values, now)
        if self.stage is Stage.INPUTS and not self.inputs:
            self._serve()

    def _refreshed(self, values: tuple[int, ...], now: float) -> None:
        """Checks that the watchdog is still set; if not, the unit has restarted and is identified again."""
        self._refresh_at = now + REFRESH_S
        if self.unit.watchdog is None:
            self._verify_identity(values)
        elif values != (self.unit.watchdog_ticks,):
            self._begin_anew()

    def _verify_identity(self, words: tuple[int, ...]) -> None:
        if words != self.unit.identity:
            raise Misfit(
                f"{self._name} is another one: registers from {self.unit.identity_register} say {_hex(words)}, "
                f"expected {_hex(self.unit.identity)}",
                wrong_unit=True,
            )

    def _no_watchdog(self, ticks: int) -> str:
        return (
            f"{self._name} has no running watchdog: register {self.unit.watchdog} reads {ticks} after "
            f"{self.unit.watchdog_ticks} was written; its relay would stay released when the daemon dies"
        )

    @property
    def _name(self) -> str:
        return f"unit {self.unit.address}"

    @property
    def _asked(self) -> str:
        """Returns in words what the present stage asks for."""
        return {
            Stage.IDENTITY: f"its identity at register {self.unit.identity_register}",
            Stage.SERIAL: f"its serial number at register {self.unit.serial_register}",
            Stage.SET_WATCHDOG: f"its watchdog at register {self.unit.watchdog}",
            Stage.READ_WATCHDOG: f"its watchdog at register {self.unit.watchdog}",
            Stage.OPEN_RELAY: f"coil {self.unit.lockout} of the lock-out",
            Stage.READ_RELAY: f"coil {self.unit.lockout} of the lock-out",
        }.get(self.stage, "one of its inputs or its watchdog")


def _hex(words: tuple[int, ...]) -> str:
    return " ".join(f"{word:04X}" for word in words)


def wagers(members: Mapping[int, Member]) -> frozenset[Spot]:
    """Returns the sensors that are covered now, as far as known."""
    return frozenset(
        terminal
        for member in members.values()
        for terminal, one in member.inputs.items()
        if isinstance(terminal, tuple) and one.on
    )
