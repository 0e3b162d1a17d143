"""The catalogue is that of the code, valid by the official schemas, and what the golden days show fits it."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner

from controller.catalogue.asyncapi import CHANNELS, asyncapi, messages_on
from controller.catalogue.compare import breaches
from controller.catalogue.documents import bundle, names, schema_of, shown, text
from controller.catalogue.entries import STATES, entries, messages, schemas
from controller.catalogue.page import ORDER, page
from controller.catalogue.seen import released, seen
from controller.cli.schema import schema
from controller.table.words.codec import version_of
from controller.table.words.facts import FACTS
from tests.kept.catalogue import shown_of_all, states_of
from tests.kept.days import FOLDER, read
from tests.support.published import BASE, faults_of, official

DOCS = Path(__file__).parents[3] / "docs"
AGAIN = "run `python -m tests.kept.catalogue`"
NEVER_SEEN = frozenset(
    {
        "broker_lost", "certificate_expiring", "commands_refused", "commands_taken", "confirmations_refused",
        "conn_head_differs", "conn_overwritten", "consumer_back", "consumer_late", "cutting_card_placed",
        "decision_failed", "gaming_day_began", "gaming_day_told", "identity_alone", "identity_shared",
        "nobody_listening", "notice_posted", "outbox_position_unreadable", "publish_delayed", "publish_parked",
        "publish_refused", "publish_released", "publisher_failed", "record_day_closed", "record_room",
        "signing_key_changed", "something_else_reported", "subscribe_refused",
    }
)  # fmt: skip
"""Kinds that no golden day has; an entry goes when one has it."""
ACCEPTED: dict[str, str] = {}
"""Breach of what the newest release promised -> why it is accepted; one that is not there any more is struck out."""


def test_what_is_printed_from_the_catalogue_is_of_today() -> None:
    """Files for machines and the page for people."""
    assert text(bundle()) == (DOCS / "schema/events.json").read_text("utf-8"), AGAIN
    assert text(asyncapi()) == (DOCS / "schema/asyncapi.json").read_text("utf-8"), AGAIN
    assert page() == (DOCS / "events.md").read_text("utf-8"), AGAIN


@pytest.mark.full
def test_the_examples_are_of_the_golden_days_of_today() -> None:
    """Some seconds; `make test` sees that they are valid."""
    assert shown_of_all() == seen(), AGAIN


def test_every_type_has_a_meaning_and_an_example() -> None:
    """Each kind of fact once, in one chapter of the page; the meaning is a sentence."""
    assert {entry.kind for entry in entries().values()} == FACTS.keys()
    for entry in entries().values():
        assert re.fullmatch(r"[A-Z\"].{10,140}[.:]", entry.meaning), (entry.name, entry.meaning)
        assert entry.about in ORDER
    without = {entry.kind for entry in entries().values() if entry.name not in seen()}
    assert without - {"hand_recorded"} == NEVER_SEEN
    assert seen().keys() - entries().keys() == {
        *STATES,
        "envelope",
        "conn_online",
        "conn_offline",
        "conn_lost",
        "heartbeat",
    }


def test_the_golden_days_fit_the_catalogue() -> None:
    """Each fact and each state of them, closed: no key that the catalogue does not name."""
    wrong: list[str] = []
    envelope = shown("envelope").example
    for path in sorted(FOLDER.glob("*-1.jsonl.gz")):
        setup, lines = read(path)
        for line in lines:
            for fact in line["facts"]:
                end = f"tg.table.{fact['kind']}.v{version_of(fact['kind'])}"
                event = {**envelope, "type": f"org.tablewarden.{end}", "data": fact["data"]}
                wrong += faults_of(f"{BASE}/evt/{fact['stream']}", json.dumps(event).encode())
            for thing, body in states_of(line, setup.seats):
                wrong += faults_of(f"{BASE}/state/{thing}", json.dumps(body).encode())
    assert not wrong, "\n".join(wrong[:20])


def test_nothing_is_removed_or_narrowed_since_the_newest_release() -> None:
    """Without a new version; what is accepted is named with its reason."""
    found = set(breaches(released().schemas, schemas()))
    assert not found - ACCEPTED.keys(), "\n".join(sorted(found - ACCEPTED.keys()))
    assert not ACCEPTED.keys() - found, "strike these out"


DAMAGES: dict[str, tuple[tuple[str, ...], Any]] = {
    "no such QoS": (("operations", "publish_conn", "bindings", "mqtt", "qos"), 3),
    "no such section": (("channelz",), {}),
    "no such action": (("operations", "publish_main", "action"), "publish"),
    "no such JSON type": (("components", "schemas", "envelope", "type"), "text"),
}


def test_the_asyncapi_document_is_valid_by_the_official_schema() -> None:
    """Without a fault, and each damage is one; each message and each reference has what it names."""
    document = asyncapi()
    check = official("asyncapi-3.0.0.json.gz")
    assert [str(error) for error in check(document)] == []
    for path, value in DAMAGES.values():
        damaged = copy.deepcopy(document)
        inner = damaged
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        assert list(check(damaged)), path
    for found in re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document)):
        inner = document
        for key in found.split("/"):
            inner = inner[key]
    assert sum(len(messages_on(channel)) for channel in CHANNELS) == len(messages()) + len(entries())


def test_the_examples_are_valid_by_the_schemas_of_the_document() -> None:
    """Bodies by the schema of their type in draft 07; the whole event by that of CloudEvents, too."""
    found = asyncapi()["components"]["schemas"]
    for name, one in found.items():
        for example in one.get("examples", []):
            jsonschema_rs.Draft7Validator(one).validate(example)
            jsonschema_rs.Draft202012Validator(schema_of(name)).validate(example)
    event = shown("envelope").example
    assert not list(official("cloudevents-1.0.json")(event))
    assert list(official("cloudevents-1.0.json")({**event, "time": "yesterday"}))


def test_the_one_schema_for_consumers_looks_into_data() -> None:
    """A body that is none of its type is refused; a type that it does not know is taken."""
    validator = jsonschema_rs.Draft202012Validator(json.loads((DOCS / "schema/events.json").read_text("utf-8")))
    event = shown("envelope").example
    validator.validate(event)
    assert not validator.is_valid({**event, "data": {**event["data"], "back": 1}})
    assert not validator.is_valid({**event, "sequence": "1"})
    assert validator.is_valid({**event, "type": "org.tablewarden.tg.table.of_later.v7", "data": {"back": 1}})


@pytest.mark.parametrize(
    ("topic", "change", "said"),
    [
        ("evt/main", {"data": {"back": "red", "later": 1}}, "later"),
        ("evt/main", {"sequence": 5}, "sequence"),
        ("evt/main", {"type": "org.tablewarden.tg.table.unheard_of.v1"}, "unheard_of"),
        ("state/table", {}, "allowed"),
        ("conn", {"state": "online"}, "bootid"),
        ("tele/heartbeat", {}, "heads"),
        ("news", {}, "no topic of the catalogue"),
    ],
)
def test_a_message_that_is_not_as_the_catalogue_says_is_found(
    topic: str, change: dict[str, Any], said: str
) -> None:
    """The check that stands behind every test with a broker can fail."""
    body = {**shown("envelope").example, **change} if topic == "evt/main" else change
    assert said in " ".join(faults_of(f"{BASE}/{topic}", json.dumps(body).encode()))


def test_the_command_lists_and_prints_and_writes(tmp_path: Path) -> None:
    """The list has each name, a schema is found by kind, by version and by the whole type."""
    run = CliRunner()
    listed = run.invoke(schema).output.splitlines()
    assert len(listed) == len(names())
    assert any(line.startswith("main jammed.v2 ") and line.endswith("Cards are stuck.") for line in listed)
    printed = [
        run.invoke(schema, [name]).output
        for name in ("jammed", "jammed.v2", "org.tablewarden.tg.shuffler.jammed.v2")
    ]
    assert json.loads(printed[0])["$id"] == "urn:tablewarden:schema:jammed:2"
    assert len(set(printed)) == 1
    assert run.invoke(schema, ["--asyncapi"]).output == text(asyncapi())
    unknown = run.invoke(schema, ["jamed"])
    assert (unknown.exit_code, "no type 'jamed'" in unknown.output) == (2, True)
    assert run.invoke(schema, ["jammed", "--asyncapi"]).exit_code == 2
    run.invoke(schema, ["--all", str(tmp_path / "schema")])
    assert (tmp_path / "schema/events.json").read_text("utf-8") == text(bundle())
    assert (tmp_path / "events.md").read_text("utf-8") == page()
