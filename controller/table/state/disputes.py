"""What is looked into at a table: disputed rounds and alarms. Frozen records of the state; nothing here decides."""

from msgspec import Struct

from drivers.events import IfAny


class Bookmark(Struct, frozen=True):
    """Of surveillance. `begins_us`, `ends_us`: Unix time, microseconds."""

    reference: str
    begins_us: int
    ends_us: int


class Dispute(Struct, frozen=True):
    """`keeps`: cards and devices stay as they are until the hold of the dispute is lifted. `cleared`: what of it may be
    cleared all the same, in the order in which it was allowed. `hold`: the hold it placed, "" where it keeps nothing."""

    id: str
    round: str
    seat: IfAny[int]
    reason: str
    by: str
    keeps: bool
    hold: IfAny[str] = ""
    bookmark: Bookmark | None = None
    cleared: tuple[str, ...] = ()


class Alarm(Struct, frozen=True):
    """`times`: how often it came while it stood. `seen`: who has seen it since it came last, in order."""

    id: str
    device: str
    reason: str
    detail: IfAny[str]
    times: int = 1
    seen: tuple[str, ...] = ()
