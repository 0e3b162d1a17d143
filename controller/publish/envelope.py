"""Wraps one journal record as a CloudEvents 1.0 event in structured JSON.

The keys are a public contract (`docs/mqtt.md`, `docs/schema/envelope.json`): keys are only ever added. `data` is
the recorded body, byte for byte. From its keys a consumer rebuilds the record's header and recomputes `recordhash`. The
salt goes out with the body alone: with the salt of a withheld body, its few possible values could be tried (D-150).
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.clock import rfc3339
from controller.publish.source import Record
from controller.publish.topics import Topics
from controller.table.words.codec import SEALED_VERSIONS, WITHHELD, origin_in
from controller.table.words.inputs import RoundOpened
from drivers.events import Origin
from drivers.protocol.records import dataclass

CONTENT_TYPE = "application/cloudevents+json"
VENDOR = "org.tablewarden"
"""Reversed domain at the front of every event type, unless the site configures its own."""

_HASH = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
_TIME = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The keys of an event. Absent means unknown or not applicable; nothing is ever null."""

    specversion: Literal["1.0"] = "1.0"
    id: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{16}-[a-z0-9-]{1,32}-[1-9][0-9]*$",
            description="{journal}-{stream}-{sequence}; the same for ever, also when the event is sent again",
        ),
    ]
    source: Annotated[str, Meta(pattern="^urn:tablewarden:[a-z0-9-]{1,32}:[a-z0-9-]{1,32}$")]
    type: Annotated[
        str,
        Meta(
            pattern=r"^[a-z0-9.-]+\.tg\.[a-z0-9-]+\.[a-z0-9_.-]+\.v[1-9][0-9]*$",
            description="{vendor}.tg.{device class}.{what}.v{major}; unknown types must be stored, not refused",
        ),
    ]
    subject: Annotated[
        str, Meta(min_length=1, description="the device or thing the event is about: shuffler-1, table")
    ]
    time: Annotated[_TIME, Meta(description="when the frame or the key press came in, UTC")]
    recordedtime: Annotated[_TIME, Meta(description="when the table's journal had it on disk, UTC")]
    dataschema: Annotated[str, Meta(pattern=r"^urn:tablewarden:schema:[a-z0-9-]+\.[a-z0-9_.-]+:[0-9.]+$")]
    sequence: Annotated[
        str, Meta(pattern="^[0-9]{20}$", description="+1 for each event of this journal and stream, zero-padded")
    ]
    stream: Annotated[str, Meta(pattern="^[a-z0-9-]{1,32}$")]
    journal: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
    order: Annotated[int, Meta(ge=1, description="place among all records of all streams of this journal, from 1")]
    bootid: Annotated[str, Meta(description="boot of the table's computer; monons compares within one boot only")]
    monons: Annotated[int, Meta(ge=0, description="nanoseconds of the monotonic clock, untouched by clock steps")]
    clockstate: Literal["synced", "holdover", "unsynced"]
    roundid: str | UnsetType = UNSET
    cause: Annotated[str, Meta(description="id of the record this one follows from")] | UnsetType = UNSET
    deviceserial: Annotated[str, Meta(description="of the device whose report this follows from")] | UnsetType = (
        UNSET
    )
    deviceboot: Annotated[str, Meta(pattern="^[0-9a-f]{16}$", description="its boot")] | UnsetType = UNSET
    devicecounter: Annotated[str, Meta(pattern="^[0-9]{20}$", description="+1 each in that boot")] | UnsetType = (
        UNSET
    )
    devicetick: Annotated[int, Meta(ge=0, description="microseconds of its clock since that boot")] | UnsetType = (
        UNSET
    )
    devicetime: (
        Annotated[_TIME, Meta(description="when its clock read that tick, by the clock of `time`, estimated")]
        | UnsetType
    ) = UNSET
    deviceerrorus: (
        Annotated[int, Meta(ge=0, description="microseconds by which devicetime may be off, either way")]
        | UnsetType
    ) = UNSET
    devicelog: Annotated[Literal[True], Meta(description="read later, from its log")] | UnsetType = UNSET
    devicechain: (
        Annotated[str, Meta(pattern="^[0-9a-f]{16}$", description="value in the keyed chain over its log")]
        | UnsetType
    ) = UNSET
    deviceauth: (
        Annotated[Literal["sealed", "none"], Meta(description="whether it had proven its key")] | UnsetType
    ) = UNSET
    prevhash: Annotated[_HASH, Meta(description="recordhash of the record before in this stream")]
    recordhash: _HASH
    salt: Annotated[str, Meta(pattern="^[0-9a-f]{32}$", description="hashed before `data`")] | UnsetType = UNSET
    data: Annotated[Any, Meta(description="the event's own object", extra_json_schema={"type": "object"})] = UNSET
    withheld: Annotated[Literal[True], Meta(description="the body may not leave the table yet")] | UnsetType = (
        UNSET
    )
    datahash: Annotated[_HASH, Meta(description="commitment to the withheld body")] | UnsetType = UNSET
    openkeys: (
        Annotated[dict[_HASH, _HASH], Meta(description="of an opened round: commitment of a key -> the key")]
        | UnsetType
    ) = UNSET


