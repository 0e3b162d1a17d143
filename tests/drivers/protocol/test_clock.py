"""The rate of a device's clock as it is told to people: from echoes, and of what is a clock at all."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.protocol.constants import CLOCK_SAMPLES
from drivers.protocol.host.clock import DeviceClock
from drivers.protocol.host.link import Online


def echoes(clock, count, *, rate=1.0, offset_s=5.0, start_s=1000.0, period_s=1.0, rtt=lambda: (0.004, 0.004)):
    """Feeds echoes of a device whose clock is `rate` times ours and `offset_s` ahead at 0."""
    now = start_s
    for _ in range(count):
        there, back = rtt()
        clock.sample(now, now + there + back, round((offset_s + rate * (now + there)) * 1e6))
        now += period_s
    return now


@settings(max_examples=60, deadline=None)
@given(st.floats(0.9, 1.1), st.floats(0, 1e6), st.integers(0, 2**32))
def test_the_rate_that_is_told_is_near_the_true_one(rate, offset_s, seed):
    """For any speed and offset, with a line that is slower one way than the other, by chance each time."""
    rng = random.Random(seed)
    clock = DeviceClock()
    echoes(
        clock, 120, rate=rate, offset_s=offset_s, rtt=lambda: (rng.uniform(0.001, 0.02), rng.uniform(0.001, 0.02))
    )
    assert clock.reading().rate == pytest.approx(rate, abs=0.003)


def test_eight_quick_echoes_are_enough_to_begin_with():
    """They come within half a second of the start."""
    clock = DeviceClock()
    assert clock.reading() is None
    echoes(clock, CLOCK_SAMPLES, period_s=0.05)
    assert clock.reading().rate == pytest.approx(1.0, abs=1e-4)
    assert clock.reading().samples == CLOCK_SAMPLES


def test_an_echo_that_took_long_is_left_out():
    """Where in a long round trip the tick was taken nobody knows."""
    clock = DeviceClock()
    now = echoes(clock, 20)
    before = clock.reading()
    clock.sample(now, now + 0.9, round((5.0 + now + 0.9) * 1e6))
    assert clock.reading() == before


def test_a_line_that_became_slower_is_believed_after_a_while():
    """Else one quick echo at the start would leave every later one out."""
    clock = DeviceClock()
    now = echoes(clock, 20)
    echoes(clock, 60, start_s=now, rtt=lambda: (0.02, 0.02))
    assert clock.reading().samples > 60


def test_an_echo_that_took_no_time_leaves_the_others_in():
    """Where both ends are one process, or the clock is coarse."""
    clock = DeviceClock()
    now = echoes(clock, 3, rtt=lambda: (0.0, 0.0))
    echoes(clock, 20, start_s=now, rtt=lambda: (0.00005, 0.00005))
    assert clock.reading().samples == 23


def test_a_clock_that_leaps_is_known_anew_and_counted():
    """The estimate does not bend for minutes between before and after."""
    clock = DeviceClock()
    now = echoes(clock, 60)
    echoes(clock, 12, start_s=now, offset_s=65.0)
    assert clock.jumps == 1
    assert clock.reading().rate == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("ticks", [[7] * 40, list(range(40, 0, -1)), [0] * 20 + [2**63] * 20, [1, 2**64 - 1] * 20])
def test_nonsense_for_a_clock_breaks_nothing(ticks):
    """One that stands still, runs backwards, or leaps about for ever."""
    clock = DeviceClock()
    for second, tick in enumerate(ticks):
        clock.sample(second, second + 0.01, tick)
        reading = clock.reading()
        assert reading is None or 0.5 <= reading.rate <= 2.0


def test_a_session_knows_the_clock_half_a_second_after_its_start(make_world):
    """The first eight PINGs follow each other quickly; then one each second."""
    world = make_world()
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Online))
    world.run(0.6)
    counters = world.host.counters
    assert 0 < counters["clock_error_us"] <= 1500
    assert counters["clock_contradicted"] == 0
    assert abs(counters["clock_ppm"]) < 5000
    sent = len(world.to_device.sent)
    world.run(10.0)
    assert len(world.to_device.sent) - sent <= 12


def test_a_pause_of_our_own_loop_does_not_move_the_clock(world_online):
    """Its PINGs under way are given more time; as measurements they are worth nothing."""
    world = world_online
    world.run(60.0)
    before = world.host.counters["clock_ppm"]
    for _ in range(5):
        world.run(0.9995)
        world.now += 0.4
        world.host.extend_deadlines(0.4)
        world.run(3.0)
    assert abs(world.host.counters["clock_ppm"] - before) < 200
    assert world.host.counters["clock_jumps"] == 0


@pytest.fixture
def world_online(make_world):
    world = make_world()
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Online))
    return world
