"""The outbox of one stream with `confirm = "consumer"`: the durable position follows confirmations, not PUBACKs.

At most `ahead` events are sent without a confirmation. Both streams together begin with one window on each connection, so
a reconnect repeats no more than that; while a backlog waits, `ahead` doubles each time that all of it is confirmed within
`ROUND_NS`. Without confirmations, though PUBACKs come, the stream goes back to the last confirmed number and sends a window
again, ever more seldom.
"""

from controller.publish.outboxes.outbox import Outbox, Read, Verdict
from controller.publish.outboxes.ranges import Range, Ranges
from controller.publish.requests.confirmations import Confirmations
from controller.publish.source import Position, Record

AHEAD_MOST = 10_000
"""Events without a confirmation at most, while a backlog drains."""
ROUND_NS = 2_000_000_000
"""More is sent ahead only while what was under way is confirmed within this time: the broker is no store."""
WAIT_MOST_NS = 60_000_000_000
"""Longest wait for a confirmation before events are sent again."""


class ConfirmedOutbox(Outbox):
    """The outbox of a stream that named consumers confirm.

    `ahead`: events that are sent without a confirmation at first; `wait_ns`: how long PUBACKs may come without one before
    the stream goes back, at first.
    """

    def __init__(
        self,
        stream: str,
        position: Position | None,
        confirmations: Confirmations,
        head: int,
        *,
        ahead: int,
        wait_ns: int,
        patience_ns: int,
        batch: int,
    ) -> None:
        super().__init__(stream, position, rewind_ns=0, patience_ns=patience_ns, batch=batch)
        self._confirmations, self._first_ahead, self._first_wait_ns = confirmations, ahead, wait_ns
        self.sent_most = head  # an earlier process may have sent everything that was durable then
        self.rewinds = self._more = 0
        self._late = Ranges()  # released, taken by the broker, not confirmed yet
        self._begin_slowly()
        self._wait_ns = wait_ns

    def _begin_slowly(self) -> None:
        self.ahead, self._is_limited = self._first_ahead, False
        self._round: tuple[int, int] | None = None  # the end of what may be under way, and since when
        self._since_ns: int | None = None  # since when a PUBACK waits for a confirmation

    @property
    def waits(self) -> bool:
        """True if something was sent that is not confirmed."""
        return self.cursor > self.settled or bool(self._late)

    def holes(self) -> list[Range]:
        """The events that consumers lack for now, released ones until they are confirmed."""
        holes = Ranges(super().holes())
        for one in self._late:
            holes.add(one)
        return list(holes)

    def _following(self, read: Read) -> Record | None:
        if self.cursor - self.settled >= self.ahead:
            self._is_limited = True
            return None
        return super()._following(read)

    def _passed_over(self, sequence: int) -> bool:
        return self._is_confirmed(sequence) or super()._passed_over(sequence)

    def _is_confirmed(self, sequence: int) -> bool:
        return self._confirmations.holds(str(self.stream), sequence)

    def sent(self, record: Record) -> None:
        """Notes that `record` is under way: from now on consumers may confirm it."""
        super().sent(record)
        self.sent_most = max(self.sent_most, record.sequence)

    def answered(self, sequence: int, code: int, now_ns: int) -> Verdict:
        """Takes the broker's reason code; it does not move the durable position."""
        released = self._released.holding(sequence)
        verdict = super().answered(sequence, code, now_ns)
        if verdict in (Verdict.TAKEN, Verdict.UNHEARD):
            if released is not None and not self._is_confirmed(sequence):
                self._late.add(Range(sequence, sequence, released.reason))
            if self._since_ns is None and (self.acked > self.settled or self._late):
                self._since_ns = now_ns
        return verdict

    def undo(self, sequence: int) -> None:
        """Ignores the answer to `sequence`; a confirmation stands."""
        self.acked = self.cursor = self.settled

    def settle(self, now_ns: int) -> None:
        """Moves the durable position over what every consumer has confirmed, and over parked events."""
        before = self.settled
        while True:
            ours = self._confirmations.through(str(self.stream))
            if ours > self.settled:
                self.settled = ours
            elif (hole := self.parked.holding(self.settled + 1)) is not None:
                self.settled = hole.last
            elif self._is_confirmed(self.settled + 1):
                self.settled += 1
            else:
                break
        if self.settled == before:
            return
        self.acked, self.cursor = max(self.acked, self.settled), max(self.cursor, self.settled)
        self.highest = max(self.highest, self.acked)
        self._ahead = {s for s in self._ahead if s > self.acked}
        self._again = [s for s in self._again if s > self.settled]
        while self._buffer and self._buffer[0].sequence <= self.cursor:
            self._buffer.popleft()

    def confirmed(self, now_ns: int) -> None:
        """Follows new confirmations: moves on, and lets more events out ahead while a backlog waits."""
        before, late = self.settled, len(self._late)
        for one in list(self._late):
            for sequence in range(one.first, one.last + 1):
                if self._is_confirmed(sequence):
                    self._late.take(sequence, sequence)
        self._advance(now_ns)
        self.settle(now_ns)
        if self.settled == before and len(self._late) == late:
            return
        self._wait_ns, self._more = self._first_wait_ns, 0
        self._since_ns = now_ns if self.acked > self.settled or self._late else None
        if self._is_limited and (self._round is None or self.settled >= self._round[0]):
            if self._round is None or now_ns - self._round[1] <= ROUND_NS:
                self.ahead = min(2 * self.ahead, AHEAD_MOST)
            self._round, self._is_limited = (self.settled + self.ahead, now_ns), False

    def go_back(self, now_ns: int) -> bool:
        """Goes back to the last confirmed event if PUBACKs came without a confirmation for too long; returns True
        then."""
        if self._since_ns is None or now_ns - self._since_ns < self._wait_ns:
            return False
        self._wait_ns = min(2 * self._wait_ns, WAIT_MOST_NS)
        for one in list(self._late):
            self._released.add(one)
        self._late = Ranges()
        self.acked = self.cursor = self.settled
        self._ahead.clear()
        self._buffer.clear()
        self.more = True
        self.rewinds += 1
        self._begin_slowly()
        # One that was never sent goes along: a consumer that confirms only what is new then confirms.
        self._more = min(self._more + 1, self._first_ahead)
        self.ahead += self._more
        return True

    def ended(self, now_ns: int) -> None:
        """Ends the connection: unconfirmed events are sent again later."""
        super().ended(now_ns)
        for one in list(self._late):
            self._released.add(one)
        self._late = Ranges()
        self._begin_slowly()
        self._wait_ns, self._more = self._first_wait_ns, 0

    def _mark(self, now_ns: int) -> None:
        return  # PUBACKs settle nothing