@dataclass(frozen=True, slots=True)
class Event:
    """An event ready to be sent: `payload` is the envelope, `id` and `type` repeat what stands in it."""

    id: str
    type: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Wrapper:
    """Wraps the records of one table's journal. `vendor`: reversed domain at the front of each event type.

    `input_body`: returns an input's body by its number, None = gone. `open_keys`: returns a round's open keys,
    commitment -> key, in hex; None = card identities never leave this machine.
    """

    topics: Topics
    journal_id: str
    vendor: str = VENDOR
    input_body: Callable[[int], bytes | None] = lambda _: None
    open_keys: Callable[[str], Mapping[str, str]] | None = None

    def wrap(self, record: Record) -> Event:
        """Returns the event of `record`. If its body is withheld, the event has `withheld` and `datahash` for
        `data`."""
        device_class = _device_class(record.subject)
        event_id = f"{self.journal_id}-{record.stream}-{record.sequence}"
        event_type = f"{self.vendor}.tg.{device_class}.{record.kind}.v{record.version}"
        withheld = not record.data or (record.kind in WITHHELD and not self._may_leave(record))
        envelope = Envelope(
            id=event_id,
            source=self.topics.source,
            type=event_type,
            subject=record.subject,
            time=rfc3339(record.time_us),
            recordedtime=rfc3339(record.recorded_us),
            dataschema=f"urn:tablewarden:schema:{device_class}.{record.kind}:{record.version}",
            sequence=f"{record.sequence:020d}",
            stream=str(record.stream),
            journal=self.journal_id,
            order=record.order,
            bootid=record.boot,
            monons=record.mono_ns,
            clockstate=record.clock,  # type: ignore[arg-type]  # the journal's word list is the same
            roundid=UNSET if record.round_id is None else record.round_id,
            cause=UNSET if record.cause is None else record.cause,
            **self._device(record),
            prevhash=record.prevhash.hex(),
            recordhash=record.recordhash.hex(),
            salt=UNSET if withheld else record.salt.hex(),
            data=UNSET if withheld else msgspec.Raw(record.data),
            withheld=True if withheld else UNSET,
            datahash=record.datahash.hex() if withheld else UNSET,
            openkeys=self._keys(record),
        )
        return Event(event_id, event_type, _ENCODER.encode(envelope))

    def _may_leave(self, record: Record) -> bool:
        """Returns True if the body may leave this machine; a body that names cards leaves it sealed or not at all."""
        return self.open_keys is not None and record.version in SEALED_VERSIONS

    def _keys(self, record: Record) -> dict[str, str] | UnsetType:
        """Returns the keys that a `round_opened` opens by the rules; one opened by a supervisor stays here."""
        if self.open_keys is None or record.kind != RoundOpened.kind:
            return UNSET
        told = msgspec.json.decode(record.data, type=RoundOpened)
        if told.by:
            return UNSET
        return {name: key for name, key in self.open_keys(told.round).items() if name in told.keys}

    def _device(self, record: Record) -> dict[str, Any]:
        """Returns the evidence of the device report behind `record`; nothing for an act, a deadline, a link."""
        if record.cause is None or (body := self.input_body(int(record.cause.rpartition("-")[2]))) is None:
            return {}
        origin = origin_in(body)
        return {} if origin is None else _evidence(origin, record)


def _evidence(origin: Origin, record: Record) -> dict[str, Any]:
    found: dict[str, Any] = {
        "deviceserial": origin.serial, "deviceboot": origin.boot, "devicecounter": f"{origin.counter:020d}",
        "devicetick": origin.tick_us,
    }  # fmt: skip
    if origin.happened_ns is not None and origin.error_ns is not None:
        before_us = (record.mono_ns - origin.happened_ns) // 1000
        found["devicetime"] = rfc3339(record.time_us - before_us)
        found["deviceerrorus"] = origin.error_ns // 1000 + 2  # both were rounded to whole microseconds
    if origin.from_log:
        found["devicelog"] = True
    if origin.chain is not None:
        found["devicechain"] = origin.chain
    if origin.sealed is not None:
        found["deviceauth"] = "sealed" if origin.sealed else "none"
    return found


def schema() -> dict[str, Any]:
    """Returns the JSON Schema (2020-12) of the envelope, as kept in `docs/schema/envelope.json`."""
    made = msgspec.json.schema(Envelope)
    body = made["$defs"]["Envelope"]
    body["title"] = "Event of a tablewarden table"
    body["required"] = ["specversion", *body["required"]]
    body["oneOf"] = [
        {"required": ["salt", "data"], "properties": {"withheld": False}},
        {"required": ["withheld", "datahash"], "properties": {"salt": False, "data": False}},
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:tablewarden:schema:envelope:1",
        **body,
    }


_ENCODER = msgspec.json.Encoder()


def _device_class(subject: str) -> str:
    """Returns a device's class: `shuffler-1` is a shuffler; `table` is its own class."""
    name, _, number = subject.rpartition("-")
    return name if name and number.isdecimal() else subject
