"""What is looked into: disputes of rounds, and who saw which alarm when."""

from typing import ClassVar

from msgspec import Struct

from controller.rules.vocabulary import Role
from drivers.events import IfAny


class DisputeRaised(Struct, frozen=True):
    """A person disputes a round. `keeps`: cards and devices are kept as they are, for nothing was dealt after it, until `hold` is
    lifted."""

    kind: ClassVar[str] = "dispute_raised"
    dispute: str
    round: str
    seat: IfAny[int]
    reason: str
    keeps: bool
    by: str
    role: Role
    hold: IfAny[str] = ""


class BookmarkNamed(Struct, frozen=True):
    """A person named where surveillance keeps the pictures. `begins`, `ends`: Unix time, microseconds."""

    kind: ClassVar[str] = "bookmark_named"
    dispute: str
    round: str
    reference: str
    begins_us: int
    ends_us: int
    by: str


class ClearingAllowed(Struct, frozen=True):
    """A person allowed something to be cleared that a dispute keeps as it is.

    `what`: the device, or the back of the set, that is kept no longer."""

    kind: ClassVar[str] = "clearing_allowed"
    dispute: str
    what: str
    reason: str
    by: str
    role: Role


class DisputeClosed(Struct, frozen=True):
    """A person closed a dispute."""

    kind: ClassVar[str] = "dispute_closed"
    dispute: str
    round: str
    found: str
    by: str
    role: Role


class AlarmSeen(Struct, frozen=True):
    """A person saw an alarm. `device`, `reason`: of the alarm; absent in records of earlier versions."""

    kind: ClassVar[str] = "alarm_seen"
    alarm: str
    by: str
    role: Role
    device: str | None = None
    reason: str | None = None


class AlarmCleared(Struct, frozen=True):
    """A person cleared an alarm. `device`, `reason`: of the alarm; absent in records of earlier versions."""

    kind: ClassVar[str] = "alarm_cleared"
    alarm: str
    found: str
    by: str
    role: Role
    device: str | None = None
    reason: str | None = None
