"""`replace` for the frozen dataclasses of the state: what `dataclasses.replace` does, without running their initialiser.

A round has four dozen fields, and each fact makes another one with one or two of them changed. The initialiser of a frozen
dataclass sets each through `object.__setattr__`, which was two fifths of all that a decision cost; here the slots are filled by
their own descriptors.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["replace"]

if TYPE_CHECKING:
    from dataclasses import replace  # a type checker knows this one, and with it the fields of each class
else:

    def replace(old, /, **changes):
        """Another object like `old` but for these fields.

        Raises `TypeError` for a field that it does not have, and for an object that is no dataclass with slots, or makes
        something of its fields itself (`__post_init__`).
        """
        read, setters = _slots(type(old))
        new = object.__new__(type(old))
        for put, value in zip(setters.values(), read(old), strict=True):
            put(new, value)
        for name, value in changes.items():
            if name not in setters:
                raise TypeError(f"{type(old).__name__} has no field {name!r}")
            setters[name](new, value)
        return new


@cache
def _slots(cls: type) -> tuple[Callable[[Any], tuple[Any, ...]], dict[str, Callable[[Any, Any], None]]]:
    """Reads all fields at once, and sets each of a new object."""
    if not is_dataclass(cls) or not hasattr(cls, "__slots__") or hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__} is no dataclass with slots that leaves its fields as they are")
    names = [field.name for field in fields(cls)]
    setters = {name: getattr(cls, name).__set__ for name in names}
    read = attrgetter(*names)
    return read if len(names) > 1 else lambda old: (read(old),), setters
