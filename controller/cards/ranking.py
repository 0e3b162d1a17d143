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


class Category(IntEnum):
    """The categories of a hand of five cards, from the lowest. `SUPER_ROYAL`: of six cards (md-uth 6.F(8))."""

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


ACE = 14
_C = Category
_ANY_SUIT = (_C.HIGH_CARD, _C.PAIR, _C.TWO_PAIRS, _C.THREE, _C.FULL_HOUSE, _C.FOUR, _C.FIVE)
_ONE_SUIT = (
    _C.FLUSH, _C.FLUSH_WITH_PAIR, _C.FLUSH_WITH_TWO_PAIRS, _C.FLUSH_WITH_THREE, _C.FLUSH_WITH_FULL_HOUSE,
    _C.FLUSH_WITH_FOUR, _C.FLUSH_WITH_FIVE,
)  # fmt: skip
_PLACES = (16, 12, 8, 4, 0)


def worth(category: IntEnum, *ranks: int) -> int:
    """Returns the least value of all hands of this category that begin with these ranks.

    `worth(Category.PAIR, 10)` is below every pair of tens and above every pair of nines.
    """
    value = category << 20
    for rank, place in zip(ranks, _PLACES, strict=False):
        value |= rank << place
    return value


def ranks(value: int) -> tuple[int, ...]:
    """Returns the ranks that count in a value, the most telling first."""
    return tuple(rank for place in _PLACES if (rank := value >> place & 15))


def five(cards: Sequence[int]) -> int:
    """Returns the value of exactly five cards, of one deck or several."""
    a, b, c, d, e = cards
    key = (_FIRST[a] + KEYS[b]) + (KEYS[c] + KEYS[d]) + KEYS[e]
    if key >> 42 & 0x1111:
        return _suited(key, cards)
    try:
        return _BY_RANKS[key & RANKS]
    except KeyError:
        return by_ranks(key & RANKS)


def six(cards: Sequence[int]) -> int:
    """Returns the value of the best five of exactly six cards."""
    a, b, c, d, e, f = cards
    key = (_FIRST[a] + KEYS[b]) + (KEYS[c] + KEYS[d]) + (KEYS[e] + KEYS[f])
    if key >> 42 & 0x1111:
        return _suited(key, cards)
    try:
        return _BY_RANKS[key & RANKS]
    except KeyError:
        return by_ranks(key & RANKS)


def seven(cards: Sequence[int]) -> int:
    """Returns the value of the best five of exactly seven cards."""
    a, b, c, d, e, f, g = cards
    key = (_FIRST[a] + KEYS[b]) + (KEYS[c] + KEYS[d]) + (KEYS[e] + KEYS[f]) + KEYS[g]
    if key >> 42 & 0x1111:
        return _suited(key, cards)
    try:
        return _BY_RANKS[key & RANKS]
    except KeyError:
        return by_ranks(key & RANKS)


def best_five(cards: Sequence[int]) -> int:
    """Returns the value of the best five of five, six or seven cards. Raises `ValueError` for another number."""
    match len(cards):
        case 5:
            return five(cards)
        case 6:
            return six(cards)
        case 7:
            return seven(cards)
        case other:
            raise ValueError(f"a hand is made of five, six or seven cards, not of {other}")


def by_ranks(key: int) -> int:
    """Returns the value of the best five by ranks alone. `key`: sum of `KEYS` of five to seven cards, ranks only."""
    value = _BY_RANKS.get(key)
    if value is None:
        value = _BY_RANKS[key] = max(_pattern(key, _ANY_SUIT), _run(key, _C.STRAIGHT, _C.STRAIGHT))
    return value


def by_suit(key: int) -> int:
    """Returns the value of five cards or more that are all of one suit. `key`: sum of `KEYS`, ranks only."""
    value = _BY_SUIT.get(key)
    if value is None:
        value = _BY_SUIT[key] = max(_pattern(key, _ONE_SUIT), _run(key, _C.STRAIGHT_FLUSH, _C.ROYAL_FLUSH))
    return value


def ranks_of(key: int) -> list[tuple[int, int]]:
    """Returns the ranks in a sum of `KEYS`, the highest first, each with its count."""
    return [(rank, count) for rank in range(ACE, 1, -1) if (count := key >> 3 * rank - 6 & 7)]


def _suited(key: int, cards: Sequence[int]) -> int:
    """Returns the value if five cards or more share a suit; with several decks another hand may be better."""
    suit = _SUIT[key >> 42 & 0x1111]
    held = 0
    for card in cards:
        if card & 3 == suit:
            held += KEYS[card]
    return max(by_ranks(key & RANKS), by_suit(held & RANKS))


def _pattern(key: int, kinds: Sequence[Category]) -> int:
    """Returns the best value by cards of equal rank. `kinds`: from high card to five of a kind."""
    high, pair, two_pairs, three, full_house, four, five_ = kinds
    held = ranks_of(key)
    often = sorted(((min(count, 5), rank) for rank, count in held if count > 1), reverse=True)
    made = [rank for _, rank in often[:2]]
    match [count for count, _ in often]:
        case []:
            return worth(high, *(rank for rank, _ in held[:5]))
        case [5, *_]:
            return worth(five_, made[0])
        case [4, *_]:
            return worth(four, made[0], *_others(held, made[:1], 1))
        case [3]:
            return worth(three, made[0], *_others(held, made, 2))
        case [3, *_]:
            return worth(full_house, *made)
        case [2]:
            return worth(pair, made[0], *_others(held, made, 3))
        case _:
            return worth(two_pairs, *made, *_others(held, made, 1))


def _others(held: Sequence[tuple[int, int]], made: Sequence[int], count: int) -> list[int]:
    """Returns the highest ranks beside those that make the hand."""
    return [rank for rank, _ in held if rank not in made][:count]


def _run(key: int, straight: Category, royal: Category) -> int:
    """Returns the highest five ranks in a row, 0 = none; an ace may stand below a two."""
    held = (key | key >> 1 | key >> 2) & _ONE_OF_EACH
    held = held << 3 | held >> 3 * (ACE - 2)
    lowest = ((held & held >> 3 & held >> 6 & held >> 9 & held >> 12).bit_length() + 2) // 3
    if not lowest:
        return 0
    top = lowest + 4
    return worth(royal if top == ACE else straight, top)


KEYS = [1 << 3 * (card >> 2) | 1 << 39 + 4 * (card & 3) for card in range(52)]
"""What each card adds to the sum of a hand: one to the three bits of its rank, one to the four bits of its suit."""
RANKS = (1 << 39) - 1
"""The part of a sum that counts ranks."""
_ONE_OF_EACH = sum(1 << 3 * place for place in range(13))
"""A sum of ranks with one card of each."""
_FIRST = [key + (0x3333 << 39) for key in KEYS]
"""The key of one card of a hand: with three more of each suit the fifth of a suit carries into the suit's highest bit."""
_SUIT = {0x1: 0, 0x10: 1, 0x100: 2, 0x1000: 3}
_BY_RANKS: dict[int, int] = {}
_BY_SUIT: dict[int, int] = {}
