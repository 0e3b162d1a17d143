"""The outbox of one stream, without a broker: prefix, settling, refusals, holes, releases; then against a liar."""

from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, precondition, rule

from controller.journal.record import Position
from controller.publish.broker.link import Code
from controller.publish.outboxes.outbox import Outbox, Verdict
from controller.publish.outboxes.ranges import Range

S = 1_000_000_000


class Row(msgspec.Struct):
    """As much of a record as the outbox looks at."""

    sequence: int


class Rows:
    """A journal of `head` records from `oldest` on."""

    def __init__(self, head: int, oldest: int = 1) -> None:
        self.head, self.oldest = head, oldest

    def read(self, stream: str, after: int, limit: int) -> list[Any]:
        first = max(after + 1, self.oldest)
        return [Row(n) for n in range(first, min(first + limit, self.head + 1))]


def box(position: Position | None = None, *, rewind_s: int = 0, patience_s: int = 0, batch: int = 5) -> Outbox:
    return Outbox("main", position, rewind_ns=rewind_s * S, patience_ns=patience_s * S, batch=batch)


def send(outbox: Outbox, rows: Rows, count: int = 1) -> list[int]:
    """Sends up to `count` events; their sequences."""
    sent = []
    while len(sent) < count and (record := outbox.peek(rows.read)) is not None:
        outbox.sent(record)
        sent.append(record.sequence)
    return sent


def refuse(outbox: Outbox, rows: Rows, sequence: int) -> None:
    """The broker refuses `sequence`, now on its way, until it is parked."""
    while outbox.answered(sequence, Code.NOT_AUTHORIZED, 0) is Verdict.AGAIN:
        assert send(outbox, rows) == [sequence]
    outbox.park(sequence, "refused with 0x87", 0)


def test_the_position_moves_over_a_contiguous_prefix_only() -> None:
    """An acknowledgement behind a hole counts once the hole is closed."""
    outbox, rows = box(), Rows(5)
    assert send(outbox, rows, 5) == [1, 2, 3, 4, 5]
    for sequence, acked in ((2, 0), (4, 0), (1, 2), (3, 4), (5, 5)):
        assert outbox.answered(sequence, Code.SUCCESS, 0) is Verdict.TAKEN
        assert outbox.acked == acked
    assert outbox.settled == 5


def test_acknowledged_events_settle_only_when_the_broker_had_them_long_enough() -> None:
    """The durable position lags by the rewind time and by at most a sixtieth of it more."""
    outbox, rows = box(rewind_s=600), Rows(3)
    send(outbox, rows, 3)
    outbox.answered(1, Code.SUCCESS, 0)
    outbox.answered(2, Code.SUCCESS, 100 * S)
    outbox.settle(599 * S)
    assert outbox.settled == 0
    outbox.settle(600 * S)
    assert outbox.settled == 1
    outbox.settle(700 * S)
    assert (outbox.settled, outbox.acked) == (2, 2)


def test_steady_traffic_settles_in_time_and_needs_few_marks() -> None:
    """Never before the rewind time, at most a sixtieth of it after, however fast the acknowledgements come."""
    outbox, rows = box(rewind_s=600), Rows(2000)
    for second in range(2000):
        (sequence,) = send(outbox, rows)
        outbox.answered(sequence, Code.SUCCESS, second * S)
        acknowledged_by_then = max(0, second - 600 + 1)
        assert acknowledged_by_then - 11 <= outbox.settled <= acknowledged_by_then
    assert outbox.settled > 1000
    assert len(outbox._marks) <= 62


def test_every_connection_begins_at_the_settled_position() -> None:
    """What was acknowledged but is not settled is sent once more, in order, and settles anew."""
    outbox, rows = box(rewind_s=600), Rows(4)
    send(outbox, rows, 4)
    for sequence in (1, 2, 3):
        outbox.answered(sequence, Code.SUCCESS, sequence * 300 * S)
    outbox.ended(1000 * S)
    assert outbox.begin(1) == 2
    assert send(outbox, rows, 9) == [2, 3, 4]
    for sequence in (2, 3, 4):
        outbox.answered(sequence, Code.SUCCESS, 1000 * S)
    outbox.ended(1500 * S)
    outbox.begin(1)
    assert send(outbox, rows, 9) == [2, 3, 4], "a second acknowledgement is as forgettable as the first"


def test_without_a_rewind_an_acknowledgement_is_final() -> None:
    """For brokers that acknowledge what is on disk."""
    outbox, rows = box(), Rows(2)
    send(outbox, rows, 2)
    outbox.answered(1, Code.SUCCESS, 0)
    outbox.ended(0)
    outbox.begin(1)
    assert send(outbox, rows, 9) == [2]


