"""A state that was carried is the state that was folded, whatever happened at the table before."""

from typing import Any

import msgspec
import pytest

from controller.journal.day_state import NotCarried, state_from
from controller.rules.vocabulary import Method
from controller.table.state.recorded_setup import setup_told
from controller.table.state.state_json import carried
from controller.table.state.table import DeviceSetup, State
from controller.table.words.codec import decode_fact, encode
from controller.table.words.inputs import RecordDayClosed, ServiceStarted
from controller.table.words.structs import replace
from drivers.events import DeviceKind
from tests.soak.day import Day
from tests.soak.tables import RULEBOOKS


class Between(Day):
    """A day whose state is carried at each moment between two rounds, through the bytes of a record."""

    checked = 0

    def put(self, *given: Any, **more: Any) -> None:
        super().put(*given, **more)
        if self.state.round is None:
            self.checked += 1
            assert state_from(on_record(self.state, self.setup), self.setup) == self.state


def on_record(state: State, setup: Any) -> RecordDayClosed:
    started = ServiceStarted("1", "x", "1", "0" * 64, setup_told(setup))
    closed = RecordDayClosed("2026-01-01", started, carried(state), "{}", "")
    fact = decode_fact(closed.kind, "table", encode(closed))
    assert isinstance(fact.event, RecordDayClosed)
    assert fact.event.started == started
    return fact.event


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_the_state_between_rounds_survives_as_text(rulebook: str) -> None:
    """With holds, duties, suspects, what was played since each set was counted, and the last round's wagers."""
    day = Between(rulebook, f"carried {rulebook}", 40)
    day.play()
    assert day.checked > 50


def test_a_table_that_was_set_up_anew_keeps_what_it_still_has() -> None:
    """A device that came is as at the beginning, one that went or is another kind of thing is gone; the way of dealing is the
    configured one unless a person had changed it."""
    day = Between("md-uth", "setup", 3)
    day.play()
    closed, setup, state = on_record(replace(day.state, round=None), day.setup), day.setup, day.state
    name, kept = next(iter(state.devices.items()), ("", None))
    other = DeviceKind.LINE
    devices = {"new-1": DeviceSetup("new-1", DeviceKind.LINE), **setup.devices}
    if kept is not None:
        devices[name] = DeviceSetup(name, other)
    changed = replace(setup, devices=devices, backs=("green", *setup.backs[:1]))
    found = state_from(closed, changed)
    assert found.devices["new-1"] == State.initial(changed).devices["new-1"]
    assert kept is None or found.devices[name] == State.initial(changed).devices[name]
    assert list(found.sets) == ["green", setup.backs[0]]
    assert found.sets[setup.backs[0]] == state.sets[setup.backs[0]]
    by_hand = replace(setup, method=Method.HAND)
    was_changed = state.method is not setup.method
    assert state_from(closed, by_hand).method is (state.method if was_changed else Method.HAND)
    acted = on_record(
        replace(state, method=Method.MANUAL_SHOE, round=None), replace(setup, method=Method.SHUFFLER)
    )
    assert state_from(acted, by_hand).method is Method.MANUAL_SHOE


def test_what_cannot_be_carried_is_said() -> None:
    """In a round, or by a release that has other words."""
    day = Between("fast-action", "words", 2)
    day.play()
    closed = on_record(day.state, day.setup)
    text = "".join(closed.folded).replace(f'"method":"{day.state.method}"', '"method":"by_magic"')
    with pytest.raises(NotCarried, match="by_magic"):
        state_from(replace(closed, folded=(text,)), day.setup)
    while day.state.round is None:
        day._step()
    with pytest.raises(ValueError, match="between two rounds"):
        carried(day.state)
    assert msgspec.json.decode("".join(closed.folded))["rounds"] == 2


def test_a_state_outlives_an_update_that_adds_to_it_and_no_step_back() -> None:
    """What the software has gained since is as at the beginning; what it has never heard of may matter."""
    day = Between("ma-uth", "update", 2)
    day.play()
    closed = on_record(day.state, day.setup)
    told = msgspec.json.decode("".join(closed.folded))
    older = {name: value for name, value in told.items() if name not in ("alarms_raised", "disputes")}
    read = state_from(replace(closed, folded=(msgspec.json.encode(older).decode(),)), day.setup)
    assert read == replace(day.state, alarms_raised=0, disputes={})
    newer = msgspec.json.encode({**told, "mood": "fine"}).decode()
    with pytest.raises(NotCarried, match="mood"):
        state_from(replace(closed, folded=(newer,)), day.setup)
