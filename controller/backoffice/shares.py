"""Which tables a recorder records, the topics of each, and what it tells them. Pure."""

from hashlib import sha256

import msgspec

from controller.backoffice.row import ROOT
from controller.backoffice.store.batch import Loaded
from controller.backoffice.watch import Ask
from controller.clock import rfc3339

ANSWER_S = 60
RANGES = 1_000
"""Ranges above `through` that a confirmation names at most."""


def share_of(source: str, shares: int) -> int:
    """Returns which share, counted from 1, a table belongs to: equal ranges of the SHA-256 of its source."""
    return int.from_bytes(sha256(source.encode()).digest()[:4], "big") * shares // 2**32 + 1


def filters(name: str) -> list[str]:
    """Returns what a recorder reads of all tables, but their events."""
    return [f"{ROOT}+/+/{rest}" for rest in ("conn", "tele/heartbeat", f"rsp/{name}")]


def of_share(loaded: Loaded, name: str, share: int, shares: int) -> Loaded:
    """Returns what concerns the tables of one share, and this recorder itself."""

    def is_mine(source: str) -> bool:
        return source == f"recorder:{name}" or share_of(source, shares) == share

    return Loaded(
        [each for each in loaded.positions if is_mine(each.source)],
        [each for each in loaded.seen if is_mine(each.source)],
        [each for each in loaded.holes if is_mine(each.source)],
        [each for each in loaded.alarms if is_mine(each.standing.source)],
    )


def base_of(source: str) -> str:
    """Returns the front of a table's topics."""
    _, _, site, table = source.split(":")
    return f"{ROOT}{site}/{table}"


def replay_order(ask: Ask, name: str, number: str, now_us: int) -> bytes:
    """Returns the command that asks a table for a replay."""
    order = {
        "id": number, "consumer": name, "stream": ask.stream, "journal": ask.journal, "from": ask.first,
        "to": ask.last, "expires": rfc3339(now_us + ANSWER_S * 1_000_000),
    }  # fmt: skip
    return msgspec.json.encode(order)


def confirmation(
    name: str, journal: str, streams: dict[str, tuple[int, list[tuple[int, int]]]], now_us: int
) -> bytes:
    """Returns what a recorder confirms to a table: of each stream, `through` and the ranges above it."""
    told = {stream: {"through": through, "have": have[:RANGES]} for stream, (through, have) in streams.items()}
    return msgspec.json.encode({"consumer": name, "journal": journal, "streams": told, "time": rfc3339(now_us)})
