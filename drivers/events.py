"""What a session tells the controller: a device's own reports, and what the session itself found out about the link.

The reports are those of the wire (`drivers.protocol.reports`); this module adds where a report came from and the
few events that only the host's side can know. Nothing here knows a rule.
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

__all__ = [
    "ALLOWED",
    "ENGAGED",
    "INHIBITED",
    "LINK_EVENTS",
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
    """The device's own identity of a report: (serial, boot, counter) is unique for ever.

    `boot`: u64 drawn at power-up, as 16 hex digits. `counter`: u64, +1 each within a boot. `tick_us`: device clock.
    `from_log`: read again from the device's log, so it is later than its place in the order. `chain`: the report's value in the
    keyed chain over the device's log, 16 hex digits; None where no key holds that together. `happened_ns`: CLOCK_MONOTONIC of
    the PC when the device's clock read that tick, as far as can be told, and `error_ns`, by how much that may be off either
    way; it lies before now by real time, so where the PC slept since it is as if that clock had gone on meanwhile. None where
    the device has no clock of its own, or nothing is known of it. `sealed`: the device had proven its key.
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
    """Handshake done, log read up to its head, levels known. `gap_closed`: nothing was lost since the last durable event.

    `authenticated`: it proved its key, and every frame is sealed; False = it is believed as it is. `firmware_sha256`,
    `config_sha256`: as it says them, 64 hex digits; None = it does not.
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
    """Random ranges of its firmware, with a fresh nonce, are those of the approved image with this SHA-256 (64 hex digits)."""

    kind: ClassVar[str] = "firmware_measured"
    serial: str
    boot: str
    sha256: str


class DeviceOffline(Struct, frozen=True):
    """The link is lost; reported once for each loss. `reason`: an id of `drivers.errors.Fault`."""

    kind: ClassVar[str] = "device_offline"
    reason: str
    detail: str = ""


class DeviceSuspect(Struct, frozen=True):
    """No echo of a PING for a while; the device may still be sending. `half_dead`: frames come in, PINGs stay unanswered."""

    kind: ClassVar[str] = "device_suspect"
    half_dead: bool


class DeviceRejected(Struct, frozen=True):
    """The device behind the port is not the one configured, or speaks no version we do; a person must act."""

    kind: ClassVar[str] = "device_rejected"
    reason: str
    detail: str = ""


class EventsLost(Struct, frozen=True):
    """Events `first`..`last` of `boot` can no longer be read; `last` 0 = not known how many.

    `reused`: True where the device's count went back, so that it uses these numbers again: what is lost are its other events
    under them, and one of each may be on record. None = each number was used once.
    """

    kind: ClassVar[str] = "events_lost"
    serial: str
    boot: str
    first: int
    last: int
    reused: bool | None = None


class LevelConfirmed(Struct, frozen=True):
    """The device said, or was read back, that a wanted level holds."""

    kind: ClassVar[str] = "level_confirmed"
    level: Level
    value: str
    operation: int


class LevelUnknown(Struct, frozen=True):
    """The answer to a wanted level was lost: it may or may not hold until it is read back."""

    kind: ClassVar[str] = "level_unknown"
    level: Level
    value: str
    operation: int
    reason: str


class LevelsRead(Struct, frozen=True):
    """A full read of the device's levels that differs from what was known."""

    kind: ClassVar[str] = "levels_read"
    levels: Levels


class LivenessChanged(Struct, frozen=True):
    """Of a device that only speaks. `known` False: it was silent for so long that it may be gone; True: it was heard again."""

    kind: ClassVar[str] = "liveness_changed"
    known: bool


class LinesDamaged(Struct, frozen=True):
    """Of a device that only speaks: so many came since the last such event that were no line, and what they said is gone.

    `not_text`: bytes that no text has; `too_long`: more than `MAX_LINE` characters; `cut_off`: begun and not ended. Not one
    of their bytes is kept: a card may be among them.
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
