"""A dealing shoe: a shuffled set goes in, stacks come out by a plan.

The green button starts the deal; dispensing must be allowed. The rest after the plan is the stub.
"""

from random import Random

from drivers.protocol.reports import Capability, DeviceKind, Mode
from simulators.devices.body import Body, CardSettings, Part
from simulators.devices.cards import Witness, back_of, unseen
from simulators.devices.dispenser import OUTPUT, TRANSPORT
from simulators.devices.machine import CardMachine
from simulators.scenario.faults import FaultBook

MAGAZINE = "magazine"


def build(
    settings: CardSettings, rng: Random, faults: FaultBook | None = None, witness: Witness = unseen
) -> CardMachine:
    """Returns a shoe without power, its sets beside it on the table."""
    body = Body(settings, (OUTPUT, TRANSPORT, MAGAZINE), (), rng, faults or FaultBook(), witness)
    return CardMachine(body, Shoe(body))


class Shoe:
    """The program of the dealing shoe. An occasion is a deal."""

    kind = DeviceKind.SHOE
    tray = mouth = MAGAZINE

    def __init__(self, body: Body) -> None:
        self._body = body
        self.dispenser = body.dispenser(MAGAZINE)
        self.parts: tuple[Part, ...] = (self.dispenser,)
        self.mode: Mode | None = None
        self._is_fresh = False

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        """What the device can do, as its WELCOME says."""
        return (Capability.DISPENSES_STACKS,)

    @property
    def occasion(self) -> int:
        """The number of the shuffle or deal under way; faults are armed for an occasion."""
        return self.dispenser.deals

    @property
    def occasion_since(self) -> float:
        """When the occasion began, in seconds of the model."""
        return self.dispenser.since

    def loaded(self, now: float, *, may_move: bool) -> None:
        """Notes that fresh cards were put in: a deal may begin."""
        self._is_fresh = True

    def green(self, now: float) -> str:
        """Does what the green button does now; returns why it does nothing, or ""."""
        if self.dispenser.is_active:
            self.dispenser.close()
            return ""
        waiting = self._body.cards.cards(MAGAZINE)
        may_start = self._is_fresh or self._body.settings.deals_on
        if self.dispenser.is_broken or (waiting and not may_start):
            return "take the cards"
        if not waiting:
            return "no cards"
        if self._body.gate.closed:
            return "dispensing inhibited"
        self._is_fresh = False
        self.dispenser.start(back_of(waiting), now)
        return ""

    def set_mode(self, mode: Mode) -> str | None:
        """Changes the mode of work; returns why that is not possible, or None."""
        return "a shoe only deals"

    def state(self) -> dict[str, object]:
        """Returns nothing: a shoe has no state beside its dispenser's."""
        return {}
