"""What people can do at the table: imperative records, one for each act. Who may do it when stands in `table/permissions/`."""

from enum import StrEnum
from typing import ClassVar

from msgspec import Struct

from controller.games.model import Decision, Street
from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Method, Trigger
from controller.table.words.acts_card_sets import (
    BringSet,
    BurnCard,
    ConfirmStep,
    DirectShuffle,
    IdleTable,
    NewDealer,
    PlaceCuttingCard,
    PostNotice,
    RecordCut,
    RecordShuffle,
    Recut,
    ReportSetDue,
    RequestSpread,
    SetAct,
    TakeSetAway,
)
from controller.table.words.acts_disputes import (
    AllowClearing,
    CaseAct,
    ClearAlarm,
    CloseDispute,
    NameBookmark,
    RaiseDispute,
    SeeAlarm,
)
from controller.table.words.acts_settlement import (
    CorrectSettlement,
    RecordHand,
    RecordMeter,
    SettleAct,
    SettleWager,
    ValidateProgressive,
)

__all__ = [
    "ACTS",
    "Act",
    "AllowClearing",
    "AnnounceNoMoreBets",
    "BeginRound",
    "BringSet",
    "BurnCard",
    "CaseAct",
    "ChangeMethod",
    "ClearAlarm",
    "CloseDispute",
    "CloseTable",
    "CollectCards",
    "ConfirmDuty",
    "ConfirmStep",
    "CorrectSettlement",
    "Decision",
    "DirectShuffle",
    "EndRound",
    "IdleTable",
    "NameBookmark",
    "NewDealer",
    "OpenTable",
    "OutOfService",
    "Outcome",
    "PlaceCuttingCard",
    "PlaceWager",
    "PostNotice",
    "RaiseDispute",
    "RecordCut",
    "RecordDecision",
    "RecordHand",
    "RecordInitialDeal",
    "RecordMeter",
    "RecordProgressiveCount",
    "RecordShuffle",
    "RecordStubCount",
    "Recut",
    "ReleaseLockout",
    "ReportIrregularity",
    "ReportSetDue",
    "RequestSpread",
    "Resolution",
    "ResolveHold",
    "ReturnDevice",
    "RevealCommunity",
    "RevealDealer",
    "SeeAlarm",
    "SetAct",
    "SettleAct",
    "SettleRound",
    "SettleWager",
    "StartDealing",
    "Street",
    "TakeDeviceOut",
    "TakeSetAway",
    "ValidateProgressive",
    "WithdrawWager",
]


class OutOfService(StrEnum):
    """How a device was taken out of service before another method is used."""

    REMOVED = "removed"
    COVERED = "covered"
    SIGNED = "signed"


class Resolution(StrEnum):
    """What a person decided about a hold."""

    GO_ON = "go_on"
    VOID = "void"
    RETURN_WAGER = "return_wager"
    WAGER_STANDS = "wager_stands"
    WAGER_LOST = "wager_lost"  # of a player who left: the dealer collects it
    STAYS_COLLECTED = "stays_collected"  # what was collected at a fold does not go back
    CENT_TO_PLAYER = "cent_to_player"  # of a sum that cannot be halved
    CENT_TO_HOUSE = "cent_to_house"


class OpenTable(Struct, frozen=True):
    kind: ClassVar[str] = "open_table"


class CloseTable(Struct, frozen=True):
    kind: ClassVar[str] = "close_table"


class BeginRound(Struct, frozen=True):
    """Opens the betting of a round that will be played with the set of this back colour."""

    kind: ClassVar[str] = "begin_round"
    back: str


class PlaceWager(Struct, frozen=True):
    """`cents`: whole cents of the table's currency, 0 = nobody counted the chips: then the round is played without comparing
    amounts, and says so. `player`: a name or number, "" = not known here.

    `coupon`: face in cents of a match play coupon beside the chips, 0 = none.
    """

    kind: ClassVar[str] = "place_wager"
    seat: int
    wager: str
    cents: int
    player: str = ""
    coupon: int = 0


class WithdrawWager(Struct, frozen=True):
    """Takes a wager back before "no more bets", and its coupon with it."""

    kind: ClassVar[str] = "withdraw_wager"
    seat: int
    wager: str


class AnnounceNoMoreBets(Struct, frozen=True):
    kind: ClassVar[str] = "announce_no_more_bets"


class ReleaseLockout(Struct, frozen=True):
    """Opens the progressive again during betting, e.g. after a restart has engaged the lock-out."""

    kind: ClassVar[str] = "release_lockout"


class RecordProgressiveCount(Struct, frozen=True):
    """The progressive chips collected and counted on the layout."""

    kind: ClassVar[str] = "record_progressive_count"
    chips: int


class StartDealing(Struct, frozen=True):
    """Lets the device dispense; also after a restart or a lost link has inhibited it in the middle of a deal."""

    kind: ClassVar[str] = "start_dealing"


