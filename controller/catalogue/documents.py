"""JSON Schemas of what a table publishes: one type alone, or all in one document."""

import json
from typing import Any

from controller.catalogue.entries import Schema, entries, messages
from controller.catalogue.seen import Shown, released, seen

DIALECT = "https://json-schema.org/draft/2020-12/schema"
URN = "urn:tablewarden:schema:"


class NoSuchType(LookupError):
    """No type of event and no other message has this name."""


def names() -> list[str]:
    """Returns every name: today's, then those that only earlier releases published."""
    today = [*messages(), *entries()]
    return [*today, *sorted(released().schemas.keys() - set(today))]


def listing() -> list[str]:
    """Returns one line for each name: stream or kind of message, name, meaning."""
    today = {name: (entry.stream, entry.meaning) for name, entry in entries().items()}
    other = {name: ("-", schema.get("description", "").split("\n")[0]) for name, schema in messages().items()}
    past = ("past", "An earlier version, in records of before.")
    lines = [(name, *{**other, **today}.get(name, past)) for name in names()]
    return [f"{stream:5}{name:30}{meaning}" for name, stream, meaning in lines]


def schema_of(name: str) -> Schema:
    """Returns the schema of one type, whole in itself: `set_checked.v1`, or `set_checked` for its newest version.

    An event's whole `type` will do as well. Raises `NoSuchType`.
    """
    name = resolved(name)
    shown = seen().get(name)
    kind, _, version = name.rpartition(".v")
    return {
        "$schema": DIALECT,
        "$id": f"{URN}{kind or name}:{version if kind else 1}",
        "title": name,
        **_plain(name),
        **({"examples": [shown.example]} if shown else {}),
    }


def resolved(name: str) -> str:
    """Returns the full name of a type: of an event's `type` the end, of a kind alone its newest version."""
    known = names()
    short = name.rpartition(".tg.")[2].split(".", 1)[-1] if ".tg." in name else name
    newest = [entry.name for entry in entries().values() if entry.kind == short]
    for candidate in (short, *newest[-1:]):
        if candidate in known:
            return candidate
    raise NoSuchType(f"no type {name!r}; `tablewarden schema` lists all")


def bundle() -> Schema:
    """Returns one schema that validates any message on `evt/...`; `$defs` has every type and every other message."""
    branches = [
        {
            "if": {"properties": {"type": {"pattern": _ending(name)}}},
            "then": {"properties": {"data": {"$ref": f"#/$defs/{name}"}}},
        }
        for name in names()
        if name not in messages()
    ]
    return {
        "$schema": DIALECT,
        "$id": f"{URN}events:1",
        "title": "Events of a tablewarden table",
        "description": "Validates a message of evt/main or evt/diag. $defs: the body of each type, and each other message.",
        "allOf": [{"$ref": "#/$defs/envelope"}, *branches],
        "$defs": {name: _plain(name) for name in names()},
    }


def event_schema(name: str) -> Schema:
    """Returns the schema of a whole event of this type: the envelope, with this body where it goes out."""
    typed = {"type": {"pattern": _ending(name)}, "data": _plain(name)}
    return {"allOf": [messages()["envelope"], {"properties": typed}]}


def shown(name: str) -> Shown:
    """Returns what the golden days show of a type; nothing for one that they never had."""
    return seen().get(name, Shown({}))


def _plain(name: str) -> Schema:
    entry = entries().get(name)
    if entry is not None:
        return entry.schema
    return messages().get(name) or released().schemas[name]


def _ending(name: str) -> str:
    kind, _, version = name.rpartition(".v")
    return rf"\.tg\.[a-z0-9-]+\.{kind}\.v{version}$"


def text(document: Any) -> str:
    """Returns a document as JSON text with one line for each definition, so that a change shows as the lines it touches."""
    return _lines(document, 0) + "\n"


def _lines(value: Any, depth: int) -> str:
    if depth == DEPTH or not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    pad, end = " " * (depth + 1), " " * depth
    if isinstance(value, dict):
        inner = [f"{pad}{json.dumps(key)}: {_lines(part, depth + 1)}" for key, part in value.items()]
        return "{\n" + ",\n".join(inner) + f"\n{end}}}"
    return "[\n" + ",\n".join(pad + _lines(part, depth + 1) for part in value) + f"\n{end}]"


DEPTH = 2
"""Levels of a document that are laid out; what is deeper stands on one line."""
