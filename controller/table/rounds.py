"""What follows from a person's act: each has been allowed already (`allowed.verify`), here it takes effect."""

from typing import Any, assert_never

from controller.games.model import Phase
from controller.rules.citation import Cited
from controller.rules.vocabulary import Action, Guard, Method, Role, Trigger
from controller.table import acts as a
from controller.table import facts as f
from controller.table import procedures
from controller.table.between import decide_set_act
from controller.table.collected import after_void, collect_at_fold
from controller.table.deadlines import table_opened
from controller.table.devices import back_in_shuffler, deal_is_out, initial_deal_done, jam
from controller.table.dispositions import accept_progressive, dispose
from controller.table.draft import Draft
from controller.table.inputs import Actor
from controller.table.law import away_first, full_set, must_qualify
from controller.table.links import take_back
from controller.table.state import ALL_COLLECTED, ALL_HELD, DISPENSERS, Fate, Hold, Round, deal_plan
from controller.table.suspicion import suspect
from controller.table.upkeep import asked_of_short_hand
from drivers.events import ALLOWED, ENGAGED, RELEASED, DeviceKind, Level


def decide_act(draft: Draft, act: a.Act, actor: Actor) -> None:
    """Adds the facts of an allowed act."""
    match act:
        case a.OpenTable():
            draft.add(f.TableOpened(actor.who))
            table_opened(draft, actor.who)
            procedures.table_opened(draft)
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
        case a.RecordStubCount():
            _stub_count(draft, act, actor)
        case a.EndRound():
            _end_round(draft, actor)
        case a.ReportIrregularity():
            _irregularity(draft, act, actor)
        case a.ConfirmDuty():
            _confirm(draft, act, actor)
        case a.ResolveHold():
            _resolve(draft, act, actor)
        case a.TakeDeviceOut():
            draft.add(f.DeviceTakenOut(act.device, act.how, act.failed, actor.who), act.device)
            take_back(draft, act.device, "out of service")
        case a.ReturnDevice():
            draft.add(f.DeviceReturned(act.device, actor.who), act.device)
        case a.ChangeMethod():
            _change_method(draft, act.method, actor)
        case _ if isinstance(act, a.SetAct):
            decide_set_act(draft, act, actor)
        case _:
            draft.add(_as_recorded(draft, act, actor))


Recorded = a.CloseTable | a.PlaceWager | a.WithdrawWager | a.RevealCommunity | a.SettleRound | a.CollectCards
"""Acts of which the record is all that follows."""


def _as_recorded(draft: Draft, act: Recorded, actor: Actor) -> f.Event:
    match act:
        case a.CloseTable():
            return f.TableClosed(actor.who)
        case a.PlaceWager():
            return f.WagerPlaced(act.seat, act.wager, act.cents, draft.setup.currency, actor.who)
        case a.WithdrawWager():
            return f.WagerWithdrawn(act.seat, act.wager, actor.who)
        case a.RevealCommunity():
            return f.CommunityRevealed(act.street)
        case a.SettleRound():
            return f.RoundSettled(actor.who)
        case a.CollectCards():
            return f.CardsCollected(actor.who)
        case _:
            assert_never(act)


def _round(draft: Draft) -> Round:
    assert draft.state.round is not None
    return draft.state.round


def _begin_round(draft: Draft, act: a.BeginRound, actor: Actor) -> None:
    number = draft.state.rounds + 1
    name = f"{draft.setup.table}-{number}"
    plays = draft.setup.law.rulebook.plays
    draft.add(f.RoundBegun(name, number, act.back, draft.state.method, actor.who, plays))
    _release_lockout(draft, "betting is open")


def _release_lockout(draft: Draft, because: str) -> None:
    progressive = draft.state.device_of(DeviceKind.PROGRESSIVE)
    if progressive and progressive[1].online:
        draft.want(progressive[0], Level.LOCKOUT, RELEASED, because)


