"""Ten irregularities under five documents, fifty cells: the rulebooks against a matrix read in the texts, and the core.

The matrix is `irregularities.toml`, which says how it is written. Each cell is compared under every combination of the
elections that it hangs on, and comes about once at a table.
"""

import tomllib
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from controller.rules.elections import cautious
from controller.rules.model import Election, Law
from controller.rules.read.library import find
from controller.rules.vocabulary import Trigger
from controller.table.words import facts as f
from tests.soak.citations import silent_here

BOOKS = ("ma-uth", "md-uth", "nj-pikit", "fast-action", "ma-colorado")
MATRIX: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).resolve().parent / "irregularities.toml").read_text("utf-8")
)
OF_TRIGGER = frozenset({"trigger", "guards", "given", "when", *BOOKS})
OF_CELL = frozenset({"text", "silent", "absent", "read", "given", "when"})
CELLS = [pytest.param(name, book, id=f"{name} {book}") for name in MATRIX for book in BOOKS]
LAWS = {book: cautious(find(book), "test") for book in BOOKS}

Demands = dict[str, list[str]]
Condition = tuple[tuple[str, str], ...]


def steps(cell: dict[str, Any]) -> list[tuple[Condition, list[str]]]:
    """What follows by readings: the elections under which it does, and the actions."""
    found = []
    for line in cell.get("read", ()):
        elections, actions = line.split(": ")
        condition = tuple(tuple(pair.split(" = ")) for pair in elections.split(", "))
        found.append((condition, actions.split()))
    return found


def expected(cell: dict[str, Any], elected: dict[str, str]) -> Demands:
    """Action and citation: the text's own first, then what these elections add; an action that is asked for twice counts once."""
    demands: Demands = {}
    for written in cell.get("text", "").split():
        action, cite = written.split("@")
        demands[action] = cite.split("+")
    for condition, actions in steps(cell):
        if all(elected[reading] == choice for reading, choice in condition):
            for action in actions:
                demands.setdefault(action, [condition[0][0]])
    return demands


def test_there_are_ten_irregularities_and_fifty_cells():
    """Each cell says what the text demands, where it was read in vain, or why it cannot happen; no other word stands there."""
    assert len(MATRIX) == 10
    for name, row in MATRIX.items():
        assert set(BOOKS) <= set(row) <= OF_TRIGGER, name
        for book in BOOKS:
            assert set(row[book]) <= OF_CELL, f"{name} {book}"
            assert len({"text", "silent", "absent"} & set(row[book])) == 1, f"{name} {book}"


@pytest.mark.parametrize(("name", "book"), CELLS)
def test_a_cell_of_the_rulebook_is_what_the_text_demands(name, book):
    """Actions and citations are those of the matrix under every combination of the elections involved."""
    row, cell, law = MATRIX[name], MATRIX[name][book], LAWS[book]
    guards = frozenset(row["guards"])
    governing = law.rulebook.row(Trigger(row["trigger"]), guards)
    assert governing.absent is ("absent" in cell)
    assert governing.silent is ("silent" in cell)
    if "text" not in cell:
        assert list(governing.cite) == cell.get("silent", cell.get("absent"))
    if governing.absent:
        return
    readings = sorted({reading for condition, _ in steps(cell) for reading, _ in condition})
    assert readings == sorted({reading for step in governing.by_reading for reading, _ in step.condition})
    choices = [[choice.id for choice in law.rulebook.readings[reading].choices] for reading in readings]
    for combination in product(*choices):
        elected = dict(zip(readings, combination, strict=True))
        under = Law(law.rulebook, {**law.elections, **{r: Election(r, c, "test") for r, c in elected.items()}})
        _, demands = under.demands(Trigger(row["trigger"]), guards)
        told = {d.word: [d.reading] if d.reading else list(d.cite) for d in demands}
        assert told == expected(cell, elected), elected


@pytest.mark.parametrize(("name", "book"), CELLS)
def test_a_cell_comes_about_at_a_table(name, book, stage):
    """The core makes of it what the matrix says, citing of a rule that is printed for each way of dealing the one in use."""
    row, cell = MATRIX[name], MATRIX[name][book]
    given = cell.get("given", row.get("given", {}))
    staged = stage(book, given)
    events = staged.put(cell.get("when", row["when"]))
    if "absent" in cell:
        (refused,) = events
        assert isinstance(refused, f.InputRefused)
        here = staged.table.setup, frozenset({staged.table.state.method})
        assert list(refused.cite) == [clause for clause in cell["absent"] if not silent_here(*here, clause)]
        return
    (made,) = [event for event in events if isinstance(event, f.DispositionMade)]
    assert made.trigger == row["trigger"]
    assert made.silent is ("silent" in cell)
    elected = {question: choice.choice for question, choice in staged.table.setup.law.elections.items()}
    wanted = expected(cell, elected)
    told = {d.word: [d.reading] if d.reading else list(d.cite) for d in made.demands}
    assert set(told) == set(wanted)
    for action, cite in told.items():
        assert cite, action
        assert set(cite) <= set(wanted[action]), action
