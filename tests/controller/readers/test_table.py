"""Strict reading of TOML, key by key: a mistake has its place, its code, its line and no second fault."""

import re
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

import pytest

from controller.readers.table import CODES, Scope, Table
from controller.readers.toml import line_of, parse_toml


class Colour(StrEnum):
    RED = "red"


def _table(raw: object) -> Table:
    return Table(raw, "[t]", Scope())


def _found(table: Table) -> list[tuple[str, str]]:
    return [(fault.place, fault.code) for fault in table.scope.faults]


READ: dict[str, Callable[[Table], object]] = {
    "text": lambda t: t.text("k"),
    "pattern": lambda t: t.text("k", pattern=re.compile("a+")),
    "flag": lambda t: t.flag("k"),
    "whole": lambda t: t.whole("k", 1, 9),
    "word": lambda t: t.word("k", Colour),
    "words": lambda t: t.words("k", Colour),
    "one of": lambda t: t.one_of("k", ["a"]),
    "some of": lambda t: t.some_of("k", ["a"]),
    "texts": lambda t: t.texts("k"),
    "duration": lambda t: t.seconds("k"),
    "multiples": lambda t: t.multiples("k"),
    "path": lambda t: t.path("k", Path("/base")),
    "tables": lambda t: list(t.tables("k", "name", optional=False)),
}
WRONG: list[tuple[str, object, str]] = [
    ("text", 5, "type_wrong"), ("text", " ", "text_empty"), ("text", "a\0", "text_unfit"), ("pattern", "b", "text_unfit"),
    ("flag", "yes", "type_wrong"), ("flag", 1, "type_wrong"), ("whole", "6", "type_wrong"), ("whole", True, "type_wrong"),
    ("whole", 0, "number_out_of_range"), ("whole", 10, "number_out_of_range"), ("word", 5, "type_wrong"),
    ("word", "blue", "word_unknown"), ("words", [], "too_few"), ("words", ["blue"], "word_unknown"),
    ("words", ["red", "red"], "named_twice"), ("one of", "b", "word_unknown"), ("some of", "b", "word_unknown"),
    ("some of", [], "too_few"), ("texts", "a", "type_wrong"), ("texts", ["a", 5], "type_wrong"), ("duration", "4", "text_unfit"),
    ("multiples", [], "type_wrong"), ("multiples", [0], "type_wrong"), ("multiples", [2, True], "type_wrong"),
    ("tables", 5, "type_wrong"), ("tables", [5], "type_wrong"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "wrong", "code"), WRONG)
def test_a_value_that_is_wrong_has_one_fault_with_its_code(kind: str, wrong: object, code: str) -> None:
    """The text of the fault shows the value, and the code is one that the page of codes explains."""
    table = _table({"k": wrong})
    READ[kind](table)
    table.close()
    assert _found(table) == [("[t] k", code)]
    assert code in CODES
    assert not table.is_sound


@pytest.mark.parametrize("kind", READ)
def test_a_key_that_must_be_there_is_missed(kind: str) -> None:
    """Nothing is optional that is not declared so."""
    table = _table({})
    READ[kind](table)
    assert _found(table) == [("[t] k", "key_missing")]


def test_an_optional_key_is_not_missed() -> None:
    """Its value is None, its default, or nothing in a list."""
    table = _table({})
    assert (table.maybe_text("a"), table.maybe_whole("b", 0), table.maybe_day("c")) == (None, None, None)
    assert (table.maybe_path("d", Path("/base")), table.text("e", "x"), table.flag("f", False)) == (
        None,
        "x",
        False,
    )
    assert (list(table.tables("g", "n")), table.pairs("h"), table.texts("i", ())) == ([], (), ())
    assert table.is_sound


def test_an_unknown_key_is_named_with_the_nearest() -> None:
    """It is most likely a misspelt one."""
    table = _table({"seets": 1})
    table.whole("seats", default=1)
    table.close()
    assert table.scope.faults == ["[t] seets: unknown key (nearest: seats)"]


def test_a_word_that_is_refused_says_why() -> None:
    """More than that it is unknown."""
    table = _table({"k": "blue"})
    table.word("k", Colour, refused={"blue": "is sold out"})
    assert _found(table) == [("[t] k", "word_refused")]


@pytest.mark.parametrize(("written", "is_day"), [("2026-11-30", True), ("30.11.2026", False), (20261130, False)])
def test_a_date_is_written_year_first(written: object, is_day: bool) -> None:
    """With quotes or without."""
    table = _table({"k": written})
    assert (table.maybe_day("k") is not None) is is_day is table.is_sound


def test_a_place_is_named_as_it_is_written_in_the_file() -> None:
    """Tables by their header, entries of an array by their number and name."""
    root = Table(
        {"control": {"people": [{}, {"name": "ada"}]}, "device": [{"name": "x", "unit": [{}]}]}, "", Scope()
    )
    people = [entry.where for entry in root.table("control").tables("people", "name")]
    units = [unit.where for device in root.tables("device", "name") for unit in device.tables("unit", "name")]
    assert (people, units) == (
        ["[[control.people]] 1", "[[control.people]] 2 (ada)"], ["[[device]] 1 (x) unit 1"],
    )  # fmt: skip


TEXT = b"""a = 1
[t]
text = \"\"\"
k = 1
\"\"\"
k = 2  # [no.header]
[[device]]
name = "x"
[[device.unit]]
"at once".now = 1
[[device]]
inline = { deep = [1] }
[device.serial]
words = 4
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("a",), 1), (("t",), 2), (("t", "text"), 3), (("t", "k"), 6), (("device", 0, "name"), 8),
        (("device", 0, "unit", 0, "at once", "now"), 10), (("device", 1), 11), (("device", 1, "inline", "deep", 0), 12),
        (("device", 1, "serial", "words"), 14), (("t", "missing"), 2), (("missing",), None),
    ],
)  # fmt: skip
def test_the_line_of_a_value_is_found(path: tuple[str | int, ...], line: int | None) -> None:
    """That of the key, else of what it is in; a line inside a long text is none."""
    assert line_of(TEXT, path) == line


def test_a_fault_shows_its_line_where_it_is_known() -> None:
    """As pages print it; the text alone stays as it was."""
    scope = Scope(TEXT)
    root = Table(parse_toml(TEXT), "", scope)
    root.table("t").whole("k", 3)
    (fault,) = scope.faults
    assert (fault.line, fault.with_line) == (6, "[t] k: must be at least 3, not 2 (line 6)")
    assert fault == "[t] k: must be at least 3, not 2"
    assert fault.within("list.toml").with_line == "list.toml [t] k: must be at least 3, not 2 (line 6)"
