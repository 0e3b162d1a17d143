"""The worth of three cards, where a document ranks them: as in `ranking`, one whole number, larger is better.

Of three cards a straight outranks a flush, and three of a kind outrank both (nj-pikit 39.4(c)). The categories begin at
32, so that a value says by itself whether it is one of three cards or of five; the two are never compared.
"""

from collections.abc import Sequence
from enum import IntEnum
from itertools import combinations

from controller.cards.ranking import ACE, KEYS, ranks_of, worth


class ThreeCard(IntEnum):
    """The categories of a hand of three cards, from the lowest."""

    HIGH_CARD = 32
    PAIR = 33
    FLUSH = 34
    STRAIGHT = 35
    THREE = 36
    STRAIGHT_FLUSH = 37
    ROYAL_FLUSH = 38


def three(cards: Sequence[int]) -> int:
    """Returns the value of exactly three cards of one deck (nj-pikit 39.4(c), (d)). An ace may stand below two and
    three."""
    a, b, c = cards
    key = KEYS[a] + KEYS[b] + KEYS[c]
    try:
        return _VALUES[key]
    except KeyError:
        return _value(key)


def best_three(cards: Sequence[int]) -> int:
    """Returns the value of the best three of the cards."""
    return max(map(three, combinations(cards, 3)))


def best_three_cards(cards: Sequence[int]) -> tuple[int, ...]:
    """Returns three cards that make the best value; of several the first in the given order."""
    return max(combinations(cards, 3), key=three)


def three_of_a_kind(cards: Sequence[int]) -> bool:
    """Returns True if exactly three cards are of one rank (ma-colorado 3(c)(2))."""
    return three(cards) >> 20 == ThreeCard.THREE


def three_straight_flush(cards: Sequence[int]) -> bool:
    """Returns True if exactly three cards are of one suit and consecutive (ma-colorado 3(c)(1)).

    Ace, two and three count here, though the text is silent on them; `ace_two_three` finds that case.
    """
    return three(cards) >> 20 in (ThreeCard.STRAIGHT_FLUSH, ThreeCard.ROYAL_FLUSH)


def ace_two_three(cards: Sequence[int]) -> bool:
    """Returns True if three cards are an ace, a two and a three."""
    return sorted(card >> 2 for card in cards) == [0, 1, ACE - 2]


def _value(key: int) -> int:
    """Returns the value of the cards with this sum of keys, cached."""
    high, middle, low = (rank for rank, count in ranks_of(key) for _ in range(count))
    flush = key >> 39 in _THREE_OF_A_SUIT
    if top := _top_of_run(high, middle, low):
        run = ThreeCard.ROYAL_FLUSH if top == ACE else ThreeCard.STRAIGHT_FLUSH
        value = worth(run if flush else ThreeCard.STRAIGHT, top)
    elif high == low:
        value = worth(ThreeCard.THREE, high)
    elif middle in (high, low):
        value = worth(ThreeCard.PAIR, middle, low if middle == high else high)
    else:
        value = worth(ThreeCard.FLUSH if flush else ThreeCard.HIGH_CARD, high, middle, low)
    _VALUES[key] = value
    return value


def _top_of_run(high: int, middle: int, low: int) -> int:
    """Returns the highest rank of three in a row, 0 = none."""
    if (high, middle, low) == (ACE, 3, 2):
        return 3
    return high if (high - middle, middle - low) == (1, 1) else 0


_THREE_OF_A_SUIT = (0x3, 0x30, 0x300, 0x3000)
_VALUES: dict[int, int] = {}
