"""What is looked into: disputes of rounds, and who saw which alarm when."""

from typing import ClassVar

from msgspec import Struct

from controller.rules.vocabulary import Role


class DisputeRaised(Struct, frozen=True):
    """A round is doubted. `keeps`: cards and devices are kept as they are, for nothing was dealt after it, until `hold` is
    lifted."""

    kind: ClassVar[str] = "dispute_raised"
    dispute: str
    round: str
    seat: int
    reason: str
    keeps: bool
    by: str
    role: Role
    hold: str = ""


class BookmarkNamed(Struct, frozen=True):
    """Where surveillance keeps the pictures. `begins`, `ends`: Unix time, microseconds."""

    kind: ClassVar[str] = "bookmark_named"
    dispute: str
    round: str
    reference: str
    begins_us: int
    ends_us: int
    by: str


class ClearingAllowed(Struct, frozen=True):
    """`what`: the device, or the back of the set, that is kept no longer."""

    kind: ClassVar[str] = "clearing_allowed"
    dispute: str
    what: str
    reason: str
    by: str
    role: Role


class DisputeClosed(Struct, frozen=True):
    kind: ClassVar[str] = "dispute_closed"
    dispute: str
    round: str
    found: str
    by: str
    role: Role


class AlarmSeen(Struct, frozen=True):
    """`device`, `reason`: of the alarm, so that a reader need not count alarms; absent in records of earlier versions."""

    kind: ClassVar[str] = "alarm_seen"
    alarm: str
    by: str
    role: Role
    device: str | None = None
    reason: str | None = None


class AlarmCleared(Struct, frozen=True):
    """`device`, `reason`: as of `AlarmSeen`."""

    kind: ClassVar[str] = "alarm_cleared"
    alarm: str
    found: str
    by: str
    role: Role
    device: str | None = None
    reason: str | None = None
