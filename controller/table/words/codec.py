"""Inputs and facts as JSON: what stands in the journal and, for facts, what the back office gets.

Unknown is absent, never null; words for enumerations; whole cents. The kind stands beside the body, not in it.
The version of a kind rises when its body changes in a way that an older reader would misread (`older_bodies.py`).
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from controller.cards.cards import IDENTITY
from controller.table.words.acts import ACTS
from controller.table.words.facts import FACTS, HEALTH, Fact
from controller.table.words.inputs import SERVICE_EVENTS, Actor, Body, Input, Moment, Seen
from controller.table.words.older_bodies import UPCASTS, VERSIONS
from controller.table.words.structs import Field, fields, replace
from drivers.events import LINK_EVENTS, NOTHING, REPORTS, Origin

SEALED_VERSIONS = frozenset({2, 4})
"""Versions of a body that names cards in which these are sealed: each is the one before it, sealed (docs/vault.md)."""
MAX_TEXT = 2000
"""Longest text of a body, characters; a device or a person with more to say is cut, and the record stays writable."""

BODIES: dict[str, type[Body]] = {**REPORTS, **LINK_EVENTS, **SERVICE_EVENTS, **ACTS}
_ENCODER = msgspec.json.Encoder()


def identities_of(kinds: Mapping[str, type[Any]]) -> dict[str, tuple[str, ...]]:
    """Kind -> the fields of its body that are of the type of cards, for the kinds that have one."""
    named = {kind: tuple(f.name for f in fields(cls) if _is_identity(f.type)) for kind, cls in kinds.items()}
    return {kind: names for kind, names in named.items() if names}


def _is_identity(declared: object) -> bool:
    return IDENTITY in getattr(declared, "__metadata__", ())


def absent_in(cls: type[Any]) -> dict[str, Any]:
    """The fields that are absent where there is none, with what the program has in their place: 0 or an empty text."""
    if cls not in _ABSENT:
        declared = {f.name: f.type for f in fields(cls)}
        _ABSENT[cls] = {
            n: t.__origin__() for n, t in declared.items() if NOTHING in getattr(t, "__metadata__", ())
        }
    return _ABSENT[cls]


_ABSENT: dict[type[Any], dict[str, Any]] = {}


IDENTITIES: dict[str, tuple[str, ...]] = identities_of({**BODIES, **FACTS})
"""Kind -> the fields of its body that tell which card something is; by their type, so that none can be forgotten."""

WITHHELD = frozenset(IDENTITIES.keys() & FACTS.keys())
"""Kinds of fact that name cards: outside the table PC only their hash is shown."""


def stream_of(fact: Fact) -> str:
    """`diag` for the health of devices and links, `main` for play and law."""
    return "diag" if fact.event.kind in HEALTH else "main"


def encode(record: Any) -> bytes:
    """One body as JSON, without what is unknown and what there is not."""
    return _encoded(_bare(record))


def _encoded(value: Any) -> bytes:
    data = _ENCODER.encode(value)
    return data if _is_whole(data) else _ENCODER.encode(_present(msgspec.to_builtins(value)))


def _bare(record: Any) -> Any:
    """The body without the fields that are absent where there is none."""
    gone: dict[str, Any] = {name: UNSET for name in absent_in(type(record)) if not getattr(record, name)}
    if not gone:
        return record
    make: Any = replace if isinstance(record, Struct) else dataclasses.replace
    return make(record, **gone)


def _is_whole(data: bytes) -> bool:
    """True where nothing can be unknown and no text too long; most bodies are so, and are not gone through."""
    return len(data) <= MAX_TEXT and b"null" not in data


def builtins(record: object) -> Any:
    """A body as plain dicts, lists, strings and numbers, without what is unknown and what there is not."""
    return _present(msgspec.to_builtins(_bare(record)))


def version_of(kind: str) -> int:
    """The version of the bodies of this kind as they are written now."""
    return VERSIONS.get(kind, 1)


def raised(kind: str, body: dict[str, Any], version: int) -> dict[str, Any]:
    """A recorded body in its present form. Raises `UnknownKind` for one of a newer version."""
    if version > version_of(kind):
        raise UnknownKind(f"{kind} version {version}")
    for step in range(version, version_of(kind)):
        if (upcast := UPCASTS.get((kind, step))) is not None:
            body = upcast(body)
    return body


def decode_fact(kind: str, subject: str, data: bytes, version: int | None = None) -> Fact:
    """A fact as it was recorded, in its present form. `version`: of the record, None = as it is written now.

    Raises `UnknownKind` for what this software does not know.
    """
    version = version or version_of(kind)
    if version == version_of(kind) and (decoder := _DECODERS.get(kind)) is not None:
        return Fact(subject, decoder.decode(data))
    body = raised(kind, msgspec.json.decode(data), version)
    return Fact(subject, _decode(FACTS, kind, body))


def encode_input(given: Input) -> bytes:
    """An input with who or what it came from; its kind and its time stand beside it in the record."""
    whole: dict[str, Any] = {"body": _bare(given.body)}
    if given.origin is not None:
        whole["origin"] = given.origin
    if given.actor is not None:
        whole["actor"] = given.actor
    if given.seen is not None:
        whole["seen"] = given.seen
    return _encoded(whole)


def decode_input(kind: str, subject: str, at: Moment, data: bytes, version: int | None = None) -> Input:
    """An input as it was recorded, its body in its present form. `version` as of `decode_fact`. Raises `UnknownKind`."""
    whole = msgspec.json.decode(data)
    body: Body = _decode(BODIES, kind, raised(kind, whole["body"], version or version_of(kind)))
    origin = msgspec.convert(whole["origin"], Origin) if "origin" in whole else None
    actor = msgspec.convert(whole["actor"], Actor) if "actor" in whole else None
    seen = msgspec.convert(whole["seen"], Seen) if "seen" in whole else None
    return Input(at, subject, body, origin, actor, seen)


class _From(msgspec.Struct):
    origin: Origin | None = None


_FROM = msgspec.json.Decoder(_From)


def origin_in(data: bytes) -> Origin | None:
    """Where a recorded input came from, whatever its kind; None for one that no device reported, or that cannot be read."""
    try:
        return _FROM.decode(data).origin
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # text that is no UTF-8 is no DecodeError
        return None


def body_from(kind: str, data: dict[str, Any]) -> Body:
    """The body of an input from plain values. Raises `UnknownKind`, and `msgspec.ValidationError` for what is no such body."""
    body: Body = _decode(BODIES, kind, dict(data))
    return body


class UnknownKind(Exception):
    """A record of a kind that this software does not know: it was written by a newer one."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"records of kind {kind} are not known to this version; run the version that wrote them")
        self.kind = kind


