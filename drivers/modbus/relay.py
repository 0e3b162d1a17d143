"""The lock-out relay: its coil is written and read back, and its auxiliary contact must agree within 200 ms.

De-energised means locked out. Only the contact is moved by the relay itself, so only the contact proves the state.
A release is sent once: it belongs to the moment in which a person gave it, and is never repeated.
"""

from enum import Enum

from drivers.modbus.frame import Function, Request
from drivers.modbus.master import Outcome
from drivers.modbus.timing import AGREE_S, STEADY_READS, TRIES
from drivers.modbus.units import Unit
from drivers.protocol.records import dataclass
from drivers.protocol.reports import ENGAGED, Cause


@dataclass(frozen=True, slots=True)
class Command:
    """A command for the relay: engaged or released. `operation` 0 = the driver made it safe by itself."""

    value: str
    operation: int
    cause: Cause


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a relay command. `wrong` "" = coil and contact agree with it. `contradicted`: one of them says
    the opposite."""

    command: Command
    wrong: str = ""
    contradicted: bool = False


class _Step(Enum):
    WRITE = 0
    READ_COIL = 1
    READ_CONTACT = 2


class Relay:
    """Runs one command at a time; a newer command replaces it. `written`: last coil value, and when."""

    def __init__(self, unit: Unit) -> None:
        assert unit.lockout is not None
        self._unit, self._coil = unit, unit.lockout
        self.command: Command | None = None
        self.written = (ENGAGED, 0.0)
        self._step = _Step.WRITE
        self._tries = self._agreeing = 0
        self._deadline = 0.0

    def ask(self, command: Command) -> Command | None:
        """Begins a command, or continues an equal one; returns the command that gets no answer of its own."""
        before, self.command = self.command, command
        if before is None or before.value != command.value:
            self._step, self._tries, self._agreeing = _Step.WRITE, 0, 0
        return before

    def give_up(self) -> Command | None:
        """Drops the command under way: the link is over."""
        before, self.command = self.command, None
        return before

    @property
    def wants_contact(self) -> bool:
        """True if the contact must be read next."""
        return self._step is _Step.READ_CONTACT

    def request(self) -> Request:
        """Returns the next request about the coil."""
        assert self.command is not None
        if self._step is _Step.READ_COIL:
            return Request(self._unit.address, Function.READ_COILS, self._coil)
        energised = int(self.command.value != ENGAGED)
        return Request(self._unit.address, Function.WRITE_COIL, self._coil, values=(energised,))

    def answered(self, outcome: Outcome, now: float) -> Verdict | None:
        """Takes the answer about the coil; ignores an answer to an older command."""
        command = self.command
        if command is None or outcome.request != self.request():
            return None
        if outcome.values is None:
            self._tries += 1
            once = self._step is _Step.WRITE and command.value != ENGAGED
            if self._tries < TRIES and not once:
                return None
            code = f" {outcome.code}" if outcome.code else ""
            return self._over(f"whether the coil was set is not known: {outcome.wrong}{code}")
        self._tries = 0
        if self._step is _Step.WRITE:
            self._step, self.written = _Step.READ_COIL, (command.value, now)
            self._deadline = now + AGREE_S
        elif outcome.values != (int(command.value != ENGAGED),):
            return self._over(f"the coil took {command.value} and reads otherwise", contradicted=True)
        else:
            self._step = _Step.READ_CONTACT
        return None

    def looked(self, contact: str | None, now: float) -> Verdict | None:
        """Takes one read of the contact; None = the read failed. Two equal reads in a row count.

        A failed read is repeated, even after the time limit: only what was read is judged.
        """
        command = self.command
        if command is None or self._step is not _Step.READ_CONTACT:
            return None
        if contact is None:
            self._tries += 1
            return self._over("its contact could not be read") if self._tries >= TRIES else None
        self._agreeing = self._agreeing + 1 if contact == command.value else 0
        if self._agreeing >= STEADY_READS:
            return self._over()
        if self._agreeing or now < self._deadline:
            return None
        return self._over(
            f"its contact still says {contact} {AGREE_S * 1000:.0f} ms after its coil was set to {command.value}",
            contradicted=True,
        )

    def _over(self, wrong: str = "", *, contradicted: bool = False) -> Verdict:
        command, self.command = self.command, None
        assert command is not None
        return Verdict(command, wrong, contradicted)
