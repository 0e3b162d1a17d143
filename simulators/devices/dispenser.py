"""The dealing part, shared by the hand-forming shuffler and the dealing shoe.

Cards leave `source` one by one, gather in the transport, and reach the output when the stack is whole. The next
stack is formed when the last one was taken and dispensing is allowed. Inhibiting stops between two cards; it
cannot take back what is in the output.
"""

from collections.abc import Callable
from enum import StrEnum

from drivers.protocol.reports import (
    Activity,
    Back,
    DealCompleted,
    DealStopped,
    FaceUpCard,
    JamCleared,
    Jammed,
    JamPlace,
    Report,
    StackDispensed,
    StopReason,
)
from simulators.devices.cards import TABLE, Card, Places
from simulators.devices.model import ActImpossible
from simulators.scenario.faults import FaultBook

CARD_S = 0.4
"""Time of one card on its way into a stack: a packet of two in under a second, as hand-forming machines do."""
RETRY_S = 0.8
"""Time of one attempt to free a card."""
TRIES = 3
"""Attempts a device makes before it leaves a jam to hands."""

TRANSPORT, OUTPUT = "transport", "output"


class Deal(StrEnum):
    """How far a deal is."""

    IDLE = "idle"
    FORMING = "forming"
    OFFERED = "offered"  # a whole stack lies in the output
    FREEING = "freeing"  # jammed, trying to free the card by itself
    JAMMED = "jammed"
    STOPPED = "stopped"  # ended early; all cards must come out first


