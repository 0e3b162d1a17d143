"""Describes a hand in words, and finds the five cards that make it."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final, assert_never

from controller.cards.ranking import ACE, Category, five, ranks
from controller.cards.three import ThreeCard

_ONE: Final = (
    "", "ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace",
)  # fmt: skip
SUITS: Final = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
_TIMES: Final = {
    Category.PAIR: "pair of",
    Category.THREE: "three",
    Category.FOUR: "four",
    Category.FIVE: "five",
    Category.FLUSH_WITH_PAIR: "flush with a pair of",
    Category.FLUSH_WITH_THREE: "flush with three",
    Category.FLUSH_WITH_FOUR: "flush with four",
    Category.FLUSH_WITH_FIVE: "flush with five",
    ThreeCard.PAIR: "pair of",
    ThreeCard.THREE: "three",
}


def kind(value: int) -> Category | ThreeCard:
    """Returns the category of a hand of five, six or three cards, by its value."""
    return ThreeCard(value >> 20) if value >> 20 >= ThreeCard.HIGH_CARD else Category(value >> 20)


def name(of: Category | ThreeCard) -> str:
    """Returns a category's name: `full house`, `flush with three`."""
    return of.name.lower().replace("_", " ")


def describe(value: int) -> str:
    """Returns a hand in words: `full house, kings full of nines`. Equal words mean equal hands."""
    of, told = kind(value), ranks(value)
    match of:
        case Category.HIGH_CARD | ThreeCard.HIGH_CARD:
            return f"{_ONE[told[0]]} high, with {_list(told[1:])}"
        case Category.TWO_PAIRS | Category.FLUSH_WITH_TWO_PAIRS:
            return f"{name(of)}, {_many(told[0])} and {_many(told[1])}, with {_list(told[2:])}"
        case Category.FULL_HOUSE | Category.FLUSH_WITH_FULL_HOUSE:
            return f"{name(of)}, {_many(told[0])} full of {_many(told[1])}"
        case Category.STRAIGHT | Category.STRAIGHT_FLUSH | ThreeCard.STRAIGHT | ThreeCard.STRAIGHT_FLUSH:
            return f"{name(of)}, {_ONE[told[0]]} high"
        case Category.FLUSH | ThreeCard.FLUSH:
            return f"flush, {_list(told)}"
        case Category.ROYAL_FLUSH | Category.SUPER_ROYAL | ThreeCard.ROYAL_FLUSH:
            return name(of)
        case (
            Category.PAIR | Category.THREE | Category.FOUR | Category.FIVE | Category.FLUSH_WITH_PAIR
            | Category.FLUSH_WITH_THREE | Category.FLUSH_WITH_FOUR | Category.FLUSH_WITH_FIVE
            | ThreeCard.PAIR | ThreeCard.THREE
        ):  # fmt: skip
            beside = f", with {_list(told[1:])}" if told[1:] else ""
            return f"{_TIMES[of]} {_many(told[0])}{beside}"
        case _:
            assert_never(of)


def best_five_cards(cards: Sequence[int]) -> tuple[int, ...]:
    """Returns five cards that make the best hand, most telling first; of several the first as given."""
    return in_order(max(combinations(cards, 5), key=five))


def in_order(cards: Sequence[int]) -> tuple[int, ...]:
    """Returns a hand's cards as laid out: most of one rank first, then the highest; a low ace last."""
    held = [card >> 2 for card in cards]
    low_ace = sorted(held) in ([0, 1, 2, 3, ACE - 2], [0, 1, ACE - 2])
    return tuple(
        sorted(
            cards,
            key=lambda card: (held.count(card >> 2), -1 if low_ace and card >> 2 == ACE - 2 else card),
            reverse=True,
        )
    )


def _many(rank: int) -> str:
    return "sixes" if rank == 6 else f"{_ONE[rank]}s"


def _list(told: Sequence[int]) -> str:
    return ", ".join(_ONE[rank] for rank in told)
