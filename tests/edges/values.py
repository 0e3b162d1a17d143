"""Values of many hands at once, by look-up: the arithmetic of the house edge, and a second opinion on `controller.cards`.

Written apart from the ranking that the daemon uses, so that a mistake in one is seen against the other. A card is
`4 * rank + suit`, rank 0 a two and 12 an ace.
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

KEYS = np.array([0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181], dtype=np.int64)
"""Additive keys: each multiset of up to seven ranks, at most four of each, has its own sum."""
ROYAL = (8, 12)
CARD_KEY = KEYS[np.arange(52) >> 2]
CARD_BIT = (1 << (np.arange(52) >> 2)).astype(np.int64)
FIRST, SECOND = np.triu_indices(47, 1)
"""The 1,081 hands of two of the 47 cards that a board leaves, by the places of their cards."""
HOLE = 52 * 52
"""Indices of a hand of two, `52 * lower + higher`."""
STARTS = 169
SUITINGS = tuple(itertools.permutations(range(4)))
RENAMED = np.array([[card >> 2 << 2 | names[card & 3] for card in range(52)] for names in SUITINGS])


def straight(mask: int) -> int:
    """Highest rank of a straight in a mask of ranks, -1 where there is none; the ace also lies below the two."""
    wheel = mask << 1 | mask >> 12 & 1
    return next((top - 1 for top in range(13, 3, -1) if wheel >> (top - 4) & 31 == 31), -1)


def of_counts(counts: Counter[int]) -> tuple[int, ...]:
    """Value of the best five cards of a multiset of ranks that makes no flush: category 0 to 7, then what breaks ties."""
    by = sorted(counts, key=lambda rank: (-counts[rank], -rank))

    def rest(used: Sequence[int], many: int) -> list[int]:
        return sorted((rank for rank in counts if rank not in used), reverse=True)[:many]

    top = straight(sum(1 << rank for rank in counts))
    most, second = counts[by[0]], counts[by[1]] if len(by) > 1 else 0
    if most >= 4:
        return (7, by[0], *rest(by[:1], 1))
    if most == 3 and second >= 2:
        return (6, by[0], max(rank for rank in by[1:] if counts[rank] >= 2))
    if top >= 0:
        return (4, top)
    if most == 3:
        return (3, by[0], *rest(by[:1], 2))
    if second == 2:
        return (2, by[0], by[1], *rest(by[:2], 1))
    return (1, by[0], *rest(by[:1], 3)) if most == 2 else (0, *rest([], 5))


def of_flush(mask: int) -> tuple[int, ...]:
    """Value of the best five cards of one suit, by a mask of their ranks: category 5, or 8 for a straight flush."""
    top = straight(mask)
    return (8, top) if top >= 0 else (5, *[rank for rank in range(12, -1, -1) if mask >> rank & 1][:5])


class Values:
    """Tables for hands of `size` cards, 5 to 7, of one deck. Values are dense from 0, `order` says what each is.

    `rank[sum of CARD_KEY]` where there is no flush, `flush[mask of the suit]` or -1; `category[value]`, 9 = royal flush.
    """

    def __init__(self, size: int) -> None:
        by_sum = {
            sum(int(KEYS[rank]) for rank in ranks): of_counts(counts)
            for ranks in itertools.combinations_with_replacement(range(13), size)
            if max((counts := Counter(ranks)).values()) <= 4
        }
        by_mask = {mask: of_flush(mask) for mask in range(1 << 13) if 5 <= mask.bit_count() <= size}
        self.order = sorted({*by_sum.values(), *by_mask.values()})
        dense = {value: number for number, value in enumerate(self.order)}
        self.rank = np.zeros(max(by_sum) + 1, dtype=np.int64)
        self.rank[np.fromiter(by_sum, np.int64)] = [dense[value] for value in by_sum.values()]
        self.flush = np.full(1 << 13, -1, dtype=np.int64)
        self.flush[np.fromiter(by_mask, np.int64)] = [dense[value] for value in by_mask.values()]
        self.category = np.array([9 if value == ROYAL else value[0] for value in self.order])

    def of(self, cards: Ints) -> Ints:
        """Values of many hands, one a row."""
        values = self.rank[CARD_KEY[cards].sum(axis=1)]
        bits, suits = CARD_BIT[cards], cards & 3
        for suit in range(4):
            rows = np.flatnonzero((suits == suit).sum(axis=1) >= 5)
            values[rows] = self.flush[np.where(suits[rows] == suit, bits[rows], 0).sum(axis=1)]
        return values


@cache
def hole_class() -> Ints:
    """The starting hand of two cards as one of 169, by their index `52 * lower + higher`."""
    names = np.zeros(HOLE, np.int64)
    for low, high in itertools.combinations(range(52), 2):
        x, y = low >> 2, high >> 2
        names[low * 52 + high] = y * 13 + x if low & 3 == high & 3 else x * 13 + y
    return names


def alike(hands: Ints) -> tuple[Ints, Ints]:
    """For hands of so many cards, one a row: the number of the hand that stands for all that differ by the names of suits
    alone, its rising cards as digits of base 52, and by which of `SUITINGS` it comes of this one."""
    named = np.sort(RENAMED[:, hands], axis=2)
    keys = np.zeros(named.shape[:2], np.int64)
    for column in range(named.shape[2]):
        keys = keys * 52 + named[:, :, column]
    return keys.min(axis=0), keys.argmin(axis=0)


@cache
def canonical(size: int) -> list[tuple[tuple[int, ...], int]]:
    """One hand of each class that a renaming of the suits makes, with the number of hands in it."""
    hands, keys = itertools.combinations(range(52), size), []
    while piece := list(itertools.islice(hands, 1 << 17)):
        keys.append(alike(np.array(piece))[0])
    found, weights = np.unique(np.concatenate(keys), return_counts=True)
    cards = np.column_stack([found // 52**place % 52 for place in range(size - 1, -1, -1)])
    return list(zip(map(tuple, cards.tolist()), weights.tolist(), strict=True))
