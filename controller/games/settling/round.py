"""A round of play as it is settled: who wagered what, which cards were seen, what each player answered. Whole cents.

Cards are numbers as in `controller.cards`; `UNREADABLE` stands for one that was dealt and could not be read.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from controller.cards.cards import NAMES, CardError, parse, without
from controller.games.model import Decision
from controller.rules.named_wagers import ConditionWord
from controller.rules.vocabulary import Trigger

UNREADABLE = -1
MOST = 10_000_000_000_000
"""Cents; no wager, meter or limit is larger."""
MOST_SUM = 2**53 - 1
"""Cents; no amount of a settlement is larger, so that each is exact for any reader of JSON. The odds of some rows could be."""
UNREAD = "??"
"""Stands for such a card in a text."""
_AS_WRITTEN = {UNREAD: UNREADABLE} | {name: number for number, name in enumerate(NAMES)}
"""Cards by the names that we write ourselves."""


class Hand(Struct, frozen=True):
    """One seat. `wagers`: cents by wager; `cards`: as dealt; `decisions`: the player's answers in order.

    `played`: the cards chosen to play where a game lets the player choose; `shown`: those of a bonus wager that is settled
    before the rest. `coupons`: face in cents of a match play coupon beside the chips of a wager.
    """

    seat: int
    wagers: Mapping[str, int]
    cards: tuple[int, ...] = ()
    decisions: tuple[Decision, ...] = ()
    played: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    coupons: Mapping[str, int] = field(default_factory=dict)


class Meter(Struct, frozen=True):
    """A progressive meter before the first payment of the round, and what it starts again with, both in cents."""

    cents: int
    reset: int


class Terms(Struct, frozen=True):
    """What the house sets within the document: least and most of a wager, a payout limit of its own, all in cents.

    `unit`: the least amount that is paid; smaller parts go by the breakage rule.
    """

    currency: str = ""
    least: Mapping[str, int] = field(default_factory=dict)
    most: Mapping[str, int] = field(default_factory=dict)
    payout_limit: int | None = None
    unit: int = 1

    @classmethod
    def posted(
        cls, currency: str, limits: Mapping[str, tuple[int, int]], payout_limit: int | None = None, unit: int = 1
    ) -> "Terms":
        """Those of a table. `limits`: by wager, its least and most."""
        least = {wager: low for wager, (low, _) in limits.items()}
        return cls(currency, least, {wager: high for wager, (_, high) in limits.items()}, payout_limit, unit)


class Irregularity(Struct, frozen=True):
    """What happened in the round, in the words of the rulebook. `state`: conditions that held; `seat`: 0 = the table."""

    trigger: Trigger
    state: tuple[ConditionWord, ...] = ()
    seat: int = 0


class Round(Struct, frozen=True):
    """`box`: the cards of the six card bonus. `dealer_played`: which of their cards the dealer plays, where that is set.

    `under_way`: players may still be asked; a hand that has not answered yet is settled as if it plays on.
    `left`: seats whose player left in the round, beside one that `irregularity` names.
    """

    hands: tuple[Hand, ...]
    dealer: tuple[int, ...] = ()
    community: tuple[int, ...] = ()
    box: tuple[int, ...] = ()
    dealer_played: tuple[int, ...] = ()
    meters: Mapping[str, Meter] = field(default_factory=dict)
    irregularity: Irregularity | None = None
    terms: Terms = field(default_factory=Terms)
    id: str = ""
    under_way: bool = False
    left: frozenset[int] = frozenset()


class RoundRefused(Exception):
    """This round cannot be settled as it was given. `seat`, `wager`: 0 and "" where it is about the round itself."""

    def __init__(self, reason: str, seat: int = 0, wager: str = "", cite: tuple[str, ...] = ()) -> None:
        where = ", ".join(filter(None, (f"seat {seat}" if seat else "", wager)))
        clauses = f" [{', '.join(cite)}]" if cite else ""
        super().__init__((f"{where}: " if where else "") + reason + clauses)
        self.reason, self.seat, self.wager, self.cite = reason, seat, wager, cite


def are_of(chosen: Iterable[int], cards: Sequence[int]) -> bool:
    """Whether those of the chosen cards that were read lie in this hand, each as often as it was chosen."""
    read = [card for card in chosen if card != UNREADABLE]
    return len(without(cards, read)) == len(cards) - len(read)


def read_cards(text: str) -> tuple[int, ...]:
    """The cards of a text, one by one, so that an unreadable one keeps its place. Raises `CardError` with word and place."""
    cards = []
    for place, word in enumerate(text.replace(",", " ").split(), start=1):
        try:
            cards.append(_AS_WRITTEN[word] if word in _AS_WRITTEN else parse(word)[0])
        except CardError as exc:
            raise CardError(str(exc).replace("word 1,", f"word {place},", 1)) from exc
    return tuple(cards)
