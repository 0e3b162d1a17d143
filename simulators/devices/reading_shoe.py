"""A shoe that people deal from card by card, and that reads each card: for games of several decks.

It moves nothing, so there is nothing to allow or inhibit. Its key says whether cards are for the game or to be
burned.
"""

from collections.abc import Mapping
from enum import StrEnum
from random import Random

from drivers.protocol.reports import (
    Back,
    Capability,
    CardDrawn,
    CardsLoaded,
    CardsRemoved,
    CuttingCardSensed,
    DeviceKind,
    DoorClosed,
    DoorOpened,
    Level,
    Levels,
    PoweredUp,
    Recognition,
    Report,
    ResetCause,
    SelfTestFailed,
)
from simulators.devices.body import CardSettings
from simulators.devices.cards import FACES, LOST, TABLE, Card, Places, Printer, Witness, back_of, unseen
from simulators.devices.hands import RETIRED, Hands
from simulators.devices.model import ActImpossible, Answer, Done, Emitter, Outcome, number
from simulators.scenario.faults import Fault, FaultBook

MAGAZINE = "magazine"
CUT_PARTS = 4
"""The cutting card lies before the last one of so many parts of the set, where nobody says otherwise."""


class Key(StrEnum):
    """The positions of the shoe's key switch."""

    GAME = "game"
    BURN = "burn"
    DIAGNOSTIC = "diagnostic"


