"""Reports at the host: gaps are read again, what is gone is said to be lost, repeats are only acknowledged."""

from dataclasses import replace
from itertools import pairwise

import pytest

from drivers.protocol import messages as m
from drivers.protocol.codec import decode, encode
from drivers.protocol.constants import FILL_TIMEOUT_S, UNACKED_WINDOW
from drivers.protocol.device.link import Acknowledged
from drivers.protocol.device.log import ReportLog
from drivers.protocol.framing import decode_piece, encode_frame
from drivers.protocol.host.events import Reused
from drivers.protocol.host.link import Failed, Lost, Online, Reported, Restarted
from drivers.protocol.reports import DoorOpened


def message_in(frame):
    return decode(decode_piece(frame.strip(b"\0"))).message


def dropping(kind, times=10**9):
    """A wire that swallows messages of one kind, the first `times` of them."""
    left = [times]

    def faults(frame):
        if isinstance(message_in(frame), kind) and left[0] > 0:
            left[0] -= 1
            return []
        return [(0.001, frame)]

    return faults


def sent(wire, kind):
    return [message for _, frame in wire.sent if isinstance(message := message_in(frame), kind)]


@pytest.fixture
def world(make_world):
    """A link that is online."""
    world = make_world()
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Online))
    return world


def numbers(world):
    return [
        (entry.counter if isinstance(entry, Reported) else (entry.first, entry.last)) for entry in world.journal
    ]


def test_a_gap_is_read_from_the_log_at_once_and_in_order(world):
    """The report after the gap waits; the missing one comes marked as out of the log."""
    world.to_host.faults = dropping(m.Event, times=1)
    world.report(3)
    assert world.run(0.2, until=lambda: len(world.journal) == 3)
    assert numbers(world) == [1, 2, 3]
    assert [entry.from_log for entry in world.journal] == [True, False, False]
    assert sent(world.to_device, m.LogRead) == [m.LogRead(world.boot, 1, 1)]


def test_a_lost_last_report_is_sent_again_by_the_device(world):
    """No later report shows the gap, so the device repeats what was not acknowledged after a second."""
    world.to_host.faults = dropping(m.Event, times=1)
    world.report(1)
    assert world.run(1.5, until=lambda: len(world.journal) == 1)
    assert not sent(world.to_device, m.LogRead)


def test_unacknowledged_reports_are_repeated_after_1_2_4_and_then_each_5_seconds(world):
    """The waits grow, and never end while the host is there."""
    world.acknowledging = False
    world.report(1)
    world.run(23.5)
    times = [at for at, frame in world.to_host.sent if isinstance(message_in(frame), m.Event)]
    waits = [round(b - a, 2) for a, b in pairwise(times)]
    assert waits == [1.0, 2.0, 4.0, 5.0, 5.0, 5.0]
    assert numbers(world) == [1], "each repeat is dropped"
    assert world.host.counters["duplicate"] == 6


def test_a_repeat_is_acknowledged_again_where_it_is_durable(world):
    """A lost EVENT_ACK must not keep the device repeating for ever."""
    world.to_device.faults = dropping(m.EventAck, times=1)
    world.report(1)
    world.run(3.5)
    assert world.device_events.count(Acknowledged(world.boot, 1)) == 1
    assert numbers(world) == [1]


def test_the_device_stops_sending_at_eight_unacknowledged_reports_and_goes_on_from_its_log(world):
    """This is the back-pressure from a slow disk to the device; nothing is dropped on the way."""
    world.acknowledging = False
    world.report(50)
    world.run(0.9)
    assert numbers(world) == list(range(1, UNACKED_WINDOW + 1))
    world.acknowledging = True
    world.host.acknowledge(world.boot, UNACKED_WINDOW, world.now)
    assert world.run(5.0, until=lambda: len(world.journal) == 50)
    assert numbers(world) == list(range(1, 51))
    assert not sent(world.to_device, m.LogRead), "the window moves without one"


def test_acknowledging_what_was_not_released_is_refused(world):
    """The host cannot have on disk what the link has not given out."""
    with pytest.raises(ValueError, match="not released"):
        world.host.acknowledge(world.boot, 1, world.now)


def test_what_fell_out_of_the_log_is_lost_explicitly_in_its_place(make_world):
    """A host that was away too long is told exactly which numbers it will never see."""
    world = make_world(log=ReportLog(depth=10))
    world.report(3)
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Online))
    world.host = None
    world.report(30)
    world.connect()
    assert world.run(5.0, until=lambda: len(world.of(Online)) == 2)
    assert numbers(world) == [1, 2, 3, (4, 23), *range(24, 34)]
    assert [event.gap_closed for event in world.of(Online)] == [True, False]


