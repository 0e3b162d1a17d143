"""`make soak`: random rounds of every rulebook through the pure core, on all processors, every input watched.

    python -m tests.soak.run [--rounds 100000] [--seed N] [--rulebook ID] [--day N] [--processes N]

The seed is printed first. A day that breaks something is named, and the others are played all the same; the first of them is
played again alone, made as short as still breaks it, and printed as lines for `tablewarden decide`, with the elections of its
table.
"""

import argparse
import gc
import secrets
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from os import cpu_count as cpus

import msgspec
from msgspec.structs import asdict

from controller.table.state.table import Setup
from controller.table.words.codec import builtins
from controller.table.words.inputs import Input
from tests.soak.day import Broken, Day, Tally
from tests.soak.plan import days, missing, play_day, report, seed_of
from tests.soak.shrink import shrunk
from tests.soak.tables import RULEBOOKS, book

PROGRESS_S = 10.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A day that broke something."""

    rulebook: str
    day: int
    what: str


@dataclass(frozen=True, slots=True)
class Played:
    rulebook: str
    tally: Tally


def main() -> int:
    """Returns the exit code: 0, or 1 where something broke or never came up."""
    given = _arguments()
    print(f"seed {given.seed}", flush=True)
    if given.day is not None:
        return 1 if _again(given.rulebook or RULEBOOKS[0], given.seed, given.day, given.rounds) else 0
    rulebooks = (given.rulebook,) if given.rulebook else RULEBOOKS
    tallies = {rulebook: Tally() for rulebook in rulebooks}
    began, failures = time.monotonic(), list[Failure]()
    for result in _played(rulebooks, given.rounds, given.seed, given.processes):
        match result:
            case Played(rulebook, tally):
                tallies[rulebook].add(tally)
            case Failure():
                failures.append(result)
                print(f"BROKEN: {result.rulebook}, day {result.day}: {result.what}")
                where = f"RULEBOOK={result.rulebook} DAY={result.day} SOAK_ROUNDS={given.rounds}"
                print(f"again: make soak SEED={given.seed} {where}", flush=True)
    if failures:
        first = failures[0]
        _again(first.rulebook, given.seed, first.day, given.rounds)
    faults = 0
    for rulebook, tally in tallies.items():
        print(report(rulebook, tally))
        if not failures:
            for fault in missing(rulebook, tally):
                faults += 1
                print(f"  FAULT: {fault}")
    print(f"{time.monotonic() - began:.0f} s, seed {given.seed}")
    return 1 if failures or faults else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100_000, help="of each rulebook")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--rulebook", choices=RULEBOOKS, default=None)
    parser.add_argument("--day", type=int, default=None, help="only this day of the rulebook, to look at it")
    parser.add_argument("--processes", type=int, default=cpus() or 2)
    given = parser.parse_args()
    given.seed = secrets.randbelow(1_000_000) if given.seed is None else given.seed
    return given


def _job(rulebook: str, seed: int, day: int, rounds: int) -> Played | Failure:
    try:
        return Played(rulebook, play_day(rulebook, seed, day, rounds))
    except Broken as broken:
        return Failure(rulebook, day, str(broken))


def _settle_in() -> None:
    """The rulebooks stay for good: the collector of garbage need not look through them again and again."""
    for rulebook in RULEBOOKS:
        book(rulebook)
    gc.collect()
    gc.freeze()


def _played(rulebooks: tuple[str, ...], rounds: int, seed: int, processes: int) -> Iterator[Played | Failure]:
    """What each day came to, as they end; the days of the rulebooks take turns."""
    planned = [(rulebook, day, length) for day, length in days(rounds) for rulebook in rulebooks]
    ended, told = 0, time.monotonic()
    with ProcessPoolExecutor(processes, initializer=_settle_in) as pool:
        jobs = [pool.submit(_job, rulebook, seed, day, length) for rulebook, day, length in planned]
        for job in as_completed(jobs):
            ended += 1
            if time.monotonic() - told > PROGRESS_S:
                told = time.monotonic()
                print(f"{ended} of {len(jobs)} days", file=sys.stderr, flush=True)
            result = job.result()
            yield result


def _again(rulebook: str, seed: int, day: int, rounds: int) -> bool:
    """Plays one day again and prints the fewest inputs that break it. True where it broke."""
    inputs: list[Input] = []
    length = dict(days(rounds)).get(day)
    if length is None:
        raise SystemExit(f"{rounds} rounds are days 0 to {len(days(rounds)) - 1}; there is no day {day}")
    played = Day(rulebook, seed_of(rulebook, seed, day), length, inputs)
    try:
        print(report(rulebook, played.play()))
    except Broken as broken:
        print(f"{rulebook}, day {day}: {broken}")
        _show(played.setup, shrunk(played.setup, inputs))
        return True
    return False


def _show(setup: Setup, inputs: list[Input], most: int = 200) -> None:
    """The table and its inputs, in the form that `tablewarden decide` reads."""
    print(
        f"# {len(inputs)} inputs; dealt by {setup.method}, {setup.seats} seats, devices {', '.join(setup.devices)}"
    )
    print("# [elections]")
    for question, election in setup.law.elections.items():
        print(f'# {question} = {{ choice = "{election.choice}", by = "{election.by}" }}')
    for given in inputs[-most:]:
        line = {
            "at": asdict(given.at),
            "subject": given.subject,
            "kind": given.body.kind,
            "body": builtins(given.body),
        }
        if given.actor is not None:
            line["actor"] = asdict(given.actor)
        print(msgspec.json.encode(line).decode())


if __name__ == "__main__":
    sys.exit(main())
