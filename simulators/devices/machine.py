"""A machine that takes in cards: casing, lid, power, dispensing gate and hands, shared by shuffler and shoe.

`CardMachine` is the model. Its `Program` holds what is specific: the green button, the moving parts, the device's
abilities.
"""

from collections.abc import Mapping

from drivers.protocol.reports import (
    ALLOWED,
    INHIBITED,
    Button,
    ButtonPressed,
    Capability,
    CardsLoaded,
    CardsRemoved,
    Cause,
    DoorClosed,
    DoorOpened,
    Level,
    Levels,
    Mode,
    PoweredUp,
    Report,
    ResetCause,
    SelfTestFailed,
    ServiceDue,
    StopReason,
)
from simulators.devices.body import Body, Program
from simulators.devices.cards import FACES, LOST, TABLE, Card, back_of
from simulators.devices.hands import RETIRED
from simulators.devices.model import (
    DISPLAY_CHARS,
    ActImpossible,
    Answer,
    Done,
    Operations,
    Outcome,
    earliest,
    number,
    obey,
)


class CardMachine:
    """The model of a shuffler or a shoe. `_act` and `Hands.act` list what hands can do."""

    def __init__(self, body: Body, program: Program) -> None:
        self.body, self.program = body, program
        self.kind = program.kind
        self.faults = body.faults
        self.display = ""
        self.lid_open = False
        self.is_on = False
        self._emit = body.emit
        self._operations = Operations()

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        """What the device can do, as its WELCOME says."""
        common = [Capability.EVENT_LOG, Capability.SENSES_CARDS_INSIDE]
        keeps = [Capability.KEEPS_LOG] * self.body.settings.remembers
        return (*self.program.capabilities, *common, *keeps)

    @property
    def occasion(self) -> int:
        """The number of the shuffle or deal under way; faults are armed for an occasion."""
        return self.program.occasion

    @property
    def occasion_since(self) -> float:
        """When the occasion began, in seconds of the model."""
        return self.program.occasion_since

    @property
    def deals(self) -> bool:
        """True if the device gives out stacks."""
        return bool(self.body.settings.plan)

    def power_up(self, now: float, cause: ResetCause) -> tuple[Report, ...]:
        """Starts the device; returns its first reports."""
        self.is_on, self._emit.muted = True, False
        self.display = ""
        self._emit(PoweredUp(cause, self.body.inside))
        if self.deals:
            self.body.gate.power_up()
        self.program.dispenser.allow(False, now)
        for part in self.program.parts:
            part.power_up(remembers=self.body.settings.remembers)
        if fault := self.faults.take("self_test", self.occasion):
            self._emit(SelfTestFailed(fault.number("code")))
        return self._emit.drain()

    def power_down(self, now: float) -> None:
        """Stops everything that moves: the power is gone."""
        self.is_on, self._emit.muted = False, True
        for part in self.program.parts:
            part.power_down()

    def next_step(self) -> float | None:
        """Returns when the model moves next, in seconds of the model; None: not before somebody acts."""
        if not self.is_on:
            return None
        timed = self.faults.next_timed(("lid", "service_due"), self.occasion, self.occasion_since)
        return earliest(timed, *(part.due for part in self.program.parts))

    def step(self, now: float) -> tuple[Report, ...]:
        """Does all steps that are due at `now`, and returns their reports."""
        while (due := self.next_step()) is not None and due <= now:
            moving = next((part for part in self.program.parts if part.due == due), None)
            if moving:
                moving.advance(due)
            elif self.faults.take_timed("lid", self.occasion, self.occasion_since, due):
                if not self.lid_open:
                    self._open_lid()
            elif self.faults.take_timed("service_due", self.occasion, self.occasion_since, due):
                self._emit(ServiceDue(self.occasion))
        return self._emit.drain()

    def command(self, level: Level, value: str, operation: int, now: float) -> Answer:
        """Obeys or refuses a command for a level; returns what the device did with it."""
        match level:
            case Level.DISPENSING if self.deals:
                answer = obey(self.body.gate, value, (INHIBITED, ALLOWED), operation, self._operations)
                self.program.dispenser.allow(not self.body.gate.closed, now)
            case Level.MODE if value in set(Mode) and self.program.mode:
                why_not = self.program.set_mode(Mode(value))
                answer = Answer(Outcome.REFUSED if why_not else Outcome.EXECUTED, not why_not, why_not or "")
            case Level.DISPLAY if len(value) <= DISPLAY_CHARS and value.isascii():
                self.display = value
                answer = Answer(Outcome.EXECUTED, True)
            case _:
                answer = Answer(Outcome.REFUSED, False, f"this {self.kind} has no {level} {value!r}")
        return Answer(answer.outcome, answer.holds, answer.text, self._emit.drain())

    def host_lost(self, now: float) -> tuple[Report, ...]:
        """Takes the safe state because the host is silent; returns the reports of that."""
        self.display = ""
        if self.deals:
            self.body.gate.close(Cause.WATCHDOG)
        self.program.dispenser.allow(False, now)
        return self._emit.drain()

    def levels(self) -> Levels:
        """Returns the device's levels as it would report them now."""
        return Levels(
            dispensing=self._dispensing if self.deals else None,
            mode=self.program.mode,
            jammed=any(part.is_jammed for part in self.program.parts),
            door_open=self.lid_open,
            cards_inside=self.body.inside,
        )

    @property
    def _dispensing(self) -> str:
        return INHIBITED if self.body.gate.closed else ALLOWED

    def state(self) -> dict[str, object]:
        """Returns the device's state for the simulator's socket."""
        dispenser = self.program.dispenser
        seen = (*self.body.places, self.program.tray, TABLE, LOST, RETIRED)
        return {
            "kind": self.kind.value,
            "on": self.is_on,
            "dispensing": self._dispensing,
            "display": self.display,
            "lid_open": self.lid_open,
            "jammed": any(part.is_jammed for part in self.program.parts),
            "deal": dispenser.deal.value,
            "stack": dispenser.stack,
            "deals": dispenser.deals,
            "plan": list(dispenser.plan),
            "places": {place: self.body.cards.count(place) for place in seen},
            **self.program.state(),
        }

    def act(self, name: str, given: Mapping[str, object], now: float) -> Done:
        """Does what a person does at the device; returns the reports and the cards taken out."""
        done = self._act(name, given, now)
        return Done((*done.reports, *self._emit.drain()), done.cards, done.note)

    def _act(self, name: str, given: Mapping[str, object], now: float) -> Done:
        match name:
            case "green":
                return Done(note=self._green(now))
            case "load":
                return Done(cards=self._load(given, now))
            case "take":
                self._needs_power()
                return Done(cards=self.program.dispenser.take(now))
            case "draw":
                return Done(cards=self._draw(number(given, "cards", 1)))
            case "remove":
                return Done(cards=self._remove(number(given, "leave", 0)))
            case "unload":
                return Done(cards=self._unload())
            case "open_lid":
                self._open_lid()
                return Done()
            case "close_lid":
                self._close_lid()
                return Done()
            case "mode" if self.program.mode and given.get("mode") in set(Mode):
                self._needs_power()
                return Done(note=self.program.set_mode(Mode(str(given["mode"]))) or "")
            case "plan":
                self._set_plan(given.get("plan"))
                return Done()
        done = self.body.hands.act(name, given)
        if done is None:
            raise ActImpossible(f"nobody can do {name!r} like this at a {self.kind}")
        return done

    def _needs_power(self) -> None:
        if not self.is_on:
            raise ActImpossible("the power is off")

    def _green(self, now: float) -> str:
        self._needs_power()
        self._emit(ButtonPressed(Button.GREEN))
        return "close the lid" if self.lid_open else self.program.green(now)

    def _load(self, given: Mapping[str, object], now: float) -> tuple[Card, ...]:
        if self.program.tray in self.body.places and self.body.inside:
            raise ActImpossible("take the cards out first")
        loaded = self.body.hands.load(given, self.program.tray, self.occasion + 1)
        self._emit(CardsLoaded(back_of(loaded), None))
        self.program.loaded(now, may_move=self.is_on and not self.lid_open)
        return loaded

    def _unload(self) -> tuple[Card, ...]:
        """Takes cards out of the open tray."""
        lying = self.body.cards.cards(self.program.tray)
        if self.program.tray in self.body.places or not lying:
            raise ActImpossible("no cards lie in an open tray")
        self.body.cards.move(lying, TABLE)
        return lying

    def _remove(self, leave: int) -> tuple[Card, ...]:
        """Takes everything inside out, except the last `leave` cards, which are overlooked."""
        parts = self.program.parts
        if any(part.is_active for part in parts) and self.is_on:
            raise ActImpossible("the machine is moving")
        if (any(part.is_broken for part in parts) or not self.is_on) and not self.lid_open:
            raise ActImpossible("open the lid first")
        inside = [card for place in self.body.places for card in self.body.cards.cards(place)]
        out = tuple(inside[: max(len(inside) - leave, 0)])
        if not out:
            raise ActImpossible("no cards are inside")
        self.body.cards.move(out, TABLE)
        self._emit(CardsRemoved(self.body.inside))
        for part in parts:
            if not part.is_broken:
                part.clear()
        return out

    def _draw(self, cards: int) -> tuple[Card, ...]:
        """Draws the next cards by hand from a shoe at rest that is dealt on afterwards."""
        if any(part.is_active or part.is_broken for part in self.program.parts):
            raise ActImpossible("the machine is moving, or waits for its cards to come out")
        lying = self.body.cards.cards(self.program.mouth) if self.program.mouth else ()
        if len(lying) < cards:
            raise ActImpossible(f"{len(lying)} cards lie in reach")
        self.body.cards.move(lying[:cards], TABLE)
        self._emit(CardsRemoved(self.body.inside))
        return lying[:cards]

    def _open_lid(self) -> None:
        """Opens the lid and stops everything that moves."""
        if self.lid_open:
            raise ActImpossible("the lid is open already")
        self.lid_open = True
        self._emit(DoorOpened())
        for part in self.program.parts:
            if part.is_active:
                part.stop(StopReason.COVER_OPEN)

    def _close_lid(self) -> None:
        if not self.lid_open:
            raise ActImpossible("the lid is shut already")
        self.lid_open = False
        self._emit(DoorClosed())
        for part in self.program.parts:
            if part.is_broken:
                part.clear()

    def _set_plan(self, plan: object) -> None:
        """Sets how many stacks of how many cards a deal has; refused during a deal."""
        if not self.deals or self.program.dispenser.is_active:
            raise ActImpossible("the plan can't be changed now")
        if not isinstance(plan, list | tuple) or not plan:
            raise ActImpossible("a plan is a list of stack sizes")
        stacks = [size for size in plan if isinstance(size, int) and 1 <= size <= len(FACES)]
        if len(stacks) != len(plan):
            raise ActImpossible("a plan is a list of stack sizes, each from 1 to 52")
        self.program.dispenser.plan = tuple(stacks)
