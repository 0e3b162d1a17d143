"""The evidence with each report: when it happened and how sure that is, over links, outages and boots."""

import asyncio

import pytest

from drivers.protocol.host.device_time import DeviceTime
from drivers.protocol.host.link import Reported
from drivers.protocol.reports import DoorOpened
from drivers.session import pump
from drivers.session.origins import LINKS_KEPT, Asleep, Origins, hash_words


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


SLEPT_S = 600.0


@pytest.mark.parametrize("happened_s", [150.0, 500.0, 790.0])
def test_a_sleep_of_this_machine_lies_between_what_was_known_before_and_after(happened_s):
    """It slept from 200 to 800 by the devices' clocks, while its own said 200: what happened lies back by real time."""
    origins = Origins()
    origins.keep(heard(at_s=100.0), Asleep(0.0, 0.0))
    after = DeviceTime(1, 1_000_000)
    after.echo(210.0, 210.01, round((210.005 + SLEPT_S) * 1e6))
    now = 211.0
    told = origins.of(report(happened_s), None, after, now, sealed=False, asleep=Asleep(SLEPT_S, SLEPT_S))
    before_now_s = now + SLEPT_S - happened_s
    assert abs(now - told.happened_ns / 1e9 - before_now_s) <= told.error_ns / 1e9 < 0.4


def test_a_sleep_that_fits_into_what_clocks_may_drift_is_no_drift():
    """Five seconds in an hour without a link: the echoes before and after contradict each other in nothing."""
    origins = Origins()
    origins.keep(heard(at_s=100.0, count=60), Asleep(30.0, 30.0))
    after = DeviceTime(1, 1_000_000)
    after.echo(3700.0, 3700.01, round(3705.005 * 1e6))
    asleep = Asleep(35.0, 35.0)
    for happened_s in (161.0, 3704.0):
        told = origins.of(report(happened_s), None, after, 3701.0, sealed=False, asleep=asleep)
        before_now_s = 3706.0 - happened_s
        assert abs(3701.0 - told.happened_ns / 1e9 - before_now_s) <= told.error_ns / 1e9


def test_short_sleeps_within_a_link_make_its_echoes_less_sure():
    """Each was too short to end the link; which echo came before which of them, nobody knows any more."""
    told = Origins().of(report(100.5), None, heard(at_s=100.0), 102.0, sealed=False, asleep=Asleep(0.0, 0.8))
    low_s, high_s = (told.happened_ns - told.error_ns) / 1e9, (told.happened_ns + told.error_ns) / 1e9
    assert low_s < 99.71
    assert 100.5 < high_s < 100.6


def test_clocks_that_were_read_apart_are_read_again(monkeypatch):
    """Somebody else had the processor between the two: that is no sleep."""
    pauses = iter([400_000_000, 0])
    at_ns = [7_000_000_000]

    def mono():
        at_ns[0] += 1_000
        return at_ns[0]

    def boot(_):
        found = at_ns[0] + 30_000_000_000
        at_ns[0] += next(pauses)
        return found

    monkeypatch.setattr(pump.time, "monotonic_ns", mono)
    monkeypatch.setattr(pump.time, "clock_gettime_ns", boot)
    assert abs(pump.asleep_s() - 30.0) < 1e-5
    assert next(pauses, None) is None


def test_what_was_reported_before_this_machine_slept_is_told_by_real_time(bench, virtual, monkeypatch):
    """The cable is out, a door opens, the machine sleeps, the cable is in again: the report lies back by the sleep as well."""
    asleep = [0.0]
    monkeypatch.setattr(pump, "asleep_s", lambda: asleep[0])

    async def scene():
        async with bench() as b:
            b.owner.on_delivery = lambda d: d.origin and b.session.acknowledge(d.origin.boot, d.origin.counter)
            await b.until_online()
            await asyncio.sleep(5.0)
            await b.unplug()
            await asyncio.sleep(2.0)
            happened_s = now()
            b.device.link.report(DoorOpened(), round(happened_s * 1e6))
            asleep[0] += SLEPT_S
            b.device.link._epoch_s -= SLEPT_S
            await asyncio.sleep(2.0)
            await b.plug()
            await b.until_online(times=2)
            (told,) = [d.origin for d in b.owner.deliveries if d.origin]
            assert abs(told.happened_ns - (happened_s - SLEPT_S) * 1e9) <= told.error_ns < 0.1 * 10**9

    virtual(scene())


def test_a_device_without_a_clock_of_its_own_has_no_time_of_its_own():
    """Its lines are stamped here when they come; when they were sent nobody knows."""
    told = Origins().of(report(100.0), None, None, 101.0, sealed=False)
    assert (told.happened_ns, told.error_ns) == (None, None)
