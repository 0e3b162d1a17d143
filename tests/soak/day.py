"""One day at a random table: people, devices, clocks, faults and restarts, input by input, all of it watched.

A day is drawn from its own seed, so it can be played again alone. Only the state is kept, and the facts since the
last start of the daemon: at the next start they are folded, and must lead to the same state.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from types import FrameType

from controller.games.model import Phase
from controller.games.registry import game_of
from controller.rules.vocabulary import Role, Trigger
from controller.table.acts.permissions import can, verify
from controller.table.acts.registry import PHASES, WHILE_HELD
from controller.table.card_sets.time_in_play import due
from controller.table.decide import decided, fold
from controller.table.fold.ruling import Draft
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.codec import decode_fact, encode
from controller.table.words.inputs import Actor, Body, Input, Moment, ServiceStarted, SetDue
from controller.table.words.refusal import Refusal
from drivers import events as e
from tests.soak.agree import Compared
from tests.soak.build import Builder
from tests.soak.devices import Devices, Report
from tests.soak.invariants import Watch
from tests.soak.offered import Offered
from tests.soak.sensible import People
from tests.soak.tables import book, draw_setup

TABLE = "table"
P_SLIP = 0.5
"""How likely people say what contradicts itself, where it comes to their mind."""
P_CHIP, P_HOURS = 0.15, 0.002
"""How likely an input is a chip on a sensor, and how likely it comes hours later."""
CALM_AFTER, STUCK_AFTER = 300, 2500
"""Inputs without the end of a round until nothing goes wrong any more, and until the table counts as stuck."""
TRIES = 15
"""Acts that people think of until they wait for a device."""
CHECK_FOLD_EVERY = 2000
"""Inputs after which facts are folded at the latest: so few are kept."""
ROLES = (Role.DEALER, Role.DEALER, Role.FLOORPERSON, Role.SUPERVISOR, Role.PLAYER, Role.TECHNICIAN)
WHO = {role: Actor(f"a {role}", role) for role in Role}
ABILITIES = (e.Capability.COUNTS_EACH_SHUFFLE, e.Capability.READS_CARDS, e.Capability.FORMS_HANDS)
SAMPLED = 32
"""The cost of one input in so many is measured."""
SHARE, COMPARED, LONG = 10, 40, 150
"""The first and the last tenth of a day of at least so many rounds are compared: as many inputs of a long one as of a longer one,
one in its rounds by `COMPARED`."""


class Broken(Exception):
    """Something that must always hold does not."""


@dataclass(slots=True)
class Tally:
    """What came of days. `acts`: accepted ones by kind; `rows`: (trigger, row) of dispositions. `compared`: rounds that were told
    to `settle`."""

    rounds: Counter[str] = field(default_factory=Counter)
    acts: Counter[str] = field(default_factory=Counter)
    triggers: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    rows: set[tuple[str, str]] = field(default_factory=set)
    compared: Compared = field(default_factory=Compared)
    inputs: int = 0
    refused: int = 0
    held: int = 0
    starts: int = 0
    sampled: int = 0
    core_ns: int = 0
    early: int = 0  # calls that inputs of the first tenth of a day make
    late: int = 0
    largest: int = 0  # characters of the state at the end of a round

    def add(self, other: "Tally") -> None:
        for name in ("rounds", "acts", "triggers", "methods"):
            getattr(self, name).update(getattr(other, name))
        self.rows |= other.rows
        self.compared.add(other.compared)
        for name in ("inputs", "refused", "held", "starts", "sampled", "core_ns", "early", "late"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.largest = max(self.largest, other.largest)


class Day:
    """Plays so many rounds under a rulebook, from its own seed.

    `given`: every input so far, where it is to be kept. `setup`: the table, else one is drawn. `costs_ns`: of one input
    in `SAMPLED`. `p_…`: how likely an input is a fault of a device, an act at random, a start of the daemon.
    """

    p_fault, p_nonsense, p_service = 0.012, 0.01, 0.001

    def __init__(
        self, rulebook: str, seed: str, rounds: int, given: list[Input] | None = None, setup: Setup | None = None
    ) -> None:
        self.rng = Random(seed)  # it must be possible to draw the same again
        self.setup = setup or draw_setup(self.rng, book(rulebook))
        self.rounds, self.tally = rounds, Tally()
        self.state = self._checkpoint = State.initial(self.setup)
        self.watch = Watch(self.setup)
        self._given = given
        self._facts: list[f.Fact] = []
        builder = Builder(self.rng, self.setup)
        self._builder, self._people = builder, People(self.rng, self.setup, builder)
        more = tuple(able for able in ABILITIES if self.rng.random() < 0.5)
        self._devices = Devices(self.rng, self.setup, builder, more)
        self._wall_us, self._mono_ns, self._boot, self._clock = (
            1_800_000_000_000_000,
            1_000_000_000,
            "b0",
            "synced",
        )
        self._ended = 0
        self._since_end = 0
        self.costs_ns: list[int] = []
        self._early: list[int] = []
        self._late: list[int] = []
        game = game_of(self.setup.law.rulebook)
        assert game is not None
        self._phases = _by_phase(self.setup, PHASES[game.name])

    def play(self) -> Tally:
        """Raises `Broken`."""
        while self._ended < self.rounds:
            self._step()
        self._fold()
        self._compare_cost()
        self.tally.compared = self.watch.agreement.compared
        return self.tally

    def _step(self) -> None:
        calm = self._since_end > CALM_AFTER
        if self._since_end > STUCK_AFTER:
            raise self._broken("play cannot be taken up again")
        drawn = self.rng.random()
        if not calm and drawn < self.p_fault + self.p_nonsense + self.p_service:
            self._disturb(drawn)
            return
        self._pass_hours()
        if self.state.round is not None and self.state.round.phase is Phase.BETTING and self.rng.random() < P_CHIP:
            self._report(self._devices.chip(self.state, self.rng.choice(self._people.guests)))
        elif self.rng.random() < 0.5 and (report := self._devices.due(self.state)) is not None:
            self._report(report)
        else:
            self._act(calm)

    def _disturb(self, drawn: float) -> None:
        if drawn < self.p_fault:
            self._report(self._devices.fault(self.state))
        elif drawn < self.p_fault + self.p_nonsense:
            kind = self.rng.choice(tuple(a.ACTS))
            act = self._builder.record(a.ACTS[kind], self.state)
            self.put(TABLE, act, self.rng.choice((None, *WHO.values())))
        else:
            self._start()

    def _report(self, report: Report | None) -> None:
        if report is not None:
            self.put(*report)

    def _act(self, calm: bool) -> None:
        """The first act that people would do and may do; where there is none, the devices go first. `calm`: no whims."""
        kinds = self._phases[self.state.round.phase if self.state.round else None, self.state.held].now(self.state)
        for _ in range(TRIES):
            kind = self._people.kind(kinds, self.state)
            if calm and kind and self._people.is_whim(kind, self.state):
                continue
            act = kind and self._people.propose(kind, self.state)
            if not act:
                continue
            refused = verify(self.setup, self.state, act, WHO[Role.SUPERVISOR])
            actor = self._who(act, refused)
            if actor is not None:
                self.put(TABLE, act, actor, allowed=True)
                return
            if not calm and self._says_again(refused):
                self.put(TABLE, act, WHO[Role.SUPERVISOR])
                return
        self._since_end += 1  # nobody could do anything: that is no input, but it counts as time
        self._report(self._devices.due(self.state))

    def _says_again(self, refused: Refusal | None) -> bool:
        """Whether it is refused because it contradicts itself; people say such a thing now and then, and again."""
        return refused is not None and refused.said is not None and self.rng.random() < P_SLIP

    def _who(self, act: a.Act, refused: Refusal | None) -> Actor | None:
        """Somebody at random, else the supervisor. `refused`: to the supervisor, and then to all but where it must be another."""
        first = WHO[self.rng.choice(ROLES)]
        if refused is not None and not isinstance(act, a.ConfirmStep):
            return None
        if first.role is not Role.SUPERVISOR and can(self.setup, self.state, act, first):
            return first
        return WHO[Role.SUPERVISOR] if refused is None else None

    def _start(self) -> None:
        """The daemon starts again, or the whole PC: what is recorded leads to the same state, and no deadline is lost."""
        self._fold()
        self.tally.starts += 1
        if self.rng.random() < 0.5:
            off_s = self.rng.choice((5, 60, 3600))
            self._wall_us += round(off_s * 1e6 * self.rng.choice((1, 1, 1, -1, 30)))
            self._mono_ns, self._boot = 20_000_000_000, f"b{self.tally.starts}"
            self._clock = self.rng.choice(("synced", "synced", "unsynced", "holdover"))
        rulebook = self.setup.law.rulebook
        self.put(TABLE, ServiceStarted("1", rulebook.id, rulebook.edition, rulebook.sha256))
        for name in self.setup.devices:
            if self.rng.random() < 0.9:
                self._report(self._devices.online(name, gap_closed=self.rng.random() < 0.7))

    def _pass_hours(self) -> None:
        """Now and then hours go by; the clock's news come when they are due, and sometimes when they are not."""
        drawn = self.rng.random()
        if drawn < P_HOURS:
            self._mono_ns += (hours := self.rng.choice((1, 2, 5))) * 3_600_000_000_000
            self._wall_us += round(
                hours * 3.6e9 * self.rng.choice((1, 1, 0, 2))
            )  # the wall clock may be set meanwhile
            if (deadline := due(self.setup, self.state, self._boot)) is not None:
                early = deadline.mono_ns > self._mono_ns
                if not early or self.rng.random() < 0.3:
                    self.put(TABLE, SetDue(deadline.back))

    def put(self, subject: str, body: Body, actor: Actor | None = None, *, allowed: bool | None = None) -> None:
        """One input: decided, watched, counted. `allowed`: the table said so just now. Raises `Broken`."""
        self._mono_ns += 500_000_000
        self._wall_us += 500_000
        given = Input(Moment(self._wall_us, self._mono_ns, self._boot, self._clock), subject, body, None, actor)
        if self._given is not None:
            self._given.append(given)
        before = self.state
        draft = self._decided(before, given)
        self.state = draft.state
        try:
            self.watch.saw(before, given, draft.facts, draft.state, allowed)
        except AssertionError as error:
            raise self._broken(f"{body.kind}: {error}") from error
        self._facts += draft.facts
        self._count(before, given, draft.facts)
        if len(self._facts) > CHECK_FOLD_EVERY:
            self._fold()

    def _decided(self, before: State, given: Input) -> Draft:
        """Decides; the time of one input in `SAMPLED` is taken; early and late in a long day the calls are counted."""
        ended, share = self._ended, max(1, self.rounds // SHARE)
        compared = self._early if ended < share else self._late if ended >= self.rounds - share else None
        if self.rounds >= LONG and compared is not None and self.tally.inputs % (self.rounds // COMPARED) == 1:
            draft, calls = counted(lambda: decided(self.setup, before, given))
            compared.append(calls)
            return draft
        if self.tally.inputs % SAMPLED:
            return decided(self.setup, before, given)
        began = time.thread_time_ns()
        draft = decided(self.setup, before, given)
        self.costs_ns.append(time.thread_time_ns() - began)
        return draft

    def _count(self, before: State, given: Input, facts: list[f.Fact]) -> None:
        tally = self.tally
        tally.inputs += 1
        self._since_end += 1
        accepted = True
        for fact in facts:
            match fact.event:
                case f.InputRefused():
                    tally.refused += 1
                    accepted = False
                case f.DispositionMade(trigger=trigger, says=says):
                    tally.triggers[trigger] += 1
                    tally.rows.add((trigger, says))
                case f.SomethingElseReported():
                    tally.triggers[Trigger.SOMETHING_ELSE] += 1
                case f.HoldPlaced():
                    tally.held += 1
                case f.RoundBegun(method=method):
                    tally.methods[method] += 1
                    self._people.new_guests()
                case f.RoundEnded(outcome=outcome):
                    assert before.round is not None
                    tally.rounds[outcome if before.round.played else "not dealt"] += 1
                    self._ended += 1
                    self._since_end = 0
        if accepted and given.body.kind in a.ACTS:
            tally.acts[given.body.kind] += 1

    def _fold(self) -> None:
        """What the record would hold, read back and folded, is the state; nothing else was kept anywhere."""
        read = [decode_fact(fact.event.kind, fact.subject, encode(fact.event)) for fact in self._facts]
        if fold(self._checkpoint, read) != self.state:
            raise self._broken("folding the recorded facts gives another state")
        self._checkpoint, self._facts = self.state, []
        self.tally.largest = max(self.tally.largest, len(repr(self.state)))

    def _compare_cost(self) -> None:
        """Early and late are compared by calls, which are the same in every run; time is not, where others use the machine."""
        self.tally.sampled, self.tally.core_ns = len(self.costs_ns), sum(self.costs_ns)
        compared = min(len(self._early), len(self._late))
        self.tally.early, self.tally.late = sum(self._early[-compared:]), sum(self._late[-compared:])

    def _broken(self, what: str) -> Broken:
        return Broken(f"round {self._ended + 1}, input {self.tally.inputs + 1}: {what}")


def counted(work: Callable[[], Draft]) -> tuple[Draft, int]:
    """What it returns, and how many calls it makes."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += 1

    others = sys.getprofile()
    sys.setprofile(count)
    try:
        done = work()
    finally:
        sys.setprofile(others)
    return done, calls


def _by_phase(
    setup: Setup, phases: dict[str, tuple[Phase | None, ...]]
) -> dict[tuple[Phase | None, bool], Offered]:
    """The acts of each phase, while play is held and while it is not."""
    every = {phase for wanted in phases.values() for phase in wanted}
    return {
        (phase, held): Offered(
            setup, [k for k, wanted in phases.items() if phase in wanted and (k in WHILE_HELD or not held)]
        )
        for phase in every
        for held in (False, True)
    }
