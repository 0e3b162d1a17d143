"""What has happened: past-tense records, the only thing that changes the state and the only thing that is told.

An accepted device report is a fact as it stands; the other facts are what the table concluded from it. Each fact
that carries law names its clauses or its reading.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from controller.games.model import Decision, Street
from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Guard, Method, Role, Trigger
from controller.table.acts import OutOfService, Resolution
from controller.table.inputs import SERVICE_EVENTS, ServiceEvent
from controller.table.played import PlayedRound
from drivers.events import LINK_EVENTS, REPORTS, LinkEvent, Report


@dataclass(frozen=True, slots=True)
class InputRefused:
    """An input that cannot be, in this state. `reason` says what and what to do instead."""

    kind: ClassVar[str] = "input_refused"
    refused: str
    reason: str
    by: str = ""
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DecisionFailed:
    """The software could not decide: play is held until a person looks. `error`: class and text of the exception."""

    kind: ClassVar[str] = "decision_failed"
    input: str
    error: str


@dataclass(frozen=True, slots=True)
class TableOpened:
    kind: ClassVar[str] = "table_opened"
    by: str


@dataclass(frozen=True, slots=True)
class TableClosed:
    kind: ClassVar[str] = "table_closed"
    by: str


@dataclass(frozen=True, slots=True)
class RoundBegun:
    """`game`: the name of the game that is played; "" in records that were made before there was more than one."""

    kind: ClassVar[str] = "round_begun"
    round: str
    number: int
    back: str
    method: Method
    by: str
    game: str = ""


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
class DealingAllowed:
    """A person let the cards out. `resumed`: a deal that had been interrupted goes on."""

    kind: ClassVar[str] = "dealing_allowed"
    by: str
    resumed: bool


@dataclass(frozen=True, slots=True)
class InitialDealCompleted:
    kind: ClassVar[str] = "initial_deal_completed"
    cards_out: int


@dataclass(frozen=True, slots=True)
class DecisionRecorded:
    kind: ClassVar[str] = "decision_recorded"
    seat: int
    decision: Decision
    cents: int
    by: str


@dataclass(frozen=True, slots=True)
class CommunityRevealed:
    kind: ClassVar[str] = "community_revealed"
    street: Street


@dataclass(frozen=True, slots=True)
class DealerRevealed:
    """`qualifies`, `natural`: whether the hand reaches the minimum, or wins at once; absent where the game does not ask."""

    kind: ClassVar[str] = "dealer_revealed"
    qualifies: bool | None = None
    natural: bool | None = None


@dataclass(frozen=True, slots=True)
class RoundSettled:
    kind: ClassVar[str] = "round_settled"
    by: str


@dataclass(frozen=True, slots=True)
class StubCounted:
    """`total`: stub and cards dealt together; `expected`: a full set."""

    kind: ClassVar[str] = "stub_counted"
    back: str
    stub: int
    total: int
    expected: int
    right: bool
    by: str
    cite: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CardsCollected:
    kind: ClassVar[str] = "cards_collected"
    by: str


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """`outcome`: played | void | stopped (no wager was left).

    `marker`: where the dealing marker goes now: a seat, 0 = the dealer; absent where the game has none.
    """

    kind: ClassVar[str] = "round_ended"
    round: str
    outcome: str
    by: str
    marker: int | None = None


@dataclass(frozen=True, slots=True)
class DispositionMade:
    """What the rule document demands here. `silent`: it demands nothing, only readings act. `demands`: all of it, cited."""

    kind: ClassVar[str] = "disposition_made"
    trigger: Trigger
    guards: tuple[Guard, ...]
    round: str
    seat: int
    demands: tuple[Demand, ...]
    cite: tuple[str, ...]
    silent: bool
    rulebook: str
    edition: str
    sha256: str
    says: str


@dataclass(frozen=True, slots=True)
class RoundVoided:
    kind: ClassVar[str] = "round_voided"
    round: str
    cite: tuple[str, ...]
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class HandVoided:
    kind: ClassVar[str] = "hand_voided"
    round: str
    seat: int
    cite: tuple[str, ...]
    reading: str | None = None


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
class DutyOpened:
    """A demand on a person that blocks the next round. `device`, `back`: what it concerns, "" = the table."""

    kind: ClassVar[str] = "duty_opened"
    duty: str
    action: Action
    least_role: Role
    device: str = ""
    back: str = ""
    seat: int = 0
    cite: tuple[str, ...] = ()
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class DutyClosed:
    """`by`: the person, or the device whose report proves it done."""

    kind: ClassVar[str] = "duty_closed"
    duty: str
    action: Action
    by: str
    role: str


@dataclass(frozen=True, slots=True)
class HoldPlaced:
    """Play stands still until a person of at least this role has looked. `seat`: of a held wager, 0 = the round.

    `choices`: what the person may decide; a remedy that the document does not allow is not among them.
    """

    kind: ClassVar[str] = "hold_placed"
    hold: str
    reason: str
    least_role: Role
    seat: int = 0
    wager: str = ""
    cite: tuple[str, ...] = ()
    reading: str | None = None
    choices: tuple[Resolution, ...] = (Resolution.GO_ON, Resolution.VOID)


@dataclass(frozen=True, slots=True)
class HoldLifted:
    kind: ClassVar[str] = "hold_lifted"
    hold: str
    resolution: Resolution
    by: str
    role: Role
    reading: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class SetChecked:
    """The five predicates of an armed set, each by itself. None = this table cannot know."""

    kind: ClassVar[str] = "set_checked"
    back: str
    cycle_complete: bool
    mode_shuffle: bool
    count_right: bool | None
    identities_complete: bool | None


class Verdict(StrEnum):
    """What was found wrong with a set."""

    COUNT = "count"  # a shuffler counted another number of cards
    IDENTITIES = "identities"  # a shuffler read other cards
    STUB = "stub"  # stub and dealt cards together are another number


@dataclass(frozen=True, slots=True)
class SetSuspected:
    """A wrong verdict on a set: the rounds dealt from it since its last good one, oldest first, each with its seats.

    `earlier`: rounds before those, too many to be named here.
    """

    kind: ClassVar[str] = "set_suspected"
    back: str
    verdict: Verdict
    rounds: tuple[PlayedRound, ...]
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class SetDisarmed:
    kind: ClassVar[str] = "set_disarmed"
    back: str
    reason: str


@dataclass(frozen=True, slots=True)
class SetShuffledByHand:
    kind: ClassVar[str] = "set_shuffled_by_hand"
    back: str
    by: str


@dataclass(frozen=True, slots=True)
class SetRemoved:
    kind: ClassVar[str] = "set_removed"
    back: str
    by: str


@dataclass(frozen=True, slots=True)
class SetBrought:
    kind: ClassVar[str] = "set_brought"
    back: str
    by: str


@dataclass(frozen=True, slots=True)
class SetInPlay:
    """The time of a set at the table begins: wall clock (microseconds) and monotonic clock (ns) of this `boot`.

    `clock`: what the stamp said of the wall clock (synced | holdover | unsynced).
    """

    kind: ClassVar[str] = "set_in_play"
    back: str
    by: str
    wall_us: int
    mono_ns: int
    boot: str
    clock: str


@dataclass(frozen=True, slots=True)
class SetTimeCarried:
    """The PC was restarted: the time of a set goes on as if it had begun at `mono_ns` of this boot, which may be negative.

    `wall_us`: when it really began.
    """

    kind: ClassVar[str] = "set_time_carried"
    back: str
    wall_us: int
    mono_ns: int
    boot: str
    clock: str


@dataclass(frozen=True, slots=True)
class DeviceTakenOut:
    kind: ClassVar[str] = "device_taken_out"
    device: str
    how: OutOfService
    failed: bool
    by: str


@dataclass(frozen=True, slots=True)
class DeviceReturned:
    kind: ClassVar[str] = "device_returned"
    device: str
    by: str


@dataclass(frozen=True, slots=True)
class MethodChanged:
    kind: ClassVar[str] = "method_changed"
    method: Method
    by: str


@dataclass(frozen=True, slots=True)
class LevelWanted:
    """A level that shall hold at a device from now on; the command goes out after this is durable."""

    kind: ClassVar[str] = "level_wanted"
    device: str
    level: str
    value: str
    operation: int
    because: str


Conclusion = (
    InputRefused
    | DecisionFailed
    | TableOpened
    | TableClosed
    | RoundBegun
    | WagerPlaced
    | WagerWithdrawn
    | BetsClosed
    | ProgressiveCounted
    | DealingAllowed
    | InitialDealCompleted
    | DecisionRecorded
    | CommunityRevealed
    | DealerRevealed
    | RoundSettled
    | StubCounted
    | CardsCollected
    | RoundEnded
    | DispositionMade
    | RoundVoided
    | HandVoided
    | WagerDecided
    | DutyOpened
    | DutyClosed
    | HoldPlaced
    | HoldLifted
    | SetChecked
    | SetSuspected
    | SetDisarmed
    | SetShuffledByHand
    | SetRemoved
    | SetBrought
    | SetInPlay
    | SetTimeCarried
    | DeviceTakenOut
    | DeviceReturned
    | MethodChanged
    | LevelWanted
)
CONCLUSIONS: dict[str, type[Conclusion]] = {cls.kind: cls for cls in Conclusion.__args__}

Event = Report | LinkEvent | ServiceEvent | Conclusion


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that happened, and to what: a device's name, or `table`."""

    subject: str
    event: Event


FACTS: dict[str, type[Event]] = {**REPORTS, **LINK_EVENTS, **SERVICE_EVENTS, **CONCLUSIONS}

HEALTH = frozenset(
    {
        "device_online", "device_offline", "device_suspect", "device_rejected", "level_confirmed", "level_unknown",
        "levels_read", "service_due", "self_test_failed", "broker_changed", "button_pressed", "powered_up",
    }
)  # fmt: skip
"""Kinds of device and link health: they go into the `diag` stream, everything else into `main`."""
