"""Fast Action Hold 'Em by simulation: six or eight decks are too many to enumerate. Every figure has its standard error.

The player's choice is learned first, the mean result of each kind of two cards against the dealer; then fresh rounds are
played by it: the best two of four, two hands where both are worth more, half given up where all is worse. So the figure is
that of a policy that can be played, and at least the house's part under perfect play.
"""

import itertools
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tests.edges.values import Ints, straight

NDArrayFloat = NDArray[np.float64]
PAIRS = tuple(itertools.combinations(range(4), 2))
CHOICES = np.array(PAIRS)
BATCH = 200_000
KINDS = 182
BINOMIAL = np.array([[comb(n, k) for k in range(8)] for n in range(21)], np.int64)


def seventeen(ranks: tuple[int, ...], suited: bool) -> tuple[int, ...]:
    """Five cards of several decks, the highest of seventeen ranks being 17. Clauses: fast-action (c)(2)(i)-(xvii)."""
    groups = Counter(ranks)
    by = sorted(groups, key=lambda rank: (-groups[rank], -rank))
    most = tuple(groups[rank] for rank in by)[:2]
    top = straight(sum(1 << rank for rank in groups)) if len(groups) == 5 else -1
    if suited and top >= 0:
        return (16,) if top == 12 else (14, top)
    if top >= 0:
        return (5, top)
    flush, mixed = {
        (5,): (17, 12),
        (4, 1): (15, 8),
        (3, 2): (13, 7),
        (3, 1): (11, 4),
        (2, 2): (10, 3),
        (2, 1): (9, 2),
    }.get(most, (6, 1))
    return (flush if suited else mixed, *by)


class Shoe:
    """Values of seven cards of several decks: by the place of their multiset of ranks, with and without a flush."""

    def __init__(self) -> None:
        fives = list(itertools.combinations_with_replacement(range(13), 5))
        values = {(ranks, suited): seventeen(ranks, suited) for ranks in fives for suited in (False, True)}
        dense = {value: number for number, value in enumerate(sorted(set(values.values())))}
        self.dense = {key: dense[value] for key, value in values.items()}
        self.mixed = self._table(7, False)
        self.suited = {many: self._table(many, True) for many in (5, 6, 7)}

    def _table(self, size: int, suited: bool) -> Ints:
        table = np.zeros(comb(12 + size, size), np.int64)
        for ranks in itertools.combinations_with_replacement(range(13), size):
            best = max(self.dense[five, suited] for five in set(itertools.combinations(ranks, 5)))
            table[sum(comb(rank + place, place + 1) for place, rank in enumerate(ranks))] = best
        return table

    def of(self, cards: Ints) -> Ints:
        """Values of hands of seven, one a row."""
        values = self.mixed[_place(np.sort(cards >> 2, axis=1))]
        for suit in range(4):
            same = cards & 3 == suit
            many = same.sum(axis=1)
            for size, table in self.suited.items():
                rows = np.flatnonzero(many == size)
                ranks = np.sort(np.where(same[rows], cards[rows] >> 2, 13), axis=1)[:, :size]
                values[rows] = np.maximum(values[rows], table[_place(ranks)])
        return values


def _place(rising: Ints) -> Ints:
    """Where a multiset of ranks, rising in its row, stands among all of its size."""
    place = np.zeros(len(rising), np.int64)
    for column in range(rising.shape[1]):
        place += BINOMIAL[rising[:, column] + column, column + 1]
    return place


@cache
def shoe() -> Shoe:
    return Shoe()


def house_way(first: int, second: int) -> int:
    """How much the house ways prefer these two cards. Clauses: fast-action (h)(9)(i)-(xiv)."""
    high, low = sorted((first >> 2, second >> 2), reverse=True)
    suited, pair, ace = first & 3 == second & 3, high == low, high == 12
    running = high - low == 1 or (high, low) == (12, 0)
    ways = (
        pair and suited, pair, ace and suited and low >= 8, suited and running and low >= 8, ace and low >= 8,
        running and low >= 9, ace and suited, suited and low >= 8, low >= 9, ace, suited and running, suited, running, True,
    )  # fmt: skip
    return (len(ways) - ways.index(True)) * 169 + high * 13 + low


WAYS = np.array([[house_way(first, second) for second in range(52)] for first in range(52)], np.int64)


@dataclass(frozen=True, slots=True)
class Rules:
    """`decks` in the shoe; `tie`: what a copy hand brings the player, in wagers (0 or -1)."""

    decks: int
    tie: int


@dataclass(frozen=True, slots=True)
class Simulated:
    """`edge`: the house's part of one original wager; `error`: its standard error.

    `shares`: how often a hand is set, split, given up, or a natural.
    """

    edge: Fraction
    error: Fraction
    rounds: int
    shares: tuple[float, ...]


