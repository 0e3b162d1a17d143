"""What lies on the layout in one round: a player's bet, the stacks that came, the stub, the chips that were counted."""

from dataclasses import dataclass, field

__all__ = ["Bet", "Layout"]


@dataclass(frozen=True, slots=True)
class Bet:
    """What a player puts down. `ante_cents` twice, for Ante and Blind; `trips_cents` 0 = none."""

    ante_cents: int
    trips_cents: int
    progressive: bool


@dataclass(slots=True)
class Layout:
    """What people remember of one round. Cards as written, in the order in which they came."""

    number: int
    stacks: list[list[str]] = field(default_factory=list)
    stub: list[str] | None = None
    by_hand: list[str] = field(default_factory=list)
    chips: int | None = None
    miscounted: bool = False
    counts_stub: bool = False
    set_aside: int = 0
    """Cards that lay face up and went to the discard rack."""
    waiting_since: float | None = None

    @property
    def cards(self) -> list[str]:
        return [card for stack in (*self.stacks, self.by_hand, self.stub or []) for card in stack]
