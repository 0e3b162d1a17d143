"""Inputs and facts as they stand in the journal, and back again: what is told, what is cut, what is not known here."""

import json

import msgspec
import pytest

from controller.rules.vocabulary import Role
from controller.table.words import codec
from controller.table.words import facts as f
from controller.table.words.acts import PlaceWager
from controller.table.words.codec import (
    BODIES,
    IDENTITIES,
    MAX_TEXT,
    UnknownKind,
    body_from,
    decode_fact,
    decode_input,
    encode,
    encode_input,
    identities_of,
    origin_in,
)
from controller.table.words.facts import FACTS, Fact
from controller.table.words.inputs import Actor, Input, Moment
from drivers import events as e

AT = Moment(1_800_000_000_000_000, 7, "boot", "synced")
ORIGIN = e.Origin("SIM-1", "0" * 16, 5, 1200, from_log=True)
WAGER = PlaceWager(1, "ante", 500)
LOADED = e.CardsLoaded(e.Back.RED, None)


@pytest.mark.parametrize(
    "given",
    [
        Input(AT, "shoe-1", LOADED, ORIGIN, None),
        Input(AT, "table", WAGER, None, Actor("deb", Role.DEALER)),
        Input(AT, "table", WAGER, ORIGIN, Actor("deb", Role.DEALER)),
        Input(AT, "shoe-1", LOADED, None, None),
    ],
)
def test_an_input_is_read_as_it_was_recorded(given: Input) -> None:
    """With the device's own identity of the report, or the person; neither is made up where it is missing."""
    data = encode_input(given)
    assert decode_input(given.body.kind, given.subject, given.at, data) == given
    assert origin_in(data) == given.origin


def test_an_input_is_told_by_the_names_that_documents_know_and_leaves_out_what_is_unknown() -> None:
    """`body`, `origin`, `actor`: the journals of other versions have the same."""
    assert json.loads(encode_input(Input(AT, "shoe-1", LOADED, ORIGIN, Actor("deb", Role.DEALER)))) == {
        "body": {"back": "red"},
        "origin": {"serial": "SIM-1", "boot": "0" * 16, "counter": 5, "tick_us": 1200, "from_log": True},
        "actor": {"who": "deb", "role": "dealer"},
    }


@pytest.mark.parametrize(
    "data",
    [b"no JSON", b'{"origin":{"serial":"\xff"}}', b'{"body":' + b"[" * 50_000],
    ids=["JSON", "text", "deep"],
)
def test_where_a_record_came_from_that_nobody_can_read_is_not_known(data: bytes) -> None:
    """What is no JSON, no text or nested without end is no origin, and no error either."""
    assert origin_in(data) is None


def test_a_fact_is_read_as_it_was_recorded_with_what_it_is_of() -> None:
    """What is unknown is absent in the record, and None again in the program."""
    checked = f.SetChecked("red", True, True, None, None, ())
    assert json.loads(encode(checked)) == {
        "back": "red",
        "cycle_complete": True,
        "mode_shuffle": True,
        "defects": [],
    }
    assert decode_fact(checked.kind, "shuffler-1", encode(checked)) == Fact("shuffler-1", checked)


@pytest.mark.parametrize(("version", "who", "by"), [(1, "who", "ADA"), (2, "by", "ADA"), (3, "by", "ada")])
def test_a_body_of_an_older_version_goes_through_the_steps_from_its_own_on(
    monkeypatch: pytest.MonkeyPatch, version: int, who: str, by: str
) -> None:
    """One of the second version is not made one of it again, and one of the present form is left as it is."""
    monkeypatch.setitem(codec.VERSIONS, "table_idle", 3)
    monkeypatch.setitem(codec.UPCASTS, ("table_idle", 1), lambda body: {"by": body["who"]})
    monkeypatch.setitem(codec.UPCASTS, ("table_idle", 2), lambda body: {"by": body["by"].upper()})
    raised = decode_fact("table_idle", "table", json.dumps({who: "ada"}).encode(), version)
    assert raised == Fact("table", f.TableIdle(by))


