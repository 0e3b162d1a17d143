"""`evolve(state, fact) -> state`: the only thing that changes the state. It never decides and never refuses.

What stands in the journal is folded with this at start, so every fact must be foldable without the rulebook.
"""

import dataclasses

from controller.games.model import Phase
from controller.games.registry import GAMES, UNNAMED
from controller.rules.vocabulary import Action, BurnAt, Guard, Trigger
from controller.table.fold import wagers
from controller.table.fold.card_sets import SetEvent, dealt_from, set_after, sets_after_round, stub_counted
from controller.table.fold.disputes import (
    OF_ALARMS,
    OF_DISPUTES,
    alarm_after,
    alarmed,
    dispute_after,
    kept_no_longer,
)
from controller.table.fold.wagers import waiting_for, with_, without
from controller.table.state.card_set import GamingDay
from controller.table.state.device import Device
from controller.table.state.table import DISPENSERS, Duty, Fate, Hold, LastRound, Round, State
from controller.table.words import facts as f
from controller.table.words.acts import Resolution
from controller.table.words.inputs import RecordRoom, ServiceStarted
from controller.table.words.structs import replace
from drivers import events as e

_TOLD_BY_DEVICES = frozenset({*e.REPORTS.values(), *e.LINK_EVENTS.values()} - {e.AlarmRaised})


def evolve(state: State, fact: f.Fact) -> State:
    """The state after this fact. Facts that only inform (a lamp, a service hint) leave it as it is."""
    if (
        type(fact.event) in _TOLD_BY_DEVICES and fact.subject in state.devices
    ):  # half of a record: past all other questions
        return _device(state, fact.subject, fact.event)
    match fact.event:
        case f.LevelWanted() as wanted:
            if (device := state.devices.get(wanted.device)) is None:  # it is not in the configuration any more
                return replace(state, serial=state.serial + 1)
            device = replace(device, wanted=with_(device.wanted, wanted.level, wanted.value))
            return replace(state, devices=with_(state.devices, wanted.device, device), serial=state.serial + 1)
        case f.DutyOpened() | f.DutyClosed() | f.HoldPlaced() | f.HoldLifted():
            return _demands(state, fact.event)
        case ServiceStarted():
            return _restarted(state, fact.event)
        case f.NoticePosted(wager=wager):
            return replace(state, notices=(*state.notices, wager))
        case f.TableOpened():
            return replace(state, open=True, marker=0, last_seats=(), cutting_card=None)
        case f.TableIdle():
            return replace(state, last_seats=(), cutting_card=None)
        case f.GamingDayBegan() as began:
            day = GamingDay(began.day, began.begins_us, began.begins_ns, began.ends_ns, began.boot)
            return replace(state, gaming_day=day)
        case f.DealerCame():
            return replace(state, new_dealer=True)
        case f.CardBurned(because=because) if because == BurnAt.NEW_DEALER:
            state = replace(state, new_dealer=False)
        case f.TableClosed():
            return replace(state, open=False)
        case f.MethodChanged(method=method):
            return replace(state, method=method)
        case f.DispositionMade() as made:
            return _trigger_noted(wagers.void_noted(state, made), made)
        case f.SecurityAlarm() | e.AlarmRaised() | RecordRoom():
            return alarmed(state, fact)
        case f.InputRefused(said=str() as said):
            return replace(state, doubted=said)
    if fact.subject in state.devices:
        return _device(state, fact.subject, fact.event)
    if isinstance(fact.event, SetEvent):
        return set_after(state, fact.event)
    if isinstance(fact.event, OF_DISPUTES):
        return dispute_after(state, fact.event)
    if isinstance(fact.event, OF_ALARMS):
        return alarm_after(state, fact.event)
    return _round(state, fact.event)


