"""`make rounds`: a million rounds of each game through settlement. Each must add up, and its rows come as often as they must.

    python -m tests.settling.rounds [--rounds 1000000] [--seed 1] [--game NAME] [--processes 2]

Rows are counted first, by the hand that each line names, and held against exact probabilities; what a row pays plays no part
in that, and is checked line by line (`ledger`). All counts of all games together fail one right program in a million.
"""

import argparse
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from os import cpu_count

from controller.games.model import Decision
from controller.games.settling.engine import Settler
from controller.games.settling.round import Hand, Round
from controller.games.settling.settled import Outcome
from tests.settling.chi import Fit, fit
from tests.settling.deal import Blindfold
from tests.settling.games import (
    AT_ONCE,
    BY_NAME,
    FACED,
    FOLDED,
    GAMES,
    GIVEN_UP,
    PLAYED,
    SEATS,
    TRIALS,
    Game,
    Trial,
)
from tests.settling.ledger import Ledger

ERROR = 1e-6
"""How likely one or more of all counts look wrong although none is."""
PIECE = 5_000
"""Rounds that are dealt from one seed."""
PROGRESS_S = 10.0

Key = tuple[str, str, int, str, int, str]
"""Kind of the round, how the hand ended, number of hands, wager, seat, and the cell: a row, or an outcome without one."""
Tally = Counter[Key]


def play(name: str, seed: int, piece: int, rounds: int = PIECE) -> Tally:
    """Counts of one piece of the rounds. Raises `AssertionError` with the round that does not add up."""
    law = BY_NAME[name].law()
    rng = random.Random(f"{name} {seed} {piece}")
    dealer, settler, ledger = Blindfold(law, rng), Settler(law), Ledger(law)
    faced = law.rulebook.hand.community_cards > 0
    tally: Tally = Counter()
    for number in range(rounds):
        round_ = dealer.round(rng.randint(1, SEATS))
        settled = settler.settle(round_)
        try:
            ledger.check(round_, settled)
        except AssertionError as broken:
            raise AssertionError(
                f"{name}, seed {seed}, piece {piece}, round {number}: {broken}\n{round_}"
            ) from None
        ends = {hand.seat: _end(hand, round_, faced) for hand in round_.hands}
        for line in settled.lines:
            if not line.holder and line.outcome is not Outcome.NOT_PLACED:
                cell = line.hand or line.outcome.value
                tally[round_.id, ends[line.seat], len(ends) + 1, line.wager, line.seat, cell] += 1
    return tally


def _end(hand: Hand, round_: Round, faced: bool) -> str:
    match hand.decisions[-1]:
        case Decision.FOLD:
            return FOLDED
        case Decision.SURRENDER:
            return GIVEN_UP
        case Decision.NATURAL | Decision.DECLARE:
            return AT_ONCE
        case _:
            return FACED if faced and not round_.community else PLAYED


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one trial came to at one seat. `counts`: by cell."""

    trial: Trial
    seat: int
    counts: Counter[str]
    fit: Fit

    @property
    def wrong(self) -> bool:
        """Whether chance does that less than once in a million runs of all trials."""
        return self.fit.chance < ERROR / TRIALS

    def __str__(self) -> str:
        trial = self.trial
        among = " ".join((*trial.among, *trial.kinds, *([f"{trial.hands} hands"] if trial.hands else [])))
        cells = ", ".join(
            f"{cell} {self.counts[cell]}/{float(p * self.fit.counted):.1f}" for cell, p in trial.cells.items()
        )
        strange = ", ".join(f"{cell} {many}/0" for cell, many in self.counts.items() if cell not in trial.cells)
        return (
            f"{trial.wager} seat {self.seat} ({among or 'all'}): chi-square {self.fit.chi:.1f} with {self.fit.freedom} "
            f"degrees of freedom, chance {self.fit.chance:.3g}; {', '.join(filter(None, (strange, cells)))}"
        )


def verdicts(game: Game, tally: Tally) -> list[Verdict]:
    """One for each trial of the game at each seat."""
    return [_verdict(trial, seat, tally) for trial in game.trials for seat in trial.seats]


def _verdict(trial: Trial, seat: int, tally: Tally) -> Verdict:
    counts: Counter[str] = Counter()
    for (kind, end, hands, wager, at, cell), many in tally.items():
        wanted = (wager, at) == (trial.wager, seat) and trial.hands in (0, hands)
        if (
            wanted
            and end in (trial.among or (end,))
            and kind in (trial.kinds or (kind,))
            and cell not in trial.dropped
        ):
            counts[trial.merged.get(cell, cell)] += many
    return Verdict(trial, seat, counts, fit(counts, trial.cells))


def pieces(rounds: int) -> list[tuple[int, int]]:
    """Number and rounds of each piece, as many as make up the rounds."""
    return [(piece, min(PIECE, rounds - piece * PIECE)) for piece in range(-(-rounds // PIECE))]


def played(game: Game, rounds: int, seed: int, processes: int) -> Tally:
    """The counts of all pieces. Raises `AssertionError` for the first round that does not add up."""
    numbers, lengths = zip(*pieces(rounds), strict=True)
    tally: Tally = Counter()
    told = time.monotonic()
    with ProcessPoolExecutor(processes) as pool:
        for number, part in enumerate(pool.map(play, repeat(game.name), repeat(seed), numbers, lengths), start=1):
            tally.update(part)
            if time.monotonic() - told > PROGRESS_S:
                told = time.monotonic()
                print(f"{game.name}: {number} of {len(numbers)} pieces", file=sys.stderr, flush=True)
    return tally


def report(game: Game, tally: Tally) -> tuple[str, bool]:
    """The rarest of each wager, and in full what is wrong; whether all is as it must be."""
    found = verdicts(game, tally)
    wrong = [verdict for verdict in found if verdict.wrong]
    rarest: dict[str, float] = {}
    for verdict in found:
        wager = verdict.trial.wager
        rarest[wager] = min(verdict.fit.chance, rarest.get(wager, 1.0))
    lines = [f"  {wager}: rarest of its counts has chance {chance:.3g}" for wager, chance in rarest.items()]
    return "\n".join([*lines, *(f"  WRONG: {verdict}" for verdict in wrong)]), not wrong


def main() -> int:
    """Returns the exit code: 0, or 1 where a count is wrong or a round does not add up."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1_000_000, help="of each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", choices=BY_NAME, default=None)
    parser.add_argument("--processes", type=int, default=cpu_count() or 2)
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error("--rounds is at least 1")
    began, right = time.monotonic(), True
    print(
        f"seed {given.seed}; a count is wrong below a chance of {ERROR / TRIALS:.3g}, one of {TRIALS}", flush=True
    )
    for game in (BY_NAME[given.game],) if given.game else GAMES:
        try:
            tally = played(game, given.rounds, given.seed, given.processes)
        except AssertionError as broken:
            print(f"BROKEN: {broken}")
            return 1
        told, good = report(game, tally)
        right &= good
        print(f"{game.name}: {given.rounds} rounds add up, {tally.total()} lines\n{told}", flush=True)
    print(f"{time.monotonic() - began:.0f} s")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
