"""The envelope is a public contract: its keys, their forms, and the schema that consumers build on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from controller.clock import rfc3339
from controller.publish.envelope import Wrapper, schema
from controller.publish.topics import Topics

SCHEMA = Path(__file__).parents[3] / "docs/schema/envelope.json"
KEYS = [
    *("specversion", "id", "source", "type", "subject", "time", "recordedtime", "dataschema"),
    *("sequence", "stream", "journal", "order", "bootid", "monons", "clockstate", "roundid", "cause"),
    *("prevhash", "recordhash", "salt", "data"),
]


@pytest.fixture
def wrapper(journal: Any) -> Wrapper:
    return Wrapper(Topics("lv01", "lv01-bj-017"), journal.id)


def wrapped(wrapper: Wrapper, journal: Any, **changes: Any) -> dict[str, Any]:
    journal.add(**changes)
    stream = changes.get("stream", "main")
    body: dict[str, Any] = json.loads(wrapper.wrap(journal.rows[stream][-1]).payload)
    return body


def test_an_event_has_exactly_the_keys_and_forms_of_the_contract(wrapper: Wrapper, journal: Any) -> None:
    """Each value is checked against the text of the contract, not against the code."""
    event = wrapped(wrapper, journal)
    assert list(event) == KEYS
    assert event["specversion"] == "1.0"
    assert event["id"] == "0123456789abcdef-main-1"
    assert event["source"] == "urn:tablewarden:lv01:lv01-bj-017"
    assert event["type"] == "org.tablewarden.tg.shuffler.shuffler_jammed.v1"
    assert event["dataschema"] == "urn:tablewarden:schema:shuffler.shuffler_jammed:1"
    assert event["sequence"] == "00000000000000000001"
    assert event["time"] == "2026-01-01T00:00:00.000001Z"
    assert event["recordedtime"] == "2026-01-01T00:00:00.000401Z"
    assert (event["roundid"], event["cause"]) == ("r-42", "0123456789abcdef-input-1")
    assert event["prevhash"] == "0" * 64
    assert event["data"] == {"cards": 3}


ORIGIN = {
    "serial": "SHOE-42", "boot": "00000000000000d1", "counter": 17, "tick_us": 5_000_123, "from_log": False,
    "chain": "0123456789abcdef", "happened_ns": 1_000_000_001 - 3_600_000_000_000, "error_ns": 1_234_500, "sealed": True,
}  # fmt: skip
DEVICE_KEYS = [
    *("deviceserial", "deviceboot", "devicecounter", "devicetick", "devicetime", "deviceerrorus"),
    *("devicechain", "deviceauth"),
]


@pytest.fixture
def from_a_device(journal: Any) -> Callable[..., dict[str, Any]]:
    """The event of a fact that was decided from a device's report with this origin."""
    wrapper = Wrapper(Topics("lv01", "lv01-bj-017"), journal.id, input_body=journal.input_body)

    def event(**changes: Any) -> dict[str, Any]:
        origin = {k: v for k, v in {**ORIGIN, **changes}.items() if v is not None}
        journal.inputs[1] = json.dumps({"body": {"cards": 3}, "origin": origin}).encode()
        return wrapped(wrapper, journal)

    return event


def test_an_event_that_follows_from_a_devices_report_has_the_evidence_of_it(
    from_a_device: Callable[..., dict[str, Any]],
) -> None:
    """Where it came from, when it happened and how sure that is: an hour before it came in, by the same wall clock."""
    event = from_a_device()
    at = KEYS.index("prevhash")
    assert list(event) == [*KEYS[:at], *DEVICE_KEYS, *KEYS[at:]]
    assert [event[key] for key in DEVICE_KEYS] == [
        "SHOE-42", "00000000000000d1", "00000000000000000017", 5_000_123, "2025-12-31T23:00:00.000001Z", 1236,
        "0123456789abcdef", "sealed",
    ]  # fmt: skip
    jsonschema.validate(event, json.loads(SCHEMA.read_text()))


@pytest.mark.parametrize(
    ("changes", "absent", "present"),
    [
        ({"happened_ns": None, "error_ns": None}, ("devicetime", "deviceerrorus"), {}),
        ({"chain": None, "sealed": False}, ("devicechain",), {"deviceauth": "none"}),
        ({"sealed": None}, ("deviceauth",), {}),
        ({"from_log": True}, (), {"devicelog": True}),
    ],
    ids=["no clock", "no key", "an old record", "read from the log"],
)
def test_what_is_not_known_of_a_report_is_absent(
    from_a_device: Callable[..., dict[str, Any]],
    changes: dict[str, Any],
    absent: tuple[str, ...],
    present: dict[str, Any],
) -> None:
    """Never an error without a time, never a value without a ground."""
    event = from_a_device(**changes)
    assert not set(absent) & set(event)
    assert present.items() <= event.items()
    jsonschema.validate(event, json.loads(SCHEMA.read_text()))