def _restarted(state: State, event: ServiceStarted) -> State:
    """Nothing is known of any device until it is heard again; every level with a safe side is wanted safe.

    A notice of a wager that is withdrawn now has done what it was for.
    """
    if event.setup is not None:
        offered = event.setup.offered
        notices = tuple(wager for wager in state.notices if wager in offered)
        state = replace(state, offered=offered, notices=notices)
    devices = {
        name: replace(device, online=False, awaited=device.in_service) for name, device in state.devices.items()
    }
    return replace(state, devices=devices)


def _trigger_noted(state: State, made: f.DispositionMade) -> State:
    """What the round remembers of its irregularities: cards face up, a hand of too many, that it cannot be proven."""
    round_, trigger = state.round, made.trigger
    if round_ is not None and trigger is Trigger.CUTTING_CARD_REACHED:
        return replace(state, round=replace(round_, cutting_card=made.seat))
    if round_ is not None and made.seat in round_.seats and trigger is Trigger.WRONG_COUNT_PLAYER:
        seat = replace(round_.seats[made.seat], one_hand=_keeps_one_hand(state, made))
        return replace(state, round=replace(round_, seats=with_(round_.seats, made.seat, seat)))
    if round_ is not None and trigger is Trigger.PLAYER_LEFT:
        return replace(state, round=wagers.left_noted(round_, made))
    if round_ is not None and trigger is Trigger.FALSE_DECLARATION:
        return replace(state, round=wagers.undeclared(round_, made))
    if round_ is not None and trigger is Trigger.CARD_FACE_UP:
        return replace(state, round=_face_up(round_, made))
    if round_ is not None and trigger is Trigger.CARD_DRAWN_EXPOSED:
        return replace(state, round=_drawn_exposed(round_, made))
    if round_ is not None and trigger is Trigger.MARKER_NOT_MOVED:
        return replace(state, round=replace(round_, marker_stayed=True))
    if round_ is not None and trigger is Trigger.ROUND_UNPROVEN:
        return replace(state, round=replace(round_, unproven=True))
    return state


def _keeps_one_hand(state: State, made: f.DispositionMade) -> bool:
    """A hand of too many, unless it is told before those were laid away that they are too few."""
    if any(demand.action is Action.DISCARD_EXCESS for demand in made.demands):
        return True
    waits = any((d.action, d.seat) == (Action.DISCARD_EXCESS, made.seat) for d in state.duties.values())
    return state.round is not None and state.round.seats[made.seat].one_hand and not waits


def _face_up(round_: Round, made: f.DispositionMade) -> Round:
    """Cards found face up. Those that go to the rack have left the set: all that the text speaks of, others where it is said."""
    found = made.cards or 1
    to_rack = not made.silent or any(d.action is Action.CARD_TO_RACK for d in made.demands)
    return replace(
        round_,
        face_up=round_.face_up + found,
        face_up_early=round_.face_up_early or Guard.INITIAL_DEAL_DONE not in made.guards,
        racked=round_.racked + (found if to_rack else 0),
    )


def _drawn_exposed(round_: Round, made: f.DispositionMade) -> Round:
    """Cards drawn in error and seen. Those that go to the rack have left the set, and another card takes the place of each."""
    to_rack = any(d.action is Action.CARD_TO_RACK for d in made.demands)
    racked = round_.racked + (made.cards if to_rack else 0)
    return replace(round_, drawn_exposed=round_.drawn_exposed + made.cards, racked=racked)


