"""What people can do with sets of cards and between rounds. Who may do it when stands in `allowed.py`."""

from dataclasses import dataclass
from typing import ClassVar

from controller.rules.vocabulary import Step


@dataclass(frozen=True, slots=True)
class RecordShuffle:
    """A set was shuffled by hand."""

    kind: ClassVar[str] = "record_shuffle"
    back: str


@dataclass(frozen=True, slots=True)
class BringSet:
    """A new set of this back colour came to the table. `preshuffled`: already inspected and shuffled."""

    kind: ClassVar[str] = "bring_set"
    back: str
    preshuffled: bool = False


@dataclass(frozen=True, slots=True)
class ConfirmStep:
    """The next step of opening the table, or of taking it up again, was taken with this set.

    `face_up`: of spreading alone; then nothing is left to be turned up when a player comes.
    """

    kind: ClassVar[str] = "confirm_step"
    back: str
    step: Step
    face_up: bool = False


@dataclass(frozen=True, slots=True)
class IdleTable:
    """There is no play at the open table: its cards are spread, and shown and shuffled before the next round."""

    kind: ClassVar[str] = "idle_table"


@dataclass(frozen=True, slots=True)
class RequestSpread:
    """A player asks to see the set that the shuffler kept while the table stood idle."""

    kind: ClassVar[str] = "request_spread"
    back: str


SetAct = RecordShuffle | BringSet | ConfirmStep | IdleTable | RequestSpread
