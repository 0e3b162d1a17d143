"""What people are asked to do, and what they are asked to decide."""

from msgspec import Struct

from controller.rules.named_wagers import word_of
from controller.rules.vocabulary import Action, Role
from controller.table.words.acts import Resolution
from drivers.events import IfAny


class Duty(Struct, frozen=True):
    """What a clause asks people to do, until somebody has done it."""

    id: str
    action: Action
    least_role: Role
    device: IfAny[str]
    back: IfAny[str]
    seat: IfAny[int]
    cite: tuple[str, ...]
    reading: str | None
    wager: str | None = None

    @property
    def word(self) -> str:
        """What is to be done in one word, with the wager that it is about: `settle_trips`, `reshuffle`."""
        return word_of(self.action, self.wager)


class Hold(Struct, frozen=True):
    """Why play stands still, and what a person may answer."""

    id: str
    reason: str
    least_role: Role
    seat: IfAny[int]
    wager: IfAny[str]
    cite: tuple[str, ...]
    reading: str | None
    choices: tuple[Resolution, ...]
    code: str | None = None
