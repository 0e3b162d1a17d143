"""What must hold whatever people and devices do: each input is looked at with all that came of it.

Asserts and nothing else: the random table (`day.py`) and the stateful test of the table both look through this. The
numbers are those of the ten things that must always hold; 1, 8 and 9 are not the core's.
"""

from collections.abc import Sequence
from typing import Any

from controller.games.model import Phase
from controller.rules.vocabulary import Trigger
from controller.table.acts.card_sets import as_many_as_wanted
from controller.table.acts.permissions import allowed as of_phase
from controller.table.acts.permissions import verify
from controller.table.acts.possible import possible, some
from controller.table.acts.registry import REGISTRY
from controller.table.card_sets.time_in_play import due
from controller.table.decide import fold
from controller.table.irregularities.dispositions import LATE_CHIP
from controller.table.questions import burns
from controller.table.questions.stub_count_and_turns import not_its_turn
from controller.table.state.table import ALL_LOST, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Input, SetDue
from drivers import events as e
from tests.soak.agree import Agreement
from tests.soak.citations import Citations
from tests.soak.effects import way_round
from tests.soak.failures import leaves_the_round
from tests.soak.together import one_by_one

OPENS = {
    e.Level.LOCKOUT: (e.RELEASED, (a.BeginRound, a.ReleaseLockout)),
    e.Level.DISPENSING: (e.ALLOWED, (a.StartDealing,)),
}
"""The open side of each level, and the acts of a person that may ask for it."""
ALIKE = (Phase.BETTING, Phase.BETS_CLOSED, Phase.DEALING, Phase.SETTLED, Phase.STOPPED)
"""Phases that no game has as a stage of its own."""
PAID_GOES_BACK = ("R-131", "return")
"""The reading by which wagers that were settled go back in a void, and what must have been elected for that."""
LOST_GOES_BACK = ("R-190", "return")
"""The same of wagers that an irregularity had made lost."""
FINAL = ("returned", "lost", "settled")
"""Fates after which no chip of the wager is left that could have another."""
OF_SENSORS = ("progressive", LATE_CHIP)
LISTED_IN, ALL_LISTED_IN = 8, 256
"""Of so many states one is asked whether the act that was done is listed as possible, and one for the whole list."""
MOST_DUTIES, MOST_HOLDS = 40, 60
"""More than these at once means that something is demanded again and again."""

Key = tuple[int, str]


