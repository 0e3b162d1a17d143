"""The page `docs/events.md`: each type of event with its meaning, its keys and an example, for people."""

import json
from collections.abc import Iterator
from typing import Any

from controller.catalogue.documents import shown
from controller.catalogue.entries import LINK, SERVICE, Entry, Schema, entries, messages

HEAD = """# Events of a table

Made by `tablewarden schema --all docs/schema` from the code; do not edit by hand. For machines:
[schema/events.json](schema/events.json) validates each message of `evt/main` and `evt/diag`, and
[schema/asyncapi.json](schema/asyncapi.json) (AsyncAPI 3) has all topics. `tablewarden schema TYPE` prints the schema of one
type. The envelope around `data`, and what a consumer must do: [mqtt.md](mqtt.md).

How to read a type: `jammed.v1` is the end of `type`, as in `org.tablewarden.tg.shuffler.jammed.v1`. The word before the kind
is the class of the subject. A version rises when a body changes so that an older reader would misread it. Within a version, keys
and words are only added: ignore what you do not know. Absent means unknown; nothing in an event is ever null.

Under each type: its stream; the classes of its subjects and the articles of the rule documents that it cited, both as in the
golden days; its keys, **bold** where they are always there; an example from the golden days.
"""
ORDER = (
    "table and round", "wagers and decisions", "sets of cards", "dispositions, duties and holds", "disputes and alarms",
    "devices in service", "reports of devices", "links to devices", LINK, SERVICE,
)  # fmt: skip
LONGEST = 600
"""Characters of an example that is shown on the page; a longer one stands in the schema alone."""


def page() -> str:
    """Returns the page as Markdown."""
    return "\n".join([HEAD, *_lines()]) + "\n"


def _lines() -> Iterator[str]:
    for about in ORDER:
        yield f"## {about[0].upper()}{about[1:]}\n"
        for entry in sorted(entries().values(), key=lambda entry: entry.name):
            if entry.about == about:
                yield from _entry(entry)
    yield "## Other messages\n"
    for name, schema in messages().items():
        if name != "envelope":
            yield from _message(name, schema)


def _entry(entry: Entry) -> Iterator[str]:
    found = shown(entry.name)
    yield f"### `{entry.name}`\n"
    yield f"{entry.meaning} {entry.remarks}\n".replace(" \n", "\n")
    notes = [f"`evt/{entry.stream}`"]
    if found.classes:
        notes.append("of " + ", ".join(f"`{name}`" for name in found.classes))
    if entry.withheld:
        notes.append("the body is withheld, or goes out sealed ([vault.md](vault.md))")
    notes += [f"{book} {', '.join(articles)}" for book, articles in found.clauses.items()]
    yield "; ".join(notes) + ".\n"
    yield from _keys(entry.schema)
    yield from _example(found.example)


def _message(name: str, schema: Schema) -> Iterator[str]:
    yield f"### `{name}`\n"
    yield " ".join(schema["description"].split()) + "\n"
    yield from _keys(schema)
    yield from _example(shown(name).example)


def _keys(schema: Schema) -> Iterator[str]:
    always = schema.get("required", [])
    named = [f"{_name(key, key in always)} {_type(part)}" for key, part in schema.get("properties", {}).items()]
    if named:
        yield "; ".join(named) + ".\n"


def _name(key: str, always: bool) -> str:
    return f"**`{key}`**" if always else f"`{key}`"


def _type(schema: Schema) -> str:
    """Returns a schema in a few words: `integer`, `one of a, b`, `list of objects`."""
    if "enum" in schema or "const" in schema:
        words = schema.get("enum", [schema.get("const")])
        return (
            "one of " + ", ".join(json.dumps(word) for word in words) if len(words) > 1 else json.dumps(words[0])
        )
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(part) for part in schema["anyOf"]))
    match schema.get("type"):
        case "array" if isinstance(schema.get("items"), dict):
            return f"list of {_type(schema['items'])}"
        case "array":
            return "list"
        case "object" if "properties" in schema:
            return "{" + ", ".join(f"`{key}`" for key in schema["properties"]) + "}"
        case str(word):
            return word
        case _:
            return "any"


def _example(example: dict[str, Any]) -> Iterator[str]:
    if example and len(body := json.dumps(example, ensure_ascii=False)) <= LONGEST:
        yield f"```json\n{body}\n```\n"
