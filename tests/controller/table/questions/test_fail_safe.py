"""What goes to the devices before it is in the record: the safe side alone, once for each device that may be open."""

import pytest

from controller.rules.vocabulary import Role
from controller.table.fold.ruling import AT_ONCE
from controller.table.questions.fail_safe import at_once, everything_safe
from controller.table.state.device import Device, has_level
from controller.table.words import acts as a
from controller.table.words.inputs import Actor, Input, Moment
from controller.table.words.structs import replace
from drivers import events as e
from drivers.commands import WantedLevel
from drivers.protocol.words import ENGAGED, INHIBITED, Level

DEALER = Actor("dora", Role.DEALER)


@pytest.fixture
def state(make_table):
    """Betting is open, and two of each of these devices are at the table."""
    table = make_table("md-uth").ready().begin()
    devices = dict(table.state.devices)
    for name in ("shoe", "progressive"):
        devices[f"{name}-2"] = devices[f"{name}-1"]
    return replace(table.state, devices=devices)


def given(body, subject="table", actor=None):
    return Input(Moment(0, 0, "boot"), subject, body, None, actor)


@pytest.mark.parametrize("serial", [1, 2, (1 << 51) + 7])
def test_devices_of_a_kind_get_an_operation_each(state, serial):
    """They are counted up from the number that was given, and marked as ahead of the record."""
    locked = at_once(state, given(a.AnnounceNoMoreBets(), actor=DEALER), serial)
    assert locked == tuple(
        WantedLevel(f"progressive-{n + 1}", Level.LOCKOUT, ENGAGED, AT_ONCE + serial + n) for n in (0, 1)
    )
    alarm = e.Jammed(e.Back.RED, e.Activity.DEALING, e.JamPlace.OUTPUT, 2, 40)
    held = tuple(
        WantedLevel(name, Level.DISPENSING, INHIBITED, AT_ONCE + serial + n)
        for name, n in (("shoe-1", 0), ("shoe-2", 1), ("shuffler-1", 0))
    )
    assert at_once(state, given(alarm, "shoe-1"), serial) == held
    assert everything_safe(state, serial) == locked + held


def test_a_number_that_is_too_large_keeps_the_mark(state):
    """An operation of the short path is never taken for one that the record knows."""
    for wanted in everything_safe(state, (1 << 53) + AT_ONCE + 5):
        assert AT_ONCE <= wanted.operation < 2 * AT_ONCE


def test_nothing_goes_ahead_for_what_is_no_alarm(state):
    """Nor for "no more bets" that nobody said, or where there is no round."""
    assert at_once(state, given(a.AnnounceNoMoreBets()), 1) == ()
    assert at_once(replace(state, round=None), given(a.AnnounceNoMoreBets(), actor=DEALER), 1) == ()
    assert at_once(state, given(a.StartDealing(), actor=DEALER), 1) == ()
    assert at_once(state, given(e.StackDispensed(e.Back.RED, 1, 5), "shoe-1"), 1) == ()


def test_a_level_that_no_device_reads_back_is_one_that_it_does_not_have() -> None:
    """Whoever asks for any level gets an answer: what a display shows is not among those that are read."""
    shoe = Device(e.DeviceKind.SHOE)
    assert {level for level in Level if has_level(shoe, level)} == {Level.DISPENSING, Level.LAMPS}
