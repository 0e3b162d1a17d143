"""Stores what tables publish, then acknowledges it to the broker, then confirms it to the table.

Nothing is acknowledged or confirmed that is not durable. While the store takes nothing, the recorder keeps what it holds, tries
again for ever and says so; the broker then sends no more than it may send without being acknowledged. While more wait, the store
writes a batch in a thread of its own and the next is read; what goes wrong there is dealt with here.
"""

import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256

import structlog

from controller.backoffice import said
from controller.backoffice.intake import CONNECTED, Intake, Message
from controller.backoffice.row import KEPT_BYTES, ROOT, Refused, Row, levels, read, source_of
from controller.backoffice.shares import base_of, confirmation, filters, of_share, replay_order, share_of
from controller.backoffice.store.batch import (
    AlarmStep,
    Batch,
    Occupied,
    Rejected,
    RowRefused,
    Standing,
    Step,
    Store,
    StoreAway,
)
from controller.backoffice.watch import Ask, Watch
from controller.clock import rfc3339
from drivers.protocol.records import dataclass

MOST = 1_000
"""Messages of one transaction. The broker should send a few times as many unacknowledged, so that the next ones are there."""
TICK_S = 1.0
CONFIRM_S = 1.0
DEAF_S = 10.0
REFUSED_KEPT = 100
"""Refused messages of one table that are kept, for each start of the recorder; others are counted."""
WAIT_FIRST_S, WAIT_MOST_S = 0.2, 5.0

_log = structlog.get_logger(__name__)


class Superseded(Exception):
    """Another recorder has taken the place of this one. The text says how that was noticed."""


@dataclass(slots=True)
class Counters:
    """What this recorder has done since it began."""

    stored: int = 0
    repeats: int = 0
    forks: int = 0
    refused: int = 0
    batches: int = 0
    asked: int = 0
    store_away: int = 0


@dataclass(frozen=True, slots=True)
class _Writing:
    """A batch that the store is writing. `sources`: its tables; `work` gives how many rows were new."""

    batch: Batch
    messages: list[Message]
    sources: set[str]
    work: "Future[int]"


