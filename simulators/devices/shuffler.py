"""A hand-forming single-deck shuffler with two sets: shuffle, count, read, deal packets.

While one set is in play the other is shuffled and waits. The green button does what the state asks for: start the
shuffle, start the deal, close the deal. Without a plan it is a batch shuffler: the whole set is taken out.
"""

from random import Random

from drivers.protocol.reports import Capability, DeviceKind, Mode, ModeChanged
from simulators.devices.body import Body, CardSettings, Part
from simulators.devices.cards import Witness, back_of, unseen
from simulators.devices.cycle import FEEDER, RACK, Cycle, Phase
from simulators.devices.dispenser import OUTPUT, TRANSPORT
from simulators.devices.front import HAND, cover_all
from simulators.devices.machine import CardMachine
from simulators.scenario.faults import FaultBook

INFEED = "infeed"
"""The open tray before the feeder: the next set may wait there while another is dealt; it is not in the machine yet."""
INSIDE = (OUTPUT, TRANSPORT, RACK, FEEDER)


def build(
    settings: CardSettings, rng: Random, faults: FaultBook | None = None, witness: Witness = unseen
) -> CardMachine:
    """Returns a shuffler without power, its sets beside it on the table."""
    body = Body(settings, INSIDE, (INFEED,), rng, faults or FaultBook(), witness)
    return CardMachine(body, Shuffler(body))


class Shuffler:
    """The program of the shuffler. An occasion is a shuffle cycle."""

    kind = DeviceKind.SHUFFLER
    tray = INFEED
    mouth = ""

    def __init__(self, body: Body) -> None:
        self._body = body
        has = body.settings
        self.cycle = Cycle(
            body.cards, body.rng, body.faults, body.emit, counts=has.counts, reads=has.reads, decks=has.decks
        )
        self.dispenser = body.dispenser(RACK)
        self.parts: tuple[Part, ...] = (self.cycle, self.dispenser)
        self._mode = Mode.SHUFFLE

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        """What the device can do, as its WELCOME says."""
        has = self._body.settings
        able = [Capability.TWO_SETS]
        able += [Capability.COUNTS_EACH_SHUFFLE] * has.counts
        able += [Capability.READS_CARDS] * has.reads
        able += [Capability.FORMS_HANDS] * bool(has.plan)
        return tuple(able)

    @property
    def mode(self) -> Mode:
        """The mode of work."""
        return self._mode

    @property
    def occasion(self) -> int:
        """The number of the shuffle or deal under way; faults are armed for an occasion."""
        return self.cycle.cycles

    @property
    def occasion_since(self) -> float:
        """When the occasion began, in seconds of the model."""
        return self.cycle.since

    def loaded(self, now: float, *, may_move: bool) -> None:
        """Does nothing: a set in the open tray waits for the button."""

    def green(self, now: float) -> str:
        """Does what the green button does now; returns why it does nothing, or ""."""
        if self.cycle.is_active:
            return "shuffling"
        if self.dispenser.is_active:
            self.dispenser.close()
            self.cycle.spend()
            return ""
        if self.cycle.phase is Phase.READY and self._body.settings.plan:
            return self._start_deal(now)
        if self._body.inside:
            return "take the cards"
        return self._start_shuffle(now)

    def _start_deal(self, now: float) -> str:
        if self._body.gate.closed:
            return "dispensing inhibited"
        self.cycle.spend()
        self.dispenser.start(self.cycle.back, now)
        return ""

    def _start_shuffle(self, now: float) -> str:
        waiting = self._body.cards.cards(INFEED)
        if not waiting:
            return "no cards"
        self._body.cards.move(waiting, FEEDER)
        self.cycle.start(back_of(waiting), self.mode, now)
        return ""

    def set_mode(self, mode: Mode) -> str | None:
        """Changes the mode of work; returns why that is not possible, or None."""
        if self.cycle.is_active:
            return "shuffling"
        if mode is not self._mode:
            self._mode = mode
            self._body.emit(ModeChanged(mode))
        return None

    def state(self) -> dict[str, object]:
        """Returns the phase, the number of shuffles, the mode, and what the front display shows."""
        found = sum(cards == HAND for cards in self.dispenser.taken)
        shows = self.mode is Mode.COVER_ALL and found and not self.dispenser.is_active
        return {
            "phase": self.cycle.phase.value,
            "cycles": self.cycle.cycles,
            "mode": self.mode.value,
            "hands": found if shows else 0,
            "front": cover_all(found) if shows else "",
        }
