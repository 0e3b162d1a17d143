"""The core decides what it decided before: kept days of every rulebook, input by input, to the last word."""

from pathlib import Path

import pytest

from tests.kept.days import FOLDER, Line, decide_all, inputs_of, read
from tests.soak.tables import RULEBOOKS

DAYS = sorted(FOLDER.glob("*.jsonl.gz"))
MOST_TOLD = 5
REMEDY = "where it is meant: python -m tests.kept.make --again, and a line in the changelog where people see it"


@pytest.mark.parametrize("path", DAYS, ids=lambda path: path.name.partition(".")[0])
def test_a_kept_day_is_decided_as_before(path: Path) -> None:
    """Whoever changes what follows from an input says so; the record of a table is replayed by the same rule."""
    setup, kept = read(path)
    now = list(decide_all(setup, list(inputs_of(kept))))
    told = [
        text
        for number, (was, is_) in enumerate(zip(kept, now, strict=True), 1)
        for text in _differs(number, was, is_)
    ]
    assert not told, "\n".join([*told[:MOST_TOLD], f"{len(told)} differences; {REMEDY}"])


def test_days_of_every_rulebook_are_kept() -> None:
    """Without a file there would be nothing to compare, and nothing would fail."""
    assert {path.name.rpartition("-")[0] for path in DAYS} == set(RULEBOOKS)
    assert sum(len(read(path)[1]) for path in DAYS) > 5_000


def _differs(number: int, was: Line, now: Line) -> list[str]:
    """Each difference of one input: what it was, what it is."""
    kind = was["input"]["kind"]
    found = []
    for part in ("input", "facts", "at_once", "shown"):
        if was.get(part) != now.get(part):
            found.append(f"input {number} ({kind}), {part}:\n  was {was.get(part)}\n  now {now.get(part)}")
    return found
