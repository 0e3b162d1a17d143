"""A host of the barest kind: it sends exactly the frames it is told to, and keeps every frame that comes.

`HostLink` is the host of a table; it never sends what is wrong, and never asks twice without need. Whoever looks at a
device from outside (`probe`) or tries its manners (`conformance`) needs one that does nothing by itself.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from drivers.errors import Fault
from drivers.protocol import messages as m
from drivers.protocol.auth import Seal, SessionKeys, Unseal
from drivers.protocol.codec import decode, encode
from drivers.protocol.constants import HEADER_SIZE
from drivers.protocol.framing import Cause, Deframer, FrameError, encode_frame
from drivers.transport import DataCallback, LostCallback, Transport

__all__ = ["ANSWER_S", "BareHost", "Heard", "LinkLost"]

ANSWER_S = 1.0
"""How long an answer is waited for where nothing else is said: more than twice the first time-out of a request."""

KEPT = 4096
"""Frames kept; a device that floods loses the oldest, and `Heard.number` says so."""

PLAIN = (m.Welcome, m.AuthOk, m.Restarted)
"""What a device says without a seal also in a session with a key."""

M = TypeVar("M", bound=m.Message)
Connect = Callable[[DataCallback, LostCallback], Transport]


class LinkLost(Exception):
    """The port went away. `fault` and `detail` as the transport told them."""

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(f"{fault.value.replace('_', ' ')}: {detail}")
        self.fault, self.detail = fault, detail


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame that came. `at`: the loop's clock, seconds. `number`: counts all frames from 1."""

    number: int
    at: float
    frame: m.Frame
    body: bytes

    @property
    def session(self) -> int:
        """Of the header."""
        return self.frame.session

    @property
    def nonce(self) -> bytes:
        """What it echoes; empty where its message has none."""
        found: bytes = getattr(self.frame.message, "nonce", b"")
        return found


class BareHost:
    """One port, from `async with` on to its end. `connect`: makes the transport. Raises `PortUnavailable` on entering.

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
        """What came and was no frame, or one that cannot be read, by cause."""
        return {cause: n + self._unreadable[cause] for cause, n in self._deframer.frames_dropped.items()}

    @property
    def mark(self) -> int:
        """The number of the last frame that came: what is looked for behind it is new."""
        return self._count

    def send(self, message: m.Message, seq: int = 0, **header: Any) -> None:
        """One frame in the present session. `header`: other fields of `Frame`. Raises `LinkLost`."""
        self.send_bytes(encode_frame(self.body(message, seq, **header)))

    def body(self, message: m.Message, seq: int = 0, **header: Any) -> bytes:
        """The body that `send` would put on the wire, with its seal where there is a key."""
        return self.sealed(encode(m.Frame(message, **{"session": self.session, "seq": seq, **header})))

    def sealed(self, body: bytes) -> bytes:
        """A body as it travels in this session."""
        return body if self._seal is None else self._seal(body)

    @property
    def key_trouble(self) -> str:
        """Why the device obeys no host without its key, or not with this one; "" = nothing was said of it."""
        if self.key is not None:
            return "" if self._seal else "its key is not the one in the file, or it has none"
        said = any(getattr(heard.frame.message, "code", 0) == m.ERR_NOT_PROVEN for heard in self.heard)
        return "it obeys only a host that proves its key" if said else ""

    def send_bytes(self, data: bytes) -> None:
        """Bytes as they are. Raises `LinkLost`, and `WriteBufferFull` where the device takes nothing."""
        self._look()
        self._transport.write(data)

    def next_seq(self) -> int:
        """A new number in the control channel."""
        self.seq += 1
        return self.seq

    def new_session(self) -> int:
        """Draws the number of a session, and begins to count anew."""
        self.session = int.from_bytes(self.entropy(4), "little") or 1
        self.seq = 0
        self.keys = self._seal = self._unseal = None
        return self.session

    async def greet(self, within_s: float = ANSWER_S, tries: int = 1, **hello: Any) -> m.Welcome | None:
        """HELLO with a new session until its WELCOME comes, then the proof; None where none does. `hello`: of `Hello`."""
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
        """AUTH and its answer, for the payloads of this session; without a key nothing. A device may not agree."""
        if self.key is None:
            return
        keys = SessionKeys(self.key, self.session, hello, welcome)
        answer = await self.ask(m.Auth(keys.host_proof), m.AuthOk)
        if answer is not None and answer.proof == keys.device_proof:
            self.keys = keys
            self._seal, self._unseal = Seal(keys.host_seal), Unseal(keys.device_seal)

    async def ask(self, message: m.Message, answer: type[M], within_s: float = ANSWER_S) -> M | None:
        """A question under a new number, and its answer by that number."""
        seq, since = self.next_seq(), self.mark
        self.send(message, seq)
        found = await self.wait(answer, since, within_s, lambda h: h.frame.seq == seq)
        return None if found is None else found[1]

    async def ping(self, within_s: float = ANSWER_S) -> tuple[m.Pong, float] | None:
        """A PING, its echo and the round trip in seconds; None where no echo comes in time."""
        nonce, since = self.entropy(8), self.mark
        sent = _now()
        self.send(m.Ping(nonce))
        found = await self.wait(m.Pong, since, within_s, lambda h: h.nonce == nonce)
        return None if found is None else (found[1], found[0].at - sent)

    async def wait(
        self, kind: type[M], since: int, within_s: float, fits: Callable[[Heard], bool] = lambda _: True
    ) -> tuple[Heard, M] | None:
        """The first frame of this kind behind the mark `since` that fits. Raises `LinkLost`."""
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
        """Lets time pass. Raises `LinkLost`."""
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
