"""Colorado Hold 'Em under optimal play, by enumeration: three cards, which one to lay away, and 18,424 community cards."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np

from tests.edges.values import CARD_BIT, CARD_KEY, Ints, Values, canonical

BOARDS = comb(49, 3)
DEALS = comb(52, 3) * BOARDS
ENDS = (
    "nothing", *(f"pair_{rank}" for rank in range(2, 15)), "two_pairs", "three_of_a_kind", "straight", "flush", "full_house",
    "four_of_a_kind", "straight_flush", "royal_flush",
)  # fmt: skip
"""How a hand of five may end; a pair by its rank, 14 = aces."""


@dataclass(frozen=True, slots=True)
class Starts:
    """By one starting hand of each class: `ends` for each of the three cards to lay away, `weight`, and the word of an
    instant winner, or "": "low_ace" for ace, two, three of one suit, which not every reading takes for one.
    Clauses: ma-colorado 3(a), 3(c), 10(b), 11(b)."""

    ends: Ints
    weight: Ints
    instant: tuple[str, ...]


@cache
def starts() -> Starts:
    table = Values(5)
    end = np.array([_end(value) for value in table.order])
    places = np.array(list(itertools.combinations(range(49), 3))).T
    hands = canonical(3)
    ends = np.zeros((len(hands), 3, len(ENDS)), np.int64)
    for number, (hand, _) in enumerate(hands):
        left = np.array([card for card in range(52) if card not in hand])
        boards = left[places]
        keys, bits = CARD_KEY[boards].sum(axis=0), CARD_BIT[boards].sum(axis=0)
        suited = (boards & 3 == boards[:1] & 3).all(axis=0)
        for away in range(3):
            first, second = (card for place, card in enumerate(hand) if place != away)
            values = table.rank[keys + CARD_KEY[first] + CARD_KEY[second]]
            if first & 3 == second & 3:
                flush = np.flatnonzero(suited & (boards[0] & 3 == first & 3))
                values[flush] = table.flush[bits[flush] | CARD_BIT[first] | CARD_BIT[second]]
            ends[number, away] = np.bincount(end[values], minlength=len(ENDS))
    return Starts(ends, np.array([weight for _, weight in hands]), tuple(_instant(hand) for hand, _ in hands))


def _end(value: tuple[int, ...]) -> int:
    if value == (8, 12):
        return len(ENDS) - 1
    return 0 if value[0] == 0 else 1 + value[1] if value[0] == 1 else 12 + value[0]


def _instant(hand: tuple[int, ...]) -> str:
    ranks = sorted(card >> 2 for card in hand)
    if ranks[0] == ranks[2]:
        return "instant_three_of_a_kind"
    if len({card & 3 for card in hand}) > 1:
        return ""
    if ranks == [0, 1, 12]:
        return "low_ace"
    return "instant_straight_flush" if ranks[1] - ranks[0] == ranks[2] - ranks[1] == 1 else ""


def main_bet(pays: Mapping[str, Fraction], instant: Mapping[str, int], must_bet: bool) -> Fraction:
    """The house's part of one ante, with its bet. `pays`: profit of one unit by end; `instant`: of a declared winner.

    `must_bet`: the player bets as much again or folds; otherwise the player may bet, and stays without.
    """
    best, weight = _best(pays, instant, must_bet), starts().weight
    return Fraction(-sum(int(b) * int(w) for b, w in zip(best, weight, strict=True)), DEALS)


def _whole(pays: Mapping[str, Fraction]) -> Ints:
    """Profits by end; every row of this game pays whole wagers."""
    assert all(paid.denominator == 1 for paid in pays.values())
    return np.array([int(pays[end]) for end in ENDS])


def _best(pays: Mapping[str, Fraction], instant: Mapping[str, int], must_bet: bool) -> Ints:
    kept = (starts().ends @ _whole(pays)).max(axis=1)
    best = np.maximum(2 * kept, -BOARDS if must_bet else kept)
    declared = np.array([instant[word] * BOARDS if word in instant else -2 * BOARDS for word in starts().instant])
    return np.maximum(best, declared)


def bonus(
    pays: Mapping[str, Fraction], main: Mapping[str, Fraction], instant: Mapping[str, int], of_main: Mapping[str, int],
    must_bet: bool,
) -> Fraction:  # fmt: skip
    """The house's part of one bonus wager that follows the play of the main bet: the card laid away, the instant winner
    declared, and where the player folds the bonus is lost."""
    found = starts()
    rows = np.arange(len(found.weight))
    by_main = found.ends @ _whole(main)
    away = by_main.argmax(axis=1)
    result = (found.ends @ _whole(pays))[rows, away]
    kept = by_main[rows, away]
    stays = np.maximum(2 * kept, -BOARDS if must_bet else kept)
    folds = must_bet & (2 * kept < -BOARDS)
    total = 0
    for number, word in enumerate(found.instant):
        value = int(result[number]) if not folds[number] else -BOARDS
        if word in of_main and of_main[word] * BOARDS >= int(stays[number]):
            value = instant[word] * BOARDS
        total += value * int(found.weight[number])
    return Fraction(-total, DEALS)
