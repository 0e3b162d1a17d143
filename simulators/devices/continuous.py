"""A continuous reshuffling device: it shuffles returned cards in by itself, and deals stacks.

Each returned card goes to a random place among those inside, so that the whole set is in random order again.
Putting cards in starts the cycle. The device deals only with the whole set inside and a good last cycle.
"""

from random import Random

from drivers.protocol.reports import Capability, DeviceKind, Mode, ShuffleCompleted, ShuffleStarted
from simulators.devices.body import Body, CardSettings, Part
from simulators.devices.cards import FACES, Witness, back_of, unseen
from simulators.devices.cycle import FEEDER, RACK, Cycle, Phase
from simulators.devices.dispenser import OUTPUT, TRANSPORT
from simulators.devices.machine import CardMachine
from simulators.scenario.faults import FaultBook

TRAY = "infeed"
"""The open tray in which cards wait until the machine stands still; they are not in it yet."""


def build(
    settings: CardSettings, rng: Random, faults: FaultBook | None = None, witness: Witness = unseen
) -> CardMachine:
    """Returns a continuous shoe without power, its set beside it on the table."""
    body = Body(settings, (OUTPUT, TRANSPORT, RACK, FEEDER), (TRAY,), rng, faults or FaultBook(), witness)
    return CardMachine(body, ContinuousShoe(body))


class ContinuousShoe:
    """The program of a continuous shoe. An occasion is a deal."""

    kind = DeviceKind.SHOE
    tray = TRAY
    mouth = RACK

    def __init__(self, body: Body) -> None:
        self._body = body
        has = body.settings
        self.cycle = Cycle(
            body.cards, body.rng, body.faults, body.emit, counts=has.counts, reads=has.reads, decks=has.decks
        )
        self.dispenser = body.dispenser(RACK)
        self.dispenser.before_stack = self._before_stack
        self.parts: tuple[Part, ...] = (self.cycle, self.dispenser)
        self.mode: Mode | None = None

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        """What the device can do, as its WELCOME says."""
        able = [Capability.DISPENSES_STACKS, Capability.RESHUFFLES]
        able += [Capability.COUNTS_EACH_SHUFFLE] * self._body.settings.counts
        able += [Capability.READS_CARDS] * self._body.settings.reads
        return tuple(able)

    @property
    def occasion(self) -> int:
        """The number of the shuffle or deal under way; faults are armed for an occasion."""
        return self.dispenser.deals

    @property
    def occasion_since(self) -> float:
        """When the occasion began, in seconds of the model."""
        return self.dispenser.since

    def loaded(self, now: float, *, may_move: bool) -> None:
        """Shuffles the cards of the tray in if nothing prevents it; otherwise waits for the button."""
        if may_move and not any(part.is_active or part.is_broken for part in self.parts):
            self._shuffle_in(now)

    def _shuffle_in(self, now: float) -> None:
        waiting = self._body.cards.cards(TRAY)
        self._body.cards.move(waiting, FEEDER)
        self.cycle.start(back_of(waiting), Mode.SHUFFLE, now)

    def green(self, now: float) -> str:
        """Does what the green button does now; returns why it does nothing, or ""."""
        if self.cycle.is_active:
            return "shuffling"
        if self.dispenser.is_active:
            self.dispenser.close()
            return ""
        if any(part.is_broken for part in self.parts):
            return "take the cards"
        if self._body.cards.count(TRAY):
            self._shuffle_in(now)
            return ""
        if not (self.cycle.phase is Phase.READY or self._deals_on):
            return "put the cards back"
        if self._body.gate.closed:
            return "dispensing inhibited"
        return self._start_deal(now)

    @property
    def _deals_on(self) -> bool:
        return self._body.settings.deals_on and bool(self._body.cards.count(RACK))

    def _start_deal(self, now: float) -> str:
        self.cycle.spend()
        self.dispenser.start(self.cycle.back, now)
        return ""

    def _before_stack(self, stack: int) -> None:
        """Reports a complete shuffle falsely, if that fault is armed."""
        if self._body.faults.take("cycle_in_deal", self.occasion, stack=stack):
            back, full = self.cycle.back, self._body.settings.decks * len(FACES)
            self._body.emit(ShuffleStarted(back, Mode.SHUFFLE))
            self._body.emit(ShuffleCompleted(back, Mode.SHUFFLE, full, self.cycle.verdict))

    def set_mode(self, mode: Mode) -> str | None:
        """Changes the mode of work; returns why that is not possible, or None."""
        return "it only shuffles and deals"

    def state(self) -> dict[str, object]:
        """Returns the phase of the shuffle and how many shuffles were done."""
        return {"phase": self.cycle.phase.value, "cycles": self.cycle.cycles, "reshuffles": True}
