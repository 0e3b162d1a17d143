"""Sends HELLO until WELCOME: a new session and a fresh nonce, so that nothing older is believed."""

from collections.abc import Callable

from drivers.protocol.codec import encode
from drivers.protocol.constants import (
    HANDSHAKE_TIMEOUT_S,
    HEADER_SIZE,
    HELLO_TIMEOUT_S,
    RTO_FIRST_S,
    SESSION_NONE,
    VERSION_MAJOR,
)
from drivers.protocol.link import LinkFault
from drivers.protocol.messages import Frame, Hello, Welcome


class Handshake:
    """Draws session number and nonce, says when a HELLO is due, and judges the WELCOME."""

    def __init__(self, entropy: Callable[[int], bytes], now: float) -> None:
        self.session = SESSION_NONE
        while self.session == SESSION_NONE:
            self.session = int.from_bytes(entropy(4), "little")
        self._hello = Hello(entropy(16))
        self._due_at = now
        self._wait_s = RTO_FIRST_S
        self._ends_at = now + HANDSHAKE_TIMEOUT_S
        self._sent = 0

    def hello(self, now: float) -> Frame | None:
        """Returns the HELLO that is due now, always the same. Raises `LinkFault` if no WELCOME came in time."""
        if now >= self._ends_at:
            raise LinkFault("timeout_handshake", f"no WELCOME within {HANDSHAKE_TIMEOUT_S:g} s")
        if now < self._due_at:
            return None
        self._due_at = now + self._wait_s
        self._wait_s = min(self._wait_s * 2, HELLO_TIMEOUT_S)
        self._sent += 1
        return Frame(self._hello, self.session, retransmit=self._sent > 1)

    def is_answer(self, welcome: Welcome) -> bool:
        """Returns True for the answer to our HELLO. Raises `LinkFault` if there is no common version."""
        if welcome.nonce != self._hello.nonce:
            return False
        if not welcome.min_version <= VERSION_MAJOR <= welcome.max_version:
            speaks = f"{welcome.min_version} to {welcome.max_version}"
            raise LinkFault("auth_version", f"the device speaks versions {speaks}, this host {VERSION_MAJOR}")
        return True

    @property
    def hello_payload(self) -> bytes:
        """The HELLO's payload as sent, for the proofs of a key."""
        return encode(Frame(self._hello, self.session))[HEADER_SIZE:]

    def next_deadline(self) -> float:
        """Returns when the next HELLO, or the end of the handshake, is due."""
        return min(self._due_at, self._ends_at)

    def extend(self, lag_s: float) -> None:
        """Gives the device more time to answer."""
        self._due_at += lag_s
        self._ends_at += lag_s
