"""Reads one published event strictly, without the table's code: a back office must not share the mistakes of a table.

Every key that the record's hash covers must stand in its one form, so that a changed form is never taken for content.
Unknown keys are ignored; a later release of the table may add some.
"""

import re
from functools import lru_cache
from typing import Any, Literal, NoReturn

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from controller.clock import microseconds, rfc3339
from controller.journal.chain import HASH_BYTES, SALT_BYTES
from controller.readers.json import LineRefused, object_in

MAX_BYTES = 64 * 1024
"""Bytes of an event, as docs/mqtt.md promises."""


class EnvelopeUnreadable(Exception):
    """These bytes are no event of a table; the text says why."""


class Envelope(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """An event as it came. The keys have the meaning of docs/mqtt.md, section 3, and stand in the table's order.

    The `device` keys and `openkeys` are statements of the table: no hash of this record covers them.
    """

    specversion: Literal["1.0"]
    id: str
    source: str
    type: str
    subject: str
    time: str
    recordedtime: str
    dataschema: str
    sequence: str
    stream: Literal["main", "diag"]
    journal: str
    order: int
    bootid: str
    monons: int
    clockstate: str
    roundid: str | UnsetType = UNSET
    cause: str | UnsetType = UNSET
    deviceserial: str | UnsetType = UNSET
    deviceboot: str | UnsetType = UNSET
    devicecounter: str | UnsetType = UNSET
    devicetick: int | UnsetType = UNSET
    devicetime: str | UnsetType = UNSET
    deviceerrorus: int | UnsetType = UNSET
    devicelog: Literal[True] | UnsetType = UNSET
    devicechain: str | UnsetType = UNSET
    deviceauth: str | UnsetType = UNSET
    prevhash: str
    recordhash: str
    salt: str | UnsetType = UNSET
    data: Raw | UnsetType = UNSET
    withheld: Literal[True] | UnsetType = UNSET
    datahash: str | UnsetType = UNSET
    openkeys: dict[str, str] | UnsetType = UNSET


class Event(Struct, frozen=True, kw_only=True, gc=False):
    """What an envelope says, as values. `vendor`: front of the type; times: microseconds since 1970 UTC.

    `data`, `salt`: empty for a withheld body, and only then `datahash` is not. `envelope`: the keys as they came.
    """

    envelope: Envelope
    vendor: str
    kind: str
    version: int
    sequence: int
    time_us: int
    recorded_us: int
    prevhash: bytes
    recordhash: bytes
    salt: bytes
    data: bytes
    datahash: bytes


def read(text: bytes) -> Event:
    """Returns the event of a message's payload. Raises `EnvelopeUnreadable`."""
    if len(text) > MAX_BYTES:
        raise EnvelopeUnreadable(f"has {len(text)} bytes, and an event has at most {MAX_BYTES}")
    try:
        envelope = _DECODER.decode(text)
        if _ENCODER.encode(envelope) != text:
            _look_for_repeated_keys(text)
        return _event(envelope)
    except EnvelopeUnreadable:
        raise
    except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError) as exc:
        raise EnvelopeUnreadable(f"is no event: {exc}") from exc


def _event(envelope: Envelope) -> Event:
    vendor, device_class, kind, version = _type_parts(envelope.type, envelope.subject)
    sequence = int(envelope.sequence)
    told = (envelope.sequence, envelope.id, envelope.dataschema)
    wanted = (
        f"{sequence:020d}",
        f"{envelope.journal}-{envelope.stream}-{sequence}",
        f"urn:tablewarden:schema:{device_class}.{kind}:{version}",
    )
    if told != wanted:
        _differs(("sequence", "id", "dataschema"), told, wanted)
    is_withheld = envelope.withheld is True
    if is_withheld != (envelope.data is UNSET) or is_withheld != (envelope.salt is UNSET):
        raise EnvelopeUnreadable("must have either data and salt, or withheld and datahash")
    if is_withheld != (envelope.datahash is not UNSET):
        raise EnvelopeUnreadable("has datahash with withheld alone")
    return Event(
        envelope=envelope,
        vendor=vendor,
        kind=kind,
        version=version,
        sequence=sequence,
        time_us=_time("time", envelope.time),
        recorded_us=_time("recordedtime", envelope.recordedtime),
        prevhash=_hex("prevhash", envelope.prevhash, HASH_BYTES),
        recordhash=_hex("recordhash", envelope.recordhash, HASH_BYTES),
        salt=b"" if envelope.salt is UNSET else _hex("salt", envelope.salt, SALT_BYTES),
        data=b"" if envelope.data is UNSET else bytes(envelope.data),
        datahash=b"" if envelope.datahash is UNSET else _hex("datahash", envelope.datahash, HASH_BYTES),
    )


def _look_for_repeated_keys(text: bytes) -> None:
    """Raises for a key that stands twice: of two readers one may take the first, and one the last."""
    try:
        _, twice = object_in(text, '{"specversion":"1.0"}')
    except LineRefused as exc:
        raise EnvelopeUnreadable(f"is no event: {exc}") from exc
    if twice is not None:
        raise EnvelopeUnreadable(f"has the key {twice!r} twice")


@lru_cache(maxsize=4096)
def _type_parts(event_type: str, subject: str) -> tuple[str, str, str, int]:
    """Returns vendor, device class, kind and version of the type."""
    name, _, number = subject.rpartition("-")
    device_class = name if name and number.isdecimal() else subject
    vendor, mark, rest = event_type.rpartition(f".tg.{device_class}.")
    kind, dot, version = rest.rpartition(".v")
    if not (mark and dot and vendor and kind) or str(int(version)) != version:
        raise EnvelopeUnreadable(f"has the type {event_type!r}, which does not fit its subject {subject!r}")
    return vendor, device_class, kind, int(version)


def _differs(keys: tuple[str, ...], told: tuple[str, ...], wanted: tuple[str, ...]) -> NoReturn:
    """Raises for the first key that says otherwise than the other keys."""
    key, found, by_others = next(each for each in zip(keys, told, wanted, strict=True) if each[1] != each[2])
    raise EnvelopeUnreadable(f"{key} is {found[:80]!r}, and by the other keys it is {by_others[:80]!r}")


def _time(key: str, text: str) -> int:
    """Returns the microseconds of a time in the one form that tables write."""
    if not _is_time(text):
        _differs((key,), (text,), (rfc3339(microseconds(text)),))
    return _hour(text[:13]) + int(text[14:16]) * 60_000_000 + int(text[17:19]) * 1_000_000 + int(text[20:26])


@lru_cache(maxsize=1024)
def _hour(text: str) -> int:
    return microseconds(f"{text}:00Z")


def _hex(key: str, text: str, size: int) -> bytes:
    found = bytes.fromhex(text)
    if found.hex() != text:
        _differs((key,), (text,), (found.hex(),))
    if len(found) != size:
        raise EnvelopeUnreadable(f"{key} has {len(found)} bytes instead of {size}")
    return found


_is_time = re.compile(r"\d{4}-\d\d-\d\dT\d\d:[0-5]\d:[0-5]\d\.\d{6}Z", re.ASCII).fullmatch
_DECODER: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Envelope)
_ENCODER = msgspec.json.Encoder()