class ReadingShoe:
    """The model of a reading shoe. An occasion is a loaded set. `told`: the last act's cards as read.

    In `told` each card stands with the key's position and the face that was read, "" = none.
    """

    kind = DeviceKind.SHOE

    def __init__(
        self, settings: CardSettings, rng: Random, faults: FaultBook | None = None, witness: Witness = unseen
    ) -> None:
        self.settings, self.faults = settings, faults or FaultBook()
        self.cards = Places((MAGAZINE, RETIRED), witness)
        self.hands = Hands(self.cards, Printer(settings.prefix), rng, self.faults, settings.decks)
        for back in settings.backs:
            self.hands.bring_deck(back)
        self.key = Key.GAME
        self.told: list[tuple[Key, str]] = []
        self.is_on = self.lid_open = False
        self.occasion, self.occasion_since = 0, 0.0
        self._rng = rng
        self._emit = Emitter()
        self._draws = 0
        self._cut_at: int | None = None

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        """What the device can do, as its WELCOME says."""
        able = [Capability.TELLS_DRAWS, Capability.EVENT_LOG, Capability.SENSES_CARDS_INSIDE]
        able += [Capability.READS_CARDS] * self.settings.reads
        return (*able, *[Capability.KEEPS_LOG] * self.settings.remembers)

    def power_up(self, now: float, cause: ResetCause) -> tuple[Report, ...]:
        """Starts the device; returns its first reports."""
        self.is_on, self._emit.muted = True, False
        self._emit(PoweredUp(cause, self._inside))
        if fault := self.faults.take("self_test", self.occasion):
            self._emit(SelfTestFailed(fault.number("code")))
        return self._emit.drain()

    def power_down(self, now: float) -> None:
        """Stops everything that moves: the power is gone."""
        self.is_on, self._emit.muted = False, True

    def step(self, now: float) -> tuple[Report, ...]:
        """Does all steps that are due at `now`, and returns their reports."""
        return ()

    def next_step(self) -> float | None:
        """Returns when the model moves next, in seconds of the model; None: not before somebody acts."""
        return None

    def command(self, level: Level, value: str, operation: int, now: float) -> Answer:
        """Obeys or refuses a command for a level; returns what the device did with it."""
        return Answer(Outcome.REFUSED, False, f"hands deal from this shoe: it has no {level}")

    def host_lost(self, now: float) -> tuple[Report, ...]:
        """Takes the safe state because the host is silent; returns the reports of that."""
        return ()

    def levels(self) -> Levels:
        """Returns the device's levels as it would report them now."""
        return Levels(door_open=self.lid_open, cards_inside=self._inside)

    def state(self) -> dict[str, object]:
        """Returns the device's state for the simulator's socket."""
        return {
            "kind": self.kind.value, "on": self.is_on, "lid_open": self.lid_open, "jammed": False, "deal": "idle",
            "key": self.key.value, "draws": self._draws, "cutting_card": self._cut_at, "tells_draws": True,
            "places": {place: self.cards.count(place) for place in (MAGAZINE, TABLE, LOST, RETIRED)},
        }  # fmt: skip

    @property
    def _inside(self) -> int:
        return self.cards.count(MAGAZINE)

    def act(self, name: str, given: Mapping[str, object], now: float) -> Done:
        """Does what a person does at the device; returns the reports and the cards taken out."""
        self.told = []
        done = self._act(name, given, now)
        return Done(self._emit.drain(), done.cards, done.note)

    def _act(self, name: str, given: Mapping[str, object], now: float) -> Done:
        match name:
            case "load":
                return Done(cards=self._load(given, now))
            case "draw":
                return Done(cards=self._draw(number(given, "cards", 1)))
            case "remove":
                return Done(cards=self._remove())
            case "key" if given.get("to") in set(Key):
                self.key = Key(str(given["to"]))
                return Done()
            case "cutting_card":
                self._cut_at = number(given, "behind")
                return Done()
            case "open_lid" | "close_lid":
                self._lid(is_open=name == "open_lid")
                return Done()
        done = self.hands.act(name, given)
        if done is None:
            raise ActImpossible(f"nobody can do {name!r} like this at a reading shoe")
        return done

    def _load(self, given: Mapping[str, object], now: float) -> tuple[Card, ...]:
        """Loads a set into the magazine, its cutting card near the end."""
        loaded = self.hands.load(given, MAGAZINE, self.occasion + 1)
        self.occasion, self.occasion_since, self._draws = self.occasion + 1, now, 0
        is_missing = self.faults.take("cutting_card_missing", self.occasion)
        self._cut_at = None if is_missing else len(loaded) // CUT_PARTS
        self._emit(CardsLoaded(back_of(loaded), None))
        return loaded

    def _remove(self) -> tuple[Card, ...]:
        out = self.cards.cards(MAGAZINE)
        if not out:
            raise ActImpossible("no cards are in the shoe")
        self.cards.move(out, TABLE)
        self._cut_at = None
        self._emit(CardsRemoved(0))
        return out

    def _draw(self, cards: int) -> tuple[Card, ...]:
        if self._inside < cards:
            raise ActImpossible(f"{self._inside} cards lie in reach")
        return tuple(card for _ in range(cards) for card in self._draw_one())

    def _draw_one(self) -> tuple[Card, ...]:
        """Draws one card, or two that stick; the shoe reports one, none, or one twice."""
        self._draws += 1
        if turned := self._due("key_turned"):
            self.key = Key(turned.text("to"))
        double = self._due("drawn_double")
        out = self.cards.cards(MAGAZINE)[: 2 if double else 1]
        self.cards.move(out, TABLE)
        times = 0 if self._due("drawn_untold") else 1
        times += bool(self._due("told_twice"))
        for _ in range(times):
            self._tell(out[0])
        if self._cut_at is not None and self._inside <= self._cut_at:
            self._cut_at = None
            self._emit(CuttingCardSensed(back_of(out)))
        return out

    def _tell(self, card: Card) -> None:
        face = "" if card.worn or not self.settings.reads else card.face
        if face and self._due("misread"):
            face = self._rng.choice([other for other in FACES if other != face])
        seen = (
            Recognition.READ if face else Recognition.UNREADABLE if self.settings.reads else Recognition.NOT_READ
        )
        self.told.append((self.key, face))
        self._emit(CardDrawn(Back.UNKNOWN, seen, self.key is Key.BURN, False, self._inside))

    def _due(self, name: str) -> Fault | None:
        """Returns a fault due at this draw, by its number in the set or as the next one."""
        by_number = self.faults.take(name, self.occasion, card=self._draws)
        return by_number or self.faults.take(name, self.occasion, card=0)

    def _lid(self, *, is_open: bool) -> None:
        if self.lid_open is is_open:
            raise ActImpossible("the lid is so already")
        self.lid_open = is_open
        self._emit(DoorOpened() if is_open else DoorClosed())
