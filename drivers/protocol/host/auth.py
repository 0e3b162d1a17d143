"""The host's side of the shared key: does the device hold the key, and is its firmware the approved image?"""

import hmac
from collections.abc import Callable

from drivers.protocol import messages as m
from drivers.protocol.auth import Seal, SessionKeys, Trust, Unseal, measurement
from drivers.protocol.constants import (
    MEASURE_PERIOD_S,
    MEASURE_RANGE_MAX,
    MEASURE_RANGES,
    MEASURE_TIMEOUT_S,
    MEASURE_TRIES,
)
from drivers.protocol.host.requests import LOG
from drivers.protocol.link import LinkFault, Outbox, next_seq

PLAIN_TYPES = frozenset(m.TYPE_CODES[kind] for kind in (m.Welcome, m.AuthOk, m.Restarted))
"""All that a device may say without a seal once the key is proven: the handshake again, and that it forgot the session."""


class Authentication:
    """The proofs of one session, and the seals of its frames."""

    def __init__(self, trust: Trust) -> None:
        self.trust = trust
        self.is_proven = False
        self._keys: SessionKeys | None = None
        self._unseal: Unseal | None = None
        self._refused_at_first: int | None = None

    def challenge(self, session: int, hello: bytes, welcome: bytes) -> m.Auth:
        """Returns the host's proof, from the HELLO and WELCOME payloads of this session."""
        self._keys = SessionKeys(self.trust.key, session, hello, welcome)
        self._unseal = Unseal(self._keys.device_seal)
        return m.Auth(self._keys.host_proof)

    def answered(self, answer: object) -> Seal:
        """Returns the seal for later frames. Raises `LinkFault` if the device did not prove its key."""
        keys = self._proven_keys
        match answer:
            case m.AuthOk(proof) if hmac.compare_digest(proof, keys.device_proof):
                self.is_proven = True
                return Seal(keys.host_seal)
            case m.Error(code=m.ERR_UNSUPPORTED):
                raise LinkFault(
                    "auth_no_key", "the device has no key; give it the one of this table, or remove key_file"
                )
            case m.Error(code, _, text):
                raise LinkFault("auth_bad_key", f"the device did not take our key ({code}) {text}".rstrip())
            case _:
                raise LinkFault("auth_bad_key", "the device has another key than this host; give both the same")

    def verify(self, header: m.Header, body: bytes) -> None:
        """Raises `LinkFault` for a frame of this session that is unsealed or came before."""
        if not header.flags & m.FLAG_SEALED and header.type in PLAIN_TYPES:
            return
        assert self._unseal is not None
        if fault := self._unseal.fault(body):
            what = "came a second time" if fault == "auth_replay" else "was not sealed by the device"
            raise LinkFault(fault, f"a frame of type {header.type:#04x} {what}: look who is on the cable")

    def verify_peer(self, refused: int) -> None:
        """Raises `LinkFault` if the device has refused more seals than at the session's first PONG."""
        if self._refused_at_first is None:
            self._refused_at_first = refused
        elif refused != self._refused_at_first:
            raise LinkFault(
                "auth_bad_mac", "the device was sent frames that we did not seal: look who is on the cable"
            )

    @property
    def measure_key(self) -> bytes:
        """The key under which the device measures its firmware; known once the device has proven its own key."""
        return self._proven_keys.measure

    @property
    def _proven_keys(self) -> SessionKeys:
        assert self._keys is not None
        return self._keys


class Measuring:
    """Asks for a keyed hash of eight random firmware ranges: in each session, each day, and on demand."""

    def __init__(self, outbox: Outbox, entropy: Callable[[int], bytes]) -> None:
        self._outbox, self._entropy = outbox, entropy
        self._image = self._key = b""
        self._asked: m.Measure | None = None
        self._session = self._seq = self._tries = 0
        self._due_at: float | None = None

    def start(self, image: bytes, key: bytes, session: int, now: float) -> None:
        """Measures against `image` from now on."""
        self._image, self._key, self._session = image, key, session
        self._due_at = now
        self.tick(0, now)

    def again(self, now: float) -> None:
        """Measures now instead of at the day's end, if there is an image."""
        if self._due_at is not None and self._asked is None:
            self._due_at = now

    def tick(self, ack: int, now: float) -> None:
        """Sends or repeats the request. Raises `LinkFault` (auth_measure) after the last try."""
        if self._due_at is None or now < self._due_at:
            return
        if self._tries >= MEASURE_TRIES:
            raise LinkFault(
                "auth_measure", f"the device did not let its firmware be measured in {self._tries} tries"
            )
        if self._asked is None:
            self._asked = m.Measure(self._entropy(16), tuple(self._range() for _ in range(MEASURE_RANGES)))
            self._seq = next_seq(self._seq)
        self._tries += 1
        self._due_at = now + MEASURE_TIMEOUT_S
        self._outbox.add(LOG, m.Frame(self._asked, self._session, self._seq, ack, retransmit=self._tries > 1))

    def answered(self, seq: int, answer: m.Measured | m.Error, now: float) -> bool:
        """Returns True if the firmware matches the image; False for an answer to an old request.

        Raises `LinkFault` (auth_measure) if the firmware is another one, or cannot be measured.
        """
        asked = self._asked
        if asked is None or seq != self._seq:
            return False
        if isinstance(answer, m.Error):
            raise LinkFault(
                "auth_measure", f"the device cannot be measured ({answer.code}) {answer.text}".rstrip()
            )
        expected = measurement(self._key, asked.nonce, asked.ranges, self._image)
        if not hmac.compare_digest(answer.digest, expected):
            raise LinkFault("auth_measure", "the firmware is not the approved image that it says it is")
        self._asked, self._tries, self._due_at = None, 0, now + MEASURE_PERIOD_S
        return True

    def next_deadline(self) -> float | None:
        """Returns when the next request or repeat is due."""
        return self._due_at

    def extend(self, lag_s: float) -> None:
        """Gives the device more time."""
        if self._due_at is not None:
            self._due_at += lag_s

    def _range(self) -> tuple[int, int]:
        length = min(MEASURE_RANGE_MAX, len(self._image))
        offset = int.from_bytes(self._entropy(8), "little") % (len(self._image) - length + 1)
        return offset, length
