"""The port to a broker: one `Link` is one connection, made fresh for each attempt and thrown away after it.

Nothing here knows MQTT packets. `mqtt.py` is the adapter to a real broker, `memory.py` the one to a broker in memory.
Sending is plain function calls: the answer to a publish comes back through the callback given with it, so that the
outbox needs no task and no event for each message.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

__all__ = [
    "NO_PROPERTIES",
    "Closed",
    "Code",
    "Incoming",
    "Limits",
    "Link",
    "LinkDown",
    "LinkFactory",
    "LinkFailed",
    "Properties",
    "Will",
]  # fmt: skip


class Code(IntEnum):
    """Reason codes of MQTT 5 that are told apart here; from 0x80 on the publish is refused."""

    SUCCESS = 0x00
    NO_SUBSCRIBERS = 0x10  # taken, but nobody listens; optional for brokers
    REFUSED = 0x80  # the first of the refusals
    IMPLEMENTATION = 0x83
    NOT_AUTHORIZED = 0x87
    TOPIC_NAME = 0x90  # the broker does not take this topic
    TOO_LARGE = 0x95
    QUOTA = 0x97


class LinkFailed(Exception):
    """No connection came about. `contacted`: the broker may have seen our CONNECT, so it may publish our will."""

    def __init__(self, reason: str, *, contacted: bool) -> None:
        super().__init__(reason)
        self.reason, self.contacted = reason, contacted


class LinkDown(Exception):
    """The connection is over; what was sent and not answered is undecided."""


@dataclass(frozen=True, slots=True)
class Closed:
    """Why a connection ended. `provoked`: the broker hung up, and named no cause that is none of our messages' fault.
    `taken_over`: another client came with our client id."""

    reason: str
    provoked: bool = False
    taken_over: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What the broker takes: messages on their way at once, and bytes of a whole packet (None = not said)."""

    receive_maximum: int = 65535
    packet: int | None = None


@dataclass(frozen=True, slots=True)
class Properties:
    """Properties of a publish; only MQTT 5 carries them, so nothing may depend on them."""

    content_type: str | None = None
    user: tuple[tuple[str, str], ...] = ()


NO_PROPERTIES = Properties()


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes (QoS 1, retained) when the connection ends without a DISCONNECT."""

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message that the broker has delivered to the table."""

    topic: str
    payload: bytes
    retained: bool


class Link(Protocol):
    """One connection. All calls from the loop's thread; no call blocks it."""

    async def connect(self) -> Limits:
        """Connects; raises LinkFailed. Cancelling it leaves nothing behind."""

    def send(
        self,
        topic: str,
        payload: bytes,
        *,
        qos: int,
        retain: bool = False,
        properties: Properties = NO_PROPERTIES,
        answered: Callable[[int], None] | None = None,
    ) -> None:
        """Hands one publish to the socket at once. `answered` gets the reason code of a QoS 1 publish, at most once,
        never from within this call, and never after the connection is over. Raises LinkDown."""

    async def subscribe(self, topic: str) -> int:
        """Subscribes at QoS 1; the granted QoS or a reason code from 0x80 on. Raises LinkDown."""

    def incoming(self) -> AsyncIterator[Incoming]:
        """Messages of the subscribed topics; ends with the connection."""

    async def closed(self) -> Closed:
        """Returns when the connection is over, however that came."""

    async def close(self) -> None:
        """Says goodbye (the broker drops the will) and closes, within a second; never raises."""

    def abort(self, reason: str) -> None:
        """Closes the socket without a goodbye; does nothing on a closed link."""


LinkFactory = Callable[[Will], Link]
