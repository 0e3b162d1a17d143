"""The lock-out relay: its coil is written, read back, and its auxiliary contact must say the same, within 200 ms.

De-energised is locked out. A coil that was written proves nothing, and a coil that reads back right proves little: only
the contact is moved by the relay itself. A release is asked for once: whatever became of it, it belongs to the moment in which a
person gave it, and is never sent again.
"""

from dataclasses import dataclass
from enum import Enum

from drivers.modbus.frame import Function, Request
from drivers.modbus.master import Outcome
from drivers.modbus.timing import AGREE_S, STEADY_READS, TRIES
from drivers.modbus.units import Unit
from drivers.protocol.reports import ENGAGED, Cause

__all__ = ["Command", "Relay", "Verdict"]


@dataclass(frozen=True, slots=True)
class Command:
    """`value`: engaged | released. `operation` 0 = nobody waits for an answer: the driver makes it safe by itself."""

    value: str
    operation: int
    cause: Cause


@dataclass(frozen=True, slots=True)
class Verdict:
    """A command is over. `wrong` "" = coil and contact say what was wanted. `contradicted`: one of them says the opposite."""

    command: Command
    wrong: str = ""
    contradicted: bool = False


class _Step(Enum):
    WRITE = 0
    READ_COIL = 1
    READ_CONTACT = 2


class Relay:
    """One command at a time; a newer one replaces it. `written`: what the coil took last, and when."""

    def __init__(self, unit: Unit) -> None:
        assert unit.lockout is not None
        self._unit, self._coil = unit, unit.lockout
        self.command: Command | None = None
        self.written = (ENGAGED, 0.0)
        self._step = _Step.WRITE
        self._tries = self._agreeing = 0
        self._deadline = 0.0

    def ask(self, command: Command) -> Command | None:
        """Begins a command, or goes on where the same was under way; returns the one that will get no answer of its own."""
        before, self.command = self.command, command
        if before is None or before.value != command.value:
            self._step, self._tries, self._agreeing = _Step.WRITE, 0, 0
        return before

    def give_up(self) -> Command | None:
        """The link is over: the command under way has no outcome."""
        before, self.command = self.command, None
        return before

    @property
    def wants_contact(self) -> bool:
        """The next thing to do is a look at the inputs."""
        return self._step is _Step.READ_CONTACT

    def request(self) -> Request:
        """The next question about the coil."""
        assert self.command is not None
        if self._step is _Step.READ_COIL:
            return Request(self._unit.address, Function.READ_COILS, self._coil)
        energised = int(self.command.value != ENGAGED)
        return Request(self._unit.address, Function.WRITE_COIL, self._coil, values=(energised,))

    def answered(self, outcome: Outcome, now: float) -> Verdict | None:
        """What became of that question. One of an older command says nothing about this one."""
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
        """One look at the contact says `contact`, None = it failed. It has agreed once two looks in a row did.

        Judged is only what was seen: a look that failed is repeated, also past the time.
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