@pytest.mark.parametrize(
    "body", [None, b"", b"{", b"[]", b'{"origin": 5}', b'{"origin": {"serial": "S"}}', b'{"actor": {}}']
)
def test_an_input_that_is_gone_or_unreadable_or_no_report_takes_nothing_from_the_event(
    wrapper: Wrapper, journal: Any, body: bytes | None
) -> None:
    """The event goes out as ever: a publisher that stopped over it would lose what is sound."""
    told = Wrapper(wrapper.topics, journal.id, input_body=lambda _: body)
    assert list(wrapped(told, journal)) == KEYS


def test_the_recorded_body_is_sent_byte_for_byte(wrapper: Wrapper, journal: Any) -> None:
    """A consumer that hashes `data` as it stands in the payload gets what the journal hashed."""
    data = '{"note":"ünïcode \\u0007 \\"quoted\\"","big":9007199254740991,"z":1,"a":2}'.encode()
    journal.add(data=data)
    assert b'"data":' + data + b"}" in wrapper.wrap(journal.rows["main"][-1]).payload


def test_what_is_unknown_is_absent_and_never_null(wrapper: Wrapper, journal: Any) -> None:
    """An event outside of any round has no `roundid` key at all."""
    event = wrapped(wrapper, journal, round_id=None, cause=None)
    assert list(event) == [key for key in KEYS if key not in ("roundid", "cause")]


def test_a_withheld_body_leaves_its_commitment_and_keeps_its_place(wrapper: Wrapper, journal: Any) -> None:
    """Sequence and chain go on; `withheld` and `datahash` take the place of `salt` and `data`."""
    event = wrapped(wrapper, journal, data=b"")
    assert not {"salt", "data"} & set(event)
    assert event["withheld"] is True
    assert len(event["datahash"]) == 64
    schema_ = json.loads(SCHEMA.read_text())
    jsonschema.validate(event, schema_)
    assert not jsonschema.Draft202012Validator(schema_).is_valid({**event, "salt": "0" * 32}), (
        "it could be guessed"
    )


@pytest.mark.parametrize(
    ("subject", "device_class"),
    [
        ("shuffler-1", "shuffler"),
        ("shoe-12", "shoe"),
        ("table", "table"),
        ("seat-lamp-3", "seat-lamp"),
        ("link", "link"),
    ],
)
def test_the_type_names_the_class_of_the_device_and_not_the_device(
    wrapper: Wrapper, journal: Any, subject: str, device_class: str
) -> None:
    """A consumer filters by type over all tables, so no instance number may stand in it."""
    assert wrapped(wrapper, journal, subject=subject)["type"].split(".tg.")[1].split(".")[0] == device_class


def test_the_published_schema_is_the_one_of_the_code() -> None:
    """Consumers generate readers from the file: it follows the code, or this fails."""
    assert json.loads(SCHEMA.read_text()) == schema()


def test_the_schema_takes_real_envelopes_and_refuses_broken_ones(wrapper: Wrapper, journal: Any) -> None:
    """A schema that takes everything proves nothing: each damage is refused."""
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    event = wrapped(wrapper, journal)
    validator.validate(event)
    validator.validate({**event, "later_key": 1})
    damages: list[dict[str, Any]] = [
        {"sequence": "1"},
        {"id": "main-1"},
        {"time": "2026-01-01 00:00:00"},
        {"type": "shuffler.jam"},
        {"data": [1]},
        {"roundid": None},
        {"clockstate": "fine"},
        {"prevhash": "00"},
        {"withheld": True, "datahash": "0" * 64},
        {"salt": "00"},
        {"order": 0},
    ]
    for damage in damages:
        assert not validator.is_valid({**event, **damage}), damage
    for key in set(KEYS) - {"roundid", "cause"}:
        assert not validator.is_valid({k: v for k, v in event.items() if k != key}), key


def test_times_have_all_digits_so_that_texts_sort_as_times_do() -> None:
    """A whole second keeps its six zeros."""
    assert rfc3339(0) == "1970-01-01T00:00:00.000000Z"
    assert rfc3339(1_767_225_599_999_999) == "2025-12-31T23:59:59.999999Z"


def test_a_site_may_put_its_own_vendor_in_front_of_the_types(journal: Any) -> None:
    """The vendor domain is the only part of a type that a site chooses."""
    journal.add()
    event = Wrapper(Topics("lv01", "t"), journal.id, vendor="com.example").wrap(journal.rows["main"][0])
    assert event.type == "com.example.tg.shuffler.shuffler_jammed.v1"


def test_the_example_in_the_document_is_a_valid_event() -> None:
    """The first thing a back-office engineer copies has to be right."""
    text = (SCHEMA.parents[1] / "mqtt.md").read_text()
    event = json.loads(text.split("```json\n", 1)[1].split("```", 1)[0])
    jsonschema.validate(event, json.loads(SCHEMA.read_text()))
    assert [key for key in KEYS if key != "roundid"] == list(event)
    for key in (*KEYS, "withheld", "datahash"):
        assert f"`{key}`" in text
