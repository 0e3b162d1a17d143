"""What the host's link end tells its session. Boots are u64 numbers, counters u64 from 1, times monotonic seconds."""

from dataclasses import dataclass

from drivers.protocol.messages import Identity, Restarted
from drivers.protocol.reports import Level, Levels, Report, ResetCause

__all__ = [
    "Authenticated",
    "Damaged",
    "Failed",
    "FirmwareMeasured",
    "HostEvent",
    "LevelRefused",
    "LevelSet",
    "LevelUnknown",
    "LevelsRead",
    "Lost",
    "Online",
    "Recovered",
    "Reported",
    "Restarted",
    "Reused",
    "Silence",
    "Suspect",
    "Welcomed",
]


@dataclass(frozen=True, slots=True)
class Welcomed:
    """The device answered our HELLO. Nothing is known of its reports yet; the caller may judge the identity now."""

    identity: Identity
    boot: int
    reset_cause: ResetCause
    log_first: int
    log_last: int


@dataclass(frozen=True, slots=True)
class Authenticated:
    """The device proved that it has the key, and all that follows is sealed. `measuring`: its firmware is measured now."""

    measuring: bool


@dataclass(frozen=True, slots=True)
class FirmwareMeasured:
    """Eight random ranges of the firmware are those of the approved image; told again each day."""


@dataclass(frozen=True, slots=True)
class Online:
    """The log is read up to its head and the levels are known. `gap_closed`: no `Lost` was released on the way."""

    gap_closed: bool
    levels: Levels


@dataclass(frozen=True, slots=True)
class Reported:
    """One report, released once and in order of its counter. `from_log`: read again, so later than its place in time.

    `chain`: its value in the chain over the device's log, 8 bytes; empty where that is not checked.
    """

    boot: int
    counter: int
    tick_us: int
    report: Report
    from_log: bool
    chain: bytes = b""


@dataclass(frozen=True, slots=True)
class Lost:
    """Reports `first`..`last` of `boot` can't be had, released in their place; `last` 0 = nobody knows how many."""

    boot: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Reused:
    """The count of `boot` went back: another report came under the number `first`, or its log ends before what is on record.

    What else the device reports under `first`..`last`, now or until it is past them, can't be had. This has no place in the
    order, and `Failed` follows.
    """

    boot: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class LevelSet:
    """The device answered that the level holds."""

    level: Level
    value: str
    operation: int


@dataclass(frozen=True, slots=True)
class LevelRefused:
    """The device answered no. `code`: one of `messages.ERR_*`, from 256 on the maker's own. `text` is for people."""

    level: Level
    value: str
    operation: int
    code: int
    text: str


@dataclass(frozen=True, slots=True)
class LevelUnknown:
    """No answer will come: it may hold or not. `reason`: `superseded` by a newer wish, or the fault's id."""

    level: Level
    value: str
    operation: int
    reason: str


@dataclass(frozen=True, slots=True)
class LevelsRead:
    """The device's levels, read because the caller asked or because the digest on a PONG differed from the last read."""

    levels: Levels


@dataclass(frozen=True, slots=True)
class Suspect:
    """No PING was echoed for 2.5 s. `half_dead`: the device's frames do come in. Told again when `half_dead` changes."""

    half_dead: bool


@dataclass(frozen=True, slots=True)
class Recovered:
    """A PING was echoed again."""


@dataclass(frozen=True, slots=True)
class Whole:
    """Of a device that is judged here and says nothing of itself: all that was told as a failed self-test is sound again."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The link is over and must be opened anew; told once, nothing follows. `fault`: an id of `drivers.errors.Fault`."""

    fault: str
    detail: str


@dataclass(frozen=True, slots=True)
class Silence:
    """Of a line that only speaks: nothing came for a while, told again and again; or `ended`, something came again."""

    ended: bool


@dataclass(frozen=True, slots=True)
class Damaged:
    """Of a line that only speaks: so many came since the last of these that were no line. What they said is gone."""

    not_text: int
    too_long: int
    cut_off: int


HostEvent = (
    Welcomed
    | Authenticated
    | FirmwareMeasured
    | Online
    | Reported
    | Lost
    | Reused
    | LevelSet
    | LevelRefused
    | LevelUnknown
    | LevelsRead
    | Suspect
    | Recovered
    | Whole
    | Failed
    | Restarted
    | Silence
    | Damaged
)