def deal(rng: Generator, decks: int) -> tuple[Ints, Ints, Ints]:
    """The player's four, the dealer's four and five for all, `BATCH` times from a full shoe."""
    whole = 52 * decks
    cards = rng.integers(0, whole, (BATCH, 13))
    while True:
        again = np.sort(cards, axis=1)
        twice = np.flatnonzero((again[:, 1:] == again[:, :-1]).any(axis=1))
        if not len(twice):
            break
        cards[twice] = rng.integers(0, whole, (len(twice), 13))
    cards %= 52
    return cards[:, :4], cards[:, 4:8], cards[:, 8:]


def natural(four: Ints) -> Ints:
    ranks = four >> 2
    return (ranks == ranks[:, :1]).all(axis=1)


def _kind(first: Ints, second: Ints) -> Ints:
    """Two cards by rank and suited or not: suited above the diagonal, the others below it, pairs off suit behind."""
    high, low = np.maximum(first >> 2, second >> 2), np.minimum(first >> 2, second >> 2)
    unsuited = np.where(high == low, 169 + high, low * 13 + high)
    return np.where(first & 3 == second & 3, high * 13 + low, unsuited)


def _dealer(four: Ints, board: Ints) -> Ints:
    best = np.stack([WAYS[four[:, i], four[:, j]] for i, j in PAIRS], axis=1).argmax(axis=1)
    return shoe().of(_with(four, CHOICES[best], board))


def _with(four: Ints, chosen: Ints, board: Ints) -> Ints:
    return np.column_stack((np.take_along_axis(four, chosen, axis=1), board))


def _against(mine: Ints, dealer: Ints, tie: int) -> Ints:
    return np.where(mine > dealer, 1, np.where(mine == dealer, tie, -1))


def learn(rng: Generator, rules: Rules, batches: int) -> NDArrayFloat:
    """Mean result of each kind of two cards against the dealer, whose natural takes the wager."""
    total, seen = np.zeros(KINDS), np.zeros(KINDS)
    for _ in range(batches):
        me, four, board = deal(rng, rules.decks)
        dealer, taken = _dealer(four, board), natural(four)
        for pair in CHOICES:
            mine = shoe().of(_with(me, np.broadcast_to(pair, (BATCH, 2)), board))
            result = np.where(taken, -1, _against(mine, dealer, rules.tie))
            kind = _kind(me[:, pair[0]], me[:, pair[1]])
            total += np.bincount(kind, result, KINDS)
            seen += np.bincount(kind, minlength=KINDS)
    return np.divide(total, seen, out=np.zeros(KINDS), where=seen > 0)


def play(rng: Generator, rules: Rules, worth: NDArrayFloat, batches: int, pays_natural: int) -> Simulated:
    """Rounds by what was learned."""
    total = squares = 0
    acts = np.zeros(4, np.int64)
    for _ in range(batches):
        gained, act = _rounds(rng, rules, worth, pays_natural)
        total += int(gained.sum())
        squares += int((gained * gained).sum())
        acts += np.bincount(act, minlength=4)
    rounds = batches * BATCH
    mean = Fraction(total, 2 * rounds)
    variance = Fraction(squares, 4 * rounds) - mean * mean
    error = Fraction(round(float(variance / rounds) ** 0.5 * 10**9), 10**9)
    return Simulated(-mean, error, rounds, tuple(float(many) / rounds for many in acts))


def _rounds(rng: Generator, rules: Rules, worth: NDArrayFloat, pays_natural: int) -> tuple[Ints, Ints]:
    """One batch: what the player gains in half wagers, and what was done. Clauses: fast-action (h)(1)-(3), (6), (8), (11),
    (12)."""
    me, four, board = deal(rng, rules.decks)
    values = np.stack([worth[_kind(me[:, i], me[:, j])] for i, j in PAIRS], axis=1)
    halves = values[:, :3] + values[:, :2:-1]  # a choice and the two cards that it leaves
    one, two = values.max(axis=1), halves.max(axis=1)
    split = halves.argmax(axis=1)
    act = np.where(natural(me), 3, np.where(np.maximum(one, two) < -0.5, 2, np.where(two > one, 1, 0)))
    dealer = _dealer(four, board)
    kept, first, second = (
        _against(shoe().of(_with(me, CHOICES[which], board)), dealer, rules.tie)
        for which in (values.argmax(axis=1), split, 5 - split)
    )
    taken = natural(four)  # of a split hand the original wager alone
    gained = np.select(
        [act == 3, act == 2, taken, act == 1], [2 * pays_natural, -1, -2, 2 * (first + second)], 2 * kept
    )
    return gained, act


def main_bet(rules: Rules, seed: int, learning: int, playing: int, pays_natural: int = 5) -> Simulated:
    """`learning`, `playing`: batches of `BATCH` rounds."""
    rng = np.random.default_rng(seed)
    return play(rng, rules, learn(rng, rules, learning), playing, pays_natural)
