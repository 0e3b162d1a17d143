"""One process of the crowd: some tables on one event loop, each at its own pace and on its own connection."""

import asyncio
import heapq
import random
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import msgspec

from controller.clock import SystemClock
from controller.journal.record import Stream
from simulators.crowd.line import Line
from simulators.crowd.table import SITE, Table

TICK_S = 0.005
WINDOW = 100
"""Messages that the broker has not acknowledged, of one table."""
HEARTBEAT_S = 10.0
AGAIN_S = 1.0
DRAIN_S = 60.0
"""How long a crowd that has stopped growing waits for the last confirmations."""
CONNECTS_AT_ONCE = 50
GROWS_AT_ONCE = 200
"""Events made in a row, so that a slow machine answers between them."""


class Orders(msgspec.Struct, frozen=True):
    """What a worker does. `first`, `tables`: which numbers; `rate`: events a second of each table; `storms`: seconds after
    the start at which all lose their lines at once; `backlog`: events that the first table has before it connects."""

    host: str
    port: int
    first: int
    tables: int
    rate: float
    seconds: float
    storms: tuple[float, ...] = ()
    backlog: int = 0


@dataclass(slots=True)
class _Wired:
    """A table with its line. `sent`: the newest number of each stream that went out on this line."""

    table: Table
    line: Line | None = None
    is_ready: bool = False
    sent: dict[Stream, int] = field(default_factory=dict)
    beat_at: float = 0.0


