"""What a session remembers over losses: handed over, durable, told; and which levels are wanted."""

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from drivers.commands import WantedLevel
from drivers.protocol.host.link import Reported
from drivers.protocol.reports import DoorClosed, DoorOpened
from drivers.protocol.words import ALLOWED, ENGAGED, INHIBITED, RELEASED, Level
from drivers.session.ledger import Acknowledgements, Wishes


def chain_of(counter):
    """A report's value in the chain over the device's log."""
    return counter.to_bytes(8, "big")


def report(boot, counter, chain=b"", *, tick_us=0, what=DoorOpened()):  # noqa: B008  # it is frozen
    """One report as a link tells it."""
    return Reported(boot, counter, tick_us, what, from_log=False, chain=chain)


class AcknowledgementMachine(RuleBasedStateMachine):
    """A device that resends from the last durable report on each link, an owner that commits in order, and holds."""

    def __init__(self):
        super().__init__()
        self.acks = Acknowledgements(None)
        self.handed, self.told, self.durable, self.next_on_link = [], 0, 0, 1

    @rule()
    def report(self):
        if self.acks.take(report(1, self.next_on_link, chain_of(self.next_on_link))):
            self.handed.append(self.next_on_link)
        self.next_on_link += 1

    @rule()
    def loss(self):
        self.acks.new_link()
        self.next_on_link = self.durable + 1

    @precondition(lambda self: self.durable < len(self.handed))
    @rule(data=st.data())
    def commit(self, data):
        self.durable = data.draw(st.integers(self.durable + 1, len(self.handed)))
        self.acks.make_durable(1, self.durable)
        assert self.acks.durable == (1, self.durable, chain_of(self.durable)), "where the next link goes on"
        assert len(self.acks._under_way) <= len(self.handed) - self.durable, "what is durable is forgotten"

    @rule()
    def hold(self):
        held = self.acks.hold()
        assert not held or self.durable < len(self.handed)

    @rule()
    def tell(self):
        was_held = self.acks.held
        due = self.acks.due()
        assert not (was_held and due)
        if due is not None:
            assert due[0] == 1
            assert due[1] <= self.durable, "acknowledged before it was durable"
            assert due[1] < self.next_on_link, "this link has not brought it yet"

    @invariant()
    def each_report_once_in_order(self):
        assert self.handed == list(range(1, len(self.handed) + 1))

    @invariant()
    def a_hold_ends_when_all_is_durable(self):
        assert not (self.acks.held and self.durable == len(self.handed))


TestAcknowledgements = AcknowledgementMachine.TestCase


def test_a_report_that_is_durable_is_told_after_the_next_link_brings_it_again():
    """Committed while the link was away: the repeat is not handed over again, but it is acknowledged."""
    acks = Acknowledgements((1, 4))
    assert acks.take(report(1, 5))
    acks.new_link()
    acks.make_durable(1, 5)
    assert acks.due() is None, "the new link has not seen it"
    assert not acks.take(report(1, 5))
    assert acks.due() == (1, 5)
    assert acks.due() is None


def test_another_report_under_a_number_is_known_until_the_first_is_durable():
    """A repeat on a later link is the same report, by its contents and its time; what is durable is not read again."""
    acks = Acknowledgements(None)
    assert acks.take(report(1, 1))
    assert acks.take(report(1, 2))
    assert not acks.is_another(report(1, 2))
    assert acks.is_another(report(1, 2, what=DoorClosed()))
    assert acks.is_another(report(1, 2, tick_us=1))
    assert not acks.is_another(report(2, 2, what=DoorClosed())), "of another boot"
    acks.make_durable(1, 2)
    assert not acks.is_another(report(1, 2, what=DoorClosed()))


def test_numbers_that_are_used_again_are_news_once():
    """What lies within a range that was told is told; more of it, and another boot, is not."""
    acks = Acknowledgements(None)
    assert acks.went_back(1, 3, 5)
    assert not acks.went_back(1, 3, 5)
    assert not acks.went_back(1, 4, 4)
    assert acks.went_back(1, 2, 5)
    assert acks.went_back(1, 2, 6)
    assert acks.went_back(2, 3, 4)


def test_a_new_boot_starts_its_own_count():
    """Counters begin at 1 in each boot; the old boot's tail may come first, out of the log."""
    acks = Acknowledgements((1, 100))
    assert acks.take(report(1, 101))
    assert acks.take(report(2, 1))
    acks.make_durable(2, 1)
    assert acks.due() == (2, 1)
    assert not acks.take(report(1, 101))


@given(st.integers(1, 50))
def test_old_boots_are_forgotten_in_the_end(boots):
    """A device that reboots for months must not fill our memory."""
    acks = Acknowledgements(None)
    for boot in range(boots):
        acks.take(report(boot, 1))
    assert len(acks._highest) <= 8


def wanted(value, operation):
    level = Level.LOCKOUT if value in (ENGAGED, RELEASED) else Level.DISPENSING
    return WantedLevel("d", level, value, operation)


def test_only_safe_wishes_stand_and_only_unsafe_ones_are_lost():
    """The safe side is asserted on each link; a release is forgotten with the link and given back as unknown."""
    wishes = Wishes()
    wishes.add(wanted(ENGAGED, 1))
    wishes.add(wanted(ALLOWED, 2))
    assert wishes.standing() == [wanted(ENGAGED, 1)]
    assert wishes.lose() == [wanted(ALLOWED, 2)]
    assert wishes.lose() == []
    assert wishes.standing() == [wanted(ENGAGED, 1)]


def test_a_release_ends_the_standing_wish_to_engage():
    """A session must not work against the newest word of a person."""
    wishes = Wishes()
    wishes.add(wanted(ENGAGED, 1))
    wishes.add(wanted(RELEASED, 2))
    assert wishes.standing() == []
    wishes.granted(Level.LOCKOUT, 2)
    assert wishes.lose() == [], "answered: nothing is unknown"


def test_an_answer_to_a_replaced_wish_settles_nothing():
    """The late yes to an old release says nothing about the new one."""
    wishes = Wishes()
    wishes.add(wanted(RELEASED, 1))
    wishes.add(wanted(RELEASED, 2))
    wishes.granted(Level.LOCKOUT, 1)
    assert wishes.lose() == [wanted(RELEASED, 2)]


def test_a_refusal_is_new_only_until_the_level_was_granted():
    """An owner that wants the safe side again after each refusal must not be driven in a circle."""
    wishes = Wishes()
    assert wishes.refused(Level.DISPENSING, INHIBITED, 1)
    assert not wishes.refused(Level.DISPENSING, INHIBITED, 2)
    assert wishes.refused(Level.DISPENSING, ALLOWED, 3)
    wishes.granted(Level.DISPENSING, 4)
    assert wishes.refused(Level.DISPENSING, INHIBITED, 5)