def _demands(state: State, event: f.Event) -> State:
    match event:
        case f.DutyOpened():
            duty = Duty(
                event.duty, event.action, event.least_role, event.device, event.back, event.seat, event.cite,
                event.reading, event.wager,
            )  # fmt: skip
            return replace(state, duties=with_(state.duties, duty.id, duty), serial=state.serial + 1)
        case f.DutyClosed():
            state = replace(state, duties=without(state.duties, event.duty))
            if event.action is Action.RETURN_ALL_WAGERS:
                return wagers.handed_back(state)
            if event.action is Action.ASK_VOID_OR_COMPLETE and state.round is not None:
                return replace(state, round=replace(state.round, late_let_out=False))
            return _spared_settled(state, event.wager) if event.action is Action.SETTLE else state
        case f.HoldPlaced():
            hold = Hold(
                event.hold, event.reason, event.least_role, event.seat, event.wager, event.cite, event.reading, event.choices,
                event.code,
            )  # fmt: skip
            round_ = waiting_for(state.round, hold) if state.round else None
            holds = with_(state.holds, hold.id, hold)
            return replace(state, round=round_, holds=holds, serial=state.serial + 1, doubted="")
        case f.HoldLifted():
            state = kept_no_longer(replace(state, holds=without(state.holds, event.hold)), event.hold)
            return _vouched(state, event)
    return state


def _vouched(state: State, lifted: f.HoldLifted) -> State:
    """A person lets a deal go on whose set is not armed any more; where its shuffle is demanded that alone is no answer."""
    round_ = state.round
    if round_ is None or not round_.let_out or lifted.resolution is not Resolution.GO_ON:
        return state
    if state.demanded_now(round_.back) or state.sets[round_.back].armed:
        return state
    return replace(state, round=replace(round_, vouched=True))


def _spared_settled(state: State, name: str | None) -> State:
    """The wagers of this name that a disposition had spared are settled now, whether or not the round goes on."""
    if state.round is None:
        return state
    seats = state.round.seats
    for number, wager, held in state.round.wagers(Fate.TO_SETTLE):
        if wager != name:
            continue
        wagers = with_(seats[number].wagers, wager, replace(held, fate=Fate.SETTLED))
        seats = with_(seats, number, replace(seats[number], wagers=wagers))
    return replace(state, round=replace(state.round, seats=seats))


def _device(state: State, name: str, event: f.Event) -> State:
    before = state.devices[name]
    device = _device_after(before, event)
    if device is not before:
        state = replace(state, devices=with_(state.devices, name, device))
    match event:
        case e.WagerSensed(seat=seat, sensor=sensor, locked=False) if device.in_service and _takes_bets(
            state.round
        ):
            assert state.round is not None
            return replace(state, round=replace(state.round, accepted=state.round.accepted | {(seat, sensor)}))
        case e.WagerRemoved(seat=seat, sensor=sensor, locked=False) if _takes_bets(state.round):
            assert state.round is not None
            return replace(state, round=replace(state.round, accepted=state.round.accepted - {(seat, sensor)}))
        case e.FaceUpCard(activity=e.Activity.DEALING) if state.round is not None and device.in_service:
            return replace(state, round=replace(state.round, face_up_sensed=state.round.face_up_sensed + 1))
        case e.CardDrawn() if state.round is not None and _deals_by_hand(state.round) and device.in_service:
            return replace(state, round=replace(state.round, drawn=state.round.drawn + 1))
        case e.CardDrawn() if (
            state.round is not None and state.round.phase is Phase.BETS_CLOSED and device.in_service
        ):
            return replace(state, round=replace(state.round, drawn_before=state.round.drawn_before + 1))
        case e.CuttingCardSensed() if state.round is not None and state.round.live and device.in_service:
            return replace(state, round=replace(state.round, cutting_card_sensed=True))
        case e.StackDispensed(cards=cards) if state.round is not None and name == state.dispenser():
            return replace(state, round=_given_out(state, state.round, cards))
    return state


def _given_out(state: State, round_: Round, cards: int) -> Round:
    """A stack of the deal, or cards that are let out once it is done: for a short hand, else for the community."""
    if round_.late_let_out and round_.shows_community_next and state.short_hand() is None:
        return replace(round_, late_out=round_.late_out + cards)
    return replace(round_, stacks=(*round_.stacks, cards), cards_out=round_.cards_out + cards)


def _deals_by_hand(round_: Round) -> bool:
    """True while a card that leaves a shoe is one of the first deal."""
    return round_.phase is Phase.DEALING and round_.method not in DISPENSERS


