"""What people would do next at a table: acts that mostly fit, so that most rounds come to their end.

An act that has no entry here is drawn at random (`build.py`), and is done where the table allows it.
"""

from bisect import bisect
from collections.abc import Callable, Mapping
from random import Random

from controller.games.model import Phase, ShowCommunity
from controller.rules.parts import WagerRule
from controller.rules.vocabulary import Moment as When
from controller.rules.vocabulary import Settle, Step, Trigger
from controller.table.acts.contradictions import OF_NO_SEAT, WRONG_COUNTS
from controller.table.acts.irregularities import OF_THE_HOUSE, SEEN_BY_PEOPLE
from controller.table.card_sets.cuts import offered_to
from controller.table.card_sets.preparation import SPREADS
from controller.table.questions import stub
from controller.table.questions.counting_shoe import cutting_card_untold
from controller.table.questions.deal_plan import cards_gone, community_left, dealt_late, still_in_device
from controller.table.questions.stub_count_and_turns import asking_order, full_set, not_its_turn
from controller.table.state.table import DISPENSERS, Fate, Round, Setup, State, Wager
from controller.table.words import acts as a
from controller.table.words.structs import replace
from drivers.events import ALLOWED, DeviceKind, Level
from tests.soak import together
from tests.soak.build import Builder
from tests.soak.offered import MOST, OTHERWISE, WEIGHTS, WHIM, Kinds
from tests.soak.tellers import Teller

LONG_GAME = 4
"""In a game of fewer stages people report as much in less time."""
SHORT = 0.15
"""How often what is reported in a deal is that the cards do not suffice, for all or for one player."""
OF_A_DEAL = (Trigger.CARDS_INSUFFICIENT, Trigger.WRONG_COUNT_PLAYER)
SLIP = 0.05
"""How often a report has words that contradict it."""
LAZY = 0.4
"""How often dealers count no stub that need not be counted."""
UNCOUNTED = 0.04
"""How often nobody counts what a guest puts down."""


