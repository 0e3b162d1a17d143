"""The worth of a poker hand: one whole number, larger is better, equal is a tie. The same for one deck and for many.

    value = category << 20 | five ranks of four bits each, the most telling first; 0 where nothing more counts

So two pairs, kings and nines with a four, is 0x2D9400. A rank is a number from 2 to 14; an ace that stands below a two
does not count, and the straight is called by its five.

The ranks of one deck stand in the same order among the seventeen of several decks (fast-action (c)(2)), so that a value
means the same in every game; of one deck the seven hands with cards of one rank and suit simply never come.
Within a category the cards that make it decide first, as each text shows by naming its highest and its lowest hand; then
the remaining cards, from the highest down: the first that is not in both hands decides (ma-uth 5(c), md-uth 6.E(1),
nj-pikit 39.4(d), fast-action (c)(3)). Suits never decide.

A hand is looked up by the sum of its cards' keys: three bits count each rank, four bits each suit. What a sum is worth is
worked out when it is first seen, so that nothing has to be built or loaded before the first hand.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final


class Category(IntEnum):
    """What a hand of five cards is, from the lowest. `SUPER_ROYAL` is of six cards (md-uth 6.F(8))."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIRS = 2
    THREE = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR = 7
    FLUSH_WITH_PAIR = 8
    FLUSH_WITH_TWO_PAIRS = 9
    FLUSH_WITH_THREE = 10
    FIVE = 11
    FLUSH_WITH_FULL_HOUSE = 12
    STRAIGHT_FLUSH = 13
    FLUSH_WITH_FOUR = 14
    ROYAL_FLUSH = 15
    FLUSH_WITH_FIVE = 16
    SUPER_ROYAL = 17


ACE: Final = 14
_C = Category
_ANY_SUIT = (_C.HIGH_CARD, _C.PAIR, _C.TWO_PAIRS, _C.THREE, _C.FULL_HOUSE, _C.FOUR, _C.FIVE)
_ONE_SUIT = (
    _C.FLUSH, _C.FLUSH_WITH_PAIR, _C.FLUSH_WITH_TWO_PAIRS, _C.FLUSH_WITH_THREE, _C.FLUSH_WITH_FULL_HOUSE,
    _C.FLUSH_WITH_FOUR, _C.FLUSH_WITH_FIVE,
)  # fmt: skip
_HIGHEST_FIRST = tuple(range(ACE, 1, -1))
_PLACES = (16, 12, 8, 4, 0)


def worth(category: IntEnum, *ranks: int) -> int:
    """The value of a hand, or the least value of all hands of that category that begin with these ranks.

    `worth(Category.PAIR, 10)` is below every pair of tens and above every pair of nines.
    """
    value = category << 20
    for rank, place in zip(ranks, _PLACES, strict=False):
        value |= rank << place
    return value


def category(value: int) -> Category:
    """What the hand is that has this value."""
    return Category(value >> 20)


def ranks(value: int) -> tuple[int, ...]:
    """The ranks that count in a value, the most telling first."""
    return tuple(rank for place in _PLACES if (rank := value >> place & 15))


def five(cards: Sequence[int]) -> int:
    """The value of exactly five cards, of one deck or of several."""
    a, b, c, d, e = cards
    key = _BIASED[a] + KEYS[b] + KEYS[c] + KEYS[d] + KEYS[e]
    return _of_suits(key, cards) if key & _FIVE_OF_A_SUIT else BY_RANKS[key >> 16]


def six(cards: Sequence[int]) -> int:
    """The value of the best five of exactly six cards."""
    a, b, c, d, e, f = cards
    key = _BIASED[a] + KEYS[b] + KEYS[c] + KEYS[d] + KEYS[e] + KEYS[f]
    return _of_suits(key, cards) if key & _FIVE_OF_A_SUIT else BY_RANKS[key >> 16]