def _no_more_bets(draft: Draft, actor: Actor) -> None:
    """The lock-out follows the announcement; chips accepted before it become wagers of their seats."""
    accept_progressive(draft)
    law = draft.setup.law.rulebook
    cite = law.cite_for(law.progressive.lock_at.cite if law.progressive else (), draft.state.method)
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
                choices=(a.Resolution.RETURN_WAGER,),
            )  # fmt: skip


def _progressive_count(draft: Draft, act: a.RecordProgressiveCount, actor: Actor) -> None:
    law = draft.setup.law.rulebook
    cite = law.cite_for(law.progressive.verify_count.cite if law.progressive else (), draft.state.method)
    accepted = len(_round(draft).accepted)
    draft.add(f.ProgressiveCounted(act.chips, accepted, actor.who, cite))
    if act.chips != accepted:
        dispose(draft, Trigger.PROGRESSIVE_MISMATCH)


def _start_dealing(draft: Draft, actor: Actor) -> None:
    resumed = _round(draft).phase is Phase.DEALING
    draft.add(f.DealingAllowed(actor.who, resumed))
    dispenser = draft.state.dispenser()
    if dispenser is not None:
        draft.want(dispenser, Level.DISPENSING, ALLOWED, f"{actor.who} lets the cards out")


def _initial_deal(draft: Draft) -> None:
    out = sum(stack.cards for stack in deal_plan(draft.setup, _round(draft)))
    draft.add(f.InitialDealCompleted(out))


def _decision(draft: Draft, act: a.RecordDecision, actor: Actor) -> None:
    law, round_ = draft.setup.law.rulebook, _round(draft)
    stage = round_.game.stage(round_.phase)
    answer = stage.answer(act.decision, law.play.version.value if law.play.version else None) if stage else None
    of = law.wagers[answer.places].of if answer and answer.places else None
    cents = round_.seats[act.seat].wagers[of].cents * act.multiple if of else 0
    draft.add(f.DecisionRecorded(act.seat, act.decision, cents, actor.who))
    if answer is not None and answer.folds:
        collect_at_fold(draft, act.seat)


def _dealer_revealed(draft: Draft, act: a.RevealDealer) -> None:
    """Where the hand does not reach the minimum, what the document lets go back goes back. Clause: `dealer_qualifies`."""
    round_, rule = _round(draft), draft.setup.law.rulebook.play.dealer_qualifies
    judged = must_qualify(draft.setup, round_.game)
    natural = draft.setup.law.rulebook.play.dealer_natural
    draft.add(f.DealerRevealed(act.qualifies if judged else None, act.natural if natural else None))
    if judged and not act.qualifies and rule is not None:
        _give_back(draft, round_.game.returned_unqualified, rule)
    if natural is not None and act.natural:
        _give_back(draft, natural.value, natural)


def _give_back(draft: Draft, names: tuple[str, ...], rule: Cited[Any]) -> None:
    for seat, wager, live in _round(draft).wagers(Fate.LIVE, Fate.STANDS):
        if wager in names:
            _fate(draft, seat, wager, live.cents, Fate.RETURNED, rule.cite, rule.reading)


def cards_out(draft: Draft) -> int:
    """Cards that have left the set in this round: stacks or hands, burns, community cards dealt by hand, and those
    that lay face up, each of which another card has replaced."""
    round_ = _round(draft)
    dealing = draft.setup.law.rulebook.dealing[round_.method]
    shown = sum(street.cards for street in round_.game.streets[: round_.streets])
    by_hand = shown if dealing.community_after else 0
    burns = min(dealing.burns.value, round_.streets)
    return round_.cards_out + by_hand + burns + round_.face_up


