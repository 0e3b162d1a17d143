"""Values with their citations, and sections read by the types of their dataclasses."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import pytest

from controller.rules.citation import Cited
from controller.rules.read.reader import LawScope, RuleTable, record
from controller.rules.vocabulary import Role

FaultsOf = Callable[..., tuple[str, ...]]


def _table(raw: object, *clauses: str) -> RuleTable:
    return RuleTable(raw, "[t]", LawScope(frozenset(clauses)))


def _found(table: RuleTable) -> list[tuple[str, str]]:
    return [(fault.place, fault.code) for fault in table.scope.faults]


@pytest.mark.parametrize(("clause", "hint"), [("abxy", " (nearest: abcd)"), ("wxyz", "")])
def test_the_nearest_clause_is_named_where_half_is_alike(clause: str, hint: str) -> None:
    """Else none: a document has too many to name them all."""
    table = _table({"cite": clause}, "abcd", "efgh")
    assert table.cite() == (clause,)
    assert table.scope.faults == [f"[t]: the document has no clause {clause!r}{hint}"]


CITED: dict[str, tuple[object, list[tuple[str, str]]]] = {
    "nothing": ({}, [("[t] k", "key_missing")]),
    "uncited": ({"k": True}, [("[t] k", "cite_missing")]),
    "a value of another type": ({"k": {"value": 5, "cite": "1"}}, [("[t] k value", "type_wrong")]),
    "no clause": ({"k": {"value": True, "cite": []}}, [("[t] k cite", "too_few")]),
    "an unknown key": ({"k": {"value": True, "cite": "1", "x": 1}}, [("[t] k x", "key_unknown")]),
    "options that are no table": ({"k": {"by_choice": "R-1", "value": 5, "cite": "1"}}, [("[t] k value", "type_wrong")]),
    "no name of the choice": (
        {"k": {"by_choice": 5, "value": {"a": True}, "cite": "1"}}, [("[t] k by_choice", "type_wrong")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CITED)
def test_a_cited_value_that_cannot_be_read_has_one_fault(what: str) -> None:
    """Nothing else is remembered that a check of the whole would find wrong once more."""
    raw, faults = CITED[what]
    table = _table(raw, "1")
    value = table.cited("k", RuleTable.flag)
    assert value is None or what in ("no clause", "an unknown key")  # the file is refused all the same
    assert _found(table) == faults
    assert table.scope.by_choice == []


def test_a_value_without_any_option_is_a_fault_of_the_whole(faults_of: FaultsOf) -> None:
    """Without it the file would be refused without a word."""
    faults = faults_of(("value = { one = 1, two = 2, three = 3 }", "value = {}"), book="nj-pikit")
    assert faults == ("[table] positions: choice_unused",)


@dataclass(frozen=True)
class Part:
    text: str
    count: int
    is_so: bool
    side: Literal["left", "right"]
    by: Role
    cite: tuple[str, ...]
    sides: tuple[Literal["left", "right"], ...]
    many: Cited[int]
    few: Cited[tuple[int, ...]] | None = None
    names: tuple[str, ...] = ()


SOUND = {
    "text": "t", "count": 1, "is_so": True, "side": "left", "by": "dealer", "cite": "1", "sides": ["right"],
    "many": {"value": 2, "cite": "1"},
}  # fmt: skip


def test_the_types_of_a_dataclass_say_how_its_keys_are_read() -> None:
    """What has a default may be left out; clauses are known ones of the document."""
    table = _table({**SOUND, "few": {"value": [1, 2], "cite": ["1"]}}, "1")
    part = record(table, Part)
    assert table.scope.faults == []
    few, many = Cited((1, 2), ("1",)), Cited(2, ("1",))
    assert part == Part("t", 1, True, "left", Role.DEALER, ("1",), ("right",), many, few)


WRONG: dict[str, tuple[object, str]] = {
    "text": ("", "text_empty"), "count": (0, "number_out_of_range"), "is_so": (1, "type_wrong"),
    "side": ("up", "word_unknown"), "by": ("boss", "word_unknown"), "sides": ([], "too_few"), "many": (2, "cite_missing"),
    "cite": ("2", "clause_unknown"),
}  # fmt: skip


@pytest.mark.parametrize("key", WRONG)
def test_each_type_has_its_fault_and_leaves_no_half_part(key: str) -> None:
    """Of a list what could be read is kept, so that one mistake has one fault."""
    value, code = WRONG[key]
    table = _table({**SOUND, key: value}, "1")
    assert (record(table, Part) is None) is (key not in ("cite", "sides"))
    assert _found(table) == [("[t]" if key == "cite" else f"[t] {key}", code)]


@pytest.mark.parametrize("key", SOUND)
def test_a_key_of_a_dataclass_without_default_is_missed(key: str) -> None:
    """One fault, with the key."""
    table = _table({k: v for k, v in SOUND.items() if k != key}, "1")
    assert (record(table, Part) is None) is (key not in ("cite", "sides"))
    assert _found(table) == [(f"[t] {key}", "key_missing")]
