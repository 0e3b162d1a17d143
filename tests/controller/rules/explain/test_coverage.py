"""Both ways between document and rulebook: nothing is cited that is not there, nothing that binds us is left out."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest

from controller.rules.citation import chapter, within
from controller.rules.model import Rulebook
from controller.rules.read.library import find

OURS = {
    # the parts on irregularities, stub counts, sets of cards, ranking, and on devices that fail or count
    "ma-uth": (
        "2(b)(3)", "2(b)(4)", "2(b)(5)", "4(d)", "5", "7(f)", "8(e)", "9(a)", "9(c)", "9(d)", "9(e)", "14(a)", "14(b)", "15",
    ),
    "md-uth": (
        "2.C", "3.A", "3.B", "3.C", "5.E", "5.G", "5.I", "6", "8.C", "8.E", "8.F", "8.G", "9.A(3)", "9.C", "9.D", "9.E",
        "10.A(2)", "10.B", "10.C", "10.D", "10.E", "10.F", "13",
    ),
    "nj-pikit": (
        "39.2", "39.3(a)", "39.3(b)", "39.3(d)", "39.3(e)", "39.4", "39.5", "39.6", "39.7", "39.8", "39.9", "39.10(b)",
        "39.10(c)", "39.10(d)", "39.10(e)", "39.10(f)", "39.10(g)", "39.11(a)", "38.12",
    ),
    "fast-action": (
        "(b)", "(c)", "(d)", "(e)", "(f)", "(g)", "(h)(2)", "(h)(3)", "(h)(5)", "(h)(6)", "(h)(7)", "(h)(10)", "(h)(11)", "(i)",
        "(j)", "(k)",
    ),
    "ma-colorado": (
        "2", "3", "4", "5", "6", "6a", "7", "8", "9", "10(a)(2)", "10(b)", "10(c)", "10(d)", "10(h)", "11(a)(2)", "11(b)",
        "11(c)", "11(d)", "11(f)", "11(i)", "12(d)", "13(b)", "13(d)", "14",
    ),
}  # fmt: skip

LOOK = "the look of the cards, inspected when a set comes to the table"
CUTTING = "how a cut is carried out; who makes it and how deep are values"
HOLDING = "how the dealer holds the cards"
END = "the end of a sound deal, no outcome hangs on it"
SETTLING = "a step of settling or of forming a hand: the games', not the rulebook's"

NOT_OURS: dict[str, dict[str, str]] = {
    "ma-uth": {},
    "md-uth": {
        "3.B(1)": "the design of the cards, looked at when a set comes to the table",
        "10.B(5)": "the end of a sound deal, no outcome hangs on it",
    },
    "nj-pikit": {
        "39.2(b)1": LOOK,
        **dict.fromkeys(("39.6(c)1i", "39.6(c)1iii", "39.6(c)1iv", "39.6(c)2"), CUTTING),
        "39.7(a)": "how a manual shoe is made, and who puts the cards in",
        **dict.fromkeys(("39.7(d)", "39.8(d)", "39.9(d)"), END),
        **dict.fromkeys(("39.8(b)2i", "39.8(b)2ii"), HOLDING),
        **dict.fromkeys(("39.10(c)2",), SETTLING),
        **dict.fromkeys(("39.10(e)1i", "39.10(e)1iii", "39.10(e)1iv"), SETTLING),
        **dict.fromkeys(("39.10(e)2i", "39.10(e)2iii"), SETTLING),
    },
    "fast-action": {
        "(b)(3)": "a second card that hides the last one of the stack: allowed, never required",
        "(b)(4)(i)": LOOK,
    },
    "ma-colorado": {
        "2(b)(1)": LOOK,
        **dict.fromkeys(("5(c)(1)(i)", "5(c)(1)(iii)", "5(c)(1)(iv)", "5(c)(2)"), CUTTING),
        "6a(c)": "points at the pay table of the bonus",
        **dict.fromkeys(("8(b)(2)", "8(b)(2)(i)", "8(b)(2)(ii)"), HOLDING),
        "9(b)(1)": "who puts the cards into the shoe",
        **dict.fromkeys(("9(d)",), END),
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
                elif field.name not in ("clauses", "applies"):
                    yield from _cites(value)


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
    ours = {c for c in rulebook.clauses if any(within(c, part) for part in OURS[book])}
    covered = {c for c in ours if any(within(cite, c) for cite in cites)}
    assert ours - covered == set(NOT_OURS[book])


@pytest.mark.parametrize(
    ("book", "parts"),
    [
        ("ma-uth", ("7(f)(2)", "15")),
        ("md-uth", ("5.E", "8.G", "9.E", "10.E", "13")),
        ("nj-pikit", ("39.7(e)2", "39.7(f)", "38.12")),
        ("fast-action", ("(g)(4)", "(i)")),
        ("ma-colorado", ("7(e)(2)", "7(f)", "14")),
    ],
)
def test_each_irregularity_has_an_answer_and_not_just_a_value(book: str, parts: tuple[str, ...]) -> None:
    """Every clause on what goes wrong, to its last sub-clause, is cited by a row of the matrix."""
    rulebook = find(book)
    cites = set(_cites(dict(rulebook.rows)))
    irregularities = {c for c in rulebook.clauses if any(within(c, part) for part in parts)}
    assert {c for c in irregularities if not any(within(cite, c) for cite in cites)} == set()


@pytest.mark.parametrize(
    ("book", "count"),
    [("ma-uth", 138), ("md-uth", 535), ("nj-pikit", 140), ("fast-action", 116), ("ma-colorado", 149)],
)
def test_the_list_of_clauses_is_the_documents_own(book: str, count: int) -> None:
    """Every id once, every id under a parent that is there, and as many as the text prints."""
    rulebook = find(book)
    assert len(rulebook.clauses) == count
    roots = {chapter(clause) for clause in rulebook.clauses}
    assert roots <= rulebook.clauses
    for clause in rulebook.clauses - roots:
        assert parent(clause) in rulebook.clauses or parent(clause.partition("[")[0]) in rulebook.clauses, clause


def parent(clause: str) -> str:
    """The clause one step up: `39.6(c)1` of `39.6(c)1ii`, `13(h)` of `13(h)a`, `10(b)` of `10(b)(2)`, `13` of `13.I`."""
    clause = clause.removesuffix("[2]")
    last = re.search(r"(\((?:\w+)\)|\.[A-Z]|(?<=\))\w|(?<=\d)[ivx]+)$", clause)
    return clause[: last.start()] if last else clause


def test_clauses_that_the_text_letters_twice_are_told_apart() -> None:
    """Chapter 12 of md-uth has two sections E, two F, and repeats (g); the second of each carries a mark."""
    clauses = find("md-uth").clauses
    assert {"12.E", "12.E[2]", "12.F", "12.F[2]", "12.E[2](4)(h)", "12.G(1)(g)", "12.G(1)(g)[2]"} <= clauses
    assert "12.F[2](1)(a)" not in clauses  # that list begins with (b)
