"""Strict reading, key by key: what is not of its kind is named by its place, its key and what was wanted, and is no value."""

from collections.abc import Callable
from enum import StrEnum

import pytest

from controller.rules.read.reader import Scope, Table


class Colour(StrEnum):
    RED = "red"


def _table(raw: object, *clauses: str) -> Table:
    return Table(raw, "[t]", Scope(frozenset(clauses)))


KINDS: dict[str, tuple[Callable[[Table], object], object, str]] = {
    # what reads the key k, a value that is not of its kind, what is wanted
    "text": (lambda t: t.text("k"), 5, "text"),
    "flag": (lambda t: t.flag("k"), "yes", "true or false"),
    "whole": (lambda t: t.whole("k"), "6", "a whole number"),
    "word": (lambda t: t.word("k", Colour), 5, "text"),
    "one of": (lambda t: t.one_of("k", ["a"]), 5, "text"),
    "duration": (lambda t: t.seconds("k"), 5, "text"),
    "multiples": (lambda t: t.multiples("k"), 5, "a list of whole numbers"),
    "table": (lambda t: t.table("k"), [], "a table"),
    "some of": (lambda t: t.some_of("k", ["a"]), 5, "a list of texts"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_of_another_kind_is_answered_with_the_kind_that_is_wanted(kind: str) -> None:
    """One fault with the value as it stands in the file, and no value."""
    read, wrong, wanted = KINDS[kind]
    table = _table({"k": wrong})
    assert read(table) is None
    assert table.scope.faults == [f"[t]: 'k' must be {wanted}, not {wrong!r}"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_must_be_there_is_missed_by_its_key(kind: str) -> None:
    """Nothing is optional that is not said to be."""
    table = _table({})
    assert KINDS[kind][0](table) is None
    assert table.scope.faults == ["[t]: 'k' is missing"]


def test_lists_and_arrays_are_missed_and_of_another_kind_empty() -> None:
    """A list that could not be read holds nothing, and its fault refuses the file."""
    table = _table({"texts": ["a", 5], "array": 5})
    assert (table.texts("none"), list(table.tables("no_array"))) == ((), [])
    assert (table.texts("texts"), list(table.tables("array"))) == ((), [])
    assert table.cited("no_value", Table.flag) is None
    assert table.scope.faults == [
        "[t]: 'none' is missing",
        "[t]: 'no_array' is missing",
        "[t]: 'texts' must be a list of texts, not ['a', 5]",
        "[t]: 'array' must be an array of tables, not 5",
        "[t]: 'no_value' is missing",
    ]


def test_what_is_optional_is_not_missed() -> None:
    """And nothing is read of it."""
    table = _table({})
    assert (table.text("k", optional=True), table.word("k", Colour, optional=True)) == (None, None)
    assert (table.table("k", optional=True), table.cited("k", Table.flag, optional=True)) == (None, None)
    assert (table.texts("k", optional=True), list(table.tables("k", optional=True)), table.pairs("k")) == (
        (),
        [],
        (),
    )
    assert table.scope.faults == []


@pytest.mark.parametrize("wrong", [[], [0], [True], ["1"], [2, True]])
def test_a_multiple_is_a_whole_number_of_at_least_one(wrong: list[object]) -> None:
    """Truth is no number, and no multiple at all is no list of them."""
    table = _table({"k": wrong})
    assert table.multiples("k") is None
    assert table.scope.faults == [f"[t]: 'k' must hold whole numbers of at least 1, not {wrong!r}"]


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ([], "'k' is empty"),
        (["b"], "'k' has an unknown word: 'b' (known: a)"),
        (["a", "b"], "'k' has an unknown word: 'b' (known: a)"),
    ],
)
def test_a_list_of_words_has_at_least_one_and_none_that_is_unknown(wrong: list[str], fault: str) -> None:
    """An empty list would be read as one that is not there, and nobody be told."""
    table = _table({"k": wrong})
    assert table.some_of("k", ["a"]) is None
    assert table.scope.faults == [f"[t]: {fault}"]


@pytest.mark.parametrize(
    ("wrong", "fault"), [(5, "must be a table, not 5"), ({"a": "b", "c": 1}, "must hold texts")]
)
def test_elections_are_a_table_of_texts(wrong: object, fault: str) -> None:
    """A choice is a text, never a number."""
    table = _table({"k": wrong})
    assert table.pairs("k") == ()
    assert table.scope.faults == [f"[t]: 'k' {fault}"]


def test_where_a_table_is_wanted_whatever_else_stands_there_is_one_without_keys() -> None:
    """Each key of it is missed besides; a table without its label is named by its place alone."""
    array = Table({"a": [5, {"n": "x"}, {}]}, "file", Scope(frozenset()))
    assert [each.where for each in array.tables("a", "n")] == ["[[a]] 1", "[[a]] 2 (x)", "[[a]] 3"]
    assert array.scope.faults == ["[[a]] 1: a table is wanted here"]
    table = _table(5)
    assert (list(table), table.text("k")) == ([], None)
    assert table.scope.faults == ["[t]: a table is wanted here", "[t]: 'k' is missing"]


def test_an_unknown_word_is_told_with_the_key_it_stands_under() -> None:
    """And with what is known."""
    table = _table({"k": "blue"})
    assert table.word("k", Colour) is None
    assert table.scope.faults == ["[t]: unknown k 'blue' (known: red)"]


@pytest.mark.parametrize(("clause", "hint"), [("abxy", " (nearest: abcd)"), ("wxyz", "")])
def test_the_nearest_clause_is_named_where_half_of_it_is_alike(clause: str, hint: str) -> None:
    """Else none: a document has too many to name them all."""
    table = _table({"cite": clause}, "abcd", "efgh")
    assert table.cite() == (clause,)
    assert table.scope.faults == [f"[t]: the document has no clause {clause!r}{hint}"]


CITED: dict[str, tuple[dict[str, object], list[str]]] = {
    "a value of another kind": ({"value": 5, "cite": "1"}, ["[t] k: 'value' must be true or false, not 5"]),
    "options that are no table": (
        {"by_choice": "R-1", "value": 5, "cite": "1"},
        ["[t] k: 'value' must be a table with a value for each choice, not 5"],
    ),
    "no name of the choice": (
        {"by_choice": 5, "value": {"a": True}, "cite": "1"},
        ["[t] k: 'by_choice' must be text, not 5"],
    ),
}


@pytest.mark.parametrize("what", CITED)
def test_a_cited_value_that_cannot_be_read_is_none(what: str) -> None:
    """And nothing is remembered of it that a check of the whole would find wrong once more."""
    raw, faults = CITED[what]
    table = _table({"k": raw}, "1")
    assert table.cited("k", Table.flag) is None
    assert table.scope.faults == faults
    assert table.scope.by_choice == []


def test_a_value_without_any_option_is_told_of_in_the_check_of_the_whole(
    faults_of: Callable[..., tuple[str, ...]],
) -> None:
    """It would else be a value that is not there, and the file be refused without a word."""
    faults = faults_of(("value = { one = 1, two = 2, three = 3 }", "value = {}"), book="nj-pikit")
    assert faults == ("[table] positions: must have a value for each of one, two, three, not none",)
