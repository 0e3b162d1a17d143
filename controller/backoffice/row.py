"""Reads one message of an event topic into the columns of the table `event`. Pure.

A type that nobody knows is a row. A message is refused only if it is no event of the table in whose topic it came, or if a column
cannot hold it.
"""

from datetime import datetime
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta, UnsetType

MOST_BYTES = 65_536
LARGEST = 2**63 - 1
ROOT = "tablewarden/v1/"
KEPT_BYTES = 4_096
"""How much of a refused message is kept."""

_Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
_Time = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")]
_Number = Annotated[int, Meta(ge=0, le=LARGEST)]


class Row(NamedTuple):
    """One row of `event`, in the order of its columns. Hashes in hex, times as they came."""

    source: str
    journal: str
    stream: str
    sequence: int
    day: str
    type: str
    kind: str
    version: int
    subject: str
    round_id: str | None
    cause: str | None
    time: str
    recorded: str
    mono_ns: int
    boot: str
    clock: str
    ord: int | None
    prevhash: str
    recordhash: str
    datahash: str | None
    salt: str | None
    withheld: bool
    body: str
    received: str


class Refused(Exception):
    """The message is no event. The text says why, in one sentence."""


class _Event(msgspec.Struct):
    specversion: Literal["1.0"]
    id: str
    source: str
    type: Annotated[str, Meta(pattern=r"^[a-z0-9.-]+\.tg\.[a-z0-9-]+\.[a-z0-9_.-]+\.v[1-9][0-9]{0,8}$")]
    subject: str
    time: _Time
    recordedtime: _Time
    sequence: Annotated[str, Meta(pattern="^[0-9]{20}$")]
    stream: str
    journal: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
    bootid: str
    monons: _Number
    clockstate: Literal["synced", "holdover", "unsynced"]
    prevhash: _Hash
    recordhash: _Hash
    roundid: str | UnsetType = UNSET
    cause: str | UnsetType = UNSET
    order: _Number | UnsetType = UNSET
    salt: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")] | UnsetType = UNSET
    datahash: _Hash | UnsetType = UNSET
    withheld: bool = False


_decode = msgspec.json.Decoder(_Event).decode


def levels(topic: str) -> list[str]:
    """Returns the levels behind the root of a table's topic: site, table, group and the rest; an empty list for another topic."""
    found = topic[len(ROOT) :].split("/") if topic.startswith(ROOT) else []
    return found if len(found) >= 3 else []


def source_of(site: str, table: str) -> str:
    """Returns the `source` of all events of a table."""
    return f"urn:tablewarden:{site}:{table}"


@lru_cache(maxsize=4096)
def _kind(event_type: str) -> tuple[str, int]:
    kind, _, version = event_type.rpartition(".tg.")[2].partition(".")[2].rpartition(".v")
    return kind, int(version)


def read(source: str, stream: str | None, payload: bytes, received: str) -> Row:
    """Returns the row of an event. `stream`: of its topic; None in a replay. Raises Refused."""
    if len(payload) > MOST_BYTES:
        raise Refused(f"{len(payload)} bytes are more than {MOST_BYTES}")
    try:
        body = payload.decode()
        event = _decode(payload)
        datetime.fromisoformat(event.time), datetime.fromisoformat(event.recordedtime)
    except (ValueError, RecursionError) as exc:  # msgspec's errors are of ValueError
        raise Refused(str(exc) or "no event") from exc
    sequence = int(event.sequence)
    if event.source != source or (stream is not None and event.stream != stream):
        raise Refused(f"it is an event of {event.source[:99]} {event.stream[:40]}, in another's topic")
    if event.id != f"{event.journal}-{event.stream}-{sequence}" or not 0 < sequence <= LARGEST:
        raise Refused("its id is not that of its journal, stream and sequence")
    names = "".join((event.subject, event.bootid, event.roundid or "", event.cause or "", event.stream))
    if "\0" in names or len(names) > KEPT_BYTES:
        raise Refused("a name in it has a NUL or is too long")
    kind, version = _kind(event.type)
    return Row(
        source, event.journal, event.stream, sequence, event.recordedtime[:10], event.type, kind, version,
        event.subject, event.roundid or None, event.cause or None, event.time, event.recordedtime, event.monons,
        event.bootid, event.clockstate, None if event.order is UNSET else event.order, event.prevhash,
        event.recordhash, event.datahash or None, event.salt or None, event.withheld, body, received,
    )  # fmt: skip
