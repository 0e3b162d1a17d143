"""The deal of a round: how far it has come, and the stacks it consists of."""

from enum import Enum

from msgspec import Struct

from controller.rules.vocabulary import Area


class Deal(Enum):
    """How far the first deal of a round has come."""

    NOTHING = "nothing"
    LET_OUT = "let_out"  # cards were allowed to leave the set
    DONE = "done"


class PlannedStack(Struct, frozen=True):
    """`late`: it stays in the device until all players have answered."""

    area: Area
    seat: int
    cards: int
    cite: tuple[str, ...]
    late: bool = False
