"""A minimal host: it sends exactly the frames that a check asks for, and keeps every frame that comes.

`HostLink` is the host of a table; it sends nothing wrong and repeats nothing without need. `probe` and
`conformance` look at a device from outside and need a host that does nothing by itself.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

from drivers.errors import Fault
from drivers.protocol import messages as m
from drivers.protocol.auth import Seal, SessionKeys, Unseal
from drivers.protocol.codec import decode, encode
from drivers.protocol.constants import HEADER_SIZE
from drivers.protocol.framing import Cause, Deframer, FrameError, encode_frame
from drivers.protocol.records import dataclass
from drivers.transport import DataCallback, LostCallback, Transport

ANSWER_S = 1.0
"""How long an answer is waited for where nothing else is said: more than twice the first time-out of a request."""

KEPT = 4096
"""Frames kept; a device that floods loses the oldest, and `Heard.number` says so."""

PLAIN = (m.Welcome, m.AuthOk, m.Restarted)
"""What a device says without a seal also in a session with a key."""

M = TypeVar("M", bound=m.Message)
Connect = Callable[[DataCallback, LostCallback], Transport]


class LinkLost(Exception):
    """The port is gone. `fault` and `detail` are those of the transport."""

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(f"{fault.value.replace('_', ' ')}: {detail}")
        self.fault, self.detail = fault, detail


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame that came in. `at`: the loop's clock, seconds. `number`: counts all frames from 1."""

    number: int
    at: float
    frame: m.Frame
    body: bytes

    @property
    def session(self) -> int:
        """The session number in the frame's header."""
        return self.frame.session

    @property
    def nonce(self) -> bytes:
        """The nonce that the frame echoes; empty if its message has none."""
        found: bytes = getattr(self.frame.message, "nonce", b"")
        return found


