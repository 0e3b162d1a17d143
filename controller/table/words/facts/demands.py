"""What the rule document demands and what people did about it: dispositions, duties, holds."""

from typing import ClassVar

from msgspec import Struct

from controller.rules.model import Demand
from controller.rules.named_wagers import ConditionWord
from controller.rules.vocabulary import Action, Role, Trigger
from controller.table.words.acts import Resolution
from drivers.events import IfAny


class DispositionMade(Struct, frozen=True):
    """The rule document demands something after an irregularity.

    `silent`: it demands nothing, only readings act. `demands`: all of it, cited.

    `cards`: how many more were found, of cards face up; 0 in the records of earlier versions, where it was one.
    """

    kind: ClassVar[str] = "disposition_made"
    trigger: Trigger
    guards: tuple[ConditionWord, ...]
    round: IfAny[str]
    seat: IfAny[int]
    demands: tuple[Demand, ...]
    cite: tuple[str, ...]
    silent: bool
    rulebook: str
    edition: str
    sha256: str
    says: str
    cards: IfAny[int] = 0


class SomethingElseReported(Struct, frozen=True):
    """A person reported what no row of the rulebook knows. `round`: "" between rounds; `seat`: 0 = none; `note`: what happened.

    `by`, `role`: who said so. The hold that follows cites no clause.
    """

    kind: ClassVar[str] = "something_else_reported"
    round: IfAny[str]
    seat: IfAny[int]
    note: str
    by: str
    role: Role


class DutyOpened(Struct, frozen=True):
    """A demand on a person that blocks the next round. `device`, `back`: what it concerns, "" = the table. `wager`: the one that
    the demand names."""

    kind: ClassVar[str] = "duty_opened"
    duty: str
    action: Action
    least_role: Role
    device: IfAny[str] = ""
    back: IfAny[str] = ""
    seat: IfAny[int] = 0
    cite: tuple[str, ...] = ()
    reading: str | None = None
    wager: str | None = None


class DutyClosed(Struct, frozen=True):
    """A duty is done, or nothing is left to do.

    `by`: the person, the device whose report proves it done, or the rulebook where a later demand leaves nothing to do.

    `role`: of that person, else `device` or `rulebook`.
    """

    kind: ClassVar[str] = "duty_closed"
    duty: str
    action: Action
    by: str
    role: str
    wager: str | None = None


class HoldPlaced(Struct, frozen=True):
    """Play stands still until a person of at least this role has looked. `seat`: of held wagers, 0 = the round.

    `choices`: what the person may decide; a remedy that the document does not allow is not among them. `code`: a stable word
    for why play is held, None in records of earlier versions; docs/codes.md lists all.
    """

    kind: ClassVar[str] = "hold_placed"
    hold: str
    reason: str
    least_role: Role
    seat: IfAny[int] = 0
    wager: IfAny[str] = ""
    cite: tuple[str, ...] = ()
    reading: str | None = None
    choices: tuple[Resolution, ...] = (Resolution.GO_ON, Resolution.VOID)
    code: str | None = None


class HoldLifted(Struct, frozen=True):
    """A person lifted a hold."""

    kind: ClassVar[str] = "hold_lifted"
    hold: str
    resolution: Resolution
    by: str
    role: Role
    reading: str | None = None
    note: IfAny[str] = ""
