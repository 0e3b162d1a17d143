"""The highest of several hands over the same five cards, by enumeration of the boards that differ by more than suits' names.

On one board the hands of two cards that reach a category are edges of a graph of the 47 cards left. Deals of so many hands of
which none reaches it are sets of disjoint pairs that avoid the graph: counted by inclusion and exclusion from the graph's own
sets of disjoint edges, which its matching polynomial counts.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from math import comb, factorial

import numpy as np

from controller.rules.pay import PayTable
from tests.edges.boards import seven, values_on
from tests.edges.counts import CATEGORY, Counts
from tests.edges.paid import Stake, edge
from tests.edges.values import FIRST, SECOND, canonical

LEFT = 47
REACHED = ("full_house", "four_of_a_kind", "straight_flush", "royal_flush")

Edges = frozenset[tuple[int, int]]
Polynomial = tuple[int, ...]
"""Coefficient k: ways to choose k edges that share no card."""


def pairings(cards: int, hands: int) -> int:
    """Ways to take so many hands of two from these cards."""
    if cards < 2 * hands or hands < 0:
        return 0
    return factorial(cards) // (factorial(cards - 2 * hands) * factorial(hands) * 2**hands)


def deals(hands: int) -> int:
    """All boards with so many hands, whose order counts for nothing."""
    return comb(52, 5) * pairings(LEFT, hands)


@cache
def matchings(edges: Edges) -> Polynomial:
    """Of a graph whose vertices are numbered from 0 in their order, so that like graphs meet in the cache."""
    if not edges:
        return (1,)
    degree: dict[int, int] = {}
    for pair in edges:
        for vertex in pair:
            degree[vertex] = degree.get(vertex, 0) + 1
    centre = max(degree, key=lambda vertex: (degree[vertex], -vertex))
    without = matchings(_numbered(e for e in edges if centre not in e))
    total = list(without) + [0] * (len(degree) // 2 + 1 - len(without))
    for other in {v for e in edges if centre in e for v in e} - {centre}:
        rest = matchings(_numbered(e for e in edges if centre not in e and other not in e))
        for size, ways in enumerate(rest):
            total[size + 1] += ways
    return tuple(total)


def _numbered(edges: Iterable[tuple[int, int]]) -> Edges:
    kept = list(edges)
    place = {vertex: number for number, vertex in enumerate(sorted({v for e in kept for v in e}))}
    return frozenset((place[a], place[b]) for a, b in kept)


def components(edges: list[tuple[int, int]]) -> list[Edges]:
    """The graph in its parts, each numbered for itself."""
    group = {vertex: vertex for edge in edges for vertex in edge}

    def root(vertex: int) -> int:
        while group[vertex] != vertex:
            vertex = group[vertex]
        return vertex

    for a, b in edges:
        group[root(a)] = root(b)
    parts: dict[int, list[tuple[int, int]]] = {}
    for pair in edges:
        parts.setdefault(root(pair[0]), []).append(pair)
    return [_numbered(part) for part in parts.values()]


def avoiding(edges: list[tuple[int, int]], hands: int) -> int:
    """Ways to take so many hands from the 47 cards so that none of them is one of these pairs."""
    degree = np.bincount(np.array(edges).ravel(), minlength=LEFT)
    centres = set(np.flatnonzero(degree == LEFT - 1).tolist())  # a card that reaches it with any other
    cards = LEFT - len(centres)
    chosen: list[int] = [1]
    for part in components([e for e in edges if not centres.intersection(e)]):
        polynomial = matchings(part)
        product = [0] * (len(chosen) + len(polynomial) - 1)
        for i, x in enumerate(chosen):
            for j, y in enumerate(polynomial):
                product[i + j] += x * y
        chosen = product
    return sum((-1) ** k * ways * pairings(cards - 2 * k, hands - k) for k, ways in enumerate(chosen))


@cache
def highest(most: int = 7) -> dict[int, Counts]:
    """By number of hands from two on: of `deals`, how often the highest has each category from a full house on."""
    reached = {hands: dict.fromkeys(REACHED, 0) for hands in range(2, most + 1)}
    for board, weight in canonical(5):
        left = np.array([card for card in range(52) if card not in board])
        category = seven().category[values_on(board, left)]
        if category.max() < CATEGORY.index(REACHED[0]):
            continue
        for name in REACHED:
            rows = np.flatnonzero(category >= CATEGORY.index(name))
            if not len(rows):
                break
            edges = list(zip(FIRST[rows].tolist(), SECOND[rows].tolist(), strict=True))
            for hands, counts in reached.items():
                counts[name] += weight * (pairings(LEFT, hands) - avoiding(edges, hands))
    return {hands: _alone(counts) for hands, counts in reached.items()}


SIMULATED = 4_000_000
"""Deals for what cannot be enumerated so: how often the highest hand is three of a kind, a straight or a flush."""
SEED, BATCH = 20, 100_000


@cache
def pushes(hands: int) -> int:
    """Of `SIMULATED` deals, in how many the highest hand is three of a kind, a straight or a flush."""
    rng, seen = np.random.default_rng(SEED), 0
    low, high = CATEGORY.index("three_of_a_kind"), CATEGORY.index("flush")
    for _ in range(SIMULATED // BATCH):
        cards = rng.permuted(np.broadcast_to(np.arange(52), (BATCH, 52)), axis=1)
        best = np.zeros(BATCH, np.int64)
        for hand in range(hands):
            own = cards[:, 5 + 2 * hand : 7 + 2 * hand]
            best = np.maximum(best, seven().of(np.column_stack((cards[:, :5], own))))
        category = seven().category[best]
        seen += int(((category >= low) & (category <= high)).sum())
    return seen


def with_pushes(table: PayTable, hands: int) -> tuple[Fraction, Fraction, int]:
    """The house's part where a hand below a full house pushes, its standard error, and the deals simulated for it."""
    lost = edge(table, highest()[hands], deals(hands), Stake())
    share = Fraction(pushes(hands), SIMULATED)
    error = float(share * (1 - share) / SIMULATED) ** 0.5
    return lost - share, Fraction(round(error * 10**9), 10**9), SIMULATED


def _alone(counts: Counts) -> Counts:
    """From "at least" to "just"."""
    above = [*REACHED[1:], ""]
    return {name: counts[name] - counts.get(higher, 0) for name, higher in zip(REACHED, above, strict=True)}
