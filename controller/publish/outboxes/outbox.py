"""The outbox of one stream: what was sent, acknowledged, settled and set aside. No I/O of its own and no clock.

Three marks move over the numbered events, each over a contiguous prefix only:

    settled <= acked <= cursor
    settled  acknowledged by the broker for longer than it may still forget (`rewind_ns`, on one unbroken connection);
             the durable position: the next connection begins here
    acked    acknowledged on this connection
    cursor   handed to this connection

A PUBACK proves nothing about the broker's disk, so every connection sends again what is not settled; consumers drop
the repeats by id. An event the broker refuses is parked: a declared hole that the prefix moves over.
"""

from bisect import insort
from collections import Counter, deque
from collections.abc import Callable, Sequence
from enum import Enum, auto

import msgspec

from controller.publish.broker.link import Code
from controller.publish.outboxes.ranges import Range, Ranges
from controller.publish.source import Position, Record
from drivers.protocol.records import dataclass

TRIES = 3
"""Refusals of one event after which it is parked."""
MARKS = 60
"""Into how many steps the rewind time is cut: settling lags by at most one of them."""

Read = Callable[[str, int, int], Sequence[Record]]
"""`read(stream, after, limit)` of the journal."""


class Verdict(Enum):
    """The meaning of a broker's answer for the event."""

    TAKEN = auto()
    UNHEARD = auto()  # taken, but nobody is subscribed, and that for longer than we wait for consumers
    LISTENERS = auto()  # nobody is subscribed yet: the stream waits for a consumer to come back
    AGAIN = auto()  # refused, to be sent again now
    WAIT = auto()  # the broker is out of means; the stream waits
    PARKED = auto()


@dataclass(frozen=True, slots=True)
class _Kept:
    """The content of a position's extra bytes. `acked`: highest acknowledged prefix. `denied`: why the broker
    refused the topic."""

    acked: int
    parked: list[Range]
    denied: str | None = None


@dataclass(slots=True)
class _Mark:
    """A mark: everything up to `through` was acknowledged by `at_ns`; `since_ns`: when the mark began."""

    since_ns: int
    at_ns: int
    through: int


