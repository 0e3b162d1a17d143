"""Makes JSON Schema from the records themselves, for the filter commands."""

from collections.abc import Mapping
from typing import Any

import msgspec

from controller.table.words.codec import absent_in
from controller.table.words.structs import is_record

_REF = "#/$defs/{name}"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def shapes(classes: list[type[Any]]) -> dict[str, Any]:
    """Returns the schema of each class and of its parts, by name."""
    _, found = msgspec.json.schema_components(classes, ref_template=_REF)
    for shape in found.values():
        _say_absent(shape)
    for cls in filter(is_record, classes):
        _say_none(found[cls.__name__], absent_in(cls))
    return found


def _say_none(shape: dict[str, Any], absent: Mapping[str, Any]) -> None:
    """Makes fields absent in which the program has 0 or an empty text where there is none."""
    for name in absent:
        shape["properties"][name].pop("default", None)
    shape["required"] = [key for key in shape.get("required", []) if key not in absent]


def _say_absent(shape: dict[str, Any]) -> None:
    """Makes optional values absent instead of null: the program's None does not exist outside."""
    for name, value in shape.get("properties", {}).items():
        kinds = value.get("anyOf", [])
        present = [kind for kind in kinds if kind != {"type": "null"}]
        if len(present) < len(kinds):
            rest = {k: v for k, v in value.items() if k != "anyOf" and not (k == "default" and v is None)}
            shape["properties"][name] = rest | (present[0] if len(present) == 1 else {"anyOf": present})
            shape["required"] = [key for key in shape.get("required", []) if key != name]


def close(shape: dict[str, Any]) -> None:
    """Forbids other keys."""
    if shape.get("type") == "object":
        shape["additionalProperties"] = False


def by_kind(shape: dict[str, Any], kinds: Mapping[str, Mapping[str, Any]]) -> None:
    """Returns a schema whose `kind` decides the form of the rest."""
    shape["properties"]["kind"] = {"enum": [*kinds]}
    shape["allOf"] = [
        {"if": {"properties": {"kind": {"const": kind}}}, "then": {"properties": properties}}
        for kind, properties in kinds.items()
    ]


def ref(cls: type[Any]) -> dict[str, str]:
    """Returns the reference to a class's schema in the document."""
    return {"$ref": _REF.format(name=cls.__name__)}


def document(
    name: str, title: str, lines: list[type[Any]], defs: dict[str, Any], version: int = 1
) -> dict[str, Any]:
    """Returns a whole JSON Schema for these lines."""
    whole = {
        "$schema": _DIALECT,
        "$id": f"urn:tablewarden:schema:{name}:{version}",
        "title": title,
        "description": "What is unknown is absent; nothing is ever null.",
        "anyOf": [ref(line) for line in lines],
        "$defs": defs,
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(whole))  # defaults are tuples and words still
    return plain
