"""Real cards for the simulated devices: 52 faces, a back colour, and exactly one place each at any moment.

A card is a thing, not a number: it is brought in once and then only moves. Every movement is told to a witness, so that
an observer can follow each card. Nothing in here ever reaches the wire; the protocol has no message for it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random

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
    """A witness who looks away."""


class CardError(ValueError):
    """A card was asked for where it is not, brought in twice, or written in no known form."""


@dataclass(frozen=True, slots=True)
class Card:
    """One physical card. `uid` is unique among all simulators of a table; `face` is rank and suit, as `As` or `Td`.

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
        """The card written by `str(card)`. Raises `CardError`."""
        match text.split("/"):
            case [face, back, uid, *marks] if face in FACES and back in set(Back) and uid and set(marks) <= MARKS:
                return cls(uid, face, Back(back), "up" in marks, "worn" in marks)
            case _:
                raise CardError(f"{text!r} is no card; a card is written like As/red/S1.17")


class Printer:
    """Prints new cards with uids of its own. `prefix`: no two printers at one table may share it."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._printed = 0

    def card(self, face: str, back: Back) -> Card:
        """Prints a new card with an id of its own."""
        self._printed += 1
        return Card(f"{self._prefix}.{self._printed}", face, back)

    def deck(self, back: Back) -> tuple[Card, ...]:
        """52 new cards in the order of a new deck."""
        return tuple(self.card(face, back) for face in FACES)


def shuffled(cards: Iterable[Card], rng: Random) -> tuple[Card, ...]:
    """The same cards in an order drawn from `rng`, each order equally likely."""
    mixed = list(cards)
    rng.shuffle(mixed)
    return tuple(mixed)


def back_of(cards: Iterable[Card]) -> Back:
    """The back of a set: of most of its cards."""
    return Counter(card.back for card in cards).most_common(1)[0][0]


def read_set(cards: Iterable[Card], back: Back, decks: int = 1) -> tuple[Defect, ...]:
    """What a card reader finds wrong with a whole set of this back; () = each face is there once a deck, face down.

    A card that lies face up or is worn shows the reader no face; it may be one of those that it misses.
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
    """Where each card is. The order within a place is the physical one: index 0 is the card that leaves first."""

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
        """The place of this card; None = never brought in."""
        return self._where.get(card.uid)

    def total(self) -> int:
        """All cards that were ever brought in; nothing ever leaves but to another place."""
        return sum(len(cards) for cards in self._at.values())

    def bring(self, cards: Iterable[Card], to: str = TABLE) -> None:
        """New cards come into being at `to`. Raises `CardError` for a card that is here already."""
        new = list(cards)
        for card in new:
            if card.uid in self._where:
                raise CardError(f"{card} is here already, in {self._where[card.uid]}")
            self._where[card.uid] = to
            self._at[to].append(card)
        self._witness("brought", {"cards": [str(c) for c in new], "to": to})

    def move(self, cards: Iterable[Card], to: str, *, index: int | None = None) -> None:
        """Each card leaves the place it is in and goes to `to`, behind those already there or at `index`."""
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
        """Puts the cards of `place` in another order. Raises `CardError` unless it is the same cards."""
        new = list(order)
        if sorted(c.uid for c in new) != sorted(c.uid for c in self._at[place]):
            raise CardError(f"another order of {place} must be the same cards")
        self._at[place] = new
        self._witness("arranged", {"place": place, "cards": [str(c) for c in new]})

    def turn(self, card: Card, *, face_up: bool) -> Card:
        """Turns a card over where it lies; returns it as it lies now."""
        turned = self._change(card, replace(card, face_up=face_up))
        self._witness("turned", {"card": str(turned), "place": self._where[card.uid]})
        return turned

    def wear(self, card: Card) -> Card:
        """A card that no reader can read any more; returns it as it is now."""
        worn = self._change(card, replace(card, worn=True))
        self._witness("worn", {"card": str(worn), "place": self._where[card.uid]})
        return worn

    def _change(self, card: Card, into: Card) -> Card:
        lying = self._at[self._where[card.uid]]
        lying[lying.index(card)] = into
        return into
