"""The interface to a broker: one `Link` is one connection, made anew for each attempt.

Nothing here knows MQTT packets: `mqtt.py` adapts a real broker, `memory.py` one in memory. Sending is a plain
call, and the answer comes through its callback, so that the outbox needs no task for each message.
"""

from collections.abc import AsyncIterator, Callable
from enum import IntEnum
from typing import Protocol

from drivers.protocol.records import dataclass


class Code(IntEnum):
    """The MQTT 5 reason codes that are handled apart; from 0x80 on the publish is refused."""

    SUCCESS = 0x00
    NO_SUBSCRIBERS = 0x10  # taken, but nobody listens; optional for brokers
    REFUSED = 0x80  # the first of the refusals
    IMPLEMENTATION = 0x83
    NOT_AUTHORIZED = 0x87
    TOPIC_NAME = 0x90  # the broker does not take this topic
    TOO_LARGE = 0x95
    QUOTA = 0x97


class LinkFailed(Exception):
    """The connection was not made. `contacted`: the broker may have seen our CONNECT, so it may publish our will."""

    def __init__(self, reason: str, *, contacted: bool) -> None:
        super().__init__(reason)
        self.reason, self.contacted = reason, contacted


class LinkDown(Exception):
    """The connection is over; the outcome of unanswered messages is unknown."""


@dataclass(frozen=True, slots=True)
class Closed:
    """Why a connection ended. `provoked`: the broker hung up without naming a cause that excludes our messages.
    `taken_over`: another client used our client id."""

    reason: str
    provoked: bool = False
    taken_over: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """The broker's limits: messages under way at once, and bytes of a packet (None = no limit known).
    `certificate_end_s`: until when its certificate is valid, Unix seconds; None without TLS."""

    receive_maximum: int = 65535
    packet: int | None = None
    certificate_end_s: int | None = None


@dataclass(frozen=True, slots=True)
class Properties:
    """Properties of a publish; only MQTT 5 carries them, so nothing may depend on them."""

    content_type: str | None = None
    user: tuple[tuple[str, str], ...] = ()
    correlation: bytes = b""


NO_PROPERTIES = Properties()


@dataclass(frozen=True, slots=True)
class Will:
    """The message that the broker publishes (QoS 1, retained) if the connection ends without DISCONNECT."""

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message that the broker has delivered to the table."""

    topic: str
    payload: bytes
    retained: bool
    response: str = ""  # where an answer is wanted, and what it must repeat; MQTT 5 only
    correlation: bytes = b""


class Link(Protocol):
    """One connection. All calls come from the loop's thread, and none blocks it."""

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

    async def subscribe(self, topic: str, *, as_published: bool = False) -> int:
        """Subscribes at QoS 1. `as_published`: keep the retain flag of messages that come live (MQTT 5).

        Returns the granted QoS, or a reason code from 0x80 on. Raises LinkDown.
        """

    def incoming(self) -> AsyncIterator[Incoming]:
        """Yields messages of the subscribed topics until the connection ends."""

    async def closed(self) -> Closed:
        """Waits until the connection is over, for whatever reason, and returns why."""

    async def close(self) -> None:
        """Says goodbye (the broker drops the will) and closes, within a second; never raises."""

    def abort(self, reason: str) -> None:
        """Closes the socket without a goodbye; does nothing on a closed link."""


LinkFactory = Callable[[Will], Link]
