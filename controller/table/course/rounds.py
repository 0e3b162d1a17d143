"""What follows from a person's act: each has been allowed already (`allowed.verify`), here it takes effect."""

from typing import Any, assert_never

from controller.games.model import AT_ONCE, Phase
from controller.rules.citation import Cited
from controller.rules.vocabulary import Action, Guard, Settle, Trigger
from controller.table.card_sets import preparation
from controller.table.card_sets.acts import decide_set_act
from controller.table.card_sets.time_in_play import table_opened
from controller.table.course import holds_and_duties
from controller.table.course.links import restore, take_back
from controller.table.course.reports import disarm
from controller.table.fold.ruling import Draft
from controller.table.irregularities import disputes, revoked_answers
from controller.table.irregularities.collected_wagers import collect_at_fold
from controller.table.irregularities.dispositions import accept_progressive, dispose
from controller.table.irregularities.suspect_rounds import suspect
from controller.table.questions import stub
from controller.table.questions.counting_shoe import compare_with_deal
from controller.table.questions.deal_plan import cards_gone, first_deal
from controller.table.questions.positions import laid_away
from controller.table.questions.stub_count_and_turns import (
    full_set,
    must_qualify,
    order_cite,
    stub_count_overdue,
    takes_chips,
    too_many_cite,
)
from controller.table.settlement import corrections, hand_records, settle, validation
from controller.table.settlement.unchecked import unchecked
from controller.table.state.table import Fate, Round
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from drivers.events import ALLOWED, ENGAGED, RELEASED, DeviceKind, Level


def decide_act(draft: Draft, act: a.Act, actor: Actor) -> None:
    """Adds the facts of an allowed act."""
    match act:
        case a.OpenTable():
            draft.add(f.TableOpened(actor.who))
            table_opened(draft, actor.who)
            preparation.table_opened(draft)
        case a.BeginRound():
            _begin_round(draft, act, actor)
        case a.AnnounceNoMoreBets():
            _no_more_bets(draft, actor)
        case a.ReleaseLockout():
            _release_lockout(draft, f"{actor.who} released it")
        case a.RecordProgressiveCount():
            _progressive_count(draft, act, actor)
        case a.StartDealing():
            _start_dealing(draft, actor)
        case a.RecordInitialDeal():
            _initial_deal(draft)
        case a.RecordDecision():
            _decision(draft, act, actor)
        case a.RevealDealer():
            _dealer_revealed(draft, act)
        case a.RecordHandsFound():
            settle.found(draft, act, actor)
        case a.SettleRound():
            settle.round_settled(draft, act, actor)
        case a.RecordStubCount():
            _stub_count(draft, act, actor)
        case a.EndRound():
            _end_round(draft, actor)
        case a.ReportIrregularity():
            holds_and_duties.irregularity(draft, act, actor)
        case a.ConfirmDuty():
            holds_and_duties.confirm(draft, act, actor)
        case a.ResolveHold():
            holds_and_duties.resolve(draft, act, actor)
        case a.TakeDeviceOut() | a.ReturnDevice() | a.ChangeMethod():
            _device_act(draft, act, actor)
        case a.CollectCards():
            _collect(draft, actor)
        case _ if isinstance(act, a.SetAct):
            decide_set_act(draft, act, actor)
        case _ if isinstance(act, a.SettleAct):
            decide_settle_act(draft, act, actor)
        case _ if isinstance(act, a.CaseAct):
            disputes.decide_case(draft, act, actor)
        case _:
            draft.add(_as_recorded(draft, act, actor))


def _device_act(draft: Draft, act: a.TakeDeviceOut | a.ReturnDevice | a.ChangeMethod, actor: Actor) -> None:
    match act:
        case a.TakeDeviceOut():
            draft.add(f.DeviceTakenOut(act.device, act.how, act.failed, actor.who), act.device)
            take_back(draft, act.device, "out of service")
        case a.ReturnDevice():
            draft.add(f.DeviceReturned(act.device, actor.who), act.device)
            # While it was out of service nobody minded who opened it.
            restore(draft, act.device, draft.state.devices[act.device].levels, "returned to service")
        case a.ChangeMethod():
            holds_and_duties.change_method(draft, act.method, actor)


def decide_settle_act(draft: Draft, act: a.SettleAct, actor: Actor) -> None:
    """Adds the facts of an allowed act of settling."""
    match act:
        case a.SettleWager():
            settle.settled(draft, act, actor)
        case a.RecordHand():
            hand_records.recorded(draft, act, actor)
        case a.RecordMeter():
            hand_records.meter_recorded(draft, act, actor)
        case a.CorrectSettlement():
            corrections.correct(draft, act, actor)
        case a.ValidateProgressive():
            validation.validated(draft, act, actor)
        case _:
            assert_never(act)


Recorded = a.CloseTable | a.PlaceWager | a.WithdrawWager | a.RevealCommunity
"""Acts of which the record is all that follows."""


