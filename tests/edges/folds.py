"""What is folded where the main bet of Ultimate Texas Hold 'Em is played as well as can be: for wagers that a fold loses.

Counted over the same deals as the main bet, by the player's starting hand, so that hands played before the flop can be left
out once it is known which they are. Where staying and folding are worth the same, the player stays.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tests.edges.counts import CATEGORY, TEN, Counts
from tests.edges.values import FIRST, HOLE, SECOND, STARTS, Ints, Values, hole_class

PLACES = (*CATEGORY, "pair_of_tens", "pair_of_jacks_or_better")
"""How a hand of five may end, with pairs of tens and of jacks or better apart."""
WIDTH = len(PLACES)
MEASURES = 8
BY_FLOP, BY_SEVEN, BY_BOARD, ABOVE_BOARD, LOST, BEATEN, OTHERS_FLOP, OTHERS_SEVEN = range(MEASURES)
"""Folded deals by the place of hand and flop; the category of hand and board; the place of the board; the category of a hand
that is above the board's; of a hand that the dealer's beats; of a hand of the dealer's that would have been beaten; and what
earns envy: another player's hand with the flop, with the board."""
PAID = CATEGORY.index("three_of_a_kind")
"""Beaten hands of the dealer's are counted from here on; no table pays for a lower one."""
ENVIED = (CATEGORY.index("straight_flush"), CATEGORY.index("royal_flush"))

Mask = NDArray[np.bool_]


@cache
def five() -> tuple[Values, Ints]:
    """Hands of five, and the place of each of their values."""
    table = Values(5)
    place = table.category.copy()
    for number, value in enumerate(table.order):
        if value[0] == 1 and value[1] >= TEN:
            place[number] = PLACES.index("pair_of_tens" if value[1] == TEN else "pair_of_jacks_or_better")
    return table, place


@dataclass(frozen=True, slots=True)
class Board:
    """After the river, by each hand of two of the 47 cards left: its index, its value and category, how many of the dealer's
    hands beat it, and for each blind table whether it is folded where nothing was played before."""

    hole: Ints
    values: Ints
    category: Ints
    losses: Ints
    folds: list[Mask]

    def dealers_below(self, rows: Ints) -> Ints:
        """For each of these hands, how many hands of the dealer it beats, by their category."""
        found, place = np.unique(self.values, return_inverse=True)
        many, category = len(found), np.zeros(len(found), np.int64)
        category[place] = self.category
        shared = np.bincount(np.concatenate((FIRST * many + place, SECOND * many + place)), minlength=47 * many)
        shared = np.pad(np.cumsum(shared.reshape(47, many), axis=1), ((0, 0), (1, 0)))
        at_most = np.concatenate(([0], np.cumsum(np.bincount(place, minlength=many))))
        result, before = np.zeros((len(rows), WIDTH), np.int64), None
        for number in range(PAID - 1, len(CATEGORY)):
            below = np.minimum(int((category <= number).sum()), place[rows])
            upto = at_most[below] - shared[FIRST[rows], below] - shared[SECOND[rows], below]
            if before is not None:
                result[:, number] = upto - before
            before = upto
        return result


def by_hand_and_flop(flop: Sequence[int], rest: Ints) -> Ints:
    """By the index of a hand of two, the place of the five cards that it makes with this flop."""
    table, names = five()
    pairs = np.array(list(itertools.combinations(rest.tolist(), 2)))
    place = np.zeros(HOLE, np.int64)
    hands = np.column_stack((pairs, np.broadcast_to(flop, (len(pairs), 3))))
    place[pairs[:, 0] * 52 + pairs[:, 1]] = names[table.of(hands)]
    return place


def others(category: Ints, rows: Ints, of: int) -> Ints:
    """For each of these hands, how many hands of another player's are of that category; those that share a card fall away."""
    pairs = np.flatnonzero(category == of)
    used = np.bincount(FIRST[pairs], minlength=47) + np.bincount(SECOND[pairs], minlength=47)
    return len(pairs) - used[FIRST[rows]] - used[SECOND[rows]] + (category[rows] == of)


def counted(boards: Sequence[Board], own: Ints, by_flop: Ints, blind: int, checks: Mask, dealers: int) -> Ints:
    """What is folded on all boards of one flop under one blind table: by measure, starting hand and place.

    `own`: the place of each board by itself. `by_flop`: the place of hand and flop. `checks`: by the index of a hand
    whether it has played nothing when the last two cards come. `dealers`: hands that the dealer may hold.
    """
    folds = [board.folds[blind] & checks[board.hole] for board in boards]
    hole = np.concatenate([board.hole[f] for board, f in zip(boards, folds, strict=True)])
    category = np.concatenate([board.category[f] for board, f in zip(boards, folds, strict=True)])
    losses = np.concatenate([board.losses[f] for board, f in zip(boards, folds, strict=True)])
    of_board = np.repeat(own, [int(f.sum()) for f in folds])
    start = hole_class()[hole] * WIDTH
    above = category > np.where(of_board < len(CATEGORY), of_board, CATEGORY.index("pair"))
    found = np.zeros((MEASURES, STARTS * WIDTH), np.int64)
    for measure, keys in (
        (BY_FLOP, start + by_flop[hole]), (BY_SEVEN, start + category), (BY_BOARD, start + of_board),
        (ABOVE_BOARD, (start + category)[above]),
    ):  # fmt: skip
        found[measure] = dealers * np.bincount(keys, minlength=STARTS * WIDTH)
    np.add.at(found[LOST], start + category, losses)
    for board, f in zip(boards, folds, strict=True):
        _of_opposite(found, board, by_flop[board.hole], f)
    return found.reshape(MEASURES, STARTS, WIDTH)


def _of_opposite(found: Ints, board: Board, by_flop: Ints, folds: Mask) -> None:
    """Adds what hangs on a hand that lies opposite a folded one: the dealer's, or another player's."""
    start = hole_class()[board.hole] * WIDTH
    rows = np.flatnonzero(folds & (board.category >= PAID))
    if len(rows):
        np.add.at(found[BEATEN], start[rows, None] + np.arange(WIDTH), board.dealers_below(rows))
    for measure, places in ((OTHERS_FLOP, by_flop), (OTHERS_SEVEN, board.category)):
        for envied in ENVIED:
            if (places == envied).any():
                rows = np.flatnonzero(folds)
                np.add.at(found[measure], start[rows] + envied, others(places, rows, envied))


@dataclass(frozen=True, slots=True)
class Folded:
    """Deals of all in which the player folds. `found`: by measure, starting hand and place."""

    found: Ints

    def by(self, measure: int) -> Counts:
        """Folded deals by the name of what the measure looks at."""
        return {name: int(many) for name, many in zip(PLACES, self.found[measure].sum(axis=0), strict=True)}

    def by_start(self) -> list[int]:
        """Folded deals by starting hand, one of 169."""
        return [int(many) for many in self.found[BY_SEVEN].sum(axis=1)]
