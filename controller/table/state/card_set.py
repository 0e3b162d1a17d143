"""One set of cards at the table: what is known of it, and what is still to be done before it is dealt."""

from enum import Enum

from msgspec import Struct

from controller.rules.parts import ProcedureStep
from controller.rules.vocabulary import Step
from controller.table.words.inputs import Moment
from controller.table.words.procedure import Procedure
from controller.table.words.rounds_since_check import NOTHING_PLAYED, PlayedSince
from drivers.events import Defect


class GamingDay(Struct, frozen=True):
    """The last gaming day on record; `begins_us`: Unix time, microseconds; the others on the clock of that `boot`."""

    day: str
    begins_us: int
    begins_ns: int
    ends_ns: int
    boot: str


PROVEN = (Step.SHUFFLE, Step.CUT)
"""Steps that no act confirms by name: a report of the device, or an act of its own, shows the shuffle and the cut."""


class Cut(Enum):
    """How far the cut of a set has come since its shuffle."""

    NONE = "none"  # none is due, and none was made
    DUE = "due"  # it was shuffled in a way that a cut follows
    MARK_DUE = "mark_due"  # it was cut, and the dealer still puts the cutting card into it
    MADE = "made"


class CardSet(Struct, frozen=True):
    """One set by its back colour, with the predicates of an armed set. None = cannot be known at this table.

    `defects`: what the device that read its cards found wrong with them.
    `since`: when it came to the table; `due`: it has been there for its longest time. `uncounted`, `unread`: rounds
    played with it since it was last counted right, and since its cards were last read and complete (None: never read).
    `in_shoe`: rounds were dealt from it since its shuffle, and the next one may be too.
    `steps`: what is left of `procedure`, in order; `stepped_by`: who took the last one. `preshuffled`: it came inspected
    and shuffled, and nothing has been done with it since. `gone`:
    cards that have left the shoe since the shuffle, as far as they are counted.
    `since_count`: rounds with it since its own stub was last counted; `since_any_count`: since that of any set of the table.
    `opened`: shuffled and kept in a shuffler whose door was open since. `face_up_asked`: a player wants to see it spread face up.
    """

    back: str
    present: bool = True
    cycle_complete: bool = False
    mode_shuffle: bool = False
    count_right: bool | None = None
    identities_complete: bool | None = None
    defects: tuple[Defect, ...] = ()
    by_hand: bool = False
    since: Moment | None = None
    due: bool = False
    in_shoe: bool = False
    uncounted: PlayedSince = NOTHING_PLAYED
    unread: PlayedSince | None = None
    procedure: Procedure | None = None
    steps: tuple[ProcedureStep, ...] = ()
    stepped_by: str = ""
    preshuffled: bool = False
    cut: Cut = Cut.NONE
    gone: int = 0
    since_count: int = 0
    since_any_count: int = 0
    opened: bool = False
    face_up_asked: bool = False

    @property
    def cut_due(self) -> bool:
        """A cut comes next."""
        return self.cut is Cut.DUE

    @property
    def mark_due(self) -> bool:
        """The cutting card comes next."""
        return self.cut is Cut.MARK_DUE

    @property
    def was_cut(self) -> bool:
        """It was cut, whether or not the cutting card is in it yet."""
        return self.cut in (Cut.MARK_DUE, Cut.MADE)

    @property
    def armed(self) -> bool:
        """Complete cycle, in a shuffling mode, and neither count nor identities known to be wrong."""
        known_bad = self.count_right is False or self.identities_complete is False
        return self.present and self.cycle_complete and self.mode_shuffle and not known_bad

    @property
    def number_right(self) -> bool | None:
        """Whether all its cards are there: as they were counted; where nothing counted them, as each was read."""
        return self.identities_complete if self.count_right is None else self.count_right

    @property
    def found_out(self) -> str:
        """How it is known that cards of it are missing or too many, for people; "" where it is not."""
        by = "read" if self.count_right is None else "counted"
        return f"the {self.back} set was {by} and is not whole" if self.number_right is False else ""

    @property
    def next_step(self) -> ProcedureStep | None:
        """The step that is to be taken now, None where none is left."""
        return self.steps[0] if self.present and self.steps else None

    @property
    def waits(self) -> ProcedureStep | None:
        """The step that somebody must confirm before betting opens; the shuffle may still be on its way by then."""
        step = self.next_step
        return step if step is not None and step.step not in PROVEN else None
