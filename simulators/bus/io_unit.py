"""One remote I/O unit: coils, inputs, registers, and a watchdog that is off by default. No clock and no port."""

from collections.abc import Callable, Mapping

from simulators.bus.rtu import Memory, Question, answer
from simulators.bus.terminals import (
    COILS,
    HOLDING_REGISTERS,
    IDENTITY_REGISTER,
    INPUTS,
    SERIAL_REGISTER,
    WATCHDOG_REGISTER,
    UnitWiring,
)
from simulators.devices.cards import Witness

OLD_WATCHDOG_MS = 60_000
"""What a register that takes no new value keeps."""

Sense = Callable[[UnitWiring], Mapping[int, bool]]
"""What lies on each wired input of a unit now."""


class IoUnit:
    """One unit. `sense`: reads the inputs. `ignores_coils()`: True = coil writes have no effect. `flaws`: its
    standing faults.

    `flaws`: names of standing faults of this very unit.
    """

    def __init__(
        self, wiring: UnitWiring, sense: Sense, ignores_coils: Callable[[int], bool], witness: Witness
    ) -> None:
        self.wiring, self.flaws = wiring, set[str]()
        self._sense, self._ignores_coils, self._witness = sense, ignores_coils, witness
        self.coils = [0] * COILS
        self.holding = [0] * HOLDING_REGISTERS
        self.asked = 0
        self._fed_at = 0.0
        self.power_up(0.0)

    def power_up(self, now: float) -> None:
        """Switches the coils off and sets the registers to factory values: the watchdog is 0 = off."""
        self.holding = [0] * HOLDING_REGISTERS
        for first, words in ((IDENTITY_REGISTER, self.wiring.identity), (SERIAL_REGISTER, self.wiring.serial)):
            self.holding[first : first + len(words)] = words
        self._fed_at = now
        self._off("power_up")

    def heard(self, question: Question, now: float) -> bytes:
        """Returns the answer to a request for this unit; each request feeds the watchdog."""
        self.asked += 1
        self._fed_at = now
        return answer(question, self._memory())

    def tick(self, now: float) -> None:
        """Runs the watchdog: switches the coils off after too long without a request."""
        if (due := self.next_due()) is not None and now >= due:
            self._off("watchdog")

    def next_due(self) -> float | None:
        """Returns when the watchdog would switch the coils off; None if it is off or nothing is on."""
        watchdog_ms = self.holding[WATCHDOG_REGISTER]
        return self._fed_at + watchdog_ms / 1000 if watchdog_ms and any(self.coils) else None

    def fire(self) -> None:
        """Switches the coils off as if the watchdog had run out."""
        self._off("watchdog")

    def _off(self, why: str) -> None:
        if any(self.coils):
            self._witness("coils", {"unit": self.wiring.address, "off": why})
        self.coils = [0] * COILS

    def _memory(self) -> Memory:
        return Memory(
            self.coils, self._inputs, self._readable(), lambda: [self.asked & 0xFFFF], self._set, self._write
        )

    def _inputs(self) -> list[int]:
        bits = [0] * INPUTS
        for place, on in self._sense(self.wiring).items():
            bits[place] = int(on)
        return bits

    def _readable(self) -> list[int]:
        words = list(self.holding)
        if "watchdog_zero" in self.flaws:
            words[WATCHDOG_REGISTER] = 0
        if "unit_stranger" in self.flaws:
            words[IDENTITY_REGISTER] ^= 0xFFFF
        return words

    def _set(self, place: int, value: int) -> None:
        is_set = not self._ignores_coils(self.wiring.address)
        if self.coils[place] != value:
            about = {"unit": self.wiring.address, "coil": place, "value": value, "set": is_set}
            self._witness("coil", about)
        if is_set:
            self.coils[place] = value

    def _write(self, register: int, value: int) -> None:
        """Writes a register; silently ignores identity and serial number, as many units do."""
        if register == WATCHDOG_REGISTER and "watchdog_ignored" in self.flaws:
            value = OLD_WATCHDOG_MS
        if register >= WATCHDOG_REGISTER:
            self.holding[register] = value
