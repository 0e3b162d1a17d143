"""JSON Schema of the lines that `decide` reads and writes, made from the records themselves.

Kept in `docs/schema/decide-input.json` and `docs/schema/decide-output.json`; a test compares.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from controller.decide_filter import ErrorLine, FactLine, InputLine, JournalLine, Recorded
from controller.table.codec import BODIES
from controller.table.facts import FACTS
from controller.table.inputs import Actor, Moment
from drivers.events import Origin

__all__ = ["input_schema", "output_schema"]

_REF = "#/$defs/{name}"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def input_schema() -> dict[str, Any]:
    """Schema of one line that `decide` reads: an input as it is written by hand, or as a journal prints it."""
    shapes = _shapes([InputLine, JournalLine, Recorded, Actor, Moment, Origin, *BODIES.values()])
    for name in shapes:
        if name != "JournalLine":  # a journal prints more than an input needs
            _close(shapes[name])
    shapes["JournalLine"]["properties"]["stream"] = {"const": "input"}
    shapes["JournalLine"]["properties"]["time"]["format"] = "date-time"
    _by_kind(shapes["InputLine"], {kind: {"body": _ref(cls)} for kind, cls in BODIES.items()})
    recorded = {kind: {"data": {"properties": {"body": _ref(cls)}}} for kind, cls in BODIES.items()}
    _by_kind(shapes["JournalLine"], recorded)
    return _document("decide-input", "Line that decide reads", [InputLine, JournalLine], shapes)


def output_schema() -> dict[str, Any]:
    """Schema of one line that `decide` writes: a fact, or the error of a line. Kinds are only ever added."""
    shapes = _shapes([FactLine, ErrorLine, *FACTS.values()])
    _by_kind(shapes["FactLine"], {kind: {"data": _ref(cls)} for kind, cls in FACTS.items()})
    _close(shapes["ErrorLine"])
    return _document("decide-output", "Line that decide writes", [FactLine, ErrorLine], shapes)


def _shapes(classes: list[type[Any]]) -> dict[str, Any]:
    _, shapes = msgspec.json.schema_components(classes, ref_template=_REF)
    for shape in shapes.values():
        _say_absent(shape)
    return shapes


def _say_absent(shape: dict[str, Any]) -> None:
    """What may be unknown may be absent and is never null: the program's None does not exist outside of it."""
    for name, value in shape.get("properties", {}).items():
        kinds = value.get("anyOf", [])
        present = [kind for kind in kinds if kind != {"type": "null"}]
        if len(present) < len(kinds):
            rest = {k: v for k, v in value.items() if k != "anyOf" and not (k == "default" and v is None)}
            shape["properties"][name] = rest | (present[0] if len(present) == 1 else {"anyOf": present})
            shape["required"] = [key for key in shape.get("required", []) if key != name]


def _close(shape: dict[str, Any]) -> None:
    if shape.get("type") == "object":
        shape["additionalProperties"] = False


def _by_kind(shape: dict[str, Any], kinds: Mapping[str, Mapping[str, Any]]) -> None:
    """`kind` is one of these, and says what form the rest has."""
    shape["properties"]["kind"] = {"enum": [*kinds]}
    shape["allOf"] = [
        {"if": {"properties": {"kind": {"const": kind}}}, "then": {"properties": properties}}
        for kind, properties in kinds.items()
    ]


def _ref(cls: type[Any]) -> dict[str, str]:
    return {"$ref": _REF.format(name=cls.__name__)}


def _document(name: str, title: str, lines: list[type[Any]], shapes: dict[str, Any]) -> dict[str, Any]:
    document = {
        "$schema": _DIALECT,
        "$id": f"urn:tablewarden:schema:{name}:1",
        "title": title,
        "description": "What is unknown is absent; nothing is ever null.",
        "anyOf": [_ref(line) for line in lines],
        "$defs": shapes,
    }
    plain: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(document)
    )  # defaults are tuples and words still
    return plain
