"""The diff of two catalogues: each kind of narrowing is found, and what widens without harm is not."""

import copy
from typing import Any

import pytest

from controller.catalogue.compare import breaches, narrowed

OLD: dict[str, Any] = {
    "type": "object",
    "properties": {
        "seat": {"type": "integer", "minimum": 1, "maximum": 9},
        "back": {"type": "string", "maxLength": 32},
        "word": {"enum": ["red", "blue"]},
        "fixed": {"const": "1.0"},
        "free": {"type": "string"},
        "maybe": {"anyOf": [{"type": "integer", "maximum": 9}, {"type": "null"}]},
        "list": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
        "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "deep": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
        "any": {},
    },
    "required": ["seat", "back"],
}
AT = ("properties",)


def changed(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """OLD with something else at a place; None takes it away."""
    new = copy.deepcopy(OLD)
    inner: Any = new
    for key in path[:-1]:
        inner = inner[key]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return new


NARROWINGS: dict[str, tuple[tuple[str | int, ...], Any, str]] = {
    "a key removed": ((*AT, "free"), None, "t.free: removed"),
    "a key deep down removed": ((*AT, "deep", "properties", "x"), None, "t.deep.x: removed"),
    "a promise withdrawn": (("required",), ["seat"], "t.back: was always there, and may be absent now"),
    "a key demanded": (("required",), ["seat", "back", "free"], "t.free: is demanded now, and old records lack it"),
    "another type": ((*AT, "free", "type"), "integer", "t.free: type string became integer"),
    "a wider type": ((*AT, "free", "type"), ["string", "null"], "t.free: type string became null or string"),
    "null taken away": ((*AT, "maybe"), {"type": "integer"}, "t.maybe: type integer or null became integer"),
    "a type where all were free": ((*AT, "any"), {"type": "string"}, "t.any: type any became string"),
    "a word removed": ((*AT, "word", "enum"), ["red"], "t.word: ['blue'] removed from the enumeration"),
    "words where all were free": ((*AT, "free"), {"enum": ["a"]}, "t.free: narrowed to ['a']"),
    "an enumeration made free": ((*AT, "word"), {"type": "string"}, "t.word: an enumeration became free"),
    "another constant": ((*AT, "fixed", "const"), "2.0", "t.fixed: ['1.0'] removed from the enumeration"),
    "a higher minimum": ((*AT, "seat", "minimum"), 2, "t.seat: minimum rose from 1 to 2"),
    "a minimum where none was": ((*AT, "back", "minLength"), 1, "t.back: minLength rose from none to 1"),
    "a lower maximum": ((*AT, "seat", "maximum"), 8, "t.seat: maximum fell from 9 to 8"),
    "a shorter text": ((*AT, "back", "maxLength"), 16, "t.back: maxLength fell from 32 to 16"),
    "a shorter list": ((*AT, "list", "maxItems"), 2, "t.list: maxItems fell from 3 to 2"),
    "a pattern": ((*AT, "free", "pattern"), "^x", "t.free: pattern none became ^x"),
    "a format": ((*AT, "free", "format"), "uri", "t.free: format none became uri"),
    "other items": ((*AT, "list", "items", "type"), "string", "t.list[]: type integer became string"),
    "other leading items": ((*AT, "pair", "prefixItems", 0, "type"), "string", "t.pair[0]: type integer became string"),
    "more leading items": ((*AT, "pair", "prefixItems"), [], "t.pair: 2 leading items became 0"),
    "bound items": ((*AT, "pair", "items"), {"type": "integer"}, "t.pair[]: items are bound now"),
    "other values of a map": ((*AT, "map", "additionalProperties", "type"), "string", "t.map.*: type integer became string"),
    "other keys refused": (("additionalProperties",), False, "t.*: other keys were free, and are refused now"),
    "an alternative narrowed": (
        (*AT, "maybe", "anyOf", 0, "maximum"), 8, "t.maybe: alternative 1 of anyOf is taken no longer",
    ),
    "alternatives where none were": (
        (*AT, "deep", "oneOf"), [{"required": ["x"]}], "t.deep: bound by oneOf now",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NARROWINGS)
def test_each_kind_of_narrowing_is_found(name: str) -> None:
    """Alone, and with its place."""
    path, value, said = NARROWINGS[name]
    assert narrowed(OLD, changed(path, value), "t") == [said]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((*AT, "later"), {"type": "string"}),
        ((*AT, "word", "enum"), ["red", "blue", "green"]),
        ((*AT, "seat", "maximum"), 10),
        ((*AT, "seat", "minimum"), None),
        ((*AT, "back", "maxLength"), None),
        (("description",), "said better"),
        (("additionalProperties",), True),
    ],
)
def test_what_only_adds_is_no_breach(path: tuple[str, ...], value: Any) -> None:
    """New keys that may be absent, new words, wider bounds, other descriptions."""
    assert narrowed(OLD, changed(path, value), "t") == []


def test_a_type_may_go_only_with_a_later_version() -> None:
    """A number that is not larger, or another kind, does not stand for it."""
    old = {"jammed.v1": OLD, "heartbeat": OLD}
    assert breaches(old, {"jammed.v2": {}, "heartbeat": OLD, "new.v1": {}}) == []
    gone = "removed, and no later version of it is there"
    assert breaches({"jammed.v2": OLD}, {"jammed.v1": OLD, "other.v3": OLD}) == [f"jammed.v2: {gone}"]
    assert breaches(old, {"jammed.v1": OLD}) == [f"heartbeat: {gone}"]
