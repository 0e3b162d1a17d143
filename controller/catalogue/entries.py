"""What a table publishes, one entry for each type of event and each other message, from the classes themselves."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from controller.catalogue import states
from controller.filters.decide_schema import output_schema
from controller.filters.json_schema import shapes
from controller.journal.vault.sealing import SEALED
from controller.publish.envelope import schema as envelope_schema
from controller.publish.presence import Birth, Heartbeat, Lost, Offline
from controller.publish.requests.commands import Answer, Request
from controller.publish.requests.confirmations import Ack
from controller.table.words.codec import IDENTITIES, WITHHELD, version_of
from controller.table.words.facts import FACTS, HEALTH

Schema = dict[str, Any]

_SENTENCE = re.compile(r".+?[.!?](?=\s|$)|.+", re.DOTALL)
_REF = "#/$defs/"
LINK = "link to the back office"
ABOUT = {
    "controller.table.words.back_office_news": LINK,
    "drivers.protocol.reports": "reports of devices",
    "drivers.events": "links to devices",
    "controller.table.words.facts.round": "table and round",
    "controller.table.words.facts.money": "wagers and decisions",
    "controller.table.words.facts.card_sets": "sets of cards",
    "controller.table.words.facts.demands": "dispositions, duties and holds",
    "controller.table.words.facts.devices": "devices in service",
    "controller.table.words.facts.disputes": "disputes and alarms",
    "controller.table.words.link_news": LINK,
}
"""Module of a class -> what its events are about; the rest is about the daemon, its record and its clock."""
SERVICE = "daemon, record and clock"
STATES: Mapping[str, Any] = {
    "state_table": states.TableState,
    "state_rules": states.RulesState,
    "state_sets": states.SetsState,
    "state_round": states.RoundState,
    "state_seat": states.SeatState,
    "state_last_round": states.LastRoundState,
    "state_meter": states.MeterState,
    "state_device": states.DeviceState,
    "state_lockout": states.LockoutState,
}
PRESENCE: Mapping[str, Any] = {
    "conn_online": Birth,
    "conn_offline": Offline,
    "conn_lost": Lost,
    "heartbeat": Heartbeat,
}
OFFICE: Mapping[str, Any] = {"ack": Ack, "request": Request, "answer": Answer, "api": states.Api}
MESSAGES: Mapping[str, Any] = {**PRESENCE, **STATES, **OFFICE}
"""Name -> shape of each message that is no event."""


class Entry(Struct, frozen=True):
    """One type of event. `name`: kind and version, as `type` ends; `sealed`: the body of version 1 with its cards sealed."""

    kind: str
    version: int
    stream: str
    about: str
    meaning: str
    remarks: str
    schema: Schema
    withheld: bool = False

    @property
    def name(self) -> str:
        """The end of the event's `type`: `set_checked.v1`."""
        return f"{self.kind}.v{self.version}"


@cache
def entries() -> Mapping[str, Entry]:
    """Returns each type of event that the code publishes today, by name."""
    defs = output_schema()["$defs"]
    found = {}
    for kind, cls in FACTS.items():
        schema = _untitled(inlined(defs[cls.__name__], defs))
        meaning, remarks = sentences(cls)
        entry = Entry(
            kind, version_of(kind), "diag" if kind in HEALTH else "main", ABOUT.get(cls.__module__, SERVICE),
            meaning, remarks, schema, kind in WITHHELD,
        )  # fmt: skip
        found[entry.name] = entry
        if kind in WITHHELD and (version := SEALED.get(entry.version)) is not None:
            sealed = msgspec.structs.replace(entry, version=version, schema=_sealed(schema, IDENTITIES[kind]))
            found[sealed.name] = sealed
    return found


@cache
def messages() -> Mapping[str, Schema]:
    """Returns the schema of each message that is no event, and of the envelope of events, by name."""
    found = {"envelope": {k: v for k, v in envelope_schema().items() if not k.startswith("$")}}
    for name, cls in MESSAGES.items():
        defs = msgspec.json.decode(msgspec.json.encode(shapes([cls]) if name not in STATES else _with_null(cls)))
        found[name] = _untitled(inlined(defs[cls.__name__], defs))
        if name.startswith("conn"):
            found[name]["required"].append("state")  # it has a default in the code, and is always there
    return found


def _with_null(cls: type[Any]) -> Schema:
    """Returns the shapes of a state: a state says null where the table does not know."""
    return msgspec.json.schema_components([cls], ref_template=_REF + "{name}")[1]


def schemas() -> dict[str, Schema]:
    """Returns all schemas of today by name: events by `kind.vN`, and the other messages."""
    return {**messages(), **{name: entry.schema for name, entry in entries().items()}}


def sentences(cls: type[Any]) -> tuple[str, str]:
    """Returns the first sentence of a class's description, and the rest of it, each on one line."""
    text = " ".join((cls.__doc__ or "").split())
    first = _SENTENCE.match(text)
    return (first.group(), text[first.end() :].strip()) if first else ("", "")


def inlined(schema: Any, defs: Mapping[str, Any]) -> Any:
    """Returns a schema with its references replaced by what they name; no class of ours contains itself."""
    if isinstance(schema, list):
        return [inlined(part, defs) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if (name := schema.get("$ref")) is not None:
        beside = {key: inlined(part, defs) for key, part in schema.items() if key != "$ref"}
        return _untitled({**inlined(defs[name.removeprefix(_REF)], defs), **beside})
    return {key: inlined(part, defs) for key, part in schema.items()}


def _untitled(schema: Schema) -> Schema:
    """Leaves the class's name out: it is a word of the code, and says nothing to a reader."""
    return {key: part for key, part in schema.items() if key != "title"}


def _sealed(schema: Schema, identities: tuple[str, ...]) -> Schema:
    """Returns the schema of a body whose cards are sealed (docs/vault.md): commitments instead of names."""
    hexed = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    commitments = {"anyOf": [{"const": ""}, {"type": "array", "items": hexed}]}
    box = {"type": "object", "properties": {"key": hexed, "data": {"type": "string"}}, "required": ["key", "data"]}
    properties = {**schema["properties"], **dict.fromkeys(identities, commitments), "sealed": box}
    return {**schema, "properties": properties, "required": [*schema["required"], "sealed"]}


def state_name(thing: str) -> str:
    """Returns the name of the state under `state/{thing}`: one of its own, a seat, a meter, or a device."""
    kind = next((kind for kind in ("seat", "meter") if thing.startswith(f"{kind}-")), thing.replace("-", "_"))
    name = f"state_{kind}"
    return name if name in STATES else "state_device"