def _as_recorded(draft: Draft, act: Recorded, actor: Actor) -> f.Event:
    match act:
        case a.CloseTable():
            return f.TableClosed(actor.who)
        case a.PlaceWager():
            currency = draft.setup.currency
            return f.WagerPlaced(act.seat, act.wager, act.cents, currency, actor.who, act.player, act.coupon)
        case a.WithdrawWager():
            return f.WagerWithdrawn(act.seat, act.wager, actor.who)
        case a.RevealCommunity():
            return f.CommunityRevealed(act.street)
        case _:
            assert_never(act)


def _collect(draft: Draft, actor: Actor) -> None:
    """Of a set whose cards came out unbidden nobody knows the order any more: it is shuffled before it is dealt."""
    round_ = _round(draft)
    if round_.unbidden and round_.live:
        disarm(draft, [round_.back], "cards that nobody let out were collected again")
    draft.add(f.CardsCollected(actor.who))


def _round(draft: Draft) -> Round:
    assert draft.state.round is not None
    return draft.state.round


def _begin_round(draft: Draft, act: a.BeginRound, actor: Actor) -> None:
    number = draft.state.rounds + 1
    name = f"{draft.setup.table}-{number}"
    plays = draft.setup.law.rulebook.plays
    chips = takes_chips(draft.setup)
    draft.add(f.RoundBegun(name, number, act.back, draft.state.method, actor.who, plays, chips))
    _release_lockout(draft, "betting is open")


def _release_lockout(draft: Draft, because: str) -> None:
    """The sensors take chips now, unless the house offers no wager that they take: then they stay locked."""
    if not _round(draft).chips:
        return
    progressive = draft.state.device_of(DeviceKind.PROGRESSIVE)
    if progressive and progressive[1].online:
        draft.want(progressive[0], Level.LOCKOUT, RELEASED, because)


def _no_more_bets(draft: Draft, actor: Actor) -> None:
    """The lock-out follows the announcement; chips accepted before it become wagers of their seats."""
    accept_progressive(draft)
    law = draft.setup.law.rulebook
    locks = law.cite_for(law.progressive.lock_at.cite if law.progressive else (), draft.state.method)
    cite = (*order_cite(draft.setup, draft.state, a.AnnounceNoMoreBets.kind), *locks)
    seats = tuple(sorted({seat for seat, _ in _round(draft).accepted}))
    draft.add(f.BetsClosed(actor.who, seats, cite))
    progressive = draft.state.device_of(DeviceKind.PROGRESSIVE)
    if progressive is None:
        return
    draft.want(progressive[0], Level.LOCKOUT, ENGAGED, "no more bets")
    draft.want(progressive[0], Level.LAMPS, ",".join(map(str, seats)), "accepted progressive wagers")
    _without_base_wagers(draft)


def _without_base_wagers(draft: Draft) -> None:
    """A progressive wager may not stand without the wagers that it requires."""
    rule = draft.setup.law.rulebook.wagers.get("progressive")
    if rule is None:
        return
    for seat, name, _ in _round(draft).wagers(Fate.LIVE):
        placed = _round(draft).seats[seat].wagers
        missing = [w for w in rule.requires.value if w not in placed]
        if name == "progressive" and missing:
            draft.hold(
                f"seat {seat}: a progressive wager without {', '.join(missing)}; it goes back",
                cite=rule.requires.cite, reading=rule.requires.reading, seat=seat, wager=name,
                choices=(a.Resolution.RETURN_WAGER,), code="wager_needs_another",
            )  # fmt: skip


def _progressive_count(draft: Draft, act: a.RecordProgressiveCount, actor: Actor) -> None:
    law = draft.setup.law.rulebook
    cite = law.cite_for(law.progressive.verify_count.cite if law.progressive else (), draft.state.method)
    accepted = _round(draft).chips_accepted
    draft.add(f.ProgressiveCounted(act.chips, accepted, actor.who, cite))
    if act.chips != accepted:
        dispose(draft, Trigger.PROGRESSIVE_MISMATCH)


def _start_dealing(draft: Draft, actor: Actor) -> None:
    late = _round(draft).phase not in (Phase.BETS_CLOSED, Phase.DEALING)
    resumed = _round(draft).late_let_out if late else _round(draft).phase is Phase.DEALING
    draft.add(f.DealingAllowed(actor.who, resumed, late))
    dispenser = draft.state.dispenser()
    if dispenser is not None:
        draft.want(dispenser, Level.DISPENSING, ALLOWED, f"{actor.who} lets the cards out")


def _initial_deal(draft: Draft) -> None:
    out = sum(stack.cards for stack in first_deal(draft.setup, _round(draft)))
    draft.add(f.InitialDealCompleted(out))
    compare_with_deal(draft, out)


