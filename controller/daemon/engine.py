"""The one path: every input of a table goes through here, one after another.

Device events, acts of people and deadlines wait in one bounded queue with one reader. For each input: decide, make
input and facts durable in one transaction, fold the facts, and only then tell others. The one exception is the
fail-safe, which may hold play and never decides.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, cast

from controller.clock import Clock, ClockState, Stamp
from controller.journal.day_state import Snapshot
from controller.journal.errors import JournalError
from controller.journal.record import FACTS, Draft, Record, Stream, Transaction
from controller.journal.recorder import Recorder
from controller.journal.store import Journal
from controller.journal.vault.vault import StillSealed
from controller.table.decide import decided
from controller.table.fold.fold import evolve
from controller.table.questions.fail_safe import ALARMS, at_once, everything_safe
from controller.table.state.table import Setup, State
from controller.table.words.acts import Act
from controller.table.words.codec import decode_fact, encode, encode_input, origin_in, stream_of, version_of
from controller.table.words.facts import Fact, InputRefused, LevelWanted
from controller.table.words.inputs import Actor, Body, Input, Moment, Seen, ServiceEvent
from drivers.commands import WantedLevel
from drivers.events import EventsLost, LevelsRead, Origin, WagerRemoved, WagerSensed
from drivers.protocol.records import dataclass
from drivers.protocol.words import Level

QUEUE_LIMIT = 1024
"""Inputs that may wait. Devices are no longer acknowledged at three quarters of it; the rest is kept for people."""
FULL_AT = QUEUE_LIMIT * 3 // 4
GROUP_LIMIT = 128
"""Inputs made durable in one commit at most: a group costs one sync, and nobody in it waits for much longer."""
BOOTS_KEPT = 64
"""Boots of devices whose highest counter is kept in memory; about any other one the record is asked."""
STOPPING = "the daemon is stopping"
CHANGES_LEVELS = (WagerSensed, WagerRemoved, EventsLost)
STUCK_NS = 4_000_000_000
"""An input that has waited for this long says that the reader no longer reads: twice what a commit may take."""


class Device(Protocol):
    """What the engine needs of a session (`drivers.session.session.DeviceSession`)."""

    def want(self, wanted: WantedLevel) -> None:
        """Asks the session to set a level on the device."""

    def acknowledge(self, boot: str, counter: int) -> None:
        """Tells the device that its reports of `boot` up to `counter` are on record."""


@dataclass(frozen=True, slots=True)
class Told:
    """A durable fact, as people and programs receive it. `order`: place in the whole record."""

    order: int
    stream: str
    sequence: int
    fact: Fact


class RecordFailed(Exception):
    """The record cannot be written: play is held, every device took its safe side, and nothing more is decided."""


@dataclass(slots=True)
class _Waiting:
    given: Input
    answer: asyncio.Future[list[Told]] | None
    is_last: bool = False


class Engine:
    """Owns the state of one table, in one event loop."""

    def __init__(self, setup: Setup, journal: Journal, recorder: Recorder, clock: Clock) -> None:
        self.setup, self._journal, self._recorder, self._clock = setup, journal, recorder, clock
        self.state = State.initial(setup)
        self.devices: dict[str, Device] = {}
        self.failed: str | None = None
        self.order = 0
        self._queue: deque[_Waiting] = deque()
        self._under_way: list[_Waiting] = []
        self._news = asyncio.Event()
        self._readers: list[Callable[[], None]] = []
        self._holders: list[Callable[[str], None]] = []
        self._highest: dict[tuple[str, str], int] = {}
        self._reported: set[str] = set()  # devices that reported a chip or a loss since their levels were read
        self._at_once, self._ends = 0, False
        self.told: Callable[[Sequence[Fact]], None] = lambda facts: None
        """Receives the facts of each decided input, once they are durable."""

    def fold_record(self, snapshot: Snapshot | None = None) -> int:
        """Folds the record into the state. Returns the number of folded facts.

        `snapshot`: where folding may begin. Raises `JournalDamaged`. Sealed cards without a key are skipped: they
        can be recorded again, and nothing else depends on them.
        """
        count, after = 0, {}
        if snapshot is not None:
            self.state, self.order = snapshot.state, snapshot.order
            after = {stream: snapshot.heads[stream].sequence for stream in FACTS}
        for record in self._journal.records(FACTS, after):
            self.order = record.order
            try:
                clear = self._journal.clear(record)
            except StillSealed:
                continue
            self.state = evolve(self.state, decode_fact(clear.kind, clear.subject, clear.data, clear.version))
            count += 1
        return count

    def on_news(self, reader: Callable[[], None]) -> None:
        """Registers `reader`, which is called after each commit and must return at once."""
        self._readers.append(reader)

    def on_held(self, holder: Callable[[str], None]) -> None:
        """Registers `holder`, which is called with the reason when the fail-safe stops play; must return at once."""
        self._holders.append(holder)

    def submit(
        self, subject: str, body: Body, *, origin: Origin | None = None, received_ns: int | None = None
    ) -> bool:
        """Queues a device event, a link event or news of the service. Returns False when the queue is three
        quarters full.

        `received_ns`: CLOCK_MONOTONIC when its last byte came, if that was earlier.
        """
        at = _moment(self._clock.stamp())
        if received_ns is not None:
            before_us = (at.mono_ns - received_ns) // 1000
            at = Moment(at.wall_us - before_us, received_ns, at.boot, at.clock)
        given = Input(at, subject, body, origin)
        self._enqueue(given, None)
        return len(self._queue) < FULL_AT and not self._ends

    async def act(self, act: Act, actor: Actor, seen: Seen | None = None) -> list[Told]:
        """Does what a person asks; returns the facts once they are durable.

        Raises `RecordFailed`. A refusal is a fact too (`InputRefused`).
        """
        if self._ends:
            raise RecordFailed(STOPPING)
        return await self._answered(Input(_moment(self._clock.stamp()), "table", act, None, actor, seen))

    def try_act(self, act: Act, actor: Actor) -> list[Fact]:
        """Returns the facts that would follow from an act now; nothing is recorded or sent."""
        given = Input(_moment(self._clock.stamp()), "table", act, None, actor)
        return decided(self.setup, self.state, given).facts

    async def note(self, event: ServiceEvent) -> list[Told]:
        """Records news of the service before its bearer goes on. Raises `RecordFailed`. Waits for ever once the
        engine ends."""
        if self._ends:
            await asyncio.get_running_loop().create_future()
        return await self._answered(Input(_moment(self._clock.stamp()), "table", event))

    async def end(self, event: ServiceEvent, seal: Callable[[], ServiceEvent] | None = None) -> list[Told]:
        """Records the last news; nothing is recorded afterwards, and `run` returns. Raises `RecordFailed`.

        `seal`: makes what is recorded directly behind `event`, from the record that holds it. A report that comes
        meanwhile stays unacknowledged, and its device offers it to the next run. A commit under way when `run` is
        cancelled could be on record unpublished.
        """
        self._ends = True
        told = await self._answered(Input(_moment(self._clock.stamp()), "table", event), is_last=seal is None)
        if seal is not None:
            told += await self._answered(Input(_moment(self._clock.stamp()), "table", seal()), is_last=True)
        return told

    async def _answered(self, given: Input, *, is_last: bool = False) -> list[Told]:
        if self.failed:
            raise RecordFailed(self.failed)
        answer: asyncio.Future[list[Told]] = asyncio.get_running_loop().create_future()
        self._enqueue(given, answer, is_last=is_last)
        return await answer

    async def run(self) -> None:
        """Reads the queue until `end` or until cancelled. Raises `RecordFailed` when the record cannot be written."""
        try:
            while True:
                await self._news.wait()
                self._news.clear()
                while self._queue:
                    self._under_way = self._next_group()
                    was_last = self._under_way[-1].is_last
                    await self._group(self._under_way)
                    self._under_way = []
                    if was_last:
                        return
        finally:
            self._fail_waiting()

    @property
    def stuck(self) -> bool:
        """True if the oldest input has waited longer than a commit may take."""
        if not self._queue:
            return False
        return self._clock.mono_ns() - self._queue[0].given.at.mono_ns > STUCK_NS

    @property
    def idle(self) -> bool:
        """True if no input waits: the state holds all that has happened."""
        return not self._queue

    def _next_group(self) -> list[_Waiting]:
        """Returns the oldest inputs, as many as one commit takes; the last news ends a group."""
        group: list[_Waiting] = []
        while self._queue and len(group) < GROUP_LIMIT:
            group.append(self._queue.popleft())
            if group[-1].is_last:
                break
        return group

    def _enqueue(self, given: Input, answer: asyncio.Future[list[Told]] | None, *, is_last: bool = False) -> None:
        taken_back = at_once(self.state, given, self._next_at_once(given.at.wall_us))
        for wanted in taken_back:
            self._tell(wanted)
        if taken_back and isinstance(given.body, ALARMS):
            self._say_held(f"{given.subject} reported {given.body.kind.replace('_', ' ')}")
        if self._ends and answer is None:
            return
        self._queue.append(_Waiting(given, answer, is_last))
        self._news.set()

    def _next_at_once(self, wall_us: int) -> int:
        self._at_once += 8  # one input asks fewer devices than that at once
        return (wall_us // 1_000_000 << 20) + (self._at_once & 0xFFFFF)

    async def _group(self, group: list[_Waiting]) -> None:
        """Decides a group of inputs, makes it durable in one commit, then tells others."""
        group, repeats = self._without_repeats(group)
        state = self.state
        outcomes: list[tuple[_Waiting, list[Fact]]] = []
        transactions = []
        for waiting in group:
            draft = decided(self.setup, state, waiting.given)
            if self._is_read_in_vain(waiting.given, state, draft.state, draft.facts):
                continue
            transactions.append(self._transaction(state, waiting.given, draft.facts))
            state = draft.state
            outcomes.append((waiting, draft.facts))
        if transactions:
            records = await self._commit(transactions)
            self.state = state
            self.order = records[-1].order
            self._tell_all(outcomes, records)
        for waiting in repeats:
            self._acknowledge(waiting.given)

    def _is_read_in_vain(self, given: Input, before: State, after: State, facts: Sequence[Fact]) -> bool:
        """Returns True for levels that were read and are all known already: nothing follows, so nothing is recorded.

        After a report of a chip, or a loss, they are news in any case: the state does not keep what sensors see.
        """
        device = given.subject
        if isinstance(given.body, CHANGES_LEVELS):
            self._reported.add(device)
        if not isinstance(given.body, LevelsRead):
            return False
        is_news = device in self._reported or len(facts) != 1
        self._reported.discard(device)
        return not is_news and before.devices.get(device) == after.devices.get(device)

    def _without_repeats(self, group: list[_Waiting]) -> tuple[list[_Waiting], list[_Waiting]]:
        """Returns the inputs without reports on record, which are only acknowledged again."""
        fresh: list[_Waiting] = []
        repeats: list[_Waiting] = []
        here: set[tuple[str, str, int]] = set()
        for waiting in group:
            origin = waiting.given.origin
            key = (origin.serial, origin.boot, origin.counter) if origin else None
            (repeats if key in here or self._is_repeat(origin) else fresh).append(waiting)
            if key is not None:
                here.add(key)
        return fresh, repeats

    def _is_repeat(self, origin: Origin | None) -> bool:
        """Returns True for a report on record; asks the record only about counters that are not new."""
        if origin is None:
            return False
        key = (origin.serial, origin.boot)
        highest = self._highest.get(key, 0)
        self._highest[key] = max(highest, origin.counter)
        if len(self._highest) > BOOTS_KEPT:  # a device that reboots for ever must not fill the memory
            del self._highest[next(iter(self._highest))]
        if origin.counter > highest and highest:
            return False
        return origin.counter == highest or self._journal.has(origin.serial, origin.boot, origin.counter)

    def _transaction(self, state: State, given: Input, facts: Sequence[Fact]) -> Transaction:
        at = Stamp(given.at.wall_us, given.at.mono_ns, given.at.boot, cast(ClockState, given.at.clock))
        round_id = state.round.id if state.round else None
        origin = given.origin
        unique = (origin.serial, origin.boot, origin.counter) if origin else None
        drafts = []
        for fact in facts:
            event = fact.event
            round_id = getattr(event, "round", "") or round_id
            stream, version = Stream(stream_of(fact)), version_of(event.kind)
            drafts.append(Draft(stream, event.kind, version, fact.subject, round_id, encode(event)))
        kind = given.body.kind
        source = Draft(Stream.INPUT, kind, version_of(kind), given.subject, round_id, encode_input(given))
        return Transaction(at, source, unique, tuple(drafts))

    async def _commit(self, transactions: Sequence[Transaction]) -> list[Record]:
        try:
            return await self._recorder.commit(transactions)
        except JournalError as error:
            raise RecordFailed(self.record_failed(error)) from error

    def record_failed(self, error: Exception) -> str:
        """Holds play and gives every device its safe side, once, after a failure of the record; returns the
        reason."""
        return self.fail(str(error), f"the record cannot be written ({error})")

    def fail(self, reason: str, in_words: str) -> str:
        """Holds play and gives every device its safe side, once, and stops deciding; returns the first reason."""
        if self.failed is None:
            self.failed = reason
            for wanted in everything_safe(self.state, self._next_at_once(self._clock.stamp().wall_us)):
                self._tell(wanted)
            self._say_held(f"technician: {in_words}")
        return self.failed

    def _tell_all(self, outcomes: Sequence[tuple[_Waiting, Sequence[Fact]]], records: Sequence[Record]) -> None:
        """Tells others after a commit: devices first, then the journal's readers, then the people who asked."""
        told = iter([r for r in records if r.stream is not Stream.INPUT])
        answers = []
        for waiting, facts in outcomes:
            mine = [Told(r.order, r.stream.value, r.sequence, f) for f, r in zip(facts, told, strict=False)]
            for fact in facts:
                if isinstance(fact.event, LevelWanted):
                    self._tell(_command(fact.event))
            self._acknowledge(waiting.given)
            if waiting.answer is not None:
                answers.append((waiting.answer, mine))
        for reader in self._readers:
            reader()
        self.told([fact for _, facts in outcomes for fact in facts])
        for answer, mine in answers:
            if not answer.done():
                answer.set_result(mine)

    def _acknowledge(self, given: Input) -> None:
        """Acknowledges a durable report or loss to its device, which need not offer it again.

        A loss under reused numbers has no place in the order.
        """
        session = self.devices.get(given.subject)
        if session is None:
            return
        if given.origin is not None:
            session.acknowledge(given.origin.boot, given.origin.counter)
        elif isinstance(given.body, EventsLost) and given.body.last and not given.body.reused:
            session.acknowledge(given.body.boot, given.body.last)

    def _tell(self, wanted: WantedLevel) -> None:
        session = self.devices.get(wanted.device)
        if session is not None:
            session.want(wanted)

    def _say_held(self, reason: str) -> None:
        for holder in self._holders:
            holder(reason)

    def _fail_waiting(self) -> None:
        for waiting in (*self._under_way, *self._queue):
            answer = waiting.answer
            if answer is not None and not answer.done():
                answer.set_exception(RecordFailed(self.failed or STOPPING))
        self._queue.clear()


def _command(wanted: LevelWanted) -> WantedLevel:
    return WantedLevel(wanted.device, Level(wanted.level), wanted.value, wanted.operation)


def _moment(at: Stamp) -> Moment:
    return Moment(at.wall_us, at.mono_ns, at.boot, at.clock)


def last_reported(journal: Journal, serial: str) -> Origin | None:
    """Returns where a device's record ends, so that its session begins there; None = nothing. Raises `JournalDamaged`.

    Of a report whose body is gone only boot and counter are known."""
    last = journal.last_of(serial)
    if last is None:
        return None
    body = journal.body_of(serial, *last)
    return (origin_in(body) if body else None) or Origin(serial, *last, tick_us=0)


def refusal(facts: Iterable[Fact]) -> InputRefused | None:
    """Returns the refusal among an act's facts, or None."""
    return next((fact.event for fact in facts if isinstance(fact.event, InputRefused)), None)
