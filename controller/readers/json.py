"""Strict reading of one JSON object into a record: each mistake is named with its key, its code and what would be allowed.

A key that nobody reads is a mistake here, because it is most likely a misspelt one that somebody relies on.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import cache, partial
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from controller.readers.nearest import nearest
from drivers.protocol.texts import NOTHING, is_plain, repeated_key

MAX_LINE = 64 * 1024
"""Bytes of a line; the longest input that a journal can hold, with 2,000 characters of text, has a quarter of it."""
MIN_NUMBER, MAX_NUMBER = -(2**63), 2**64 - 1
"""What devices count to and other readers of JSON can keep."""


class LineRefused(Exception):
    """These bytes or this object cannot be read; the text says why. `code`: stable word, listed in docs/codes.md."""

    def __init__(self, reason: str, code: str) -> None:
        super().__init__(reason)
        self.code = code


def object_in(line: bytes, like: str) -> tuple[dict[str, Any], str | None]:
    """The object on a line, and a key that is there twice. `like`: an example for the message. Raises `LineRefused`."""
    try:
        raw = msgspec.json.decode(line)
        twice = repeated_key(line) if line.count(b":") > _count_keys(raw) else None
    except (msgspec.DecodeError, RecursionError, ValueError) as exc:
        raise LineRefused(f"not a line of JSON: {exc}", "not_json") from exc
    if not isinstance(raw, dict):
        raise LineRefused(f"a line is an object such as {like}", "not_object")
    return raw, twice


def _count_keys(raw: Any) -> int:
    """Keys of all objects in a value. A text has a colon for each, so that one with no more colons has none twice."""
    count, values = 0, [raw]
    for value in values:
        if isinstance(value, dict):
            count += len(value)
            values += value.values()
        elif isinstance(value, list):
            values += value
    return count


def object_on(line: bytes, like: str) -> dict[str, Any]:
    """The object on a line of a filter. Raises `LineRefused`, also for a line that is too long and a key that is there twice."""
    if len(line) > MAX_LINE:
        raise LineRefused(f"a line has at most {MAX_LINE} bytes, and this one has more", "line_too_long")
    raw, twice = object_in(line, like)
    if twice is not None:
        raise LineRefused(f"{twice!r} stands twice in one object; say it once", "key_twice")
    return raw


def convert(raw: Mapping[str, Any], cls: type[Any], where: str = "", *, strict: bool = True) -> Any:
    """The record of this class; without `strict`, text such as "5" stands for its value. Raises `LineRefused`."""
    try:
        return msgspec.convert(raw, cls, strict=strict)
    except msgspec.ValidationError as exc:
        raise type_wrong(exc, where) from exc


def type_wrong(error: msgspec.ValidationError, where: str = "") -> LineRefused:
    """``Expected `int`, got `str` - at `$.seat` `` as `'body.seat': expected int, got str`."""
    what, _, path = str(error).replace("`", "").partition(" - at ")
    place = ".".join(part for part in (where, path.removeprefix("$").removeprefix(".")) if part)
    return LineRefused(f"{place!r}: {what[:1].lower()}{what[1:]}" if place else what, "type_wrong")


_Check = Callable[[Any, str], None]
"""Raises `LineRefused` for a value; the text is the way to it."""


@cache
def _shape(cls: Any) -> tuple[dict[str, _Check | None], tuple[str, ...]]:
    """What is checked inside each key, None = nothing, and the keys that must be there; what may be unknown may be absent."""
    if issubclass(cls, Struct):
        needed = {field.name: field.required for field in msgspec.structs.fields(cls)}
    else:
        missing = dataclasses.MISSING
        needed = {f.name: f.default is missing and f.default_factory is missing for f in dataclasses.fields(cls)}
    types, declared = get_type_hints(cls), get_type_hints(cls, include_extras=True)
    none = {name for name in needed if NOTHING in getattr(declared[name], "__metadata__", ())}
    return {name: _inside(types[name]) for name in needed}, tuple(
        n
        for n, is_needed in needed.items()
        if is_needed and n not in none and type(None) not in get_args(types[n])
    )


def verify(raw: Mapping[str, Any], cls: type[Any], where: str = "", what: str = "") -> None:
    """Raises `LineRefused` for the first key, word, number or text that this record does not have. Types are left to msgspec.

    `where`: the way to the object; `what`: what it is called where it is the whole line.
    """
    inside, needed = _shape(cls)  # type: ignore[arg-type]
    what = where or what or "a line"
    for key in raw:
        if key not in inside:
            raise LineRefused(f"{what} has no {key!r} {nearest(key, inside)}", "key_unknown")
    for key in needed:
        if key not in raw:
            raise LineRefused(f"{what} needs {key!r}", "key_missing")
    for key, value in raw.items():
        _verify_value(value, inside[key], f"{where}.{key}" if where else key)


def _verify_value(value: Any, inside: _Check | None, where: str) -> None:
    if value is None:
        raise LineRefused(f"{where!r} is null; leave out what is not known", "null")
    if isinstance(value, int) and not MIN_NUMBER <= value <= MAX_NUMBER:
        bounds = f"whole numbers are from {MIN_NUMBER} to {MAX_NUMBER}"
        raise LineRefused(f"{where!r} is {value}; {bounds}", "number_out_of_range")
    if inside is not None:
        inside(value, where)


def _inside(typed: Any) -> _Check | None:
    """Returns the check of what stands inside values of this type; `_verify_value` checks the value itself."""
    if isinstance(typed, type) and (issubclass(typed, Struct) or dataclasses.is_dataclass(typed)):
        return lambda value, where: verify(value, typed, where) if isinstance(value, dict) else None
    if isinstance(typed, type) and issubclass(typed, StrEnum):
        return partial(_word, [word.value for word in typed])
    origin, args = get_origin(typed), get_args(typed)
    if origin in (Union, UnionType):
        return partial(_each, [check for inner in args if (check := _inside(inner)) is not None])
    if origin is tuple:
        return partial(_items, _inside(args[0]))
    return partial(_values, _inside(args[1])) if origin in (dict, Mapping) else None


def _word(words: list[str], value: Any, where: str) -> None:
    if value not in words:
        raise LineRefused(f"{where!r} is {value!r} {nearest(str(value), words)}", "word_unknown")


def _each(checks: Iterable[_Check], value: Any, where: str) -> None:
    for check in checks:
        check(value, where)


def _items(inside: _Check | None, value: Any, where: str) -> None:
    if isinstance(value, list):
        for item in value:
            _verify_value(item, inside, where)


def _values(inside: _Check | None, value: Any, where: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _verify_value(item, inside, f"{where}.{key}")


def verify_plain(raw: Mapping[str, Any], most: int) -> None:
    """Raises `LineRefused` for a text with a control character, or a number that is not from -`most` to below `most`."""
    for key, value in raw.items():
        if isinstance(value, int) and not -most <= value < most:
            raise LineRefused(f"{key!r} is too large a number", "number_out_of_range")
        if isinstance(value, str) and not is_plain(value):
            odd = f"the control character U+{next(ord(c) for c in value if not is_plain(c)):04X}"
            raise LineRefused(f"{key!r} holds {odd}; say it in plain words, on one line", "control_character")
