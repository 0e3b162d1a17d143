"""What each document demands for each irregularity in each state of the table, against tables written from the texts.

The tables are the files of `matrix/`. A line: trigger, the states it covers (a guard left out may be either), and the
demands in order. A demand is `action@clause` (several clauses joined by `+`) or `action@R-nn`; `silent` opens a line
where the text has no answer, and `absent` is all there is where the game has nothing that this could happen to. The
file of a document holds under the proposed elections; `elected.txt` has what each other election changes.
"""

from pathlib import Path

import pytest

from controller.rules.elections import cautious
from controller.rules.model import Demand, Election, Law
from controller.rules.read.checks import describe, every_state
from controller.rules.read.library import find
from controller.rules.vocabulary import GUARDS_OF, Action, Trigger

MATRIX = Path(__file__).parent / "matrix"
BOOKS = ("ma-uth", "md-uth", "nj-pikit", "fast-action", "ma-colorado")
ASKED = [(Action.HOLD_ROUND, (), None), (Action.CALL_FLOORPERSON, (), None)]
"""What follows where a thing is reported that the game does not have: the table holds and asks, on nobody's authority."""
LAWS = {book: cautious(find(book), "test") for book in BOOKS}


def _lines(name: str) -> list[list[str]]:
    lines = (MATRIX / f"{name}.txt").read_text().splitlines()
    return [[cell.strip() for cell in line.split("|")] for line in lines if line and not line.startswith("#")]


def _covers(when: str, state: frozenset[str]) -> bool:
    return all((w.removeprefix("not_") in state) is not w.startswith("not_") for w in when.split())


def _written(demands: tuple[Demand, ...]) -> str:
    return " ".join(f"{d.word}@{'+'.join(d.cite) or d.reading}" for d in demands)


def _acting(book: str) -> set[str]:
    """Readings by which a row acts; the others decide values, see test_values.py."""
    rows = [row for rows in LAWS[book].rulebook.rows.values() for row in rows]
    return {reading for row in rows for step in row.by_reading for reading, _ in step.condition}


def _cells() -> list[object]:
    return [
        pytest.param(
            book,
            trigger,
            state,
            id=f"{book}-{trigger}-{describe(trigger, LAWS[book].rulebook.rows[trigger], state)}",
        )
        for book in BOOKS
        for trigger in GUARDS_OF
        for state in every_state(trigger, LAWS[book].rulebook.rows[trigger])
    ]


@pytest.mark.parametrize(("book", "trigger", "state"), _cells())
def test_each_cell_of_the_matrix_is_what_the_text_demands(
    book: str, trigger: Trigger, state: frozenset[str]
) -> None:
    """Every trigger in every state of the table gives the demands, the order and the citations read in the document."""
    expected = [cells[2] for cells in _lines(book) if cells[0] == trigger and _covers(cells[1], state)]
    assert len(expected) == 1, (
        f"the matrix of this test covers {book} {trigger} {sorted(state)} {len(expected)} times"
    )
    row, demands = LAWS[book].demands(trigger, state)
    if row.absent:
        assert expected[0] == "absent"
        assert [(d.action, d.cite, d.reading) for d in demands] == ASKED
    else:
        assert ("silent " if row.silent else "") + _written(demands) == expected[0]


@pytest.mark.parametrize("line", _lines("elected"), ids=lambda cells: " ".join(cells[:4]))
def test_another_election_changes_what_follows(line: list[str]) -> None:
    """Each choice that is not the proposed one has its own outcome, cited as the reading and never as the clause."""
    book, election, trigger, when, expected = line
    reading, choice = election.split(" = ")
    law = Law(LAWS[book].rulebook, {**LAWS[book].elections, reading: Election(reading, choice, "test")})
    _, demands = law.demands(Trigger(trigger), frozenset(when.split()))
    assert _written(demands) == expected


def test_every_choice_of_every_reading_that_acts_is_shown_here() -> None:
    """No choice that a row acts by escapes this file: the proposed ones stand in the matrices, the others in the list."""
    listed = {(cells[0], *cells[1].split(" = ")) for cells in _lines("elected")}
    offered = {
        (book, reading.id, choice.id)
        for book in BOOKS
        for reading in LAWS[book].rulebook.readings.values()
        for choice in reading.choices
        if choice.id != reading.proposed and reading.id in _acting(book)
    }
    assert listed == offered
