"""How often each hand of a pay table comes, for wagers in which the player decides nothing: counts out of all deals.

Names of hands are those of `controller.rules.pay.PayHand`; a count is of the best row alone, so that counts of one wager and
what is left add up to all deals.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import comb

import numpy as np

from tests.edges.values import KEYS, Ints, Values

CATEGORY = (
    "high_card", "pair", "two_pairs", "three_of_a_kind", "straight", "flush", "full_house", "four_of_a_kind",
    "straight_flush", "royal_flush",
)  # fmt: skip
TEN, JACK, QUEEN, KING, ACE = range(8, 13)
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
BATCH = 1 << 19

Counts = dict[str, int]


def batches(size: int) -> Iterator[Ints]:
    """All hands of so many cards of one deck, in pieces."""
    hands = itertools.combinations(range(52), size)
    while piece := list(itertools.islice(hands, BATCH)):
        yield np.array(piece, dtype=np.int64)


@cache
def best_five(size: int) -> Counts:
    """Best five of five, six or seven cards, by category; a pair of tens or better and of jacks or better by itself (size 5)."""
    if size == 7:
        return seven_cards()
    table = Values(size)
    seen = np.zeros(len(table.order), np.int64)
    for hands in batches(size):
        seen += np.bincount(table.of(hands), minlength=len(seen))
    counts: Counter[str] = Counter()
    for value, many in zip(table.order, seen, strict=True):
        counts[CATEGORY[9 if value == (8, 12) else value[0]]] += int(many)
        if value[0] == 1 and value[1] >= TEN:
            counts["pair_of_tens_or_better"] += int(many)
        if value[0] == 1 and value[1] >= JACK:
            counts["pair_of_jacks_or_better"] += int(many)
    assert sum(counts[name] for name in CATEGORY) == comb(52, size)
    return dict(counts)


def seven_cards() -> Counts:
    """Of 133,784,560: by multisets of ranks, each with the ways to suit it, and of these how many make a flush."""
    counts: Counter[str] = Counter()
    table = Values(7)
    for ranks in itertools.combinations_with_replacement(range(13), 7):
        groups = Counter(ranks)
        if max(groups.values()) > 4:
            continue
        ways = 1
        for many in groups.values():
            ways *= comb(4, many)
        flushes = _flushes(groups)
        key = int(KEYS[list(ranks)].sum())
        counts[CATEGORY[int(table.category[table.rank[key]])]] += ways - sum(flushes.values())
        for mask, many in flushes.items():
            counts[CATEGORY[int(table.category[table.flush[mask]])]] += many
    assert sum(counts.values()) == comb(52, 7)
    return dict(counts)


def _flushes(groups: Counter[int]) -> Counter[int]:
    """Ways to suit these ranks with five or more of one suit, by the mask of the ranks in that suit."""
    found: Counter[int] = Counter()
    ranks = sorted(groups)
    for many in range(5, len(ranks) + 1):
        for inside in itertools.combinations(ranks, many):
            ways = 4  # the suit
            for rank in ranks:
                one = groups[rank]
                ways *= comb(3, one - 1) if rank in inside else comb(3, one)
            if ways:
                found[sum(1 << rank for rank in inside)] += ways
    return found


def super_royals() -> Counts:
    """Six cards, ace to nine of one suit, of `comb(52, 6)`: they are royal flushes too."""
    return {"super_royal_diamonds": 1, "super_royal": 3}


@cache
def pairs() -> Counts:
    """The first two cards of player and dealer, of `comb(52, 2) * comb(50, 2)`, by the finest words of any table."""
    counts: Counter[str] = Counter()
    for player in itertools.combinations(range(52), 2):
        word = of_two(*player)
        left = [card for card in range(52) if card not in player]
        dealer_aces = sum(1 for d in itertools.combinations(left, 2) if d[0] >> 2 == d[1] >> 2 == ACE)
        if word in ("pair_of_aces", "aces_of_hearts_and_diamonds"):
            counts[f"{word} and the dealer's aces"] += dealer_aces
            counts[word] += comb(50, 2) - dealer_aces
        else:
            counts[word] += comb(50, 2)
    return dict(counts)


def of_two(first: int, second: int) -> str:
    low, high = sorted((first >> 2, second >> 2))
    suited = first & 3 == second & 3
    if low == high == ACE:
        return "aces_of_hearts_and_diamonds" if {first & 3, second & 3} == {HEARTS, DIAMONDS} else "pair_of_aces"
    if low == high:
        return "pair_of_jacks_to_kings" if low >= JACK else "pair_of_tens_or_less"
    if high == ACE and low >= JACK:
        with_king = "ace_king" if low == KING else "ace_queen_or_jack"
        return f"{with_king}_{'suited' if suited else 'unsuited'}"
    return "nothing"
