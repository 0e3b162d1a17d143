"""A number that a device gives to two reports: one of them has its place, and of the other it is said that it is lost."""

import pytest

from drivers.protocol import messages as m
from drivers.protocol.codec import decode, encode
from drivers.protocol.framing import decode_piece, encode_frame
from drivers.protocol.host.events import Reused
from drivers.protocol.host.link import Failed, Lost, Online, Reported
from drivers.protocol.reports import Back, DoorOpened, StackDispensed

OTHER = StackDispensed(Back.BLUE, 9, 9)


@pytest.fixture
def world(make_world):
    """A link that is online, and a device whose first reports have come."""
    world = make_world()
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Online))
    world.report(4)
    assert world.run(1.0, until=lambda: len(world.journal) == 4)
    world.reconnecting = False
    return world


def inject(world, message, seq=0):
    """The device says something that its own end of the link would not."""
    session = decode(decode_piece(world.to_device.sent[-1][1].strip(b"\0"))).session
    world.to_host.inject(encode_frame(encode(m.Frame(message, session, seq=seq))), world.now)


def inject_event(world, counter, report=OTHER):
    tick_us = next((r.tick_us for r in world.journal if r.counter == counter), 5)
    inject(world, m.Event(world.boot, m.Record(counter, tick_us, report)), seq=counter)


def ends(world):
    """What was told of it, in order, and the numbers that were released."""
    assert world.run(0.1, until=lambda: world.of(Failed))
    told = [event for event in world.host_events if isinstance(event, Lost | Reused | Failed)]
    assert [event.fault for event in told if isinstance(event, Failed)] == ["proto_counter_reused"]
    return told[:-1], [event.counter for event in world.of(Reported)]


def test_one_number_for_two_different_reports_is_a_loss_and_fails_the_link(world):
    """A repeat must be the same report; anything else is two truths with one name, and one of them is lost."""
    inject_event(world, 4)
    assert ends(world) == ([Reused(world.boot, 4, 4)], [1, 2, 3, 4])
    assert "number 4" in world.of(Failed)[0].detail


def test_a_device_whose_count_went_back_loses_all_up_to_where_it_was(world):
    """What comes under 3 and 4 after the other 2 is taken for known on the next link: it is declared now."""
    inject_event(world, 2)
    assert ends(world) == ([Reused(world.boot, 2, 4)], [1, 2, 3, 4])


def test_a_report_that_was_told_ahead_is_lost_where_it_is_not_the_true_one(world):
    """Another report comes early under the next number; the true one is noticed and cannot be told."""
    inject_event(world, 5)
    assert world.run(0.1, until=lambda: len(world.journal) == 5)
    world.report(1)
    assert ends(world) == ([Reused(world.boot, 5, 5)], [1, 2, 3, 4, 5])


def test_two_reports_of_one_number_behind_a_gap_are_one_loss_and_the_gap_stays_open(world):
    """Neither was released: the next link reads the gap and one of the two, so their place is not passed over."""
    world.to_host.faults = lambda frame: []
    for report in (DoorOpened(), OTHER):
        inject_event(world, 6, report)
    assert ends(world) == ([Reused(world.boot, 6, 6)], [1, 2, 3, 4])
    world.to_host.faults = lambda frame: [(0.001, frame)]
    world.report(2)
    world.connect()
    assert world.run(5.0, until=lambda: len(world.journal) == 6)
    assert [event.counter for event in world.of(Reported)] == [1, 2, 3, 4, 5, 6]


def test_a_log_that_says_otherwise_than_the_report_did_is_a_loss_too(world):
    """A record of the log under a number that came live, with another content: an answer to what was asked."""
    inject_event(world, 6, DoorOpened())
    world.to_device.faults = lambda frame: []
    world.run(0.005)
    question = decode(decode_piece(world.to_device.sent[-1][1].strip(b"\0")))
    assert question.message == m.LogRead(world.boot, 5, 5)
    inject(world, m.LogData(world.boot, (m.Record(4, 5, OTHER), m.Record(5, 6, OTHER))), question.seq)
    assert ends(world) == ([Reused(world.boot, 4, 6)], [1, 2, 3, 4]), "nothing behind it is believed"


def test_a_true_repeat_is_no_loss(world):
    """The same report again, as whoever waits for an acknowledgement sends it."""
    known = world.journal[3]
    inject(world, m.Event(world.boot, m.Record(4, known.tick_us, known.report)), seq=4)
    world.run(1.0)
    assert not world.of(Reused)
    assert not world.of(Failed)
