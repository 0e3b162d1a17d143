"""What lies on the layout in one round: stacks, stub, counted chips."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Layout:
    """The cards of one round as people remember them, in the order in which they came."""

    number: int
    stacks: list[list[str]] = field(default_factory=list)
    stub: list[str] | None = None
    by_hand: list[str] = field(default_factory=list)
    burning: list[str] = field(default_factory=list)
    """The card that is being burned, until it is on record."""
    community: list[str] = field(default_factory=list)
    """Cards for all that were dealt by hand, street by street."""
    street_left: int | None = None
    """Cards that a device has still to give out before they are turned up for all."""
    chips: int | None = None
    miscounted: bool = False
    counts_stub: bool = False
    set_aside: int = 0
    """Cards that lay face up and went to the discard rack."""
    wrong_stacks: dict[int, int] = field(default_factory=dict)
    """Where hands deal: stacks that get so many cards more than planned, by their number from 1."""
    wrong_street: int = 0
    """Cards too many among those that are turned up for all, where they are dealt only then."""
    to_report: list[tuple[str, int, int]] = field(default_factory=list)
    """What was dealt wrong and has to be said: trigger, seat, cards above the plan."""
    cutting_card_seen: bool = False
    hands_told: bool = False
    """The hands that the shuffler found were read off its front."""
    told: set[str] = field(default_factory=set)
    """The areas whose face-up cards, and the meters, that are on record."""
    pays_no_more: bool = False
    """What is left is settled with the round."""
    waiting_since: float | None = None

    @property
    def cards(self) -> list[str]:
        """The ids of all cards on the layout."""
        return [card for stack in (*self.stacks, self.by_hand, self.burning, self.stub or []) for card in stack]