def _decode(registry: dict[str, type[Any]], kind: str, data: dict[str, Any]) -> Any:
    cls = registry.get(kind)
    if cls is None:
        raise UnknownKind(kind)
    for name, nothing in _optional(cls).items():
        data.setdefault(name, nothing)
    return msgspec.convert(data, cls)


_OPTIONAL: dict[type[Any], dict[str, Any]] = {}


def _optional(cls: type[Any]) -> dict[str, Any]:
    """Fields without a default that may be absent in the record, with what the program has then: None, 0 or an empty text."""
    if cls not in _OPTIONAL:
        needed = [f for f in fields(cls) if f.required]
        _OPTIONAL[cls] = {f.name: absent_in(cls).get(f.name) for f in needed if _may_lack(cls, f)}
    return _OPTIONAL[cls]


def _may_lack(cls: type[Any], field: Field) -> bool:
    return field.name in absent_in(cls) or "None" in str(field.type)


_DECODERS = {
    kind: msgspec.json.Decoder(cls) for kind, cls in FACTS.items() if not _optional(cls) and kind not in IDENTITIES
}
"""Reads facts of which every field is in the record, in one step: a start reads hundreds of thousands."""


def _present(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _present(v) for k, v in value.items() if v is not None}
    if isinstance(value, list | tuple):
        return [_present(v) for v in value]
    return value[:MAX_TEXT] if isinstance(value, str) else value
