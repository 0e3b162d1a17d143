"""The main bet of Ultimate Texas Hold 'Em under optimal play, by enumeration: every flop, turn, river, hand and dealer.

Flops that differ by the names of suits alone are taken once (1,755 of 22,100). On each of the 1,176 boards that follow, the
990 hands of the dealer against each of 1,081 hands of the player are counted, not compared: how many of all 1,081 are below,
less those that share a card. Some five minutes on two cores.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from multiprocessing import Pool

import numpy as np

from tests.edges.counts import CATEGORY, Counts
from tests.edges.values import CARD_BIT, CARD_KEY, Ints, Values, canonical

DEALS = comb(52, 2) * comb(50, 5) * comb(45, 2) * 10
"""A hand, a flop, a turn and river and a dealer's hand: `comb(5, 3)` ways to call three of the five the flop."""
DEALERS = 990
FIRST, SECOND = np.triu_indices(47, 1)
HOLE = 52 * 52

Blind = tuple[int, ...]
"""Twice the profit of a winning blind wager by category, 0 = high card, 9 = royal flush."""


@cache
def seven() -> Values:
    return Values(7)


def hole_class() -> Ints:
    """The starting hand of two cards as one of 169, by their index `52 * lower + higher`."""
    names = np.zeros(HOLE, np.int64)
    for low, high in itertools.combinations(range(52), 2):
        x, y = low >> 2, high >> 2
        names[low * 52 + high] = y * 13 + x if low & 3 == high & 3 else x * 13 + y
    return names


@dataclass(frozen=True, slots=True)
class Flop:
    """Sums over all turns, rivers and dealers after one flop, by hole cards; money in half units of the ante.

    `play`: of a play wager of one unit. `rest`: ante and blind where the player stays, by blind table. `late`: everything
    where the player has checked twice and then plays or folds, whichever is better.
    """

    play: Ints
    rest: list[Ints]
    late: list[Ints]


def after(flop: Sequence[int], blinds: Sequence[Blind]) -> Flop:
    rest = np.array([card for card in range(52) if card not in flop])
    play = np.zeros(HOLE, np.int64)
    stay = [np.zeros(HOLE, np.int64) for _ in blinds]
    late = [np.zeros(HOLE, np.int64) for _ in blinds]
    pays = [np.array(blind) for blind in blinds]
    for turn, river in itertools.combinations(range(49), 2):
        left = np.delete(rest, [turn, river])
        wins, losses, ante, category = against_dealer((*flop, int(rest[turn]), int(rest[river])), left)
        hole = left[FIRST] * 52 + left[SECOND]
        main = 2 * (wins - losses)
        play[hole] += main
        for number, pay in enumerate(pays):
            both = 2 * ante + wins * pay[category] - 2 * losses
            stay[number][hole] += both
            late[number][hole] += np.maximum(both + main, -4 * DEALERS)
    return Flop(play, stay, late)


def values_on(board: Sequence[int], left: Ints) -> Ints:
    """Values of each pair of the cards that are left, with this board."""
    table, keys = seven(), CARD_KEY[left]
    values = table.rank[int(CARD_KEY[list(board)].sum()) + keys[FIRST] + keys[SECOND]]
    for suit in range(4):
        same = [card for card in board if card & 3 == suit]
        if len(same) >= 3:
            bits = np.where(left & 3 == suit, CARD_BIT[left], 0)
            flush = table.flush[int(CARD_BIT[same].sum()) | bits[FIRST] | bits[SECOND]]
            values = np.where(flush >= 0, flush, values)
    return values


def against_dealer(board: Sequence[int], left: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """By the player's pair: hands of the dealer that it beats, that beat it, the sum of the ante wager over all of them, and
    its category. The ante is neither won nor lost where the dealer has less than a pair."""
    values = values_on(board, left)
    found, place = np.unique(values, return_inverse=True)
    many = len(found)
    shared = np.bincount(np.concatenate((FIRST * many + place, SECOND * many + place)), minlength=47 * many)
    shared = shared.reshape(47, many)
    at_most_shared, all_ = np.cumsum(shared, axis=1), np.bincount(place, minlength=many)
    at_most = np.cumsum(all_)
    ties = (
        all_[place] - shared[FIRST, place] - shared[SECOND, place] + 1
    )  # a pair shares both its cards with itself
    wins = at_most[place] - at_most_shared[FIRST, place] - at_most_shared[SECOND, place] + 1 - ties
    losses = DEALERS - wins - ties
    category = seven().category[found][place]
    low = int((seven().category[found] == 0).sum())
    if not low:
        return wins, losses, wins - losses, category
    is_low = place < low
    closed = at_most[low - 1] - at_most_shared[FIRST, low - 1] - at_most_shared[SECOND, low - 1] + is_low
    won_closed = np.where(is_low, wins, closed)
    lost_closed = np.where(is_low, closed - wins - ties, 0)
    return wins, losses, (wins - won_closed) - (losses - lost_closed), category


def _weighed(job: tuple[tuple[int, ...], int, tuple[Blind, ...]]) -> list[Ints]:
    """For one flop: by blind table, sums by starting hand where the player checks, plays three or plays four times."""
    flop, weight, blinds = job
    sums, names = after(flop, blinds), hole_class()
    result = []
    for rest, late in zip(sums.rest, sums.late, strict=True):
        checked = np.maximum(late, rest + 2 * sums.play)
        ways = np.zeros((3, 169), np.int64)
        for row, values in enumerate((checked, rest + 3 * sums.play, rest + 4 * sums.play)):
            np.add.at(ways[row], names, values * weight)
        result.append(ways)
    return result


def main_bet(blinds: Mapping[str, Blind], workers: int = 2) -> dict[str, Fraction]:
    """The house's part of one ante by blind table. Takes minutes. `blinds`: tables by name."""
    jobs = [(flop, weight, tuple(blinds.values())) for flop, weight in canonical(3)]
    totals = [[[0] * 169 for _ in range(3)] for _ in blinds]
    with Pool(workers) as pool:
        for ways in pool.imap_unordered(_weighed, jobs, chunksize=8):
            for total, way in zip(totals, ways, strict=True):
                for row in range(3):
                    for start in range(169):
                        total[row][start] += int(way[row][start])  # beyond 64 bits in the end
    return {name: Fraction(-sum(map(max, *total)), 2 * DEALS) for name, total in zip(blinds, totals, strict=True)}


def beaten() -> tuple[Counts, int]:
    """By category, how often the player's hand is lower than the dealer's where both are played to the end, and of how many."""
    lost = np.zeros(10, np.int64)
    for board, weight in canonical(5):
        left = np.array([card for card in range(52) if card not in board])
        _, losses, _, category = against_dealer(board, left)
        lost += weight * np.bincount(category, losses, 10).astype(np.int64)
    seen = {name: int(many) for name, many in zip(CATEGORY, lost, strict=True)}
    return seen, comb(52, 5) * comb(47, 2) * DEALERS
