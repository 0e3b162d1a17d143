"""A table on the bench of the pure core: acts and reports go in, facts come out, no clock and no device."""

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest
from msgspec.structs import asdict

from controller.games.settling.meters import MeterTerms
from controller.rules.citation import Cited
from controller.rules.elections import elect as elect_law
from controller.rules.elections import proposals
from controller.rules.model import Demand, Law, Row, Rulebook
from controller.rules.read.loader import load_rulebook
from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.card_sets.cuts import offered_to
from controller.table.decide import decide, fold
from controller.table.questions import burns
from controller.table.questions.deal_plan import cards_gone, community_left, deal_plan, first_deal
from controller.table.questions.stub_count_and_turns import asking_order, full_set
from controller.table.state.table import DeviceSetup, Round, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.acts import Act
from controller.table.words.inputs import Actor, Body, Input, Moment, ServiceStarted
from drivers import events as e
from tests.soak.invariants import Watch

RULEBOOKS = Path(__file__).resolve().parents[3] / "config" / "rulebooks"
CAPABILITIES = {
    e.DeviceKind.SHUFFLER: (
        e.Capability.COUNTS_EACH_SHUFFLE,
        e.Capability.TWO_SETS,
        e.Capability.SENSES_CARDS_INSIDE,
    ),
    e.DeviceKind.SHOE: (e.Capability.DISPENSES_STACKS, e.Capability.SENSES_CARDS_INSIDE),
    e.DeviceKind.PROGRESSIVE: (e.Capability.LOCKOUT, e.Capability.SENSES_WAGERS),
    e.DeviceKind.LINE: (),
}
LEVELS = {
    e.DeviceKind.SHUFFLER: e.Levels(dispensing=e.INHIBITED, mode=e.Mode.SHUFFLE, cards_inside=0),
    e.DeviceKind.SHOE: e.Levels(dispensing=e.INHIBITED, cards_inside=0),
    e.DeviceKind.PROGRESSIVE: e.Levels(lockout=e.ENGAGED),
    e.DeviceKind.LINE: e.Levels(),
}


READY: dict[object, "Table"] = {}
"""Tables that are ready; each keeps the law by whose id it is found."""


