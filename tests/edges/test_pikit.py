"""Pik-it's dealer's hands, counted one by one for some hands of a player and held against inclusion and exclusion."""

import numpy as np
import pytest

from tests.edges import pikit

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]


def test_hands_that_do_not_qualify_and_beat_three_cards():
    """What an ante beside a Play 3 keeps where it pushes below such a hand. Clause: nj-pikit 39.10(f), R-189."""
    hands, five = pikit.all_hands(), pikit.Small(5)
    by5, by3 = five.of(hands), pikit.best_three(hands)
    closed = by5 < five.order.index(pikit.QUALIFIES)
    for number in (100, 1_234_567):
        free = ~np.isin(hands, hands[number]).any(axis=1)
        assert free.sum() == pikit.DEALERS
        plain = (free & closed & (by3 <= by3[number])).sum()
        _, upto = pikit._below(hands[closed], by3[closed], hands[number : number + 1], by3[number : number + 1])
        assert upto[0] == plain > 0
