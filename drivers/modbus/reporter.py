"""Turns changes of inputs into a progressive unit's reports: chips, lock-out, button, broken terminals.

The host numbers the reports, because the units do not.
"""

from collections.abc import Sequence

from drivers.modbus.inputs import Input
from drivers.modbus.member import Change, Member
from drivers.modbus.relay import Relay
from drivers.modbus.timing import FIRST_WAIT_S, LONGEST_WAIT_S
from drivers.protocol.host.events import Whole
from drivers.protocol.host.link import HostEvent, Lost, Reported
from drivers.protocol.reports import (
    ENGAGED,
    RELEASED,
    AlarmRaised,
    Button,
    ButtonPressed,
    Cause,
    LockoutEngaged,
    LockoutReleased,
    Report,
    SelfTestFailed,
    Severity,
    WagerRemoved,
    WagerSensed,
)

CODE_RELAY, CODE_BUTTON = 1, 2
"""Codes of a self-test that failed: the lock-out does not engage, the button never rests. A sensor's is 10 * seat + sensor."""


class Reporter:
    """Numbers and collects reports. `events`: all of them, in order. `contact`: of the lock-out relay, on while
    released."""

    def __init__(self, boot: int, contact: Input, events: list[HostEvent]) -> None:
        self.counter = 0
        self.is_first_meeting = True
        self._boot, self._contact, self._events = boot, contact, events
        self._locked_since = 0.0
        self._unseen = False
        self._tell_from, self._wait_s = 0.0, FIRST_WAIT_S
        self._lies: set[tuple[int, str]] = set()
        self._broken: set[int] = set()

    @property
    def lockout(self) -> str:
        """The lock-out as its contact says."""
        return RELEASED if self._contact.on else ENGAGED

    def lost(self) -> None:
        """Reports a time without reads as lost; which reports are lost is unknown."""
        self._events.append(Lost(self._boot, self.counter + 1, 0))

    def unseen(self) -> None:
        """Notes a time without reads of a unit; `tell_unseen` reports it later."""
        self._unseen = True

    def tell_unseen(self, now: float) -> None:
        """Reports all time without reads since the last report: at once, then at growing intervals up to some
        seconds."""
        if not self._unseen or now < self._tell_from:
            return
        goes_on = now < self._tell_from + self._wait_s
        self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S) if goes_on else FIRST_WAIT_S
        self._unseen, self._tell_from = False, now + self._wait_s
        self.lost()

    def meets_anew(self) -> None:
        """Begins a connection: `Online` covers all that was not read, and a contradiction is reported anew."""
        self._unseen = False
        self._lies.clear()

    def lied(self, unit: int, about: str, text: str, now: float) -> None:
        """Raises an alarm for an impossible value of a unit, once per `about` and connection."""
        if (unit, about) not in self._lies and not self.is_first_meeting:
            self._lies.add((unit, about))
            self.report(AlarmRaised(Severity.ALARM, unit, f"unit {unit}: {text}"), now)

    def changed(
        self, member: Member, changes: Sequence[Change], relay: Relay, now: float, *, seen: bool
    ) -> Cause | None:
        """Turns edges into reports; returns why the lock-out must engage now, or "".

        The first reads of a connection make no reports: levels carry them. `relay`: with the command under way.
        `seen`: the unit was being read when the change came; otherwise a chip counts as late, because its time is
        unknown.
        """
        cause = None
        for change in changes:
            edge = change.edge
            match change.terminal:
                case "contact":
                    cause = self._contact_moved(change, relay) or cause
                case "button" if edge.on and not self.is_first_meeting:
                    self.report(ButtonPressed(Button.LOCKOUT), edge.since)
                    cause = Cause.BUTTON
                case (int() as seat, int() as sensor) if not self.is_first_meeting:
                    locked = not seen or self._was_locked(edge.since)
                    self.report((WagerSensed if edge.on else WagerRemoved)(seat, sensor, locked), edge.since)
        self._tell_restless(member, now)
        return cause

    def report(self, report: Report, since: float) -> None:
        """Adds a report. `since`: when it was first read, on the link's clock."""
        self.counter += 1
        self._events.append(Reported(self._boot, self.counter, int(since * 1_000_000), report, False))

    def broken(self, code: int, now: float) -> None:
        """Reports a broken terminal once, until it was read as sound."""
        if code not in self._broken:
            self._broken.add(code)
            self.report(SelfTestFailed(code), now)

    def whole(self, code: int) -> None:
        """Notes a sound terminal; reports when the last broken one is sound again."""
        if code in self._broken:
            self._broken.remove(code)
            self._events += [] if self._broken else [Whole()]

    def _was_locked(self, at: float) -> bool:
        """Returns True if the lock-out was engaged when an input was first read so."""
        return (not self._contact.on) == (at >= self._locked_since)

    def _contact_moved(self, change: Change, relay: Relay) -> Cause | None:
        """Reports a move of the contact; if no command caused it, the coil must be made safe."""
        edge, command = change.edge, relay.command
        value, taken_at = relay.written
        is_ours = value == self.lockout and edge.since >= taken_at
        cause, operation = (Cause.COMMAND, 0) if is_ours else (Cause.WATCHDOG, 0)
        if is_ours and command is not None and command.value == value:
            cause, operation = command.cause, command.operation
        self._locked_since = taken_at if is_ours else edge.since  # the look comes later than the relay
        if not self.is_first_meeting:
            self.report((LockoutReleased if edge.on else LockoutEngaged)(cause, operation), self._locked_since)
        return None if is_ours else Cause.WATCHDOG

    def _tell_restless(self, member: Member, now: float) -> None:
        for terminal, one in member.inputs.items():
            match terminal:
                case (int() as seat, int() as sensor):
                    code = 10 * seat + sensor
                case "button":
                    code = CODE_BUTTON
                case _:
                    continue  # the contact is judged by what was commanded
            if one.restless:
                self.broken(code, now)
            else:
                self.whole(code)
