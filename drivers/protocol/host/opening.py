"""Opens a session, from HELLO until the device is believed: identity, key, firmware.

No report is released before that. Without a key the device is believed at its WELCOME.
"""

from collections.abc import Callable

from drivers.protocol import messages as m
from drivers.protocol.auth import Trust
from drivers.protocol.constants import HEADER_SIZE
from drivers.protocol.framing import Cause, Deframer
from drivers.protocol.host.auth import Authentication, Measuring
from drivers.protocol.host.events import Authenticated, FirmwareMeasured, HostEvent, Welcomed
from drivers.protocol.host.handshake import Handshake
from drivers.protocol.host.requests import LIVENESS, Requests
from drivers.protocol.host.state import BELIEVED, HEARS, LinkMove, LinkStanding, LinkState
from drivers.protocol.link import LinkFault, Outbox


class Opening:
    """The handshake of one session. Later it still recognises repeats, and has the firmware measured daily."""

    def __init__(
        self,
        *,
        standing: LinkStanding,
        entropy: Callable[[int], bytes],
        trust: Trust | None,
        outbox: Outbox,
        requests: Requests,
        deframer: Deframer,
        now: float,
    ) -> None:
        self.welcome: m.Welcome | None = None
        self._standing = standing
        self._handshake = Handshake(entropy, now)
        self._auth = None if trust is None else Authentication(trust)
        self._measuring = Measuring(outbox, entropy)
        self._outbox, self._requests, self._deframer = outbox, requests, deframer

    @property
    def session(self) -> int:
        """The number of the session that is being opened."""
        return self._handshake.session

    @property
    def hears(self) -> bool:
        """True if the device takes what is sent: no key is needed, or the key is proven."""
        return self._standing.state in HEARS

    def verify_seal(self, header: m.Header, body: bytes) -> Cause | None:
        """Returns why a frame is dropped; None = the device may have sent it. Raises `LinkFault` for a forged
        frame."""
        if self._auth is not None and self._auth.is_proven:
            try:
                self._auth.verify(header, body)
            except LinkFault:
                self._deframer.count(Cause.MAC, len(body))
                raise
        elif header.flags & m.FLAG_SEALED:
            # Without a key nothing can vouch for it; before the proof it is early, and will come again.
            return Cause.MAC if self._auth is None else Cause.UNEXPECTED
        return None

    def verify_peer(self, refused: int) -> None:
        """Raises `LinkFault` if the device has refused seals that were not ours."""
        if self._auth is not None:
            self._auth.verify_peer(refused)

    def take(self, frame: m.Frame, body: bytes, now: float) -> list[HostEvent] | None:
        """Returns what a handshake frame leads to; None if the frame does not belong here now."""
        state = self._standing.state
        match frame.message:
            case m.Welcome() as welcome if state is LinkState.HELLO:
                return self._welcomed(welcome, body[HEADER_SIZE:], now)
            case m.Welcome() | m.AuthOk() if state in BELIEVED:
                self._deframer.count(Cause.DUPLICATE, 0)
                return []
            case m.Error(code=m.ERR_NOT_PROVEN) if self._auth is None:
                raise LinkFault("auth_key_needed", "the device obeys only a host with its key; name its key_file")
            case m.AuthOk() | m.Error() as answer if state is LinkState.AUTH:
                return self._answered(frame.seq, answer, now)
            case m.Measured() | m.Error(channel=m.CHANNEL_MEASURE) as answer if self.hears:
                return self._measured(frame.seq, answer, now)
            case m.Event() if state is LinkState.MEASURE:
                return []  # nothing is believed yet; it stays in the device's log, and is read from there
            case _:
                return None

    def tick(self, now: float) -> None:
        """Sends HELLO or measures, if due. Raises `LinkFault` after the last try."""
        if self._standing.state is LinkState.HELLO and (hello := self._handshake.hello(now)) is not None:
            self._outbox.add(LIVENESS, hello)
        self._measuring.tick(self._requests.last_answered, now)

    def measure(self, now: float) -> None:
        """Has the firmware measured at the next `tick`, which is due now."""
        self._measuring.again(now)

    def next_deadline(self) -> float | None:
        """Returns when `tick` has something to do."""
        waiting = self._handshake if self._standing.state is LinkState.HELLO else self._measuring
        return waiting.next_deadline()

    def extend(self, lag_s: float) -> None:
        """Gives the device more time to answer."""
        self._handshake.extend(lag_s)
        self._measuring.extend(lag_s)

    def _welcomed(self, welcome: m.Welcome, payload: bytes, now: float) -> list[HostEvent] | None:
        if not self._handshake.is_answer(welcome):
            return None
        self.welcome = welcome
        if self._auth is None:
            self._standing.move(LinkMove.WELCOMED)
        else:
            self._standing.move(LinkMove.CHALLENGED)
            challenge = self._auth.challenge(self.session, self._handshake.hello_payload, payload)
            self._requests.add(challenge, now)
            self._requests.start_next(now)
        who = welcome.identity
        return [Welcomed(who, welcome.boot, welcome.reset_cause, welcome.log_first, welcome.log_last)]

    def _answered(self, seq: int, answer: m.AuthOk | m.Error, now: float) -> list[HostEvent]:
        if self._requests.answered(seq, answer, now) is None:
            self._deframer.count(Cause.DUPLICATE, 0)
            return []
        assert self._auth is not None
        assert self.welcome is not None
        self._outbox.seal = self._auth.answered(answer)
        image = self._auth.trust.images.get(self.welcome.identity.firmware_hash)
        if image is None:
            self._standing.move(LinkMove.PROVEN)
        else:
            self._standing.move(LinkMove.PROVEN_FIRST)
            self._measuring.start(image, self._auth.measure_key, self.session, now)
        return [Authenticated(measuring=image is not None)]

    def _measured(self, seq: int, answer: m.Measured | m.Error, now: float) -> list[HostEvent]:
        if not self._measuring.answered(seq, answer, now):
            self._deframer.count(Cause.DUPLICATE, 0)
            return []
        self._standing.move(LinkMove.MEASURED)
        return [FirmwareMeasured()]
