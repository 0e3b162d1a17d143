"""Faults by name: how they are written, what is refused, and that each one known is really asked for somewhere."""

from pathlib import Path

import pytest

import simulators
from drivers.protocol.reports import DeviceKind
from simulators.scenario.faults import FAULTS, SHOE_ALIASES, WIRE, Fault, FaultBook, FaultError, parse

SHUFFLER, SHOE, PROGRESSIVE = DeviceKind.SHUFFLER, DeviceKind.SHOE, DeviceKind.PROGRESSIVE


def test_a_fault_is_written_with_occasion_and_particulars() -> None:
    """NAME@N:key=value, and the same text comes out again."""
    fault = parse("jam@4:card=7:place=infeed", SHUFFLER)
    assert fault == Fault("jam", 4, {"card": "7", "place": "infeed"})
    assert str(fault) == "jam@4:card=7:place=infeed"


def test_what_is_not_given_has_its_default() -> None:
    """The first of several choices, or the number in the table."""
    fault = parse("jam", SHUFFLER)
    assert (fault.at, fault.number("card"), fault.text("place")) == (None, 20, "rack")


def test_the_short_names_mean_the_deal_at_a_shoe() -> None:
    """A shoe does not shuffle, so its jam is one while dealing."""
    for short, full in SHOE_ALIASES.items():
        assert parse(short, SHOE).name == full


@pytest.mark.parametrize(
    ("text", "device", "why"),
    [
        ("jamm@4", SHUFFLER, "did you mean jam"),
        ("late_chip", SHOE, "no fault"),
        ("jam@0", SHUFFLER, "from 1"),
        ("jam@", SHUFFLER, "from 1"),
        ("jam@x", SHUFFLER, "from 1"),
        ("jam:cart=7", SHUFFLER, "takes card, place"),
        ("jam:card=seven", SHUFFLER, "whole number"),
        ("jam:place=roof", SHUFFLER, "one of rack"),
        ("hang:for=long", SHOE, "a number"),
        ("identity_wrong:x=1", SHUFFLER, "takes no parameters"),
    ],
)
def test_a_fault_nobody_can_have_is_refused_with_the_reason(text: str, device: DeviceKind, why: str) -> None:
    """A typing error must not pass as a run without a fault."""
    with pytest.raises(FaultError, match=why):
        parse(text, device)


def test_a_fault_is_taken_once_and_on_its_occasion() -> None:
    """Not before, not after, not twice."""
    book = FaultBook([parse("stop_dealing@2:stack=3", SHOE)])
    assert book.take("stop_dealing", 1, stack=3) is None
    assert book.take("stop_dealing", 2, stack=2) is None
    assert book.take("stop_dealing", 2, stack=3) is not None
    assert book.take("stop_dealing", 2, stack=3) is None
    assert book.armed == ()


def test_a_timed_fault_is_due_after_its_seconds() -> None:
    """Its time counts from the start of the occasion, and there is none before the first occasion."""
    book = FaultBook([parse("lid:after=2", SHOE)])
    assert book.next_timed(["lid"], 0, 0.0) is None
    assert book.next_timed(["lid"], 1, 10.0) == 12.0
    assert book.take_timed("lid", 1, 10.0, 11.9) is None
    assert book.take_timed("lid", 1, 10.0, 12.0) is not None


def test_every_fault_in_the_table_is_asked_for_by_some_part() -> None:
    """A name in the help that nothing acts on would be a lie."""
    room = Path(simulators.__file__).parent
    text = "".join(p.read_text() for p in sorted(room.rglob("*.py")) if not p.name.endswith("faults.py"))
    unused = [name for name in FAULTS if f'"{name}"' not in text and name not in WIRE]
    assert not unused


def test_every_fault_says_what_it_does() -> None:
    """One sentence each, for the help."""
    for name, kind in FAULTS.items():
        assert kind.effect.endswith("."), name
        assert kind.devices, name
