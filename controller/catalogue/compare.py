"""Whether a new catalogue keeps what an old one promised: nothing removed, nothing narrowed, without a new version. Pure.

A promise of a schema: each body that was valid is still valid (readers keep old records), and each key that a reader found is
still there with a value of a type that it had. New keys that may be absent, new words of an enumeration, and new types of
events are no breach: readers ignore keys and store types that they do not know.
"""

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
EXACT = ("pattern", "format", "multipleOf", "uniqueItems", "contentEncoding")
_TYPES = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})


def breaches(old: Mapping[str, Schema], new: Mapping[str, Schema]) -> list[str]:
    """Returns what of the old catalogue the new one breaks, each with its place. Keys: names, of events with their version.

    A type of event may get a new version: then the old version is frozen, and no longer among the new ones.
    """
    found: list[str] = []
    for name, schema in old.items():
        if name in new:
            found += narrowed(schema, new[name], name)
        elif not any(_is_later(name, other) for other in new):
            found.append(f"{name}: removed, and no later version of it is there")
    return found


def _is_later(name: str, other: str) -> bool:
    kind, _, version = name.rpartition(".v")
    again, _, later = other.rpartition(".v")
    return bool(kind) and kind == again and int(later) > int(version)


def narrowed(old: Schema | bool, new: Schema | bool, where: str) -> list[str]:
    """Returns each way in which the new schema takes less than the old one, or promises less. Schemas without references."""
    return list(_narrowed(old, new, where))


def _narrowed(old: Schema | bool, new: Schema | bool, where: str) -> Iterator[str]:
    if isinstance(old, bool) or isinstance(new, bool):  # True takes everything, False nothing
        if new is not True and old != new:
            yield f"{where}: bound now"
        return
    before, after = _types(old), _types(new)
    if before != after:
        yield f"{where}: type {_said(before)} became {_said(after)}"
        return
    yield from _words(old, new, where)
    yield from _bounds(old, new, where)
    yield from _keys(old, new, where)
    yield from _parts(old, new, where)


def _types(schema: Schema | bool) -> frozenset[str]:
    """Returns the JSON types that a schema takes; all where it does not say."""
    if isinstance(schema, bool):
        return _TYPES if schema else frozenset()
    if "type" in schema:
        named = schema["type"]
        return frozenset([named] if isinstance(named, str) else named)
    if "anyOf" in schema:
        return frozenset[str]().union(*(_types(part) for part in schema["anyOf"]))
    if (words := _allowed(schema)) is not None:
        return frozenset(_type_of(word) for word in words)
    return _TYPES


def _type_of(value: object) -> str:
    match value:
        case bool():
            return "boolean"
        case None:
            return "null"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _said(types: frozenset[str]) -> str:
    return "any" if types == _TYPES else " or ".join(sorted(types)) or "nothing"


def _allowed(schema: Schema) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _words(old: Schema, new: Schema, where: str) -> Iterator[str]:
    before, after = _allowed(old), _allowed(new)
    if after is None:
        if before is not None:
            yield f"{where}: an enumeration became free"
    elif before is None:
        yield f"{where}: narrowed to {after}"
    elif gone := [word for word in before if word not in after]:
        yield f"{where}: {gone} removed from the enumeration"


def _bounds(old: Schema, new: Schema, where: str) -> Iterator[str]:
    for key in LEAST:
        if key in new and (key not in old or new[key] > old[key]):
            yield f"{where}: {key} rose from {old.get(key, 'none')} to {new[key]}"
    for key in MOST:
        if key in new and (key not in old or new[key] < old[key]):
            yield f"{where}: {key} fell from {old.get(key, 'none')} to {new[key]}"
    for key in EXACT:
        if key in new and new[key] != old.get(key):
            yield f"{where}: {key} {old.get(key, 'none')} became {new[key]}"


def _keys(old: Schema, new: Schema, where: str) -> Iterator[str]:
    before, after = old.get("properties", {}), new.get("properties", {})
    for key, schema in before.items():
        if key in after:
            yield from _narrowed(schema, after[key], f"{where}.{key}")
        else:
            yield f"{where}.{key}: removed"
    promised, demanded = set(old.get("required", ())), set(new.get("required", ()))
    yield from (
        f"{where}.{key}: was always there, and may be absent now"
        for key in sorted(promised - demanded)
        if key in after
    )
    yield from (f"{where}.{key}: is demanded now, and old records lack it" for key in sorted(demanded - promised))
    yield from _rest(old, new, where)


def _rest(old: Schema, new: Schema, where: str) -> Iterator[str]:
    """Other keys of an object: free, closed (False), or of one schema."""
    before, after = old.get("additionalProperties", True), new.get("additionalProperties", True)
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from _narrowed(before, after, f"{where}.*")
    elif after is not True and before != after:
        yield f"{where}.*: other keys were {_openness(before)}, and are {_openness(after)} now"


def _openness(rest: object) -> str:
    return {True: "free", False: "refused"}.get(rest, "bound") if isinstance(rest, bool) else "bound"


def _parts(old: Schema, new: Schema, where: str) -> Iterator[str]:
    """Items of an array, and alternatives: each old alternative must be taken by a new one."""
    if (after := new.get("items")) is not None and after != old.get("items"):
        before = old.get("items")
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from _narrowed(before, after, f"{where}[]")
        else:
            yield f"{where}[]: items are bound now"
    first, then = old.get("prefixItems", []), new.get("prefixItems", [])
    if len(then) != len(first):
        yield f"{where}: {len(first)} leading items became {len(then)}"
    for number, (a, b) in enumerate(zip(first, then, strict=False)):
        yield from _narrowed(a, b, f"{where}[{number}]")
    for word in ("anyOf", "oneOf"):
        for number, part in enumerate(old.get(word, ())):
            if not any(not narrowed(part, other, "") for other in new.get(word, ())):
                yield f"{where}: alternative {number + 1} of {word} is taken no longer"
        if new.get(word) and word not in old:
            yield f"{where}: bound by {word} now"
