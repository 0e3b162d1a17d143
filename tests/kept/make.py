"""Draws days that are worth keeping, or decides the ones that are kept again.

    python -m tests.kept.make            # days are drawn anew; those that show what no other one shows are kept
    python -m tests.kept.make --more 4   # so many days more of each rulebook, that show what the kept ones do not
    python -m tests.kept.make --again    # the inputs stay, what follows from them is decided by today's core

The last is for a change of the core that was meant. The difference of the files is not readable, so the test that
failed has said before, input by input, what becomes different. An answer stays one to its question, and a report one to its
command, where these have another number now.
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from controller.rules.elections import elect, proposals
from controller.table.state.table import Setup, State
from controller.table.words.inputs import SERVICE_EVENTS, Input, RecordDayClosed, ServiceStarted
from drivers.events import LINK_EVENTS, REPORTS
from tests.kept.days import FOLDER, Line, decide_all, decide_one, inputs_of, read, write
from tests.soak.day import TABLE, Broken, Day
from tests.soak.tables import RULEBOOKS

CANDIDATES, KEPT, ROUNDS = 150, 8, 4
"""Days drawn for each rulebook, days kept of them, rounds of a day."""
MANY = 600
"""Days drawn for more: what the first ones do not show is rare."""
MOST_INPUTS = 600
TOLD = {kind: cls for kind, cls in SERVICE_EVENTS.items() if cls not in (ServiceStarted, RecordDayClosed)}
REPORTED = {**REPORTS, **LINK_EVENTS}
NUMBER = re.compile(r"\d+")


class WildDay(Day):
    """A day on which more goes wrong, and people try more that they may not do, than on others."""

    p_fault, p_nonsense, p_service = 0.05, 0.3, 0.01


class AnyDay(WildDay):
    """A day on which anything may come in from anybody, as from devices and people who know nothing of the table."""

    p_any = 0.3

    def __init__(self, rulebook: str, seed: str, rounds: int, given: list[Input]) -> None:
        super().__init__(rulebook, seed, rounds, given)
        self.watch.saw = lambda *_: None  # type: ignore[method-assign]  # it holds the clock to its word, which lies here

    def _step(self) -> None:
        if self.rng.random() >= self.p_any or self.state.round is None:
            super()._step()
            return
        subject = self.rng.choice((TABLE, *self.setup.devices))
        kinds = TOLD if subject == TABLE else REPORTED
        self.put(subject, self._builder.record(kinds[self.rng.choice(tuple(kinds))], self.state))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--again", action="store_true", help="decide the kept inputs again")
    parser.add_argument("--more", type=int, default=0, metavar="N", help="keep so many days more of each rulebook")
    given = parser.parse_args()
    if given.again:
        for path in _kept():
            setup, lines = read(path)
            setup = _opens(setup)
            write(path, setup, list(_again(setup, lines)))
        return
    if not given.more:
        for path in _kept():
            path.unlink()
    for rulebook in RULEBOOKS:
        before = [path for path in _kept() if path.name.rpartition("-")[0] == rulebook]
        seen = {feature for path in before for feature in _features(read(path)[1])}
        numbers = range(MANY, 2 * MANY) if given.more else range(CANDIDATES)
        days = _worth_keeping(rulebook, numbers, given.more or KEPT, seen)
        for number, (setup, lines) in enumerate(days, len(before) + 1):
            write(FOLDER / f"{rulebook}-{number}.jsonl.gz", setup, lines)
            print(f"{rulebook}-{number}: {len(lines)} inputs", flush=True)


NUMBERED = {"hold_placed": "hold", "duty_opened": "duty", "dispute_raised": "dispute", "level_wanted": "operation"}
"""Facts that are answered by their number, and where it stands."""


def _again(setup: Setup, lines: Sequence[Line]) -> Iterator[Line]:
    """Each input with what follows from it today."""
    numbers: dict[str | int, str | int] = {}
    state = State.initial(setup)
    for number, (line, given) in enumerate(zip(lines, inputs_of(lines), strict=True)):
        told = {key: getattr(given.body, key, None) for key in NUMBERED.values()}
        now = {key: numbers[was] for key, was in told.items() if was in numbers and numbers[was] != was}
        body = msgspec.structs.replace(given.body, **now) if now else given.body
        new, state = decide_one(setup, state, number, msgspec.structs.replace(given, body=body))
        numbers |= _renumbered(line, new)
        yield new


def _renumbered(was: Line, now: Line) -> dict[str | int, str | int]:
    """The number by which each that was asked is asked now: in the order of their kind, and of commands for the same level."""
    found = {}
    for kind, key in NUMBERED.items():
        before, after = ([fact["data"] for fact in line["facts"] if fact["kind"] == kind] for line in (was, now))
        for asked in before:
            same = [x for x in after if all(x.get(part) == asked.get(part) for part in ("level", "value"))]
            if same:
                after.remove(same[0])
                found[asked[key]] = same[0][key]
    return found


def _opens(setup: Setup) -> Setup:
    """With what its rulebook has asked since, elected as is proposed: without it no table opens, and its day shows nothing."""
    law, proposed = setup.law, proposals(setup.law.rulebook)
    asked = {question.id: (proposed[question.id], "a later edition") for question in law.unelected(setup.offered)}
    elected = {question: (made.choice, made.by) for question, made in law.elections.items()}
    return msgspec.structs.replace(setup, law=elect(law.rulebook, elected | asked))


def _kept() -> list[Path]:
    return sorted(FOLDER.glob("*.jsonl.gz"))


def _worth_keeping(
    rulebook: str, numbers: Iterable[int], many: int, seen: set[str]
) -> list[tuple[Setup, list[Line]]]:
    """Of the days with these numbers so many, each the one that adds the most to what is `seen` and those before it."""
    with ProcessPoolExecutor() as pool:
        drawn = list(pool.map(partial(_drawn, rulebook), numbers, chunksize=10))
    shows = [_features(lines) for _, lines in drawn]
    kept: list[tuple[Setup, list[Line]]] = []
    for _ in range(many):
        best = max(range(len(drawn)), key=lambda n: len(shows[n] - seen))
        print(f"{rulebook}: {len(shows[best] - seen)} that no other one shows")
        seen = seen | shows[best]
        kept.append(drawn[best])
    return kept


def _drawn(rulebook: str, number: int) -> tuple[Setup, list[Line]]:
    inputs: list[Input] = []
    day = (AnyDay if number >= MANY else WildDay)(rulebook, f"kept {number}", ROUNDS, inputs)
    with suppress(Broken, LookupError):  # whoever says anything may bring a table to where people cannot play on
        day.play()
    return day.setup, list(decide_all(day.setup, inputs[:MOST_INPUTS]))


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
