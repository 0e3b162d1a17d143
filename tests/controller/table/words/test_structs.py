"""Records are frozen, are copied with what is changed, and tell their fields as reports do."""

import pickle
from dataclasses import dataclass, field

import pytest

from controller.rules.vocabulary import Method
from controller.table.state.table import Round, State, Wager
from controller.table.words.acts import PlaceWager
from controller.table.words.codec import BODIES
from controller.table.words.facts import FACTS
from controller.table.words.structs import Field, fields, is_record, names, replace
from drivers.events import REPORTS, ShuffleCompleted
from tests.controller.table.conftest import MakeTable


def test_a_copy_has_what_was_changed_and_the_old_one_stays() -> None:
    old = Wager(100, player="x")
    assert replace(old, cents=200) == Wager(200, player="x")
    assert old == Wager(100, player="x")


def test_what_is_not_changed_is_the_same_object(make_table: MakeTable) -> None:
    state = make_table("md-uth").state
    other = replace(state, rounds=7)
    assert other.rounds == 7
    assert all(getattr(other, name) is getattr(state, name) for name in names(State) if name != "rounds")


def test_nobody_changes_a_record_in_place() -> None:
    for record in (Wager(100), replace(Wager(100), cents=200), PlaceWager(1, "ante", 500)):
        with pytest.raises(AttributeError, match="immutable"):
            record.cents = 300  # type: ignore[misc]


def test_a_field_that_is_not_there_is_named() -> None:
    with pytest.raises(TypeError, match="'cent'"):
        replace(Wager(100), cent=1)  # type: ignore[call-arg]


def test_what_is_kept_between_two_starts_is_the_same_record() -> None:
    round_ = replace(Round("uth-1-1", 1, "red", Method.HAND), stacks=(2, 2), void=True)
    assert pickle.loads(pickle.dumps(round_)) == round_


def test_a_report_tells_its_fields_like_a_record() -> None:
    """A report is a dataclass: the protocol needs nothing beside the standard library."""
    assert names(ShuffleCompleted)[:2] == ("back", "mode")
    assert [field.name for field in fields(PlaceWager) if field.required] == ["seat", "wager", "cents"]
    assert [field.name for field in fields(ShuffleCompleted) if field.required] == list(
        names(ShuffleCompleted)[:-1]
    )


def test_everything_that_can_be_recorded_is_a_record() -> None:
    assert REPORTS.items() <= BODIES.items()
    assert all(is_record(cls) for cls in (*BODIES.values(), *FACTS.values()))
    assert not is_record(dict)
    assert not is_record(Wager(100))


def test_fields_tell_their_types_and_which_of_them_must_be_given() -> None:
    """A field with a default, or with what makes one, may be left out."""
    assert fields(Wager)[0] == Field("cents", int, True)
    assert [f.required for f in fields(Round) if f.name in ("id", "void", "seen")] == [True, False, False]
    counted = next(f for f in fields(ShuffleCompleted) if f.name == "count")
    assert (counted.required, counted.type) == (True, int | None)
    assert [f.required for f in fields(_Told)] == [True, False, False]


@dataclass
class _Told:
    """As a report is declared."""

    must: int
    may: int = 0
    many: list[int] = field(default_factory=list)