def _stub_count(draft: Draft, act: a.RecordStubCount, actor: Actor) -> None:
    """Stub and cards dealt together make a whole set, or the document says what follows. Clause: `[stub_count]`."""
    round_ = draft.state.round
    back = round_.back if round_ else draft.state.last_back
    out = cards_out(draft) if round_ else 0
    expected = full_set(draft.setup)
    right = act.stub + out == expected and not act.misdealt
    rule = draft.setup.law.rulebook
    cite = rule.cite_for(rule.stub.every_rounds.cite if rule.stub else (), draft.state.method)
    draft.add(f.StubCounted(back, act.stub, act.stub + out, expected, right, actor.who, cite))
    if right:
        for duty in [d for d in draft.state.duties.values() if d.action is Action.COUNT_STUB]:
            draft.add(f.DutyClosed(duty.id, duty.action, actor.who, actor.role))
        return
    suspect(draft, back, f.Verdict.STUB)
    guards = [Guard.MISDEALT] if act.misdealt else []
    if act.all_cards == expected:
        guards.append(Guard.FULL_SET_REMAINS)
    dispose(draft, Trigger.STUB_WRONG, *guards, back=back)


def _end_round(draft: Draft, actor: Actor) -> None:
    round_ = _round(draft)
    outcome = "void" if round_.void else "stopped" if round_.phase is Phase.STOPPED else "played"
    draft.add(f.RoundEnded(round_.id, outcome, actor.who, _next_marker(draft, round_), cards_out(draft)))
    progressive = draft.state.device_of(DeviceKind.PROGRESSIVE)
    if progressive and progressive[1].wanted.get(Level.LAMPS):
        draft.want(progressive[0], Level.LAMPS, "", "the round has ended")
    draft.make_safe("no round is in play")


def _next_marker(draft: Draft, round_: Round) -> int | None:
    """After a round the marker moves on clockwise, past the last seat to the dealer. Clause: `first_card_to`."""
    if draft.setup.law.rulebook.play.first_card_to.value != "marker":
        return None
    moves = round_.let_out and not round_.marker_stayed
    return (round_.marker + moves) % (draft.setup.seats + 1)


def _irregularity(draft: Draft, act: a.ReportIrregularity, actor: Actor) -> None:
    guards: list[Guard] = []
    if act.trigger is Trigger.CARD_FACE_UP and act.cards + _round(draft).face_up > 1:
        guards.append(Guard.SEVERAL)
    if act.trigger is Trigger.WRONG_COUNT_PLAYER and _round(draft).streets:
        guards.append(Guard.COMMUNITY_DEALT)
    if act.completable:
        guards.append(Guard.COMPLETABLE)
    if act.too_many:
        guards.append(Guard.TOO_MANY)
    kind = {Trigger.SHUFFLER_JAM: DeviceKind.SHUFFLER, Trigger.SHOE_JAM: DeviceKind.SHOE}.get(act.trigger)
    if kind is not None:
        _jam_seen(draft, kind)
        return
    device = draft.state.dispenser() or ""
    asked = asked_of_short_hand(draft.state, act.seat) if act.trigger is Trigger.HAND_DECLARED_VOID else None
    dispose(draft, act.trigger, *guards, device=device, back=_round(draft).back, seat=act.seat)
    if asked is not None:
        draft.add(f.DutyClosed(asked.id, asked.action, actor.who, actor.role))


def _jam_seen(draft: Draft, kind: DeviceKind) -> None:
    """A person saw what a device did not report: it demands the same."""
    round_ = _round(draft)
    in_service = draft.state.device_of(kind)
    name = in_service[0] if in_service else draft.setup.device_of(kind)
    assert name is not None
    deals = round_.phase is Phase.DEALING and DISPENSERS.get(draft.state.method) is kind
    back = round_.back if deals or kind is DeviceKind.SHOE else back_in_shuffler(draft)
    jam(draft, name, back, handing_out=deals)


def _confirm(draft: Draft, act: a.ConfirmDuty, actor: Actor) -> None:
    """Closing a duty on a set or a device also records where that set or device now is."""
    duty = draft.state.duties[act.duty]
    draft.add(f.DutyClosed(duty.id, duty.action, actor.who, actor.role))
    match duty.action:
        case Action.REMOVE_SET | Action.CHANGE_SET if duty.back:
            draft.add(f.SetRemoved(duty.back, actor.who))
        case Action.COMPLETE_DEALER_HAND:
            if deal_is_out(draft):
                initial_deal_done(draft)
        case Action.REMOVE_DEVICE if duty.device:
            draft.add(f.DeviceTakenOut(duty.device, a.OutOfService.REMOVED, True, actor.who), duty.device)
        case Action.COVER_OR_SIGN_DEVICE if duty.device:
            draft.add(f.DeviceTakenOut(duty.device, a.OutOfService.COVERED, True, actor.who), duty.device)


