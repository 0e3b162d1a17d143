"""What a device can report: the event vocabulary of TDP/1, one frozen record for each kind of event.

Both ends of the wire share these records; their words stand in `words.py`. `REPORTS` maps the stable name of each kind
(journal, MQTT, logs) to its record, `payloads.py` holds the byte layouts. No report tells the order of undealt cards.
"""

from typing import ClassVar

from drivers.protocol.records import dataclass
from drivers.protocol.texts import IfAny
from drivers.protocol.words import (
    ALLOWED,
    ENGAGED,
    INHIBITED,
    RELEASED,
    SAFE_VALUE,
    SIMULATED_VENDOR,
    Activity,
    Back,
    Button,
    Capability,
    Cause,
    Defect,
    DeviceKind,
    Identities,
    JamPlace,
    Level,
    Mode,
    Recognition,
    ResetCause,
    Severity,
    StopReason,
)

__all__ = [
    "ALLOWED",
    "ENGAGED",
    "INHIBITED",
    "RELEASED",
    "REPORTS",
    "SAFE_VALUE",
    "SIMULATED_VENDOR",
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
    "DispensingAllowed",
    "DispensingInhibited",
    "DoorClosed",
    "DoorOpened",
    "FaceUpCard",
    "Identities",
    "JamCleared",
    "JamPlace",
    "Jammed",
    "Level",
    "Levels",
    "LineUnparsed",
    "LockoutEngaged",
    "LockoutReleased",
    "Mode",
    "ModeChanged",
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


@dataclass(frozen=True, slots=True)
class ShuffleStarted:
    """The shuffler began to shuffle the set with this back."""

    kind: ClassVar[str] = "shuffle_started"
    back: Back
    mode: Mode


@dataclass(frozen=True, slots=True)
class ShuffleCompleted:
    """A shuffle cycle ended by itself. `count`: cards counted, 0-65535; None = the device does not count.

    `defects`: of an incomplete set, in the order of `Defect`, as far as the device says; () = it does not say.
    """

    kind: ClassVar[str] = "shuffle_completed"
    back: Back
    mode: Mode
    count: int | None
    identities: Identities
    defects: tuple[Defect, ...] = ()


@dataclass(frozen=True, slots=True)
class ShuffleStopped:
    """A shuffle cycle ended early without a jam. `cards_inside`: 0-65535; None = unknown."""

    kind: ClassVar[str] = "shuffle_stopped"
    back: Back
    reason: StopReason
    cards_inside: int | None


@dataclass(frozen=True, slots=True)
class Jammed:
    """Cards are stuck. `stack`: number of the packet or stack being dealt, from 1; 0 = none."""

    kind: ClassVar[str] = "jammed"
    back: Back
    activity: Activity
    place: JamPlace
    stack: IfAny[int]
    cards_inside: int | None


@dataclass(frozen=True, slots=True)
class JamCleared:
    """The transport moves again. `by_itself`: the device freed it after `tries` attempts (1-255)."""

    kind: ClassVar[str] = "jam_cleared"
    by_itself: bool
    tries: int


@dataclass(frozen=True, slots=True)
class CardsLoaded:
    """A set was put in. `count`: cards; None = the device does not count on loading."""

    kind: ClassVar[str] = "cards_loaded"
    back: Back
    count: int | None


@dataclass(frozen=True, slots=True)
class CardsRemoved:
    """Somebody took cards out by hand. `cards_inside`: cards still sensed; None = the device cannot sense them."""

    kind: ClassVar[str] = "cards_removed"
    cards_inside: int | None


@dataclass(frozen=True, slots=True)
class StackDispensed:
    """One packet or stack left the device and was taken. `stack`: from 1 in each deal; `cards`: 0-255."""

    kind: ClassVar[str] = "stack_dispensed"
    back: Back
    stack: int
    cards: int


@dataclass(frozen=True, slots=True)
class DealStopped:
    """The device stopped dealing, or failed to, without a jam, before stack `stack` was out."""

    kind: ClassVar[str] = "deal_stopped"
    back: Back
    reason: StopReason
    stack: int
    cards_inside: int | None


@dataclass(frozen=True, slots=True)
class DealCompleted:
    """The dealer closed the deal (green button), or the plan was done. `cards_left`: the stub still inside."""

    kind: ClassVar[str] = "deal_completed"
    back: Back
    stacks: int
    cards_left: int | None


@dataclass(frozen=True, slots=True)
class FaceUpCard:
    """A reading device found a card that lies face up."""

    kind: ClassVar[str] = "face_up_card"
    back: Back
    activity: Activity


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """Somebody pressed a button on the device."""

    kind: ClassVar[str] = "button_pressed"
    button: Button


@dataclass(frozen=True, slots=True)
class ModeChanged:
    """The device changed to another mode of work."""

    kind: ClassVar[str] = "mode_changed"
    mode: Mode


@dataclass(frozen=True, slots=True)
class DoorOpened:
    """Somebody opened the device's door or lid."""

    kind: ClassVar[str] = "door_opened"


@dataclass(frozen=True, slots=True)
class DoorClosed:
    """Somebody closed the device's door or lid."""

    kind: ClassVar[str] = "door_closed"


@dataclass(frozen=True, slots=True)
class WagerSensed:
    """A chip came onto a progressive sensor. `locked`: the lock-out was engaged then (a late wager)."""

    kind: ClassVar[str] = "wager_sensed"
    seat: int  # 1-15
    sensor: int  # 1-3
    locked: bool


@dataclass(frozen=True, slots=True)
class WagerRemoved:
    """A chip left a progressive sensor; `locked`: the lock-out was engaged."""

    kind: ClassVar[str] = "wager_removed"
    seat: int
    sensor: int
    locked: bool


@dataclass(frozen=True, slots=True)
class LockoutEngaged:
    """The progressive unit takes no more wagers. `operation`: the command's number if commanded, otherwise 0."""

    kind: ClassVar[str] = "lockout_engaged"
    cause: Cause
    operation: IfAny[int]


@dataclass(frozen=True, slots=True)
class LockoutReleased:
    """The lock-out opened: by command (its operation number), or for another cause (0)."""

    kind: ClassVar[str] = "lockout_released"
    cause: Cause
    operation: IfAny[int]


@dataclass(frozen=True, slots=True)
class DispensingInhibited:
    """The shoe stopped giving out cards: by command (its operation number), or for another cause (0)."""

    kind: ClassVar[str] = "dispensing_inhibited"
    cause: Cause
    operation: IfAny[int]


@dataclass(frozen=True, slots=True)
class DispensingAllowed:
    """The shoe may give out cards again: by command (its operation number), or for another cause (0)."""

    kind: ClassVar[str] = "dispensing_allowed"
    cause: Cause
    operation: IfAny[int]


@dataclass(frozen=True, slots=True)
class SelfTestFailed:
    """The device failed its self-test. `code`: the maker's number, for the technician."""

    kind: ClassVar[str] = "self_test_failed"
    code: int


@dataclass(frozen=True, slots=True)
class ServiceDue:
    """The device asks for service after this many work cycles."""

    kind: ClassVar[str] = "service_due"
    cycles: int


@dataclass(frozen=True, slots=True)
class PoweredUp:
    """First report of a boot. `cards_inside`: cards that the device finds in itself."""

    kind: ClassVar[str] = "powered_up"
    cause: ResetCause
    cards_inside: int | None


@dataclass(frozen=True, slots=True)
class LineUnparsed:
    """A line of an ASCII device that no grammar knows, kept unchanged, at most 128 characters."""

    kind: ClassVar[str] = "line_unparsed"
    text: str


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """One card left a shoe that people deal from. `burned`: the shoe is set to burn cards.

    `repeat_suspected`: it may be the card before, reported twice. `cards_left`: in the shoe; None = unknown.
    """

    kind: ClassVar[str] = "card_drawn"
    back: Back
    recognition: Recognition
    burned: bool
    repeat_suspected: bool
    cards_left: int | None


@dataclass(frozen=True, slots=True)
class CuttingCardSensed:
    """The cutting card came to the mouth of the shoe."""

    kind: ClassVar[str] = "cutting_card_sensed"
    back: Back


@dataclass(frozen=True, slots=True)
class AlarmRaised:
    """A maker-specific alarm. `code`: the maker's number, 0 = none; `text`: at most 128 characters, no card."""

    kind: ClassVar[str] = "alarm_raised"
    severity: Severity
    code: IfAny[int]
    text: IfAny[str]


Report = (
    ShuffleStarted
    | ShuffleCompleted
    | ShuffleStopped
    | Jammed
    | JamCleared
    | CardsLoaded
    | CardsRemoved
    | StackDispensed
    | DealStopped
    | DealCompleted
    | FaceUpCard
    | ButtonPressed
    | ModeChanged
    | DoorOpened
    | DoorClosed
    | WagerSensed
    | WagerRemoved
    | LockoutEngaged
    | LockoutReleased
    | DispensingInhibited
    | DispensingAllowed
    | SelfTestFailed
    | ServiceDue
    | PoweredUp
    | LineUnparsed
    | CardDrawn
    | CuttingCardSensed
    | AlarmRaised
)

REPORTS: dict[str, type[Report]] = {cls.kind: cls for cls in Report.__args__}


@dataclass(frozen=True, slots=True)
class Levels:
    """A device's present levels (answer to GET_STATE; digest on each PONG). None = this kind has no such level."""

    lockout: str | None = None
    dispensing: str | None = None
    mode: Mode | None = None
    jammed: bool = False
    door_open: bool = False
    cards_inside: int | None = None
    wagers: int = 0  # bit 3 * (seat - 1) + (sensor - 1): covered now
    lamps: int = 0  # bit 0 = seat 1 lit
