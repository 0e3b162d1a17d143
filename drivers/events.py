"""Events that a session delivers to the controller: the device's reports, and what the session found out about the
link.

The reports are those of the wire (`drivers.protocol.reports`). This module adds where a report came from, and the
events that only the host can know. Nothing here knows a rule.
"""

from typing import ClassVar

from msgspec import Struct

from drivers.protocol.reports import (
    ALLOWED,
    ENGAGED,
    INHIBITED,
    RELEASED,
    REPORTS,
    SAFE_VALUE,
    Activity,
    AlarmRaised,
    Back,
    Button,
    ButtonPressed,
    Capability,
    CardDrawn,
    CardsLoaded,
    CardsRemoved,
    Cause,
    CuttingCardSensed,
    DealCompleted,
    DealStopped,
    Defect,
    DeviceKind,
    DispensingAllowed,
    DispensingInhibited,
    DoorClosed,
    DoorOpened,
    FaceUpCard,
    Identities,
    JamCleared,
    Jammed,
    JamPlace,
    Level,
    Levels,
    LineUnparsed,
    LockoutEngaged,
    LockoutReleased,
    Mode,
    ModeChanged,
    PoweredUp,
    Recognition,
    Report,
    ResetCause,
    SelfTestFailed,
    ServiceDue,
    Severity,
    ShuffleCompleted,
    ShuffleStarted,
    ShuffleStopped,
    StackDispensed,
    StopReason,
    WagerRemoved,
    WagerSensed,
)
from drivers.protocol.texts import NOTHING, IfAny

__all__ = [
    "ALLOWED",
    "ENGAGED",
    "INHIBITED",
    "LINK_EVENTS",
    "NOTHING",
    "RELEASED",
    "REPORTS",
    "SAFE_VALUE",
    "Activity",
    "AlarmRaised",
    "Back",
    "Button",
    "ButtonPressed",
    "Capability",
    "CardDrawn",
    "CardsLoaded",
    "CardsRemoved",
    "Cause",
    "CuttingCardSensed",
    "DealCompleted",
    "DealStopped",
    "Defect",
    "DeviceKind",
    "DeviceOffline",
    "DeviceOnline",
    "DeviceRejected",
    "DeviceSuspect",
    "DispensingAllowed",
    "DispensingInhibited",
    "DoorClosed",
    "DoorOpened",
    "EventsLost",
    "FaceUpCard",
    "FirmwareMeasured",
    "Identities",
    "IfAny",
    "JamCleared",
    "JamPlace",
    "Jammed",
    "Level",
    "LevelConfirmed",
    "LevelUnknown",
    "Levels",
    "LevelsRead",
    "LineUnparsed",
    "LinesDamaged",
    "LinkEvent",
    "LivenessChanged",
    "LockoutEngaged",
    "LockoutReleased",
    "Mode",
    "ModeChanged",
    "Origin",
    "PoweredUp",
    "Recognition",
    "Report",
    "ResetCause",
    "SelfTestFailed",
    "ServiceDue",
    "Severity",
    "ShuffleCompleted",
    "ShuffleStarted",
    "ShuffleStopped",
    "StackDispensed",
    "StopReason",
    "WagerRemoved",
    "WagerSensed",
]


class Origin(Struct, frozen=True):
    """Identifies a report for ever, by (serial, boot, counter).

    `boot`: u64 drawn at power-up, as 16 hex digits. `counter`: u64, +1 each within a boot. `tick_us`: the device's
    clock. `from_log`: read from the device's log later than it happened. `chain`: the report's value in the keyed
    chain over the device's log, 16 hex digits; None = no key checks it. `happened_ns`: CLOCK_MONOTONIC of the PC
    when the device's clock read that tick, and `error_ns`: how far that may be off either way; None = the device
    has no clock, or its relation to the PC's is unknown. Both count real time: if the PC slept since, they count
    as if its clock had gone on. `sealed`: the device had proven its key.
    """

    serial: str
    boot: str
    counter: int
    tick_us: int
    from_log: bool = False
    chain: str | None = None
    happened_ns: int | None = None
    error_ns: int | None = None
    sealed: bool | None = None


