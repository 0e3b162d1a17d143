"""What follows where something went wrong or was asked for: reports of people, duties done, holds answered, a method changed."""

from controller.games.fates import wager_fates
from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Guard, Method, Trigger
from controller.table.course.reports import deal_is_out, emptied, initial_deal_done
from controller.table.fold.ruling import Draft
from controller.table.irregularities import jams, revoked_answers
from controller.table.irregularities.collected_wagers import after_void, ask_of_lost
from controller.table.irregularities.dispositions import dispose, open_duty
from controller.table.irregularities.held_wagers import fare_as_void, void_since
from controller.table.irregularities.settled_wagers import after_settled, settled_before
from controller.table.irregularities.spared_wagers import not_collected, void_round
from controller.table.irregularities.wager_facts import lying, open_return_duty, record
from controller.table.questions.deal_plan import players_dealt
from controller.table.questions.stub_count_and_turns import away_first
from controller.table.settlement import settle
from controller.table.state.table import ALL_COLLECTED, ALL_LOST, DISPENSERS, Duty, Fate, Hold, Round
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from drivers.events import DeviceKind


def irregularity(draft: Draft, act: a.ReportIrregularity, actor: Actor) -> None:
    if act.trigger is Trigger.SOMETHING_ELSE:
        _something_else(draft, act, actor)
        return
    guards: list[Guard] = []
    found = 0
    if act.trigger is Trigger.CARD_FACE_UP:
        known = _round(draft).face_up
        found = act.cards - (known if _round(draft).face_up_sensed else 0)  # beside a device people tell of all
        if known + found > 1:
            guards.append(Guard.SEVERAL)
    if act.trigger is Trigger.CARD_DRAWN_EXPOSED:
        found = act.cards
        if _round(draft).face_up + _round(draft).drawn_exposed + found > 1:
            guards.append(Guard.SEVERAL)
    if act.trigger is Trigger.WRONG_COUNT_PLAYER and (_round(draft).streets or _round(draft).natural):
        guards.append(Guard.COMMUNITY_DEALT)
    if act.trigger is Trigger.DEALER_CARD_EXPOSED and not players_dealt(draft.setup, _round(draft)):
        guards.append(Guard.HANDS_MISSING)
    if act.completable:
        guards.append(Guard.COMPLETABLE)
    if act.too_many:
        guards.append(Guard.TOO_MANY)
    if act.on_purpose:
        guards.append(Guard.ON_PURPOSE)
    if act.in_box:
        guards.append(Guard.OF_THE_BOX)
    kind = {Trigger.SHUFFLER_JAM: DeviceKind.SHUFFLER, Trigger.SHOE_JAM: DeviceKind.SHOE}.get(act.trigger)
    if kind is not None:  # a person saw what the device did not report: it demands the same
        name = _device_of(draft, kind)
        assert name is not None
        jams.seen(draft, name)
        return
    if act.trigger is Trigger.UNFIT_CARD:
        _unfit_card(draft, act)
        return
    device = draft.state.dispenser() or ""
    asked = draft.state.short_hand(act.seat) if act.trigger is Trigger.HAND_DECLARED_VOID else None
    before = _round(draft)
    dispose(draft, act.trigger, *guards, device=device, back=before.back, seat=act.seat, cards=found)
    if act.trigger is Trigger.FALSE_DECLARATION:
        revoked_answers.undeclared(draft, before, act.seat)
    if asked is not None:
        _closed(draft, asked, actor)


def _unfit_card(draft: Draft, act: a.ReportIrregularity) -> None:
    """The set in which the card was found; between rounds that of the last one where nobody says which."""
    round_ = draft.state.round
    in_play = round_.back if round_ else ""
    back = act.back or in_play or draft.state.last_back or next(iter(draft.state.sets))
    guards = [Guard.IDLE_SET] if in_play and back != in_play else []
    dispose(draft, act.trigger, *guards, back=back, seat=act.seat)


def _something_else(draft: Draft, act: a.ReportIrregularity, actor: Actor) -> None:
    """What no row knows: the table stands still, a person decides, and no clause is cited for it."""
    round_, note = draft.state.round, act.note.strip()
    draft.add(f.SomethingElseReported(round_.id if round_ else "", act.seat, note, actor.who, actor.role))
    where = f"seat {act.seat}: " if act.seat else ""
    draft.hold(f"{where}{note}", seat=act.seat, code=Trigger.SOMETHING_ELSE.value)


def confirm(draft: Draft, act: a.ConfirmDuty, actor: Actor) -> None:
    """Closing a duty on a set or a device also records where that set or device now is."""
    duty = draft.state.duties[act.duty]
    _closed(draft, duty, actor)
    match duty.action:
        case Action.REMOVE_SET | Action.CHANGE_SET if duty.back:
            draft.add(f.SetRemoved(duty.back, actor.who))
        case Action.COMPLETE_DEALER_HAND:
            if deal_is_out(draft):
                initial_deal_done(draft)
        case Action.CLEAR_DEVICE if duty.device:
            emptied(draft, duty.device)
        case Action.REMOVE_DEVICE if duty.device:
            draft.add(f.DeviceTakenOut(duty.device, a.OutOfService.REMOVED, True, actor.who), duty.device)
        case Action.COVER_OR_SIGN_DEVICE if duty.device:
            draft.add(f.DeviceTakenOut(duty.device, a.OutOfService.COVERED, True, actor.who), duty.device)


def _closed(draft: Draft, duty: Duty, actor: Actor) -> None:
    """No card of a short hand is let out any more once its player has chosen, and has it where it was chosen."""
    round_ = draft.state.round
    if duty.action is Action.ASK_VOID_OR_COMPLETE and round_ is not None and round_.late_let_out:
        draft.make_safe("the short hand is decided")
    draft.add(f.DutyClosed(duty.id, duty.action, actor.who, actor.role, duty.wager))


