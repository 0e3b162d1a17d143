"""`evolve(state, fact) -> state`: the only thing that changes the state. It never decides and never refuses.

What stands in the journal is folded with this at start, so every fact must be foldable without the rulebook.
"""

from typing import assert_never

from controller.rules.vocabulary import Action, BurnAt, Guard, Trigger
from controller.table.fold import wagers
from controller.table.fold.card_sets import SetEvent, set_after
from controller.table.fold.devices import level_wanted, reported
from controller.table.fold.disputes import (
    OF_ALARMS,
    OF_DISPUTES,
    alarm_after,
    alarmed,
    dispute_after,
    kept_no_longer,
)
from controller.table.fold.meters import booked
from controller.table.fold.rounds import round_told
from controller.table.fold.wagers import waiting_for, with_, without
from controller.table.state.card_set import GamingDay
from controller.table.state.table import Duty, Fate, Hold, Round, State
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
        return reported(state, fact.subject, fact.event)
    match fact.event:
        case f.LevelWanted() as wanted:
            return level_wanted(state, wanted)
        case f.DutyOpened() | f.DutyClosed() | f.HoldPlaced() | f.HoldLifted():
            return _demands(state, fact.event)
        case f.DispositionMade() as made:
            return _trigger_noted(wagers.void_noted(state, made), made)
        case f.SecurityAlarm() | e.AlarmRaised() | RecordRoom():
            return alarmed(state, fact)
        case f.MeterBooked() as entry:
            return booked(state, entry)
        case f.InputRefused(said=str() as said):
            return replace(state, doubted=said)
        case f.CardBurned(because=BurnAt.NEW_DEALER):
            state = replace(state, new_dealer=False)
    if isinstance(fact.event, TableEvent):
        return _table(state, fact.event)
    if fact.subject in state.devices:
        return reported(state, fact.subject, fact.event)
    if isinstance(fact.event, SetEvent):
        return set_after(state, fact.event)
    if isinstance(fact.event, OF_DISPUTES):
        return dispute_after(state, fact.event)
    if isinstance(fact.event, OF_ALARMS):
        return alarm_after(state, fact.event)
    return round_told(state, fact.event)


TableEvent = (
    ServiceStarted
    | f.NoticePosted
    | f.TableOpened
    | f.TableIdle
    | f.TableClosed
    | f.GamingDayBegan
    | f.DealerCame
    | f.MethodChanged
)
"""Facts about the table as a whole."""


def _table(state: State, event: TableEvent) -> State:
    match event:
        case ServiceStarted():
            return _restarted(state, event)
        case f.NoticePosted(wager=wager):
            return replace(state, notices=(*state.notices, wager))
        case f.TableOpened():
            return replace(state, open=True, marker=0, last_seats=(), cutting_card=None)
        case f.TableIdle():
            return replace(state, last_seats=(), cutting_card=None)
        case f.TableClosed():
            return replace(state, open=False)
        case f.GamingDayBegan() as began:
            day = GamingDay(began.day, began.begins_us, began.begins_ns, began.ends_ns, began.boot)
            return replace(state, gaming_day=day)
        case f.DealerCame():
            return replace(state, new_dealer=True)
        case f.MethodChanged(method=method):
            return replace(state, method=method)
        case _:
            assert_never(event)


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
    if round_ is not None and trigger is Trigger.CARDS_INSUFFICIENT and not round_.cutting_card_sensed:
        return replace(state, round=replace(round_, cutting_card=round_.cutting_card or 0))  # as R-125 has it
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
    """A hand with too many cards, unless a person reports, before they are laid away, that they are too few."""
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
