"""The pure core alone: inputs decided a second on one core, and whether an input costs more late in the day than early.

Under each rulebook a day is played that is longer than any, with every optional wager and device that the document has a use
for, faults and restarts among the rounds. No device, no journal and no network take part.

    python -m tests.bench.core_rate [--rounds 1000]
"""

import argparse
import gc
import statistics

from controller.cli.filters.decide import example_setup
from controller.rules.elections import proposals
from tests.soak.day import SHARE, Day
from tests.soak.tables import RULEBOOKS, book

SEED = "bench"
Rate = dict[str, float]


def core_rate(rounds: int = 1000) -> dict[str, Rate]:
    """By rulebook: `per_s`: inputs a second over the whole day; `late_by_early`: cost of an input in its last tenth by the
    first. Time is that of this thread alone: other work on the machine is not the core's.
    """
    return {rulebook: _of_a_day(rulebook, rounds) for rulebook in RULEBOOKS}


def _of_a_day(rulebook: str, rounds: int) -> Rate:
    law = book(rulebook)
    elections = {question: (choice, "bench") for question, choice in proposals(law).items()}
    day = Day(rulebook, SEED, rounds, setup=example_setup(law, elections))
    gc.collect()
    day.play()
    costs, share = day.costs_ns, len(day.costs_ns) // SHARE
    early, late = statistics.fmean(costs[:share]), statistics.fmean(costs[-share:])
    return {
        "inputs": day.tally.inputs,
        "per_s": 1e9 / statistics.fmean(costs),
        "p50_us": statistics.median(costs) / 1000,
        "p99_us": sorted(costs)[len(costs) * 99 // 100] / 1000,
        "late_by_early": late / early,
    }


def report(rates: dict[str, Rate]) -> str:
    """A line for each rulebook."""
    return "\n".join(
        f"the pure core, {rulebook}: {rate['per_s']:.0f} inputs a second on one core over {rate['inputs']:.0f} inputs, "
        f"p50 {rate['p50_us']:.0f} us, p99 {rate['p99_us']:.0f} us; the last tenth costs {rate['late_by_early']:.2f} "
        "times the first"
        for rulebook, rate in rates.items()
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1000)
    print(report(core_rate(parser.parse_args().rounds)))