def test_records_that_leave_the_log_while_it_is_read_are_lost_explicitly(make_world):
    """LOG_GONE covers what the WELCOME still promised."""
    world = make_world(log=ReportLog(depth=40))
    world.report(40)
    world.to_host.faults = lambda frame: [] if isinstance(message_in(frame), m.Event) else [(0.001, frame)]
    world.connect()
    world.run(0.003)  # HELLO and WELCOME have passed, no record has
    world.report(35)
    assert world.run(5.0, until=lambda: world.of(Online))
    assert sent(world.to_host, m.LogGone)
    lost = [entry for entry in world.journal if isinstance(entry, Lost)]
    assert lost
    covered = [
        n for e in world.journal for n in (range(e.first, e.last + 1) if isinstance(e, Lost) else [e.counter])
    ]
    assert covered == list(range(1, len(covered) + 1)), "every number once, in order"
    assert world.of(Online)[0].gap_closed is False


def test_a_gap_that_cannot_be_filled_in_three_tries_and_two_seconds_fails_the_link(world):
    """Nothing is passed over: the next connection starts at the same gap and reads it."""
    world.to_host.faults = lambda f: [] if isinstance(message_in(f), m.LogData) or is_first(f) else [(0.001, f)]
    world.report(2)
    started = world.now
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert world.of(Failed)[0].fault == "timeout_fill"
    assert world.now - started == pytest.approx(FILL_TIMEOUT_S, abs=0.1)
    assert len(sent(world.to_device, m.LogRead)) == 3
    world.to_host.faults = lambda frame: [(0.001, frame)]
    assert world.run(5.0, until=lambda: len(world.journal) == 2)
    assert numbers(world) == [1, 2]


def is_first(frame):
    message = message_in(frame)
    return isinstance(message, m.Event) and message.record.counter == 1


@pytest.mark.parametrize("keeps_log", [True, False])
def test_a_reboot_is_told_and_the_old_boots_tail_is_read_or_lost(world, keeps_log):
    """With a log that outlives the power cut nothing is missing; without one the loss is told, its size unknown."""
    world.report(2)
    assert world.run(1.0, until=lambda: len(world.journal) == 2)
    old_boot = world.boot
    world.to_host.faults = lambda frame: []
    world.report(2)
    world.run(0.1)
    world.to_host.faults = lambda frame: [(0.001, frame)]
    kept = world.device._log if keeps_log else None
    world.boot_device(log=kept)
    world.report(1)
    assert world.run(8.0, until=lambda: len(world.of(Online)) == 2)
    assert world.run(3.0, until=lambda: world.journal[-1].boot == world.boot)
    assert [event.boot for event in world.of(Restarted)] == [world.boot]
    assert [event.fault for event in world.of(Failed)] == ["link_restarted"]
    told = [(e.boot, e.counter) if isinstance(e, Reported) else (e.boot, (e.first, e.last)) for e in world.journal]
    tail = [(old_boot, 3), (old_boot, 4)] if keeps_log else [(old_boot, (3, 0))]
    assert told == [(old_boot, 1), (old_boot, 2), *tail, (world.boot, 1)]
    assert world.of(Online)[1].gap_closed is keeps_log


def test_logs_of_boots_between_are_read_too(make_world):
    """The device rebooted twice while the host was away; both lives are in its log."""
    log = ReportLog()
    world = make_world(log=log)
    world.report(1)
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Online))
    world.host = None
    world.report(1)
    world.boot_device(log=log)
    world.report(2)
    world.boot_device(log=log)
    world.report(1)
    world.connect()
    assert world.run(5.0, until=lambda: len(world.of(Online)) == 2)
    assert [(entry.boot, entry.counter) for entry in world.journal] == world.dealt
    assert world.of(Online)[1].gap_closed


def test_a_host_without_a_past_reads_this_boot_from_its_start_and_no_former_one(make_world):
    """What a device did in an earlier life belongs to a record that this host never kept."""
    log = ReportLog()
    world = make_world(log=log)
    world.report(3)
    world.boot_device(log=log)
    world.report(2)
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Online))
    assert [(entry.boot, entry.counter) for entry in world.journal] == [(world.boot, 1), (world.boot, 2)]
    assert world.of(Online)[0].gap_closed


def test_a_long_log_is_read_in_pieces_and_before_online(make_world):
    """Five hundred reports of a night without the host arrive complete before anyone calls the device online."""
    world = make_world()
    world.report(500)
    world.connect()
    assert world.run(30.0, until=lambda: world.of(Online))
    assert [(entry.boot, entry.counter) for entry in world.journal] == world.dealt
    assert len(sent(world.to_device, m.LogRead)) < 60, "a frame holds many records"
    assert len(sent(world.to_host, m.Event)) <= 3 * UNACKED_WINDOW, (
        "and the device does not send them all again by itself"
    )


def test_a_counter_below_what_is_on_record_fails_the_link(world):
    """A device that claims an older head in the same boot lies or has lost its memory; a person must see it."""
    world.host = None
    world.last = (world.boot, 7)
    world.reconnecting = False
    host = world.connect()
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert world.of(Failed)[0].fault == "proto_counter_backwards"
    assert world.of(Reused) == [Reused(world.boot, 1, 7)], "what it reports until it is past 7 is not taken"
    assert numbers(world) == []
    assert not host.data_to_send(), "nothing of it is believed, and nothing more is said to it"