def test_a_refused_event_is_parked_after_three_tries_and_the_stream_goes_on() -> None:
    """Refused events go again before new ones; the prefix then moves over the hole."""
    outbox, rows = box(), Rows(4)
    assert send(outbox, rows, 2) == [1, 2]
    assert outbox.answered(1, Code.NOT_AUTHORIZED, 0) is Verdict.AGAIN
    assert send(outbox, rows) == [1]
    assert outbox.answered(1, Code.TOO_LARGE, 0) is Verdict.AGAIN
    assert send(outbox, rows, 2) == [1, 3]
    assert outbox.answered(1, Code.NOT_AUTHORIZED, 0) is Verdict.PARKED
    assert outbox.park(1, "refused with 0x87", 0)
    outbox.answered(2, Code.SUCCESS, 0)
    assert (outbox.acked, outbox.settled) == (2, 2)
    assert [*outbox.parked] == [Range(1, 1, "refused with 0x87")]
    outbox.ended(0)
    outbox.begin(1)
    assert send(outbox, rows, 9) == [3, 4], "a parked event is not tried again by itself"


def test_neighbouring_holes_are_one_entry_and_one_alarm() -> None:
    """A denied topic must not fill memory, nor raise an alarm about each alarm."""
    outbox, rows = box(batch=50), Rows(200)
    news = []
    for _ in range(200):
        (sequence,) = send(outbox, rows)
        news.append(outbox.park(sequence, "refused with 0x87", 0))
    assert news == [True] + [False] * 199
    assert [*outbox.parked] == [Range(1, 200, "refused with 0x87")]
    assert outbox.acked == 200


@pytest.mark.parametrize("code", [Code.QUOTA, Code.IMPLEMENTATION])
def test_a_broker_out_of_means_is_waited_for_and_nothing_is_parked(code: Code) -> None:
    """The stream stands still while held and keeps its order."""
    outbox, rows = box(), Rows(3)
    send(outbox, rows, 2)
    for _ in range(10):
        assert outbox.answered(1, code, 0) is Verdict.WAIT
        outbox.held = True
        assert send(outbox, rows) == []
        outbox.held = False
        assert send(outbox, rows) == [1]
    assert not outbox.parked


def test_nobody_listening_is_waited_for_a_while_and_then_counts_as_taken() -> None:
    """Consumers that come back after us lose nothing; a topic without consumers does not stop the stream for ever."""
    outbox, rows = box(patience_s=60), Rows(3)
    send(outbox, rows, 1)
    assert outbox.answered(1, Code.NO_SUBSCRIBERS, 0) is Verdict.LISTENERS
    assert outbox.acked == 0
    assert send(outbox, rows) == [1]
    assert outbox.answered(1, Code.NO_SUBSCRIBERS, 59 * S) is Verdict.LISTENERS
    send(outbox, rows)
    assert outbox.answered(1, Code.NO_SUBSCRIBERS, 60 * S) is Verdict.UNHEARD
    send(outbox, rows)
    assert outbox.answered(2, Code.NO_SUBSCRIBERS, 61 * S) is Verdict.UNHEARD
    send(outbox, rows)
    assert outbox.answered(3, Code.SUCCESS, 62 * S) is Verdict.TAKEN
    rows.head, outbox.more = 4, True
    send(outbox, rows)
    assert outbox.answered(4, Code.NO_SUBSCRIBERS, 63 * S) is Verdict.LISTENERS, "a new absence, a new wait"


def test_released_events_go_first_and_stay_declared_until_they_are_taken() -> None:
    """A restart between release and acknowledgement must not turn the declared hole into a silent one."""
    outbox, rows = box(), Rows(6)
    for sequence in send(outbox, rows, 3):
        refuse(outbox, rows, sequence)
    assert outbox.release(2, 9) == 2
    assert outbox.release(2, 9) == 0
    again = box(Position(*outbox.position()))
    assert [*again.parked] == [Range(1, 3, "refused with 0x87")]
    assert send(outbox, rows, 9) == [2, 3, 4, 5, 6]
    assert outbox.answered(2, Code.SUCCESS, 0) is Verdict.TAKEN
    assert [(h.first, h.last) for h in outbox.holes()] == [(1, 1), (3, 3)]
    refuse(outbox, rows, 3)
    assert [(h.first, h.last) for h in outbox.parked] == [(1, 1), (3, 3)]


def test_a_release_survives_the_end_of_a_connection() -> None:
    """Nobody has to release twice because the line broke meanwhile."""
    outbox, rows = box(), Rows(1)
    for sequence in send(outbox, rows):
        refuse(outbox, rows, sequence)
    outbox.release(1, 1)
    send(outbox, rows)
    outbox.ended(0)
    outbox.begin(1)
    assert send(outbox, rows, 5) == [1]


