"""The waits between two openings of a port."""

import random

from hypothesis import given
from hypothesis import strategies as st

from drivers.session.backoff import Backoff


@given(st.integers())
def test_waits_double_to_five_seconds_within_a_fifth(seed):
    """0.25, 0.5, 1, 2, 4, 5, 5 ... each varied by at most 20 %, for ever."""
    backoff = Backoff(random.Random(seed))
    for middle in (0.25, 0.5, 1, 2, 4, 5, 5, 5, 5, 5):
        assert 0.8 * middle <= backoff.wait_s(0.0) <= 1.2 * middle


def test_neighbours_do_not_return_in_step():
    """The jitter is real: two devices with different seeds wait differently."""
    assert Backoff(random.Random(1)).wait_s(0.0) != Backoff(random.Random(2)).wait_s(0.0)


def test_only_thirty_seconds_online_start_it_small_again():
    """A device that boots in a loop, online for a moment each time, is not asked in a storm."""
    backoff = Backoff(random.Random(0))
    for _ in range(10):
        backoff.wait_s(29.9)
    assert backoff.wait_s(29.9) >= 4.0
    assert backoff.wait_s(30.0) <= 0.3
    assert backoff.wait_s(0.0) <= 0.6
    backoff.reset()
    assert backoff.wait_s(0.0) <= 0.3
