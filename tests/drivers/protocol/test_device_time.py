"""When something happened by a device's clock: the interval that is told holds the truth, and says nothing where it cannot."""

import random
from bisect import bisect
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.protocol.constants import CLOCK_DRIFT, CLOCK_KEPT
from drivers.protocol.device.link import DeviceLink
from drivers.protocol.host.device_time import DeviceTime, Interval, narrowest
from drivers.protocol.host.link import Failed, Online, Reported

HOURS = 3600.0
START_S = 1000.0


class Wandering:
    """A clock whose rate is another one each while, never further off than a device's may be."""

    def __init__(self, rng: random.Random, span_s: float, resolution_us: int = 1) -> None:
        count = 40
        rates = [1 + rng.uniform(-CLOCK_DRIFT, CLOCK_DRIFT) for _ in range(count)]
        if rng.random() < 0.3:
            rates = [1 + rng.choice((-1, 1)) * CLOCK_DRIFT] * count  # as far off as it may be, all the time
        self._at = [START_S + n * span_s / count for n in range(count)]
        gone = [0.0, *accumulate((b - a) * r for a, b, r in zip(self._at, self._at[1:], rates, strict=False))]
        offset_s = rng.uniform(0, 1e5)
        self._read, self._rates = [offset_s + seconds for seconds in gone], rates
        self._resolution_us = resolution_us

    def tick_us(self, at_s: float) -> int:
        n = max(0, bisect(self._at, at_s) - 1)
        seconds = self._read[n] + (at_s - self._at[n]) * self._rates[n]
        return int(seconds * 1e6) // self._resolution_us * self._resolution_us


def echoed(time, clock, rng, begin_s, end_s, period_s=1.0):
    """PINGs over a line that is slow now one way, now the other."""
    now = begin_s
    while now < end_s:
        there, back = rng.uniform(0.0002, 0.05), rng.uniform(0.0002, 0.05)
        time.echo(now, now + there + back, clock.tick_us(now + there))
        now += period_s


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1_000_000, 1_000]), st.floats(10, 6 * HOURS))
def test_the_interval_holds_the_truth_however_the_clock_wanders_and_however_late_it_is_asked(
    seed, tick_hz, outage_s
):
    """Live, in an outage of hours between two links, and from before the first echo that is still known."""
    rng = random.Random(seed)
    clock = Wandering(rng, 600 + outage_s, 1_000_000 // tick_hz)
    before, after = DeviceTime(1, tick_hz), DeviceTime(1, tick_hz)
    end_s = START_S + 300
    echoed(before, clock, rng, START_S, end_s)
    again_s = end_s + outage_s
    echoed(after, clock, rng, again_s, again_s + 60)
    assert before.broken == after.broken == 0
    for happened_s in (rng.uniform(START_S, again_s + 60) for _ in range(50)):
        intervals = [t.interval(clock.tick_us(happened_s)) for t in (before, after)]
        found = narrowest(intervals)
        assert found.low <= happened_s <= found.high
        kept = ((end_s - CLOCK_KEPT, end_s), (again_s + 60 - CLOCK_KEPT, again_s + 60))
        distance_s = min(max(first - happened_s, happened_s - last, 0.0) for first, last in kept)
        assert found.high - found.low < 0.2 + 2 / tick_hz + 4.2 * CLOCK_DRIFT * (distance_s + 1), "and is of use"


def test_a_live_report_is_told_to_within_the_line():
    """An echo each second over a line of 4 ms: some milliseconds, and the drift of one second."""
    time = DeviceTime(1, 1_000_000)
    for n in range(40):
        time.echo(START_S + n, START_S + n + 0.004, round((START_S + n + 0.002) * 1e6))
    low, high = time.interval(round((START_S + 40) * 1e6))
    assert low <= START_S + 40 <= high
    assert high - low < 0.007


def test_nothing_is_told_before_the_first_echo():
    """Rather nothing than a number without a ground."""
    assert DeviceTime(1, 1000).interval(5) is None


@pytest.mark.parametrize("leap_s", [0.5, 3600.0])
def test_a_clock_that_leapt_is_known_anew(leap_s):
    """What was known before the leap would put everything after it in a wrong place, or nowhere."""
    time = DeviceTime(1, 1_000_000)
    for n in range(20):
        leap = leap_s if n >= 10 else 0.0
        time.echo(START_S + n, START_S + n + 0.004, round((n + 0.002 + leap) * 1e6))
    assert time.broken == 1
    low, high = time.interval(round((20 + leap_s) * 1e6))
    assert low <= START_S + 20 <= high


def test_a_clock_that_runs_as_none_may_is_not_believed_for_long():
    """Each echo contradicts the one before; what is told holds from the newest one on, and no further."""
    time = DeviceTime(1, 1_000_000)
    for n in range(30):
        time.echo(START_S + n, START_S + n + 0.002, round(n * 1.05 * 1e6))
    assert time.broken == 29


def test_what_contradicts_itself_is_nothing():
    """No interval, no error of less than nothing."""
    assert narrowest([]) is None
    assert narrowest([Interval(1, 2), Interval(3, 4)]) is None
    assert narrowest([Interval(1, 3), Interval(2, 4)]) == Interval(2, 3)


# --- of a link ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_every_report_of_a_link_has_its_time_also_from_the_log(make_world, seed):
    """A device whose clock drifts as far as it may reports at once and during an outage; both are told truly."""
    rng = random.Random(seed)
    rate = 1 + rng.choice((-1, 1)) * CLOCK_DRIFT * 0.98
    world = make_world(seed)
    begun_s = world.now

    def drifted_us():
        return max(0, int((world.now - begun_s) * rate * 1e6))

    class Drifting(DeviceLink):
        def _pong(self, nonce, seq):
            self._epoch_s = self._now - drifted_us() / 1e6
            super()._pong(nonce, seq)

    world.device.__class__ = Drifting
    for line in (world.to_device, world.to_host):
        line.faults = lambda frame: [(rng.uniform(0.001, 0.03), frame)]
    truth, links = {}, []

    def report():
        world.report()
        boot, counter = world.dealt[-1]
        told_us = drifted_us()
        record = world.device._log._records[boot, counter]
        world.device._log._records[boot, counter] = record.__class__(counter, told_us, record.report)
        truth[counter] = world.now

    links.append(world.connect())
    assert world.run(5.0, until=lambda: world.of(Online))
    world.run(10.0)
    world.host = None  # an outage, in which ten reports are made
    for _ in range(10):
        world.run(rng.uniform(1, 600))
        report()
    links.append(world.connect())
    assert world.run(10.0, until=lambda: len(world.of(Reported)) == 10), world.of(Failed)
    world.run(5.0)
    for told in world.of(Reported):
        found = narrowest(link.time.interval(told.tick_us) for link in links)
        assert found.low <= truth[told.counter] <= found.high
