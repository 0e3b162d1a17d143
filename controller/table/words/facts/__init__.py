"""What has happened: past-tense records, the only thing that changes the state and the only thing that is published.

An accepted device report is a fact as it stands; the other facts are what the table concluded from it. Each fact
that carries law names its clauses or its reading. They lie here by subject; everything is read as `facts.Name`.
"""

from msgspec import Struct

from controller.table.words.back_office_news import BACK_OFFICE_NEWS
from controller.table.words.facts.card_sets import (
    CardBurned,
    CutAsked,
    CuttingCardPlaced,
    GamingDayBegan,
    SetBrought,
    SetChecked,
    SetCut,
    SetDisarmed,
    SetInPlay,
    SetRemoved,
    SetShuffledByHand,
    SetSuspected,
    SetTimeCarried,
    ShuffleDirected,
    SpreadRequested,
    StepsAsked,
    StepTaken,
    StoreOpened,
    StubCounted,
    TableIdle,
    Verdict,
)
from controller.table.words.facts.demands import (
    DispositionMade,
    DutyClosed,
    DutyOpened,
    HoldLifted,
    HoldPlaced,
    SomethingElseReported,
)
from controller.table.words.facts.devices import (
    DeviceReturned,
    DeviceTakenOut,
    LevelWanted,
    MethodChanged,
    SecurityAlarm,
)
from controller.table.words.facts.disputes import (
    AlarmCleared,
    AlarmSeen,
    BookmarkNamed,
    ClearingAllowed,
    DisputeClosed,
    DisputeRaised,
)
from controller.table.words.facts.money import (
    BetsClosed,
    DecisionRecorded,
    HandRecorded,
    HandsFound,
    MeterBooked,
    MeterRecorded,
    ProgressiveCounted,
    ProgressiveValidated,
    RoundSettled,
    SettlementCorrected,
    WagerDecided,
    WagerPlaced,
    WagerSettled,
    WagerWithdrawn,
)
from controller.table.words.facts.round import (
    CardsCollected,
    CommunityRevealed,
    DealerCame,
    DealerRevealed,
    DealingAllowed,
    DecisionFailed,
    HandVoided,
    InitialDealCompleted,
    InputRefused,
    NoticePosted,
    RoundBegun,
    RoundEnded,
    RoundVoided,
    TableClosed,
    TableOpened,
)
from controller.table.words.inputs import SERVICE_EVENTS, ServiceEvent
from controller.table.words.link_news import LINK_NEWS
from drivers.events import LINK_EVENTS, REPORTS, LinkEvent, Report

__all__ = [
    "CONCLUSIONS",
    "FACTS",
    "HEALTH",
    "AlarmCleared",
    "AlarmSeen",
    "BetsClosed",
    "BookmarkNamed",
    "CardBurned",
    "CardsCollected",
    "ClearingAllowed",
    "CommunityRevealed",
    "Conclusion",
    "CutAsked",
    "CuttingCardPlaced",
    "DealerCame",
    "DealerRevealed",
    "DealingAllowed",
    "DecisionFailed",
    "DecisionRecorded",
    "DeviceReturned",
    "DeviceTakenOut",
    "DispositionMade",
    "DisputeClosed",
    "DisputeRaised",
    "DutyClosed",
    "DutyOpened",
    "Event",
    "Fact",
    "GamingDayBegan",
    "HandRecorded",
    "HandVoided",
    "HandsFound",
    "HoldLifted",
    "HoldPlaced",
    "InitialDealCompleted",
    "InputRefused",
    "LevelWanted",
    "MeterBooked",
    "MeterRecorded",
    "MethodChanged",
    "NoticePosted",
    "ProgressiveCounted",
    "ProgressiveValidated",
    "RoundBegun",
    "RoundEnded",
    "RoundSettled",
    "RoundVoided",
    "SecurityAlarm",
    "SetBrought",
    "SetChecked",
    "SetCut",
    "SetDisarmed",
    "SetInPlay",
    "SetRemoved",
    "SetShuffledByHand",
    "SetSuspected",
    "SetTimeCarried",
    "SettlementCorrected",
    "ShuffleDirected",
    "SomethingElseReported",
    "SpreadRequested",
    "StepTaken",
    "StepsAsked",
    "StoreOpened",
    "StubCounted",
    "TableClosed",
    "TableIdle",
    "TableOpened",
    "Verdict",
    "WagerDecided",
    "WagerPlaced",
    "WagerSettled",
    "WagerWithdrawn",
]

Conclusion = (
    InputRefused
    | DecisionFailed
    | TableOpened
    | NoticePosted
    | TableClosed
    | RoundBegun
    | WagerPlaced
    | WagerWithdrawn
    | BetsClosed
    | HandsFound
    | ProgressiveCounted
    | ProgressiveValidated
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
    | SomethingElseReported
    | RoundVoided
    | HandVoided
    | WagerDecided
    | WagerSettled
    | SettlementCorrected
    | HandRecorded
    | MeterRecorded
    | MeterBooked
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
    | SpreadRequested
    | StoreOpened
    | ShuffleDirected
    | CutAsked
    | SetCut
    | CuttingCardPlaced
    | CardBurned
    | DealerCame
    | GamingDayBegan
    | TableIdle
    | StepTaken
    | StepsAsked
    | DeviceTakenOut
    | SecurityAlarm
    | DeviceReturned
    | MethodChanged
    | LevelWanted
    | DisputeRaised
    | BookmarkNamed
    | ClearingAllowed
    | DisputeClosed
    | AlarmSeen
    | AlarmCleared
)
CONCLUSIONS: dict[str, type[Conclusion]] = {cls.kind: cls for cls in Conclusion.__args__}

Event = Report | LinkEvent | ServiceEvent | Conclusion


class Fact(Struct, frozen=True):
    """One thing that happened, and to what: a device's name, or `table`."""

    subject: str
    event: Event


FACTS: dict[str, type[Event]] = {**REPORTS, **LINK_EVENTS, **SERVICE_EVENTS, **CONCLUSIONS}

HEALTH = frozenset(
    {
        *LINK_NEWS,
        "device_online", "firmware_measured", "device_offline", "device_suspect", "device_rejected",
        "level_confirmed", "level_unknown", "levels_read", "service_due", "self_test_failed",
        "button_pressed", "powered_up", "checkpoint_signed", "record_checked", "cards_unread",
        "signing_key_changed", "record_day_closed", "segment_copied", "record_pruned", "clock_stepped", "clock_judged",
        "record_room",
        "alarm_raised", "liveness_changed", *BACK_OFFICE_NEWS,
    }
)  # fmt: skip
"""Kinds of the health of devices, links and the record: they go into the `diag` stream, everything else into `main`."""