class Table:
    """Drives `decide` and keeps everything that came of it."""

    def __init__(self, setup: Setup) -> None:
        self.setup, self.state = setup, State.initial(setup)
        self.all: list[f.Fact] = []
        self.time_us = 1_800_000_000_000_000
        self.mono_ns, self.boot, self.clock = 1_000_000_000, "boot", "unsynced"
        self.watch: Watch | None = None
        self.may_fail = False

    def put(self, body: Body, subject: str = "table", actor: Actor | None = None) -> list[f.Event]:
        """One input; returns the events of its facts. An error of our own fails the test, unless it `may_fail`."""
        self.pass_time(0.001)
        at = Moment(self.time_us, self.mono_ns, self.boot, self.clock)
        given, before = Input(at, subject, body, None, actor), self.state
        facts = decide(self.setup, before, given)
        self.state = fold(before, facts)
        if self.watch is not None:
            self.watch.saw(before, given, facts, self.state)
        return self.keep(facts)

    def keep(self, facts: Sequence[f.Fact]) -> list[f.Event]:
        """What came of an input stays; returns its events."""
        self.all += facts
        failed = [fact.event for fact in facts if isinstance(fact.event, f.DecisionFailed)]
        assert self.may_fail or not failed, failed
        return [fact.event for fact in facts]

    def with_answer(
        self, trigger: Trigger, *demands: Demand, roles: Mapping[Action, Role] | None = None
    ) -> "Table":
        """The document answers this trigger by these demands alone. `roles`: who confirms what, None = as it says itself."""
        rows = self.setup.law.rulebook.rows
        self.with_book(rows={**rows, trigger: (Row(trigger, (), ("99.A",), demands, says="So it is answered."),)})
        if roles is not None:
            self.with_book(duty_roles={action: Cited(role, ("99.R",)) for action, role in roles.items()})
        return self

    def with_book(self, **changes: object) -> "Table":
        """Another document, as one could be printed: this one with these changes."""
        law = self.setup.law
        book = replace(law.rulebook, **changes)  # type: ignore[arg-type]
        self.setup = msgspec.structs.replace(self.setup, law=replace(law, rulebook=book))
        return self

    def pass_time(self, seconds: float) -> None:
        """Lets time pass on both clocks."""
        self.time_us += round(seconds * 1_000_000)
        self.mono_ns += round(seconds * 1_000_000_000)

    def step_wall(self, seconds: float) -> None:
        """Sets the wall clock forward or back; the monotonic clock does not know."""
        self.time_us += round(seconds * 1_000_000)

    def reboot(self, off_s: float, clock: str = "synced") -> list[f.Event]:
        """The PC goes down for so long and the daemon starts in the new boot, with the clock in that state."""
        self.time_us += round(off_s * 1_000_000)
        self.mono_ns, self.boot, self.clock = 20_000_000_000, f"{self.boot}+", clock
        book = self.setup.law.rulebook
        return self.put(ServiceStarted("1", book.id, book.edition, book.sha256))

    def act(self, act: Act, role: Role = Role.SUPERVISOR) -> list[f.Event]:
        """An act that must be accepted."""
        events = self.put(act, actor=Actor(f"a {role}", role))
        refused = [event for event in events if isinstance(event, f.InputRefused)]
        assert not refused, refused[0].reason
        return events

    def refused(self, act: Act, role: Role = Role.SUPERVISOR) -> f.InputRefused:
        """An act that must be refused."""
        event, *others = self.put(act, actor=Actor(f"a {role}", role))
        assert isinstance(event, f.InputRefused), event
        assert event.reason
        assert all(isinstance(other, f.LevelWanted) for other in others), others
        return event

    def online(self, name: str, **changes: object) -> list[f.Event]:
        kind = self.setup.devices[name].kind
        fields: dict[str, object] = {
            "device_kind": kind, "model": "bench", "serial": f"SIM-{name}", "firmware": "1", "boot": "0" * 16,
            "rebooted": False, "gap_closed": True, "capabilities": CAPABILITIES[kind], "levels": LEVELS[kind],
        }  # fmt: skip
        return self.put(e.DeviceOnline(**{**fields, **changes}), name)  # type: ignore[arg-type]

    def open(self) -> "Table":
        """The table is opened and every step of it but the shuffle is taken."""
        self.act(a.OpenTable())
        return self.take_steps()

    def take_steps(self, most: int | None = None) -> "Table":
        """Steps that are asked for and that people confirm, `most` with each set, each by the role that the document names."""
        for back in self.setup.backs:
            taken = 0
            while (step := self.state.sets[back].waits) is not None and taken != most:
                self.act(a.ConfirmStep(back, step.step), step.by)
                taken += 1
        return self

    def copy(self) -> "Table":
        """Another one in the same state, that goes its own way."""
        other = copy(self)
        other.all = [*self.all]
        return other

    def ready(self) -> "Table":
        """Devices heard, table open, both sets shuffled and counted right: decided once for all new tables that are alike."""
        if self.all or self.watch is not None or self.state != State.initial(self.setup):
            return self._made_ready()
        parts = {name: part for name, part in asdict(self.setup).items() if name != "law"}
        alike = (id(self.setup.law), repr(parts), self.time_us, self.mono_ns, self.boot, self.clock, self.may_fail)
        if alike not in READY:
            READY[alike] = self.copy()._made_ready()
        vars(self).update(vars(READY[alike].copy()))
        return self

    def _made_ready(self) -> "Table":
        for name in self.setup.devices:
            self.online(name)
        self.open()
        for back in self.setup.backs:
            self.shuffled(back, full_set(self.setup))
        return self

    def shuffled(self, back: str, count: int | None = 52, **changes: object) -> list[f.Event]:
        fields: dict[str, object] = {"mode": e.Mode.SHUFFLE, "identities": e.Identities.NOT_READ, **changes}
        return self.put(e.ShuffleCompleted(e.Back(back), count=count, **fields), "shuffler-1")  # type: ignore[arg-type]

    def shuffled_by_hand(self, back: str) -> "Table":
        """Shuffled, and cut by the dealer or by the first player who may."""
        self.act(a.RecordShuffle(back))
        if self.state.sets[back].cut_due:
            order = offered_to(self.setup, self.state)
            by_players = self.setup.law.rulebook.cut.by.value == "players"
            self.act(a.RecordCut(back, (order or (1,))[0] if by_players else 0))
        return self.marked(back)

    def marked(self, back: str) -> "Table":
        """The cutting card is in the stack, where the document has one."""
        if self.state.sets[back].mark_due:
            self.act(a.PlaceCuttingCard(back))
        return self

    def begin(self, back: str = "red", seats: tuple[int, ...] = (1, 3), trips: tuple[int, ...] = (1,)) -> "Table":
        """Betting open, ante and blind at these seats, the lock-out released."""
        self.act(a.BeginRound(back))
        if self.round.chips and "progressive-1" in self.setup.devices:
            self.put(e.LockoutReleased(e.Cause.COMMAND, 1), "progressive-1")
        for seat in seats:
            self.act(a.PlaceWager(seat, "ante", 1000))
            self.act(a.PlaceWager(seat, "blind", 1000))
            if seat in trips:
                self.act(a.PlaceWager(seat, "trips", 500))
        return self

    def bet(self, *wagers: tuple[int, str, int], back: str = "red") -> "Table":
        """Betting open and these wagers placed: seat, name, cents."""
        self.begin(back, seats=())
        for wager in wagers:
            self.act(a.PlaceWager(*wager))
        return self

    def answer(self, seat: int, decision: str, multiple: int = 0) -> list[f.Event]:
        return self.act(a.RecordDecision(seat, a.Decision(decision), multiple))

    def chip(self, seat: int, locked: bool = False) -> list[f.Event]:
        return self.put(e.WagerSensed(seat, 1, locked), "progressive-1")

    def close_bets(self) -> "Table":
        self.act(a.AnnounceNoMoreBets())
        if "progressive-1" in self.setup.devices:
            self.put(e.LockoutEngaged(e.Cause.COMMAND, 2), "progressive-1")
        while burns.due(self.setup, self.state) is not None and self.state.sets[self.round.back].armed:
            self.act(a.BurnCard())
        return self

    def let_out(self) -> "Table":
        """Bets closed, progressive chips counted where that is demanded, cards allowed out."""
        self.close_bets()
        progressive = self.setup.law.rulebook.progressive
        if self.round.chips_accepted and progressive and progressive.verify_count.value:
            self.act(a.RecordProgressiveCount(self.round.chips_accepted))
        self.act(a.StartDealing())
        return self

    def stack(self, number: int, cards: int | None = None) -> list[f.Event]:
        """Stack `number` leaves the dispenser, as planned or with another number of cards."""
        planned = deal_plan(self.setup, self.round)[number - 1]
        name = self.state.dispenser()
        assert name is not None
        back = e.Back(self.round.back)
        return self.put(e.StackDispensed(back, number, planned.cards if cards is None else cards), name)

    def deal(self, stacks: int | None = None) -> "Table":
        """The first `stacks` stacks, or all that are dealt before anybody is asked."""
        plan = first_deal(self.setup, self.round)
        for number in range(1, (len(plan) if stacks is None else stacks) + 1):
            self.stack(number)
        return self

    def decide_all(self, decision: a.Decision, multiple: int = 0) -> "Table":
        """Everybody who is still to be asked answers alike, in the order of the document."""
        for seat in asking_order(self.setup, self.round)[0]:
            self.act(a.RecordDecision(seat, decision, multiple))
        return self

    def community(self, street: a.Street) -> None:
        """These community cards are shown; where the device deals them, too, it gives them out first, one by one."""
        name, left = self.state.dispenser(), community_left(self.setup, self.round)
        if name is not None and left:
            self.act(a.StartDealing())
            for _ in range(left):
                self.put(e.StackDispensed(e.Back(self.round.back), 1, 1), name)
        self.act(a.RevealCommunity(street))

    def to_showdown(self) -> "Table":
        """Everyone checks twice and plays once."""
        self.decide_all(a.Decision.CHECK)
        self.act(a.RevealCommunity(a.Street.FLOP))
        self.decide_all(a.Decision.CHECK)
        self.act(a.RevealCommunity(a.Street.LAST_TWO))
        self.decide_all(a.Decision.PLAY, 1)
        self.act(a.RevealDealer())
        return self

    def right_stub(self) -> int:
        """Cards that a right stub has now."""
        return full_set(self.setup) - cards_gone(self.setup, self.round)

    def end(self, count: bool = False) -> "Table":
        self.act(a.SettleRound())
        if count:
            self.act(a.RecordStubCount(self.right_stub()))
        self.act(a.CollectCards())
        self.act(a.EndRound())
        return self

    def whole_round(self, back: str, count: bool = False) -> "Table":
        self.begin(back).let_out().deal().to_showdown().end(count)
        self.shuffled(back)
        return self

    @property
    def round(self) -> Round:
        assert self.state.round is not None
        return self.state.round

    def fates(self) -> dict[tuple[int, str], str]:
        """Fate of each wager by seat and name."""
        return {(s, n): w.fate.value for s, seat in self.round.seats.items() for n, w in seat.wagers.items()}


