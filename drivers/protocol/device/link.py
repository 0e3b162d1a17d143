"""The device's end of a TDP/1 link, without I/O: for simulators, and for a maker to read beside the document."""

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import replace

from drivers.protocol import messages as m
from drivers.protocol.chain import LogChain
from drivers.protocol.codec import decode, decode_header, encode, encode_record
from drivers.protocol.constants import (
    AUTH_SEQ,
    HEADER_SIZE,
    HOST_WATCHDOG_S,
    MAC_SIZE,
    MAX_BODY,
    MAX_PAYLOAD,
    MIN_BODY,
    OFFERED_SESSIONS,
    RESTARTED_PERIOD_S,
    SEAL_SIZE,
    SEEN_SESSIONS,
    SESSION_NONE,
    UNACKED_WINDOW,
    VERSION_MAJOR,
)  # fmt: skip
from drivers.protocol.device.auth import KeyHolder
from drivers.protocol.device.log import ReportLog, ReportPump, answer_log_read
from drivers.protocol.device.requests import Answer, RequestMemory
from drivers.protocol.framing import Cause, Deframer, FrameError, crc32c
from drivers.protocol.link import Outbox
from drivers.protocol.messages import Identity
from drivers.protocol.payloads import encode_levels, is_level_value
from drivers.protocol.records import dataclass
from drivers.protocol.reports import Capability, Level, Levels, Report, ResetCause


@dataclass(frozen=True, slots=True)
class LevelRequested:
    """The host wants a level. Carry it out once and call `answer`; repeats do not come up. `token`: the link's own
    number."""

    level: Level
    value: str
    operation: int
    token: int


@dataclass(frozen=True, slots=True)
class HostLost:
    """The host is silent for 3 s or said BYE: the device must take its safe levels now."""


@dataclass(frozen=True, slots=True)
class HostFound:
    """A host speaks in a session. The device stays at its safe levels until commanded otherwise."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The host has every report of `boot` up to `counter` on disk; the device may forget them."""

    boot: int
    counter: int


DeviceEvent = LevelRequested | HostLost | HostFound | Acknowledged


@dataclass(frozen=True, slots=True)
class _Offer:
    """A session that a HELLO proposed and no frame has started yet. `hello`: its payload."""

    hello: bytes
    welcome: m.Welcome
    max_payload: int
    window: int


