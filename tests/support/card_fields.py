"""Looks through the types of everything that can be recorded, for fields that may tell which card something is."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, get_args

from controller.cards.cards import IDENTITY
from controller.log import CARD_FIELDS, COUNT_FIELDS
from controller.table.words.codec import BODIES
from controller.table.words.facts import FACTS
from controller.table.words.structs import fields, is_record

LIKE_CARDS = CARD_FIELDS | COUNT_FIELDS | {"cards", "played", "shown", "seen", "identities", "values", "pips"}
"""Words by which fields that name cards are called."""


def declared() -> dict[str, set[str]]:
    """Kind -> fields whose type says that they name cards, wherever in their body they stand: `a.b` is one within another."""
    found = {
        kind: {name for name, type_ in _walk(cls) if _is_marked(type_)}
        for kind, cls in {**BODIES, **FACTS}.items()
    }
    return {kind: names for kind, names in found.items() if names}


def suspicious() -> list[str]:
    """Fields that are called as if they named cards, and are neither marked nor a count, a verdict or a word of a list."""
    return [
        f"{kind}.{name}: {type_}"
        for kind, cls in {**BODIES, **FACTS}.items()
        for name, type_ in _walk(cls)
        if name.rpartition(".")[2] in LIKE_CARDS and not _is_marked(type_) and not _is_count(type_)
    ]


def _walk(cls: type[Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for field in fields(cls):
        yield before + field.name, field.type
        for inner in _classes(field.type):
            yield from _walk(inner, f"{before}{field.name}.")


def _classes(declared_type: Any) -> Iterator[type[Any]]:
    if is_record(declared_type):
        yield declared_type
    for part in get_args(declared_type):
        yield from _classes(part)


def _is_marked(declared_type: Any) -> bool:
    assert not isinstance(declared_type, str), "a type that is only text cannot be looked into"
    return IDENTITY in getattr(declared_type, "__metadata__", ()) or any(map(_is_marked, _parts(declared_type)))


def _parts(declared_type: Any) -> Iterator[Any]:
    return (part for part in get_args(declared_type) if not isinstance(part, str))


def _is_count(declared_type: Any) -> bool:
    if hasattr(declared_type, "__metadata__"):
        return _is_count(declared_type.__origin__)
    parts = get_args(declared_type)
    if parts:
        return declared_type.__class__.__name__ in ("UnionType", "_UnionGenericAlias") and all(
            map(_is_count, parts)
        )
    return declared_type is type(None) or (
        isinstance(declared_type, type) and issubclass(declared_type, int | Enum)
    )
