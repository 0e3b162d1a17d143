"""What people do with cards around a device: bring, wash, load, take away, find again.

Faults about the cards themselves happen here, because hands, not machines, lose and turn cards.
"""

from collections.abc import Mapping
from random import Random

from drivers.protocol.reports import Back
from simulators.devices.cards import FACES, LOST, TABLE, Card, CardError, Places, Printer, shuffled
from simulators.devices.model import ActImpossible, Done
from simulators.scenario.faults import FaultBook

RETIRED = "retired"
"""Sets that were taken off the table for good."""


def colour(given: Mapping[str, object]) -> Back:
    """Returns the back colour in an act's arguments. Raises `ActImpossible`."""
    try:
        return Back(str(given.get("back")))
    except ValueError:
        raise ActImpossible(f"back must be one of {', '.join(Back)}") from None


class Hands:
    """Acts with cards outside the device. `table`: the place of all cards neither in the device nor lost."""

    def __init__(self, cards: Places, printer: Printer, rng: Random, faults: FaultBook, decks: int = 1) -> None:
        self._cards, self._printer, self._rng, self._faults, self._decks = cards, printer, rng, faults, decks

    def act(self, name: str, given: Mapping[str, object]) -> Done | None:
        """Does an act away from the device; returns None if `name` is no such act."""
        match name:
            case "bring_deck":
                return Done(cards=self.bring_deck(colour(given)))
            case "retire":
                return Done(cards=self.retire(colour(given)))
            case "wash":
                self.wash(colour(given))
                return Done()
            case "find_lost":
                return Done(cards=self.find_lost())
            case _:
                return None

    def bring_deck(self, back: Back) -> tuple[Card, ...]:
        """Brings a new set, each deck in a new deck's order."""
        deck = [card for _ in range(self._decks) for card in self._printer.deck(back)]
        self._cards.bring(deck)
        return tuple(deck)

    def retire(self, back: Back) -> tuple[Card, ...]:
        """Takes the set of this colour off the table, found lost cards included."""
        gone = tuple(c for c in self._cards.cards(TABLE) if c.back is back)
        if not gone:
            raise ActImpossible(f"no {back} card lies on the table")
        self._cards.move(gone, RETIRED)
        return gone

    def wash(self, back: Back) -> None:
        """Mixes one set's cards on the table by hand."""
        mine = [c for c in self._cards.cards(TABLE) if c.back is back]
        others = [c for c in self._cards.cards(TABLE) if c.back is not back]
        self._cards.arrange(TABLE, (*others, *shuffled(mine, self._rng)))

    def find_lost(self) -> tuple[Card, ...]:
        """Puts all lost cards back on the table."""
        found = self._cards.cards(LOST)
        self._cards.move(found, TABLE)
        return found

    def load(self, given: Mapping[str, object], tray: str, occasion: int) -> tuple[Card, ...]:
        """Puts cards into `tray`: those of `cards` (as written) or the set `back` on the table.

        Cards from another device are known from then on. Returns the cards that really came to lie in the tray.
        """
        if self._cards.count(tray):
            raise ActImpossible(f"cards lie in the {tray} already")
        chosen = self._chosen(given)
        if not chosen:
            raise ActImpossible("there are no such cards on the table")
        self._cards.move([self._face_down(card) for card in chosen], tray)
        self._spoil(tray, occasion)
        return self._cards.cards(tray)

    def _chosen(self, given: Mapping[str, object]) -> tuple[Card, ...]:
        match given:
            case {"cards": list() as written}:
                return tuple(self._lying(str(text)) for text in written)
            case {"back": str() as back} if back in set(Back):
                return tuple(c for c in self._cards.cards(TABLE) if c.back == back)
            case _:
                raise ActImpossible("load takes cards, a list of written cards, or back, the colour of a set")

    def _lying(self, text: str) -> Card:
        """Returns the card of this name on the table; brings in an unknown one, from another device."""
        try:
            card = Card.parse(text)
        except CardError as exc:
            raise ActImpossible(str(exc)) from exc
        place = self._cards.where(card)
        if place is None:
            self._cards.bring([card])
        elif place != TABLE:
            raise ActImpossible(f"{card} is not on the table but in {place}")
        return next(c for c in self._cards.cards(TABLE) if c.uid == card.uid)

    def _face_down(self, card: Card) -> Card:
        """Turns cards face down, as people load them."""
        return self._cards.turn(card, face_up=False) if card.face_up else card

    def _spoil(self, tray: str, occasion: int) -> None:
        """Applies unseen faults while a set is gathered and loaded; at least one card stays."""
        if fault := self._faults.take("count_low", occasion):
            self._cards.move(self._some(tray, min(fault.number("cards"), self._cards.count(tray) - 1)), LOST)
        if fault := self._faults.take("count_high", occasion):
            back = self._cards.cards(tray)[0].back
            more = [self._printer.card(self._rng.choice(FACES), back) for _ in range(fault.number("cards"))]
            self._cards.bring(more, tray)
        if self._cards.count(tray) > 1 and self._faults.take("identity_wrong", occasion):
            missing, doubled = self._some(tray, 2)
            self._exchange(missing, self._printer.card(doubled.face, doubled.back), tray)
        if self._cards.count(tray) and self._faults.take("foreign_back", occasion):
            (mine,) = self._some(tray, 1)
            other = next(back for back in (Back.GREEN, Back.BLACK) if back is not mine.back)
            self._exchange(mine, self._printer.card(mine.face, other), tray)
        if fault := self._faults.take("unreadable", occasion):
            for card in self._some(tray, min(fault.number("cards"), self._cards.count(tray))):
                self._cards.wear(card)
        if fault := self._faults.take("face_up", occasion):
            for card in self._some(tray, min(fault.number("cards"), self._cards.count(tray))):
                self._cards.turn(card, face_up=True)

    def _exchange(self, card: Card, other: Card, tray: str) -> None:
        self._cards.move([card], LOST)
        self._cards.bring([other], tray)

    def _some(self, tray: str, number: int) -> list[Card]:
        """Returns randomly drawn cards of the tray."""
        return self._rng.sample(self._cards.cards(tray), number)
