"""Pik-it Poker: the ante with its Play 3 or Play 5 wager under optimal play, and the wager on three cards, by enumeration.

The dealer's hands below a hand of the player are counted by inclusion and exclusion: of all hands, less those with one of
the player's five cards, and so on. Where hands differ by the names of suits alone, one of them is taken.
"""

import itertools
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np

from tests.edges.counts import Counts
from tests.edges.values import SUITINGS, Ints, of_counts, of_flush

DEALERS = comb(47, 5)
DEALS = comb(52, 5) * DEALERS
QUALIFIES = (0, 12, 11, 2, 1, 0)  # ace, king, four, three, two
THREE = ("high_card", "pair", "flush", "straight", "three_of_a_kind", "straight_flush", "royal_flush")
SPAN = 1 << 13  # more than there are values


def value3(ranks: tuple[int, ...], suited: bool) -> tuple[int, ...]:
    """Three cards in the order of this game: a straight above a flush, three of a kind above both. Clause: nj-pikit 39.4(c)."""
    groups, falling = Counter(ranks), sorted(ranks, reverse=True)
    by = sorted(groups, key=lambda rank: (-groups[rank], -rank))
    top = -1
    if len(groups) == 3:
        top = falling[0] if falling[0] - falling[2] == 2 else 1 if falling == [12, 1, 0] else -1
    if top >= 0:
        return (6 if suited and top == 12 else 5 if suited else 3, top)
    if len(groups) == 1:
        return (4, by[0])
    if suited:
        return (2, *falling)
    return (1, *by) if len(groups) == 2 else (0, *falling)


def value5(ranks: tuple[int, ...], suited: bool) -> tuple[int, ...]:
    return of_flush(sum(1 << rank for rank in ranks)) if suited else of_counts(Counter(ranks))


class Small:
    """A table of all hands of three or five cards: by suited or not, and the ranks as digits."""

    def __init__(self, size: int) -> None:
        value = value3 if size == 3 else value5
        by = {
            (int(suited), ranks): value(ranks, suited)
            for ranks in itertools.combinations_with_replacement(range(13), size)
            for suited in (False, True)
            if max(Counter(ranks).values()) <= (1 if suited else 4)
        }
        self.order = sorted(set(by.values()))
        dense = {found: number for number, found in enumerate(self.order)}
        self.table = np.zeros((2, 13**size), np.int64)
        for (suited, ranks), found in by.items():
            self.table[suited, digits(np.array([ranks]), 13)] = dense[found]

    def of(self, hands: Ints) -> Ints:
        """Values of hands whose cards rise, one a row."""
        suits = hands & 3
        return self.table[(suits == suits[:, :1]).all(axis=1).astype(np.int64), digits(hands >> 2, 13)]


def digits(rows: Ints, base: int) -> Ints:
    number = np.zeros(len(rows), np.int64)
    for column in range(rows.shape[1]):
        number = number * base + rows[:, column]
    return number


@dataclass(frozen=True, slots=True)
class Hands:
    """One hand of each class that renaming suits makes: `weight` hands of all. `below5`, `upto5` of the dealer's `DEALERS`
    hands are lower, or at most equal, by five cards; `below3`, `upto3` by the best three. `closed`: do not qualify;
    `upto3_closed`: of these, at most equal by the best three."""

    weight: Ints
    is_closed: Ints
    below5: Ints
    upto5: Ints
    below3: Ints
    upto3: Ints
    closed: Ints
    upto3_closed: Ints


def all_hands() -> Ints:
    return np.array(list(itertools.combinations(range(52), 5)), dtype=np.int64)


def best_three(hands: Ints) -> Ints:
    three, best = Small(3), np.zeros(len(hands), np.int64)
    for chosen in itertools.combinations(range(5), 3):
        best = np.maximum(best, three.of(hands[:, list(chosen)]))
    return best


@cache
def against_dealer() -> Hands:
    hands, five = all_hands(), Small(5)
    by5, by3 = five.of(hands), best_three(hands)
    names = None
    for suiting in SUITINGS:
        renamed = digits(np.sort(hands >> 2 << 2 | np.array(suiting)[hands & 3], axis=1), 52)
        names = renamed if names is None else np.minimum(names, renamed)
    _, first, weight = np.unique(names, return_index=True, return_counts=True)
    mine = hands[first]
    least = five.order.index(QUALIFIES)
    below5, upto5 = _below(hands, by5, mine, by5[first])
    below3, upto3 = _below(hands, by3, mine, by3[first])
    closed, _ = _below(hands, by5, mine, np.full(len(mine), least))
    low = by5 < least
    _, upto3_closed = _below(hands[low], by3[low], mine, by3[first])
    return Hands(weight, by5[first] < least, below5, upto5, below3, upto3, closed, upto3_closed)


def _below(hands: Ints, values: Ints, mine: Ints, of: Ints) -> tuple[Ints, Ints]:
    """For each of `mine`: hands of the 47 other cards whose value is below `of`, and at most `of`."""
    below, upto = np.zeros(len(mine), np.int64), np.zeros(len(mine), np.int64)
    for shared in range(6):
        places = list(itertools.combinations(range(5), shared))
        keys = np.concatenate([digits(hands[:, place], 52) * SPAN + values for place in places])
        keys.sort()
        for place in places:
            base = digits(mine[:, place], 52) * SPAN
            start, sign = np.searchsorted(keys, base), (-1) ** shared
            below += sign * (np.searchsorted(keys, base + of) - start)
            upto += sign * (np.searchsorted(keys, base + of + 1) - start)
    return below, upto


def main_bet(qualifier: bool, play3: int, play5: int, ante_by_five: bool, ante_pushes: bool = False) -> Fraction:
    """The house's part of one ante where the player plays or folds as well as can be, with plays of so many antes.

    With the qualifier a Play 5 goes back where the dealer does not qualify, and the ante is settled against the dealer's
    hand all the same, or pushes below it (`ante_pushes`); a Play 3 is not concerned. `ante_by_five`: the ante is decided by
    five cards beside a Play 3 too, not by the three that were played. Clauses: nj-pikit 39.10(d)-(f), 39.11(a).
    """
    h = against_dealer()
    pushes = qualifier and ante_pushes
    spared5 = (
        np.where(h.is_closed, h.closed - h.upto5, 0) if pushes else 0
    )  # antes below a hand that does not qualify
    spared3 = h.closed - h.upto3_closed if pushes else 0
    ante = h.below5 - (DEALERS - h.upto5) + spared5
    won = np.where(h.is_closed, 0, h.below5 - h.closed) if qualifier else h.below5
    lost = np.where(h.is_closed, DEALERS - h.closed, DEALERS - h.upto5) if qualifier else DEALERS - h.upto5
    five = ante + play5 * (won - lost)
    by_three = h.below3 - (DEALERS - h.upto3)
    three = play3 * by_three + (ante if ante_by_five else by_three + spared3)
    best = np.maximum(np.maximum(three, five), -DEALERS)
    return Fraction(-sum(int(b) * int(w) for b, w in zip(best, h.weight, strict=True)), DEALS)


def three_cards(chosen: bool) -> Counts:
    """Three cards of the player's: any three of 22,100, or the best three of five where the player looks first."""
    three = Small(3)
    threes = np.array(list(itertools.combinations(range(52), 3)), dtype=np.int64)
    values = best_three(all_hands()) if chosen else three.of(threes)
    seen = np.bincount(values, minlength=len(three.order))
    counts: Counter[str] = Counter()
    for value, many in zip(three.order, seen, strict=True):
        counts[THREE[value[0]]] += int(many)
    return dict(counts)