class RecordInitialDeal(Struct, frozen=True):
    """Dealing by hand or from a manual shoe: each player and the dealer hold their first cards."""

    kind: ClassVar[str] = "record_initial_deal"


class RecordDecision(Struct, frozen=True):
    """A player's answer. `multiple`: where it places a wager, of the wager that this one is measured by; 0 otherwise."""

    kind: ClassVar[str] = "record_decision"
    seat: int
    decision: Decision
    multiple: int = 0


class RevealCommunity(Struct, frozen=True):
    kind: ClassVar[str] = "reveal_community"
    street: Street


class RevealDealer(Struct, frozen=True):
    """The dealer's hand is turned up. `qualifies`: false where it must reach a minimum and does not.

    `natural`: it wins at once, in a game that knows this; said wrongly, it is said anew until the round is settled.
    """

    kind: ClassVar[str] = "reveal_dealer"
    qualifies: bool = True
    natural: bool = False


class RecordHandsFound(Struct, frozen=True):
    """The hands of this round that the shuffler has found and shows, the dealer's among them."""

    kind: ClassVar[str] = "record_hands_found"
    hands: int


class SettleRound(Struct, frozen=True):
    """All wagers of the round are paid, collected or returned, those too that were not recorded one by one.

    `handed_back`: cents that went to all seats for what was still open; left out, nobody has added them up. A progressive
    wager of which nobody has validated the payout is not paid by this act.
    """

    kind: ClassVar[str] = "settle_round"
    handed_back: int | None = None


class RecordStubCount(Struct, frozen=True):
    """Cards counted in the stub. `misdealt`: the dealer found a hand with a wrong number of cards.

    `all_cards`: count of the whole set once gathered; needed only where the stub does not fit and cards were misdealt.
    `back`: of the set that was counted between two rounds, "" = the last one that was dealt.
    """

    kind: ClassVar[str] = "record_stub_count"
    stub: int
    misdealt: bool = False
    all_cards: int | None = None
    back: str = ""


class CollectCards(Struct, frozen=True):
    """All cards of the round lie in the discard rack, in order."""

    kind: ClassVar[str] = "collect_cards"


class EndRound(Struct, frozen=True):
    kind: ClassVar[str] = "end_round"


class ReportIrregularity(Struct, frozen=True):
    """What a person saw. `trigger`: an irregularity of the vocabulary; `seat`: 0 = none; `cards`: how many, from 1; where a
    device has told of cards face up, how many in all.

    `back`: of an unfit card, the set in which it was found, "" = that of the round, or the last one. `note`: what happened, of
    `something_else`; 1 to 500 characters.

    Of a wrong number of cards: `completable`: the dealer's hand can still be completed, with the next cards, all face down, of a
    set that is whole; `too_many`: more than the hand has.
    Of a wrong number of community cards: `in_box`: it is the box of the Six Card Bonus.
    Of a dealer's card that was seen: `on_purpose`: somebody exposed it, and not by mistake.
    Of the cutting card: `at_dealer`: it showed at no player's hand, but at the dealer's or the community cards.
    """

    kind: ClassVar[str] = "report_irregularity"
    trigger: Trigger
    seat: int = 0
    cards: int = 1
    completable: bool = False
    too_many: bool = False
    at_dealer: bool = False
    back: str = ""
    note: str = ""
    in_box: bool = False
    on_purpose: bool = False


class ConfirmDuty(Struct, frozen=True):
    kind: ClassVar[str] = "confirm_duty"
    duty: str


class ResolveHold(Struct, frozen=True):
    """`note`: what the person found, for the record; at most 500 characters."""

    kind: ClassVar[str] = "resolve_hold"
    hold: str
    resolution: Resolution
    note: str = ""


class TakeDeviceOut(Struct, frozen=True):
    kind: ClassVar[str] = "take_device_out"
    device: str
    how: OutOfService
    failed: bool = True


class ReturnDevice(Struct, frozen=True):
    kind: ClassVar[str] = "return_device"
    device: str


class ChangeMethod(Struct, frozen=True):
    kind: ClassVar[str] = "change_method"
    method: Method


Act = (
    OpenTable
    | CloseTable
    | BeginRound
    | PlaceWager
    | WithdrawWager
    | AnnounceNoMoreBets
    | ReleaseLockout
    | RecordProgressiveCount
    | StartDealing
    | RecordInitialDeal
    | RecordDecision
    | RevealCommunity
    | RevealDealer
    | RecordHandsFound
    | SettleRound
    | RecordStubCount
    | CollectCards
    | EndRound
    | ReportIrregularity
    | ConfirmDuty
    | ResolveHold
    | SetAct
    | SettleAct
    | CaseAct
    | TakeDeviceOut
    | ReturnDevice
    | ChangeMethod
)

ACTS: dict[str, type[Act]] = {cls.kind: cls for cls in Act.__args__}
