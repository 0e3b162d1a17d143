"""Choices of the maker that no value and no row carries: each says why and what it bears on, and is shown by a test."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from controller.rules.explain.questions import VALUES, effect, makers_page
from controller.rules.model import Reading
from controller.rules.read.library import available, find
from controller.rules.vocabulary import PARTS

BOOKS = {name: find(name) for name in available()}
TESTS = Path(__file__).parents[2]
TRIPS = '[{ id = "optional", says = "A player may leave Trips out." }]'
FaultsOf = Callable[..., tuple[str, ...]]


def _carried() -> list[tuple[str, Reading]]:
    return [(name, r) for name, book in BOOKS.items() for r in book.readings.values() if r.bears_on is not None]


def _added(book: str) -> list[str]:
    """Choices of the maker that an update has added and that no value carries."""
    alone = [r for r in BOOKS[book].readings.values() if len(r.choices) == 1]
    return [r.id for r in alone if r.bears_on is not None or (r.governs is not None and r.since)]


@cache
def _page(book: str) -> str:
    return " ".join("\n".join(makers_page(BOOKS[book])).split())


def _shown(book: str) -> str:
    """What the cases of this book and the tests in Python say."""
    cases = sorted((TESTS / "clauses" / book).glob("*.toml"))
    return "\n".join(path.read_text("utf-8") for path in (*cases, *sorted(TESTS.rglob("test_*.py"))))


@pytest.mark.parametrize("book", BOOKS)
def test_what_the_software_alone_carries_is_named_where_it_is_shown(book: str) -> None:
    """Nothing in the file would change with it, so a case or a test holds what is done."""
    shown, ids = _shown(book), _added(book)
    assert ids
    assert not [id_ for id_ in ids if not re.search(rf"\b{id_}\b", shown)]


@pytest.mark.parametrize(("book", "reading"), _carried(), ids=lambda x: x if isinstance(x, str) else x.id)
def test_the_page_to_sign_says_what_it_bears_on(book: str, reading: Reading) -> None:
    """And why no other choice is offered."""
    assert effect(BOOKS[book], reading) == f"Bears on {VALUES[str(reading.bears_on)]}."
    assert reading.why
    assert " ".join(reading.choices[0].says.split()) in _page(book)


def test_each_part_has_words_for_people() -> None:
    assert set(PARTS) == set(VALUES)


def test_one_that_a_value_rests_on_carries_itself(faults_of: FaultsOf) -> None:
    """It would be said twice what it is about, and one of the two could be wrong."""
    faults = faults_of((TRIPS, f'{TRIPS}\nbears_on = "wagers"'))
    assert faults == ("[[reading]] (R-12): reading_used_twice",)


def test_one_that_nothing_carries_offers_no_choice(faults_of: FaultsOf) -> None:
    """A second choice would be a promise that nothing keeps."""
    one = '[{ id = "with_the_others", says'
    faults = faults_of((one, f'[{{ id = "kept", says = "x" }}, {one[1:]}'))
    assert faults == ("[[reading]] (R-187): choices_unfit",)


def test_an_unknown_part_is_refused(faults_of: FaultsOf) -> None:
    faults = faults_of(('bears_on = "progressive"', 'bears_on = "progressives"'))
    assert any(fault.endswith(" bears_on: word_unknown") for fault in faults)
