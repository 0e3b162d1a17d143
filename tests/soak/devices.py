"""What devices report at a random table: what they should, now and then what they should not."""

from random import Random

from controller.table.questions.deal_plan import community_left, deal_plan, dealt_late
from controller.table.questions.stub_count_and_turns import full_set
from controller.table.state.device import Device
from controller.table.state.table import Fate, Setup, State
from controller.table.words.inputs import Body
from drivers import events as e
from tests.soak.build import DEVICE_KINDS, Builder

Report = tuple[str, Body]
CAPABILITIES = {
    e.DeviceKind.SHUFFLER: (e.Capability.TWO_SETS, e.Capability.SENSES_CARDS_INSIDE),
    e.DeviceKind.SHOE: (e.Capability.DISPENSES_STACKS, e.Capability.SENSES_CARDS_INSIDE),
    e.DeviceKind.PROGRESSIVE: (e.Capability.LOCKOUT, e.Capability.SENSES_WAGERS),
}
SAFE = {
    e.DeviceKind.SHUFFLER: e.Levels(dispensing=e.INHIBITED, mode=e.Mode.SHUFFLE, cards_inside=0),
    e.DeviceKind.SHOE: e.Levels(dispensing=e.INHIBITED, cards_inside=0),
    e.DeviceKind.PROGRESSIVE: e.Levels(lockout=e.ENGAGED),
}
LIKELY = (
    e.Jammed, e.ShuffleStopped, e.DealStopped, e.ShuffleCompleted, e.FaceUpCard, e.StackDispensed, e.WagerSensed,
    e.JamCleared, e.PoweredUp, e.DealCompleted, e.AlarmRaised,
)  # fmt: skip
"""Reports of which the documents speak: faults are drawn from these more often than from the rest."""
LINK = (
    e.DeviceOffline,
    e.EventsLost,
    e.LevelUnknown,
    e.LevelsRead,
    e.DeviceSuspect,
    e.DeviceRejected,
    e.LevelConfirmed,
    e.LivenessChanged,
    e.LinesDamaged,
)


