"""The shuffling part: cards go one by one from the feeder into random compartments of the rack."""

from collections.abc import Callable
from enum import StrEnum
from random import Random

from drivers.protocol.reports import (
    Activity,
    Back,
    Defect,
    FaceUpCard,
    Identities,
    JamCleared,
    Jammed,
    JamPlace,
    Mode,
    Report,
    ShuffleCompleted,
    ShuffleStarted,
    ShuffleStopped,
    StopReason,
)
from simulators.devices.cards import FACES, Places, read_set
from simulators.devices.dispenser import RETRY_S, TRANSPORT, TRIES
from simulators.scenario.faults import Fault, FaultBook

CYCLE_S = 22.0
"""A whole cycle of 52 cards; single-deck machines are sold with 20 to 45 seconds."""
CARD_S = CYCLE_S / len(FACES)
SLIP_S = 60.0
"""How long the feed may slip before the device gives the cycle up."""

FEEDER, RACK = "feeder", "rack"
RANDOMISING = (Mode.SHUFFLE, Mode.COVER_ALL)


class Phase(StrEnum):
    """How far a shuffle is."""

    IDLE = "idle"
    SHUFFLING = "shuffling"
    SLIPPING = "slipping"  # the feed turns, no card comes
    FREEING = "freeing"
    JAMMED = "jammed"
    STOPPED = "stopped"  # ended early; all cards must come out first
    READY = "ready"  # a whole, randomised set lies in the rack
    SPENT = "spent"  # what lies in the rack may not be dealt: wrong, not randomised, or a stub