class Outbox:
    """Events of `stream`; at most `batch` of them in memory. Times: monotonic nanoseconds."""

    def __init__(
        self, stream: str, position: Position | None, *, rewind_ns: int, patience_ns: int, batch: int
    ) -> None:
        self.stream, self._batch = stream, batch
        self._rewind_ns, self._patience_ns = rewind_ns, patience_ns
        self.settled = self.acked = self.cursor = position.through if position else 0
        self.highest = self.acked
        self.parked = Ranges()
        self.unreadable = False  # the kept holes could not be read: they will be sent again
        self.held = False  # the broker is out of means, or nobody listens
        self.more = True  # the journal may have what we have not read
        self.denied: str | None = None  # the topic is parked: why
        self.newest = 0  # the highest number that the broker took on this connection
        self.convicted = 0  # events set aside in a row, with none taken between them, because the broker hung up
        self._released = Ranges()
        self._buffer: deque[Record] = deque()
        self._on_way: set[int] = set()
        self._ahead: set[int] = set()  # acknowledged beyond the prefix
        self._again: list[int] = []
        self._tries: Counter[int] = Counter()
        self._marks: deque[_Mark] = deque()
        self._unheard_ns: int | None = None  # since when nobody listens
        if position and position.extra:
            self._recall(position.extra)

    def _recall(self, extra: bytes) -> None:
        try:
            kept = msgspec.json.decode(extra, type=_Kept)
        except msgspec.DecodeError:
            self.unreadable = True
            return
        self.highest = max(self.acked, kept.acked)
        self.parked = Ranges(kept.parked)
        self.denied = kept.denied

    def position(self) -> tuple[int, bytes]:
        """The position to store: `through` and `extra`."""
        return self.settled, msgspec.json.encode(_Kept(self.highest, self.holes(), self.denied))

    def holes(self) -> list[Range]:
        """The events that consumers lack for now: parked ones, and released ones until they are taken."""
        holes = Ranges(self.parked)
        for waiting in self._released:
            holes.add(waiting)
        return list(holes)

    # -- sending ----------------------------------------------------------------------------------------------------

    def peek(self, read: Read) -> Record | None:
        """Returns the event to send next: first one to send again, then released ones, then the journal's next."""
        while not self.held and (sequence := self._out_of_turn()) is not None:
            found = read(self.stream, sequence - 1, 1)
            if found and found[0].sequence == sequence:
                return found[0]
            self._drop(sequence)
            self.parked.add(Range(sequence, sequence, "no longer in the journal"))
        return None if self.held else self._following(read)

    def _out_of_turn(self) -> int | None:
        if self._again:
            return self._again[0]
        waiting = (s for r in self._released for s in range(r.first, r.last + 1) if s not in self._on_way)
        return next(waiting, None)

    def _following(self, read: Read) -> Record | None:
        while True:
            if not self._buffer:
                if (hole := self.parked.holding(self.cursor + 1)) is not None:
                    self.cursor = hole.last
                if not self.more:
                    return None
                self._buffer.extend(read(self.stream, self.cursor, self._batch))
                self.more = len(self._buffer) == self._batch
                if not self._buffer:
                    return None
            record = self._buffer[0]
            if not self._passed_over(record.sequence):
                return record
            self._buffer.popleft()
            self.cursor = record.sequence

    def _passed_over(self, sequence: int) -> bool:
        out_of_turn = sequence in self._on_way or sequence in self._ahead
        return out_of_turn or bool(self.parked.holding(sequence) or self._released.holding(sequence))

    def sent(self, record: Record) -> None:
        """Notes that `record`, as peeked, is under way."""
        self._on_way.add(record.sequence)
        if self._again and self._again[0] == record.sequence:
            self._again.pop(0)
        elif self._buffer and self._buffer[0].sequence == record.sequence:
            self._buffer.popleft()
            self.cursor = record.sequence

    # -- answers ----------------------------------------------------------------------------------------------------

    def answered(self, sequence: int, code: int, now_ns: int) -> Verdict:
        """Takes the broker's reason code for `sequence`. On PARKED the caller parks it with the reason in words."""
        self._on_way.discard(sequence)
        if code < Code.REFUSED:
            self.newest, self.convicted = max(self.newest, sequence), 0
            unheard = self._unheard_since(code, now_ns)
            if unheard is not None and now_ns - unheard < self._patience_ns:
                self._send_again(sequence)
                return Verdict.LISTENERS
            self._drop(sequence)
            if sequence > self.acked:
                self._ahead.add(sequence)
            self._advance(now_ns)
            return Verdict.TAKEN if unheard is None else Verdict.UNHEARD
        if code in (Code.QUOTA, Code.IMPLEMENTATION):
            self._send_again(sequence)
            return Verdict.WAIT
        self._tries[sequence] += 1
        if self._tries[sequence] >= TRIES:
            return Verdict.PARKED
        self._send_again(sequence)
        return Verdict.AGAIN

    def _unheard_since(self, code: int, now_ns: int) -> int | None:
        """Returns since when nobody subscribes. After a broker restart consumers may come later than we: earlier
        messages would be lost."""
        if code != Code.NO_SUBSCRIBERS:
            self._unheard_ns = None
        elif self._unheard_ns is None:
            self._unheard_ns = now_ns
        return self._unheard_ns

    def _send_again(self, sequence: int) -> None:
        if not self._released.holding(sequence):
            insort(self._again, sequence)

    def park(self, sequence: int, reason: str, now_ns: int) -> bool:
        """Parks `sequence`. Returns True for a new hole, or a released event that failed again."""
        was_released = self._drop(sequence)
        alone = self.parked.add(Range(sequence, sequence, reason))
        self._advance(now_ns)
        return alone or was_released

    def park_rest(self, head: int, reason: str, now_ns: int) -> None:
        """Parks, unread, all up to `head`, except what is under way, taken or released."""
        for sequence in list(self._again):
            self.park(sequence, reason, now_ns)
        elsewhere = [r for r in (*self.parked, *self._released) if r.last > self.cursor]
        elsewhere += [Range(s, s, "") for s in self._on_way | self._ahead if s > self.cursor]
        at, holes = self.cursor + 1, []
        for one in sorted(elsewhere, key=lambda r: r.first):
            holes.append(Range(at, one.first - 1, reason))
            at = max(at, one.last + 1)
        for hole in (*holes, Range(at, head, reason)):
            if hole.first <= hole.last:
                self.parked.add(hole)
        self.cursor, self.more = max(self.cursor, head), False
        self._buffer.clear()
        self._advance(now_ns)

    def withdraw(self, reason: str) -> None:
        """Parks again what was released and not sent."""
        for one in [r for r in self._released]:
            for hole in self._released.take(one.first, one.last):
                self.parked.add(Range(hole.first, hole.last, reason))

    def undo(self, sequence: int) -> None:
        """Ignores the answer to `sequence`, because the broker hung up right after it."""
        self.settled = min(self.settled, sequence - 1)
        self.acked = self.cursor = self.settled

    def _drop(self, sequence: int) -> bool:
        """Forgets that `sequence` waits; returns True if it was released."""
        self._tries.pop(sequence, None)
        self._on_way.discard(sequence)
        if sequence in self._again:
            self._again.remove(sequence)
        return bool(self._released.take(sequence, sequence)) if self._released else False

    def _advance(self, now_ns: int) -> None:
        before = self.acked
        while True:
            if self.acked + 1 in self._ahead:
                self.acked += 1
                self._ahead.remove(self.acked)
            elif self.parked and (hole := self.parked.holding(self.acked + 1)) is not None:
                self.acked = hole.last
            else:
                break
        if self.acked == before:
            return
        self.highest = max(self.highest, self.acked)
        self._mark(now_ns)
        self.settle(now_ns)

    def _mark(self, now_ns: int) -> None:
        """Notes what the broker has acknowledged by now."""
        if self._marks and now_ns - self._marks[-1].since_ns < self._rewind_ns // MARKS:
            self._marks[-1].at_ns, self._marks[-1].through = now_ns, self.acked
        else:
            self._marks.append(_Mark(now_ns, now_ns, self.acked))

    def settle(self, now_ns: int) -> None:
        """Moves the durable position over what the broker has had long enough by `now_ns`."""
        while self._marks and now_ns - self._marks[0].at_ns >= self._rewind_ns:
            self.settled = self._marks.popleft().through

    # -- connections and people -------------------------------------------------------------------------------------

    def ended(self, now_ns: int) -> None:
        """Ends the connection: unsettled events are sent again later. Released events stay released."""
        self.settle(now_ns)
        self.acked = self.cursor = self.settled
        self.held, self.more, self._unheard_ns = False, True, None
        self.newest = 0
        for collection in (self._buffer, self._on_way, self._ahead, self._again, self._marks):
            collection.clear()

    def begin(self, oldest: int) -> int:
        """Begins a connection; returns how many events are sent again. `oldest`: the journal's first number, 0 =
        none."""
        self.settled = self.acked = self.cursor = max(self.settled, oldest - 1)
        return max(0, self.highest - self.settled)

    def release(self, first: int, last: int) -> int:
        """Sends the parked events among `first`..`last` again; returns how many."""
        taken = self.parked.take(first, last)
        for one in taken:
            self._released.add(one)
        return sum(one.last - one.first + 1 for one in taken)