def test_a_kind_that_has_no_step_is_alike_in_both_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what changed is raised."""
    monkeypatch.setitem(codec.VERSIONS, "table_idle", 2)
    assert decode_fact("table_idle", "table", b'{"by":"ada"}', 1) == Fact("table", f.TableIdle("ada"))


def test_an_input_of_an_older_version_is_raised_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its body alone: where it came from is told alike in all versions; one of a newer version is refused by name."""
    data = json.dumps(
        {"body": {"seat": 1, "wager": "ante", "sum": 500}, "actor": {"who": "deb", "role": "dealer"}}
    ).encode()
    monkeypatch.setitem(codec.VERSIONS, "place_wager", 2)
    monkeypatch.setitem(codec.UPCASTS, ("place_wager", 1), lambda body: {**body, "cents": body["sum"]})
    assert decode_input("place_wager", "table", AT, data, 1) == Input(
        AT, "table", WAGER, None, Actor("deb", Role.DEALER)
    )
    with pytest.raises(UnknownKind, match="place_wager version 3"):
        decode_input("place_wager", "table", AT, data, 3)


def test_a_kind_that_names_cards_is_never_of_a_version_that_says_sealed() -> None:
    """A reader tells the two apart by the version alone."""
    assert {codec.version_of(kind) for kind in IDENTITIES} & codec.SEALED_VERSIONS == set()


def test_what_must_be_known_is_missed_by_name_and_not_taken_for_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever wrote the line is told which field it lacks, with the first line of its kind as well."""
    monkeypatch.setattr(codec, "_OPTIONAL", {})
    with pytest.raises(msgspec.ValidationError, match="missing required field `wager`"):
        body_from("place_wager", {"seat": 1, "cents": 500})


def test_what_a_newer_version_wrote_is_named_and_not_guessed_at() -> None:
    """The kind, and the version where it is that; a program finds the kind beside the sentence."""
    says = "records of kind {} are not known to this version; run the version that wrote them"
    with pytest.raises(UnknownKind) as newer:
        decode_fact("table_idle", "table", b"{}", 2)
    with pytest.raises(UnknownKind) as input_:
        decode_input("dance", "table", AT, b'{"body":{}}')
    with pytest.raises(UnknownKind) as body:
        body_from("dance", {})
    assert [str(raised.value) for raised in (newer, input_, body)] == [
        says.format("table_idle version 2"), says.format("dance"), says.format("dance"),
    ]  # fmt: skip
    assert [raised.value.kind for raised in (newer, input_, body)] == ["table_idle version 2", "dance", "dance"]


@pytest.mark.parametrize(("long", "kept"), [(MAX_TEXT, MAX_TEXT), (MAX_TEXT + 1, MAX_TEXT)])
def test_a_text_is_cut_where_it_is_longer_than_a_record_takes(long: int, kept: int) -> None:
    """And the record stays writable, whatever a device has to say."""
    assert json.loads(encode(f.TableIdle("x" * long))) == {"by": "x" * kept}
    assert json.loads(encode_input(Input(AT, "t", f.TableIdle("x" * long), None, None)))["body"] == {
        "by": "x" * kept
    }  # type: ignore[arg-type]


def test_what_is_unknown_is_left_out_wherever_it_stands() -> None:
    """Also within what a body holds; a text that says null is a text."""

    class Held(msgspec.Struct):
        cards: int | None
        note: str

    class Holds(msgspec.Struct):
        each: tuple[Held, ...]

    assert encode(Holds((Held(None, "null"), Held(3, "")))) == b'{"each":[{"note":"null"},{"cards":3,"note":""}]}'


def test_what_names_cards_is_found_by_its_type() -> None:
    """Every field of that type and no other: by it the record knows what it must seal."""
    hand = ("cards", "played", "shown")
    assert identities_of({**BODIES, **FACTS}) == IDENTITIES == {"record_hand": hand, "hand_recorded": hand}
