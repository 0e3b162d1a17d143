"""Inputs and facts as JSON: what stands in the journal and, for facts, what the back office gets.

Unknown is absent, never null; words for enumerations; whole cents. The kind stands beside the body, not in it.
The version of a kind rises when its body changes in a way that an older reader would misread (`VERSIONS`, `UPCASTS`).
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from controller.cards.cards import IDENTITY
from controller.table.words.acts import ACTS
from controller.table.words.facts import FACTS, HEALTH, Fact
from controller.table.words.inputs import SERVICE_EVENTS, Actor, Body, Input, Moment
from controller.table.words.named_bodies import NAMED, in_one_word, named
from controller.table.words.structs import fields
from drivers.events import LINK_EVENTS, REPORTS, Origin

VERSIONS: dict[str, int] = {}
"""Kind -> the version of its body now, 1 where none stands here. A body that names cards goes from 1 to 3: 2 is 1 sealed."""
SEALED_VERSIONS = frozenset({2})
"""Versions of a body in which which cards it tells is sealed (docs/vault.md)."""
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


IDENTITIES: dict[str, tuple[str, ...]] = identities_of({**BODIES, **FACTS})
"""Kind -> the fields of its body that tell which card something is; by their type, so that none can be forgotten."""

WITHHELD = frozenset(IDENTITIES.keys() & FACTS.keys())
"""Kinds of fact that name cards: outside the table PC only their hash is shown."""


def stream_of(fact: Fact) -> str:
    """`diag` for the health of devices and links, `main` for play and law."""
    return "diag" if fact.event.kind in HEALTH else "main"


def encode(record: Any) -> bytes:
    """One body as JSON, without what is unknown."""
    if (kind := getattr(record, "kind", None)) in NAMED:
        return _ENCODER.encode(in_one_word(kind, builtins(record)))
    data = _ENCODER.encode(record)
    return data if _is_whole(data) else _ENCODER.encode(builtins(record))


def _is_whole(data: bytes) -> bool:
    """True where nothing can be unknown and no text too long; most bodies are so, and are not gone through."""
    return len(data) <= MAX_TEXT and b"null" not in data


def builtins(record: object) -> Any:
    """A body as plain dicts, lists, strings and numbers, without what is unknown."""
    return _present(msgspec.to_builtins(record))


UPCASTS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""(kind, version) -> what makes of a body of that version one of the next; empty while all are of the first."""


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
    return named(kind, body) if kind in NAMED else body


def decode_fact(kind: str, subject: str, data: bytes, version: int | None = None) -> Fact:
    """A fact as it was recorded, in its present form. `version`: of the record, None = as it is written now.

    Raises `UnknownKind` for what this software does not know.
    """
    version = version or version_of(kind)
    if version == version_of(kind) and kind not in NAMED and (decoder := _DECODERS.get(kind)) is not None:
        return Fact(subject, decoder.decode(data))
    body = raised(kind, msgspec.json.decode(data), version)
    return Fact(subject, _decode(FACTS, kind, body))


def encode_input(given: Input) -> bytes:
    """An input with who or what it came from; its kind and its time stand beside it in the record."""
    whole: dict[str, Any] = {"body": given.body}
    if given.origin is not None:
        whole["origin"] = given.origin
    if given.actor is not None:
        whole["actor"] = given.actor
    return encode(whole)


def decode_input(kind: str, subject: str, at: Moment, data: bytes, version: int | None = None) -> Input:
    """An input as it was recorded, its body in its present form. `version` as of `decode_fact`. Raises `UnknownKind`."""
    whole = msgspec.json.decode(data)
    body: Body = _decode(BODIES, kind, raised(kind, whole["body"], version or version_of(kind)))
    origin = msgspec.convert(whole["origin"], Origin) if "origin" in whole else None
    actor = msgspec.convert(whole["actor"], Actor) if "actor" in whole else None
    return Input(at, subject, body, origin, actor)


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
    for name in _optional(cls):
        data.setdefault(name)  # None
    return msgspec.convert(data, cls)


_OPTIONAL: dict[type[Any], tuple[str, ...]] = {}


def _optional(cls: type[Any]) -> tuple[str, ...]:
    """Fields that may be unknown and have no default: absent in the record, None in the program."""
    if cls not in _OPTIONAL:
        _OPTIONAL[cls] = tuple(f.name for f in fields(cls) if f.required and "None" in str(f.type))
    return _OPTIONAL[cls]


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
