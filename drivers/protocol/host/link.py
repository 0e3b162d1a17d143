"""The host's end of a TDP/1 link, without I/O: bytes and times go in, events and bytes come out.

`HostLink` hands each frame to its part: `opening` (handshake, key, firmware), `requests` (one outstanding,
repeated, then unknown), `sync` (reports in order, gaps out of the log), `liveness` (PING and echo), `echoes`
(what the echoes say).
"""

from collections.abc import Callable, Mapping

from drivers.protocol import messages as m
from drivers.protocol.auth import Trust
from drivers.protocol.chain import LogChain, Place
from drivers.protocol.codec import decode, decode_header
from drivers.protocol.constants import SESSION_NONE
from drivers.protocol.framing import CAUSES, Cause, Deframer, FrameError, crc32c
from drivers.protocol.host.device_time import DeviceTime
from drivers.protocol.host.echoes import PAUSED, Told
from drivers.protocol.host.events import (
    Authenticated,
    Failed,
    FirmwareMeasured,
    HostEvent,
    LevelRefused,
    LevelSet,
    LevelsRead,
    LevelUnknown,
    Lost,
    Online,
    Recovered,
    Reported,
    Suspect,
    Welcomed,
)
from drivers.protocol.host.liveness import Liveness
from drivers.protocol.host.opening import Opening
from drivers.protocol.host.requests import ACK, LAST, LIVENESS, RELEASE, Requests, urgency
from drivers.protocol.host.state import BELIEVED, OPENING, LinkMove, LinkStanding, LinkState
from drivers.protocol.host.sync import LogReader, Sequencer
from drivers.protocol.link import LinkFault, Outbox, RoundTrip
from drivers.protocol.messages import Identity, Restarted
from drivers.protocol.payloads import decode_levels, is_level_value
from drivers.protocol.reports import Level, Levels, ResetCause

__all__ = [
    "Authenticated", "Failed", "FirmwareMeasured", "HostEvent", "HostLink", "Identity", "LevelRefused", "LevelSet",
    "LevelUnknown", "LevelsRead", "Lost", "Online", "Recovered", "Reported", "Restarted", "Suspect", "Trust", "Welcomed",
]  # fmt: skip

NEVER = float("inf")