class BareHost:
    """Holds one port from `async with` to the end of the block. `connect` makes the transport. Raises
    `PortUnavailable`.

    `key`: the device's, 32 bytes; with it each session begins with a proof, and every frame is sealed.
    """

    def __init__(
        self,
        connect: Connect,
        *,
        entropy: Callable[[int], bytes],
        byte_time_s: float = 0.0,
        key: bytes | None = None,
    ) -> None:
        self.entropy = entropy
        self.key = key
        self.bad_seals = 0
        self.keys: SessionKeys | None = None  # of this session, once both ends have proven the key
        self._seal: Seal | None = None
        self._unseal: Unseal | None = None
        self.byte_time_s = byte_time_s
        self.heard: list[Heard] = []
        self.bytes_in = 0
        self.session = 0
        self.seq = 0
        self._transport = connect(self._on_data, self._on_lost)
        self._deframer = Deframer(byte_time_s)
        self._unreadable: Counter[Cause] = Counter()
        self._lost: LinkLost | None = None
        self._news = asyncio.Event()
        self._count = 0

    async def __aenter__(self) -> Self:
        await self._transport.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self._transport.close()

    @property
    def dropped(self) -> Mapping[Cause, int]:
        """Counts what was no readable frame, by cause."""
        return {cause: n + self._unreadable[cause] for cause, n in self._deframer.frames_dropped.items()}

    @property
    def mark(self) -> int:
        """Returns the number of the last frame, so that a later search finds newer frames only."""
        return self._count

    def send(self, message: m.Message, seq: int = 0, **header: Any) -> None:
        """Sends one frame in the present session. `header`: other fields of `Frame`. Raises `LinkLost`."""
        self.send_bytes(encode_frame(self.body(message, seq, **header)))

    def body(self, message: m.Message, seq: int = 0, **header: Any) -> bytes:
        """Returns the frame body that `send` would write, sealed if the host has a key."""
        return self.sealed(encode(m.Frame(message, **{"session": self.session, "seq": seq, **header})))

    def sealed(self, body: bytes) -> bytes:
        """Returns the body with the seal of this session."""
        return body if self._seal is None else self._seal(body)

    @property
    def key_trouble(self) -> str:
        """Says why the device obeys no host without its key, or not this host; "" if the device said nothing."""
        if self.key is not None:
            return "" if self._seal else "its key is not the one in the file, or it has none"
        said = any(getattr(heard.frame.message, "code", 0) == m.ERR_NOT_PROVEN for heard in self.heard)
        return "it obeys only a host that proves its key" if said else ""

    def send_bytes(self, data: bytes) -> None:
        """Sends bytes unchanged. Raises `LinkLost`; raises `WriteBufferFull` if the device takes nothing."""
        self._look()
        self._transport.write(data)

    def next_seq(self) -> int:
        """Returns a new sequence number of the control channel."""
        self.seq += 1
        return self.seq

    def new_session(self) -> int:
        """Draws a session number and restarts the sequence numbers."""
        self.session = int.from_bytes(self.entropy(4), "little") or 1
        self.seq = 0
        self.keys = self._seal = self._unseal = None
        return self.session

    async def greet(self, within_s: float = ANSWER_S, tries: int = 1, **hello: Any) -> m.Welcome | None:
        """Sends HELLO until the WELCOME comes, then proves the key; returns None without an answer. `hello`:
        fields of `Hello`."""
        session, nonce = self.new_session(), self.entropy(16)
        said = encode(m.Frame(m.Hello(nonce, **hello), session))[HEADER_SIZE:]
        for again in range(tries):
            since = self.mark
            self.send(m.Hello(nonce, **hello), retransmit=again > 0)
            found = await self.wait(m.Welcome, since, within_s, lambda h: (h.session, h.nonce) == (session, nonce))
            if found is not None:
                await self._prove(said, found[0].body[HEADER_SIZE:])
                return found[1]
        return None

    async def _prove(self, hello: bytes, welcome: bytes) -> None:
        """Sends AUTH and checks the answer; does nothing without a key."""
        if self.key is None:
            return
        keys = SessionKeys(self.key, self.session, hello, welcome)
        answer = await self.ask(m.Auth(keys.host_proof), m.AuthOk)
        if answer is not None and answer.proof == keys.device_proof:
            self.keys = keys
            self._seal, self._unseal = Seal(keys.host_seal), Unseal(keys.device_seal)

    async def ask(self, message: m.Message, answer: type[M], within_s: float = ANSWER_S) -> M | None:
        """Sends a request under a new number and returns the answer with that number."""
        seq, since = self.next_seq(), self.mark
        self.send(message, seq)
        found = await self.wait(answer, since, within_s, lambda h: h.frame.seq == seq)
        return None if found is None else found[1]

    async def ping(self, within_s: float = ANSWER_S) -> tuple[m.Pong, float] | None:
        """Sends a PING; returns its echo and the round trip in seconds, or None if no echo comes in time."""
        nonce, since = self.entropy(8), self.mark
        sent = _now()
        self.send(m.Ping(nonce))
        found = await self.wait(m.Pong, since, within_s, lambda h: h.nonce == nonce)
        return None if found is None else (found[1], found[0].at - sent)

    async def wait(
        self, kind: type[M], since: int, within_s: float, fits: Callable[[Heard], bool] = lambda _: True
    ) -> tuple[Heard, M] | None:
        """Returns the first frame of this kind after the mark `since` that fits. Raises `LinkLost`."""
        end = _now() + within_s
        while True:
            for heard in self.heard:
                message = heard.frame.message
                if heard.number > since and isinstance(message, kind) and fits(heard):
                    return heard, message
            self._look()
            if (left := end - _now()) <= 0 or not await self._more(left):
                return None

    async def quiet(self, seconds: float) -> None:
        """Waits and sends nothing. Raises `LinkLost`."""
        await asyncio.sleep(seconds)
        self._look()

    async def _more(self, within_s: float) -> bool:
        self._news.clear()
        try:
            async with asyncio.timeout(within_s):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    def _look(self) -> None:
        if self._lost is not None:
            raise self._lost

    def _on_data(self, data: bytes) -> None:
        now = _now()
        self.bytes_in += len(data)
        for body in self._deframer.feed(data, now):
            try:
                frame = decode(body)
            except FrameError as error:
                self._unreadable[error.cause] += 1
                continue
            self._count += 1
            self.heard.append(Heard(self._count, now, frame, body))
            if self._unseal is not None and frame.session == self.session and not isinstance(frame.message, PLAIN):
                self.bad_seals += bool(self._unseal.fault(body))
        del self.heard[:-KEPT]
        self._news.set()

    def _on_lost(self, fault: Fault, detail: str) -> None:
        self._lost = LinkLost(fault, detail)
        self._news.set()


def _now() -> float:
    return asyncio.get_running_loop().time()
