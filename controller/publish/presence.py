"""Birth, will and clean stop: whether this table is there, in a retained message that survives a reconnect race.

`session` goes up by one for each connection, so a death that arrives late is told from a present one by its number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

__all__ = ["Birth", "Lost", "Offline", "encode", "names_session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Birth:
    """Published after each connect. `heads` and `oldest`: last and first sequence of each stream in the journal."""

    state: Literal["online"] = "online"
    session: int
    bootid: str
    version: str
    journal: str
    heads: Mapping[str, int]
    oldest: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The last will: the broker publishes it when the connection ends without a goodbye."""

    state: Literal["lost"] = "lost"
    session: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Offline:
    """Published, and acknowledged, before a clean goodbye."""

    state: Literal["offline"] = "offline"
    session: int
    reason: str


def encode(body: Birth | Lost | Offline) -> bytes:
    return msgspec.json.encode(body)


def names_session(payload: bytes) -> tuple[str, int, str | None] | None:
    """State, session and journal that a message on `conn` names; None where it is nothing of ours."""
    try:
        said: Any = msgspec.json.decode(payload)
    except (msgspec.DecodeError, RecursionError):  # whoever may write there may write anything
        return None
    if not isinstance(said, dict):
        return None
    state, session, journal = said.get("state"), said.get("session"), said.get("journal")
    if not isinstance(state, str) or not isinstance(session, int):
        return None
    return state, session, journal if isinstance(journal, str) else None