class Recorder:
    """One consumer of one share of the tables. `name`: of the consumer, in `ack/{name}` and `rpl/{name}`."""

    def __init__(
        self,
        make_intake: Callable[[Callable[[], Iterable[str]]], Intake],
        store: Store,
        name: str,
        share: int = 1,
        shares: int = 1,
    ) -> None:
        self._store, self.name, self._share, self._shares = store, name, share, shares
        loaded = of_share(store.load(), name, share, shares)
        self._watch = Watch(loaded)
        self._tables = set(self._watch.tables)
        self._self = Standing(f"recorder:{name}", "deaf", first=share)
        self._is_deaf = any(step.standing == self._self for step in loaded.alarms)
        self._intake = make_intake(self._filters)
        self.counters = Counters()
        self.store_state = "open"
        self._to_confirm: set[str] = set()
        self._ticked = self._confirmed = self._deaf_since = float("-inf")
        self._kept: dict[str, int] = {}
        self._heard_since: float | None = None
        self._asked_of: dict[str, str] = {}
        self._asks = 0
        self._writer = ThreadPoolExecutor(1, "store")
        self._writing: _Writing | None = None

    @property
    def broker_state(self) -> str:
        """`connected`, or why it is not."""
        return self._intake.state

    def run(self, is_stopped: Callable[[], bool]) -> None:
        """Records until `is_stopped`. Raises Superseded."""
        self._deaf_since = time.monotonic()
        self._intake.start()
        try:
            while not is_stopped():
                self.step(is_stopped)
            self._written(is_stopped)
        finally:
            self._intake.stop()
            self.close()

    def close(self) -> None:
        """Waits for what the store is writing, and gives it up."""
        self._writer.shutdown()
        self._store.close()

    def step(self, is_stopped: Callable[[], bool] = lambda: False, wait_s: float = 0.25) -> None:
        """Takes what has come, stores it, acknowledges and confirms it; looks after deadlines once a second."""
        if self._intake.is_taken_over:
            raise Superseded(
                f"another client of the broker seems to connect as this recorder ({self.name}): the broker ends each "
                "connection soon; give one of them another --name"
            )
        messages = self._intake.take(MOST, 0.0 if self._writing else wait_s)
        if not messages and self._writing:
            self._written(is_stopped)
            return
        now = time.monotonic()
        batch = Batch(rfc3339(time.time_ns() // 1000))
        if not self._digest(messages, batch, now, is_stopped):
            return
        asks: list[Ask] = []
        if now - self._ticked >= TICK_S:
            self._ticked = now
            if self._intake.connected_at != self._heard_since:  # a broker that died has lost what it retained
                self._heard_since = self._intake.connected_at
                self._to_confirm.update(self._watch.tables)
            self._watch.listens(self._intake.connected_at)
            self._hear(batch, now)
            asks = self._watch.tick(batch, now)
        sources = {source for source, _ in self._watch.flush(batch)}
        is_due = bool(asks) or now - self._confirmed >= CONFIRM_S
        if not self._write(batch, messages, sources, is_stopped, waits=is_due or not self._intake.has_more):
            return
        for ask in asks:
            self._ask(ask)
        if is_due and self._to_confirm and self._intake.connected_at is not None:
            self._confirm(now)

    def _write(
        self,
        batch: Batch,
        messages: list[Message],
        sources: set[str],
        is_stopped: Callable[[], bool],
        *,
        waits: bool,
    ) -> bool:
        """Stores a batch behind the one that is being written, and acknowledges its messages once it is durable.

        `waits`: until then. Returns False if the recorder is stopped before.
        """
        if not self._written(is_stopped):
            return False
        if not waits and batch:
            self._writing = _Writing(batch, messages, sources, self._writer.submit(self._store.write, batch))
            return True
        if batch and not self._commit(batch, is_stopped):
            return False
        self._durable(messages, sources)
        return True

    def _written(self, is_stopped: Callable[[], bool]) -> bool:
        """Waits for the batch that is being written. Returns False if the recorder is stopped before it is durable."""
        if (writing := self._writing) is None:
            return True
        self._writing = None
        try:
            self._count(writing.work.result(), writing.batch)
        except StoreAway as exc:
            self._is_away(str(exc))
            if not self._commit(writing.batch, is_stopped, is_lost=True):
                return False
        except RowRefused:
            if not self._commit(writing.batch, is_stopped):
                return False
        self._durable(writing.messages, writing.sources)
        return True

    def _durable(self, messages: list[Message], sources: set[str]) -> None:
        self._intake.acknowledge(messages)
        self._to_confirm.update(sources)

    def _filters(self) -> list[str]:
        if self._shares == 1:
            return [*filters(self.name), f"{ROOT}+/+/evt/#", f"{ROOT}+/+/rpl/{self.name}"]
        return [*filters(self.name), *(each for source in self._tables for each in self._of_table(source))]

    def _of_table(self, source: str) -> list[str]:
        base = base_of(source)
        return [f"{base}/evt/#", f"{base}/rpl/{self.name}"]

    def _digest(self, messages: list[Message], batch: Batch, now: float, is_stopped: Callable[[], bool]) -> bool:
        """Reads all messages into the batch. A number that is known already is compared with what is stored.

        Returns False if the recorder is stopped before the store has answered.
        """
        known: dict[tuple[str, str, str, int], str] = {}
        repeats: list[Row] = []
        for each in messages:
            found = levels(each.topic)
            if not found:
                continue
            source = source_of(found[0], found[1])
            if self._shares > 1 and not self._is_mine(source):
                continue
            try:
                row = self._read(source, found[2:], each, batch, now)
            except Refused as exc:
                self._refuse(source, each.topic, each.payload, str(exc), batch)
                continue
            if row is None:
                continue
            if not self._watch.knows(row):
                known[row[:4]] = row.body
                self._watch.event(row, batch, now)
            elif (other := known.get(row[:4])) is None:
                repeats.append(row)
            else:
                self._repeat(row, other != row.body, batch)
        if repeats:
            differing: set[Row] = set()
            if not self._written(is_stopped):  # a repeat may be one of what is being written
                return False
            if not self._insist(lambda: differing.update(self._store.differing(repeats)), is_stopped):
                return False
            for row in repeats:
                self._repeat(row, row in differing, batch)
        return True

    def _read(self, source: str, rest: list[str], each: Message, batch: Batch, now: float) -> Row | None:
        match rest:
            case ["evt", stream]:
                return read(source, stream, each.payload, batch.at)
            case ["rpl", name] if name == self.name:
                return read(source, None, each.payload, batch.at)
            case ["conn"] if each.payload:
                self._watch.conn(source, said.conn(each.payload), each.is_retained, batch, now)
            case ["tele", "heartbeat"]:
                self._watch.heartbeat(source, said.heartbeat(each.payload), batch, now)
            case ["rsp", name] if name == self.name:
                answer = said.answer(each.payload)
                if self._asked_of.get(source) == answer.id:
                    self._watch.answered(source, answer.state, answer.reason, now)
        return None

    def _is_mine(self, source: str) -> bool:
        if share_of(source, self._shares) != self._share:
            return False
        if source not in self._tables:
            self._tables.add(source)
            self._intake.subscribe(self._of_table(source))
        return True

    def _repeat(self, row: Row, is_fork: bool, batch: Batch) -> None:
        self.counters.repeats += 1
        self._to_confirm.add(row.source)  # who sends it again may not have heard the confirmation
        if is_fork:
            self.counters.forks += 1
            self._watch.fork(row, batch)
            self._refuse(
                row.source, "", row.body.encode(), "fork: stored with another content", batch, opens=False
            )

    def _refuse(
        self, source: str, topic: str, payload: bytes, reason: str, batch: Batch, opens: bool = True
    ) -> None:
        self.counters.refused += 1
        reason = reason[:500].replace("\0", "")
        if opens:
            self._watch.refused(source, reason, batch)
        self._kept[source] = self._kept.get(source, 0) + 1
        if self._kept[source] <= REFUSED_KEPT:
            digest = sha256(payload).hexdigest()
            batch.rejected.append(Rejected(source, topic, reason, len(payload), digest, payload[:KEPT_BYTES]))
            _log.warning("message_refused", source=source, topic=topic, reason=reason, size=len(payload))

    def _commit(self, batch: Batch, is_stopped: Callable[[], bool], *, is_lost: bool = False) -> bool:
        """Stores a batch, however long that takes. Returns False if the recorder is stopped before."""
        return self._insist(lambda: self._store_batch(batch), is_stopped, is_lost=is_lost)

    def _insist(self, work: Callable[[], None], is_stopped: Callable[[], bool], *, is_lost: bool = False) -> bool:
        """Does `work` until the store takes it. Returns False if the recorder is stopped before."""
        wait = WAIT_FIRST_S
        while True:
            try:
                if is_lost:
                    self._reopen()
                work()
                return True
            except StoreAway as exc:
                is_lost = True
                self._is_away(str(exc))
                if is_stopped():
                    return False
                time.sleep(wait)
                wait = min(wait * 2, WAIT_MOST_S)

    def _store_batch(self, batch: Batch) -> None:
        try:
            new = self._store.write(batch)
        except RowRefused as exc:
            if not batch.rows:
                raise StoreAway(f"the store refuses what is no event: {exc}") from exc
            self._one_by_one(batch)
            return
        self._count(new, batch)

    def _count(self, new: int, batch: Batch) -> None:
        if new < len(batch.rows):  # an earlier attempt was durable after all, or somebody else has written
            self._report_differing(batch)
        self.counters.stored += new
        self.counters.batches += 1
        if self.store_state != "open":
            _log.info("store_back", was=self.store_state)
            self.store_state = "open"

    def _one_by_one(self, batch: Batch) -> None:
        """Stores the rows of a batch one by one, and refuses those that the store cannot hold."""
        rows, batch.rows = batch.rows, []
        for row in rows:
            try:
                self.counters.stored += self._store.write(Batch(batch.at, rows=[row]))
            except RowRefused as exc:
                self._refuse(row.source, "", row.body.encode(), f"the store cannot hold it: {exc}", batch)
        self._store_batch(batch)

    def _report_differing(self, batch: Batch) -> None:
        found = Batch(batch.at)
        for row in self._store.differing(batch.rows):
            self._repeat(row, True, found)
        if found:
            self._store.write(found)

    def _reopen(self) -> None:
        try:
            is_same = self._store.open()
        except Occupied as exc:
            raise StoreAway(str(exc)) from exc
        if not is_same:
            raise Superseded(f"another recorder {self.name} wrote while this one had lost the store")

    def _is_away(self, why: str) -> None:
        self.counters.store_away += 1
        if self.store_state != why:
            self.store_state = why
            _log.error("store_away", reason=why, meaning="nothing is acknowledged until the store takes it")

    def _hear(self, batch: Batch, now: float) -> None:
        """Opens and ends the alarm that this recorder itself hears nothing."""
        is_well = self._intake.connected_at is not None and self._intake.state == CONNECTED
        if is_well:
            self._deaf_since = now
            if self._is_deaf:
                batch.alarms.append(AlarmStep(self._self, Step.FILLED))
                self._is_deaf = False
                _log.info("broker_back")
        elif now - self._deaf_since > DEAF_S and not self._is_deaf:
            self._is_deaf = True
            batch.alarms.append(AlarmStep(self._self, Step.OPENED, self._share, self._intake.state))
            _log.error("broker_away", reason=self._intake.state)

    def _ask(self, ask: Ask) -> None:
        self._asks += 1
        self.counters.asked += 1
        number = f"{self.name}-{os.getpid()}-{time.time_ns() // 1_000_000}-{self._asks}"
        self._asked_of[ask.source] = number
        base = base_of(ask.source)
        order = replay_order(ask, self.name, number, time.time_ns() // 1000)
        self._intake.publish(f"{base}/cmd/replay", order, answer_to=f"{base}/rsp/{self.name}")
        _log.warning(
            "replay_asked", source=ask.source, stream=ask.stream, first=ask.first, last=ask.last, id=number
        )

    def _confirm(self, now: float) -> None:
        self._confirmed = now
        for source in sorted(self._to_confirm):
            if (found := self._watch.confirmation(source)) is not None:
                told = confirmation(self.name, *found, time.time_ns() // 1000)
                if not self._intake.publish(f"{base_of(source)}/ack/{self.name}", told, is_retained=True):
                    return  # too much waits to be sent already: the rest in a second
            self._to_confirm.discard(source)
