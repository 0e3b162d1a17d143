"""A progressive unit of remote I/O as a link end: units on one bus in, reports and levels out.

The units count nothing and keep no log, so the daemon counts their reports. Missing reports cannot be ruled out:
each `Online` says so, and each time without a read of a unit is reported as lost. The methods are those of
`drivers.protocol.host.link.HostLink`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from drivers.catalog import MODBUS_VENDOR
from drivers.modbus.frame import Wrong
from drivers.modbus.lamps import Lamps, seats_of
from drivers.modbus.master import Master, Outcome
from drivers.modbus.member import Change, Member, Misfit, Stage, wagers
from drivers.modbus.relay import Command, Relay, Verdict
from drivers.modbus.reporter import CODE_RELAY, Reporter
from drivers.modbus.timing import HANDSHAKE_S, STALE_S, unseen_limit
from drivers.modbus.units import MAX_SENSORS, Unit, misfits
from drivers.protocol.host import link
from drivers.protocol.host.echoes import PAUSED
from drivers.protocol.host.link import HostEvent, Identity
from drivers.protocol.messages import ERR_BAD_VALUE, ERR_REFUSED, ERR_UNSUPPORTED
from drivers.protocol.reports import (
    ENGAGED,
    RELEASED,
    Capability,
    Cause,
    DeviceKind,
    Level,
    Levels,
    ResetCause,
)

LIES = (Wrong.UNIT, Wrong.FUNCTION, Wrong.COUNT, Wrong.CONTENT)
"""What only a unit can say and no noise: the check is right, and it is no answer to what was asked."""

UNSURE = 256
"""Code of a refusal that is the driver's own: it was tried, and what came of it is not known."""