class People:
    """Proposes acts for one table. `guests`: seats that are taken in this round."""

    def __init__(self, rng: Random, setup: Setup, builder: Builder) -> None:
        self.rng, self.setup, self.builder = rng, setup, builder
        self.guests: tuple[int, ...] = (1,)
        self.teller, self._lazy = Teller(rng, setup, builder), rng.random() < LAZY
        rulebook = setup.law.rulebook
        reported = SEEN_BY_PEOPLE if rulebook.stub is not None else SEEN_BY_PEOPLE | OF_THE_HOUSE
        self._seen = [trigger for trigger in sorted(reported) if rulebook.absent(trigger) is None]
        self._makers: dict[str, Callable[[State], a.Act | None]] = {
            a.BeginRound.kind: self._begin,
            a.PlaceWager.kind: self._wager,
            a.WithdrawWager.kind: self._takes_back,
            a.StartDealing.kind: self._deals,
            a.CollectCards.kind: self._collects,
            a.EndRound.kind: self._ends,
            a.RecordProgressiveCount.kind: self._progressive,
            a.RecordDecision.kind: self._decision,
            a.RecordDecisions.kind: lambda state: together.line(self.rng, self.setup, state, self.teller),
            a.RevealCommunity.kind: self._community,
            a.RevealDealer.kind: self.teller.dealer,
            a.RecordStubCount.kind: self._stub,
            a.ReportIrregularity.kind: self._irregularity,
            a.ConfirmDuty.kind: self._duty,
            a.ResolveHold.kind: self._hold,
            a.BringSet.kind: self._set,
            a.RecordShuffle.kind: self._shuffle,
            a.ConfirmStep.kind: self._step,
            a.RecordCut.kind: self._cut,
            a.PlaceCuttingCard.kind: self._mark,
            a.PostNotice.kind: lambda _: a.PostNotice(self.rng.choice(sorted(self.setup.offered) or ["none"])),
            a.RecordHand.kind: self.teller.hand,
            a.RecordMeter.kind: self.teller.meter,
            a.SettleWager.kind: self.teller.one_wager,
            a.CorrectSettlement.kind: self._correction,
            a.SettleRound.kind: self.teller.settles,
            a.NextRound.kind: lambda state: a.NextRound(self._begin(state).back),
            a.CountAndDeal.kind: lambda state: a.CountAndDeal(_round(state).chips_accepted),
            a.SeeAlarm.kind: lambda state: a.SeeAlarm(next(iter(state.alarms))) if state.alarms else None,
            a.ClearAlarm.kind: self._alarm,
            a.AllowClearing.kind: self._clearing,
            a.CloseDispute.kind: self._closes,
        }

    def new_guests(self) -> None:
        self.teller.new_round()
        seats = self.setup.seats
        many = min(seats, self.rng.choice((1, 1, 1, 2, 2, 3, 6)))
        self.guests = tuple(sorted(self.rng.sample(range(1, seats + 1), many)))

    def propose(self, kind: str, state: State) -> a.Act | None:
        """An act of this kind that may fit now; None where there is no use for one."""
        maker = self._makers.get(kind)
        return maker(state) if maker else self.builder.record(a.ACTS[kind], state)

    def kind(self, kinds: Kinds, state: State) -> str | None:
        """What people would do, as likely as it is now; None where they think better of it."""
        names, weights = kinds
        kind = names[bisect(weights, self.rng.random() * weights[-1])]
        most = MOST.get(kind)
        return kind if most is None or self.rng.random() * most < self._weight(kind, state) else None

    def is_whim(self, kind: str, state: State) -> bool:
        """True for what people seldom do and nothing asks of them: a device goes out where it is not well, else on a whim."""
        if kind == a.TakeDeviceOut.kind:
            return all(d.online and not d.jammed and not d.failed for d in state.devices.values() if d.in_service)
        return self._weight(kind, state) <= WHIM

    def _weight(self, kind: str, state: State) -> float:
        """How likely people do this now."""
        usual = WEIGHTS.get(kind, OTHERWISE)
        match kind:
            case a.RecordHand.kind:
                over = state.round is not None and state.round.phase is Phase.SETTLED
                return 6 if self.teller.untold(state) is not None else usual / 10 if over else usual
            case a.RecordMeter.kind:
                return 6 if self.teller.meter_untold(state) is not None else usual
            case a.SettleWager.kind:
                return 6 if self.teller.tells and self.teller.one_by_one else usual
            case a.ReturnDevice.kind:
                return usual if _is_out(state) else 0.01
            case a.ChangeMethod.kind:
                return 0.5 if _is_out(state) else usual
            case a.ReportIrregularity.kind:
                waits_for_word = state.short_hand() or cutting_card_untold(self.setup, state)
                short = len(state.round.game.stages) < LONG_GAME if state.round is not None else False
                return 2 if waits_for_word is not None else usual * (3 if short else 1)
            case a.BringSet.kind if any(not s.present or s.due for s in state.sets.values()):
                return 2 if self._wants_set(state) else 0.05
            case a.TakeSetAway.kind if state.device_of(DeviceKind.SHUFFLER) is None and self._present(state) > 1:
                return 4
        return usual

    def _wants_set(self, state: State) -> bool:
        due = any(card_set.present and card_set.due for card_set in state.sets.values())
        return due or not self._present(state) or state.device_of(DeviceKind.SHUFFLER) is not None

    def _present(self, state: State) -> int:
        return sum(card_set.present for card_set in state.sets.values())

    def _begin(self, state: State) -> a.BeginRound:
        present = [s for s in state.sets.values() if s.present and not_its_turn(self.setup, state, s.back) is None]
        ready = [s for s in present if s.armed]
        return a.BeginRound(self.rng.choice(ready or present or list(state.sets.values())).back)

    def _wager(self, state: State) -> a.Act | None:
        """First what nobody plays goes back, then what must stand at each taken seat, then what a player likes."""
        assert state.round is not None
        rules = self.setup.law.rulebook.wagers
        for seat, name, _ in state.round.wagers(Fate.LIVE):
            if seat not in self.guests and not rules[name].sensed:
                return a.WithdrawWager(seat, name)  # of somebody who does not stay for this round
        for seat in self.guests:
            here = state.round.seats.get(seat)
            placed = here.wagers if here else {}
            for rule in rules.values():
                if rule.placed != "before_deal" or rule.optional or rule.name in placed:
                    continue
                base = placed.get(rule.of or "")
                times = rule.multiples(When.BEFORE_DEAL)
                cents = (
                    base.cents * self.rng.choice(times) if base and times else self.rng.choice((500, 1000, 1500))
                )
                counted = self.rng.random() > UNCOUNTED
                return a.PlaceWager(seat, rule.name, cents if counted else 0, coupon=self._coupon())
            wrong = next(
                (r for r in rules.values() if r.of in placed and r.name in placed and not _fits(r, placed)), None
            )
            if wrong is not None:
                return a.WithdrawWager(seat, wrong.name)
        likes = [
            r for r in rules.values() if r.placed == "before_deal" and r.optional and r.name in self.setup.offered
        ]
        if not likes or self.rng.random() < 0.3:
            return None
        rule, seat = self.rng.choice(likes), self.rng.choice(self.guests)
        here = state.round.seats.get(seat)
        if here and rule.name in here.wagers and self.rng.random() < 0.9:
            return None
        cents = rule.exact_cents.value if rule.exact_cents else self.rng.choice((100, 500, 700))
        return a.PlaceWager(seat, rule.name, cents)

    def _coupon(self) -> int:
        """Now and then one lies beside the chips, where the document knows coupons."""
        known = Settle.COUPON in self.setup.law.rulebook.settlement
        return self.rng.choice((500, 701)) if known and self.rng.random() < 0.1 else 0

    def _takes_back(self, state: State) -> a.Act | None:
        lies = _round(state).wagers(Fate.LIVE)
        if not lies:
            return None
        seat, wager, _ = self.rng.choice(lies)
        return a.WithdrawWager(seat, wager)

    def _progressive(self, state: State) -> a.Act | None:
        if _round(state).progressive_counted and self.rng.random() < 0.9:
            return None
        return a.RecordProgressiveCount(_round(state).chips_accepted + (self.rng.random() < 0.03))

    def _decision(self, state: State) -> a.Act | None:
        round_ = _round(state)
        stage, (waiting, _) = round_.game.stage(round_.phase), asking_order(self.setup, round_)
        if stage is None or not waiting:
            return None
        version = self.setup.law.rulebook.play.version
        fits = [
            x for x in stage.answers if x.version is None or (version is not None and x.version == version.value)
        ]
        answer = self.rng.choice(self.teller.answers(waiting[0], fits))
        rule = self.setup.law.rulebook.wagers.get(answer.places or "")
        times = rule.multiples(stage.moment) if rule is not None and stage.moment is not None else ()
        return a.RecordDecision(waiting[0], answer.decision, self.rng.choice(times) if times else 0)

    def _deals(self, state: State) -> a.Act | None:
        """The cards are let out once; again where something has stopped them. Few try it with a set that is not ready."""
        if self.rng.random() < 0.8 and not self._may_deal(state):
            return None
        name = state.dispenser()
        dealing = _round(state).phase is Phase.DEALING
        going_on = name is None or state.devices[name].wanted.get(Level.DISPENSING) == ALLOWED
        return None if dealing and going_on and self.rng.random() < 0.95 else a.StartDealing()

    def _may_deal(self, state: State) -> bool:
        """The set is ready, what lets the cards out is there, and something is left to be let out."""
        round_ = _round(state)
        card_set, needs = state.sets[round_.back], DISPENSERS.get(state.method)
        by_device = self.setup.law.rulebook.dealing[round_.method].needs_shuffler
        if not (card_set.armed or round_.vouched) or (
            card_set.by_hand and by_device is not None and by_device.value
        ):
            return False
        if needs is not None and state.device_of(needs) is None:
            return False
        late = dealt_late(self.setup, round_) and (state.short_hand() or community_left(self.setup, round_) > 0)
        return (
            round_.phase in (Phase.BETS_CLOSED, Phase.DEALING) or bool(late) or still_in_device(self.setup, round_)
        )

    def _collects(self, state: State) -> a.Act | None:
        return None if _round(state).collected and self.rng.random() < 0.98 else a.CollectCards()

    def _ends(self, state: State) -> a.Act | None:
        """Nobody ends a round while players still place their wagers, unless none comes, nor while cards lie there."""
        round_ = _round(state)
        early = round_.live if round_.phase is Phase.BETTING else not round_.collected
        unlikely = 0.95 if early or round_.phase is Phase.BETTING else 0.0
        return None if self.rng.random() < unlikely else a.EndRound()

    def _community(self, state: State) -> a.Act | None:
        round_ = _round(state)
        left: tuple[ShowCommunity, ...] = round_.game.streets[round_.streets :]
        return a.RevealCommunity(left[0].street) if left else None

    def _stub(self, state: State) -> a.Act | None:
        """At some tables only the count that the cards of a round wait for."""
        if self._lazy and state.round is not None and stub.due(self.setup, state) is None:
            return None
        right = full_set(self.setup)
        if state.round is not None:
            right -= cards_gone(self.setup, state.round)
        back = "" if state.round is not None else self.rng.choice(("", *self.setup.backs))
        if self.rng.random() < 0.95:
            return a.RecordStubCount(max(right, 0), back=back)
        full = full_set(self.setup)
        return a.RecordStubCount(
            max(right - self.rng.choice((0, 1, 2)), 0), self.rng.random() < 0.5, self.rng.choice((full, full - 1))
        )

    def _correction(self, state: State) -> a.Act | None:
        """Of a wager of this round or the last one, whatever has become of it."""
        rounds = [r for r in (state.round, state.last_round) if r is not None]
        lies = [(r.id, n, name) for r in rounds for n, seat in r.seats.items() for name in seat.wagers]
        if not lies:
            return None
        name, seat, wager = self.rng.choice(lies)
        outcome = self.rng.choice((a.Outcome.WIN, a.Outcome.LOSE, a.Outcome.PUSH))
        paid = 500 if outcome is a.Outcome.WIN else 0
        return a.CorrectSettlement(seat, wager, outcome, "looked at again", paid, round=name)

    def _irregularity(self, state: State) -> a.Act:
        if cutting_card_untold(self.setup, state) is not None and self.rng.random() < 0.8:
            return a.ReportIrregularity(
                Trigger.CUTTING_CARD_REACHED, self.rng.choice(list(_round(state).in_play) or [0])
            )
        if (asked := state.short_hand()) is not None and self.rng.random() < 0.8:
            return a.ReportIrregularity(Trigger.HAND_DECLARED_VOID, asked.seat)
        seats = list(state.round.in_play) if state.round else []
        seat = self.rng.choice(seats) if seats and self.rng.random() < 0.9 else 0
        act = self.builder.record(a.ReportIrregularity, state)
        assert isinstance(act, a.ReportIrregularity)
        trigger = self.rng.choice(self._seen)
        if state.round is not None and state.short_hand() is None and self.rng.random() < SHORT / 3:
            trigger = Trigger.WRONG_COUNT_PLAYER
        if state.round is not None and state.round.phase is Phase.DEALING and self.rng.random() < SHORT:
            trigger = self.rng.choice(OF_A_DEAL)
        said = "a glass fell onto the layout" if trigger is Trigger.SOMETHING_ELSE else ""
        back = act.back if trigger is Trigger.UNFIT_CARD else ""
        act = replace(act, trigger=trigger, seat=seat, note=said, back=back)
        return act if self.rng.random() < SLIP else _consistent(act)

    def _duty(self, state: State) -> a.Act | None:
        asked = state.short_hand() if self.rng.random() < 0.7 else None  # then the player has not chosen yet
        duties = [duty for duty in state.duties.values() if duty is not asked]
        return a.ConfirmDuty(self.rng.choice(duties).id) if duties else None

    def _hold(self, state: State) -> a.Act | None:
        if not state.holds:
            return None
        hold = self.rng.choice(list(state.holds.values()))
        return a.ResolveHold(hold.id, self.rng.choice(hold.choices))

    def _alarm(self, state: State) -> a.Act | None:
        return a.ClearAlarm(self.rng.choice(list(state.alarms)), "looked at") if state.alarms else None

    def _clearing(self, state: State) -> a.Act | None:
        keeping = [dispute.id for dispute in state.disputes.values() if dispute.keeps]
        what = (*self.setup.devices, *self.setup.backs)
        return a.AllowClearing(keeping[0], self.rng.choice(what), "it smokes") if keeping else None

    def _closes(self, state: State) -> a.Act:
        told = [d.id for d in state.disputes.values() if d.bookmark is not None]
        return a.CloseDispute(self.rng.choice(told or list(state.disputes)), "settled with the guest")

    def _set(self, state: State) -> a.Act:
        wanted = [s.back for s in state.sets.values() if not s.present or s.due]
        return a.BringSet(self.rng.choice(wanted or list(state.sets)), self.rng.random() < 0.3)

    def _cut(self, state: State) -> a.Act | None:
        """Offered in the order of the document, and taken by somebody; now and then otherwise."""
        waiting = [s.back for s in state.sets.values() if s.cut_due and s.present]
        if not waiting:
            return None
        if self.rng.random() < 0.05:
            return self.builder.record(a.RecordCut, state)  # type: ignore[no-any-return]
        order = offered_to(self.setup, state)
        taken = self.rng.randrange(len(order) + 1)
        by_players = self.setup.law.rulebook.cut.by.value == "players"
        if not order:
            return a.RecordCut(waiting[0], 1 if by_players else 0)
        seat = order[taken] if taken < len(order) else 0
        return a.RecordCut(waiting[0], seat, order[:taken], self.rng.choice((None, 10, 40)))

    def _mark(self, state: State) -> a.Act | None:
        waiting = [s.back for s in state.sets.values() if s.mark_due and s.present]
        if not waiting:
            return None
        full = full_set(self.setup)
        return a.PlaceCuttingCard(waiting[0], self.rng.choice((None, full // 4, full // 3, full // 5)))

    def _step(self, state: State) -> a.Act | None:
        """The step that is next with some set, now and then one that is not."""
        waiting = [(s.back, s.waits.step) for s in state.sets.values() if s.waits is not None]
        if not waiting or self.rng.random() < 0.02:
            act = self.builder.record(a.ConfirmStep, state)
            assert isinstance(act, a.ConfirmStep)
            return act if waiting else None
        back, step = self.rng.choice(waiting)
        looked = self.rng.random() < 0.9 if step is Step.TAKE_STORED_SET else None
        return a.ConfirmStep(back, step, self.rng.random() < 0.5 and step in SPREADS, looked, looked)

    def _shuffle(self, state: State) -> a.Act | None:
        loose = [s.back for s in state.sets.values() if s.present and not s.armed]
        return a.RecordShuffle(self.rng.choice(loose)) if loose else None


def _consistent(act: a.ReportIrregularity) -> a.ReportIrregularity:
    """The report with no word that cannot be true of these cards."""
    at_dealer = act.at_dealer and act.trigger is Trigger.CUTTING_CARD_REACHED
    too_many = act.too_many and act.trigger in WRONG_COUNTS
    return replace(
        act,
        at_dealer=at_dealer,
        seat=0 if at_dealer or act.trigger in OF_NO_SEAT else act.seat,
        too_many=too_many,
        on_purpose=act.on_purpose and act.trigger is Trigger.DEALER_CARD_EXPOSED,
        completable=act.completable and act.trigger is Trigger.WRONG_COUNT_DEALER and not too_many,
    )


def _fits(rule: WagerRule, placed: Mapping[str, Wager]) -> bool:
    of = placed[rule.of or ""].cents
    return placed[rule.name].cents in [of * times for times in rule.multiples(When.BEFORE_DEAL)]


def _is_out(state: State) -> bool:
    return any(not device.in_service for device in state.devices.values())


def _round(state: State) -> Round:
    assert state.round is not None
    return state.round