class HostLink:
    """One life of a link to one device, from HELLO to `Failed` or `bye`. Make a new one for the next.

    `entropy`: gives n random bytes. `last`: `Place` of the last report that is durable at the host, None = never had one.
    `byte_time_s`: what one byte takes on the line in seconds (10 / baud; 0 for USB). `trust`: the key that the device must
    prove, None = it is believed as it is.
    """

    def __init__(
        self,
        *,
        entropy: Callable[[int], bytes],
        last: Place | tuple[int, int] | None,
        stale_after_s: float,
        byte_time_s: float,
        trust: Trust | None = None,
    ) -> None:
        self._entropy = entropy
        self._trust = trust
        self._standing = LinkStanding()
        self._opening: Opening | None = None
        self._session = SESSION_NONE
        self._now = 0.0
        self._events: list[HostEvent] = []
        self._outbox = Outbox()
        self._round_trip = round_trip = RoundTrip(byte_time_s)
        self._deframer = Deframer(byte_time_s)
        self._requests = Requests(self._outbox, round_trip)
        self._log = LogReader(self._outbox, round_trip)
        self._sequencer = Sequencer(Place(*last) if last else None, LogChain(trust.key) if trust else None)
        self._liveness = Liveness(stale_after_s)
        self._durable: dict[int, int] = {last[0]: last[1]} if last else {}
        self._acks_due: set[int] = set()
        self._levels: Levels | None = None
        self._told = Told()
        self._digest: int | None = None  # of the levels as last read; None = they are to be read again
        self._frames_in = 0
        self._peer: tuple[int, ...] = ()

    def connect(self, now: float) -> None:
        """Sends the first HELLO. Call it once, when the port is open."""
        if self._standing.state is not LinkState.NEW:
            raise ValueError("a link connects once")
        self._standing.move(LinkMove.CONNECTED)
        self._now = now
        self._opening = Opening(
            standing=self._standing, entropy=self._entropy, trust=self._trust, outbox=self._outbox,
            requests=self._requests, deframer=self._deframer, now=now,
        )  # fmt: skip
        self._session = self._requests.session = self._log.session = self._opening.session
        self._opening.tick(now)

    def receive(self, data: bytes, now: float) -> list[HostEvent]:
        """Takes bytes from the line, in any pieces, and returns what they mean."""
        self._now = now
        self._guarded(self._bodies, data, now)
        return self._take()

    def tick(self, now: float) -> list[HostEvent]:
        """Runs the timers that are due and returns what happened."""
        self._now = now
        self._deframer.tick(now)
        self._guarded(self._timers, now)
        self._guarded(self._progress, now)
        return self._take()

    def next_deadline(self) -> float | None:
        """Returns when `tick` is due next; None if nothing waits."""
        if self._events:
            return self._now  # something to tell that a call without a return value found out
        if self._opening is None or self._standing.state is LinkState.CLOSED:
            return None
        earliest = self._liveness.next_deadline(self._now) if self._is_up else NEVER
        for part in (self._opening, self._requests, self._log, self._deframer):
            if (at := part.next_deadline()) is not None and at < earliest:
                earliest = at
        return earliest

    def data_to_send(self) -> bytes:
        """Takes the bytes to send now, the most urgent frame first; each byte is returned once."""
        if self._acks_due and self._standing.state is LinkState.ONLINE:
            # Before, while the log is read, an ack would only make the device send by itself what is being asked for.
            for boot in sorted(self._acks_due):
                self._send(ACK, m.EventAck(boot, self._durable[boot]))
            self._acks_due.clear()
        return self._outbox.drain()

    def acknowledge(self, boot: int, counter: int, now: float) -> None:
        """Tells the device that its reports of `boot` up to `counter` are durable. ValueError if ahead of release."""
        if boot == self._sequencer.boot and counter > self._sequencer.released:
            raise ValueError(f"report {counter} was not released yet")
        if counter > self._durable.get(boot, 0):
            self._durable[boot] = counter
            self._acks_due.add(boot)

    def set_level(self, level: Level, value: str, operation: int, now: float) -> None:
        """Commands a level; LevelSet, LevelRefused or LevelUnknown follows. ValueError for an impossible value.

        Before the WELCOME the command waits; after `Failed` or `bye` it is an error to ask.
        """
        if not is_level_value(level, value) or not 0 <= operation < 1 << 64:
            raise ValueError(f"{level.value} cannot be {value!r} (operation {operation})")
        wish = m.SetLevel(level, value, operation)
        if urgency(wish) == RELEASE and self._told.is_unsure(self._settled):
            self._events.append(LevelUnknown(level, value, operation, PAUSED))
        else:
            self._ask(wish, now)

    def read_levels(self, now: float) -> None:
        """Asks for all levels; `LevelsRead` follows."""
        self._ask(m.GetLevels(), now)

    def measure(self, now: float) -> None:
        """Asks for a measurement now. `FirmwareMeasured` or `Failed` follows; without key and image nothing does."""
        if self._is_up and self._opening is not None:
            self._opening.measure(now)

    def bye(self, now: float) -> None:
        """Sends BYE and ends the link; open commands get no answer, and no event follows."""
        if self._is_up:
            self._send(LAST, m.Bye())
        self._standing.move(LinkMove.ENDED)

    def extend_deadlines(self, lag_s: float) -> None:
        """Moves every deadline by the loop's own pause; after a long one releases become `LevelUnknown`."""
        self._events += self._requests.withdraw_releases(PAUSED) if self._told.paused(lag_s) else []
        for part in (self._opening, self._requests, self._log, self._liveness, self._deframer):
            if part is not None:
                part.extend(lag_s)

    @property
    def time(self) -> DeviceTime | None:
        """The device's clock as this link knows it; None before its WELCOME."""
        return self._liveness.time

    @property
    def counters(self) -> Mapping[str, int]:
        """Counts frames in and out, repeats, unreadable reports, drops by cause; `peer_`: the device's own.

        `clock_`: the device's clock now, its rate beside ours, and the error bound of a time derived from it.
        """
        own = {"frames_in": self._frames_in, "unreadable_reports": self._sequencer.unreadable}
        own |= {cause.value: count for cause, count in self._deframer.frames_dropped.items()}
        own |= self._outbox.counters | self._liveness.counters
        return own | {f"peer_{cause.value}": n for cause, n in zip(CAUSES, self._peer, strict=False)}

    @property
    def _settled(self) -> int:
        """Returns the number up to which every report of this boot is durable or reported as lost."""
        return self._sequencer.settled(self._durable.get(self._sequencer.boot, 0))

    @property
    def _is_up(self) -> bool:
        """True while the device takes what is sent."""
        return self._opening is not None and self._opening.hears

    def _take(self) -> list[HostEvent]:
        events, self._events = self._events, []
        return events

    def _ask(self, wish: m.SetLevel | m.GetLevels, now: float) -> None:
        if self._standing.state is LinkState.CLOSED:
            raise ValueError("the link is closed")
        self._events += self._requests.add(wish, now)
        if self._is_up:
            self._requests.start_next(now)

    def _guarded(self, step: Callable[..., None], *given: object) -> None:
        """Runs one step; a fault in it ends the link, reported once and last."""
        if self._standing.state is LinkState.CLOSED:
            return
        try:
            step(*given)
        except LinkFault as fault:
            self._standing.move(LinkMove.ENDED)
            self._events += [*self._requests.give_up(fault.fault), Failed(fault.fault, fault.detail)]

    def _send(self, urgency: int, message: m.Message) -> None:
        self._outbox.add(urgency, m.Frame(message, self._session, ack=self._requests.last_answered))

    def _bodies(self, data: bytes, now: float) -> None:
        """Handles received bodies in order, up to a fault."""
        if (opening := self._opening) is None:
            return
        for body in self._deframer.feed(data, now):
            self._frames_in += 1
            self._body(opening, body, now)
        self._progress(now)

    def _body(self, opening: Opening, body: bytes, now: float) -> None:
        try:
            header = decode_header(body)
            if (cause := self._verify_header(opening, header, body, now)) is not None:
                self._deframer.count(cause, len(body))
                return
            frame = decode(body, header)
        except FrameError as error:
            self._deframer.count(error.cause, len(body))
            if error.cause is Cause.PAYLOAD:
                raise LinkFault("proto_payload", error.detail) from error
            return
        if self._standing.state in BELIEVED and isinstance(frame.message, m.Event):  # nearly all frames
            self._reported(opening, frame.message)
        elif not (self._opened(opening, frame, body, now) or self._message(opening, frame, now)):
            self._deframer.count(Cause.UNEXPECTED, len(body))
            return
        self._liveness.heard(now)
        self._sequencer.verify_unbroken()

    def _verify_header(self, opening: Opening, header: m.Header, body: bytes, now: float) -> Cause | None:
        """Returns why a frame is dropped before its payload is read; None = it belongs to this session."""
        if header.session != self._session:
            if header.session == SESSION_NONE and header.type == m.TYPE_CODES[Restarted] and self._is_up:
                # It may be an old one. A device that did restart will not know the session of this PING.
                self._liveness.ping_at_once(now)
            return Cause.STALE_SESSION
        if (cause := opening.verify_seal(header, body)) is not None:
            return cause
        if self._requests.is_unsent(header.ack):
            raise LinkFault("proto_unexpected", f"request {header.ack} is acknowledged but was never sent")
        return None

    def _opened(self, opening: Opening, frame: m.Frame, body: bytes, now: float) -> bool:
        """Handles a frame of the handshake; returns False for any other frame. At BELIEVED the log is read."""
        was = self._standing.state
        if was is not LinkState.HELLO and isinstance(frame.message, (m.Welcome, m.Restarted)):
            told = frame.message
            self._verify_boot(opening, told.boot, told.reset_cause if isinstance(told, m.Welcome) else told.cause)
        events = opening.take(frame, body, now)
        if events is None:
            return False
        self._events += events
        if events and opening.welcome is not None:
            self._liveness.start(now, opening.welcome)
        if was in OPENING and self._standing.state is LinkState.SYNC and opening.welcome is not None:
            self._begin_sync(opening.welcome, now)
        return True

    def _reported(self, opening: Opening, told: m.Event) -> None:
        self._verify_boot(opening, told.boot)
        events, is_repeat = self._sequencer.event(told.record)
        self._events += events
        if is_repeat:
            self._deframer.count(Cause.DUPLICATE, 0)
            if told.record.counter <= self._durable.get(told.boot, 0):
                self._acks_due.add(told.boot)

    def _message(self, opening: Opening, frame: m.Frame, now: float) -> bool:
        """Handles any other frame of this session; returns False if the frame does not belong here."""
        match frame.message:
            case Restarted() if self._standing.state is not LinkState.HELLO:
                raise LinkFault("link_restarted", "the device does not know this session")
            case _ if not opening.hears:
                return False
            case m.Response() | m.Error() as answer if m.channel_of(answer) == m.CHANNEL_CONTROL:
                self._answered(frame.seq, answer, now)
            case m.LogData() as data if self._log.is_answer(frame.seq):
                self._events += self._sequencer.log_data(data)
            case m.LogGone() as gone if self._log.is_answer(frame.seq):
                self._events += self._sequencer.log_gone(gone)
            case m.LogData() | m.LogGone():
                self._deframer.count(Cause.DUPLICATE, 0)
            case m.Pong() as pong:
                self._pong(opening, pong, now)
            case m.Bye(reason):
                raise LinkFault("link_eof", f"the device said BYE ({reason})")
            case _:
                return False
        return True

    def _begin_sync(self, welcome: m.Welcome, now: float) -> None:
        """Begins to read the device's log from the record's end, and its levels: the device is believed."""
        self._events += self._sequencer.welcome(welcome)
        self._sequencer.verify_unbroken()
        if welcome.boot in self._durable:
            self._send(ACK, m.EventAck(welcome.boot, self._durable[welcome.boot]))  # where the device shall go on
        self._events += self._requests.add(m.GetLevels(), now)

    def _verify_boot(self, opening: Opening, boot: int, cause: ResetCause = ResetCause.UNKNOWN) -> None:
        """Checks that the session did not survive a reboot of the device through a repeated HELLO."""
        if opening.welcome is not None and boot != opening.welcome.boot:
            self._events.append(Restarted(boot, cause))
            raise LinkFault("link_restarted", f"the device rebooted ({cause.value})")

    def _answered(self, seq: int, answer: m.Response | m.Error, now: float) -> None:
        if (found := self._requests.answered(seq, answer, now)) is None:
            self._deframer.count(Cause.DUPLICATE, 0)
            return
        wish, events = found
        self._events += events
        if not isinstance(wish, m.GetLevels):
            self._digest = None  # whatever the answer says: what holds now is read back with the next echo
            return
        if not isinstance(answer, m.Response) or answer.levels is None:
            raise LinkFault("proto_unexpected", "a read of the levels was answered without levels")
        self._levels, self._digest = decode_levels(answer.levels), crc32c(answer.levels)
        if self._standing.state is LinkState.ONLINE:
            self._events.append(LevelsRead(self._levels))

    def _pong(self, opening: Opening, pong: m.Pong, now: float) -> None:
        self._verify_boot(opening, pong.boot)
        is_fresh = not self._liveness.was_paused(pong.nonce)
        if (rtt_s := self._liveness.echo(pong.nonce, pong.tick_us, now)) is None:
            self._deframer.count(Cause.DUPLICATE, 0)
            return
        self._round_trip.sample(rtt_s)
        self._peer = pong.dropped
        unsent = self._told.echoed(pong.log_last, now, self._sequencer.released, self._settled, is_fresh=is_fresh)
        if unsent and self._standing.state is LinkState.ONLINE:
            self._sequencer.exists(unsent)
        opening.verify_peer(pong.dropped[CAUSES.index(Cause.MAC)])
        if self._levels is not None and pong.digest != self._digest and not self._requests.is_reading:
            self._requests.add(m.GetLevels(), now)

    def _timers(self, now: float) -> None:
        if self._opening is not None:
            self._opening.tick(now)
        try:
            self._events += self._requests.tick(now)
        except LinkFault as late:
            if self._standing.state in OPENING:
                raise LinkFault("timeout_handshake", f"AUTH: {late.detail}") from late
            raise
        if self._is_up:
            self._liveness.verify_not_stale(now)
            self._log.tick(self._requests.last_answered, now)

    def _progress(self, now: float) -> None:
        """Asks for what is wanted now, and reports what is reached, after any input."""
        if not self._is_up:
            return
        self._log.follow(self._sequencer.wanted(), self._requests.last_answered, now)
        self._requests.start_next(now)
        if (nonce := self._liveness.ping(self._entropy, now)) is not None:
            self._send(LIVENESS, m.Ping(nonce))
        if self._standing.state is LinkState.SYNC and self._sequencer.is_synced and self._levels is not None:
            self._standing.move(LinkMove.CAUGHT_UP)
            self._events.append(Online(self._sequencer.gap_closed, self._levels))
        if self._standing.state is LinkState.ONLINE:
            self._events += self._liveness.changes(now)
