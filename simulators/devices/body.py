"""The parts that shuffler and shoe programs work with, and the interface of a program to its machine."""

from random import Random
from typing import Protocol

from drivers.protocol.records import dataclass
from drivers.protocol.reports import (
    Back,
    Capability,
    DeviceKind,
    DispensingAllowed,
    DispensingInhibited,
    Mode,
    StopReason,
)
from simulators.devices.cards import Places, Printer, Witness
from simulators.devices.dispenser import Dispenser
from simulators.devices.hands import RETIRED, Hands
from simulators.devices.model import Emitter, Latch
from simulators.scenario.faults import FaultBook


@dataclass(frozen=True, slots=True)
class CardSettings:
    """Settings of a card device. `plan`: sizes of the stacks, in order; () = it deals none. `backs`: sets on the
    table at first.

    `decks`: in one set. `deals_on`: a set serves many deals. `counts`, `reads`: what the device can say of a set.
    `remembers`: it knows after a power cut what it was doing. `prefix`: of its cards' uids, unique at a table.
    """

    plan: tuple[int, ...] = (2, 2, 2)
    backs: tuple[Back, ...] = (Back.RED, Back.BLUE)
    counts: bool = True
    reads: bool = False
    remembers: bool = False
    prefix: str = "S"
    decks: int = 1
    deals_on: bool = False


class Part(Protocol):
    """A moving part: the shuffle cycle or the dispenser."""

    due: float | None

    @property
    def is_active(self) -> bool:
        """True while the part moves cards."""

    @property
    def is_broken(self) -> bool:
        """True if a person must take the cards out."""

    @property
    def is_jammed(self) -> bool:
        """True while cards are stuck in the part."""

    def advance(self, now: float) -> None:
        """Does the step that was due at `now`."""

    def stop(self, reason: StopReason) -> None:
        """Ends the work early, for this reason."""

    def clear(self) -> None:
        """Makes the part ready again after a person took the cards out."""

    def power_down(self) -> None:
        """Stops moving: the power is gone."""

    def power_up(self, *, remembers: bool) -> None:
        """Starts after a power cut; reports the interrupted work if the device `remembers` it."""


class Body:
    """The parts that a program works with. `inside`: places that count as in the machine, exit first."""

    def __init__(
        self,
        settings: CardSettings,
        inside: tuple[str, ...],
        trays: tuple[str, ...],
        rng: Random,
        faults: FaultBook,
        witness: Witness,
    ) -> None:
        self.settings, self.rng, self.faults = settings, rng, faults
        self.places = inside
        self.cards = Places((*trays, *inside, RETIRED), witness)
        self.hands = Hands(self.cards, Printer(settings.prefix), rng, faults, settings.decks)
        self.emit = Emitter()
        self.gate = Latch(DispensingInhibited, DispensingAllowed, self.emit)
        for back in settings.backs:
            self.hands.bring_deck(back)

    @property
    def inside(self) -> int:
        """How many cards are inside the device."""
        return self.cards.count(*self.places)

    def dispenser(self, source: str) -> Dispenser:
        """Returns a dispenser that takes its cards from this place."""
        reads = self.settings.reads
        return Dispenser(self.cards, source, self.settings.plan, self.faults, self.emit, reads=reads)


class Program(Protocol):
    """What makes a card machine a shuffler or a shoe. `tray`: where sets are loaded. `mouth`: where hands draw, ""
    = nowhere."""

    kind: DeviceKind
    tray: str
    mouth: str
    dispenser: Dispenser
    parts: tuple[Part, ...]

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        """What a device with this program can do, as its WELCOME says."""

    @property
    def occasion(self) -> int:
        """The number of the shuffle or deal under way; faults are armed for an occasion."""

    @property
    def occasion_since(self) -> float:
        """When the occasion began, in seconds of the model."""

    @property
    def mode(self) -> Mode | None:
        """The mode of work; None if the device has no modes."""

    def loaded(self, now: float, *, may_move: bool) -> None:
        """Reacts to cards put into the tray; `may_move`: power is on and the lid is shut."""
        ...

    def green(self, now: float) -> str:
        """Reacts to the green button with the lid shut; returns the display's text."""
        ...

    def set_mode(self, mode: Mode) -> str | None:
        """Changes the mode; returns why not, or None."""
        ...

    def state(self) -> dict[str, object]:
        """Returns the program's part of the device's state."""
