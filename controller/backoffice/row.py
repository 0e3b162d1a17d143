"""Reads one message of an event topic into the columns of the table `event`. Pure.

A type that nobody knows is a row. A message is refused only if it is no event of the table in whose topic it came, or if a column
cannot hold it.
"""

import re
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.journal.chain import HASH_BYTES, SALT_BYTES

MOST_BYTES = 65_536
LARGEST = 2**63 - 1
ROOT = "tablewarden/v1/"
KEPT_BYTES = 4_096
"""How much of a refused message is kept."""

_Number = Annotated[int, Meta(ge=0, le=LARGEST)]
_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"
_is_form = re.compile(rf"{_TIME} {_TIME} \d{{20}}", re.ASCII).fullmatch
_is_type = re.compile(r"[a-z0-9.-]+\.tg\.[a-z0-9-]+\.[a-z0-9_.-]+\.v[1-9][0-9]{0,8}").fullmatch


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


class _Event(msgspec.Struct, gc=False):
    """The forms of the texts are looked at afterwards, all at once: one by one they are half of what an event costs."""

    specversion: Literal["1.0"]
    id: str
    source: str
    type: str
    subject: str
    time: str
    recordedtime: str
    sequence: str
    stream: str
    journal: str
    bootid: str
    monons: _Number
    clockstate: Literal["synced", "holdover", "unsynced"]
    prevhash: str
    recordhash: str
    roundid: str | UnsetType = UNSET
    cause: str | UnsetType = UNSET
    order: _Number | UnsetType = UNSET
    salt: str | UnsetType = UNSET
    datahash: str | UnsetType = UNSET
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
    if not _is_type(event_type):
        raise ValueError("its type is none")
    kind, _, version = event_type.rpartition(".tg.")[2].partition(".")[2].rpartition(".v")
    return kind, int(version)


def _verify_forms(event: _Event) -> None:
    """Raises ValueError for a time, number or hash in another form than the one that a table writes."""
    if not _is_form(f"{event.time} {event.recordedtime} {event.sequence}"):
        raise ValueError("its time, recordedtime or sequence has another form")
    datetime.fromisoformat(event.time), datetime.fromisoformat(event.recordedtime)
    more = ("" if each is UNSET else each for each in (event.salt, event.datahash))
    digits = "".join((event.journal, event.prevhash, event.recordhash, *more))
    lengths = (len(event.journal), len(event.prevhash), len(event.recordhash))
    has_lengths = (
        lengths == (16, 2 * HASH_BYTES, 2 * HASH_BYTES)
        and (event.salt is UNSET or len(event.salt) == 2 * SALT_BYTES)
        and (event.datahash is UNSET or len(event.datahash) == 2 * HASH_BYTES)
    )
    if not has_lengths or bytes.fromhex(digits).hex() != digits:
        raise ValueError("its journal, salt or a hash has another form")


def read(source: str, stream: str | None, payload: bytes, received: str) -> Row:
    """Returns the row of an event. `stream`: of its topic; None in a replay. Raises Refused."""
    if len(payload) > MOST_BYTES:
        raise Refused(f"{len(payload)} bytes are more than {MOST_BYTES}")
    try:
        body = payload.decode()
        event = _decode(payload)
        _verify_forms(event)
        kind, version = _kind(event.type)
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
    return Row(
        source, event.journal, event.stream, sequence, event.recordedtime[:10], event.type, kind, version,
        event.subject, event.roundid or None, event.cause or None, event.time, event.recordedtime, event.monons,
        event.bootid, event.clockstate, None if event.order is UNSET else event.order, event.prevhash,
        event.recordhash, event.datahash or None, event.salt or None, event.withheld, body, received,
    )  # fmt: skip
