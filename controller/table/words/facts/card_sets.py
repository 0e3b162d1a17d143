"""What has happened to sets of cards: checked, counted, suspected, shuffled, exchanged, and how long they lie there."""

from enum import StrEnum
from typing import ClassVar

from msgspec import Struct

from controller.rules.parts import ProcedureStep
from controller.rules.vocabulary import Step
from controller.table.words.procedure import Procedure
from controller.table.words.rounds_since_check import PlayedRound
from drivers.events import Defect, IfAny


class SetChecked(Struct, frozen=True):
    """A set was checked after its shuffle: four of the five conditions of an armed set. The fifth is its turn.

    Absent: this table cannot know.

    `defects`: what recognition found wrong, as far as the device told it; none of them names a card.
    """

    kind: ClassVar[str] = "set_checked"
    back: str
    cycle_complete: bool
    mode_shuffle: bool
    count_right: bool | None
    identities_complete: bool | None
    defects: tuple[Defect, ...] = ()


class StubCounted(Struct, frozen=True):
    """A person counted the stub.

    `total`: stub and cards dealt together; `expected`: a full set."""

    kind: ClassVar[str] = "stub_counted"
    back: str
    stub: int
    total: int
    expected: int
    right: bool
    by: str
    cite: tuple[str, ...]


class Verdict(StrEnum):
    """What was found wrong with a set."""

    COUNT = "count"  # a shuffler counted another number of cards
    IDENTITIES = "identities"  # a shuffler read other cards
    STUB = "stub"  # stub and dealt cards together are another number


class SetSuspected(Struct, frozen=True):
    """A wrong verdict on a set: the rounds dealt from it since its last good one, oldest first, each with its seats.

    `earlier`: rounds before those, too many to be named here.
    """

    kind: ClassVar[str] = "set_suspected"
    back: str
    verdict: Verdict
    rounds: tuple[PlayedRound, ...]
    earlier: int = 0


class SetDisarmed(Struct, frozen=True):
    """A set may no longer be dealt."""

    kind: ClassVar[str] = "set_disarmed"
    back: str
    reason: str


class SetShuffledByHand(Struct, frozen=True):
    """A person shuffled a set by hand."""

    kind: ClassVar[str] = "set_shuffled_by_hand"
    back: str
    by: str


class SetRemoved(Struct, frozen=True):
    """A person took a set off the table."""

    kind: ClassVar[str] = "set_removed"
    back: str
    by: str


class SetBrought(Struct, frozen=True):
    """A person brought a set to the table.

    `preshuffled`: it came inspected and shuffled. `count_anew`: rounds with the set before it count no more towards the next
    stub count."""

    kind: ClassVar[str] = "set_brought"
    back: str
    by: str
    preshuffled: bool = False
    count_anew: bool = False


class StepsAsked(Struct, frozen=True):
    """The rules demand these steps with a set, in this order, before it is dealt. A list that is asked for anew begins anew."""

    kind: ClassVar[str] = "steps_asked"
    back: str
    procedure: Procedure
    steps: tuple[ProcedureStep, ...]


class StepTaken(Struct, frozen=True):
    """One step of a demanded procedure was taken with a set.

    `by`: the person, or the device whose shuffle it was. `face_up`: of spreading alone; nothing is left to turn up.

    `secured`, `prepared`: the two conditions under which a set that a shuffler kept is not spread, as they were looked at.
    """

    kind: ClassVar[str] = "step_taken"
    back: str
    step: Step
    by: str
    role: str
    cite: tuple[str, ...]
    face_up: bool = False
    secured: bool | None = None
    prepared: bool | None = None


class ShuffleDirected(Struct, frozen=True):
    """A person directed that a set be shuffled."""

    kind: ClassVar[str] = "shuffle_directed"
    back: str
    by: str
    cite: tuple[str, ...]


class CutAsked(Struct, frozen=True):
    """A set is to be cut before its first card. `again`: the first cut did not satisfy `by`."""

    kind: ClassVar[str] = "cut_asked"
    back: str
    by: str
    cite: tuple[str, ...]
    again: bool = False


class SetCut(Struct, frozen=True):
    """A set was cut.

    `seat`: of the player who cut, 0 = the dealer; `declined`: seats that were offered the cut before, in order.

    `cards`: in front of the card that was put in; absent where nobody counted, and then their number was not checked.
    `marks`: the dealer puts the cutting card into the stack next.
    """

    kind: ClassVar[str] = "set_cut"
    back: str
    seat: IfAny[int]
    declined: tuple[int, ...]
    by: str
    cite: tuple[str, ...]
    cards: int | None = None
    marks: bool = False


class CuttingCardPlaced(Struct, frozen=True):
    """The cutting card is in the stack. `behind`: cards between it and the back, absent where nobody counted them."""

    kind: ClassVar[str] = "cutting_card_placed"
    back: str
    by: str
    cite: tuple[str, ...]
    behind: int | None = None


class CardBurned(Struct, frozen=True):
    """The dealer burned a card.

    `because`: new_shoe | new_dealer. It counts among the cards that have left the shoe."""

    kind: ClassVar[str] = "card_burned"
    back: str
    because: str
    by: str
    cite: tuple[str, ...]


class TableIdle(Struct, frozen=True):
    """A person reported that nobody plays at the open table."""

    kind: ClassVar[str] = "table_idle"
    by: str


class SpreadRequested(Struct, frozen=True):
    """A player wants to see a set that could have been dealt as the shuffler kept it, or to see it spread face up."""

    kind: ClassVar[str] = "spread_requested"
    back: str
    by: str
    cite: tuple[str, ...]


class StoreOpened(Struct, frozen=True):
    """This shuffled set lay in the shuffler `device` when its door was opened, or when cards were taken out before their turn.

    An idle table deals it only after it was spread and shuffled like any other.
    """

    kind: ClassVar[str] = "store_opened"
    back: str
    device: str
    cite: tuple[str, ...]


class SetInPlay(Struct, frozen=True):
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


class GamingDayBegan(Struct, frozen=True):
    """A gaming day began: its bounds in Unix time (microseconds) and on the monotonic clock (ns) of this `boot`."""

    kind: ClassVar[str] = "gaming_day_began"
    day: str
    begins_us: int
    ends_us: int
    begins_ns: int
    ends_ns: int
    boot: str


class SetTimeCarried(Struct, frozen=True):
    """The PC was restarted: the time of a set goes on as if it had begun at `mono_ns` of this boot, which may be negative.

    `wall_us`: when it really began.
    """

    kind: ClassVar[str] = "set_time_carried"
    back: str
    wall_us: int
    mono_ns: int
    boot: str
    clock: str
