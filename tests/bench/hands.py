"""Hands ranked a second by single calls, beside four rankers by other people; how soon the first hand is ranked; and how
long it takes to count all 133,784,560 hands of seven cards.

Every ranker gets the same hands in its own form, made before the clock runs. All run once, then all run again; a ratio is
taken inside one repetition, the median of the repetitions is printed. Time is processor time: other work on the machine
is not theirs.

    python -m tests.bench.hands [--reps 7] [--hands 20000]
"""

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import eval7
import pokerkit
import treys
from phevaluator.evaluator import evaluate_cards

from controller.cards.cards import NAMES, parse
from controller.cards.ranking import five, seven
from controller.cards.words import describe

OURS = "tablewarden"
SLOW = {"pokerkit": 20}
"""Rankers that get only one in so many of the hands: they would take minutes."""
READY = """
import time; begin = time.process_time_ns()
from controller.cards.ranking import seven
seven((0, 5, 10, 15, 20, 25, 30))
print(time.process_time_ns() - begin)
"""
PROOF = """
import time; begin = time.process_time_ns()
from controller.cards.census import census
counted = census(7)
print(time.process_time_ns() - begin, counted.total(), len(counted))
"""
ALL_SEVEN, VALUES_OF_SEVEN = 133_784_560, 4_824
FIVE_ACES = "As Ah Ad Ac As"
Rank = Callable[[Sequence[object]], object]


@dataclass(frozen=True, slots=True)
class Ranker:
    """`form`: a card as it wants it. `rank`: of hands of five or seven such cards. `from_seven`: of seven, if by another call."""

    name: str
    form: Callable[[int], object]
    rank: Rank
    from_seven: Rank | None = None

    def of(self, size: int) -> Rank:
        return self.from_seven or self.rank if size == 7 else self.rank


@dataclass(frozen=True, slots=True)
class HandFigures:
    """Medians. `rates` and `ratios` (ours to theirs) by number of cards and ranker; `cold`: ours with empty tables."""

    rates: dict[int, dict[str, float]]
    ratios: dict[int, dict[str, float]]
    cold: dict[int, float]
    ready_ms: float
    proof_s: float
    five_aces: dict[str, str]


def _rankers() -> list[Ranker]:
    treys_rank = treys.Evaluator().evaluate
    return [
        Ranker(OURS, lambda card: card, five, seven),
        Ranker("eval7", lambda card: eval7.Card(NAMES[card]), eval7.evaluate),
        Ranker("phevaluator", lambda card: card, lambda hand: evaluate_cards(*hand)),
        Ranker("treys", lambda card: treys.Card.new(NAMES[card]), lambda hand: treys_rank(hand[:2], hand[2:])),
        Ranker(
            "pokerkit",
            lambda card: next(iter(pokerkit.Card.parse(NAMES[card]))),
            pokerkit.StandardHighHand,
            lambda hand: pokerkit.StandardHighHand.from_game(hand[:2], hand[2:]),
        ),
    ]


def hand_rates(reps: int = 7, hands: int = 20_000) -> HandFigures:
    """Measures all of it; takes about a minute."""
    rankers, draw = _rankers(), random.Random(7)
    rates: dict[int, dict[str, float]] = {}
    ratios: dict[int, dict[str, float]] = {}
    cold: dict[int, float] = {}
    for size in (7, 5):
        drawn = [draw.sample(range(52), size) for _ in range(hands)]
        formed = {r.name: [tuple(map(r.form, h)) for h in drawn[:: SLOW.get(r.name, 1)]] for r in rankers}
        cold[size] = _rate(rankers[0].of(size), formed[OURS])
        runs = [{r.name: _rate(r.of(size), formed[r.name]) for r in rankers} for _ in range(reps)]
        rates[size] = {r.name: statistics.median(run[r.name] for run in runs) for r in rankers}
        others = [r.name for r in rankers if r.name != OURS]
        ratios[size] = {name: statistics.median(run[OURS] / run[name] for run in runs) for name in others}
    ready_ms = statistics.median(_alone(READY)[0] / 1e6 for _ in range(reps))
    return HandFigures(rates, ratios, cold, ready_ms, _proof(), {r.name: _opinion(r) for r in rankers})


def _rate(rank: Rank, hands: Sequence[Sequence[object]]) -> float:
    """Hands a second, each ranked by a call of its own."""
    begin = time.thread_time_ns()
    for hand in hands:
        rank(hand)
    return len(hands) * 1e9 / (time.thread_time_ns() - begin)


def _alone(program: str) -> list[int]:
    """The numbers that a program prints which runs in an interpreter of its own."""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return [int(word) for word in done.stdout.split()]


def _proof() -> float:
    """Seconds to count all hands of seven cards, import and empty tables included."""
    took_ns, hands, values = _alone(PROOF)
    if (hands, values) != (ALL_SEVEN, VALUES_OF_SEVEN):
        raise SystemExit(f"the count of all hands is wrong: {hands} hands of {values} values")
    return took_ns / 1e9


def _opinion(ranker: Ranker) -> str:
    """What it takes five aces of several decks for."""
    hand = tuple(map(ranker.form, parse(FIVE_ACES, 2)))
    try:
        value = ranker.rank(hand)
    except Exception as error:  # other people's code: whatever it raises is its answer
        return type(error).__name__
    match ranker.name:
        case "tablewarden":
            return describe(value)
        case "eval7":
            return str(eval7.handtype(value)).lower()
        case _:
            return f"rank {value}"


def report(figures: HandFigures) -> str:
    """The figures as lines."""
    lines = ["hands ranked a second by single calls; in brackets how many times theirs is ours"]
    for size, rates in figures.rates.items():
        others = ", ".join(f"{name} {rates[name]:,.0f} ({x:.2f})" for name, x in figures.ratios[size].items())
        lines.append(f"  {size} cards: {rates[OURS]:,.0f}; {others}")
    cold = ", ".join(f"{rate:,.0f} of {size} cards" for size, rate in figures.cold.items())
    aces = ", ".join(f"{name}: {opinion}" for name, opinion in figures.five_aces.items())
    return "\n".join(
        (
            *lines,
            f"  ours before its tables know any hand: {cold}",
            f"  the first hand of a new process, import included: {figures.ready_ms:.1f} ms",
            f"  all {ALL_SEVEN:,} hands of seven cards counted, import included: {figures.proof_s:.2f} s",
            f"  {FIVE_ACES} by {aces}",
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reps", type=int, default=7)
    parser.add_argument("--hands", type=int, default=20_000)
    given = parser.parse_args()
    print(report(hand_rates(given.reps, given.hands)))


if __name__ == "__main__":
    main()
