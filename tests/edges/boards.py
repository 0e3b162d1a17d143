"""What each hand of two is worth on each board, found once for all boards that differ by the names of suits alone.

A board comes up with each of its flops, and in as many suits as there are names. What was found lies in memory that the
processes of a pool share: whoever needs a board first fills its row. 134,459 rows, 1.5 GB once all are filled.

The 990 hands of the dealer against each of 1,081 hands of the player are counted, not compared: how many of all 1,081 are
below, less those that share a card.
"""

import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from tests.edges.values import CARD_BIT, CARD_KEY, FIRST, RENAMED, SECOND, Ints, Values, alike, canonical

HANDS = len(FIRST)
PLACE = np.zeros((47, 47), np.int64)
PLACE[FIRST, SECOND] = PLACE[SECOND, FIRST] = np.arange(HANDS)
DEALERS = 990
VALUE, CATEGORY, WINS, LOSSES, ANTE = range(5)


@cache
def seven() -> Values:
    return Values(7)


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


def compared(values: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """By the player's pair: hands of the dealer that it beats, that beat it, the sum of the ante wager over all of them, and
    its category. The ante is neither won nor lost where the dealer has less than a pair."""
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


@dataclass(frozen=True, slots=True)
class OnBoard:
    """By each hand of two of the 47 cards left: its index `52 * lower + higher`, its value, dense from 0, and category; hands
    of the dealer's that it beats, that beat it, and the sum of the ante wager over all of them."""

    hole: Ints
    value: Ints
    category: Ints
    wins: Ints
    losses: Ints
    ante: Ints


class Boards:
    """A row for each class of boards, filled when it is first asked for."""

    def __init__(self) -> None:
        self._keys = np.array([_number(cards) for cards, _ in canonical(5)])
        shape = (len(self._keys), 5, HANDS)
        memory = mmap.mmap(-1, 2 * len(self._keys) * 5 * HANDS + len(self._keys))
        self._rows = np.frombuffer(memory, np.int16, 5 * HANDS * len(self._keys)).reshape(shape)
        self._filled = np.frombuffer(memory, np.int8, len(self._keys), 2 * 5 * HANDS * len(self._keys))

    def of(self, boards: Ints) -> "list[OnBoard]":
        """What hands are worth on each of these boards, cards rising. Hands in the order of the cards that each leaves."""
        keys, names = alike(boards)
        rows = np.searchsorted(self._keys, keys)
        return [
            self._one(board, int(row), RENAMED[name]) for board, row, name in zip(boards, rows, names, strict=True)
        ]

    def _one(self, board: Ints, row: int, renamed: Ints) -> OnBoard:
        if not self._filled[row]:
            self._fill(row)
        left = _left(board)
        place = np.argsort(np.argsort(renamed[left]))
        hole = left[FIRST] * 52 + left[SECOND]
        return OnBoard(hole, *self._rows[row][:, PLACE[place[FIRST], place[SECOND]]].astype(np.int64))

    def _fill(self, row: int) -> None:
        cards = canonical(5)[row][0]
        values = values_on(cards, _left(np.array(cards)))
        wins, losses, ante, category = compared(values)
        self._rows[row, VALUE], self._rows[row, CATEGORY] = values, category
        self._rows[row, WINS], self._rows[row, LOSSES], self._rows[row, ANTE] = wins, losses, ante
        self._filled[row] = 1


@cache
def boards() -> Boards:
    return Boards()


def _left(board: Ints) -> Ints:
    return np.delete(np.arange(52), board)


def _number(cards: tuple[int, ...]) -> int:
    number = 0
    for card in cards:
        number = number * 52 + card
    return number