def _takes_bets(round_: Round | None) -> bool:
    return round_ is not None and round_.phase is Phase.BETTING and round_.chips


def _device_after(device: Device, event: f.Event) -> Device:
    match event:
        case e.DeviceOnline():
            return replace(
                device, online=True, awaited=False, serial=event.serial, levels=event.levels, model=event.model,
                firmware=event.firmware, firmware_sha256=event.firmware_sha256, config_sha256=event.config_sha256,
                capabilities=frozenset(event.capabilities), jammed=event.levels.jammed, unknown=frozenset(), liveness="",
            )  # fmt: skip
        case e.DeviceOffline() | e.DeviceRejected():
            return replace(device, online=False)
        case e.LivenessChanged(known=known):
            return replace(device, liveness="known" if known else "unknown")
        case e.LevelsRead(levels=levels):
            return replace(device, levels=levels, jammed=levels.jammed, unknown=frozenset())
        case e.LevelUnknown(level=level):
            return replace(device, unknown=device.unknown | {level})
        case e.LevelConfirmed(level=e.Level.LOCKOUT, value=value):
            return _read_back(device, e.Level.LOCKOUT, lockout=value)
        case e.LevelConfirmed(level=e.Level.DISPENSING, value=value):
            return _read_back(device, e.Level.DISPENSING, dispensing=value)
        case e.Jammed(cards_inside=inside):
            levels = dataclasses.replace(device.levels, cards_inside=inside)
            return replace(device, jammed=True, failed=True, disturbed=True, levels=levels)
        case e.ShuffleStopped() | e.DealStopped():
            levels = dataclasses.replace(device.levels, cards_inside=event.cards_inside)
            return replace(device, failed=True, disturbed=True, levels=levels)
        case e.JamCleared():
            return replace(device, jammed=False, disturbed=True)
        case e.ShuffleStarted(back=back):
            return replace(device, disturbed=False, holds="" if back is e.Back.UNKNOWN else back.value)
        case e.CardsRemoved(cards_inside=inside) | e.PoweredUp(cards_inside=inside):
            holds = device.holds if inside != 0 else ""
            return replace(device, levels=dataclasses.replace(device.levels, cards_inside=inside), holds=holds)
        case e.ShuffleCompleted():
            return replace(device, failed=False)
        case e.LockoutEngaged() | e.LockoutReleased():
            value = e.ENGAGED if isinstance(event, e.LockoutEngaged) else e.RELEASED
            return _read_back(device, e.Level.LOCKOUT, lockout=value)
        case e.DispensingInhibited() | e.DispensingAllowed():
            value = e.ALLOWED if isinstance(event, e.DispensingAllowed) else e.INHIBITED
            return _read_back(device, e.Level.DISPENSING, dispensing=value)
        case e.ModeChanged(mode=mode):
            return replace(device, levels=dataclasses.replace(device.levels, mode=mode))
        case e.DoorOpened() | e.DoorClosed():
            is_open = isinstance(event, e.DoorOpened)
            return replace(device, levels=dataclasses.replace(device.levels, door_open=is_open))
        case f.DeviceTakenOut(how=how, failed=failed):
            return replace(device, out=how, failed=failed, awaited=False)
        case f.DeviceReturned():
            return replace(device, out=None, failed=False)
    return device


def _read_back(device: Device, level: e.Level, **value: str) -> Device:
    return replace(device, levels=dataclasses.replace(device.levels, **value), unknown=device.unknown - {level})  # type: ignore[arg-type]