def resolve(draft: Draft, act: a.ResolveHold, actor: Actor) -> None:
    """A person's decision about a hold, under the reading that the hold was placed by."""
    hold = draft.state.holds[act.hold]
    draft.add(f.HoldLifted(hold.id, act.resolution, actor.who, actor.role, hold.reading, act.note))
    round_ = draft.state.round
    if round_ is None:
        return
    if hold.wager in (ALL_COLLECTED, ALL_LOST):
        _resolve_collected(draft, hold, act.resolution)
    elif act.resolution in settle.OF_THE_CENT:
        settle.give_up_half(draft, hold.seat, actor.who, act.resolution)
    elif hold.wager and act.resolution is a.Resolution.WAGER_LOST:
        _collect_held(draft, hold)
    elif hold.wager and act.resolution in revoked_answers.OF_WAGER:  # to go on leaves the wager as it lies
        fate = Fate.RETURNED if act.resolution is a.Resolution.RETURN_WAGER else Fate.STANDS
        cite = () if hold.reading else hold.cite
        for seat, wager, held in round_.wagers(Fate.HELD, Fate.LIVE):
            if held.hold != hold.id and (seat, wager) != (hold.seat, hold.wager):
                continue  # it waits for another answer, or for none
            if fate is Fate.RETURNED or not fare_as_void(draft, hold, seat, wager):
                draft.decide_wager(seat, wager, held.cents, fate, cite, hold.reading)
    elif act.resolution is a.Resolution.VOID and not round_.void:
        _void_by_a_person(draft, hold)


def _resolve_collected(draft: Draft, hold: Hold, resolution: a.Resolution) -> None:
    """Chips that were collected at a fold, or lost, go back out of the container, or stay there."""
    if resolution is not a.Resolution.RETURN_WAGER:
        _collect_the_rest(draft, hold)
        return
    round_ = _round(draft)
    fate = Fate.LOST if hold.wager == ALL_LOST else Fate.COLLECTED
    back = [item for item in round_.wagers(fate) if hold.seat in (0, item[0])]
    back += [item for item in round_.wagers(Fate.HELD) if item[2].hold == hold.id]
    for seat, wager, lies in back:
        draft.decide_wager(seat, wager, lies.cents, Fate.RETURNED, (), hold.reading)
    if back and hold.wager == ALL_LOST:
        not_collected(draft, {seat for seat, _, _ in back})


def _collect_the_rest(draft: Draft, hold: Hold) -> None:
    """Wagers on the layout that waited for the same answer are lost with those that stay collected."""
    for seat, wager, lies in _round(draft).wagers(Fate.HELD):
        if lies.hold == hold.id:
            draft.decide_wager(seat, wager, lies.cents, Fate.LOST, (), hold.reading)
            open_duty(draft, Demand(Action.COLLECT_SEAT_WAGERS, reading=hold.reading), seat=seat)


def _collect_held(draft: Draft, hold: Hold) -> None:
    """The wagers that this hold was placed for are lost, and the dealer collects them.

    Where their hand or round became void since, they go back if that was elected for wagers that were lost before.
    Clause: `[play] lost_in_void`.
    """
    round_, rule = _round(draft), draft.setup.law.rulebook.play.lost_in_void
    for seat, wager, lies in round_.wagers(Fate.HELD):
        if lies.hold != hold.id:
            continue
        if rule is not None and draft.setup.law.decided(rule) == "return" and void_since(draft, hold, seat, wager):
            draft.decide_wager(seat, wager, lies.cents, Fate.RETURNED, (), rule.reading)
            open_return_duty(draft, Demand(Action.RETURN_ALL_WAGERS, reading=rule.reading))
            continue
        draft.decide_wager(seat, wager, lies.cents, Fate.LOST, (), hold.reading)
        open_duty(draft, Demand(Action.COLLECT_SEAT_WAGERS, reading=hold.reading), seat=seat)


def _void_by_a_person(draft: Draft, hold: Hold) -> None:
    """The clause that a hold was placed by does not say that the round is void: the person does, under a reading."""
    reading = hold.reading or draft.setup.law.of_holds
    demands = (Demand(Action.VOID_ROUND, reading=reading), Demand(Action.RETURN_ALL_WAGERS, reading=reading))
    fates = wager_fates(draft.setup.law, demands, lying(draft))
    reached = settled_before(draft, demands, fates)
    void_round(draft, (), reading)
    record(draft, fates)
    for lost in after_void(draft, fates):
        open_duty(draft, lost.by, seat=lost.seat)
    for seat, demand in after_settled(draft, reached, "The round is void.", ()):
        open_duty(draft, demand, seat=seat)
    ask_of_lost(draft, fates)


def change_method(draft: Draft, method: Method, actor: Actor) -> None:
    """Before another method is used, something is done about the device that is still in service. Clause: `method_change`."""
    old = _device_of(draft, DISPENSERS.get(draft.state.method))
    draft.add(f.MethodChanged(method, actor.who))
    if old is None:
        return
    device = draft.state.devices[old]
    if device.in_service or away_first(draft.setup, draft.state, old) is not None:
        dispose(draft, Trigger.METHOD_CHANGE, *([Guard.DEVICE_FAILED] if device.failed else []), device=old)


def _device_of(draft: Draft, kind: DeviceKind | None) -> str | None:
    """The device of this kind that is in service, or one that was taken out of it where none is."""
    in_service = draft.state.device_of(kind)
    return in_service[0] if in_service else draft.setup.device_of(kind)


def _round(draft: Draft) -> Round:
    assert draft.state.round is not None
    return draft.state.round