class Cycle:
    """Runs one shuffle after another. `counts`, `reads`: what the device can say of a set of `decks`."""

    def __init__(
        self,
        cards: Places,
        rng: Random,
        faults: FaultBook,
        emit: Callable[[Report], None],
        *,
        counts: bool,
        reads: bool,
        decks: int = 1,
    ) -> None:
        self.phase = Phase.IDLE
        self.cycles = 0
        self.since = 0.0
        self.back = Back.UNKNOWN
        self.mode = Mode.SHUFFLE
        self.due: float | None = None
        self._cards, self._rng, self._faults, self._emit = cards, rng, faults, emit
        self._counts, self._reads, self._decks = counts, reads, decks
        self._tries = 0
        self._interrupted = False
        self._unspoiled = Identities.COMPLETE if reads else Identities.NOT_READ
        self.verdict = self._unspoiled

    @property
    def is_active(self) -> bool:
        """True while the shuffle moves cards."""
        return self.phase in (Phase.SHUFFLING, Phase.SLIPPING, Phase.FREEING)

    @property
    def is_jammed(self) -> bool:
        """True while cards are stuck, also while the device frees them."""
        return self.phase in (Phase.JAMMED, Phase.FREEING)

    @property
    def is_broken(self) -> bool:
        """True if a person must take the cards out."""
        return self.phase in (Phase.JAMMED, Phase.STOPPED)

    def start(self, back: Back, mode: Mode, now: float) -> None:
        """Begins a shuffle of the cards in the feeder."""
        self.cycles += 1
        self.since, self.back, self.mode = now, back, mode
        self._emit(ShuffleStarted(back, mode))
        self.phase, self.due = Phase.SHUFFLING, now + CARD_S

    def advance(self, now: float) -> None:
        """Does the step due at `now`; call it only then."""
        match self.phase:
            case Phase.SHUFFLING:
                self._feed_card(now)
            case Phase.SLIPPING:
                self.stop(StopReason.TIMEOUT)
            case Phase.FREEING:
                self._emit(JamCleared(by_itself=True, tries=self._tries))
                self.phase = Phase.SHUFFLING
                self._to_rack()
                self._go_on(now)
            case _:
                self.due = None

    def stop(self, reason: StopReason) -> None:
        """Ends the shuffle early and reports why."""
        self.phase, self.due = Phase.STOPPED, None
        self._emit(ShuffleStopped(self.back, reason, self._inside()))

    def spend(self) -> None:
        """Marks the cards left in the rack as a stub."""
        self.phase = Phase.SPENT if self._inside() else Phase.IDLE

    def clear(self) -> None:
        """Resets after a person took the cards out and shut the lid."""
        if self.phase is Phase.JAMMED:
            self._emit(JamCleared(by_itself=False, tries=TRIES))
        self.phase, self.due = (Phase.STOPPED if self._inside() else Phase.IDLE), None

    def power_down(self) -> None:
        """Stops: a stuck card stays stuck, any other move is not finished."""
        self._interrupted = self.is_active
        self.due = None
        self.phase = Phase.JAMMED if self.is_jammed else Phase.STOPPED if self._inside() else Phase.IDLE

    def power_up(self, *, remembers: bool) -> None:
        """Reports a shuffle that a power cut has ended, if the device `remembers` it."""
        if self._interrupted and remembers:
            self._emit(ShuffleStopped(self.back, StopReason.POWER_LOST, self._inside()))
        self._interrupted = False

    def _inside(self) -> int:
        return self._cards.count(FEEDER, TRANSPORT, RACK)

    def _feed_card(self, now: float) -> None:
        card_number = self._cards.count(RACK) + 1
        card = self._cards.cards(FEEDER)[0]
        if self._faults.take("stop", self.cycles, card=card_number):
            self.stop(StopReason.STOPPED)
            return
        if self._faults.take("timeout", self.cycles, card=card_number):
            self.phase, self.due = Phase.SLIPPING, now + SLIP_S
            return
        self._cards.move([card], TRANSPORT)
        if jam := self._faults.take("jam", self.cycles, card=card_number):
            self._jam(jam, Phase.JAMMED, None)
        elif jam := self._faults.take("jam_self_cleared", self.cycles, card=card_number):
            self._tries = jam.number("tries")
            self._jam(jam, Phase.FREEING, now + self._tries * RETRY_S)
        else:
            self._to_rack()
            self._go_on(now)

    def _jam(self, jam: Fault, phase: Phase, due: float | None) -> None:
        self.phase, self.due = phase, due
        place = JamPlace(jam.text("place"))
        self._emit(Jammed(self.back, Activity.SHUFFLING, place, 0, self._inside()))

    def _to_rack(self) -> None:
        """Puts the card into a random compartment, so that each order is equally likely."""
        (card,) = self._cards.cards(TRANSPORT)
        if self._reads and card.face_up:
            self._emit(FaceUpCard(self.back, Activity.SHUFFLING))
        lying = self._cards.count(RACK)
        self._cards.move([card], RACK, index=self._rng.randint(0, lying) if self.mode in RANDOMISING else lying)

    def _go_on(self, now: float) -> None:
        if self._cards.count(FEEDER):
            self.due = now + CARD_S
        else:
            self._complete()

    def _complete(self) -> None:
        if self.mode is Mode.SORT:
            self._cards.arrange(RACK, sorted(self._cards.cards(RACK), key=lambda card: FACES.index(card.face)))
        count = self._cards.count(RACK)
        if fault := self._faults.take("miscount", self.cycles):
            count = max(0, count + fault.number("by"))
        defects = read_set(self._cards.cards(RACK), self.back, self._decks) if self._reads else ()
        if self._reads and self._faults.take("set_misread", self.cycles):
            defects = tuple(dict.fromkeys((Defect.MISSING, Defect.DUPLICATE, *defects)))
        is_right = not defects and (not self._counts or count == self._decks * len(FACES))
        self.phase = Phase.READY if is_right and self.mode in RANDOMISING else Phase.SPENT
        self.due = None
        self.verdict = Identities.INCOMPLETE if defects else self._unspoiled
        self._emit(ShuffleCompleted(self.back, self.mode, count if self._counts else None, self.verdict, defects))