class Devices:
    """The devices of one table, without a memory of their own: what they are is what the table knows of them.

    `more`: capabilities of the shuffler beside what each has.
    """

    def __init__(self, rng: Random, setup: Setup, builder: Builder, more: tuple[e.Capability, ...]) -> None:
        self.rng, self.setup, self.builder, self.more = rng, setup, builder, more
        self._full = full_set(setup)

    def online(self, name: str, gap_closed: bool = True) -> Report:
        kind = self.setup.devices[name].kind
        able = CAPABILITIES[kind] + (self.more if kind is e.DeviceKind.SHUFFLER else ())
        return name, e.DeviceOnline(kind, "soak", f"S-{name}", "1", "0" * 16, False, gap_closed, able, SAFE[kind])

    def due(self, state: State) -> Report | None:
        """What a device would report now by itself, where all goes well: answers to commands, cards, shuffled sets."""
        for name, device in state.devices.items():
            if not device.in_service:
                continue
            if not device.online:
                return self.online(name)
            if device.jammed:
                return name, e.JamCleared(False, 1)
            if device.levels.cards_inside and not (name == state.dispenser() and self._deals(state, device)):
                return name, e.CardsRemoved(0)
            if (answer := _answer(device)) is not None:
                return name, answer
            if (mode := self._wanted_mode(state, device)) is not None:
                return name, e.ModeChanged(mode)
        return self._dealt(state) or self._shuffled(state)

    def _wanted_mode(self, state: State, device: Device) -> e.Mode | None:
        """The mode that a wager on the layout needs, where somebody has set the shuffler to another one."""
        if state.round is None or device.kind is not e.DeviceKind.SHUFFLER:
            return None
        rules = self.setup.law.rulebook.wagers
        modes = {cited.value for _, name, _ in state.round.wagers(Fate.LIVE) if (cited := rules[name].device_mode)}
        return next((e.Mode(mode) for mode in modes if device.levels.mode not in (None, mode)), None)

    def _deals(self, state: State, device: Device) -> bool:
        return device.wanted.get(e.Level.DISPENSING) == e.ALLOWED

    def _dealt(self, state: State) -> Report | None:
        """The next stack of a deal that was let out; once in a while from another set, or with a card too many or too few."""
        round_, name = state.round, state.dispenser()
        if (
            round_ is None
            or name is None
            or not (round_.phase == "dealing" or round_.late_let_out)
            or not self._deals(state, state.devices[name])
        ):
            return None
        if dealt_late(self.setup, round_):
            left = 1 if state.short_hand() else community_left(self.setup, round_)
            return (
                (name, e.StackDispensed(e.Back(round_.back), 1, self.rng.randint(1, left))) if left > 0 else None
            )
        plan = deal_plan(self.setup, round_)
        if round_.stacks_out < len(plan):
            back, cards = e.Back(round_.back), plan[round_.stacks_out].cards
            match self.rng.randrange(500):
                case 0 | 2 | 3:
                    back = e.Back(self.rng.choice(self.setup.backs))
                case 1:
                    cards += self.rng.choice((-1, 1))
                case odd if odd < 50:
                    back = e.Back.UNKNOWN
            return name, e.StackDispensed(back, round_.stacks_out + 1, cards)
        return name, e.DealCompleted(e.Back(round_.back), len(plan), 0)

    def _shuffled(self, state: State) -> Report | None:
        """A set that lies in the shuffler comes out whole, nearly always."""
        shuffler = state.device_of(e.DeviceKind.SHUFFLER)
        if shuffler is None:
            return None
        on_layout = state.round.back if state.round is not None and state.round.on_layout else ""
        for card_set in state.sets.values():
            if card_set.present and not card_set.armed and card_set.back != on_layout:
                back = e.Back(card_set.back)
                if shuffler[1].disturbed:
                    return shuffler[0], e.ShuffleStarted(back, e.Mode.SHUFFLE)
                whole = self._full - (self.rng.random() < 0.005)
                count = whole if e.Capability.COUNTS_EACH_SHUFFLE in shuffler[1].capabilities else None
                read = e.Capability.READS_CARDS in shuffler[1].capabilities
                verdict = e.Identities.COMPLETE if self.rng.random() < 0.985 else e.Identities.INCOMPLETE
                identities = verdict if read else e.Identities.NOT_READ
                return shuffler[0], e.ShuffleCompleted(back, e.Mode.SHUFFLE, count, identities)
        return None

    def chip(self, state: State, seat: int) -> Report | None:
        """A player puts a chip onto the progressive sensor."""
        found = state.device_of(e.DeviceKind.PROGRESSIVE)
        if found is None or not found[1].online:
            return None
        locked = found[1].levels.lockout == e.ENGAGED
        if locked and self.rng.random() < 0.9:
            return None
        return found[0], e.WagerSensed(seat, 1, locked)

    def fault(self, state: State) -> Report | None:
        """A report that nobody expects, of the right kind of device nearly always."""
        if not self.setup.devices:
            return None
        name = self.rng.choice(list(self.setup.devices))
        drawn = self.rng.random()
        if drawn < 0.03:
            return self.rng.choice((name, "ghost-1")), self.builder.record(self.rng.choice(_ALL), state)
        if drawn < 0.25:
            return name, self.builder.record(self.rng.choice(LINK), state)
        if drawn < 0.28:
            return self.online(name, gap_closed=False)
        known = DEVICE_KINDS[self.setup.devices[name].kind]
        likely = [cls for cls in known if cls in LIKELY]
        return name, self.builder.record(self.rng.choice(likely if self.rng.random() < 0.7 else known), state)


_ALL = (*e.REPORTS.values(), *(cls for cls in e.LINK_EVENTS.values() if cls is not e.DeviceOnline))


def _answer(device: Device) -> Body | None:
    """The report of a level that is wanted and does not hold yet."""
    lockout, dispensing = device.wanted.get(e.Level.LOCKOUT), device.wanted.get(e.Level.DISPENSING)
    if lockout is not None and not device.knows(e.Level.LOCKOUT, lockout):
        cls = e.LockoutEngaged if lockout == e.ENGAGED else e.LockoutReleased
        return cls(e.Cause.COMMAND, 1)
    if dispensing is not None and not device.knows(e.Level.DISPENSING, dispensing):
        allow = e.DispensingAllowed if dispensing == e.ALLOWED else e.DispensingInhibited
        return allow(e.Cause.COMMAND, 1)
    return None
