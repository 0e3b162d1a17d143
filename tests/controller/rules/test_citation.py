"""How clause ids stand to each other, in the four ways in which the documents letter their clauses."""

import pytest

from controller.rules.citation import Cited, chapter, within


@pytest.mark.parametrize(
    ("clause", "part", "inside"),
    [
        ("13.I(2)", "13.I", True),
        ("13.I", "13.I", True),
        ("13.I", "13.I(2)", False),
        ("15(f)", "15", True),
        ("13(h)a", "13(h)", True),
        ("39.7(e)2", "39.7(e)", True),
        ("39.6(c)1ii", "39.6(c)1", True),
        ("39.6(c)1ii", "39.6(c)1i", False),
        ("E-1.13Y(b)1vi", "E-1.13Y(b)1v", False),
        ("39.10(a)", "39.1", False),
        ("6a(b)", "6", False),
        ("1X", "1", False),
        ("12.E[2]", "12.E", False),
        ("(e)(8)(ii)(A)", "(e)(8)", True),
        ("(h)(10)", "(h)(1)", False),
    ],
)
def test_a_clause_stands_in_its_parents_and_in_no_neighbour(clause: str, part: str, inside: bool) -> None:
    """What a prefix of characters would confuse is told apart: 39.1 and 39.10, 6 and 6a, 1i and 1ii."""
    assert within(clause, part) is inside


@pytest.mark.parametrize(
    ("clause", "section"),
    [
        ("13.I(1)", "13"), ("15(f)", "15"), ("39.7(e)2", "39.7"), ("38.12(c)", "38.12"), ("(g)(3)", "(g)"),
        ("6a(b)", "6a"), ("E-1.13Y(b)1i", "E-1.13Y"), ("12.E[2](4)(h)", "12"), ("7", "7"),
    ],
)  # fmt: skip
def test_the_section_of_a_clause(clause: str, section: str) -> None:
    """The part that a document repeats for each way of dealing."""
    assert chapter(clause) == section


@pytest.mark.parametrize(
    ("elected", "value"),
    [
        ({"positions": "two"}, 2),
        ({"positions": "one"}, 1),
        ({}, 1),
        ({"positions": "nine"}, 1),
        ({"R-01": "two"}, 1),
    ],
)
def test_a_value_is_what_was_elected_or_else_the_first_of_those_offered(
    elected: dict[str, str], value: int
) -> None:
    """What is elected of another question, or is no choice of this one, changes nothing."""
    offered = Cited(1, ("2(a)",), by_choice="positions", options=(("one", 1), ("two", 2)))
    assert offered.under(elected) == value
    assert Cited(1, ("2(a)",)).under(elected) == 1
