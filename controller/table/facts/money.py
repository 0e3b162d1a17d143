"""What has happened at the seats: wagers, decisions, and the fate of each wager."""

from dataclasses import dataclass
from typing import ClassVar

from controller.games.model import Decision


@dataclass(frozen=True, slots=True)
class WagerPlaced:
    kind: ClassVar[str] = "wager_placed"
    seat: int
    wager: str
    cents: int
    currency: str
    by: str


@dataclass(frozen=True, slots=True)
class WagerWithdrawn:
    """Taken back by the player before "no more bets"."""

    kind: ClassVar[str] = "wager_withdrawn"
    seat: int
    wager: str
    by: str


@dataclass(frozen=True, slots=True)
class BetsClosed:
    """The dealer announced "no more bets". `accepted`: seats whose progressive wager the device has accepted."""

    kind: ClassVar[str] = "bets_closed"
    by: str
    accepted: tuple[int, ...]
    cite: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProgressiveCounted:
    kind: ClassVar[str] = "progressive_counted"
    chips: int
    accepted: int
    by: str
    cite: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecisionRecorded:
    kind: ClassVar[str] = "decision_recorded"
    seat: int
    decision: Decision
    cents: int
    by: str


@dataclass(frozen=True, slots=True)
class WagerDecided:
    """The fate of one wager: returned | held | to_settle | stands | lost | collected, and what demands it."""

    kind: ClassVar[str] = "wager_decided"
    round: str
    seat: int
    wager: str
    cents: int
    currency: str
    fate: str
    cite: tuple[str, ...] = ()
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class RoundSettled:
    kind: ClassVar[str] = "round_settled"
    by: str
