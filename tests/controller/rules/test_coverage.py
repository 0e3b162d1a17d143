"""Both ways between document and rulebook: nothing is cited that is not there, nothing that binds us is left out."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest

from controller.rules.library import find
from controller.rules.model import Rulebook

OURS = {
    # the parts on irregularities, stub counts, sets of cards, and on devices that fail or count
    "ma-uth": ("2(b)(3)", "2(b)(4)", "2(b)(5)", "4(d)", "7(f)", "8(e)", "9(a)", "9(c)", "9(d)", "9(e)", "14(a)", "14(b)", "15"),
    "md-uth": (
        "2.C", "3.A", "3.B", "3.C", "5.E", "5.G", "5.I", "8.C", "8.E", "8.F", "8.G", "9.A(3)", "9.C", "9.D", "9.E",
        "10.A(2)", "10.B", "10.C", "10.D", "10.E", "10.F", "13",
    ),
}  # fmt: skip

NOT_OURS = {
    "ma-uth": {},
    "md-uth": {
        "3.A(2)": "the look of the cards, inspected when a set comes to the table",
        "3.B(1)": "the design of the cards, looked at when a set comes to the table",
        "3.B(2)": "two colours of backs: the table's configuration names them",
        "8.C(4)": "the dealer puts the chips away; no outcome hangs on it",
        "9.A(3)(c)": "as 8.C(4)",
        "10.A(2)(b)(iii)": "as 8.C(4)",
        "10.B(5)": "the end of a sound deal, no outcome hangs on it",
        "10.F": "a shoe that reshuffles by itself and deals the community cards first: no such method is offered here",
    },
}


def _cites(part: object) -> Iterator[str]:
    """Every clause that a citation, a place looked in, or a reading of the rulebook names."""
    match part:
        case dict():
            for value in part.values():
                yield from _cites(value)
        case tuple():
            for value in part:
                yield from _cites(value)
        case _ if is_dataclass(part):
            for field in fields(part):
                value = getattr(part, field.name)
                if field.name in ("cite", "clauses", "notwithstanding") and not isinstance(part, Rulebook):
                    yield from value
                elif field.name != "clauses":
                    yield from _cites(value)


def _within(clause: str, part: str) -> bool:
    return clause == part or clause.startswith((part + "(", part + "."))


@pytest.mark.parametrize("book", OURS)
def test_nothing_is_cited_that_the_document_does_not_have(book: str) -> None:
    """Each clause id in the rulebook stands in the list made from the text."""
    rulebook = find(book)
    cites = set(_cites(rulebook))
    assert len(cites) > 50
    assert cites <= rulebook.clauses


@pytest.mark.parametrize("book", OURS)
def test_each_clause_that_binds_us_is_cited_or_named_as_not_ours(book: str) -> None:
    """A clause of these parts has an outcome, a value or a reading; a parent is covered by a child, never a child by it."""
    rulebook = find(book)
    cites = set(_cites(rulebook))
    ours = {c for c in rulebook.clauses if any(_within(c, part) for part in OURS[book])}
    covered = {c for c in ours if any(_within(cite, c) for cite in cites)}
    assert ours - covered == set(NOT_OURS[book])


@pytest.mark.parametrize(
    ("book", "parts"), [("ma-uth", ("7(f)(2)", "15")), ("md-uth", ("5.E", "8.G", "9.E", "10.E", "13"))]
)
def test_each_irregularity_has_an_answer_and_not_just_a_value(book: str, parts: tuple[str, ...]) -> None:
    """Every clause on what goes wrong, to its last sub-clause, is cited by a row of the matrix."""
    rulebook = find(book)
    cites = set(_cites(dict(rulebook.rows)))
    irregularities = {c for c in rulebook.clauses if any(_within(c, part) for part in parts)}
    assert {c for c in irregularities if not any(_within(cite, c) for cite in cites)} == set()


@pytest.mark.parametrize(("book", "count"), [("ma-uth", 138), ("md-uth", 535)])
def test_the_list_of_clauses_is_the_documents_own(book: str, count: int) -> None:
    """Every id once, every id under a parent that is there, and as many as the text prints."""
    rulebook = find(book)
    assert len(rulebook.clauses) == count
    for clause in rulebook.clauses:
        parent = clause.removesuffix("a") if clause.endswith(")a") else clause.partition("[2]")[0]
        parent = parent.rpartition("(" if ")" in parent else ".")[0]
        assert not parent or parent in rulebook.clauses or parent.partition("[")[0] in rulebook.clauses, clause


def test_clauses_that_the_text_letters_twice_are_told_apart() -> None:
    """Chapter 12 of md-uth has two sections E, two F, and repeats (g); the second of each carries a mark."""
    clauses = find("md-uth").clauses
    assert {"12.E", "12.E[2]", "12.F", "12.F[2]", "12.E[2](4)(h)", "12.G(1)(g)", "12.G(1)(g)[2]"} <= clauses
    assert "12.F[2](1)(a)" not in clauses  # that list begins with (b)
