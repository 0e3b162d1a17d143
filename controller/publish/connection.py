"""The life of one connection: birth, retained states, events from the settled position on, heartbeat, goodbye.

Tasks exist only for what waits: the link's end, the heartbeat, overdue answers, messages on our `conn`.
"""

import asyncio
import contextlib
import random
from collections.abc import Coroutine
from typing import Any

from msgspec import UNSET

from controller.clock import Clock, rfc3339
from controller.publish.broker.link import Closed, Code, Incoming, Limits, Link, LinkDown
from controller.publish.certificates import Certificates
from controller.publish.config import PublishConfig
from controller.publish.envelope import Wrapper
from controller.publish.identity import Identity
from controller.publish.known_head import Heads
from controller.publish.outboxes.backlog import NS, Backlog
from controller.publish.presence import Birth, Heartbeat, Offline, Said, encode, read
from controller.publish.pump import CONN, Pump

REBIRTH_S, REBIRTH_MOST_S = 5.0, 60.0
"""Time between repeated births: two machines with one identity must not shout each other down."""
CONN_MOST = 64
"""Messages on our own `conn` that wait at most."""
RETAINED_S = 1.0
"""How long the first event waits at most for what consumers confirmed while we were away."""
LOOK_S = 1.0
"""Time between two looks whether events were confirmed."""
RENEWED = "a new certificate is in place"
"""Why a connection was ended by us, to be made again with it."""
LEAVE_S = 2.0
"""How long a clean stop waits for the last events, and again for its goodbye to be acknowledged."""


class Stop:
    """The request to leave, with the reason that `offline` will name."""

    def __init__(self) -> None:
        self.reason, self.wanted = "", asyncio.Event()


