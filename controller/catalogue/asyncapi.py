"""The AsyncAPI 3 document of a table: its topics, what goes over them, and the schema of each message."""

import json
from importlib.metadata import version
from typing import Any

from controller.catalogue.documents import event_schema, shown
from controller.catalogue.entries import Schema, entries, messages
from controller.publish.envelope import CONTENT_TYPE
from controller.publish.topics import ROOT

ASYNCAPI = "3.0.0"
BINDING = "0.2.0"
"""Version of the MQTT binding of AsyncAPI."""
BASE = ROOT + "/{site}/{table}"
LICENCE = {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"}

CHANNELS: dict[str, tuple[str, str, int, bool]] = {
    "conn": (
        "conn",
        "Is the table there? Its birth, its goodbye, or the last will that the broker publishes.",
        1,
        True,
    ),
    "main": ("evt/main", "Play and everything that the rules demanded: the regulatory stream.", 1, False),
    "diag": ("evt/diag", "Health of devices, links, record and clock.", 1, False),
    "state_table": ("state/table", "What a screen shows first: for screens, never for the record.", 1, True),
    "state_rules": ("state/rules", "The rule document and the wagers of this table.", 1, True),
    "state_sets": ("state/sets", "The sets of cards.", 1, True),
    "state_round": ("state/round", "The round that is played. Empty: none is.", 1, True),
    "state_seat": ("state/seat-{seat}", "One seat of the round. Empty: it is not in play.", 1, True),
    "state_last_round": ("state/last-round", "The wagers of the round before.", 1, True),
    "state_lockout": ("state/lockout", "The lock-out of the progressive unit.", 1, True),
    "state_meter": ("state/meter-{meter}", "A progressive meter that the table computes.", 1, True),
    "state_device": (
        "state/{device}",
        "One device, under its name, such as shuffler-1. Empty: it is gone.",
        1,
        True,
    ),
    "heartbeat": ("tele/heartbeat", "Head numbers of the streams and declared holes, every 10 s.", 0, False),
    "api": ("api", "Name, version and hash of this document.", 1, True),
    "answers": ("rsp/{client}", "Answers to requests.", 1, False),
    "copies": (
        "rpl/{consumer}",
        "Copies of events for one consumer, byte for byte, after a request to replay.",
        1,
        False,
    ),
    "ack": ("ack/{consumer}", "What a consumer has on disk.", 1, True),
    "requests": ("cmd/{verb}", "A request for copies: replay, or refresh.", 1, False),
}
"""Channel -> last levels of its topic, what it carries, QoS, retained."""
RECEIVED = ("ack", "requests")
CARRIES = {"answers": "answer", "copies": "envelope", "requests": "request"}
"""Channel -> its message, where the two have different names."""
PARAMETERS = {
    "site": "the house or hall: 1 to 32 of a-z, 0-9 and '-'",
    "table": "the table, unique in the whole company; also its client id and the CN of its certificate",
    "device": "the name of a device, such as shuffler-1",
    "seat": "the number of the seat",
    "meter": "the name of the meter in the rulebook",
    "client": "who asked: the consumer, or the client of the response topic",
    "consumer": "the name of the consumer",
    "verb": "replay or refresh",
}


def asyncapi() -> Schema:
    """Returns the document, whole in itself."""
    document = {
        "asyncapi": ASYNCAPI,
        "id": "urn:tablewarden:asyncapi:1",
        "info": {
            "title": "What a tablewarden table says over MQTT",
            "version": version("tablewarden"),
            "description": "docs/mqtt.md says how to subscribe, and what a consumer must do; docs/events.md lists the events.",
            "license": LICENCE,
        },
        "defaultContentType": "application/json",
        "channels": {name: _channel(name) for name in CHANNELS},
        "operations": {
            f"{'hear' if name in RECEIVED else 'publish'}_{name}": _operation(name) for name in CHANNELS
        },
        "components": {
            "messages": {name: _message(name) for channel in CHANNELS for name in messages_on(channel)},
            "schemas": {name: _draft_07(schema) for name, schema in _schemas().items()},
        },
    }
    return json.loads(json.dumps(document))  # type: ignore[no-any-return]


def messages_on(channel: str) -> list[str]:
    """Returns the names of the messages that go over a channel."""
    if channel == "conn":
        return [name for name in messages() if name.startswith("conn_")]
    return [entry.name for entry in entries().values() if entry.stream == channel] or [
        CARRIES.get(channel, channel)
    ]


def _channel(name: str) -> Schema:
    last, says, _, _ = CHANNELS[name]
    used = {word: {"description": PARAMETERS[word]} for word in PARAMETERS if f"{{{word}}}" in f"{BASE}/{last}"}
    return {
        "address": f"{BASE}/{last}",
        "description": says,
        "parameters": used,
        "messages": {one: {"$ref": f"#/components/messages/{one}"} for one in messages_on(name)},
    }


def _operation(name: str) -> Schema:
    _, says, qos, retain = CHANNELS[name]
    return {
        "action": "receive" if name in RECEIVED else "send",
        "channel": {"$ref": f"#/channels/{name}"},
        "summary": says,
        "bindings": {"mqtt": {"qos": qos, "retain": retain, "bindingVersion": BINDING}},
    }


def _message(name: str) -> Schema:
    entry = entries().get(name)
    if entry is None:
        payload = messages()[name]
        said = {"title": name.replace("_", " "), "summary": payload["description"].split("\n")[0]}
    else:
        typed = {"properties": {"data": {"$ref": f"#/components/schemas/{name}"}}}
        payload = {"allOf": [{"$ref": "#/components/schemas/envelope"}, typed]}
        typed["properties"]["type"] = event_schema(name)["allOf"][1]["properties"]["type"]
        said = {"title": entry.kind.replace("_", " "), "summary": entry.meaning}
    if entry is None:
        payload = {"$ref": f"#/components/schemas/{name}"}
    return {"name": name, **said, "contentType": CONTENT_TYPE if entry else "application/json", "payload": payload}


def _schemas() -> dict[str, Schema]:
    """Returns each schema with the example of the golden days, where they have one."""
    plain = {**messages(), **{name: entry.schema for name, entry in entries().items()}}
    seen = {name: shown(name).example for name in plain}
    return {
        name: {**schema, **({"examples": [seen[name]]} if seen[name] else {})} for name, schema in plain.items()
    }


def _draft_07(schema: Any) -> Any:
    """Returns a schema in the words of draft 07, which is what AsyncAPI's own schema format builds on."""
    if isinstance(schema, list):
        return [_draft_07(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _draft_07(part) for key, part in schema.items() if key not in ("prefixItems", "items")}
    if "prefixItems" in schema:
        return {**made, "items": _draft_07(schema["prefixItems"]), "additionalItems": False}
    return {**made, **({"items": _draft_07(schema["items"])} if "items" in schema else {})}
