"""Confirmations: what moves the durable position with `confirm = "consumer"`, and what is refused."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from controller.journal.record import Position, Stream
from controller.publish.broker.link import Code
from controller.publish.outboxes.confirmed_outbox import AHEAD_MOST, ConfirmedOutbox
from controller.publish.outboxes.outbox import Verdict
from controller.publish.requests.confirmations import LARGEST, LATE_NS, AckRefusal, Confirmations, Lateness
from tests.controller.publish.conftest import JOURNAL_ID, FakeJournal

S = 1_000_000_000
SENT = {"main": 100, "diag": 100}


def ack(through=0, have=(), *, consumer="recorder", journal=JOURNAL_ID, stream="main", **more):
    body = {"consumer": consumer, "journal": journal, "streams": {stream: {"through": through, "have": have}}}
    return json.dumps({**body, **more}).encode()


def confirmations(*consumers, known=None):
    return Confirmations(JOURNAL_ID, consumers or ("recorder",), ("main", "diag"), known or {})


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"", AckRefusal.MALFORMED),
        (b"\xff\xfe", AckRefusal.MALFORMED),
        (b"[" * 50_000, AckRefusal.MALFORMED),
        (b'{"consumer":"recorder"}', AckRefusal.MALFORMED),
        (ack(-1), AckRefusal.MALFORMED),
        (ack(True), AckRefusal.MALFORMED),
        (ack("7"), AckRefusal.MALFORMED),
        (ack(LARGEST + 1), AckRefusal.MALFORMED),
        (ack(5, [[9, 8]]), AckRefusal.MALFORMED),
        (ack(5, [[4, 8]]), AckRefusal.MALFORMED),
        (ack(5, [[8, 9], [7, 7]]), AckRefusal.MALFORMED),
        (ack(5, [[8, 9], [9, 12]]), AckRefusal.MALFORMED),
        (ack(5, [[i, i] for i in range(10, 4010, 2)]), AckRefusal.MALFORMED),
        (ack(5, time="x" * 70_000), AckRefusal.MALFORMED),
        (ack(5, stream="input"), AckRefusal.MALFORMED),
        (ack(5, consumer="other"), AckRefusal.FOREIGN),
        (ack(5, journal="f" * 16), AckRefusal.OTHER_JOURNAL),
        (ack(101), AckRefusal.BEYOND),
        (ack(5, [[99, 101]]), AckRefusal.BEYOND),
        (ack(2), AckRefusal.BACKWARD),
    ],
)
def test_what_breaks_a_rule_is_refused_and_moves_nothing(payload, code):
    """One code each; the confirmation before stays."""
    found = confirmations()
    assert found.take("recorder", ack(3, [[5, 6]]), SENT) is None
    assert found.take("recorder", payload, SENT) is code
    assert [found.holds("main", n) for n in range(1, 8)] == [True] * 3 + [False, True, True, False]


def test_one_bad_stream_refuses_the_whole_message():
    """Half of a confirmation is none."""
    found = confirmations()
    body = json.loads(ack(5))
    body["streams"]["diag"] = {"through": 101}
    assert found.take("recorder", json.dumps(body).encode(), SENT) is AckRefusal.BEYOND
    assert not found.holds("main", 1)


def test_every_named_consumer_must_have_an_event():
    """The position follows the slowest one; a repeat is no step back."""
    found = confirmations("a", "b")
    assert found.take("a", ack(9, consumer="a"), SENT) is None
    assert not found.holds("main", 1)
    assert found.take("b", ack(4, [[6, 7]], consumer="b"), SENT) is None
    assert [n for n in range(1, 11) if found.holds("main", n)] == [1, 2, 3, 4, 6, 7]
    assert found.take("a", ack(9, consumer="a"), SENT) is None
    assert found.through("main") == 4


def test_what_was_confirmed_to_an_earlier_process_still_counts():
    """A consumer restored from an old copy does not pull the table back unseen."""
    found = confirmations(known={("recorder", "main"): 50})
    assert found.take("recorder", ack(49), SENT) is AckRefusal.BACKWARD
    assert found.take("recorder", ack(51), SENT) is None


def test_a_silent_consumer_is_told_late_ever_more_seldom_and_back_once():
    """News at 60 s, then 120 s later; a confirmation ends it; what waits for nobody is never late."""
    late, told = Lateness(), []
    for second in range(400):
        news = late.look("recorder", 7, is_waiting=True, now_ns=second * S)
        told += [(second, news)] if news else []
    assert told == [(60, "consumer_late"), (180, "consumer_late")]
    assert late.late() == ["recorder"]
    assert late.look("recorder", 8, is_waiting=True, now_ns=401 * S) == "consumer_back"
    assert late.look("recorder", 8, is_waiting=False, now_ns=402 * S + 10 * LATE_NS) is None
    assert late.late() == []


class Sending(RuleBasedStateMachine):
    """A box, a broker that answers in any order and loses what it likes, and a consumer that confirms what it has."""

    @initialize(batch=st.integers(1, 5))
    def begin(self, batch):
        self.journal, self.now = FakeJournal(), 0
        self.batch, self.heads = batch, 0
        self.confirmations = confirmations()
        self.box = self._box(None)
        self.on_way, self.stored, self.lied, self.seen = [], set(), 0, []

    def _box(self, position):
        found = ConfirmedOutbox(
            "main",
            position,
            self.confirmations,
            self.heads,
            wait_ns=5 * S,
            patience_ns=0,
            batch=self.batch,
            ahead=self.batch,
        )
        found.begin(1 if self.heads else 0)
        return found

    def _through(self):
        through = 0
        while through + 1 in self.stored:
            through += 1
        rest = sorted(n for n in self.stored if n > through)
        return through, [[n, n] for n in rest]

    @rule(count=st.integers(1, 30))
    def commit(self, count):
        self.journal.add(count=count)
        self.heads += count
        self.box.more = True

    @rule()
    def send(self):
        while (record := self.box.peek(self._read)) is not None:
            self.box.sent(record)
            self.on_way.append(record.sequence)

    def _read(self, stream, after, limit):
        return self.journal.read(Stream.MAIN, after, limit)

    @precondition(lambda self: self.on_way)
    @rule(data=st.data(), is_lost=st.booleans())
    def answer(self, data, is_lost):
        sequence = self.on_way.pop(data.draw(st.integers(0, len(self.on_way) - 1)))
        if not is_lost:
            self.stored.add(sequence)
            self.seen.append(sequence)
        self.box.answered(sequence, Code.SUCCESS, self.now)

    @precondition(lambda self: self.on_way)
    @rule(data=st.data())
    def refuse(self, data):
        """The third refusal parks; what is parked stays declared until the consumer has it."""
        sequence = self.on_way.pop(data.draw(st.integers(0, len(self.on_way) - 1)))
        if self.box.answered(sequence, Code.NOT_AUTHORIZED, self.now) is Verdict.PARKED:
            self.box.park(sequence, "refused", self.now)

    @rule()
    def release(self):
        self.box.release(1, LARGEST)

    @rule()
    def confirm(self):
        through, have = self._through()
        assert (
            self.confirmations.take("recorder", ack(through, have), {"main": self.box.sent_most, "diag": 0})
            is None
        )
        self.box.confirmed(self.now)

    @rule(beyond=st.integers(1, 50))
    def lie(self, beyond):
        """A consumer that confirms what was never sent moves nothing."""
        before = self.box.position()
        sent = {"main": self.box.sent_most, "diag": 0}
        assert self.confirmations.take("recorder", ack(self.box.sent_most + beyond), sent) is AckRefusal.BEYOND
        self.box.confirmed(self.now)
        assert self.box.position() == before

    @rule(seconds=st.integers(1, 90))
    def wait(self, seconds):
        self.now += seconds * S
        self.box.go_back(self.now)

    @rule()
    def reconnect(self):
        self.on_way.clear()
        self.box.ended(self.now)
        self.box.begin(1 if self.heads else 0)
        assert self.box.ahead == self.batch

    @rule()
    def die(self):
        """A new process begins at the durable position; nobody tells it what was under way."""
        self.on_way.clear()
        through = self.confirmations.of["recorder"]["main"].through
        self.confirmations = confirmations(known={("recorder", "main"): through})
        self.box = self._box(Position(*self.box.position()))

    @invariant()
    def nothing_is_settled_that_the_consumer_lacks(self):
        if hasattr(self, "box"):
            holes = {n for r in self.box.holes() for n in range(r.first, r.last + 1)}
            assert all(n in self.stored or n in holes for n in range(1, self.box.settled + 1))
            assert self.box.settled <= self.box.acked <= self.box.cursor
            assert self.box.cursor - self.box.settled <= AHEAD_MOST

    def teardown(self):
        """In the end an honest broker and a confirming consumer bring everything over."""
        if not hasattr(self, "box"):
            return
        self.release()
        for _ in range(400):
            self.send()
            while self.on_way:
                sequence = self.on_way.pop(0)
                self.stored.add(sequence)
                self.box.answered(sequence, Code.SUCCESS, self.now)
            self.confirm()
            if self.box.settled == self.heads and not self.box.holes():
                break
            self.now += 61 * S
            self.box.go_back(self.now)
        assert self.box.settled == self.heads
        assert self.stored >= set(range(1, self.heads + 1))
        assert self.box.holes() == []


Sending.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestSending = Sending.TestCase


@given(st.binary(max_size=200))
def test_junk_never_moves_anything(payload):
    """Whatever stands on the topic."""
    found = confirmations()
    assert found.take("recorder", payload, SENT) is not None
    assert found.through("main") == 0


@pytest.fixture
def box():
    """A box of forty events that sends five at once; nothing is confirmed."""
    found = Plain()
    found.journal.add(count=40)
    return found


class Plain:
    """A box, and the numbers that it gives out."""

    def __init__(self):
        self.journal, self.confirmations = FakeJournal(), confirmations()
        self.box = ConfirmedOutbox(
            "main", None, self.confirmations, 0, wait_ns=5 * S, patience_ns=0, batch=5, ahead=5
        )

    def send(self):
        """Sends all that may go; the broker takes it."""
        sent = []
        while record := self.box.peek(lambda _, after, limit: self.journal.read(Stream.MAIN, after, limit)):
            self.box.sent(record)
            sent.append(record.sequence)
        return sent

    def taken(self, sequences, now=0, code=Code.SUCCESS):
        return [self.box.answered(n, code, now) for n in sequences]

    def confirm(self, *about, now=0):
        assert self.confirmations.take("recorder", ack(*about), {"main": self.box.sent_most, "diag": 0}) is None
        self.box.confirmed(now)


def test_a_window_goes_ahead_and_doubles_while_confirmations_come(box):
    """So a reconnect repeats a window at most, and a backlog still drains fast."""
    assert box.send() == [1, 2, 3, 4, 5]
    box.taken([1, 2, 3, 4, 5])
    assert (box.send(), box.box.settled, box.box.acked) == ([], 0, 5)
    box.confirm(5)
    assert box.send() == list(range(6, 16))
    box.box.ended(0)
    box.box.begin(1)
    assert box.send() == [6, 7, 8, 9, 10]


def test_a_slow_consumer_is_not_sent_more_than_it_confirms_in_two_seconds(box):
    """The rest would only wait at the broker, and be repeated when that dies."""
    box.taken(box.send())
    box.confirm(5)
    box.taken(box.send())
    box.confirm(9, now=S)
    assert box.box.ahead == 10, "not all of it is confirmed"
    box.taken(box.send())
    box.confirm(15, now=3 * S)
    assert box.box.ahead == 10, "it took too long"
    box.taken(box.send())
    box.confirm(19, now=4 * S)
    box.taken(box.send())
    box.confirm(26, now=5 * S)
    assert box.box.ahead == 20


def test_only_what_is_not_confirmed_is_sent_again(box):
    """A hole in the middle is filled alone; the wait doubles until a confirmation comes."""
    box.taken(box.send())
    box.confirm(2, [[4, 5]])
    assert box.box.settled == 2
    assert (box.box.go_back(5 * S - 1), box.box.go_back(5 * S)) == (False, True)
    again = box.send()
    assert again == [3, 6, 7, 8], "and one that is new"
    box.taken(again, now=5 * S)
    assert (box.box.go_back(15 * S - 1), box.box.go_back(15 * S)) == (False, True)
    box.taken(box.send(), now=15 * S)
    box.confirm(8, now=16 * S)
    box.taken(box.send(), now=16 * S)
    assert box.box.go_back(21 * S), "the wait is short again"


def test_a_consumer_that_confirms_only_what_is_new_still_confirms(box):
    """Its confirmation was lost with the broker, and repeats say nothing to it: one new event goes along."""
    box.taken(box.send())
    for number in range(1, 4):
        assert box.box.go_back(number * 1000 * S)
        again = box.send()
        assert again == list(range(1, 6 + number))
        box.taken(again, now=number * 1000 * S)
        seen = max(again)
    box.confirm(seen, now=4000 * S)
    assert (box.box.settled, box.send()[0]) == (8, 9)


def test_without_a_puback_nothing_goes_back(box):
    """A broker that is slow is no consumer that is away; `two keep-alives` end that connection."""
    box.send()
    assert not box.box.go_back(3600 * S)


def test_a_released_event_stays_a_declared_hole_until_it_is_confirmed(box):
    """The broker took it and lost it: it is sent once more."""
    box.send()
    box.taken([1, 3, 4, 5])
    box.box.park(2, "refused", 0)
    box.confirm(1, [[3, 5]])
    assert box.box.settled == 5
    assert box.box.release(2, 2) == 1
    assert box.send()[0] == 2
    box.taken([2], now=S)
    assert [(r.first, r.last) for r in box.box.holes()] == [(2, 2)]
    assert box.box.go_back(6 * S)
    assert box.send()[0] == 2
    box.taken([2], now=7 * S)
    box.confirm(5, now=8 * S)
    assert box.box.holes() == []


def test_a_hole_that_was_declared_survives_a_restart_unconfirmed(box):
    """The next process declares it as well."""
    box.send()
    box.taken([1, 3, 4, 5])
    box.box.park(2, "refused", 0)
    box.box.release(2, 2)
    box.send()
    box.taken([2])
    box.confirm(1, [[3, 5]])
    known = Position(*box.box.position())
    later = ConfirmedOutbox("main", known, confirmations(), 40, wait_ns=S, patience_ns=0, batch=5, ahead=5)
    assert [(r.first, r.last) for r in later.holes()] == [(2, 2)]
