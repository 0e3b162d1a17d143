"""What is folded, held against playing one hand on every board of a flop and listing the hands that may lie opposite."""

import itertools

import numpy as np
import pytest

from tests.edges import boards, folds, ultimate
from tests.edges.counts import CATEGORY
from tests.edges.values import HOLE, hole_class

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]
"""All boards are numbered first: a quarter of a minute; `make edges` asks for them."""
TABLE = (0, 0, 0, 0, 2, 3, 6, 20, 100, 1000)
CASES = {
    "three of a kind on the flop": ((8, 9, 10), (1, 20)),
    "three to a straight flush on the flop": ((18, 22, 26), (0, 5)),
}
"""Flop and hand, as `4 * rank + suit`."""


@pytest.mark.parametrize(("flop", "hand"), CASES.values(), ids=CASES)
def test_what_one_hand_folds_is_what_playing_it_on_each_board_finds(flop, hand):
    """Every measure, by listing 990 hands on each of 1,081 boards."""
    sums, index = ultimate.after(flop, [TABLE]), hand[0] * 52 + hand[1]
    rest = np.array([card for card in range(52) if card not in flop])
    table, places = folds.five()
    dealt = [(*flop, *last) for last in itertools.combinations(rest.tolist(), 2)]
    own = places[table.of(np.array(dealt))]
    only = np.zeros(HOLE, bool)
    only[index] = True
    by_flop = folds.by_hand_and_flop(flop, rest)
    found = folds.counted(sums.boards, own, by_flop, 0, only, boards.DEALERS)
    wanted = np.zeros_like(found[:, 0])
    for board, of_board in zip(dealt, own, strict=True):
        if not set(hand) & set(board):
            wanted += of_one_board(board, flop, hand, by_flop[index], of_board)
    assert wanted[folds.BY_SEVEN].sum()
    assert np.array_equal(found[:, hole_class()[index]], wanted)
    assert found.sum() == wanted.sum()


def of_one_board(board, flop, hand, by_flop, of_board):
    """The measures of one hand on one board, nothing where it is played."""
    found, table = np.zeros((folds.MEASURES, folds.WIDTH), np.int64), boards.seven()
    left = [card for card in range(52) if card not in (*board, *hand)]
    opposite = np.array([(*board, *pair) for pair in itertools.combinations(left, 2)])
    values, (mine,) = table.of(opposite), table.of(np.array([[*board, *hand]]))
    signs, theirs = np.sign(mine - values), table.category[values]
    paid = 2 * signs + 2 * np.where(theirs > 0, signs, 0)  # play, and the ante where the dealer has a pair
    paid = paid + np.where(signs > 0, TABLE[table.category[mine]], 2 * signs)
    if paid.sum() >= -4 * len(values):
        return found
    found[folds.BY_FLOP, by_flop] = found[folds.BY_BOARD, of_board] = len(values)
    found[folds.BY_SEVEN, table.category[mine]] = len(values)
    lone = of_board if of_board < len(CATEGORY) else 1
    found[folds.ABOVE_BOARD, table.category[mine]] = len(values) * (table.category[mine] > lone)
    found[folds.LOST, table.category[mine]] = (signs < 0).sum()
    small, _ = folds.five()
    with_flop = small.category[small.of(np.array([(*flop, *row[5:]) for row in opposite.tolist()]))]
    for category in range(folds.PAID, len(CATEGORY)):
        if table.category[mine] >= folds.PAID:
            found[folds.BEATEN, category] = ((signs > 0) & (theirs == category)).sum()
        if category in folds.ENVIED:
            found[folds.OTHERS_SEVEN, category] = (theirs == category).sum()
            found[folds.OTHERS_FLOP, category] = (with_flop == category).sum()
    return found