def _resolve(draft: Draft, act: a.ResolveHold, actor: Actor) -> None:
    """A person's decision about a hold, under the reading that the hold was placed by."""
    hold = draft.state.holds[act.hold]
    draft.add(f.HoldLifted(hold.id, act.resolution, actor.who, actor.role, hold.reading, act.note))
    round_ = draft.state.round
    if round_ is None:
        return
    if hold.wager == ALL_COLLECTED:
        _resolve_collected(draft, hold, act.resolution)
    elif hold.wager:
        fate = Fate.RETURNED if act.resolution is a.Resolution.RETURN_WAGER else Fate.STANDS
        cite = () if hold.reading else hold.cite
        own = {(other.seat, other.wager) for other in draft.state.holds.values()}  # each waits for its own answer
        for seat, wager, held in round_.wagers(Fate.HELD, Fate.LIVE):
            of_all = hold.wager == ALL_HELD and held.fate is Fate.HELD and (seat, wager) not in own
            if of_all or (seat, wager) == (hold.seat, hold.wager):
                _fate(draft, seat, wager, held.cents, fate, cite, hold.reading)
    elif act.resolution is a.Resolution.VOID and not round_.void:
        _void_by_a_person(draft, hold)


def _resolve_collected(draft: Draft, hold: Hold, resolution: a.Resolution) -> None:
    """Chips that were collected at a fold go back out of the container, or stay there: then nothing changes."""
    if resolution is a.Resolution.RETURN_WAGER:
        for seat, wager, collected in _round(draft).wagers(Fate.COLLECTED):
            if hold.seat in (0, seat):
                _fate(draft, seat, wager, collected.cents, Fate.RETURNED, (), hold.reading)


def _void_by_a_person(draft: Draft, hold: Hold) -> None:
    """The clause that a hold was placed by does not say that the round is void: the person does, under a reading."""
    reading = hold.reading or draft.setup.law.of_holds
    draft.add(f.RoundVoided(_round(draft).id, (), reading))
    returned = _round(draft).wagers(Fate.LIVE, Fate.STANDS)
    for seat, wager, held in returned:
        _fate(draft, seat, wager, held.cents, Fate.RETURNED, (), reading)
    reached = after_void(draft, 0)
    if returned or reached:
        least = draft.setup.law.rulebook.duty_roles.get(Action.RETURN_ALL_WAGERS)
        role = least.value if least else Role.DEALER
        draft.add(f.DutyOpened(draft.next_id("D"), Action.RETURN_ALL_WAGERS, role, reading=reading))


def _fate(
    draft: Draft, seat: int, wager: str, cents: int, fate: Fate, cite: tuple[str, ...], reading: str | None
) -> None:
    currency, name = draft.setup.currency, _round(draft).id
    draft.add(f.WagerDecided(name, seat, wager, cents, currency, fate.value, cite, reading))


def _change_method(draft: Draft, method: Method, actor: Actor) -> None:
    """Before another method is used, something is done about the device that is still in service. Clause: `method_change`."""
    kind = DISPENSERS.get(draft.state.method)
    in_service = draft.state.device_of(kind) if kind else None
    old = in_service[0] if in_service else draft.setup.device_of(kind) if kind else None
    draft.add(f.MethodChanged(method, actor.who))
    if old is None:
        return
    device = draft.state.devices[old]
    if device.in_service or away_first(draft.setup, draft.state, old) is not None:
        dispose(draft, Trigger.METHOD_CHANGE, *([Guard.DEVICE_FAILED] if device.failed else []), device=old)