def _decision(draft: Draft, act: a.RecordDecision, actor: Actor) -> None:
    law, round_ = draft.setup.law.rulebook, _round(draft)
    stage = round_.game.stage(round_.phase)
    assert stage is not None
    answer = stage.answer(act.decision, law.play.version.value if law.play.version else None)
    of = law.wagers[answer.places].of if answer and answer.places else None
    cents = round_.seats[act.seat].wagers[of].cents * act.multiple if of else 0
    laid = laid_away(draft.setup, round_, act.seat, act.decision)
    where = (laid.to, laid.beside or "", laid.cite, laid.reading) if laid else ("", "", (), None)
    multiple = act.multiple if of else 0
    draft.add(f.DecisionRecorded(act.seat, act.decision, cents, actor.who, *where, multiple))
    if answer is not None and answer.folds:
        collect_at_fold(draft, act.seat)
    if answer is not None and answer.decision in AT_ONCE and round_.seats[act.seat].one_hand:
        revoked_answers.announced(draft, act.seat, too_many_cite(draft.setup))
    if answer is not None and answer.surrenders:
        settle.surrender(draft, act.seat, actor.who)


def _dealer_revealed(draft: Draft, act: a.RevealDealer) -> None:
    """Where the hand does not reach the minimum, what the document lets go back goes back, by the clause that returns it and not
    by those that make the dealer qualify. Clause: `[settlement] unqualified`.

    Said anew, a person looks at what was settled by the other word; where it is no natural the hands play on.
    Clause: `dealer_natural`.
    """
    round_, rule = _round(draft), draft.setup.law.rulebook.settlement.get(Settle.UNQUALIFIED)
    judged = must_qualify(draft.setup, round_.game)
    natural = draft.setup.law.rulebook.play.dealer_natural
    draft.add(f.DealerRevealed(act.qualifies if judged else None, act.natural if natural else None))
    if judged and not act.qualifies and rule is not None:
        _give_back(draft, round_.game.returned_unqualified, rule)
    if natural is not None and act.natural:
        _give_back(draft, natural.value, natural)
        corrections.ask_of_natural(draft, round_, natural)
    elif natural is not None and round_.natural:
        corrections.ask_of_no_natural(draft, round_, natural)


def _give_back(draft: Draft, names: tuple[str, ...], rule: Cited[Any]) -> None:
    for seat, wager, live in _round(draft).wagers(Fate.LIVE, Fate.STANDS):
        if wager in names:
            draft.decide_wager(seat, wager, live.cents, Fate.RETURNED, rule.cite, rule.reading)


def cards_out(draft: Draft) -> int:
    """Cards that have left the set in the round in play."""
    return cards_gone(draft.setup, _round(draft))


def _stub_count(draft: Draft, act: a.RecordStubCount, actor: Actor) -> None:
    """Stub and cards dealt together make a whole set, or the document says what follows. Clause: `[stub_count]`."""
    round_ = draft.state.round
    back = round_.back if round_ else act.back or draft.state.last_back
    out = cards_out(draft) if round_ else 0
    expected = full_set(draft.setup)
    right = act.stub + out == expected and not act.misdealt
    rule = draft.setup.law.rulebook
    assert rule.stub is not None
    cite = rule.cite_for(rule.stub.every_rounds.cite, draft.state.method)
    draft.add(f.StubCounted(back, act.stub, act.stub + out, expected, right, actor.who, cite))
    asked = back == (
        round_.back if round_ else draft.state.last_back
    )  # by a duty, which is about the last set that was dealt
    for duty in [d for d in draft.state.duties.values() if d.action is Action.COUNT_STUB and asked]:
        draft.add(f.DutyClosed(duty.id, duty.action, actor.who, actor.role))
    if right:
        return
    suspect(draft, back, f.Verdict.STUB)
    guards = [Guard.MISDEALT] if act.misdealt else []
    if act.all_cards == expected:
        guards.append(Guard.FULL_SET_REMAINS)
    dispose(draft, Trigger.STUB_WRONG, *guards, back=back)


def _end_round(draft: Draft, actor: Actor) -> None:
    round_ = _round(draft)
    left_out = unchecked(draft.setup, draft.state)
    counts = round_.played and (not round_.void or stub.counts_void(draft.setup))
    marker, out = _next_marker(draft, round_), cards_out(draft)
    draft.add(f.RoundEnded(round_.id, _outcome(round_), actor.who, marker, out, left_out, counts))
    progressive = draft.state.device_of(DeviceKind.PROGRESSIVE)
    if progressive and progressive[1].wanted.get(Level.LAMPS):
        draft.want(progressive[0], Level.LAMPS, "", "the round has ended")
    draft.make_safe("no round is in play")
    if stub_count_overdue(draft.setup, draft.state, round_.back):
        dispose(draft, Trigger.STUB_COUNT_DUE, back=round_.back)


def _outcome(round_: Round) -> str:
    """A word of `RoundEnded.outcome`. A round of which every bet was taken back before the deal was not played."""
    if round_.void:
        return "void"
    if round_.phase is Phase.STOPPED:
        return "stopped"
    return "played" if round_.played else "not_dealt"


def _next_marker(draft: Draft, round_: Round) -> int | None:
    """After a round the marker moves on clockwise, past the last seat to the dealer. Clause: `first_card_to`."""
    if draft.setup.law.rulebook.play.first_card_to.value != "marker":
        return None
    moves = round_.let_out and not round_.marker_stayed
    return (round_.marker + moves) % (draft.setup.seats + 1)
