"""Writes a settlement as JSON without unknown, empty or zero values."""

from typing import Any

from msgspec import Struct, defstruct, structs
from msgspec.structs import asdict, astuple

from controller.games.settling.settled import Line

_ALWAYS = frozenset(
    {"seat", "stake", "returned", "paid", "back", "before", "now", "owed", "cut", "limit", "lines", "changes"}
)
"""Keys that stand there also where they are 0 or empty, unless they are not known at all."""
_PLAIN = frozenset((str, int, bool))


_LeanLine = defstruct(
    "_LeanLine",
    [
        (f.name, f.type) if f.required or f.name in _ALWAYS else (f.name, f.type, f.default)
        for f in structs.fields(Line)
    ],
    omit_defaults=True,
)
"""A line that is written without what it has by default: of what is written, most are lines."""


def lean(value: Any) -> Any:
    """Returns a record as JSON knows it, without values that are unknown, empty or zero by default."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Line):
        return _LeanLine(*astuple(value))
    if isinstance(value, list | tuple):
        return [each if type(each) in _PLAIN else lean(each) for each in value]
    if isinstance(value, Struct):
        value = asdict(value)
    if not isinstance(value, dict):
        return str(value)  # a word
    return {
        key: each if type(each) in _PLAIN else lean(each)
        for key, each in value.items()
        if each or (key in _ALWAYS and each is not None)
    }
