"""Pearson's chi-square in plain Python: how far counts are from their exact probabilities, and how rarely chance does that."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

LEAST_EXPECTED = 5
"""Cells that expect fewer are pooled: below it the distribution of the sum is not that of chi-square."""
_TERMS, _NEAR = 10_000, 1e-15
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Fit:
    """`chance`: how often counts at least so far from what is expected come up where the probabilities hold."""

    counted: int
    chi: float
    freedom: int
    chance: float


def fit(counts: Mapping[str, int], exact: Mapping[str, Fraction]) -> Fit:
    """Counts of independent trials against the probability of each cell, which add up to 1.

    Raises `ValueError` where they do not. A cell that was counted and cannot come up has no chance at all.
    """
    if sum(exact.values()) != 1:
        raise ValueError(f"the probabilities add up to {sum(exact.values())}")
    trials = sum(counts.values())
    if any(many and not exact.get(cell) for cell, many in counts.items()):
        return Fit(trials, math.inf, 0, 0.0)
    pooled = _pooled([(chance * trials, counts.get(cell, 0)) for cell, chance in exact.items()])
    chi = float(sum(((many - expected) ** 2 / expected for expected, many in pooled), Fraction(0)))
    freedom = max(len(pooled) - 1, 0)
    return Fit(trials, chi, freedom, survival(chi, freedom) if freedom else 1.0)


def _pooled(cells: list[tuple[Fraction, int]]) -> list[tuple[Fraction, int]]:
    """Expected and counted, the rarest cells put together until each expects enough."""
    left = sorted((cell for cell in cells if cell[0]), reverse=True)
    while len(left) > 1 and left[-1][0] < LEAST_EXPECTED:
        (rare, few), (next_rare, next_few) = left.pop(), left.pop()
        left.append((rare + next_rare, few + next_few))
        left.sort(reverse=True)
    return left


def survival(chi: float, freedom: int) -> float:
    """The chance of more than `chi` with so many degrees of freedom: the regularised upper incomplete gamma function.

    Its lower part by the series where that converges fast, its upper part by Lentz's continued fraction elsewhere.
    """
    shape, x = freedom / 2, chi / 2
    if x <= 0:
        return 1.0
    scale = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    return 1 - scale * _series(shape, x) if x < shape + 1 else scale * _fraction(shape, x)


def _series(shape: float, x: float) -> float:
    term = total = 1 / shape
    for n in range(1, _TERMS):
        term *= x / (shape + n)
        total += term
        if term < total * _NEAR:
            return total
    raise ArithmeticError(f"the series of {shape}, {x} does not converge")


def _fraction(shape: float, x: float) -> float:
    below = x + 1 - shape
    c, d = 1 / _TINY, 1 / below
    total = d
    for n in range(1, _TERMS):
        above = n * (shape - n)
        below += 2
        d = 1 / (above * d + below or _TINY)
        c = below + above / c or _TINY
        total *= c * d
        if abs(c * d - 1) < _NEAR:
            return total
    raise ArithmeticError(f"the continued fraction of {shape}, {x} does not converge")
