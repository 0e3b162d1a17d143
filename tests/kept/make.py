"""Draws days that are worth keeping, or decides the ones that are kept again.

    python -m tests.kept.make            # days are drawn anew; those that show what no other one shows are kept
    python -m tests.kept.make --again    # the inputs stay, what follows from them is decided by today's core

The second is for a change of the core that was meant. The difference of the files is not readable, so the test that
failed has said before, input by input, what becomes different.
"""

import argparse
import re
from collections.abc import Sequence

from controller.table.inputs import Input
from controller.table.state import Setup
from tests.kept.days import FOLDER, Line, decide_all, inputs_of, read, write
from tests.soak.day import Day
from tests.soak.tables import RULEBOOKS

CANDIDATES, KEPT, ROUNDS = 150, 8, 4
"""Days drawn for each rulebook, days kept of them, rounds of a day."""
NUMBER = re.compile(r"\d+")


class WildDay(Day):
    """A day on which more goes wrong, and people try more that they may not do, than on others."""

    p_fault, p_nonsense, p_service = 0.05, 0.3, 0.01


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--again", action="store_true", help="decide the kept inputs again")
    if parser.parse_args().again:
        for path in sorted(FOLDER.glob("*.jsonl.gz")):
            setup, lines = read(path)
            write(path, setup, list(decide_all(setup, list(inputs_of(lines)))))
        return
    for path in FOLDER.glob("*.jsonl.gz"):
        path.unlink()
    for rulebook in RULEBOOKS:
        for number, (setup, lines) in enumerate(_worth_keeping(rulebook), 1):
            write(FOLDER / f"{rulebook}-{number}.jsonl.gz", setup, lines)
            print(f"{rulebook}-{number}: {len(lines)} inputs", flush=True)


def _worth_keeping(rulebook: str) -> list[tuple[Setup, list[Line]]]:
    """Those days of the candidates that together show the most, each the one that adds the most to those before it."""
    drawn = [_drawn(rulebook, number) for number in range(CANDIDATES)]
    shows = [_features(lines) for _, lines in drawn]
    kept: list[tuple[Setup, list[Line]]] = []
    seen: set[str] = set()
    for _ in range(KEPT):
        best = max(range(CANDIDATES), key=lambda n: len(shows[n] - seen))
        seen |= shows[best]
        kept.append(drawn[best])
    return kept


def _drawn(rulebook: str, number: int) -> tuple[Setup, list[Line]]:
    inputs: list[Input] = []
    day = WildDay(rulebook, f"kept {number}", ROUNDS, inputs)
    day.play()
    return day.setup, list(decide_all(day.setup, inputs))


def _features(lines: Sequence[Line]) -> set[str]:
    """What a day shows: kinds of input with the kinds of facts that follow, and every sentence without its numbers."""
    found = set()
    for line in lines:
        kind = line["input"]["kind"]
        for fact in line["facts"]:
            found.add(f"{kind} {fact['kind']}")
            found |= {f"{fact['kind']} {name} {_bare(value)}" for name, value in fact["data"].items()}
    return found


def _bare(value: object) -> str:
    return NUMBER.sub("0", str(value))


if __name__ == "__main__":
    main()
