"""What a document pays: rows of pay tables, their odds as exact fractions, and limits of a payout. All money is whole cents.

"3 to 2" pays one and a half times the wager and gives the wager back; "3 for 2" pays the same and keeps the wager.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, TypeAlias

from controller.rules.citation import Cited
from drivers.protocol.records import dataclass


class PayHand(StrEnum):
    """What a row of a pay table speaks of. A hand answers to several of these words; the first row that fits pays."""

    SUPER_ROYAL_DIAMONDS = "super_royal_diamonds"  # six cards, ace to nine of one suit
    SUPER_ROYAL = "super_royal"
    ROYAL_FLUSH = "royal_flush"
    STRAIGHT_FLUSH = "straight_flush"
    FOUR_OF_A_KIND = "four_of_a_kind"
    FULL_HOUSE = "full_house"
    FLUSH = "flush"
    STRAIGHT = "straight"
    INSTANT_STRAIGHT_FLUSH = "instant_straight_flush"  # three cards that win at once
    INSTANT_THREE_OF_A_KIND = "instant_three_of_a_kind"
    THREE_OF_A_KIND = "three_of_a_kind"
    TWO_PAIRS = "two_pairs"
    JACKS_OR_BETTER = "jacks_or_better"
    TENS_OR_BETTER = "tens_or_better"
    PAIR_OF_TENS = "pair_of_tens"
    PAIR_OF_NINES = "pair_of_nines"
    SEVENS_TO_NINES = "sevens_to_nines"
    PAIR = "pair"
    LESS = "less"  # whatever has no row of its own
    # two cards
    ACES_OF_PLAYER_AND_DEALER = "aces_of_player_and_dealer"
    ACES_OF_HEARTS_AND_DIAMONDS = "aces_of_hearts_and_diamonds"
    PAIR_OF_ACES = "pair_of_aces"
    ACE_KING_SUITED = "ace_king_suited"
    ACE_QUEEN_OR_JACK_SUITED = "ace_queen_or_jack_suited"
    ACE_KING_UNSUITED = "ace_king_unsuited"
    PAIR_OF_JACKS_TO_KINGS = "pair_of_jacks_to_kings"
    ACE_QUEEN_OR_JACK_UNSUITED = "ace_queen_or_jack_unsuited"
    PAIR_OF_TENS_OR_LESS = "pair_of_tens_or_less"
    # against the dealer
    NATURAL = "natural"
    WIN = "win"  # any hand that beats the dealer's


_H = PayHand
FALLING = (
    (
        _H.SUPER_ROYAL_DIAMONDS, _H.SUPER_ROYAL, _H.ROYAL_FLUSH, _H.STRAIGHT_FLUSH, _H.FOUR_OF_A_KIND, _H.FULL_HOUSE,
        _H.FLUSH, _H.STRAIGHT, _H.INSTANT_STRAIGHT_FLUSH, _H.INSTANT_THREE_OF_A_KIND, _H.THREE_OF_A_KIND, _H.TWO_PAIRS,
        _H.JACKS_OR_BETTER, _H.TENS_OR_BETTER, _H.PAIR_OF_TENS, _H.PAIR_OF_NINES, _H.SEVENS_TO_NINES, _H.PAIR, _H.LESS,
    ),
    (_H.ROYAL_FLUSH, _H.STRAIGHT_FLUSH, _H.THREE_OF_A_KIND, _H.STRAIGHT, _H.FLUSH, _H.PAIR),
    (
        _H.ACES_OF_PLAYER_AND_DEALER, _H.ACES_OF_HEARTS_AND_DIAMONDS, _H.PAIR_OF_ACES, _H.ACE_KING_SUITED,
        _H.ACE_QUEEN_OR_JACK_SUITED, _H.ACE_KING_UNSUITED, _H.PAIR_OF_JACKS_TO_KINGS, _H.ACE_QUEEN_OR_JACK_UNSUITED,
        _H.PAIR_OF_TENS_OR_LESS,
    ),
    (_H.NATURAL, _H.WIN),
)  # fmt: skip
"""Orders in which rows may stand, the highest first: five or six cards, three cards, two cards, against the dealer."""


@dataclass(frozen=True, slots=True)
class Odds:
    """`pays` units for each `stake` units wagered; `keeps`: the wager itself is not given back ("for")."""

    pays: int
    stake: int
    keeps: bool

    def __str__(self) -> str:
        return f"{self.pays} {'for' if self.keeps else 'to'} {self.stake}"


@dataclass(frozen=True, slots=True)
class OfMeter:
    """A part of a progressive meter."""

    per_cent: int
    meter: str

    def __str__(self) -> str:
        return f"{self.per_cent}% of {self.meter}"


@dataclass(frozen=True, slots=True)
class FixedSum:
    """An amount that does not depend on the wager."""

    cents: int

    def __str__(self) -> str:
        return f"sum {self.cents // 100}.{self.cents % 100:02}"


class Bare(StrEnum):
    """A row that pays nothing: the wager stays the player's, is lost, or a person decides and nothing is settled here."""

    PUSH = "push"
    LOSE = "lose"
    ASK = "ask"


Pays: TypeAlias = Odds | OfMeter | FixedSum | Bare

_ODDS = re.compile(r"([1-9]\d*) (to|for) ([1-9]\d*)")
_OF_METER = re.compile(r"(100|[1-9]\d?)% of ([a-z]+)")
_SUM = re.compile(r"sum ([1-9]\d*)\.(\d\d)")


def parse_pays(text: str) -> Pays | None:
    """What a row pays, from its form in the file; None where it is not of that form."""
    if found := _ODDS.fullmatch(text):
        return Odds(int(found[1]), int(found[3]), found[2] == "for")
    if found := _OF_METER.fullmatch(text):
        return OfMeter(int(found[1]), found[2])
    if found := _SUM.fullmatch(text):
        return FixedSum(int(found[1] + found[2]))
    return Bare(text) if text in [*Bare] else None


@dataclass(frozen=True, slots=True)
class PayTable:
    """One printed table. `wager`: what it pays; `table`: its name in the document, or ours where it has none.

    `when`: (reading or house choice, choice) that must be elected. `hands`: only for so many hands in the round.
    `envy_for`: this table pays an envy bonus to each player with a progressive wager of so many cents. `resets`: by meter,
    the least amount in cents at which it starts again.
    """

    wager: str
    table: str
    cite: tuple[str, ...]
    rows: Mapping[PayHand, Cited[Pays]]
    when: tuple[tuple[str, str], ...] = ()
    hands: int | None = None
    envy_for: int | None = None
    resets: Mapping[str, Cited[int]] | None = None

    @property
    def name(self) -> str:
        """Unique in its rulebook: `trips A`, `cover_all 7`, `progressive A envy 100`."""
        return f"{self.wager} {self.table}" + (f" envy {self.envy_for}" if self.envy_for else "")


@dataclass(frozen=True, slots=True)
class PayLimit:
    """What one hand can be paid in one round on several wagers together.

    `applies`: cut | house | ask | not (house: at an amount that the licensee set, at least `least_cents`). `of`: winnings,
    or all that is handed back, wagers included. `or_minimum`: or what the minimum wagers could win, where that is more.
    """

    name: str
    applies: Cited[Literal["cut", "house", "ask", "not"]]
    wagers: Cited[tuple[str, ...]]
    least_cents: Cited[int]
    of: Cited[Literal["winnings", "handed_back"]]
    or_minimum: Cited[bool] | None = None
