"""Events of the host's link end for its session. Boots: u64; counters: u64 from 1; times: monotonic seconds."""

from drivers.protocol.messages import Identity, Restarted
from drivers.protocol.records import dataclass
from drivers.protocol.reports import Level, Levels, Report, ResetCause


@dataclass(frozen=True, slots=True)
class Welcomed:
    """The device answered our HELLO. Its reports are unknown yet; the caller may judge its identity now."""

    identity: Identity
    boot: int
    reset_cause: ResetCause
    log_first: int
    log_last: int


@dataclass(frozen=True, slots=True)
class Authenticated:
    """The device proved its key; all later frames are sealed. `measuring`: its firmware is being measured."""

    measuring: bool


@dataclass(frozen=True, slots=True)
class FirmwareMeasured:
    """Eight random ranges of the firmware match the approved image; repeated each day."""


@dataclass(frozen=True, slots=True)
class Online:
    """The log is read and the levels are known. `gap_closed`: no `Lost` was released on the way."""

    gap_closed: bool
    levels: Levels


@dataclass(frozen=True, slots=True)
class Reported:
    """One report, released once and in the order of its counter. `from_log`: read from the log later.

    `chain`: its value in the chain over the device's log, 8 bytes; empty if unchecked.
    """

    boot: int
    counter: int
    tick_us: int
    report: Report
    from_log: bool
    chain: bytes = b""


@dataclass(frozen=True, slots=True)
class Lost:
    """Reports `first`..`last` of `boot` cannot be read; released in their place. `last` 0 = unknown how many."""

    boot: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Reused:
    """The counter of `boot` went back: a second report came under `first`, or the log ends before what is on
    record.

    Other reports under `first`..`last` are lost. This event has no place in the order, and `Failed` follows.
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
    """The device refused a level. `code`: one of `messages.ERR_*`, from 256 on the maker's. `text`: for people."""

    level: Level
    value: str
    operation: int
    code: int
    text: str


@dataclass(frozen=True, slots=True)
class LevelUnknown:
    """No answer will come: the level may hold or not. `reason`: `superseded` by a newer command, or a fault's id."""

    level: Level
    value: str
    operation: int
    reason: str


@dataclass(frozen=True, slots=True)
class LevelsRead:
    """The device's levels, read on demand or because a PONG's digest differed from the last read."""

    levels: Levels


@dataclass(frozen=True, slots=True)
class Suspect:
    """No PING was echoed for 2.5 s. `half_dead`: the device's frames still come. Sent again when that changes."""

    half_dead: bool


@dataclass(frozen=True, slots=True)
class Recovered:
    """A PING was echoed again."""


@dataclass(frozen=True, slots=True)
class Whole:
    """Everything reported as a failed self-test is sound again, at a device that the driver itself judges."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The link is over and must be opened anew; sent once and last. `fault`: an id of `drivers.errors.Fault`."""

    fault: str
    detail: str


@dataclass(frozen=True, slots=True)
class Silence:
    """A line device was silent for a while (repeated); or `ended`: a line came again."""

    ended: bool


@dataclass(frozen=True, slots=True)
class Damaged:
    """Counts damaged input of a line device since the last such event; the content is dropped."""

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
