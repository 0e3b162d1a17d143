"""A real mosquitto in the place of the broker in memory: the daemon's own adapter to it, and a subscriber written apart.

Virtual time stands still while anything is on its way between daemon, broker and subscriber. A broker that is away is a network
that is: connecting fails, and what was connected is cut off without a goodbye.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from controller.publish.broker.link import Closed, Code, Incoming, Limits, LinkFailed, Will
from controller.publish.broker.mqtt import MqttLink
from controller.publish.config import PublishConfig
from simulators.bench.options import SITE, TABLE
from simulators.bench.subscriber import Delivered, Subscriber
from tests.faults.virtual import VirtualLoop

NEVER_S = 60_000
"""Keep-alive: what is silent here is only virtual time."""
EVENTS = f"tablewarden/v1/{SITE}/{TABLE}/evt/"
_names = itertools.count(1)


class RealBroker:
    """The face of `MemoryBroker` that the rig uses. `deliveries`: what the subscriber got, oldest first."""

    def __init__(self, port: int) -> None:
        self.port, self.name = port, f"{TABLE}-{next(_names)}"
        self.deliveries: list[Delivered] = []
        self.away = False
        self.denied: set[str] = set()
        self._links: list[CountedLink] = []
        self._heard = self._taken = self._asked = 0
        self._subscriber = Subscriber("127.0.0.1", port, f"subscriber-{self.name}", self._hear)

    def link(self, will: Will) -> "CountedLink":
        config = PublishConfig(SITE, TABLE, "127.0.0.1", self.name, port=self.port, keepalive_s=NEVER_S)
        return CountedLink(self, MqttLink(config, will))

    def drop(self, reason: str = "the broker closed the connection") -> None:
        for link in list(self._links):
            link.abort(reason)

    def is_busy(self) -> bool:
        """Whether an answer, or a message for the subscriber, is still to come."""
        waits = any(link.unanswered for link in self._links)
        return bool(self._asked or waits or self._heard < self._taken)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While it lasts, the broker owes an answer."""
        self._asked += 1
        try:
            yield
        finally:
            self._asked -= 1

    def up(self, link: "CountedLink") -> None:
        self._links.append(link)

    def over(self, link: "CountedLink") -> None:
        if link in self._links:
            self._links.remove(link)

    def took(self, topic: str) -> None:
        self._taken += topic.startswith(EVENTS)

    def _hear(self, message: Delivered) -> None:
        if not message.retained:
            self.deliveries.append(message)
            self._heard += message.topic.startswith(EVENTS)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["RealBroker"]:
        """With a subscriber that hears everything from the beginning."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        hearing = asyncio.create_task(self._subscriber.run(), name="subscriber")
        loop.under_way.append(self.is_busy)
        try:
            with self.asking():
                await self._subscriber.ready()
            yield self
        finally:
            loop.under_way.remove(self.is_busy)
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)


class CountedLink:
    """The daemon's own link; it knows what the broker still owes it."""

    def __init__(self, broker: RealBroker, link: MqttLink) -> None:
        self._broker, self._link = broker, link
        self.unanswered = 0

    async def connect(self) -> Limits:
        if self._broker.away:
            raise LinkFailed("the broker is away", contacted=False)
        with self._broker.asking():
            limits = await self._link.connect()
        self._broker.up(self)
        return limits

    def send(
        self, topic: str, payload: bytes, *, answered: Callable[[int], None] | None = None, **more: Any
    ) -> None:
        if answered is None:
            self._link.send(topic, payload, **more)
            return

        def counted(code: int) -> None:
            self.unanswered -= 1
            if code < Code.REFUSED:
                self._broker.took(topic)
            answered(code)

        if any(topic.endswith(f"/{denied}") for denied in self._broker.denied):
            asyncio.get_running_loop().call_soon(answered, int(Code.NOT_AUTHORIZED))  # as its ACL would say
            return
        self.unanswered += 1
        self._link.send(topic, payload, answered=counted, **more)

    async def subscribe(self, topic: str, **more: Any) -> int:
        with self._broker.asking():
            return await self._link.subscribe(topic, **more)

    def incoming(self) -> AsyncIterator[Incoming]:
        return self._link.incoming()

    async def closed(self) -> Closed:
        closed = await self._link.closed()
        self._broker.over(self)
        return closed

    async def close(self) -> None:
        self._broker.over(self)
        with self._broker.asking():
            await self._link.close()

    def abort(self, reason: str) -> None:
        self._broker.over(self)
        self._link.abort(reason)
