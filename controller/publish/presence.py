"""Says whether this table is there, in a retained message: birth, will and clean stop.

`session` grows by one for each connection, so a late death message is recognised by its older number.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from controller.publish.known_head import Checkpoint
from drivers.protocol.records import dataclass

MOST = 64
"""Characters of a foreign name that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Birth:
    """Published after each connect. `created`: when the journal was made, for the first `prevhash` of each stream.

    `heads` and `oldest`: last and first sequence of each stream in the journal.
    `machine` and `process`: which computer and which start of the daemon says so (identity.py)."""

    state: Literal["online"] = "online"
    session: int
    bootid: str
    version: str
    journal: str
    created: str
    heads: Mapping[str, int]
    oldest: Mapping[str, int]
    machine: str
    process: str
    checkpoint: Checkpoint = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The last will: the broker publishes it when the connection ends without a goodbye.
    `machine`, `process`: as in a birth, with MQTT 3.1.1 alone."""

    state: Literal["lost"] = "lost"
    session: int
    machine: str | UnsetType = UNSET
    process: str | UnsetType = UNSET
    checkpoint: Checkpoint = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Offline:
    """Published, and acknowledged, before a clean goodbye."""

    state: Literal["offline"] = "offline"
    session: int
    reason: str
    checkpoint: Checkpoint = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """Published every few seconds. `heads`: last sequence of each stream in the journal, published or not.
    `parked`: ranges that the broker would not take, both ends included; `parked_topics`: topics it does not take.
    `confirmed`: with `confirm = "consumer"`, by consumer and stream, up to which number; `late`: consumers for which an event
    waits too long."""

    time: str
    session: int
    journal: str
    heads: Mapping[str, int]
    parked: Mapping[str, Sequence[Sequence[int]]]
    parked_topics: Sequence[str] | UnsetType = UNSET
    confirmed: Mapping[str, Mapping[str, int]] | UnsetType = UNSET
    late: Sequence[str] | UnsetType = UNSET


def encode(body: Birth | Lost | Offline | Heartbeat) -> bytes:
    """Returns the JSON bytes of a presence message."""
    return msgspec.json.encode(body)


@dataclass(frozen=True, slots=True)
class Said:
    """The content of a message on `conn`. `machine`, `process`, `boot`: empty if not named."""

    state: str
    session: int
    journal: str | None = None
    machine: str = ""
    process: str = ""
    boot: str = ""


def read(payload: bytes) -> Said | None:
    """Returns the content of a message on `conn`; None if it is not ours."""
    try:
        said: Any = msgspec.json.decode(payload)
    except (msgspec.DecodeError, RecursionError):  # whoever may write there may write anything
        return None
    if not isinstance(said, dict):
        return None
    state, session, journal = said.get("state"), said.get("session"), said.get("journal")
    if not isinstance(state, str) or not isinstance(session, int):
        return None
    machine, process, boot = (_short(said.get(key)) for key in ("machine", "process", "bootid"))
    return Said(state, session, journal if isinstance(journal, str) else None, machine, process, boot)


def _short(value: object) -> str:
    return value[:MOST] if isinstance(value, str) else ""