def test_a_position_comes_back_as_it_was_kept() -> None:
    """Settled position, holes with reasons and the highest acknowledged number survive a restart."""
    outbox, rows = box(rewind_s=600), Rows(5)
    send(outbox, rows, 3)
    outbox.park(2, "70000 bytes, over the limit of 65536", 0)
    outbox.answered(1, Code.SUCCESS, 0)
    outbox.answered(3, Code.SUCCESS, 0)
    again = box(Position(*outbox.position()), rewind_s=600)
    assert (again.settled, again.highest) == (0, 3)
    assert again.begin(1) == 3
    assert send(again, rows, 9) == [1, 3, 4, 5]


def test_an_unreadable_position_costs_repeats_and_not_events() -> None:
    """The holes are forgotten, which is said, and their events are tried once more."""
    outbox = box(Position(3, b"\xff not json"))
    assert outbox.unreadable
    outbox.begin(1)
    assert send(outbox, Rows(5), 9) == [4, 5]


def test_a_journal_that_begins_later_moves_the_position_up_to_its_first_event() -> None:
    """Events that were moved out of the journal cannot be waited for."""
    outbox = box()
    outbox.begin(oldest=100)
    assert send(outbox, Rows(101, oldest=100), 9) == [100, 101]
    outbox.answered(100, Code.SUCCESS, 0)
    assert outbox.settled == 100


def test_a_released_event_that_left_the_journal_is_a_hole_for_good() -> None:
    """It is parked again with that reason instead of blocking what stands behind it."""
    outbox = box(
        Position(0, msgspec.json.encode({"acked": 9, "parked": [{"first": 2, "last": 2, "reason": "x"}]}))
    )
    outbox.begin(oldest=10)
    outbox.release(2, 2)
    assert send(outbox, Rows(11, oldest=10), 9) == [10, 11]
    assert [*outbox.parked] == [Range(2, 2, "no longer in the journal")]


class LyingBroker(RuleBasedStateMachine):
    """Acknowledges out of order, refuses, dies, and forgets what is not settled; the outbox must still be honest."""

    on_way = Bundle("on_way")

    def __init__(self) -> None:
        super().__init__()
        self.rows, self.now = Rows(0), 0
        self.outbox = box(rewind_s=10, patience_s=5, batch=4)
        self.outbox.begin(1)
        self.safe: set[int] = set()  # on the broker's disk
        self.memory: dict[int, int] = {}  # taken on this connection, and when
        self.first_seen: list[int] = []
        self.refused: set[int] = set()
        self.generation = 0

    @rule(count=st.integers(1, 6))
    def commit(self, count: int) -> None:
        self.rows.head += count
        self.outbox.more = True

    @rule(target=on_way)
    def transmit(self) -> tuple[int, int] | None:
        if not (sent := send(self.outbox, self.rows)):
            return None
        if sent[0] not in self.first_seen and sent[0] not in self.refused:
            self.first_seen.append(sent[0])
        return self.generation, sent[0]

    @rule(message=consumes(on_way), code=st.sampled_from([0x00, 0x00, 0x00, 0x10, 0x87, 0x97]))
    def answer(self, message: tuple[int, int] | None, code: int) -> None:
        if message is None or message[0] != self.generation:
            return
        sequence = message[1]
        match self.outbox.answered(sequence, code, self.now):
            case Verdict.TAKEN | Verdict.UNHEARD:
                self.memory[sequence] = self.now
            case Verdict.PARKED:
                self.refused.add(sequence)
                self.outbox.park(sequence, "refused", self.now)

    @rule(seconds=st.integers(1, 8))
    def pass_time(self, seconds: int) -> None:
        self.now += seconds * S
        self.outbox.settle(self.now)

    @rule(forgets=st.booleans(), restarts=st.booleans())
    def die(self, forgets: bool, restarts: bool) -> None:
        self.generation += 1
        self.outbox.ended(self.now)
        kept = {s for s, at in self.memory.items() if not forgets or self.now - at >= 10 * S}
        self.safe |= kept
        self.memory.clear()
        if restarts:
            position = Position(*self.outbox.position())
            self.outbox = box(position, rewind_s=10, patience_s=5, batch=4)
        self.outbox.begin(1)

    @precondition(lambda self: self.refused)
    @rule()
    def release(self) -> None:
        self.outbox.release(1, self.rows.head)

    @invariant()
    def nothing_settled_is_missing(self) -> None:
        """What the next connection will not send is on the broker's disk, or declared as a hole."""
        old = {s for s, at in self.memory.items() if self.now - at >= 10 * S}
        holes = {n for r in self.outbox.holes() for n in range(r.first, r.last + 1)}
        assert set(range(1, self.outbox.settled + 1)) <= self.safe | old | holes

    @invariant()
    def marks_are_in_order(self) -> None:
        assert self.outbox.settled <= self.outbox.acked

    @invariant()
    def first_appearances_are_in_order(self) -> None:
        assert self.first_seen == sorted(self.first_seen)


LyingBroker.TestCase.settings = settings(max_examples=30, stateful_step_count=50, deadline=None)
TestLyingBroker = LyingBroker.TestCase