class Dispenser:
    """Deals stacks of the sizes in `plan` from `source`. `reads`: it notices a card that lies face up."""

    def __init__(
        self,
        cards: Places,
        source: str,
        plan: tuple[int, ...],
        faults: FaultBook,
        emit: Callable[[Report], None],
        *,
        reads: bool,
    ) -> None:
        self.plan = plan
        self.deal = Deal.IDLE
        self.deals = 0
        self.since = 0.0
        self.stack = 0
        self.back = Back.UNKNOWN
        self.taken: list[int] = []
        """Cards of each stack of this deal that was taken, as the device believes."""
        self.due: float | None = None
        self.before_stack: Callable[[int], None] = lambda stack: None
        self._cards, self._source, self._faults, self._emit, self._reads = cards, source, faults, emit, reads
        self._allowed = False
        self._size = 0
        self._claimed: int | None = None
        self._tries = 0
        self._interrupted = False

    @property
    def is_active(self) -> bool:
        """True while stacks are formed or offered."""
        return self.deal in (Deal.FORMING, Deal.OFFERED, Deal.FREEING)

    @property
    def is_jammed(self) -> bool:
        """True while cards are stuck, also while the device frees them."""
        return self.deal in (Deal.JAMMED, Deal.FREEING)

    @property
    def is_broken(self) -> bool:
        """True if a person must take the cards out."""
        return self.deal in (Deal.JAMMED, Deal.STOPPED)

    def start(self, back: Back, now: float) -> None:
        """Begins a deal of the set with this back, with its first stack."""
        self.deals += 1
        self.since, self.back, self.stack = now, back, 0
        self.taken.clear()
        self._next_stack(now)

    def allow(self, allowed: bool, now: float) -> None:
        """Lets cards move, or stops them where they are."""
        self._allowed = allowed
        if self.deal is Deal.FORMING:
            self.due = now + CARD_S if allowed else None

    def advance(self, now: float) -> None:
        """Does the step due at `now`; call it only then."""
        match self.deal:
            case Deal.FORMING:
                self._feed_card(now)
            case Deal.FREEING:
                self._emit(JamCleared(by_itself=True, tries=self._tries))
                self.deal = Deal.FORMING
                self._card_is_in(now)
            case _:
                self.due = None

    def take(self, now: float) -> tuple[Card, ...]:
        """Takes the stack from the output. Raises `ActImpossible` if there is none."""
        stack = self._cards.cards(OUTPUT)
        if self.deal is not Deal.OFFERED or not stack:
            raise ActImpossible("no stack lies in the output")
        self._cards.move(stack, TABLE)
        self.taken.append(len(stack) if self._claimed is None else self._claimed)
        self._emit(StackDispensed(self.back, self.stack, self.taken[-1]))
        self._next_stack(now)
        return stack

    def close(self) -> None:
        """Ends the deal: stacks that were not taken return to the top of the stub."""
        taken = self.stack - 1
        self._cards.move((*self._cards.cards(OUTPUT), *self._cards.cards(TRANSPORT)), self._source, index=0)
        self._complete(taken)

    def stop(self, reason: StopReason) -> None:
        """Ends the deal early and reports why."""
        self.deal, self.due = Deal.STOPPED, None
        self._emit(DealStopped(self.back, reason, self.stack, self._inside()))

    def clear(self) -> None:
        """Resets after a person took the cards out and shut the lid."""
        if self.deal is Deal.JAMMED:
            self._emit(JamCleared(by_itself=False, tries=TRIES))
        self.deal, self.due = (Deal.STOPPED if self._inside() else Deal.IDLE), None

    def power_down(self) -> None:
        """Stops: a stuck card stays stuck, any other move is not finished."""
        self._interrupted = self.is_active
        self.due = None
        self.deal = Deal.JAMMED if self.is_jammed else Deal.STOPPED if self._inside() else Deal.IDLE

    def power_up(self, *, remembers: bool) -> None:
        """Reports a deal that a power cut has ended, if the device `remembers` it."""
        if self._interrupted and remembers:
            self._emit(DealStopped(self.back, StopReason.POWER_LOST, self.stack, self._inside()))
        self._interrupted = False

    def _inside(self) -> int:
        return self._cards.count(self._source, TRANSPORT, OUTPUT)

    def _next_stack(self, now: float) -> None:
        if self.stack == len(self.plan):
            self._complete(self.stack)
            return
        self.stack += 1
        self.before_stack(self.stack)
        for name, reason in (("stop_dealing", StopReason.STOPPED), ("fail_to_deal", StopReason.FAILED_TO_DEAL)):
            if self._faults.take(name, self.deals, stack=self.stack):
                self.stop(reason)
                return
        planned = self.plan[self.stack - 1]
        self._size, self._claimed = planned, None
        for name, more in (("double_feed", 1), ("missed_feed", -1)):
            if fault := self._faults.take(name, self.deals, stack=self.stack):
                self._size = planned + more
                self._claimed = planned if fault.text("seen") == "no" else None
        self.deal = Deal.FORMING
        self.due = now + CARD_S if self._allowed else None

    def _feed_card(self, now: float) -> None:
        if not self._cards.count(self._source) or not self._size:
            self.stop(StopReason.FAILED_TO_DEAL)
            return
        is_first = not self._cards.count(TRANSPORT)
        self._cards.move(self._cards.cards(self._source)[:1], TRANSPORT)
        if not (is_first and self._jams(now)):
            self._card_is_in(now)

    def _card_is_in(self, now: float) -> None:
        """Handles a card that reached the transport: reads it, then takes the next one or moves the stack out."""
        forming = self._cards.cards(TRANSPORT)
        if self._reads and forming[-1].face_up:
            self._emit(FaceUpCard(self.back, Activity.DEALING))
        if len(forming) < self._size:
            self.due = now + CARD_S if self._allowed else None
            return
        self._cards.move(forming, OUTPUT)
        self.deal, self.due = Deal.OFFERED, None

    def _jams(self, now: float) -> bool:
        jam = self._faults.take("jam_dealing", self.deals, stack=self.stack)
        fault = jam or self._faults.take("jam_dealing_self_cleared", self.deals, stack=self.stack)
        if fault is None:
            return False
        self._emit(Jammed(self.back, Activity.DEALING, JamPlace.OUTPUT, self.stack, self._inside()))
        self.deal, self.due = Deal.JAMMED, None
        if jam is None:
            self._tries = fault.number("tries")
            self.deal, self.due = Deal.FREEING, now + self._tries * RETRY_S
        return True

    def _complete(self, taken: int) -> None:
        self.deal, self.due = Deal.IDLE, None
        self._emit(DealCompleted(self.back, taken, self._cards.count(self._source)))
