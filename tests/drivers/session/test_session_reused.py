"""A number that a device gives to two reports: the owner is told of the loss once, and nothing else is passed over by it."""

import asyncio
from dataclasses import replace

from drivers import events
from drivers.protocol import messages as m
from drivers.protocol.codec import encode
from drivers.protocol.framing import encode_frame
from drivers.protocol.host.events import Reused
from drivers.protocol.reports import DoorClosed, DoorOpened

BOOT = "0000000000000001"


def lost(first, last):
    return events.EventsLost("P-1", BOOT, first, last, reused=True)


def say_again(bench, counter):
    """The device tells another report under a number."""
    event = m.Event(bench.device.boots, m.Record(counter, 1000, DoorClosed()))
    bench.far.write(encode_frame(encode(m.Frame(event, bench.session._pump.link._session, seq=counter))))


async def told(bench, count):
    """Reports 1 to `count` are handed over."""
    await bench.until_online()
    for _ in range(count):
        bench.device.report(DoorOpened())
    await bench.until(lambda: len(bench.owner.counters) == count, 1.0)


def kinds(bench):
    """What was delivered beside reports, in order."""
    return [delivery.body.kind for delivery in bench.owner.deliveries if delivery.origin is None]


def test_the_loss_is_told_before_the_link_is_and_the_next_one_goes_on(bench, virtual):
    """One report is on record, the other is said to be lost; what comes afterwards is neither."""

    async def scene():
        async with bench() as b:
            await told(b, 3)
            b.session.acknowledge(BOOT, 3)
            say_again(b, 3)
            await b.until_online(2)
            assert kinds(b) == ["device_online", "events_lost", "device_offline", "device_online"]
            assert b.owner.bodies(events.EventsLost) == [lost(3, 3)]
            assert b.owner.bodies(events.DeviceOffline)[0].reason == "proto_counter_reused"
            b.device.report(DoorClosed())
            await b.until(lambda: len(b.owner.counters) == 4, 1.0)
            assert b.owner.counters == [(BOOT, n) for n in (1, 2, 3, 4)]

    virtual(scene())


def test_what_was_not_durable_yet_stays_what_it_was(bench, virtual):
    """The loss has no place in the order: reports that are handed over and not durable are acknowledged as ever."""

    async def scene():
        async with bench() as b:
            await told(b, 4)
            b.session.acknowledge(BOOT, 1)
            say_again(b, 2)
            await b.until_online(2)
            assert b.owner.bodies(events.EventsLost) == [lost(2, 4)]
            await asyncio.sleep(1)
            assert (1, 4) not in b.device.acknowledged
            b.session.acknowledge(BOOT, 4)
            await b.until(lambda: (1, 4) in b.device.acknowledged, 1.0)
            assert b.owner.counters == [(BOOT, n) for n in (1, 2, 3, 4)]

    virtual(scene())


def test_the_loss_reaches_to_the_last_report_that_was_handed_over(bench, virtual):
    """A link that reads again has not come that far yet; what has another content up there is not taken either."""

    async def scene():
        async with bench() as b:
            await told(b, 4)
            b.session._handle(Reused(1, 2, 2))
            assert b.owner.bodies(events.EventsLost) == [lost(2, 4)]

    virtual(scene())


def test_a_log_that_tells_what_was_handed_over_otherwise_is_a_loss(bench, virtual):
    """The first link handed over 3, it was not durable yet, and the log gives another 3 to the second one."""

    async def scene():
        async with bench() as b:
            await told(b, 3)
            b.session.acknowledge(BOOT, 2)
            await b.unplug()
            records = b.device.log._records
            records[1, 3] = replace(records[1, 3], report=DoorClosed())
            await b.plug()
            await b.until_online(2, within_s=30.0)
            assert b.owner.bodies(events.EventsLost) == [lost(3, 3)], "and the next links know it"
            assert [s.reason for s in b.owner.states].count("proto_counter_reused") == 1
            b.session.acknowledge(BOOT, 3)
            b.device.report(DoorClosed())
            await b.until(lambda: len(b.owner.counters) == 4, 5.0)
            assert b.owner.counters == [(BOOT, n) for n in (1, 2, 3, 4)]

    virtual(scene())


def test_a_boot_that_counts_from_one_again_is_told_once_however_long_it_is_refused(bench, virtual):
    """Its log is gone and its boot id is not. What it reports until it is past its old count was declared lost before."""

    async def scene():
        async with bench() as b:
            await told(b, 5)
            b.session.acknowledge(BOOT, 5)
            b.device.boots -= 1
            b.device.power_up()
            b.device.report(DoorClosed())
            await asyncio.sleep(3600)
            assert b.session.status.reason == "proto_counter_backwards"
            assert b.owner.bodies(events.EventsLost) == [lost(1, 5)]
            for _ in range(6):
                b.device.report(DoorClosed())
            await b.until_online(2)
            assert b.owner.bodies(events.EventsLost) == [lost(1, 5)]
            assert b.owner.counters == [(BOOT, n) for n in (1, 2, 3, 4, 5, 6, 7)]
            assert b.session.counters["opened"] > 700, "so often it was asked"

    virtual(scene())
