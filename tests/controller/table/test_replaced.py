"""The state's own `replace` does what `dataclasses.replace` does."""

import dataclasses
import pickle
from dataclasses import dataclass, field

import pytest

from controller.rules.vocabulary import Method
from controller.table.replaced import replace
from controller.table.state import Round, State, Wager
from tests.controller.table.conftest import MakeTable


@dataclass(frozen=True, slots=True)
class _One:
    field: int = 1


@dataclass(frozen=True, slots=True)
class _Base:
    first: int
    made: int = field(default=0, init=False)


@dataclass(frozen=True, slots=True)
class _Child(_Base):
    second: int = 2


def test_it_makes_what_the_standard_library_makes() -> None:
    """For a round, a whole state, one field of one, and fields of a parent."""
    round_ = Round("uth-1-1", 1, "red", Method.HAND)
    for old, changes in (
        (round_, {"number": 2}),
        (round_, {}),
        (round_, {"void": True, "stacks": (2, 2), "seats": {1: 2}}),
        (_One(3), {"field": 4}),
        (Wager(100), {"cents": 200, "player": "x"}),
        (_Child(1), {"second": 5, "first": 9}),
    ):
        made = replace(old, **changes)
        assert made == dataclasses.replace(old, **changes)
        assert type(made) is type(old)
        assert pickle.loads(pickle.dumps(made)) == made


def test_the_old_one_stays_as_it_was_and_both_stay_frozen() -> None:
    old = Wager(100)
    new = replace(old, cents=200)
    assert (old.cents, new.cents) == (100, 200)
    for wager in (old, new):
        with pytest.raises(dataclasses.FrozenInstanceError):
            wager.cents = 300  # type: ignore[misc]


def test_what_is_not_changed_is_the_same_object(make_table: MakeTable) -> None:
    state = make_table("md-uth").state
    other = replace(state, rounds=7)
    assert all(
        getattr(other, f.name) is getattr(state, f.name) for f in dataclasses.fields(State) if f.name != "rounds"
    )


def test_a_field_that_is_not_there_is_named() -> None:
    with pytest.raises(TypeError, match="Wager has no field 'cent'"):
        replace(Wager(100), cent=1)  # type: ignore[call-arg]


def test_what_makes_something_of_its_fields_itself_is_refused() -> None:
    """Its initialiser would not run, and nobody would notice."""

    @dataclass(frozen=True, slots=True)
    class Checks:
        cents: int

        def __post_init__(self) -> None:
            assert self.cents > 0

    @dataclass(frozen=True)
    class NoSlots:
        cents: int

    for old in (Checks(1), NoSlots(1)):
        with pytest.raises(TypeError, match="is no dataclass with slots"):
            replace(old, cents=2)
