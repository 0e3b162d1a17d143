"""A card is a number from 0 to 51: four times its rank (0 a two, 12 an ace) plus its suit (clubs, diamonds, hearts,
spades). Several decks hold the same number several times. People and records write `As`, `Td`, `2c`.
"""

from collections.abc import Iterable
from typing import Annotated

IDENTITY = "identity"
CardNames = Annotated[str, IDENTITY]
"""Cards by their names, as `parse` reads them. The type of every field that tells which card something is, so that the
record can seal it: what is of this type is never stored, sent or logged in the clear before the rules let it out."""

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The name of each card, by its number."""

_NUMBERS = {name: number for number, name in enumerate(NAMES)}


class CardError(ValueError):
    """A text names no card, or one more often than the decks hold it."""


def parse(text: str, decks: int = 1) -> tuple[int, ...]:
    """Returns the cards of a text such as `As Kd 10h`, in order; blanks or commas separate them.

    `decks`: how often a card may occur. Raises `CardError` that names the word and its place, from 1.
    """
    cards: list[int] = []
    for place, word in enumerate(text.replace(",", " ").split(), start=1):
        card = _NUMBERS.get(word[:-1].upper().replace("10", "T") + word[-1].lower())
        if card is None:
            raise CardError(
                f"word {place}, {word!r}, is no card: a card is a rank of A K Q J T 9 8 7 6 5 4 3 2 and a suit of c d h s, "
                "such as Td"
            )
        if cards.count(card) == decks:
            held = "one deck holds it once" if decks == 1 else f"{decks} decks hold it {decks} times"
            raise CardError(f"word {place}, {word!r}, is there too often: {held}")
        cards.append(card)
    return tuple(cards)


def names(cards: Iterable[int]) -> str:
    """Returns the cards as text that `parse` reads: `As Kd`."""
    return " ".join(NAMES[card] for card in cards)


def suit(card: int) -> str:
    """Returns the card's suit, one of `SUITS`."""
    return SUITS[card & 3]


def pips(card: int) -> int:
    """Returns the rank as a number: 2 to 10, jack 11, queen 12, king 13, ace 14."""
    return (card >> 2) + 2


def without(cards: Iterable[int], taken: Iterable[int]) -> tuple[int, ...]:
    """Returns the cards in order, with each of the others removed once."""
    kept = list(cards)
    for card in taken:
        if card in kept:
            kept.remove(card)
    return tuple(kept)
