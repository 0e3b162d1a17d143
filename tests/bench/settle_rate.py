"""Rounds settled a second by one core, six seats each, of every game: with the first wagers alone, and with all there are.

The rounds are made before the clock runs; each game settles all of them, then all again, and the median is printed. Time is
that of this process alone.

    python -m tests.bench.settle_rate [--rounds 2000]
"""

import argparse
import random
import statistics
import time

from controller.games.settling.engine import Settler
from controller.games.settling.round import Round
from controller.rules.elections import elect, proposals
from controller.rules.read.library import available, find
from tests.support.dealt import Dealer

SEED, REPETITIONS = 1, 5
Rates = dict[str, dict[str, float]]


def settle_rates(rounds: int = 2000) -> Rates:
    """By rulebook: settlements a second with the `first` wagers, and with `every` wager at every seat."""
    rates: Rates = {}
    for name in available():
        book = find(name)
        law = elect(book, {question: (choice, "bench") for question, choice in proposals(book).items()})
        settler = Settler(law)
        rates[name] = {}
        for which, optional in (("first", False), ("every", True)):
            dealer = Dealer(law, random.Random(SEED), every=True, optional=optional)
            dealt = [dealer.round() for _ in range(rounds)]
            rates[name][which] = statistics.median(_rate(settler, dealt) for _ in range(REPETITIONS))
    return rates


def _rate(settler: Settler, dealt: list[Round]) -> float:
    began = time.process_time()
    for round_ in dealt:
        settler.settle(round_)
    return len(dealt) / (time.process_time() - began)


def report(rates: Rates) -> str:
    """A line for each rulebook."""
    return "\n".join(
        f"settlement, {name}: {rate['first']:.0f} rounds of six seats a second with the first wagers, {rate['every']:.0f} with "
        "every wager at every seat"
        for name, rate in rates.items()
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2000)
    print(report(settle_rates(parser.parse_args().rounds)))