class Connection:
    """One connected link in use. `session`: its number. `serve` runs it to its end."""

    def __init__(
        self,
        config: PublishConfig,
        wrapper: Wrapper,
        backlog: Backlog,
        clock: Clock,
        rng: random.Random,
        link: Link,
        limits: Limits,
        session: int,
        identity: Identity,
        heads: Heads,
        certificates: Certificates,
    ) -> None:
        self._config, self._backlog, self._clock, self._link = config, backlog, clock, link
        self._identity, self._may_be_before, self._began_ns = identity, identity.begin(session), clock.mono_ns()
        self._topics, self._heads = wrapper.topics, heads
        self._certificates, self._limits, self._is_renewing = certificates, limits, False
        self._pump = Pump(config, wrapper, backlog, clock, rng, link, limits)
        self._office = backlog.office
        self._on_conn: asyncio.Queue[Incoming] = asyncio.Queue(CONN_MOST)
        self._born = asyncio.Event()  # our own birth came back, behind what was retained
        self._unanswered = False
        self._rebirths, self._reborn_ns = 0, 0
        self.session = session
        self.opened_us: int | None = None  # when the birth was answered
        self.wake = self._pump.wake

    async def serve(self, stop: Stop) -> Closed | None:
        """Runs the link until it ends (returns why) or until `stop` (returns None, after a goodbye with its
        reason).

        Raises what the journal or the states' function raised.
        """
        over = asyncio.ensure_future(self._link.closed())
        stopped = asyncio.ensure_future(stop.wanted.wait())
        try:
            async with asyncio.TaskGroup() as group:
                steps = [self._live(), self._read(), self._watch_conn(), self._watch_answers()]
                steps.append(self._watch_certificates(over))
                if self._office.confirmations is not None:
                    steps.append(self._watch_confirmations())
                tasks = [group.create_task(step) for step in steps]
                await asyncio.wait({over, stopped}, return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    task.cancel()
            if not over.done():
                await self._leave(stop.reason, over)
                return None
            if self._pump.fault is not None:
                raise self._pump.fault
            return Closed(RENEWED) if self._is_renewing else over.result()
        finally:
            provoked = over.done() and not over.cancelled() and over.result().provoked
            stopped.cancel()
            over.cancel()
            self._pump.shut()
            self._link.abort("finished")
            self._office.replies.ended()
            on_way, now = self._pump.on_way, self._clock.mono_ns()
            if provoked:
                suspected = on_way.suspected()
                unproven = on_way.unproven if suspected else []
                self._backlog.ended(suspected, now, accusing=bool(suspected), unproven=unproven)
            else:
                self._backlog.ended(list(on_way), now, accusing=self._unanswered)

    async def _live(self) -> None:
        try:
            await self._open()
            while True:
                self._beat()
                if self._backlog.denied.tries(CONN):
                    await self._publish(self._topics.conn, self._birth())
                await asyncio.sleep(self._config.heartbeat_s)
        except LinkDown:
            return  # serve() is waiting for just this

    async def _open(self) -> None:
        """Reads our own `conn` first: a retained message there is our death or birth, or another machine's.

        Then publishes the birth; a second subscription proves that the broker survived it.
        """
        topic, report = self._topics.conn, self._backlog.report
        await self._link.subscribe(topic)
        for asked in self._office.subscriptions():
            if (code := await self._link.subscribe(asked, as_published="/cmd/" in asked)) >= Code.REFUSED:
                report("subscribe_refused", topic=asked, reason=f"refused with 0x{code:02x}")
        await self._publish(topic, self._birth())
        self._identity.born()
        if (code := await self._link.subscribe(topic)) >= Code.REFUSED:
            report("subscribe_refused", topic=topic, reason=f"refused with 0x{code:02x}")
        if self._office.confirmations is not None:
            with contextlib.suppress(TimeoutError):  # retained confirmations were sent before it
                await asyncio.wait_for(self._born.wait(), RETAINED_S)
        repeats = self._backlog.begin()
        self._office.connected()
        self.opened_us = self._clock.stamp().wall_us
        report("broker_connected", session=self.session, repeats=repeats)
        self._backlog.refresh_states()
        self._pump.on_way.proven()
        self._pump.open()

    def _birth(self) -> bytes:
        heads, oldest = self._backlog.heads(), self._backlog.oldest()
        boot, journal = self._clock.stamp().boot, self._backlog.journal
        birth = Birth(
            session=self.session,
            bootid=boot,
            version=self._config.version,
            journal=journal.id,
            created=rfc3339(journal.description.created_us),
            heads=heads,
            oldest=oldest,
            machine=self._identity.machine,
            process=self._identity.process,
            checkpoint=self._heads.newest(),
        )
        return encode(birth)

    async def _publish(self, topic: str, payload: bytes) -> int:
        """Returns the reason code of a message on `conn`, which is parked if refused; sends nothing while parked."""
        if self._backlog.denied.holds(CONN):
            return Code.SUCCESS
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._pump.publish(topic, payload, lambda code: None if answer.done() else answer.set_result(code))
        return await answer

    def _beat(self) -> None:
        now = self._clock.mono_ns()
        for box in self._backlog.boxes.values():
            box.settle(now)
        self._backlog.save()
        self._identity.look(now, self._began_ns)
        if self._office.look():
            self._pump.wake()
        self._certificates.warn(self._clock.stamp().wall_us, self._limits.certificate_end_s)
        beat = Heartbeat(
            time=rfc3339(self._clock.stamp().wall_us),
            session=self.session,
            journal=self._backlog.journal.id,
            heads=self._backlog.heads(),
            parked=self._backlog.parked(),
            parked_topics=self._backlog.denied.names() or UNSET,
            **self._office.beat(),
        )
        self._pump.beat(encode(beat))

    # -- watching ---------------------------------------------------------------------------------------------------

    async def _watch_answers(self) -> None:
        """Ends the connection if an answer stays out on a live link."""
        limit_ns = 2 * self._config.keepalive_s * NS
        while True:
            await asyncio.sleep(self._config.keepalive_s / 4)
            sent_ns = self._pump.oldest_ns()
            if sent_ns is not None and self._clock.mono_ns() - sent_ns > limit_ns:
                self._unanswered = True
                self._link.abort("a publish was not answered within two keep-alives")
                return

    async def _read(self) -> None:
        """Gives each message to whom it concerns. Confirmations and requests are taken at once."""
        async for message in self._link.incoming():
            if message.topic == self._topics.conn:
                if not self._on_conn.full():
                    self._on_conn.put_nowait(message)
                continue
            self._office.take(message)
            self._backlog.save()
            if self._office.is_refresh_due and self.opened_us is not None:
                self._refresh()
            self._pump.wake()

    def _refresh(self) -> None:
        """Sends all retained messages again, because a consumer asked for them."""
        self._office.is_refresh_due = False
        self._backlog.board.all_due()
        self._office.connected()
        if not self._backlog.denied.holds(CONN):
            self._pump.publish(self._topics.conn, self._birth(), lambda code: None)

    async def _watch_confirmations(self) -> None:
        """Sends again what nobody confirms, and tells which consumer is late."""
        while True:
            await asyncio.sleep(LOOK_S)
            if self.opened_us is not None and self._office.look():
                self._pump.wake()

    async def _watch_certificates(self, over: "asyncio.Future[Closed]") -> None:
        """Ends the connection once a new certificate lies there: what is on its way is answered first, or sent again."""
        await self._certificates.wait_for_new()
        self._is_renewing = True
        self._pump.shut()
        await _within(LEAVE_S, self._pump.idle.wait(), over)
        await self._link.close()

    async def _watch_conn(self) -> None:
        """Handles other messages on our `conn`: a late will, or a second machine with our identity."""
        while True:
            message = await self._on_conn.get()
            if (said := read(message.payload)) is not None:
                is_before = message.retained and self._may_be_before
                self._identity.hear(said, self.session, self._clock.mono_ns(), is_before=is_before)
            if message.retained:
                self._heads.seen(message.payload)
                continue  # from before the birth, which overwrites it
            is_ours = said is not None and (said.state, said.process) == ("online", self._identity.process)
            if is_ours and said is not None and said.session == self.session:
                self._born.set()
            if said is None or not is_ours or said.session != self.session:
                await self._be_reborn(message, said)

    async def _be_reborn(self, message: Incoming, said: Said | None) -> None:
        now = self._clock.mono_ns()
        if now - self._reborn_ns > 10 * REBIRTH_MOST_S * NS:
            self._rebirths = 0
        ours = ("", self._identity.process)
        is_will = (
            said is not None and said.process in ours and (said.state, said.session) == ("lost", self.session)
        )
        if (
            is_will
        ):  # a broker that stops hands us our own will, and closes: only where it does not, a birth is due
            await asyncio.sleep(REBIRTH_S)
        elif self._rebirths:
            wait_s = min(REBIRTH_MOST_S, REBIRTH_S * 2.0 ** (self._rebirths - 1))
            await asyncio.sleep(max(0.0, wait_s - (now - self._reborn_ns) / NS))
        unread = "unreadable" if message.payload else "deleted"
        state, session, journal = (said.state, said.session, said.journal) if said else (unread, None, None)
        if not is_will:
            self._backlog.report(
                "conn_overwritten", state=state, session=session, journal=journal, ours=self.session
            )
        await self._publish(self._topics.conn, self._birth())
        self._rebirths, self._reborn_ns = self._rebirths + 1, self._clock.mono_ns()

    # -- leaving ----------------------------------------------------------------------------------------------------

    async def _leave(self, reason: str, over: "asyncio.Future[Closed]") -> None:
        """Sends the last events, has `offline` acknowledged, then says goodbye; bounded in time."""
        if self.opened_us is not None:
            self._pump.finish()
            await _within(LEAVE_S, self._pump.idle.wait(), over)
        self._pump.shut()
        goodbye = Offline(session=self.session, reason=reason, checkpoint=self._heads.newest())
        await _within(LEAVE_S, self._publish(self._topics.conn, encode(goodbye)), over)
        await self._link.close()


async def _within(seconds: float, step: Coroutine[Any, Any, object], over: "asyncio.Future[Closed]") -> None:
    """Waits for `step` up to `seconds`, and not beyond the connection's end; LinkDown ends it."""
    task = asyncio.ensure_future(step)
    try:
        both: set[asyncio.Future[Any]] = {task, over}
        await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        task.cancel()
    await asyncio.wait({task})
    if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, LinkDown):
        raise error