class ModbusLink:
    """Link end for one bus; lives as long as the daemon. `boot`: u64, drawn for each run; the counter goes on over
    losses.

    Raises ValueError with the `misfits` of `units`. `serial`: used if no unit has a serial number. `byte_time_s`:
    seconds a character.
    """

    def __init__(self, units: Sequence[Unit], *, serial: str, boot: int, byte_time_s: float) -> None:
        if faults := misfits(units):
            raise ValueError("; ".join(faults))
        self._members = {unit.address: Member(unit) for unit in sorted(units, key=lambda unit: unit.address)}
        self._lockout_at = next(m for m in self._members.values() if m.unit.lockout is not None)
        self._relay = Relay(self._lockout_at.unit)
        self._lamps = Lamps(units)
        self._master = Master(byte_time_s=byte_time_s)
        self._serial, self._boot = serial, boot
        self._counts: Counter[str] = Counter()
        self._events: list[HostEvent] = []
        self._reporter = Reporter(boot, self._lockout_at.inputs["contact"], self._events)
        self._unseen_s = unseen_limit(len(self._members), byte_time_s)
        self._since = 0.0
        self._durable = 0  # counter of the newest report that is on record
        self._unsure_until: int | None = (
            0  # nothing is released until that one is; None = it is still to be found out which
        )
        self._welcomed = self._online = self._over = self._missed = False
        self._suspect: bool | None = None  # half dead or not, as it was told; None = it was not
        self._asked: Member | Relay | Lamps | None = None

    # --- the face of a link end -------------------------------------------------------------------------------------

    def connect(self, now: float) -> None:
        """Starts a connection with a silence, because an answer to an earlier owner may still come."""
        self._master.start(now)
        for member in self._members.values():
            member.start(now)
        self._lamps.start()
        self._relay.give_up()
        self._events.clear()
        self._reporter.meets_anew()
        self._missed = False
        self._welcomed = self._online = self._over = False
        self._suspect, self._asked, self._since = None, None, now

    def receive(self, data: bytes, now: float) -> list[HostEvent]:
        """Takes bytes from the bus and returns what they mean."""
        return self._step(self._master.receive(data, now), now)

    def tick(self, now: float) -> list[HostEvent]:
        """Ends a finished answer, sends the next request, and handles what is late."""
        return self._step(self._master.tick(now), now)

    def next_deadline(self) -> float | None:
        """Returns when `tick` must be called next."""
        if self._over:
            return None
        if self._events:
            return self._since
        late = self._since + HANDSHAKE_S
        if self._online:
            late = min(member.heard for member in self._members.values()) + STALE_S
        bus = self._master.next_deadline()
        if self._asked is None and not self._is_commanded:
            bus = max(bus, min((member.due for member in self._askable), default=late))
        return min(bus, late)

    def data_to_send(self) -> bytes:
        """Takes the bytes that the port must send now."""
        return self._master.data_to_send()

    def acknowledge(self, boot: int, counter: int, now: float) -> None:
        """Notes that reports are durable; the units keep none, but releases wait for this."""
        self._durable = max(self._durable, counter)

    def set_level(self, level: Level, value: str, operation: int, now: float) -> None:
        """Commands a level. A release needs every unit; engaging needs only the relay's unit."""
        code, text = 0, ""
        if level is Level.LOCKOUT and value in (ENGAGED, RELEASED):
            if value == RELEASED and not self._all_up:
                code, text = ERR_REFUSED, "not every unit of the bus answers, so nobody would see a chip"
            elif value == RELEASED and (self._unsure_until is None or self._durable < self._unsure_until):
                self._events.append(link.LevelUnknown(level, value, operation, PAUSED))
            else:
                self._command(Command(value, operation, Cause.COMMAND))
        elif level is Level.LAMPS:
            seats = seats_of(value)
            if seats is None:
                code, text = ERR_BAD_VALUE, f"{value!r} is no list of seats"
            elif (replaced := self._lamps.ask(seats, value, operation)) is not None:
                self._events.append(link.LevelUnknown(Level.LAMPS, *replaced, "superseded"))
        else:
            code, text = ERR_UNSUPPORTED, f"remote I/O has no {level}"
        if code:
            self._events.append(link.LevelRefused(level, value, operation, code, text))
        self._since = now if self._events else self._since
        self._ask_next(now)

    def measure(self, now: float) -> None:
        """Does nothing: remote I/O cannot be measured."""

    def read_levels(self, now: float) -> None:
        """Does nothing: the levels are read all the time."""
        self._events.append(link.LevelsRead(self._levels()))

    def bye(self, now: float) -> None:
        """Engages the lock-out if the bus is free; otherwise the units' watchdog engages it."""
        if self._lockout_at.is_up and self._master.is_free(now):
            self._relay.ask(Command(ENGAGED, 0, Cause.COMMAND))
            self._master.ask(self._relay.request(), now)

    def extend_deadlines(self, lag_s: float) -> None:
        """Moves the time limits by the host's own pause; a release under way is given up.

        The watchdog may have engaged the relay in the pause. So no release is sent until the relay's contact was
        read again and what it reported is durable (as in `drivers.protocol.host.echoes`).
        """
        self._lockout_at.inputs["contact"].forget()
        self._unsure_until = None
        if self._relay.command is not None and self._relay.command.value == RELEASED:
            self._make_safe(Cause.WATCHDOG)
        self._master.extend(lag_s)
        self._since += lag_s
        for member in self._members.values():
            member.heard += lag_s

    @property
    def time(self) -> None:
        """None: the units have no clock."""
        return None

    @property
    def counters(self) -> Mapping[str, int]:
        """Counts requests, answers and errors by cause; bounces of inputs; how often a unit was away."""
        bounces = sum(one.bounces for member in self._members.values() for one in member.inputs.values())
        return {**self._master.counters, **self._counts, "bounces": bounces}

    # --- what is asked ----------------------------------------------------------------------------------------------

    @property
    def _all_up(self) -> bool:
        return self._online and all(member.is_up for member in self._members.values())

    @property
    def _askable(self) -> list[Member]:
        return [member for member in self._members.values() if member.stage is not Stage.KNOWN]

    @property
    def _is_commanded(self) -> bool:
        """Returns True if a command for the relay waits and its unit can take it."""
        return self._relay.command is not None and self._lockout_at.is_up

    def _ask_next(self, now: float) -> None:
        """Sends the next request: the lock-out first, then the unit that has waited longest."""
        if self._over or self._asked is not None or not self._master.is_free(now):
            return
        if self._is_commanded:
            self._asked = self._relay
            look = self._relay.wants_contact
            self._master.ask(self._lockout_at.look() if look else self._relay.request(), now)
            return
        due = min((m for m in self._askable if m.due <= now), key=lambda m: m.due, default=None)
        lamp = self._lamps.request(self._members) if self._online else None
        if lamp is not None and (due is None or self._lamps.asked_last < due.due):
            self._asked = self._lamps
            self._lamps.asked_last = now
            self._master.ask(lamp, now)
        elif due is not None:
            self._asked = due
            self._master.ask(due.request(now), now)

    # --- what is heard ----------------------------------------------------------------------------------------------

    def _step(self, outcome: Outcome | None, now: float) -> list[HostEvent]:
        if not self._over:
            try:
                if outcome is not None:
                    self._heard(outcome, now)
                self._look_around(now)
                self._ask_next(now)
            except Misfit as misfit:
                self._fail("auth_wrong_device" if misfit.wrong_unit else "auth_not_approved", str(misfit))
        if self._unsure_until is None and self._lockout_at.inputs["contact"].known:
            self._unsure_until = self._reporter.counter
        events = list(self._events)
        self._events.clear()
        return events

    def _heard(self, outcome: Outcome, now: float) -> None:
        asked, self._asked = self._asked, None
        member = self._members[outcome.request.unit]
        looked_at = member.looked_at
        if self._online and outcome.wrong is not None:
            self._went_wrong(outcome, now)
        if isinstance(asked, Member):
            was_up = member.is_up
            changes = member.answered(outcome, now)
            self._moved(member, was_up, now)
            self._changed(member, changes, now, seen=was_up)
        elif isinstance(asked, Lamps):
            asked.answered(outcome)
            member.heard = now if outcome.values is not None else member.heard
        elif asked is not None and not asked.wants_contact:
            self._judge(asked.answered(outcome, now), now)
        elif outcome.values is not None:
            member.heard = now
            self._changed(member, member.looked(outcome, now), now, seen=True)
            place = self._lockout_at.unit.contact
            assert place is not None
            is_on = outcome.values[place - outcome.request.address]
            self._judge(self._relay.looked(RELEASED if is_on else ENGAGED, now), now)
        else:
            self._judge(self._relay.looked(None, now), now)
        gap_s = member.looked_at - looked_at
        if self._online and member.is_up and (gap_s > self._unseen_s or (gap_s and self._missed)):
            self._missed = False  # told now that somebody looks again: on a dead bus the link ends, and says so
            self._reporter.unseen()

    def _went_wrong(self, outcome: Outcome, now: float) -> None:
        """Handles a request without a good answer: the bus stays silent until a late answer has passed."""
        assert outcome.wrong is not None
        self._missed = self._missed or outcome.wrong is not Wrong.EXCEPTION
        if outcome.wrong in LIES:
            asked = outcome.request.function.name.lower().replace("_", " ")
            text = f"its answer to {asked!r} was whole and not one to it ({outcome.wrong})"
            self._reporter.lied(outcome.request.unit, outcome.wrong, text, now)

    def _moved(self, member: Member, was_up: bool, now: float) -> None:
        """Acts on a unit's new stage."""
        address = member.unit.address
        if member.stage is Stage.IDENTITY:
            self._master.forget(address)
        elif member.stage is Stage.KNOWN:
            self._master.identified(address)
        if was_up and not member.is_up:
            self._counts[f"unit_{address}_away"] += 1
            self._make_safe(Cause.WATCHDOG)
        if member.is_up and not was_up:
            if member.was_up and member.inputs:  # what happened in between, nobody saw
                self._reporter.lost()
            member.was_up = True

    def _look_around(self, now: float) -> None:
        members = self._members.values()
        if all(member.stage >= Stage.KNOWN for member in members):
            if not self._welcomed:
                self._welcome(now)
            for member in members:
                member.go_on()
        if not self._online:
            if all(member.is_up for member in members) and self._welcomed:
                self._go_online()
            elif now >= self._since + HANDSHAKE_S:
                late = [
                    m.wrong or f"unit {m.unit.address}: {m.stage.name.lower()}" for m in members if not m.is_up
                ]
                self._fail("timeout_handshake", "; ".join(late))
            return
        self._events += self._lamps.done()
        if self._lockout_at.inputs["contact"].known:  # what the relay did meanwhile is told first
            self._reporter.tell_unseen(now)
        silent = [member.unit.address for member in members if now >= member.heard + STALE_S]
        if silent:
            self._fail(
                "timeout_liveness", f"nothing was heard of unit {', '.join(map(str, silent))} for {STALE_S:g} s"
            )
        self._tell_suspicion()

    def _welcome(self, now: float) -> None:
        self._welcomed = True
        serial = "-".join(member.serial for member in self._members.values() if member.serial) or self._serial
        able = (Capability.LOCKOUT, Capability.SENSES_WAGERS)
        model = f"remote I/O, {len(self._members)} units"
        who = Identity(DeviceKind.PROGRESSIVE, MODBUS_VENDOR, model, "", serial, "", capabilities=able)
        self._events.append(
            link.Welcomed(who, self._boot, ResetCause.UNKNOWN, self._reporter.counter + 1, self._reporter.counter)
        )
        for member in self._members.values():
            member.due = now

    def _go_online(self) -> None:
        self._online, self._reporter.is_first_meeting = True, False
        self._reporter.whole(CODE_RELAY)  # its coil was switched off and its contact seen open
        self._events.append(link.Online(gap_closed=False, levels=self._levels()))

    def _tell_suspicion(self) -> None:
        down = [member for member in self._members.values() if not member.is_up]
        suspect = None if not down else len(down) < len(self._members)
        if suspect == self._suspect:
            return
        self._suspect = suspect
        self._events.append(link.Recovered() if suspect is None else link.Suspect(suspect))

    def _fail(self, fault: str, detail: str) -> None:
        self._over = True
        given_up = self._relay.give_up()
        if given_up is not None and given_up.operation:
            self._events.append(link.LevelUnknown(Level.LOCKOUT, given_up.value, given_up.operation, fault))
        if (lamps := self._lamps.give_up()) is not None:
            self._events.append(link.LevelUnknown(Level.LAMPS, *lamps, fault))
        self._events.append(link.Failed(fault, detail))

    # --- what it means ----------------------------------------------------------------------------------------------

    def _levels(self) -> Levels:
        bits = sum(1 << (seat - 1) * MAX_SENSORS + sensor - 1 for seat, sensor in wagers(self._members))
        lamps = sum(1 << seat - 1 for seat in self._lamps.lit)
        return Levels(lockout=self._reporter.lockout, wagers=bits, lamps=lamps)

    def _changed(self, member: Member, changes: Sequence[Change], now: float, *, seen: bool) -> None:
        cause = self._reporter.changed(member, changes, self._relay, now, seen=seen)
        if cause is not None:
            self._make_safe(cause)

    def _make_safe(self, cause: Cause) -> None:
        """Engages the lock-out; gives up a release under way."""
        command = self._relay.command
        if command is None or command.value != ENGAGED:
            self._command(Command(ENGAGED, 0, cause))

    def _command(self, command: Command) -> None:
        before = self._relay.ask(command)
        if before is not None and before.operation:
            reason = "superseded" if command.operation else f"the lock-out was engaged instead ({command.cause})"
            self._events.append(link.LevelUnknown(Level.LOCKOUT, before.value, before.operation, reason))

    def _judge(self, verdict: Verdict | None, now: float) -> None:
        """Ends the link if the lock-out does not engage, so that the watchdog engages it."""
        if verdict is None:
            return
        value, operation, wrong = verdict.command.value, verdict.command.operation, verdict.wrong
        if not wrong:
            self._reporter.whole(CODE_RELAY)
            if operation:
                self._events.append(link.LevelSet(Level.LOCKOUT, value, operation))
            return
        self._counts["relay_unsure"] += 1
        if verdict.contradicted:
            self._reporter.lied(self._lockout_at.unit.address, "relay", wrong, now)
        if value == ENGAGED:
            self._reporter.broken(CODE_RELAY, now)
        if operation:
            self._events.append(link.LevelRefused(Level.LOCKOUT, value, operation, UNSURE, wrong))
        if value == ENGAGED:
            self._fail("proto_unexpected", f"the lock-out does not engage: {wrong}")
        else:
            self._make_safe(Cause.COMMAND)
