"""Counts how far a reader has to go through the core to follow one shoe jam under Maryland's document.

    python -m tests.support.jam_path            # the figures
    python -m tests.support.jam_path --steps    # and each function, in the order in which it is called first

The jam is the one of docs/examples/shoe-jam.jsonl: one seat, three wagers, stack 1 is due. Only `decided` is followed, from the
input to the last fact folded into the state.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

from controller.cli.filters.decide import example_setup
from controller.filters import decide as filter_
from controller.filters.decide import DecideFilter
from controller.rules.elections import proposals
from controller.rules.read.library import find
from controller.table.decide import decided

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs/examples/shoe-jam.jsonl"


@dataclass(frozen=True, slots=True)
class JamPath:
    """`calls`: (file, function) of each call in the core, in order."""

    calls: tuple[tuple[str, str], ...]

    @property
    def steps(self) -> tuple[tuple[str, str], ...]:
        """Each function once, where it is called first: what a reader reads."""
        return tuple(dict.fromkeys(self.calls))

    @property
    def files(self) -> tuple[str, ...]:
        """Files that a reader opens, in the order in which they are opened first."""
        return tuple(dict.fromkeys(file for file, _ in self.steps))

    @property
    def changes(self) -> int:
        """How often the next function to read stands in another file."""
        return changes([file for file, _ in self.steps])

    @property
    def changes_of_all_calls(self) -> int:
        """How often a call stands in another file than the call before, repeats included, as a debugger shows it."""
        return changes([file for file, _ in self.calls])


def changes(files: Sequence[str]) -> int:
    """Counts the neighbours that differ."""
    return sum(one != other for one, other in pairwise(files))


def jam_path() -> JamPath:
    """Decides the example up to its jam, and follows the calls of the jam."""
    lines = EXAMPLE.read_bytes().splitlines()
    at = next(n for n, line in enumerate(lines) if json.loads(line)["kind"] == "jammed")
    book = find("md-uth")
    setup = example_setup(book, {question: (choice, "bench") for question, choice in proposals(book).items()})
    core = DecideFilter(setup)
    for line in lines[:at]:
        core.feed(line)
    given = filter_._input(lines[at])
    decided(setup, core.state, given)  # caches are filled: they are no part of the path
    calls: list[tuple[str, str]] = []

    def on_call(frame: FrameType, event: str, _: Any) -> None:
        file = Path(frame.f_code.co_filename)
        function = frame.f_code.co_qualname.partition(".<locals>")[
            0
        ]  # what stands inside a function is read with it
        if event == "call" and file.is_relative_to(ROOT / "controller"):
            calls.append((file.relative_to(ROOT).as_posix(), function))

    before = sys.getprofile()
    sys.setprofile(on_call)
    try:
        draft = decided(setup, core.state, given)
    finally:
        sys.setprofile(before)
    assert any(fact.event.kind == "round_voided" for fact in draft.facts), "the jam did not void the round"
    return JamPath(tuple(calls))


def main() -> None:
    """Prints the figures and, with `--steps`, each function."""
    path = jam_path()
    if "--steps" in sys.argv:
        for file, function in path.steps:
            print(f"{file:55} {function}")
    print(f"{len(path.files)} files, {len(path.steps)} functions, {path.changes} changes of file")
    print(f"every call, repeats included: {len(path.calls)} calls, {path.changes_of_all_calls} changes of file")


if __name__ == "__main__":
    main()
