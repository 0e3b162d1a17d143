"""Random acts and reports in any order, under every document that is played: what must hold whatever people and devices do."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from controller.rules.vocabulary import Area, Method, Role, Step, Trigger
from controller.table.acts.irregularities import SEEN_BY_PEOPLE
from controller.table.decide import fold
from controller.table.questions import burns
from controller.table.questions.deal_plan import community_left, deal_plan
from controller.table.questions.stub_count_and_turns import asking_order, full_set
from controller.table.state.table import AFTER_ROUND, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.codec import WITHHELD, encode
from controller.table.words.inputs import Actor, ServiceStarted, SetDue
from drivers import events as e
from tests.controller.table.fold.moves import unlisted
from tests.soak.invariants import Watch

SEATS = st.integers(1, 3)
BOOKS = {
    "md-uth": {},
    "ma-uth": {},
    "nj-pikit": {"qualifier": "with"},
    "ma-colorado": {"version": "permissible_bet"},
    "fast-action": {},
}
BETS = {
    "ultimate": (("ante", 1000), ("blind", 1000), ("trips", 500)),
    "pikit": (("ante", 1000), ("five_card_bonus", 1000), ("three_card_bonus", 300)),
    "colorado": (("ante", 1000), ("bonus", 100)),
    "fast_action": (("original", 1000),),
}
WAGERS = sorted({name for wagers in BETS.values() for name, _ in wagers})
OFFERED = ("trips", "progressive", "three_card_bonus", "bonus")
HANDS = ("As Kd", "As Kd 7c", "As Kd 7c 7d", "As Kd 7c 7d 2h", "?? Kd", "As Kd zz")
BACKS = st.sampled_from(["red", "blue"])
DISPUTES = st.integers(1, 60).map(lambda number: f"C{number}")
NAMES = st.sampled_from(["shoe-1", "shuffler-1", "progressive-1"])
ACTS = st.one_of(
    st.builds(a.BeginRound, BACKS),
    st.builds(
        a.PlaceWager, SEATS, st.sampled_from(WAGERS), st.sampled_from([1000, 701]), st.sampled_from(["", "ann"]),
        st.sampled_from([0, 0, 500]),
    ),
    st.builds(a.RecordProgressiveCount, st.integers(0, 3)),
    st.builds(a.RecordDecision, SEATS, st.sampled_from(a.Decision), st.integers(0, 4)),
    st.builds(a.RevealCommunity, st.sampled_from(a.Street)),
    st.builds(a.RevealDealer, st.booleans(), st.booleans()),
    st.builds(a.RecordStubCount, st.integers(25, 40), st.booleans(), st.sampled_from([None, 51, 52])),
    st.builds(a.SettleWager, SEATS, st.sampled_from(WAGERS), st.sampled_from(a.Outcome), st.sampled_from([0, 500])),
    st.builds(
        a.SettleWager, SEATS, st.sampled_from(["ante", "envy"]), st.sampled_from([a.Outcome.WIN, a.Outcome.LOSE]),
        st.sampled_from([0, 500]), st.none(), st.booleans(), st.integers(0, 3),
    ),
    st.builds(a.SettleRound, st.sampled_from([None, 0, 4000])),
    st.builds(a.ValidateProgressive, SEATS, st.booleans()),
    st.builds(a.RecordHand, st.sampled_from(Area), st.sampled_from(HANDS), st.integers(0, 3)),
    st.builds(a.RecordMeter, st.sampled_from(["meter", "major"]), st.sampled_from([90_000_000, 1]), st.just(80_000_000)),
    st.builds(a.CorrectSettlement, SEATS, st.sampled_from(WAGERS), st.sampled_from(a.Outcome), st.sampled_from(["seen", ""])),
    st.builds(a.RaiseDispute, st.sampled_from(["paid wrong", ""]), st.just(""), SEATS),
    st.builds(a.NameBookmark, DISPUTES, st.just("cam 7"), st.just(0), st.integers(-1, 2)),
    st.builds(a.AllowClearing, DISPUTES, st.one_of(NAMES, BACKS), st.just("it smokes")),
    st.builds(a.CloseDispute, DISPUTES, st.just("as paid")),
    st.builds(a.SeeAlarm, st.sampled_from(["A1", "A2"])),
    st.builds(a.ClearAlarm, st.sampled_from(["A1", "A2"]), st.just("a coat")),
    st.builds(a.RecordShuffle, BACKS),
    st.builds(a.BringSet, BACKS, st.booleans()),
    st.builds(a.ConfirmStep, BACKS, st.sampled_from(Step), st.booleans()),
    st.builds(a.RequestSpread, BACKS),
    st.builds(a.ReportIrregularity, st.sampled_from(sorted(SEEN_BY_PEOPLE)), st.integers(0, 3), st.integers(1, 2)),
    st.builds(a.TakeDeviceOut, NAMES, st.sampled_from(a.OutOfService), st.booleans()),
    st.builds(a.ReturnDevice, NAMES),
    st.builds(a.ChangeMethod, st.sampled_from([Method.HAND, Method.DEALING_SHOE])),
    st.sampled_from(
        [
            a.AnnounceNoMoreBets(), a.ReleaseLockout(), a.StartDealing(), a.RecordInitialDeal(),
            a.SettleRound(), a.CollectCards(), a.EndRound(), a.CloseTable(), a.OpenTable(), a.IdleTable(),
        ]
    ),
)  # fmt: skip
RED = st.sampled_from([e.Back.RED, e.Back.BLUE, e.Back.UNKNOWN])
CARDS = st.one_of(st.none(), st.integers(0, 52))
REPORTS = st.one_of(
    st.builds(e.ShuffleCompleted, RED, st.sampled_from(e.Mode), st.sampled_from([None, 51, 52]), st.sampled_from(e.Identities)),
    st.builds(e.ShuffleStopped, RED, st.sampled_from(e.StopReason), CARDS),
    st.builds(e.Jammed, RED, st.sampled_from(e.Activity), st.sampled_from(e.JamPlace), st.integers(0, 5), CARDS),
    st.builds(e.JamCleared, st.booleans(), st.integers(1, 3)),
    st.builds(e.CardsRemoved, CARDS),
    st.builds(e.StackDispensed, RED, st.integers(1, 6), st.integers(1, 6)),
    st.builds(e.DealStopped, RED, st.sampled_from(e.StopReason), st.integers(1, 6), CARDS),
    st.builds(e.DealCompleted, RED, st.integers(0, 6), CARDS),
    st.builds(e.FaceUpCard, RED, st.sampled_from(e.Activity)),
    st.builds(e.WagerSensed, SEATS, st.just(1), st.booleans()),
    st.builds(e.WagerRemoved, SEATS, st.just(1), st.booleans()),
    st.builds(e.LockoutEngaged, st.sampled_from(e.Cause), st.just(0)),
    st.builds(e.LockoutReleased, st.sampled_from(e.Cause), st.just(0)),
    st.builds(e.DispensingAllowed, st.sampled_from(e.Cause), st.just(0)),
    st.builds(e.PoweredUp, st.sampled_from(e.ResetCause), CARDS),
    st.sampled_from([e.DoorOpened(), e.DoorClosed(), e.SelfTestFailed(3), e.DeviceOffline("link_eof")]),
    st.builds(e.EventsLost, st.just("SIM"), st.just("0" * 16), st.just(1), st.integers(0, 4), st.sampled_from([None, True])),
    st.builds(e.LinesDamaged, st.integers(1, 3), st.integers(0, 2), st.integers(0, 2)),
)  # fmt: skip
SUPERVISOR = Actor("eve", Role.SUPERVISOR)


class AnySequence(RuleBasedStateMachine):
    """A table in the hands of chance."""

    make_table = None

    @initialize(rulebook=st.sampled_from(sorted(BOOKS)))
    def open(self, rulebook):
        self.table = type(self).make_table(rulebook, elect=BOOKS[rulebook], offered=OFFERED)
        self.table.watch = Watch(self.table.setup)
        self.table.ready()

    def put(self, body, subject="table"):
        events = self.table.put(body, subject, SUPERVISOR if body.kind in a.ACTS else None)
        assert not any(b"Kd" in encode(event) for event in events if event.kind not in WITHHELD)
        return events

    @rule(act=ACTS)
    def someone_acts(self, act):
        self.put(act)

    @rule(report=REPORTS, name=NAMES)
    def a_device_reports(self, report, name):
        if name in self.table.setup.devices:
            self.put(report, name)

    @rule(hours=st.sampled_from([0, 4, 8]), back=BACKS)
    def the_clock_says_that_a_set_is_due(self, hours, back):
        self.table.pass_time(hours * 3600)
        before = self.table.state.round
        self.put(SetDue(back))
        assert self.table.state.round == before

    @rule()
    def the_pc_starts_again(self):
        self.table.reboot(off_s=60)

    @rule()
    def the_daemon_starts_again(self):
        self.put(ServiceStarted("0", "x", "1", ""))

    @rule(name=NAMES, gap_closed=st.booleans())
    def a_device_comes_back(self, name, gap_closed):
        if name in self.table.setup.devices:
            self.table.online(name, gap_closed=gap_closed)

    @rule(phases=st.integers(1, 6))
    def a_round_goes_as_it_should(self, phases):
        """Chance alone rarely comes far: now and then the proper steps of some phases are taken."""
        for _ in range(phases):
            self.one_phase()

    def one_phase(self):
        round_ = self.table.state.round
        if round_ is None:
            back = next((b for b in ("red", "blue") if b != self.table.state.last_back), "red")
            self.put(
                e.ShuffleCompleted(
                    e.Back(back), e.Mode.SHUFFLE, full_set(self.table.setup), e.Identities.NOT_READ
                ),
                "shuffler-1",
            )
            self.put(a.BeginRound(back))
            return
        for step in self.proper_steps(round_):
            self.put(step)

    def asked(self):
        return asking_order(self.table.setup, self.table.round)[0]

    def proper_steps(self, round_):
        match round_.phase.value:
            case "betting":
                yield from (a.PlaceWager(1, name, cents) for name, cents in BETS[round_.game.name])
                yield a.AnnounceNoMoreBets()
            case "bets_closed":
                if "progressive-1" in self.table.setup.devices:
                    self.table.put(e.LockoutEngaged(e.Cause.COMMAND, 1), "progressive-1")
                yield a.RecordProgressiveCount(round_.chips_accepted)
                while burns.due(self.table.setup, self.table.state) is not None:
                    yield a.BurnCard()
                yield a.StartDealing()
            case "dealing" if (dispenser := self.table.state.dispenser()) is not None:
                yield a.StartDealing()
                plan = deal_plan(self.table.setup, round_)
                for number, planned in list(enumerate(plan, 1))[round_.stacks_out :]:
                    self.put(e.StackDispensed(e.Back(round_.back), number, planned.cards), dispenser)
            case "dealing":
                yield a.RecordInitialDeal()
            case "pre_flop" | "flop":
                yield from (a.RecordDecision(seat, a.Decision.CHECK) for seat in self.asked())
                yield a.RevealCommunity(a.Street.FLOP if round_.phase.value == "pre_flop" else a.Street.LAST_TWO)
            case "last_two":
                yield from (a.RecordDecision(seat, a.Decision.PLAY, 1) for seat in self.asked())
                yield a.RevealDealer()
            case "bonus_cards":
                yield from (a.RecordDecision(seat, a.Decision.SHOW) for seat in self.asked())
            case "setting":
                answer = (a.Decision.SPLIT, a.Decision.SET)[round_.number % 2]
                yield from (a.RecordDecision(seat, answer, 1) for seat in self.asked())
                yield a.RevealDealer(natural=round_.number % 3 == 0)
            case "dealer_set":
                if (dispenser := self.table.state.dispenser()) and (
                    left := community_left(self.table.setup, round_)
                ):
                    yield a.StartDealing()
                    self.put(e.StackDispensed(e.Back(round_.back), 1, left), dispenser)
                yield a.RevealCommunity(a.Street.COMMUNITY)
            case "decision" if round_.game.streets:
                yield from (a.RecordDecision(seat, a.Decision.BET, 1) for seat in self.asked())
                yield a.RevealCommunity(a.Street.COMMUNITY)
            case "decision":
                yield from (a.RecordDecision(seat, a.Decision.PLAY_5, 1) for seat in self.asked())
                yield a.RevealDealer(qualifies=round_.number % 2 == 0)
            case "showdown":
                yield from (
                    a.SettleRound(),
                    a.RecordStubCount(self.table.right_stub()),
                    a.CollectCards(),
                    a.EndRound(),
                )

    def teardown(self):
        """Whatever happened, folding the record gives the same state, and people can bring the table back to play."""
        if not hasattr(self, "table"):
            return
        assert fold(State.initial(self.table.setup), self.table.all) == self.table.state
        assert list(unlisted(State.initial(self.table.setup), self.table.all)) == []
        recover(self)


def waits_for_the_end(table, duty):
    """True for a demand on the set of the round in play that is met after the round."""
    round_ = table.state.round
    return round_ is not None and duty.action in AFTER_ROUND and duty.back == round_.back


def recover(machine):
    """What a supervisor would do: disputes closed, for they keep devices as they are, devices back, holds resolved, duties done,
    cards collected, a new round begun."""
    table = machine.table
    for dispute in list(table.state.disputes.values()):
        machine.put(a.NameBookmark(dispute.id, "camera 7", 1, 2))
        if dispute.keeps:
            machine.put(a.ResolveHold(dispute.hold, a.Resolution.GO_ON))
        machine.put(a.CloseDispute(dispute.id, "the right hand won"))
    for name in table.setup.devices:
        machine.put(e.CardsRemoved(0), name)
        machine.put(a.ReturnDevice(name))
        table.online(name)
    jam = [
        a.ReportIrregularity(Trigger.SHOE_JAM)
    ]  # once: the round goes on where nobody deals from a shoe, or no text voids it
    for _ in range(40):
        if table.state.held:
            hold = next(iter(table.state.holds.values()))
            choice = a.Resolution.VOID if a.Resolution.VOID in hold.choices else hold.choices[0]
            machine.put(a.ResolveHold(hold.id, choice))
        elif any(not waits_for_the_end(table, duty) for duty in table.state.duties.values()):
            for duty in list(table.state.duties.values()):  # one that waits for the end of the round is refused
                machine.put(a.ConfirmDuty(duty.id))
        elif table.state.round is not None:
            if table.state.round.phase.value not in ("settled", "stopped") and jam:
                machine.put(jam.pop())
                continue
            if table.state.round.phase.value in ("betting", "bets_closed"):
                table.shuffled(table.state.round.back, full_set(table.setup))
            for step in machine.proper_steps(table.state.round):
                machine.put(step)
            machine.put(a.CollectCards())
            machine.put(a.EndRound())
        else:
            break
    for back in ("red", "blue"):
        machine.put(a.BringSet(back))
    machine.put(a.OpenTable())
    table.take_steps()
    for back in ("red", "blue"):
        table.shuffled(back, full_set(table.setup))
    machine.put(a.RecordStubCount(52))
    next_back = "blue" if table.state.last_back == "red" else "red"
    begun = machine.put(a.BeginRound(next_back))
    assert any(isinstance(event, f.RoundBegun) for event in begun), begun


def test_any_sequence_of_acts_and_reports_keeps_the_invariants(make_table):
    """No decision fails, nothing opens without a person, every demand is cited, and play can always be taken up again."""
    AnySequence.make_table = staticmethod(make_table)
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        AnySequence,
        settings=settings(
            max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
