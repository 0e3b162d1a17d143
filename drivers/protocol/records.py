"""Frozen records that are quick to make: `dataclass` as the standard library has it, with less code compiled at the start.

For each frozen class with slots the standard library writes six functions as text and compiles them, and a daemon has 250
such classes: a third of its start. Five of the six say the same of every class, so here they are written once; the one that
fills a record is compiled when the first record of its class is made. Any other class is left to the standard library.
"""

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass  # a type checker knows this one
else:

    def dataclass(*cls: type, **how: bool) -> Any:
        """As in the standard library. Its order of fields, defaults, matching, replacing and errors hold."""
        return _frozen if how == {"frozen": True, "slots": True} else dataclasses.dataclass(*cls, **how)


def _frozen(cls: type) -> type:
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    values = _values(tuple(field.name for field in dataclasses.fields(made) if field.compare))

    def fill(self: Any, *values: Any, **named: Any) -> None:
        made.__init__ = _compiled(made)
        made.__init__(self, *values, **named)

    def equal(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    own = {"__eq__": equal, "__hash__": lambda self: hash(values(self)), "__repr__": _told, **_SHARED}
    for name, method in own.items():
        if name not in cls.__dict__:
            setattr(made, name, method)
    made.__init__ = fill
    made.__signature__ = _Signature()
    return made  # type: ignore[no-any-return]


class _Signature:
    """What `inspect.signature` shows of a class, also before its first record: tools make records by it."""

    def __get__(self, record: object, cls: Any) -> Any:
        import inspect  # noqa: PLC0415  # a start needs it for no record

        parameters = []
        for field in dataclasses.fields(cls):
            has_none = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            default = inspect.Parameter.empty if has_none else field.default
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(inspect.Parameter(field.name, kind, default=default, annotation=field.type))
        return inspect.Signature(parameters, return_annotation=None)


def _values(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """Takes what is compared; of one field itself, as no record is compared with another class."""
    return attrgetter(*names) if names else lambda _: ()


def _compiled(cls: Any) -> Any:
    """The function that fills a record of this class."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_make": object()}
    parameters, lines = ["self"], []
    for field in dataclasses.fields(cls):
        name, default, value = field.name, "", field.name
        if field.default is not dataclasses.MISSING:
            known[f"_{name}"], default = field.default, f"=_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            known[f"_{name}"], default = field.default_factory, "=_make"
            value = f"_{name}() if {name} is _make else {name}"
        parameters.append(name + default)
        lines.append(f" _set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *lines, " return None"]), known)  # noqa: S102
    known["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    return known["__init__"]


@recursive_repr()
def _told(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _set(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_SHARED = {"__setattr__": _set, "__delattr__": _delete, "__getstate__": _state, "__setstate__": _restore}
