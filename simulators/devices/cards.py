"""Real cards for the simulated devices: 52 faces, a back colour, exactly one place each.

A card is a thing: it is brought in once and then only moves. A witness sees every move, so that an observer can
follow each card. Nothing here reaches the wire.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from random import Random

from drivers.protocol.records import dataclass
from drivers.protocol.reports import Back, Defect

RANKS = "23456789TJQKA"
SUITS = "cdhs"
FACES: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 faces in the order of a new deck: by suit, then by rank."""

MARKS = {"worn", "up"}
"""What may stand behind a written card."""

TABLE = "table"
"""The one place outside the device: the layout, the discard rack, the dealer's hands."""
LOST = "lost"
"""Where a card is that nobody at the table knows of: under the table, in a sleeve."""

Witness = Callable[[str, Mapping[str, object]], None]
"""Told what happened, in words, with its particulars."""


def unseen(what: str, particulars: Mapping[str, object]) -> None:
    """A witness that notes nothing."""


class CardError(ValueError):
    """A card is not where it was sought, was brought twice, or is written in no known form."""


@dataclass(frozen=True, slots=True)
class Card:
    """One physical card. `uid`: unique among all simulators of a table; `face`: rank and suit, as `As` or `Td`.

    `worn`: no reader can read it; people can.
    """

    uid: str
    face: str
    back: Back
    face_up: bool = False
    worn: bool = False

    def __str__(self) -> str:
        return f"{self.face}/{self.back}/{self.uid}" + "/worn" * self.worn + "/up" * self.face_up

    @classmethod
    def parse(cls, text: str) -> "Card":
        """Returns the card written by `str(card)`. Raises `CardError`."""
        match text.split("/"):
            case [face, back, uid, *marks] if face in FACES and back in set(Back) and uid and set(marks) <= MARKS:
                return cls(uid, face, Back(back), "up" in marks, "worn" in marks)
            case _:
                raise CardError(f"{text!r} is no card; a card is written like As/red/S1.17")


class Printer:
    """Prints new cards with uids of its own. `prefix`: unique among the table's printers."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._printed = 0

    def card(self, face: str, back: Back) -> Card:
        """Prints a new card with an id of its own."""
        self._printed += 1
        return Card(f"{self._prefix}.{self._printed}", face, back)

    def deck(self, back: Back) -> tuple[Card, ...]:
        """Returns 52 new cards in a new deck's order."""
        return tuple(self.card(face, back) for face in FACES)


def shuffled(cards: Iterable[Card], rng: Random) -> tuple[Card, ...]:
    """Returns the cards in a random order from `rng`, each order equally likely."""
    mixed = list(cards)
    rng.shuffle(mixed)
    return tuple(mixed)


def back_of(cards: Iterable[Card]) -> Back:
    """Returns the back colour of most of a set's cards."""
    return Counter(card.back for card in cards).most_common(1)[0][0]


def read_set(cards: Iterable[Card], back: Back, decks: int = 1) -> tuple[Defect, ...]:
    """Returns what a card reader finds wrong with a set of this back; () = complete and face down.

    A card that is face up or worn shows the reader no face, so it may also count as missing.
    """
    found = list(cards)
    unknown = [card for card in found if card.worn or card.face_up]
    faces = Counter(card.face for card in found if card.back is back and card not in unknown)
    missed = sum(max(0, decks - faces[face]) for face in FACES)
    wrong = {
        Defect.MISSING: missed > len(unknown),
        Defect.EXTRA: len(found) > decks * len(FACES),
        Defect.DUPLICATE: any(number > decks for number in faces.values()),
        Defect.FOREIGN_BACK: any(card.back is not back for card in found),
        Defect.UNREADABLE: any(card.worn for card in found),
        Defect.FLIPPED: any(card.face_up for card in found),
    }
    return tuple(defect for defect, is_so in wrong.items() if is_so)


class Places:
    """Where each card is. Order within a place is physical: index 0 leaves first."""

    def __init__(self, names: Iterable[str], witness: Witness = unseen) -> None:
        self._at: dict[str, list[Card]] = {name: [] for name in (*names, TABLE, LOST)}
        self._where: dict[str, str] = {}
        self._witness = witness

    def cards(self, place: str) -> tuple[Card, ...]:
        """Returns the cards at a place, in their order."""
        return tuple(self._at[place])

    def count(self, *places: str) -> int:
        """Returns how many cards lie at these places together."""
        return sum(len(self._at[place]) for place in places)

    def where(self, card: Card) -> str | None:
        """Returns the card's place; None = never brought in."""
        return self._where.get(card.uid)

    def total(self) -> int:
        """Counts all cards ever brought in."""
        return sum(len(cards) for cards in self._at.values())

    def bring(self, cards: Iterable[Card], to: str = TABLE) -> None:
        """Adds new cards at `to`. Raises `CardError` for a card that exists already."""
        new = list(cards)
        for card in new:
            if card.uid in self._where:
                raise CardError(f"{card} is here already, in {self._where[card.uid]}")
            self._where[card.uid] = to
            self._at[to].append(card)
        self._witness("brought", {"cards": [str(c) for c in new], "to": to})

    def move(self, cards: Iterable[Card], to: str, *, index: int | None = None) -> None:
        """Moves each card to `to`, after those already there or at `index`."""
        moved: dict[str, list[str]] = {}
        for offset, card in enumerate(cards):
            source = self._where.get(card.uid)
            if source is None:
                raise CardError(f"{card} was never brought in")
            self._at[source].remove(card)
            self._at[to].insert(len(self._at[to]) if index is None else index + offset, card)
            self._where[card.uid] = to
            moved.setdefault(source, []).append(str(card))
        for source, names in moved.items():
            self._witness("moved", {"cards": names, "from": source, "to": to})

    def arrange(self, place: str, order: Iterable[Card]) -> None:
        """Reorders the cards of `place`. Raises `CardError` unless they are the same cards."""
        new = list(order)
        if sorted(c.uid for c in new) != sorted(c.uid for c in self._at[place]):
            raise CardError(f"another order of {place} must be the same cards")
        self._at[place] = new
        self._witness("arranged", {"place": place, "cards": [str(c) for c in new]})

    def turn(self, card: Card, *, face_up: bool) -> Card:
        """Turns a card over; returns it as it lies now."""
        turned = self._change(card, replace(card, face_up=face_up))
        self._witness("turned", {"card": str(turned), "place": self._where[card.uid]})
        return turned

    def wear(self, card: Card) -> Card:
        """Makes a card unreadable for readers; returns it."""
        worn = self._change(card, replace(card, worn=True))
        self._witness("worn", {"card": str(worn), "place": self._where[card.uid]})
        return worn

    def _change(self, card: Card, into: Card) -> Card:
        lying = self._at[self._where[card.uid]]
        lying[lying.index(card)] = into
        return into