def seven(cards: Sequence[int]) -> int:
    """The value of the best five of exactly seven cards."""
    a, b, c, d, e, f, g = cards
    key = _BIASED[a] + KEYS[b] + KEYS[c] + KEYS[d] + KEYS[e] + KEYS[f] + KEYS[g]
    return _of_suits(key, cards) if key & _FIVE_OF_A_SUIT else BY_RANKS[key >> 16]


def best_five(cards: Sequence[int]) -> int:
    """The value of the best five of five, six or seven cards. Raises `ValueError` for another number."""
    match len(cards):
        case 5:
            return five(cards)
        case 6:
            return six(cards)
        case 7:
            return seven(cards)
        case other:
            raise ValueError(f"a hand is made of five, six or seven cards, not of {other}")


def _of_suits(key: int, cards: Sequence[int]) -> int:
    """The value where five cards or more are of one suit: with several decks another hand may still be the better one."""
    suited = next(suit for suit in range(4) if key >> 4 * suit & 8)
    return max(BY_RANKS[key >> 16], BY_SUIT[sum(KEYS[card] for card in cards if card & 3 == suited) >> 16])


def _pattern(counts: Sequence[int], kinds: Sequence[Category]) -> int:
    """The best value by cards of equal rank. `counts`: by rank, 0 and 1 unused; `kinds`: from high card to five."""
    high, pair, two_pairs, three, full_house, four, five_ = kinds
    held = [rank for rank in _HIGHEST_FIRST if counts[rank]]
    most = sorted(held, key=lambda rank: min(counts[rank], 5), reverse=True)
    first, second = most[0], most[1] if len(most) > 1 else 0
    rest = [rank for rank in held if rank != first]
    match min(counts[first], 5):
        case 5:
            return worth(five_, first)
        case 4:
            return worth(four, first, rest[0])
        case 3 if counts[second] > 1:
            return worth(full_house, first, max(rank for rank in rest if counts[rank] > 1))
        case 3:
            return worth(three, first, *rest[:2])
        case 2 if counts[second] > 1:
            return worth(two_pairs, first, second, next(rank for rank in rest if rank != second))
        case 2:
            return worth(pair, first, *rest[:3])
        case _:
            return worth(high, *held[:5])


def _straight(counts: Sequence[int]) -> int:
    """The highest rank of five in a row, 0 for none; an ace may also stand below a two."""
    held = [bool(counts[ACE]), *(bool(count) for count in counts[2:])]
    return next((top + 1 for top in range(ACE - 1, 3, -1) if all(held[top - 4 : top + 1])), 0)


def counts_of(key: int) -> list[int]:
    """How often each rank is there, by rank; 0 and 1 unused."""
    return [0, 0, *(key >> 3 * rank & 7 for rank in range(13))]


class _ByRanks(dict[int, int]):
    """Best value by the ranks of a hand, of whatever suits."""

    def __missing__(self, key: int) -> int:
        counts = counts_of(key)
        value = max(_pattern(counts, _ANY_SUIT), worth(_C.STRAIGHT, _straight(counts)) if _straight(counts) else 0)
        self[key] = value
        return value


class _BySuit(dict[int, int]):
    """Best value by the ranks of five or more cards of one suit."""

    def __missing__(self, key: int) -> int:
        counts = counts_of(key)
        value = _pattern(counts, _ONE_SUIT)
        if top := _straight(counts):
            value = max(value, worth(_C.ROYAL_FLUSH if top == ACE else _C.STRAIGHT_FLUSH, top))
        self[key] = value
        return value


BY_RANKS: Final = _ByRanks()
BY_SUIT: Final = _BySuit()
KEYS: Final = [1 << 16 + 3 * (card >> 2) | 1 << 4 * (card & 3) for card in range(52)]
_BIASED: Final = [key + 0x3333 for key in KEYS]
"""The same and three of each suit, for one card of a hand: the fifth of a suit then carries into `_FIVE_OF_A_SUIT`."""
_FIVE_OF_A_SUIT: Final = 0x8888
