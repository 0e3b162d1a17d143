"""Bodies of the second version: a demand names its wager beside its action, what there is not is absent; the first is raised."""

import json
from typing import Any

import msgspec
import pytest

from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Area, Method, Role, Trigger
from controller.table.state.card_set import Cut
from controller.table.state.state_json import carried, state_of
from controller.table.state.table import Duty
from controller.table.words import facts as f
from controller.table.words.codec import BODIES, IDENTITIES, absent_in, decode_fact, encode, version_of
from controller.table.words.inputs import RecordChecked
from controller.table.words.older_bodies import SECOND, THIRD, UPCASTS
from controller.table.words.structs import fields, replace

SPARED = Demand(Action.SETTLE, ("13.C",), wager="trips")
MADE = f.DispositionMade(
    Trigger.CARD_FACE_UP, ("several", "trips_placed"), "R1", 0, (Demand(Action.VOID_ALL_HANDS, ("13.B",)), SPARED), ("13.C",),
    False, "md-uth", "1.4", "0" * 64, "says", 2,
)  # fmt: skip
OPENED = f.DutyOpened("D1", Action.COLLECT, Role.DEALER, seat=2, cite=("14(d)",), wager="ante")
CLOSED = f.DutyClosed("D1", Action.SETTLE, "a dealer", Role.DEALER, "trips")
OF_SET = f.DutyOpened("D2", Action.RESHUFFLE, Role.DEALER, back="red", reading="R-25")
FIRST: list[tuple[f.Event, dict[str, Any]]] = [
    (MADE, {"seat": 0, "demands": [
        {"action": "void_all_hands", "cite": ["13.B"]}, {"action": "settle_trips", "cite": ["13.C"], "wager": "trips"},
    ]}),
    (MADE, {"demands": [{"action": "void_all_hands", "cite": ["13.B"]}, {"action": "settle_trips", "cite": ["13.C"]}]}),
    (OPENED, {"action": "collect_ante", "wager": None, "device": "", "back": ""}),
    (CLOSED, {"action": "settle_trips", "wager": None}),
    (OF_SET, {"device": "", "seat": 0}),
    (f.RoundBegun("R1", 1, "red", Method.DEALING_SHOE, "a", "pikit", sensed_wager=False), {"sensed_wager": None, "chips": False}),
    (RecordChecked(7, 1, "cut"), {"first_fault": None, "first": "cut"}),
    (f.WagerPlaced(1, "ante", 0, "USD", "a"), {"cents": 0, "player": "", "coupon": 0}),
    (f.HandRecorded("R1", Area.DEALER, 0, "As Kd", "", "", "a"), {"seat": 0, "played": "", "shown": ""}),
]  # fmt: skip
"""Facts, and what their bodies of the first version have otherwise. None = is not in them."""


@pytest.mark.parametrize(("event", "other"), FIRST)
def test_a_body_of_the_first_version_is_raised(event: f.Event, other: dict[str, Any]) -> None:
    """To the very fact that the second version has; and that one is read as it was recorded."""
    assert decode_fact(event.kind, "table", encode(event)) == f.Fact("table", event)
    body = {k: v for k, v in (json.loads(encode(event)) | other).items() if v is not None}
    assert decode_fact(event.kind, "table", json.dumps(body).encode(), 1) == f.Fact("table", event)
    assert version_of(event.kind) == (3 if event.kind in IDENTITIES else 2)


def test_a_body_has_action_and_wager_apart() -> None:
    """Of a demand as of a duty."""
    assert json.loads(encode(MADE))["demands"] == [
        {"action": "void_all_hands", "cite": ["13.B"]},
        {"action": "settle", "cite": ["13.C"], "wager": "trips"},
    ]
    told = [json.loads(encode(event)) for event in (OPENED, CLOSED, OF_SET)]
    assert [(body["action"], body.get("wager")) for body in told] == [
        ("collect", "ante"), ("settle", "trips"), ("reshuffle", None),
    ]  # fmt: skip


def test_what_there_is_not_is_absent_in_every_body_that_could_say_so() -> None:
    """Each kind that has such a field is of a new version; no field has 0 or an empty text by default but these and counts."""
    kinds: dict[str, Any] = {**BODIES, **f.FACTS}
    touched = {kind for kind, cls in kinds.items() if absent_in(cls)}
    changed = {kind for kind, _ in UPCASTS} | {"service_started"}  # its table has no price of a chip, or has one
    assert {*SECOND, *THIRD} == touched | changed
    assert frozenset(IDENTITIES) == THIRD
    counts = {
        ("round_ended", "cards"),
        ("set_suspected", "earlier"),
        ("record_checked", "faults"),
        ("broker_changed", "detail"),
    }
    counts |= {(kind, "paid") for kind in ("settle_wager", "correct_settlement")}
    structs = {kind: cls for kind, cls in kinds.items() if issubclass(cls, msgspec.Struct)}
    bare = {
        (kind, name)
        for kind, cls in structs.items()
        for name, default in zip(reversed(cls.__struct_fields__), reversed(cls.__struct_defaults__), strict=False)
        if default in ("", 0) and default is not False
    }
    assert {(kind, name) for kind, name in bare if name not in absent_in(kinds[kind])} == counts


def test_one_key_has_one_type() -> None:
    """Whatever event it stands in: `chips` was a number in one and true or false in another. Cards of a hand are their
    names, and the code of a device is its maker's number."""
    found: dict[str, set[str]] = {}
    for cls in f.FACTS.values():
        for field in fields(cls):
            plain = getattr(field.type, "__origin__", field.type)
            if plain in (int, str, bool):
                found.setdefault(field.name, set()).add(plain.__name__)
    assert found["chips"] == {"int"}
    assert {name: types for name, types in found.items() if len(types) > 1} == {
        "cards": {"int", "str"},
        "code": {"int", "str"},
    }


@pytest.mark.parametrize("word", ["settle_", "play_trips", "", 7, None])
def test_what_is_no_action_is_refused_as_a_body(word: object) -> None:
    """By name, and nothing is guessed; of either version."""
    body = json.dumps({**json.loads(encode(CLOSED)), "action": word}).encode()
    for version in (1, 2):
        with pytest.raises(msgspec.ValidationError):
            decode_fact(CLOSED.kind, "table", body, version)


def test_a_carried_state_of_the_first_version_is_read_too(make_table) -> None:  # type: ignore[no-untyped-def]
    """A duty that the end of a day finds open was one word there, and the cut of a set three."""
    duties = {
        "D1": Duty("D1", Action.COLLECT, Role.DEALER, "", "", 2, ("14(d)",), None, "ante"),
        "D2": Duty("D2", Action.CHANGE_SET, Role.FLOORPERSON, "", "red", 0, (), "R-25"),
    }
    state = make_table("ma-colorado").state
    sets = {"red": replace(state.sets["red"], cut=Cut.MARK_DUE), "blue": replace(state.sets["blue"], cut=Cut.MADE)}
    state = replace(state, duties=duties, sets=sets)
    text = carried(state)
    assert state_of(text) == state
    told = json.loads("".join(text))
    assert told["duties"]["D1"]["action"] == "collect"
    for duty, word in zip(told["duties"].values(), ("collect_ante", "change_set"), strict=True):
        duty["action"] = word
        del duty["wager"]
    for card_set, due in ((told["sets"]["red"], True), (told["sets"]["blue"], False)):
        del card_set["cut"]
        card_set |= {"cut_due": False, "mark_due": due, "was_cut": True}
    assert state_of((json.dumps(told),)) == state
