"""Records: what is decided, written down and remembered is a frozen `Struct` of msgspec, filled and copied in C.

A round has four dozen fields, and each fact makes another one with one or two of them changed. What devices report is a
dataclass, since the protocol needs nothing beside the standard library; `fields` knows both.
"""

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct, structs

if TYPE_CHECKING:
    from dataclasses import replace  # a type checker knows this one, and with it the fields of each class
else:
    from msgspec.structs import replace

__all__ = ["Field", "fields", "is_record", "names", "replace"]


class Field(NamedTuple):
    """`type` as it is written, with what it is annotated with."""

    name: str
    type: Any
    required: bool


def is_record(declared: object) -> bool:
    """True for the class of a record or of a report."""
    return isinstance(declared, type) and (issubclass(declared, Struct) or dataclasses.is_dataclass(declared))


def fields(cls: type[Any]) -> tuple[Field, ...]:
    """The fields of a record or of a report, in order."""
    if issubclass(cls, Struct):
        return tuple(Field(f.name, f.type, f.required) for f in structs.fields(cls))
    return tuple(
        Field(f.name, f.type, f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING)
        for f in dataclasses.fields(cls)
    )


def names(cls: type[Any]) -> tuple[str, ...]:
    """Those of its fields."""
    if cls not in _NAMES:
        _NAMES[cls] = tuple(field.name for field in fields(cls))
    return _NAMES[cls]


_NAMES: dict[type[Any], tuple[str, ...]] = {}