class DeviceLink:
    """One boot of a device.

    `boot`: u64, drawn at power-up. `log`: one that outlived the last boot, else a new one. `epoch_s`: the caller's time
    at which the device's tick was 0. `key`: with one, only a host that proves it is obeyed, and a device that can do so
    chains its log. `image`: the firmware.
    """

    def __init__(
        self,
        identity: Identity,
        *,
        boot: int,
        entropy: Callable[[int], bytes],
        log: ReportLog | None = None,
        reset_cause: ResetCause = ResetCause.POWER,
        byte_time_s: float = 0.0,
        epoch_s: float = 0.0,
        key: bytes | None = None,
        image: bytes | None = None,
    ) -> None:
        self._identity = identity
        self._boot = boot
        self._entropy = entropy
        self._log = ReportLog() if log is None else log
        self._old_logs = tuple(span for span in self._log.spans() if span.boot != boot)
        self._reset_cause = reset_cause
        self._epoch_s = epoch_s
        self._deframer = Deframer(byte_time_s)
        self._outbox = Outbox()
        self._frames_in = 0
        self._events: list[DeviceEvent] = []
        self._levels = Levels()
        self._requests = RequestMemory()
        self._session = SESSION_NONE
        self._holder = KeyHolder(key, image)
        self._chain = LogChain(key) if key and Capability.CHAINS_LOG in identity.capabilities else None
        self._offers: OrderedDict[int, _Offer] = OrderedDict()
        self._former: deque[int] = deque(maxlen=SEEN_SESSIONS)
        self._max_payload = MAX_PAYLOAD
        self._heard_at = self._now = 0.0
        self._is_host_here = False
        self._restarted_at = -RESTARTED_PERIOD_S
        self._pump = ReportPump(self._log, boot)
        self._outbox.add(0, m.Frame(m.Restarted(boot, reset_cause), SESSION_NONE))

    def report(self, report: Report, tick_us: int) -> int:
        """Logs a report and sends it if the window allows; returns its counter. Raises `PayloadError`."""
        counter = self._log.span(self._boot).last + 1
        record = m.Record(counter, tick_us, report)
        encode_record(record)  # a value that does not fit must fail here, at its maker, and not in a later resend
        if self._chain is not None:
            record = replace(record, chain=self._chain.value(self._boot, record, self._log.newest_chain))
        self._log.append(self._boot, record)
        self._send_reports()
        return counter

    def set_levels(self, levels: Levels) -> None:
        """Sets the device's present levels: the answer to a read, and the digest on each PONG. Raises
        `PayloadError`."""
        encode_levels(levels)
        self._levels = levels

    def receive(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Takes bytes from the line, in any pieces."""
        self._now = now
        for body in self._deframer.feed(data, now):
            self._frames_in += 1
            try:
                self._body(body, now)
            except FrameError as error:
                self._deframer.count(error.cause, len(body))
        return self._take()

    def tick(self, now: float) -> list[DeviceEvent]:
        """Runs the timers that are due."""
        self._now = now
        self._deframer.tick(now)
        if self._is_host_here and now >= self._heard_at + HOST_WATCHDOG_S:
            self._lose_host()
        if self._is_host_here:
            for record in self._pump.late(now):
                self._send_report(record, retransmit=True)
        return self._take()

    def next_deadline(self) -> float | None:
        """Returns when `tick` is due next; None if nothing waits."""
        times = [self._deframer.next_deadline()]
        if self._is_host_here:
            times += [self._heard_at + HOST_WATCHDOG_S, self._pump.next_deadline(self._now)]
        return min((t for t in times if t is not None), default=None)

    def data_to_send(self) -> bytes:
        """Takes the bytes that must be sent now; each byte is returned once."""
        return self._outbox.drain()

    def answer(self, request: LevelRequested, ok: bool, code: int = 0, text: str = "") -> None:
        """Answers a requested level, once; call `set_levels` first. `code` (0 = refused) and `text` say why not."""
        answer: Answer = m.Response() if ok else m.Error(code or m.ERR_REFUSED, code == m.ERR_BUSY, text)
        for seq in self._requests.end(request.token, answer):
            self._answer(seq, answer)

    @property
    def counters(self) -> Mapping[str, int]:
        """Counts frames in and out, repeats sent, and dropped frames by cause."""
        own = {"frames_in": self._frames_in} | self._outbox.counters
        return own | {cause.value: count for cause, count in self._deframer.frames_dropped.items()}

    def _take(self) -> list[DeviceEvent]:
        events, self._events = self._events, []
        return events

    def _body(self, body: bytes, now: float) -> None:
        header = decode_header(body)
        if header.type == m.TYPE_CODES[m.Hello]:
            frame = decode(body, header)
            if isinstance(frame.message, m.Hello):
                self._hello(frame.message, body[HEADER_SIZE:], frame.session)
            return
        if header.session == SESSION_NONE or header.session not in (self._session, *self._offers):
            self._refuse_session(header, now)
            raise FrameError(Cause.STALE_SESSION, f"session {header.session:08x}")
        if self._holder.has_key and header.type == m.TYPE_CODES[m.Auth]:
            self._auth(decode(body), now)
            return
        self._verify_seal(header, body, now)
        self._heard(header.session, now)
        try:
            frame = decode(body, header)
        except FrameError as error:
            if error.cause is Cause.UNEXPECTED:
                self._send(m.Error(m.ERR_UNKNOWN_TYPE, False, error.detail, header.channel & 3), header.seq)
            elif header.type == m.TYPE_CODES[m.Request] and self._requests.is_new(header.seq):
                self._answer(header.seq, m.Error(m.ERR_BAD_VALUE, False, error.detail))
            raise
        self._message(frame)

    def _hello(self, hello: m.Hello, payload: bytes, session: int) -> None:
        """Offers a session; only its first frame replaces the old session, so that a stale HELLO does nothing."""
        if session == SESSION_NONE or session in self._former:
            raise FrameError(Cause.STALE_SESSION, "a HELLO of a session that is over")
        offer = self._offers.get(session)
        if offer is None or offer.hello != payload:
            trailer = SEAL_SIZE if self._holder.has_key else MAC_SIZE
            offer = _Offer(
                payload,
                self._welcome(hello.nonce),
                max(MIN_BODY, min(MAX_BODY, hello.max_body)) - HEADER_SIZE - trailer,
                max(1, min(UNACKED_WINDOW, hello.window)),
            )
        if hello.min_version <= VERSION_MAJOR <= hello.max_version and session != self._session:
            self._offers[session] = offer
            if len(self._offers) > OFFERED_SESSIONS:
                self._offers.popitem(last=False)
        self._outbox.add(0, m.Frame(offer.welcome, session), is_plain=True)

    def _welcome(self, nonce: bytes) -> m.Welcome:
        span = self._log.span(self._boot)
        return m.Welcome(
            nonce,
            self._entropy(16),
            self._identity,
            self._boot,
            self._reset_cause,
            span.first,
            span.last,
            self._old_logs,
            log_depth=self._log.depth,
        )

    def _auth(self, frame: m.Frame, now: float) -> None:
        """Starts an authenticated session if the host proves the key."""
        auth, session = frame.message, frame.session
        if not isinstance(auth, m.Auth) or frame.seq != AUTH_SEQ:
            raise FrameError(Cause.UNEXPECTED, "AUTH is the first request of a session")
        if (offer := self._offers.get(session)) is None:
            if (again := self._holder.prove_again(auth)) is None:
                raise FrameError(Cause.MAC, "another proof than the one this session began with")
            self._reply(again, session)
            return
        welcome = encode(m.Frame(offer.welcome, session))[HEADER_SIZE:]
        proof = self._holder.prove(auth, session, offer.hello, welcome)
        if proof is None:
            self._reply(m.Error(m.ERR_REFUSED, False, "the host's key is not this device's"), session)
            raise FrameError(Cause.MAC, "the host has another key")
        self._reply(proof, session)
        self._outbox.seal = self._holder.new_seal()
        self._heard(session, now)
        self._requests.is_new(AUTH_SEQ)
        self._send_reports()

    def _reply(self, message: m.Message, session: int) -> None:
        """Sends an unsealed answer of the handshake."""
        self._outbox.add(0, m.Frame(message, session, AUTH_SEQ, AUTH_SEQ), is_plain=True)

    def _verify_seal(self, header: m.Header, body: bytes, now: float) -> None:
        """Refuses a frame without the host's seal; tells the host why if no key was proven yet."""
        if not self._holder.has_key:
            if header.flags & m.FLAG_SEALED:
                raise FrameError(Cause.MAC, "no key was agreed on")
        elif header.session != self._session:
            if header.flags & m.FLAG_SEALED:
                self._tell_restarted(header.session, now)  # a HELLO carried its session over our reboot
            else:
                self._reply(m.Error(m.ERR_NOT_PROVEN, False, "prove the key first"), header.session)
            raise FrameError(Cause.UNEXPECTED, "a frame before the proof of the key")
        elif not self._holder.is_sealed(body):
            raise FrameError(Cause.MAC, "not sealed by the host")

    def _refuse_session(self, header: m.Header, now: float) -> None:
        """Tells a host that speaks in a session before our boot that we restarted, at most once a second."""
        if header.session == SESSION_NONE or header.type == m.TYPE_CODES[m.Restarted]:
            return  # our own words, come back over a looped line
        if self._session == SESSION_NONE:
            self._tell_restarted(header.session, now)

    def _tell_restarted(self, session: int, now: float) -> None:
        if now >= self._restarted_at + RESTARTED_PERIOD_S:
            self._restarted_at = now
            self._outbox.add(0, m.Frame(m.Restarted(self._boot, self._reset_cause), session), is_plain=True)

    def _heard(self, session: int, now: float) -> None:
        self._heard_at = now
        offer = self._offers.get(session)
        if offer is not None:
            if self._session != SESSION_NONE:
                self._former.append(self._session)
            self._session, self._max_payload, self._pump.window = session, offer.max_payload, offer.window
            self._offers.clear()
            self._requests.new_session(session)
        if offer is not None or not self._is_host_here:
            self._pump.restart()
        if not self._is_host_here:
            self._is_host_here = True
            self._events.append(HostFound())

    def _lose_host(self) -> None:
        if self._is_host_here:
            self._is_host_here = False
            self._events.append(HostLost())

    def _message(self, frame: m.Frame) -> None:
        match frame.message:
            case m.Ping(nonce):
                self._pong(nonce, frame.seq)
            case m.Request() | m.TimeSet() | m.Auth() as request:
                self._request(request, frame.seq)
            case m.EventAck(boot, counter):
                self._acknowledged(boot, counter)
            case m.LogRead() as read:
                self._send(answer_log_read(self._log, self._boot, read, self._max_payload), frame.seq)
            case m.Measure() as measure:
                self._send(self._holder.measured(measure), frame.seq)
            case m.Bye():
                self._former.append(self._session)
                self._session = SESSION_NONE
                self._outbox.seal = None
                self._requests.new_session(SESSION_NONE)  # what is being done has nobody to answer to
                self._lose_host()
            case _:
                raise FrameError(Cause.UNEXPECTED, f"{type(frame.message).__name__} is for a host")
        if self._session != SESSION_NONE:
            self._send_reports()

    def _pong(self, nonce: bytes, seq: int) -> None:
        tick_us = max(0, int((self._now - self._epoch_s) * 1e6))
        dropped = tuple(self._deframer.frames_dropped.values())
        digest = crc32c(encode_levels(self._levels))
        self._send(m.Pong(nonce, self._boot, tick_us, digest, self._log.span(self._boot).last, dropped), seq)

    def _request(self, message: m.Request | m.TimeSet | m.Auth, seq: int) -> None:
        if not self._requests.is_new(seq):
            known = self._requests.known_answer(seq)
            if known is not None:
                self._send(known, seq, retransmit=True)
            raise FrameError(Cause.DUPLICATE, f"request {seq}")
        what = message.what if isinstance(message, m.Request) else message
        match what:
            case m.GetLevels():
                self._answer(seq, m.Response(encode_levels(self._levels)))
            case m.SetLevel(level, value, operation) if is_level_value(level, value):
                if (known := self._requests.recall(what, self._levels)) is not None:
                    self._answer(seq, known)
                elif (token := self._requests.begin(what, seq)) is not None:
                    self._events.append(LevelRequested(level, value, operation, token))
            case m.SetLevel(level, value, _):
                self._answer(seq, m.Error(m.ERR_BAD_VALUE, False, f"{level.value} cannot be {value!r}"))
            case m.UnknownRequest(code, _):
                self._answer(seq, m.Error(m.ERR_UNKNOWN_REQUEST, False, f"request {code:#04x}"))
            case m.TimeSet() | m.Auth():
                self._answer(seq, m.Error(m.ERR_UNSUPPORTED, False))

    def _acknowledged(self, boot: int, counter: int) -> None:
        if boot == self._boot and not self._pump.acknowledge(counter):
            return
        self._events.append(Acknowledged(boot, counter))

    def _send_reports(self) -> None:
        if self._is_host_here:
            for record in self._pump.new():
                self._send_report(record, retransmit=False)

    def _send_report(self, record: m.Record, retransmit: bool) -> None:
        self._send(m.Event(self._boot, record), record.counter & 0xFFFF, retransmit)

    def _answer(self, seq: int, answer: Answer) -> None:
        self._requests.remember(seq, answer)
        self._send(answer, seq)

    def _send(self, message: m.Message, seq: int, retransmit: bool = False) -> None:
        ack = self._requests.highest
        self._outbox.add(0, m.Frame(message, self._session, seq, ack, retransmit, clock_unset=True))
