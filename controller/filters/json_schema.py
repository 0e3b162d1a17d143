"""JSON Schema made from the records themselves, as the filters among the commands print it."""

from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["by_kind", "close", "document", "ref", "shapes"]

_REF = "#/$defs/{name}"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def shapes(classes: list[type[Any]]) -> dict[str, Any]:
    """The schema of each class and of all that it is made of, by name."""
    _, found = msgspec.json.schema_components(classes, ref_template=_REF)
    for shape in found.values():
        _say_absent(shape)
    return found


def _say_absent(shape: dict[str, Any]) -> None:
    """What may be unknown may be absent and is never null: the program's None does not exist outside of it."""
    for name, value in shape.get("properties", {}).items():
        kinds = value.get("anyOf", [])
        present = [kind for kind in kinds if kind != {"type": "null"}]
        if len(present) < len(kinds):
            rest = {k: v for k, v in value.items() if k != "anyOf" and not (k == "default" and v is None)}
            shape["properties"][name] = rest | (present[0] if len(present) == 1 else {"anyOf": present})
            shape["required"] = [key for key in shape.get("required", []) if key != name]


def close(shape: dict[str, Any]) -> None:
    """It has no other keys."""
    if shape.get("type") == "object":
        shape["additionalProperties"] = False


def by_kind(shape: dict[str, Any], kinds: Mapping[str, Mapping[str, Any]]) -> None:
    """`kind` is one of these, and says what form the rest has."""
    shape["properties"]["kind"] = {"enum": [*kinds]}
    shape["allOf"] = [
        {"if": {"properties": {"kind": {"const": kind}}}, "then": {"properties": properties}}
        for kind, properties in kinds.items()
    ]


def ref(cls: type[Any]) -> dict[str, str]:
    """Where the schema of a class stands in the document."""
    return {"$ref": _REF.format(name=cls.__name__)}


def document(name: str, title: str, lines: list[type[Any]], defs: dict[str, Any]) -> dict[str, Any]:
    """A whole JSON Schema whose instances are these lines."""
    whole = {
        "$schema": _DIALECT,
        "$id": f"urn:tablewarden:schema:{name}:1",
        "title": title,
        "description": "What is unknown is absent; nothing is ever null.",
        "anyOf": [ref(line) for line in lines],
        "$defs": defs,
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(whole))  # defaults are tuples and words still
    return plain
