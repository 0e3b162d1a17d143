"""Acts about what went wrong: an irregularity is reported, a duty is done, a hold is lifted."""

from enum import StrEnum
from typing import ClassVar

from controller.rules.vocabulary import Trigger
from controller.table.words.acts.act import Act
from drivers.events import IfAny


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


class ReportIrregularity(Act, frozen=True):
    """What a person saw. `trigger`: an irregularity of the vocabulary; `seat`: 0 = none; `cards`: how many, from 1; where a
    device has reported cards face up, the number of all.

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
    seat: IfAny[int] = 0
    cards: int = 1
    completable: bool = False
    too_many: bool = False
    at_dealer: bool = False
    back: IfAny[str] = ""
    note: IfAny[str] = ""
    in_box: bool = False
    on_purpose: bool = False


class ConfirmDuty(Act, frozen=True):
    """What a duty asks for is done. `duty`: its number, such as D6."""

    kind: ClassVar[str] = "confirm_duty"
    duty: str


class ResolveHold(Act, frozen=True):
    """`note`: what the person found, for the record; at most 500 characters."""

    kind: ClassVar[str] = "resolve_hold"
    hold: str
    resolution: Resolution
    note: IfAny[str] = ""
