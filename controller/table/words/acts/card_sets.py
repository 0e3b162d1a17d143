"""What people can do with sets of cards and between rounds. Who may do it when stands in `table/acts/`."""

from typing import ClassVar

from controller.rules.vocabulary import Step
from controller.table.words.acts.act import Act
from drivers.events import IfAny


class RecordShuffle(Act, frozen=True):
    """A set was shuffled by hand."""

    kind: ClassVar[str] = "record_shuffle"
    back: str


class BringSet(Act, frozen=True):
    """A new set of this back colour came to the table. `preshuffled`: already inspected and shuffled."""

    kind: ClassVar[str] = "bring_set"
    back: str
    preshuffled: bool = False


class ConfirmStep(Act, frozen=True):
    """The next step of opening the table, or of taking it up again, was taken with this set.

    `face_up`: of spreading alone; then nothing is left to be turned up when a player comes.
    Of taking the set that the shuffler kept: `secured`: it alone was kept there, securely; `prepared`: it was released and is
    ready for play. Left out, the confirmation says both.
    """

    kind: ClassVar[str] = "confirm_step"
    back: str
    step: Step
    face_up: bool = False
    secured: bool | None = None
    prepared: bool | None = None


class IdleTable(Act, frozen=True):
    """There is no play at the open table: its cards are spread, and shown and shuffled before the next round."""

    kind: ClassVar[str] = "idle_table"


class RequestSpread(Act, frozen=True):
    """A player asks to see the set that the shuffler kept while the table stood idle, or to have cards spread face up that are
    otherwise spread face down."""

    kind: ClassVar[str] = "request_spread"
    back: str


class DirectShuffle(Act, frozen=True):
    """The floor wants this set shuffled; one that is being dealt from, after its round."""

    kind: ClassVar[str] = "direct_shuffle"
    back: str


class RecordCut(Act, frozen=True):
    """A set was cut. `seat`: of the player who did it, 0 = the dealer; `declined`: seats that would not, in that order.

    `cards`: in front of the cutting or cover card, where somebody counted them.
    """

    kind: ClassVar[str] = "record_cut"
    back: str
    seat: IfAny[int] = 0
    declined: tuple[int, ...] = ()
    cards: int | None = None


class PlaceCuttingCard(Act, frozen=True):
    """After the cut the dealer put the cutting card into the stack. `behind`: cards between it and the back of the stack, where
    somebody counted them."""

    kind: ClassVar[str] = "place_cutting_card"
    back: str
    behind: int | None = None


class PostNotice(Act, frozen=True):
    """A notice was given that this optional wager will be withdrawn."""

    kind: ClassVar[str] = "post_notice"
    wager: str


class Recut(Act, frozen=True):
    """The cut was improper: it is made again before the first card."""

    kind: ClassVar[str] = "recut"
    back: str


class NewDealer(Act, frozen=True):
    """Who says so has taken the dealer's place."""

    kind: ClassVar[str] = "new_dealer"


class BurnCard(Act, frozen=True):
    """A card went unseen into the discard rack, as a new shoe or a new dealer demands."""

    kind: ClassVar[str] = "burn_card"


class TakeSetAway(Act, frozen=True):
    """A set leaves the table, and no new one comes in its place for now."""

    kind: ClassVar[str] = "take_set_away"
    back: str


class ReportSetDue(Act, frozen=True):
    """The house's own time for this set is over, where no clock keeps one that is printed."""

    kind: ClassVar[str] = "report_set_due"
    back: str
