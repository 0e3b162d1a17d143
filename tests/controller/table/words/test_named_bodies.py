"""Bodies say action and wager in one word, and are read as a demand that names its wager."""

import json

import msgspec
import pytest

from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Role, Trigger
from controller.table.state.state_json import carried, state_of
from controller.table.state.table import Duty
from controller.table.words import facts as f
from controller.table.words.codec import decode_fact, encode
from controller.table.words.structs import replace

SPARED = Demand(Action.SETTLE, ("13.C",), wager="trips")
MADE = f.DispositionMade(
    Trigger.CARD_FACE_UP, ("several", "trips_placed"), "R1", 0, (Demand(Action.VOID_ALL_HANDS, ("13.B",)), SPARED), ("13.C",),
    False, "md-uth", "1.4", "0" * 64, "says", 2,
)  # fmt: skip
OPENED = f.DutyOpened("D1", Action.COLLECT, Role.DEALER, seat=2, cite=("14(d)",), wager="ante")
CLOSED = f.DutyClosed("D1", Action.SETTLE, "a dealer", Role.DEALER, "trips")
OF_SET = f.DutyOpened("D2", Action.RESHUFFLE, Role.DEALER, back="red", reading="R-25")


@pytest.mark.parametrize("event", [MADE, OPENED, CLOSED, OF_SET])
def test_a_fact_with_a_demand_is_read_as_it_was_recorded(event: f.Event) -> None:
    """Whether or not the demand names a wager."""
    assert decode_fact(event.kind, "table", encode(event)) == f.Fact("table", event)


def test_a_body_has_one_word_for_action_and_wager() -> None:
    """As every record so far: a demand has the wager beside it too, a duty has not."""
    assert json.loads(encode(MADE))["demands"] == [
        {"action": "void_all_hands", "cite": ["13.B"]},
        {"action": "settle_trips", "cite": ["13.C"], "wager": "trips"},
    ]
    told = [json.loads(encode(event)) for event in (OPENED, CLOSED, OF_SET)]
    assert [(body["action"], "wager" in body) for body in told] == [
        ("collect_ante", False), ("settle_trips", False), ("reshuffle", False),
    ]  # fmt: skip


def test_a_demand_of_the_oldest_records_gets_its_wager_by_its_word() -> None:
    """They had no wager beside it."""
    body = json.loads(encode(MADE))
    del body["demands"][1]["wager"]
    event = decode_fact(MADE.kind, "table", json.dumps(body).encode()).event
    assert event == MADE


@pytest.mark.parametrize("word", ["settle_", "play_trips", "", 7, None])
def test_what_is_no_action_is_refused_as_a_body(word: object) -> None:
    """By name, and nothing is guessed."""
    body = {**json.loads(encode(CLOSED)), "action": word}
    with pytest.raises(msgspec.ValidationError):
        decode_fact(CLOSED.kind, "table", json.dumps(body).encode())


def test_a_carried_state_has_its_duties_in_one_word_too(make_table) -> None:  # type: ignore[no-untyped-def]
    """Of a duty that the end of a day finds open: between two rounds, of the last one."""
    duties = {
        "D1": Duty("D1", Action.COLLECT, Role.DEALER, "", "", 2, ("14(d)",), None, "ante"),
        "D2": Duty("D2", Action.CHANGE_SET, Role.FLOORPERSON, "", "red", 0, (), "R-25"),
    }
    state = replace(make_table("ma-colorado").state, duties=duties)
    text = carried(state)
    told = json.loads("".join(text))["duties"]
    assert [(duty["action"], "wager" in duty) for duty in told.values()] == [
        ("collect_ante", False), ("change_set", False),
    ]  # fmt: skip
    assert state_of(text) == state
