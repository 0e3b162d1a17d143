"""Publishes the whole journal to the back office, over as many connections as needed.

It reads the journal by position, holds at most a window of events in memory, and never delays the table: `wake`
only sends what the window has room for, and nothing here raises into the core.
"""

import asyncio
import random
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from controller.clock import Clock, rfc3339
from controller.publish.broker.link import LinkFactory, LinkFailed, Will
from controller.publish.certificates import Certificates
from controller.publish.config import PublishConfig
from controller.publish.connection import Connection, Stop
from controller.publish.envelope import Wrapper
from controller.publish.identity import Identity, this_machine
from controller.publish.known_head import Heads, NoHeads
from controller.publish.outboxes.backlog import NS, Backlog
from controller.publish.presence import Lost, encode
from controller.publish.pump import full_jitter
from controller.publish.requests.office import Office
from controller.publish.source import JournalReader, Report
from controller.publish.topics import Topics

T = TypeVar("T")
STEADY_S = 10.0
"""A connection that lived this long was a good one: the next outage begins with a short wait again."""


class NotParked(LookupError):
    """No event of that number is parked."""


class Publisher:
    """Runs until `stop`. `states()` gives the bodies of `state/{thing}`; `report` takes facts for the journal:

    `broker_connected`, `broker_lost`, `publish_parked`, `publish_refused`, `publish_delayed`, `publish_released`,
    `subscribe_refused`, `nobody_listening`, `conn_overwritten`, `identity_shared`, `identity_alone`,
     `publisher_failed`, `outbox_position_unreadable`, `commands_taken`, `commands_refused`, `confirmations_refused`,
     `consumer_late`, `consumer_back`.
    """

    def __init__(
        self,
        config: PublishConfig,
        journal: JournalReader,
        states: Callable[[], Mapping[str, Mapping[str, Any] | None]],
        clock: Clock,
        link_factory: LinkFactory,
        rng: random.Random,
        report: Report,
        open_keys: Callable[[str], Mapping[str, str]] | None = None,
        heads: Heads | None = None,
    ) -> None:
        self._config, self._journal, self._clock, self._rng, self._report = config, journal, clock, rng, report
        self._link_factory, self._heads = link_factory, heads or NoHeads()
        self._topics = Topics(config.site, config.table)
        self._wrapper = Wrapper(self._topics, journal.id, config.vendor, journal.input_body, open_keys)
        self._backlog = Backlog(config, journal, states, report)
        self._backlog.office = Office(
            config, self._wrapper, journal, self._backlog.boxes, self._backlog.confirmations, clock, report
        )
        self._identity = Identity(journal.id, config.machine or this_machine(), report)
        self._certificates = Certificates(config.tls, report)
        self._connected_ns: int | None = None
        self._connection: Connection | None = None
        self._session: int | None = None  # taken from the journal and not yet seen by a broker
        self._stop = Stop()
        self._down_us = clock.stamp().wall_us
        self._down_reason: str | None = None  # why there is no connection, once that has been reported

    def wake(self) -> None:
        """Sends what is new; call it after each commit, from the loop's thread. Returns at once, never raises."""
        if self._connection is not None:
            self._connection.wake()

    def stop(self, reason: str = "stopped") -> None:
        """Lets the last events out, says `offline` with `reason`, and makes `run` return: within about five seconds.

        To leave without that, cancel `run`: the broker will then publish the last will.
        """
        self._stop.reason = reason
        self._stop.wanted.set()

    async def run(self) -> None:
        """Connects, and connects again after each end. Returns after `stop`; raises only CancelledError."""
        attempt = 0
        while not self._stop.wanted.is_set():
            began_ns = self._clock.mono_ns()
            try:
                reason = await self._connect_once()
            except Exception as exc:  # a fault of ours or of the journal must not take the table down
                reason = f"fault in the publisher: {exc!r}"
                if reason != self._down_reason:
                    self._report("publisher_failed", reason=repr(exc))
            if self._stop.wanted.is_set():
                return
            if self._down_reason is None:  # told once for each outage, however many tries it takes
                self._report("broker_lost", reason=reason)
                attempt = attempt if self._clock.mono_ns() - began_ns < STEADY_S * NS else 0
            self._down_reason = reason
            wait_s = full_jitter(self._rng, attempt, self._config.backoff_first_s, self._config.backoff_most_s)
            apart_s = self._identity.wait_s(self._clock.mono_ns(), self._connected_ns, self._rng.random())
            await self._unless_stopped(asyncio.sleep(max(wait_s, apart_s), True))
            attempt += 1

    async def _connect_once(self) -> str:
        """Runs one connection from dialling to its end; returns why it ended."""
        if self._session is None:
            self._session = self._journal.next_session()
        is_old = self._config.protocol == "3.1.1"
        lost = self._identity.will(self._session) if is_old else Lost(session=self._session)
        lost = replace(lost, checkpoint=self._heads.newest())
        self._certificates.begin()
        self._certificates.warn(self._clock.stamp().wall_us)
        link = self._link_factory(Will(self._topics.conn, encode(lost)))
        try:
            limits = await self._unless_stopped(link.connect())
        except LinkFailed as exc:
            if exc.contacted:
                self._session = None
            return exc.reason
        if limits is None:
            return self._stop.reason
        connection = Connection(
            self._config,
            self._wrapper,
            self._backlog,
            self._clock,
            self._rng,
            link,
            limits,
            self._session,
            self._identity,
            self._heads,
            self._certificates,
        )
        self._session, self._connection, self._connected_ns = None, connection, self._clock.mono_ns()
        self._backlog.counters.connects += 1
        try:
            closed = await connection.serve(self._stop)
        finally:
            self._connection = None
            self._down_us = self._clock.stamp().wall_us
            if connection.opened_us is not None:
                self._down_reason = None
        if closed is not None and closed.taken_over:
            self._identity.taken_over(self._clock.mono_ns())
        return closed.reason if closed else self._stop.reason

    async def _unless_stopped(self, step: Coroutine[Any, Any, T]) -> T | None:
        """Returns the result of `step`; None, and cancels `step`, if the stop came first."""
        task, stopped = asyncio.ensure_future(step), asyncio.ensure_future(self._stop.wanted.wait())
        try:
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            task.cancel()
            await asyncio.wait({task})
        return None if task.cancelled() else task.result()

    # -- for people -------------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """The broker link and each stream, in JSON types. `lag`: events that no broker has acknowledged yet.

        `settled`: events that a broker has had long enough to count as kept. `parked`: declared holes with reasons.
        """
        connection, counters = self._connection, self._backlog.counters
        up = connection is not None and connection.opened_us is not None
        since_us = connection.opened_us if connection is not None and connection.opened_us else self._down_us
        heads = self._backlog.heads()
        return {
            "broker": f"{self._config.host}:{self._config.port}",
            "connected": up,
            "since": rfc3339(since_us),
            "reason": None if up else self._down_reason,
            "session": connection.session if connection is not None else None,
            "identity": self._identity.document(),
            "connects": counters.connects,
            "sent": counters.sent,
            "acked": counters.acked,
            "refused": counters.refused,
            "nobody_listening": sorted(self._backlog.unheard),
            "back_office": self._backlog.office.document(),
            "parked_topics": self._backlog.denied.documents(self._clock.mono_ns()),
            "streams": {
                name: {
                    "head": heads[name],
                    "acked": box.highest,
                    "settled": box.settled,
                    "lag": max(0, heads[name] - box.highest),
                    "parked": [{"first": r.first, "last": r.last, "reason": r.reason} for r in box.parked],
                }
                for name, box in self._backlog.boxes.items()
            },
        }

    async def release(self, stream: str, sequence: int, last: int | None = None) -> int:
        """Sends the parked events `sequence`..`last` of `stream` again, once the cause is mended; how many they are.

        They stay declared as parked over a restart until a broker takes them. Raises NotParked.
        """
        box = self._backlog.boxes.get(stream)
        count = box.release(sequence, sequence if last is None else last) if box is not None else 0
        if box is None or count == 0:
            none = (
                f"{sequence} is not parked"
                if last in (None, sequence)
                else f"none of {sequence} to {last} is parked"
            )
            raise NotParked(f"{stream}: {none}; look at `tablewarden outbox status`")
        if self._backlog.denied.try_now(f"evt/{stream}"):
            self._backlog.suspects.accuse((stream, sequence))  # alone; the rest follows once the broker takes it
        self._report("publish_released", stream=stream, first=sequence, last=last or sequence, count=count)
        self.wake()
        return count
