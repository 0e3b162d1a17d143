"""A broker in memory: for `--broker memory`, and for tests that need a misbehaving broker.

It keeps retained messages and wills like a real one, and can refuse, hold back or lose answers, drop connections,
and be away.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import field

from controller.publish.broker.link import (
    NO_PROPERTIES,
    Closed,
    Code,
    Incoming,
    Limits,
    LinkDown,
    LinkFailed,
    Properties,
    Will,
)
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class Delivery:
    """One publish that the broker accepted."""

    topic: str
    payload: bytes
    qos: int
    retain: bool
    properties: Properties = NO_PROPERTIES


@dataclass(slots=True)
class MemoryBroker:
    """`deliveries`: what was taken, oldest first, at most `keep`. `listeners` are called with each as it is taken.

    `judge` gives the reason code for a publish; `Code.SUCCESS` takes it. `topples` says that a publish makes the
    broker drop the connection. `away`: connecting fails; `mute`: it fails after the greeting went out. `answering`:
    False holds answers back until it is True again (`answer_held`); `losing`: answers vanish though the message was
    taken.
    """

    keep: int | None = 10_000
    limits: Limits = field(default_factory=Limits)
    judge: Callable[[Delivery], int] = lambda delivery: Code.SUCCESS
    topples: Callable[[Delivery], bool] = lambda delivery: False
    away: bool = False
    mute: bool = False
    answering: bool = True
    losing: bool = False
    listeners: list[Callable[[Delivery], None]] = field(default_factory=list)
    deliveries: deque[Delivery] = field(init=False)
    retained: dict[str, bytes] = field(default_factory=dict)
    links: list["MemoryLink"] = field(default_factory=list)
    connects: int = 0

    def __post_init__(self) -> None:
        self.deliveries = deque(maxlen=self.keep)

    def link(self, will: Will) -> "MemoryLink":
        """Returns a new link to this broker: a `LinkFactory`."""
        return MemoryLink(self, will)

    def take(self, delivery: Delivery) -> None:
        """Stores a publish and delivers it to subscribers."""
        self.deliveries.append(delivery)
        if delivery.retain:
            self.retained[delivery.topic] = delivery.payload
            if not delivery.payload:
                del self.retained[delivery.topic]
        for listener in self.listeners:
            listener(delivery)
        self.pass_on(Incoming(delivery.topic, delivery.payload, retained=False))

    def pass_on(self, message: Incoming) -> None:
        """Delivers a message to the links that are subscribed to its topic."""
        for link in self.links:
            link.deliver(message)

    def drop(self, reason: str = "the broker closed the connection") -> None:
        """Ends every connection without a goodbye; the wills are published."""
        for link in list(self.links):
            link.end(Closed(reason, provoked=True), with_will=True)

    def answer_held(self) -> None:
        """Sends the held answers in order, and answers again from now on."""
        self.answering = True
        for link in self.links:
            link.answer_held()


class MemoryLink:
    """One connection to a `MemoryBroker`."""

    def __init__(self, broker: MemoryBroker, will: Will) -> None:
        self._broker, self._will = broker, will
        self._topics: set[str] = set()
        self._queue: asyncio.Queue[Incoming | None] = asyncio.Queue()
        self._over: asyncio.Future[Closed] = asyncio.get_running_loop().create_future()
        self._held: list[tuple[Callable[[int], None], int]] = []

    async def connect(self) -> Limits:
        """Connects to the broker in memory; raises LinkFailed while the broker is away or mute."""
        if self._broker.away:
            raise LinkFailed("the broker is away", contacted=False)
        if self._broker.mute:
            raise LinkFailed("no answer to our greeting in time", contacted=True)
        self._broker.connects += 1
        self._broker.links.append(self)
        return self._broker.limits

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
        """Publishes a message; `answered` gets the broker's reason code later. Raises LinkDown."""
        if self._over.done():
            raise LinkDown(self._over.result().reason)
        delivery = Delivery(topic, payload, qos, retain, properties)
        if self._broker.topples(delivery):
            self.end(Closed("the broker closed the connection", provoked=True), with_will=True)
            return
        code = self._broker.judge(delivery)
        if code < Code.REFUSED:
            self._broker.take(delivery)
        if qos == 0 or answered is None or self._broker.losing:
            return
        self._held.append((answered, code))
        if self._broker.answering and len(self._held) == 1:
            asyncio.get_running_loop().call_soon(self._answer_soon)

    async def subscribe(self, topic: str, *, as_published: bool = False) -> int:
        """Subscribes to a topic and receives its retained messages; returns 1, the granted QoS. Raises LinkDown."""
        if self._over.done():
            raise LinkDown(self._over.result().reason)
        self._topics.add(topic)
        for name, payload in list(self._broker.retained.items()):
            if _matches(topic, name):
                self.deliver(Incoming(name, payload, retained=True))
        return 1

    async def incoming(self) -> AsyncIterator[Incoming]:
        """Yields messages of the subscribed topics until the connection ends."""
        while (message := await self._queue.get()) is not None:
            yield message

    async def closed(self) -> Closed:
        """Waits for the connection's end and returns why it ended."""
        return await asyncio.shield(self._over)

    async def close(self) -> None:
        """Ends the connection with a goodbye: the broker drops the will."""
        self.end(Closed("said goodbye"), with_will=False)

    def abort(self, reason: str) -> None:
        """Ends the connection without a goodbye: the broker publishes the will."""
        self.end(Closed(reason), with_will=True)

    def deliver(self, message: Incoming) -> None:
        """Queues a message if its topic is subscribed."""
        if any(_matches(topic, message.topic) for topic in self._topics):
            self._queue.put_nowait(message)

    def _answer_soon(self) -> None:
        if self._broker.answering:
            self.answer_held()

    def answer_held(self) -> None:
        """Sends the held answers, and none for messages sent meanwhile."""
        held, self._held = self._held, []
        for answered, code in held:
            if not self._over.done():
                answered(code)

    def end(self, closed: Closed, *, with_will: bool) -> None:
        """Ends the connection once; one that never connected has no will."""
        if self._over.done():
            return
        self._over.set_result(closed)
        self._queue.put_nowait(None)
        if self in self._broker.links:
            self._broker.links.remove(self)
            if with_will:
                self._broker.take(Delivery(self._will.topic, self._will.payload, 1, True))


def _matches(asked: str, topic: str) -> bool:
    """Returns True if a subscription to `asked` takes `topic`; its last level may be `+`."""
    if asked.endswith("/+"):
        return topic.rpartition("/")[0] == asked[:-2]
    return topic == asked
