"""Writes a settlement as JSON without unknown, empty or zero values."""

from collections.abc import Mapping
from typing import Any

import msgspec

_ALWAYS = frozenset(
    {"seat", "stake", "returned", "paid", "back", "before", "now", "owed", "cut", "limit", "lines", "changes"}
)
"""Keys that stand there also where they are 0 or empty, unless they are not known at all."""


def lean(record: Any) -> Any:
    """Returns the record's JSON without values that are unknown, empty or zero by default."""
    return _lean(msgspec.to_builtins(record, str_keys=True))


def _lean(value: Any) -> Any:
    match value:
        case Mapping():
            return {
                key: _lean(each)
                for key, each in value.items()
                if each is not None and (key in _ALWAYS or each not in ("", 0, [], (), {}))
            }
        case list() | tuple():
            return [_lean(each) for each in value]
        case _:
            return value
