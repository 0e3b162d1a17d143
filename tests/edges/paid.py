"""What the rows of an elected pay table bring on average, given how often each hand comes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from controller.rules.pay import Bare, FixedSum, Odds, OfMeter, PayHand, Pays, PayTable
from tests.edges.counts import Counts

_H = PayHand
WORDS: dict[str, tuple[PayHand, ...]] = {
    "super_royal_diamonds": (_H.SUPER_ROYAL_DIAMONDS, _H.SUPER_ROYAL, _H.ROYAL_FLUSH, _H.LESS),
    "super_royal": (_H.SUPER_ROYAL, _H.ROYAL_FLUSH, _H.LESS),
    "pair_of_aces and the dealer's aces": (_H.ACES_OF_PLAYER_AND_DEALER, _H.PAIR_OF_ACES),
    "aces_of_hearts_and_diamonds and the dealer's aces": (
        _H.ACES_OF_PLAYER_AND_DEALER, _H.ACES_OF_HEARTS_AND_DIAMONDS, _H.PAIR_OF_ACES,
    ),
    "aces_of_hearts_and_diamonds": (_H.ACES_OF_HEARTS_AND_DIAMONDS, _H.PAIR_OF_ACES),
    "pair_of_jacks_or_better": (_H.JACKS_OR_BETTER, _H.TENS_OR_BETTER, _H.PAIR, _H.LESS),
    "pair_of_tens": (_H.TENS_OR_BETTER, _H.PAIR_OF_TENS, _H.PAIR, _H.LESS),
    "high_card": (_H.LESS,),
    "nothing": (),
}  # fmt: skip
"""How a count is called in the words of the tables, the one that says most first; others by their own name."""


def words(name: str) -> tuple[PayHand, ...]:
    return WORDS.get(name) or ((PayHand(name), _H.LESS) if name in [*PayHand] else ())


@dataclass(frozen=True, slots=True)
class Stake:
    """`cents` of one wager; `sum_keeps`, `meter_keeps`: the wager does not go back beside a fixed sum, a part of a meter.

    `meters`: cents that each shows.
    """

    cents: int = 100
    sum_keeps: bool = False
    meter_keeps: bool = False
    meters: Mapping[str, int] = field(default_factory=dict)


def profit(pays: Pays, stake: Stake) -> Fraction:
    """What the player gains, in wagers. Raises `ValueError` where a person decides."""
    match pays:
        case Odds():
            return Fraction(pays.pays, pays.stake) - pays.keeps
        case FixedSum():
            return Fraction(pays.cents, stake.cents) - stake.sum_keeps
        case OfMeter():
            won = Fraction(pays.per_cent * stake.meters[pays.meter], 100 * stake.cents)
            return won - stake.meter_keeps
        case Bare.PUSH:
            return Fraction(0)
        case Bare.LOSE:
            return Fraction(-1)
        case Bare.ASK:
            raise ValueError("a person decides what this row pays")


def edge(table: PayTable, counts: Counts, deals: int, stake: Stake) -> Fraction:
    """The house's part of one wager; what has no row loses."""
    rows = {hand: profit(row.value, stake) for hand, row in table.rows.items()}
    won, seen = Fraction(0), 0
    for name, many in counts.items():
        told = words(name)
        paid = next((gain for hand, gain in rows.items() if hand in told), Fraction(-1))
        won += paid * many
        seen += many
    return -(won - (deals - seen)) / deals
