"""Reads a line of JSON strictly: each fault is named with what is allowed."""

from collections.abc import Mapping
from enum import StrEnum
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from controller.rules.read.reader import nearest
from controller.table.words.structs import fields, is_record
from drivers.protocol.texts import repeated_key

MAX_LINE = 64 * 1024
"""Bytes of a line; the longest input that a journal can hold, with 2,000 characters of text, has a quarter of it."""
MIN_NUMBER, MAX_NUMBER = -(2**63), 2**64 - 1
"""What devices count to and other readers of JSON can keep."""


class ErrorLine(Struct, frozen=True):
    """A refused line. `error`: the fault, and what is allowed."""

    line: int
    error: str


class LineRefused(Exception):
    """A line cannot be read; the text says why."""


def object_in(line: bytes, like: str) -> dict[str, Any]:
    """Returns the object on a line. `like`: an example for the error message. Raises `LineRefused`."""
    if len(line) > MAX_LINE:
        raise LineRefused(f"a line has at most {MAX_LINE} bytes, and this one has more")
    try:
        raw, twice = msgspec.json.decode(line), repeated_key(line)
    except (msgspec.DecodeError, RecursionError, ValueError) as exc:
        raise LineRefused(f"not a line of JSON: {exc}") from exc
    if not isinstance(raw, dict):
        raise LineRefused(f"a line is an object such as {like}")
    if twice is not None:
        raise LineRefused(f"{twice!r} stands twice in one object; say it once")
    return raw


def convert(raw: dict[str, Any], cls: type[Any], where: str) -> Any:
    """Returns the record of this class. Raises `LineRefused` for a value of another type."""
    try:
        return msgspec.convert(raw, cls)
    except msgspec.ValidationError as exc:
        raise LineRefused(in_words(exc, where)) from exc


_SHAPES: dict[type[Any], tuple[dict[str, Any], frozenset[str]]] = {}


def _shape(cls: type[Any]) -> tuple[dict[str, Any], frozenset[str]]:
    """Returns types by key, and the required keys."""
    if cls not in _SHAPES:
        types = get_type_hints(cls)
        types = {f.name: types[f.name] for f in fields(cls)}
        needed = {f.name for f in fields(cls) if f.required}
        _SHAPES[cls] = types, frozenset(n for n in needed if type(None) not in get_args(types[n]))
    return _SHAPES[cls]


def verify(raw: dict[str, Any], cls: type[Any], where: str) -> None:
    """Raises `LineRefused` for the first unknown key or word. msgspec checks the types."""
    types, needed = _shape(cls)
    what = where or "a line"
    for key in raw:
        if key not in types:
            raise LineRefused(f"{what} has no {key!r} {nearest(key, types)}")
    for key in types:
        if key in needed and key not in raw:
            raise LineRefused(f"{what} needs {key!r}")
    for key, value in raw.items():
        _verify_value(value, types[key], f"{where}.{key}" if where else key)


def _verify_value(value: Any, typed: Any, where: str) -> None:
    if value is None:
        raise LineRefused(f"{where!r} is null; leave out what is not known")
    if isinstance(value, int) and not MIN_NUMBER <= value <= MAX_NUMBER:
        raise LineRefused(f"{where!r} is {value}; whole numbers are from {MIN_NUMBER} to {MAX_NUMBER}")
    if get_origin(typed) in (Union, UnionType):
        for inner in get_args(typed):
            if inner is not type(None) and (isinstance(value, dict) or not is_record(inner)):
                _verify_value(value, inner, where)
        return
    if is_record(typed) and isinstance(value, dict):
        verify(value, typed, where)
    elif get_origin(typed) is tuple and isinstance(value, list):
        for item in value:
            _verify_value(item, get_args(typed)[0], where)
    elif get_origin(typed) in (dict, Mapping) and isinstance(value, dict):
        for key, item in value.items():
            _verify_value(item, get_args(typed)[1], f"{where}.{key}")
    elif isinstance(typed, type) and issubclass(typed, StrEnum) and value not in [*typed]:
        raise LineRefused(f"{where!r} is {value!r} {nearest(str(value), [word.value for word in typed])}")


def in_words(error: msgspec.ValidationError, where: str) -> str:
    """``Expected `int`, got `str` - at `$.seat` `` as `'body.seat': expected int, got str`."""
    what, _, path = str(error).replace("`", "").partition(" - at ")
    place = ".".join(part for part in (where, path.removeprefix("$").removeprefix(".")) if part)
    return f"{place!r}: {what[:1].lower()}{what[1:]}" if place else what