class Watch:
    """The eyes on one table. `saw` raises `AssertionError` with what is broken."""

    def __init__(self, setup: Setup) -> None:
        self.setup, self.agreement = setup, Agreement(setup)
        self._citations = Citations(setup)
        self._cents: dict[Key, int] = {}
        self._fates: dict[Key, str] = {}
        self._tells = {
            f.LevelWanted: self._level,
            f.RoundBegun: self._begun,
            f.DealingAllowed: self._dealing,
            f.DispositionMade: self._disposition,
            f.DutyOpened: self._cited,
            f.HoldPlaced: self._hold,
            f.HoldLifted: self._lifted,
            f.DutyClosed: self._closed,
            f.RoundVoided: self._cited,
            f.HandVoided: self._cited,
            f.WagerPlaced: self._placed,
            f.WagerWithdrawn: self._withdrawn,
            f.DecisionRecorded: self._answered,
            f.WagerDecided: self._decided,
            f.RoundEnded: self._ended,
        }

    def saw(
        self, before: State, given: Input, facts: Sequence[f.Fact], after: State, allowed: bool | None = None
    ) -> None:
        """One input, the state that it met, its facts and the state that these lead to. `allowed`: where that was asked."""
        if self._of_parts(before, given, facts, after):
            return
        methods = {before.method, after.method}
        if isinstance(given.body, a.ChangeMethod):
            methods.add(given.body.method)
        used = frozenset(methods)
        for fact in facts:
            event = fact.event
            self._citations.look(event, used)
            assert type(event) is not f.DecisionFailed, event
            tell = self._tells.get(type(event))
            if tell is not None:
                tell(before, given, event)
        if given.body.kind in a.ACTS:
            self._act(before, given, facts, after, allowed)
        self.agreement.saw(before, given, facts)
        self._gap(before, given, after)
        self._unknown(given, after)
        self._round(after)
        assert len(after.duties) <= MOST_DUTIES, f"{len(after.duties)} duties are open"
        assert len(after.holds) <= MOST_HOLDS, f"{len(after.holds)} holds are in force"

    def _of_parts(self, before: State, given: Input, facts: Sequence[f.Fact], after: State) -> bool:
        """An act of many is, fact for fact, what its parts are one by one; each is looked at alone. False for any other input."""
        act = given.body
        parts = REGISTRY[act.kind].parts if act.kind in a.ACTS else None
        if parts is None or any(isinstance(fact.event, f.InputRefused) for fact in facts):
            return False
        assert given.actor is not None
        assert verify(self.setup, before, act, given.actor) is None  # type: ignore[arg-type]  # it is an act
        state, left = before, tuple(facts)
        for met, alone, found in one_by_one(self.setup, before, given):
            assert left[: len(found)] == found, f"{act.kind} is not {alone.body}: {left} is not {found}"
            state, left = fold(met, found), left[len(found) :]
            self.saw(met, alone, found, state)
        assert (left, state) == ((), after)
        return True

    def _act(
        self, before: State, given: Input, facts: Sequence[f.Fact], after: State, allowed: bool | None
    ) -> None:
        """10: what is refused changes nothing but levels towards safety; what is not refused was allowed, and no other act that
        means the same is refused by the document."""
        refused = any(isinstance(fact.event, f.InputRefused) for fact in facts)
        if allowed is None:
            actor = given.actor
            allowed = actor is not None and verify(self.setup, before, given.body, actor) is None  # type: ignore[arg-type]
        assert refused is not allowed, f"{given.body.kind}: refused {refused}, allowed {allowed}"
        if not refused:
            actor = given.actor
            assert actor is not None
            if before.serial % LISTED_IN == 0:
                assert self._listed(before, given.body.kind), f"{given.body.kind} is done and not listed"
            way = way_round(self.setup, before, given.body, actor, facts)  # type: ignore[arg-type]  # it is an act
            assert way is None, way
            return
        others = [fact.event for fact in facts if not isinstance(fact.event, f.InputRefused)]
        assert all(isinstance(event, f.LevelWanted) for event in others), others
        assert after.round == before.round
        assert after.duties == before.duties
        assert after.holds == before.holds
        assert after.sets == before.sets

    def _listed(self, before: State, kind: str) -> bool:
        """What `possible` says of this kind; the others are tried now and then."""
        listed = kind in of_phase(before) and some(self.setup, before, kind)
        assert before.serial % ALL_LISTED_IN or listed is (kind in possible(self.setup, before))
        return listed

    def _level(self, before: State, given: Input, event: f.LevelWanted) -> None:
        """Releasing and allowing is a new act of a person in the present state, and never while play is held."""
        level = e.Level(event.level)
        if level in OPENS and event.value == OPENS[level][0]:
            assert isinstance(given.body, OPENS[level][1]), f"{level} {event.value} because of {given.body.kind}"
            assert not before.held, f"{level} {event.value} while play is held"

    def _begun(self, before: State, given: Input, event: f.RoundBegun) -> None:
        """2 and 10: no round before duties and holds are done, the set is there, counted when due and the other one's turn."""
        assert before.open
        assert before.round is None
        assert not before.held
        assert not before.duties, before.duties
        assert event.number == before.rounds + 1
        assert before.sets[event.back].present
        assert before.sets[event.back].waits is None
        assert as_many_as_wanted(self.setup, before) is None
        assert not_its_turn(self.setup, before, event.back) is None
        stub = self.setup.law.rulebook.stub
        assert stub is None or before.since_stub_count < stub.every_rounds.value or stub.waived_by
        self._cents, self._fates = {}, {}

    def _dealing(self, before: State, given: Input, event: f.DealingAllowed) -> None:
        """2 and 7: all predicates of the set, and a lock-out that the device itself has confirmed."""
        assert before.round is not None
        card_set = before.sets[before.round.back]
        if (
            before.round.phase is Phase.BETS_CLOSED
        ):  # a deal that was interrupted, or a stack that waits, goes on as it lies
            assert card_set.present
            assert card_set.next_step is None
            assert not card_set.cut_due
            assert burns.due(self.setup, before) is None
            assert card_set.cycle_complete
            assert card_set.mode_shuffle
            assert card_set.count_right is not False
            assert card_set.identities_complete is not False
        progressive = before.device_of(e.DeviceKind.PROGRESSIVE)
        if progressive is not None and progressive[1].online:
            assert e.Level.LOCKOUT not in progressive[1].unknown
            assert progressive[1].levels.lockout == e.ENGAGED

    def _disposition(self, before: State, given: Input, event: f.DispositionMade) -> None:
        """3 and 4: each demand is law or a reading, never both or neither; where a document is silent only readings act."""
        law = self.setup.law
        rulebook = law.rulebook
        assert (event.rulebook, event.sha256) == (rulebook.id, rulebook.sha256)
        leaves_the_round(self.setup, before, given, event)
        absent = rulebook.absent(event.trigger) is not None
        for demand in event.demands:
            assert bool(demand.cite) is not bool(demand.reading) or absent, demand
            assert demand.reading is None or law.elected(demand.reading) is not None, demand
            assert rulebook.clauses.issuperset(demand.cite), demand
        assert not (event.silent and any(d.cite for d in event.demands)), event
        if event.trigger is Trigger.DECK_CHANGE_DUE and isinstance(given.body, SetDue):
            next_due = due(self.setup, before, given.at.boot)
            assert next_due is not None
            assert next_due.mono_ns <= given.at.mono_ns, "a set is due before its time"

    def _cited(self, before: State, given: Input, event: Any) -> None:
        """3: what is demanded or void says by which clause or reading; a reading is one that was elected."""
        law = self.setup.law
        assert event.cite or event.reading or law.of_holds is None, event
        assert law.rulebook.clauses.issuperset(event.cite), event

    def _hold(self, before: State, given: Input, event: f.HoldPlaced) -> None:
        """4 and 10: a hold names what it stands under and offers something; a late chip never stands."""
        self._cited(before, given, event)
        assert event.choices, event
        assert event.reason, event
        if event.wager == LATE_CHIP:
            assert a.Resolution.WAGER_STANDS not in event.choices, event

    def _lifted(self, before: State, given: Input, event: f.HoldLifted) -> None:
        """4 and 10: only what was offered, by a person of the role that was named."""
        hold = before.holds[event.hold]
        assert event.resolution in hold.choices, event
        assert event.by, event
        assert event.role.may_act_as(hold.least_role), event

    def _closed(self, before: State, given: Input, event: f.DutyClosed) -> None:
        """A duty is closed by a person of its role, or by a report that proves it done."""
        assert event.by, event
        if isinstance(given.body, a.ConfirmDuty) and event.duty in before.duties:
            assert given.actor is not None
            assert given.actor.role.may_act_as(before.duties[event.duty].least_role), event

    def _placed(self, before: State, given: Input, event: f.WagerPlaced) -> None:
        key = (event.seat, event.wager)
        assert self._fates.get(key, "returned") == "returned", f"{key} lies there already"
        self._cents[key] = event.cents
        self._fates.pop(key, None)

    def _withdrawn(self, before: State, given: Input, event: f.WagerWithdrawn) -> None:
        assert before.round is not None
        assert before.round.phase is Phase.BETTING
        del self._cents[event.seat, event.wager]

    def _answered(self, before: State, given: Input, event: f.DecisionRecorded) -> None:
        """A wager that is placed with an answer is money from here on."""
        assert before.round is not None
        stage = before.round.game.stage(before.round.phase)
        assert stage is not None
        places = {x.places for x in stage.answers if x.decision is event.decision and x.places}
        assert len(places) <= 1
        for wager in places:
            here = [cents for (seat, _), cents in self._cents.items() if seat == event.seat]
            assert event.cents > 0 or 0 in here, event  # 0 only beside chips that nobody counted
            self._cents[event.seat, wager] = event.cents

    def _decided(self, before: State, given: Input, event: f.WagerDecided) -> None:
        """5: each wager has its own fate, once, for the money that it is, under a clause or a reading."""
        key = (event.seat, event.wager)
        assert event.cite or event.reading or event.fate == "held", event
        if isinstance(given.body, e.WagerSensed) and event.wager in OF_SENSORS:
            self._fates.pop(key, None)  # another chip, which came too late: it never was a wager before
        fate = self._fates.get(key)
        paid_back = self._paid_goes_back(before, event)
        lost_back = fate == "lost" and (_lost_goes_back(before, given) or self._lost_goes_back(event))
        if lost_back or (fate == "settled" and paid_back):
            fate = None
        assert fate not in FINAL, f"{key} was {fate} and is now {event.fate}"
        seat = before.round.seats.get(event.seat) if before.round else None
        lay = seat.wagers.get(event.wager) if seat else None
        may_change = paid_back or _never_paid(given)
        assert lay is None or lay.fate != "settled" or may_change, f"{key} was settled and is now {event.fate}"
        assert self._cents.setdefault(key, event.cents) == event.cents, (
            f"{key}: {self._cents[key]} became {event.cents}"
        )
        self._fates[key] = event.fate

    def _paid_goes_back(self, before: State, event: f.WagerDecided) -> bool:
        """A wager that was settled while play went on goes back in a void, where that was elected; no fate follows that one."""
        reading, choice = PAID_GOES_BACK
        if event.reading != reading:
            return False
        assert self.setup.law.elected(reading) == choice, f"{reading} is not {choice}, and yet {event}"
        assert before.round is not None
        assert before.round.live, event
        assert event.fate == "returned", event
        assert before.round.seats[event.seat].wagers[event.wager].fate == "settled", event
        return True

    def _lost_goes_back(self, event: f.WagerDecided) -> bool:
        """A wager that was lost goes back in a void, where that was elected."""
        reading, choice = LOST_GOES_BACK
        return event.reading == reading and event.fate == "returned" and self.setup.law.elected(reading) == choice

    def _ended(self, before: State, given: Input, event: f.RoundEnded) -> None:
        """5: at the end of a round no wager is without a fate, and every chip that came is accounted for."""
        round_ = before.round
        assert round_ is not None
        assert event.outcome != "played" or round_.played, f"{round_.id} was played, and nothing was dealt in it"
        lies = {(seat, name): wager for seat, name, wager in round_.wagers(*_ALL_FATES)}
        open_still = [key for key, wager in lies.items() if wager.fate in _OPEN_FATES]
        assert not open_still, f"{round_.id} ended as {event.outcome} with {open_still} undecided"
        assert {key: wager.cents for key, wager in lies.items()} == self._cents

    def _gap(self, before: State, given: Input, after: State) -> None:
        """6: a gap in a round is a question to a person, and what a shuffler may have done in it makes its sets unarmed."""
        body = given.body
        gap = isinstance(body, e.EventsLost) or (isinstance(body, e.DeviceOnline) and not body.gap_closed)
        device = before.devices.get(given.subject)
        if isinstance(body, e.LinesDamaged) and device is not None:
            gap = device.in_service
        if not gap or device is None or device.kind is e.DeviceKind.LINE:
            return
        if before.round is not None and before.round.live:
            assert after.held or after.round is None or not after.round.live, "a gap went by in silence"
            assert after.round is None or after.round.unproven
        if device.kind is e.DeviceKind.SHUFFLER:
            on_layout = before.round.back if before.round is not None and before.round.on_layout else ""
            assert not [s for s in after.sets.values() if s.present and s.back != on_layout and s.armed]

    def _unknown(self, given: Input, after: State) -> None:
        """7: a lost answer is unknown, and no level is known until it is read back."""
        if isinstance(given.body, e.LevelUnknown) and given.subject in after.devices:
            device = after.devices[given.subject]
            assert not any(device.knows(given.body.level, value) for value in _VALUES)

    def _round(self, after: State) -> None:
        """A round stands in a phase of its game, waits only for who is asked, and a void one leaves no wager live."""
        round_ = after.round
        if round_ is None:
            return
        stage = round_.game.stage(round_.phase)
        assert stage is not None or round_.phase in ALIKE
        waiting = round_.waiting
        assert not set(waiting) - set(round_.seats)
        assert stage is None or stage.ends is not None or waiting, "nobody can end this stage"
        if round_.void:
            live = [
                (seat, name)
                for seat, s in round_.seats.items()
                for name, w in s.wagers.items()
                if w.fate == "live"
            ]
            assert not live, f"{round_.id} is void and {live} are live"


def _never_paid(given: Input) -> bool:
    """A hand that was declared to win at once, and does not: what looked settled with the declaration is not."""
    return isinstance(given.body, a.ReportIrregularity) and given.body.trigger is Trigger.FALSE_DECLARATION


_VALUES = (e.ENGAGED, e.RELEASED, e.INHIBITED, e.ALLOWED)
_OPEN_FATES = ("live", "held")
_ALL_FATES = ("live", "returned", "held", "to_settle", "stands", "collected", "lost", "settled")


def _lost_goes_back(before: State, given: Input) -> bool:
    """A person was asked whether a later void reaches what was lost, and has said so."""
    act = given.body
    if not isinstance(act, a.ResolveHold) or act.resolution is not a.Resolution.RETURN_WAGER:
        return False
    hold = before.holds.get(act.hold)
    return hold is not None and hold.wager == ALL_LOST
