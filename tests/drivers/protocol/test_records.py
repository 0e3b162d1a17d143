"""A record that is quick to make is one of the standard library in all that can be seen of it."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field

import pytest

from drivers.protocol.records import dataclass


def _post(self):
    if self.a == 13:
        raise ValueError("unlucky")


def _body():
    return {
        "__annotations__": {"a": int, "b": str, "c": list, "d": bytes},
        "__module__": __name__, "__qualname__": "Both", "__doc__": "Both.", "__post_init__": _post,
        "b": "x", "c": field(default_factory=list), "d": field(default=b"", compare=False, repr=False),
    }  # fmt: skip


Both = dataclass(frozen=True, slots=True)(type("Both", (), _body()))
Theirs = dataclasses.dataclass(frozen=True, slots=True)(type("Both", (), _body()))
HOW = [
    lambda cls: repr(cls(1)),
    lambda cls: repr(cls(1, c=[cls(2)], d=b"z")),
    lambda cls: cls(1, "y") == cls(a=1, b="y", d=b"other"),
    lambda cls: cls(1) == cls(2),
    lambda cls: cls(1) == (1, "x", [], b""),
    lambda cls: hash(cls(1, "y", ())) == hash(cls(1, "y", (), b"other")),
    lambda cls: hash(cls(1)),
    lambda cls: repr(dataclasses.replace(cls(1), b="z")),
    lambda cls: dataclasses.asdict(cls(1)),
    lambda cls: (cls.__match_args__, cls.__slots__, [f.name for f in dataclasses.fields(cls)]),
    lambda cls: cls(1).c is cls(1).c,
    lambda cls: copy.copy(cls(1, d=b"z")).d,
    lambda cls: cls(),
    lambda cls: cls(1, e=2),
    lambda cls: cls(13),
    lambda cls: setattr(cls(1), "a", 2),
    lambda cls: delattr(cls(1), "a"),
]


def _seen(how, cls):
    try:
        return how(cls)
    except Exception as exc:
        return AttributeError if isinstance(exc, AttributeError) else type(exc), str(exc)


@pytest.mark.parametrize("how", HOW)
def test_it_is_seen_as_one_of_the_standard_library(how):
    ours, theirs = _seen(how, Both), _seen(how, Theirs)
    assert ours == theirs or ours[0] is theirs[0] is AttributeError


def test_it_is_pickled():
    assert pickle.loads(pickle.dumps(Both(1, d=b"z"))).d == b"z"


def test_a_record_of_nothing_and_one_of_one_field():
    none, one = (
        dataclass(frozen=True, slots=True)(type("N", (), {"__annotations__": a})) for a in ({}, {"a": int})
    )
    assert none() == none()
    assert one(1) == one(1) != one(2)
    assert hash(one(1)) == hash(one(1))


def test_what_a_class_says_itself_stays():
    said = {"__annotations__": {"a": int}, "__repr__": lambda self: "said", "__eq__": lambda self, other: True}
    said["__hash__"] = lambda self: 1
    own = dataclass(frozen=True, slots=True)(type("Own", (), said))
    assert repr(own(1)) == "said"
    assert own(1) == own(2)
    assert hash(own(2)) == 1


def test_any_other_class_is_left_to_the_standard_library():
    assert (
        dataclass(slots=True)(type("Open", (), {"__annotations__": {"a": int}}))(1).__dataclass_params__.frozen
        is False
    )


def test_tools_see_the_fields_of_a_class_of_which_no_record_was_made():
    """Hypothesis makes records by the signature."""
    seen = [
        [(p.name, p.kind, p.annotation, p.default is p.empty) for p in inspect.signature(cls).parameters.values()]
        for cls in (
            made(frozen=True, slots=True)(type("Both", (), _body())) for made in (dataclass, dataclasses.dataclass)
        )
    ]
    assert seen[0] == seen[1]