class DeviceOnline(Struct, frozen=True):
    """The handshake is done, the log is read, the levels are known. `gap_closed`: no report since the last durable
    one is lost.

    `authenticated`: the device proved its key and every frame is sealed; False = the device has no key here.
    `firmware_sha256`, `config_sha256`: as the device says, 64 hex digits; None = it does not say.
    """

    kind: ClassVar[str] = "device_online"
    device_kind: DeviceKind
    model: str
    serial: str
    firmware: str
    boot: str
    rebooted: bool
    gap_closed: bool
    capabilities: tuple[Capability, ...]
    levels: Levels
    authenticated: bool = False
    firmware_sha256: str | None = None
    config_sha256: str | None = None


class FirmwareMeasured(Struct, frozen=True):
    """Random ranges of the device's firmware match the approved image with this SHA-256 (64 hex digits)."""

    kind: ClassVar[str] = "firmware_measured"
    serial: str
    boot: str
    sha256: str


class DeviceOffline(Struct, frozen=True):
    """The link is lost; reported once per loss. `reason`: an id of `drivers.errors.Fault`."""

    kind: ClassVar[str] = "device_offline"
    reason: str
    detail: IfAny[str] = ""


class DeviceSuspect(Struct, frozen=True):
    """The device has echoed no PING for a while. `half_dead`: its frames still come in."""

    kind: ClassVar[str] = "device_suspect"
    half_dead: bool


class DeviceRejected(Struct, frozen=True):
    """The device at the port is not the configured one, or speaks another protocol version; a person must act."""

    kind: ClassVar[str] = "device_rejected"
    reason: str
    detail: IfAny[str] = ""


class EventsLost(Struct, frozen=True):
    """Reports `first`..`last` of `boot` can no longer be read; `last` absent (0) = the number of lost reports is unknown.

    `reused`: True = the device's counter went back, so it uses these numbers twice: one report of each number may
    be on record, the other is lost. None = each number was used once.
    """

    kind: ClassVar[str] = "events_lost"
    serial: str
    boot: str
    first: int
    last: IfAny[int]
    reused: bool | None = None


class LevelConfirmed(Struct, frozen=True):
    """The device confirmed a wanted level, by an answer or by reading it back."""

    kind: ClassVar[str] = "level_confirmed"
    level: Level
    value: str
    operation: int


class LevelUnknown(Struct, frozen=True):
    """The answer to a wanted level was lost: the level may or may not hold until it is read back."""

    kind: ClassVar[str] = "level_unknown"
    level: Level
    value: str
    operation: int
    reason: str


class LevelsRead(Struct, frozen=True):
    """The device's levels as read, if they differ from the known ones."""

    kind: ClassVar[str] = "levels_read"
    levels: Levels


class LivenessChanged(Struct, frozen=True):
    """A line device fell silent (`known` False: it may be gone) or was heard again (`known` True)."""

    kind: ClassVar[str] = "liveness_changed"
    known: bool


class LinesDamaged(Struct, frozen=True):
    """Counts damaged input from a line device since the last such event; its content is dropped.

    `not_text`: pieces with bytes that are not text; `too_long`: lines of more than `MAX_LINE` characters;
    `cut_off`: lines that did not end. No byte is kept, because a card may be among them.
    """

    kind: ClassVar[str] = "lines_damaged"
    not_text: int
    too_long: int
    cut_off: int


LinkEvent = (
    DeviceOnline
    | FirmwareMeasured
    | DeviceOffline
    | DeviceSuspect
    | DeviceRejected
    | EventsLost
    | LevelConfirmed
    | LevelUnknown
    | LevelsRead
    | LivenessChanged
    | LinesDamaged
)

LINK_EVENTS: dict[str, type[LinkEvent]] = {cls.kind: cls for cls in LinkEvent.__args__}