def _round(state: State, event: f.Event) -> State:
    match event:
        case f.RoundBegun():
            game = GAMES[event.game] if event.game else UNNAMED
            round_ = Round(
                event.round,
                event.number,
                event.back,
                event.method,
                game=game,
                marker=state.marker,
                chips=event.chips,
            )
            return replace(state, round=round_, rounds=event.number)
        case f.RoundEnded():
            state = _ended(state, event)
            return state if event.marker is None else replace(state, marker=event.marker)
    if isinstance(event, f.SettlementCorrected):
        return wagers.corrected(state, event)
    if isinstance(event, f.ProgressiveValidated):
        return wagers.validated(state, event)
    if isinstance(event, f.StubCounted):
        state = stub_counted(state, event)
    if isinstance(event, f.DealingAllowed):
        state = dealt_from(state)  # a cutting card that nobody told of is in the stack by now
    return state if state.round is None else replace(state, round=_passed(_round_after(state.round, event)))


def _passed(round_: Round) -> Round:
    """The round after a stage that ends with its last answer, once nobody is left to be asked."""
    stage = round_.game.stage(round_.phase)
    while stage is not None and stage.ends is None and not round_.waiting:
        round_ = replace(round_, phase=round_.game.after(round_.phase))
        stage = round_.game.stage(round_.phase)
    return round_


def _ended(state: State, event: f.RoundEnded) -> State:
    """The set that was played must be shuffled again before it comes back; one more round without a stub count."""
    assert state.round is not None
    round_ = state.round
    counts = round_.played if event.to_count is None else event.to_count
    to_count = counts and not round_.stub_counted
    return replace(
        state,
        round=None,
        last_back=round_.back if round_.played else state.last_back,
        last_void=round_.void if round_.played else state.last_void,
        sets=sets_after_round(state, round_, event.cards, to_count=to_count),
        last_seats=tuple(round_.in_play) if round_.played else state.last_seats,
        last_round=LastRound(round_.id, round_.seats, round_.validated),
        cutting_card=round_.cutting_card if round_.played else state.cutting_card,
        since_stub_count=state.since_stub_count + to_count,
    )


def _round_after(round_: Round, event: f.Event) -> Round:
    match event:
        case f.WagerPlaced():
            return wagers.placed(round_, event)
        case f.WagerWithdrawn():
            return wagers.withdrawn(round_, event)
        case f.BetsClosed():
            return replace(round_, phase=Phase.BETS_CLOSED)
        case f.ProgressiveCounted():
            return replace(round_, progressive_counted=True)
        case f.DealingAllowed(late=True):
            return replace(round_, late_let_out=True)
        case f.DealingAllowed(resumed=True):
            return round_
        case f.DealingAllowed():  # cards that went to the rack before the deal are no cards of it that lack
            return replace(round_, phase=Phase.DEALING, let_out=True, drawn=round_.racked)
        case f.InitialDealCompleted(cards_out=cards_out):
            return replace(round_, phase=round_.game.stages[0].phase, initial_deal_done=True, cards_out=cards_out)
        case f.DecisionRecorded():
            return wagers.decision(round_, event)
        case f.CommunityRevealed():
            streets = round_.streets + 1
            if not round_.live:
                return replace(round_, streets=streets)
            return replace(round_, streets=streets, phase=round_.game.after(round_.phase))
        case f.DealerRevealed(qualifies, natural):
            round_ = replace(round_, qualified=qualifies, natural=natural)
            ends = natural or round_.streets == len(round_.game.streets)
            phase = round_.game.stages[-1].phase if ends else round_.game.dealer_up[0].phase
            return replace(round_, phase=phase) if round_.live else round_
        case f.HandsFound():
            return replace(round_, hands_found=True)
        case f.StubCounted():
            return replace(round_, stub_counted=True, count_proven=event.right)
        case f.CardsCollected() if round_.unbidden and round_.live:
            return replace(round_, cards_out=0, stacks=())
        case f.CardsCollected():
            return replace(round_, collected=True)
        case f.RoundVoided():
            return replace(round_, void=True, phase=Phase.STOPPED)
        case f.HandVoided(seat=number):
            return replace(round_, seats=with_(round_.seats, number, replace(round_.seats[number], void=True)))
    return wagers.money_after(round_, event)
