"""The main bet of Ultimate Texas Hold 'Em under optimal play, by enumeration: every flop, turn, river, hand and dealer.

Flops that differ by the names of suits alone are taken once (1,755 of 22,100). On each of the 1,176 boards that follow, the
990 hands of the dealer against each of 1,081 hands of the player come from `boards`. Some three minutes on two cores.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from multiprocessing import get_context

import numpy as np
from numpy.typing import NDArray

from tests.edges.boards import DEALERS, boards
from tests.edges.counts import CATEGORY, Counts
from tests.edges.folds import MEASURES, WIDTH, Board, Folded, Mask, by_hand_and_flop, counted, five
from tests.edges.values import HOLE, STARTS, Ints, canonical, hole_class

BATCH = 1 << 10
DEALS = comb(52, 2) * comb(50, 5) * comb(45, 2) * 10
"""A hand, a flop, a turn and river and a dealer's hand: `comb(5, 3)` ways to call three of the five the flop."""

Blind = tuple[int, ...]
"""Twice the profit of a winning blind wager by category, 0 = high card, 9 = royal flush."""


@dataclass(frozen=True, slots=True)
class Flop:
    """Sums over all turns, rivers and dealers after one flop, by hole cards; money in half units of the ante.

    `play`: of a play wager of one unit. `rest`: ante and blind where the player stays, by blind table. `late`: everything
    where the player has checked twice and then plays or folds, whichever is better. `boards`: each turn and river.
    """

    play: Ints
    rest: list[Ints]
    late: list[Ints]
    boards: list[Board]

    def checks(self, blind: int) -> Mask:
        """By hole cards whether the player does better to check once more than to play twice the ante."""
        return self.late[blind] > self.rest[blind] + 2 * self.play


def after(flop: Sequence[int], blinds: Sequence[Blind]) -> Flop:
    rest, kept = np.array([card for card in range(52) if card not in flop]), []
    play = np.zeros(HOLE, np.int64)
    stay = [np.zeros(HOLE, np.int64) for _ in blinds]
    late = [np.zeros(HOLE, np.int64) for _ in blinds]
    pays = [np.array(blind) for blind in blinds]
    pairs = np.array(list(itertools.combinations(rest.tolist(), 2)))
    whole = np.sort(np.column_stack((pairs, np.broadcast_to(flop, (len(pairs), 3)))), axis=1)
    for board in boards().of(whole):
        hole, folds = board.hole, []
        main = 2 * (board.wins - board.losses)
        play[hole] += main
        for number, pay in enumerate(pays):
            both = 2 * board.ante + board.wins * pay[board.category] - 2 * board.losses
            stay[number][hole] += both
            late[number][hole] += np.maximum(both + main, -4 * DEALERS)
            folds.append(both + main < -4 * DEALERS)
        kept.append(Board(hole, board.value, board.category, board.losses, folds))
    return Flop(play, stay, late, kept)


def _weighed(job: tuple[tuple[int, ...], int, tuple[Blind, ...]]) -> list[tuple[Ints, Ints]]:
    """For one flop: by blind table, sums by starting hand where the player checks, plays three or plays four times; and what
    is folded of the hands that check."""
    flop, weight, blinds = job
    sums, names = after(flop, blinds), hole_class()
    rest = np.array([card for card in range(52) if card not in flop])
    last = np.array(list(itertools.combinations(rest.tolist(), 2)))
    table, place = five()
    own = place[table.of(np.column_stack((last, np.broadcast_to(flop, (len(last), 3)))))]
    by_flop, result = by_hand_and_flop(flop, rest), []
    for number in range(len(blinds)):
        stays, late = sums.rest[number], sums.late[number]
        checked = np.maximum(late, stays + 2 * sums.play)
        ways = np.zeros((3, STARTS), np.int64)
        for row, values in enumerate((checked, stays + 3 * sums.play, stays + 4 * sums.play)):
            np.add.at(ways[row], names, values * weight)
        folds = counted(sums.boards, own, by_flop, number, sums.checks(number), DEALERS)
        result.append((ways, folds * weight))
    return result


@dataclass(frozen=True, slots=True)
class Main:
    """The main bet under one blind table: the house's part of one ante, and what the player folds."""

    edge: Fraction
    folded: Folded


_FOUND: dict[Blind, Main] = {}


def main_bet(blinds: Iterable[Blind], workers: int = 2) -> dict[Blind, Main]:
    """The main bet by blind table. Takes minutes, unless it was found before: one enumeration serves all tables."""
    wanted = tuple(dict.fromkeys(blinds))
    if left := [blind for blind in wanted if blind not in _FOUND]:
        _FOUND.update(_enumerated(left, workers))
    return {blind: _FOUND[blind] for blind in wanted}


def _enumerated(blinds: Sequence[Blind], workers: int) -> dict[Blind, Main]:
    jobs = [(flop, weight, tuple(blinds)) for flop, weight in canonical(3)]
    totals = [np.zeros((3, STARTS), object) for _ in blinds]  # beyond 64 bits in the end
    folds = [np.zeros((MEASURES, STARTS, WIDTH), np.int64) for _ in blinds]
    boards()  # made before the pool, which shares its memory
    with get_context("fork").Pool(workers) as pool:
        for found in pool.imap_unordered(_weighed, jobs, chunksize=8):
            for number, (ways, folded) in enumerate(found):
                totals[number] += ways.astype(object)
                folds[number] += folded
    return {blind: _main(total, fold) for blind, total, fold in zip(blinds, totals, folds, strict=True)}


def _main(total: NDArray[np.object_], folds: Ints) -> Main:
    """The best of the three ways before the flop; who plays then folds nothing."""
    folds[:, (total[1:] >= total[0]).any(axis=0)] = 0
    return Main(Fraction(-sum(total.max(axis=0)), 2 * DEALS), Folded(folds))


def beaten() -> tuple[Counts, int]:
    """By category, how often the player's hand is lower than the dealer's where both are played to the end, and of how many."""
    lost, found = np.zeros(10, np.int64), canonical(5)
    for start in range(0, len(found), BATCH):
        piece = found[start : start + BATCH]
        for board, (_, weight) in zip(boards().of(np.array([cards for cards, _ in piece])), piece, strict=True):
            lost += weight * np.bincount(board.category, board.losses, 10).astype(np.int64)
    seen = {name: int(many) for name, many in zip(CATEGORY, lost, strict=True)}
    return seen, comb(52, 5) * comb(47, 2) * DEALERS
