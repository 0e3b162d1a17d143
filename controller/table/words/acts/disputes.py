"""Acts about what is looked into: a disputed round, and alarms that somebody saw."""

from typing import ClassVar

from controller.table.words.acts.act import Act
from drivers.events import IfAny


class RaiseDispute(Act, frozen=True):
    """Somebody doubts a round: it is kept as it is. `reason`: what is said, 1 to 500 characters.

    `round`: its name, "" = the one in play, or the last one between rounds. `seat`: whose player says so, 0 = none.
    """

    kind: ClassVar[str] = "raise_dispute"
    reason: str
    round: IfAny[str] = ""
    seat: IfAny[int] = 0


class NameBookmark(Act, frozen=True):
    """Where surveillance keeps the pictures of a disputed round. `reference`: theirs, such as a camera and a number.

    `begins_us`, `ends_us`: Unix time, microseconds; on a command line a time such as 2026-03-01T21:04:00-05:00.
    """

    kind: ClassVar[str] = "name_bookmark"
    dispute: str
    reference: str
    begins_us: int
    ends_us: int


class AllowClearing(Act, frozen=True):
    """A device may be cleared, or a set taken up, although a dispute keeps both as they are. `what`: its name, or the back."""

    kind: ClassVar[str] = "allow_clearing"
    dispute: str
    what: str
    reason: str


class CloseDispute(Act, frozen=True):
    """A dispute has come to its end. `found`: what was found and told to the player, 1 to 500 characters."""

    kind: ClassVar[str] = "close_dispute"
    dispute: str
    found: str


class SeeAlarm(Act, frozen=True):
    """This person has seen this alarm. It stands until somebody clears it."""

    kind: ClassVar[str] = "see_alarm"
    alarm: str


class ClearAlarm(Act, frozen=True):
    """An alarm was looked into. `found`: what was found, 1 to 500 characters."""

    kind: ClassVar[str] = "clear_alarm"
    alarm: str
    found: str