def inject_event(world, record, boot=None):
    session = decode(decode_piece(world.to_device.sent[-1][1].strip(b"\0"))).session
    frame = m.Frame(m.Event(boot or world.boot, record), session, seq=record.counter)
    world.to_host.inject(encode_frame(encode(frame)), world.now)


def test_a_report_of_another_boot_inside_a_session_tells_of_a_reboot(world):
    """A session belongs to one boot; a repeated HELLO may have carried it over a power cut."""
    inject_event(world, m.Record(1, 0, DoorOpened()), boot=world.boot ^ 1)
    world.run(0.1)
    assert world.of(Failed)[0].fault == "link_restarted"
    assert world.of(Restarted)[0].boot == world.boot ^ 1
    assert not world.journal


def test_a_report_that_cannot_be_read_is_an_explicit_loss_and_the_order_goes_on(world):
    """A newer device may say what this version does not know; the number is accounted for, the link stays."""
    unknown = m.UnknownReport(0xEE, b"\1\2\3", "")
    inject_event(world, m.Record(1, 5, unknown))
    world.run(0.2)
    assert numbers(world) == [(1, 1)]
    assert not world.of(Failed)
    assert world.host.counters["unreadable_reports"] == 1


def test_reports_far_ahead_do_not_fill_memory(world):
    """Only a window of early reports is held; the rest is left to the log."""
    for counter in range(2, 200):
        inject_event(world, m.Record(counter, counter, DoorOpened()))
    world.to_device.cut()
    world.run(0.0005)
    assert len(world.host._sequencer._ahead) < UNACKED_WINDOW
    assert not world.journal


def test_a_log_answer_to_an_earlier_question_is_passed_over(world):
    """A LOG_GONE that comes late must not declare lost what is being read now."""
    inject_event(world, m.Record(2, 2, DoorOpened()))
    world.run(0.0001)
    session = decode(decode_piece(world.to_device.sent[-1][1].strip(b"\0"))).session
    stale = m.Frame(m.LogGone(world.boot, 1, 1), session, seq=999)
    world.to_host.inject(encode_frame(encode(stale)), world.now)
    world.run(0.0001)
    assert not world.journal


def test_more_is_not_lost_than_was_asked_for(world):
    """A LOG_GONE that claims too much cannot take away a report that is already here."""
    inject_event(world, m.Record(2, 2, DoorOpened()))
    world.to_device.faults = lambda frame: []
    world.run(0.0001)
    question = decode(decode_piece(world.to_device.sent[-1][1].strip(b"\0")))
    assert question.message == m.LogRead(world.boot, 1, 1)
    gone = m.Frame(m.LogGone(world.boot, 1, 100), question.session, seq=question.seq)
    world.to_host.inject(encode_frame(encode(gone)), world.now)
    world.run(0.0001)
    assert numbers(world) == [(1, 1), 2]


def test_two_links_never_share_what_one_of_them_held_back(world):
    """Reports that waited behind a gap are not released by a failed link, and come in order on the next."""
    world.to_host.faults = lambda f: [] if isinstance(message_in(f), m.LogData) or is_first(f) else [(0.001, f)]
    world.report(4)
    assert world.run(4.0, until=lambda: world.of(Failed))
    assert not world.journal
    world.to_host.faults = lambda frame: [(0.001, frame)]
    assert world.run(4.0, until=lambda: len(world.journal) == 4)
    assert numbers(world) == [1, 2, 3, 4]
    assert all(replace(entry, from_log=False) in world.journal or entry.from_log for entry in world.journal)


def test_each_acknowledgement_starts_the_waits_anew(world):
    """A host that makes progress is not treated like one that is away."""
    world.acknowledging = False
    world.report(2)
    world.run(7.5)  # repeats after 1, 3 and 7 s
    world.host.acknowledge(world.boot, 1, world.now)
    before = len(sent(world.to_host, m.Event))
    world.run(1.2)
    assert [event.record.counter for event in sent(world.to_host, m.Event)[before:]] == [2]


def test_what_an_echo_names_and_what_does_not_come_is_read_from_the_log(world):
    """Events are dead and PINGs are not: nothing that the device has reported stays unknown for longer than three echoes."""
    world.to_host.faults = dropping(m.Event)
    world.report(3)
    assert world.run(3.5, until=lambda: len(world.journal) == 3)
    assert numbers(world) == [1, 2, 3]
    assert all(entry.from_log for entry in world.journal)
    assert not world.of(Failed)


def test_nothing_is_read_from_the_log_while_it_is_us_for_whom_the_device_waits(world):
    """A host that does not acknowledge is not to be filled by another way."""
    world.acknowledging = False
    world.report(UNACKED_WINDOW + 5)
    world.run(4.5)
    assert numbers(world) == list(range(1, UNACKED_WINDOW + 1))
    assert not sent(world.to_device, m.LogRead)
