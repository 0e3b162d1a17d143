"""The evidence with each report: when it happened and how sure that is, over links, outages and boots."""

import asyncio

from drivers import pump
from drivers.device import SessionState
from drivers.errors import Fault
from drivers.origins import LINKS_KEPT, Origins, hash_words
from drivers.protocol.device_time import DeviceTime
from drivers.protocol.host import Reported
from drivers.protocol.reports import DoorOpened


def now():
    return asyncio.get_running_loop().time()


def heard(boot=1, at_s=100.0, count=1):
    """What a link knows of a clock that reads the host's time."""
    time = DeviceTime(boot, 1_000_000)
    for n in range(count):
        time.echo(at_s + n, at_s + n + 0.01, round((at_s + n + 0.005) * 1e6))
    return time


def report(tick_s, boot=1, counter=1):
    return Reported(boot, counter, round(tick_s * 1e6), DoorOpened(), from_log=False)


def test_links_before_and_after_an_outage_tell_together():
    """What happened an hour from either is known to within the drift of an hour, and not of two."""
    origins = Origins()
    origins.keep(heard(at_s=100.0))
    after = heard(at_s=7300.0)
    both = origins.of(report(3700.0), None, after, 7400.0, sealed=True)
    alone = Origins().of(report(100.5), None, after, 7400.0, sealed=True)
    assert abs(both.happened_ns - 3700 * 10**9) <= both.error_ns < 3.7 * 10**9
    assert abs(alone.happened_ns - 100.5 * 10**9) <= alone.error_ns
    assert alone.error_ns > 7 * 10**9


def test_a_former_boot_is_told_by_the_link_that_heard_it():
    """Its clock began at another moment; the present one says nothing of it."""
    origins = Origins()
    origins.keep(heard(boot=1, at_s=100.0))
    told = origins.of(report(101.0, boot=1), None, heard(boot=2, at_s=500.0), 600.0, sealed=False)
    assert abs(told.happened_ns - 101 * 10**9) <= told.error_ns < 10**8
    assert Origins().of(report(101.0, boot=1), None, heard(boot=2), 600.0, sealed=False).happened_ns is None


def test_nothing_is_told_to_have_happened_after_it_came_in():
    """The end of the interval is cut there; a tick from after it is a lie, and nothing is told."""
    cut = Origins().of(report(160.0), None, heard(at_s=100.0), 160.0, sealed=False)
    assert cut.happened_ns + cut.error_ns <= 160 * 10**9 + 2
    assert Origins().of(report(500.0), None, heard(at_s=100.0), 160.0, sealed=False).happened_ns is None


def test_former_links_are_bounded_and_empty_ones_are_not_kept():
    """A line that breaks for ever must neither fill the memory nor push out what is known."""
    origins = Origins()
    origins.keep(heard(at_s=100.0))
    for _ in range(100):
        origins.keep(DeviceTime(1, 1_000_000))
        origins.keep(None)
    assert origins.of(report(101.0), None, None, 200.0, sealed=False).error_ns < 10**8
    for n in range(LINKS_KEPT):
        origins.keep(heard(boot=2, at_s=200.0 + n))
    assert origins.of(report(101.0), None, None, 300.0, sealed=False).happened_ns is None


def test_zeros_are_no_hash():
    """A device that does not tell one."""
    assert hash_words(bytes(32)) is None
    assert hash_words(bytes(31) + b"\1") == "00" * 31 + "01"


def test_each_report_of_a_session_says_when_it_happened(bench, virtual):
    """At once over a live line; and what was reported in an outage says so as well, although it comes minutes later."""

    async def scene():
        async with bench() as b:
            b.owner.on_delivery = lambda d: d.origin and b.session.acknowledge(d.origin.boot, d.origin.counter)
            await b.until_online()
            await asyncio.sleep(5.0)
            truth = [now()]
            b.device.link.report(DoorOpened(), round(now() * 1e6))
            b.device._settle()
            await b.until(lambda: len(b.owner.counters) == 1, 2.0)
            await b.unplug()
            for _ in range(5):
                await asyncio.sleep(60.0)
                truth.append(now())
                b.device.link.report(DoorOpened(), round(now() * 1e6))
            await asyncio.sleep(60.0)
            await b.plug()
            await b.until_online(times=2)
            origins = [d.origin for d in b.owner.deliveries if d.origin]
            assert len(origins) == 6
            for origin, at_s in zip(origins, truth, strict=True):
                assert abs(origin.happened_ns - at_s * 1e9) <= origin.error_ns < 0.4 * 10**9
                assert origin.sealed is False
            assert origins[0].error_ns < 0.01 * 10**9

    virtual(scene())


def test_a_machine_that_slept_knows_no_clock_any_more(bench, virtual, monkeypatch):
    """Its own clock stood still meanwhile: what it knew from before would be wrong by as long as it slept."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            await asyncio.sleep(2.0)
            before = b.session._pump.link.time
            asleep_s = pump.asleep_s
            monkeypatch.setattr(pump, "asleep_s", lambda: asleep_s() + 100)
            await b.until(lambda: b.session.state is SessionState.ABSENT, 5.0)
            assert b.session.status.reason == Fault.HOST_SUSPENDED
            assert before.interval(0) is not None
            assert not b.session._origins._former

    virtual(scene())


def test_a_device_without_a_clock_of_its_own_has_no_time_of_its_own():
    """Its lines are stamped here when they come; when they were sent nobody knows."""
    told = Origins().of(report(100.0), None, None, 101.0, sealed=False)
    assert (told.happened_ns, told.error_ns) == (None, None)