def disposition(events: list[f.Event]) -> f.DispositionMade:
    """The one disposition among these events."""
    (made,) = [event for event in events if isinstance(event, f.DispositionMade)]
    return made


MakeTable = Callable[..., Table]


@cache
def _book(name: str) -> Rulebook:
    return load_rulebook(RULEBOOKS / f"{name}.toml")


class Same:
    """A rulebook as a key: the very same one, whatever it holds."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook

    def __hash__(self) -> int:
        return id(self.rulebook)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.rulebook is self.rulebook


@lru_cache(maxsize=128)
def _law(same: Same, elect: frozenset[tuple[str, str]] | None) -> Law:
    """As proposed, except `elect`; None = nothing is elected. Most tables of tests have one of few laws, and each takes 15 ms."""
    book = same.rulebook
    asked = {} if elect is None else {q: dict(elect).get(q, choice) for q, choice in proposals(book).items()}
    law = elect_law(book, {question: (choice, "bench") for question, choice in asked.items()})
    return replace(law, elections=MappingProxyType(law.elections))


def table_of(
    rulebook: str = "md-uth",
    method: Method = Method.DEALING_SHOE,
    elect: dict[str, str] | None = None,
    offered: tuple[str, ...] = ("trips", "progressive"),
    unelected: bool = False,
    backs: Sequence[str] = ("red", "blue"),
    devices: Collection[str] | None = None,
    limits: Mapping[str, tuple[int, int]] | None = None,
    payout_limit: int | None = None,
    unit: int = 1,
    meters: Mapping[str, MeterTerms] | None = None,
) -> Table:
    """A table of a rulebook with every reading elected as proposed and the first of each house choice, except `elect`.

    `devices`: names of those at the table, None = all that the document has use for.
    """
    book = _book(rulebook)
    kinds = {
        "shuffler-1": e.DeviceKind.SHUFFLER,
        "shoe-1": e.DeviceKind.SHOE,
    }
    if book.progressive is not None:
        kinds["progressive-1"] = e.DeviceKind.PROGRESSIVE
    if devices is not None:
        known = {**kinds, "line-1": e.DeviceKind.LINE}
        kinds = {name: known[name] for name in devices}
    law = _law(Same(book), None if unelected else frozenset((elect or {}).items()))
    setup = Setup(
        site="bench", table="t1", seats=6, backs=tuple(backs), method=method,
        devices={n: DeviceSetup(n, k) for n, k in kinds.items()}, law=law,
        offered=frozenset(offered), currency="USD", progressive_cents=500, limits=limits or {},
        payout_limit=payout_limit, unit=unit, meters=meters or {},
    )  # fmt: skip
    return Table(setup)


@pytest.fixture
def make_table() -> MakeTable:
    """Makes a table, see `table_of`."""
    return table_of


@pytest.fixture
def disposed() -> Callable[[list[f.Event]], f.DispositionMade]:
    """Picks the one disposition out of what came of an input."""
    return disposition


@pytest.fixture(params=["md-uth", "ma-uth"])
def rulebook(request: pytest.FixtureRequest) -> str:
    """Both documents, one after the other."""
    name: str = request.param
    return name