class Worker:
    """Runs the orders; `done` tells what came of them."""

    def __init__(self, orders: Orders) -> None:
        self._orders, self._clock = orders, SystemClock()
        now_us = time.time_ns() // 1000
        numbers = range(orders.first, orders.first + orders.tables)
        self._all = [_Wired(Table(number, now_us)) for number in numbers]
        self._due: list[tuple[float, int]] = []
        self._connects = 0
        self._to_connect: deque[_Wired] = deque()
        self._connecting: set[asyncio.Task[None]] = set()
        self._behind: dict[int, _Wired] = {}
        self._looked = 0.0
        self._is_heard = False

    async def run(self) -> dict[str, Any]:
        """Makes the traffic, waits until it is confirmed, and says goodbye."""
        for _ in range(self._orders.backlog):
            self._all[0].table.grow(self._clock.stamp())
        began = time.monotonic()
        self._to_connect.extend(self._all)
        for at, _ in enumerate(self._all):
            if not (at == 0 and self._orders.backlog):
                heapq.heappush(self._due, (began + self._gap(), at))
        storms = [began + each for each in sorted(self._orders.storms)]
        lag, end = 0.0, began + self._orders.seconds
        while (now := time.monotonic()) < end:
            self._grow(now)
            if storms and now >= storms[0]:
                storms.pop(0)
                for each in self._all:
                    if each.line is not None:
                        each.line.end(politely=False)
            await self._tick(now)
            lag = max(lag, time.monotonic() - now - TICK_S)
        for each in self._all:
            each.table.sign(self._clock.stamp())
            self._send(each)
        stopped = time.monotonic()
        while self._unconfirmed() and time.monotonic() < stopped + DRAIN_S:
            await self._tick(time.monotonic())
        for each in self._all:
            if each.line is not None:
                each.line.publish(each.table.topics.conn, each.table.goodbye(), is_retained=True)
                each.line.end(politely=True)
        await asyncio.sleep(0.2)
        return self._done(stopped - began, lag)

    def _done(self, took_s: float, lag: float) -> dict[str, Any]:
        heads = {
            each.table.topics.source: {
                stream.value: (head.sequence, head.recordhash.hex()) for stream, head in each.table.heads.items()
            }
            for each in self._all
        }
        return {
            "events": sum(n for each in heads.values() for n, _ in each.values()), "seconds": took_s,
            "is_confirmed": self._is_heard, "unconfirmed": self._unconfirmed(), "connects": self._connects,
            "longest_tick_s": lag, "heads": heads,
            "keys": {f"{SITE}_{each.table.topics.table}": each.table.key.public.pem().decode() for each in self._all},
        }  # fmt: skip

    def _again(self) -> float:
        return random.uniform(0.0, AGAIN_S)  # noqa: S311  # no secret

    def _gap(self) -> float:
        return random.expovariate(self._orders.rate)

    def _grow(self, now: float) -> None:
        for _ in range(GROWS_AT_ONCE):
            if not self._due or self._due[0][0] > now:
                return
            at_s, at = self._due[0]
            heapq.heapreplace(self._due, (at_s + self._gap(), at))
            self._all[at].table.grow(self._clock.stamp())
            self._send(self._all[at])

    async def _tick(self, now: float) -> None:
        while self._to_connect and len(self._connecting) < CONNECTS_AT_ONCE:
            task = asyncio.create_task(self._connect(self._to_connect.popleft()))
            self._connecting.add(task)
            task.add_done_callback(self._connecting.discard)
        for each in list(self._behind.values()):
            self._send(each)
        if now - self._looked > 0.5:
            self._looked = now
            for each in self._all:
                if each.line is not None and each.is_ready and now - each.beat_at > HEARTBEAT_S:
                    each.beat_at = now
                    beat = each.table.heartbeat(time.time_ns() // 1000)
                    each.line.publish(each.table.topics.heartbeat, beat, 0)
        await asyncio.sleep(TICK_S)

    async def _connect(self, each: _Wired) -> None:
        base = each.table.topics.base

        def ready() -> None:
            assert each.line is not None
            each.sent, each.is_ready = {}, True
            each.line.publish(each.table.topics.conn, each.table.birth(), is_retained=True)
            self._send(each)

        def ended() -> None:
            each.line, each.is_ready = None, False
            asyncio.get_running_loop().call_later(self._again(), self._to_connect.append, each)

        line = Line(
            f"{SITE}-{each.table.topics.table}", each.table.topics.conn, [f"{base}/ack/+", f"{base}/cmd/replay"],
            lambda topic, payload: self._came(each, topic, payload), ready, ended,
        )  # fmt: skip
        self._connects += 1
        try:
            each.line = line
            await asyncio.get_running_loop().create_connection(lambda: line, self._orders.host, self._orders.port)
        except OSError:
            ended()

    def _came(self, each: _Wired, topic: str, payload: bytes) -> None:
        said = msgspec.json.decode(payload)
        if "/ack/" in topic:
            self._is_heard = True
            if said["journal"] == each.table.journal:
                for stream, what in said["streams"].items():
                    each.table.confirm(Stream(stream), what["through"])
        elif each.line is not None:
            base, consumer = each.table.topics.base, said["consumer"]
            for number, event in list(each.table.waiting[Stream(said["stream"])]):
                if said["from"] <= number <= said["to"]:
                    each.line.publish(f"{base}/rpl/{consumer}", event)
            answer = {"id": said["id"], "verb": "replay", "state": "done"}
            each.line.publish(f"{base}/rsp/{consumer}", msgspec.json.encode(answer))

    def _send(self, each: _Wired) -> None:
        """Sends what was not sent on this line, as far as the window goes."""
        self._behind.pop(id(each), None)
        if each.line is None or not each.is_ready:
            return
        for stream, waiting in each.table.waiting.items():
            if not waiting:
                continue
            sent = max(each.sent.get(stream, 0), waiting[0][0] - 1)
            at = sent - waiting[0][0] + 1
            room = WINDOW - each.line.unanswered
            for number, event in [waiting[n] for n in range(at, min(len(waiting), at + max(0, room)))]:
                each.line.publish(each.table.topics.events(stream), event)
                sent = number
            each.sent[stream] = sent
            if sent < waiting[-1][0]:
                self._behind[id(each)] = each

    def _unconfirmed(self) -> int:
        if not self._is_heard:  # nobody confirms here: what the broker has taken counts
            return sum(max(0, each.line.unanswered) for each in self._all if each.line is not None)
        return sum(len(waiting) for each in self._all for waiting in each.table.waiting.values())


def main() -> None:
    """Reads orders from standard input, and writes what came of them to standard output."""
    orders = msgspec.json.decode(sys.stdin.buffer.read(), type=Orders)
    sys.stdout.buffer.write(msgspec.json.encode(asyncio.run(Worker(orders).run())))


if __name__ == "__main__":
    main()
