"""How disputes and alarms change the state. An alarm that comes again while it stands is counted, and has to be seen anew."""

from controller.table.fold.wagers import with_, without
from controller.table.state.disputes import Alarm, Bookmark, Dispute
from controller.table.state.table import State
from controller.table.words import facts as f
from controller.table.words.inputs import RecordRoom
from controller.table.words.structs import replace
from drivers.events import AlarmRaised, Severity

OF_DISPUTES = (f.DisputeRaised, f.BookmarkNamed, f.ClearingAllowed, f.DisputeClosed)
ROOM, ROOM_AGAIN = "record_room", "the disk of the record has room again"
"""Reason of the alarm that room is low, and how its detail begins once it is not; it stands until a person clears it."""
OF_ALARMS = (f.AlarmSeen, f.AlarmCleared)


def dispute_after(state: State, event: f.Event) -> State:
    """The state after a fact of a dispute."""
    match event:
        case f.DisputeRaised():
            raised = Dispute(
                event.dispute, event.round, event.seat, event.reason, event.by, event.keeps, event.hold
            )
            return replace(state, disputes=with_(state.disputes, raised.id, raised), serial=state.serial + 1)
        case f.BookmarkNamed():
            bookmark = Bookmark(event.reference, event.begins_us, event.ends_us)
            return _with(state, replace(state.disputes[event.dispute], bookmark=bookmark))
        case f.ClearingAllowed():
            dispute = state.disputes[event.dispute]
            return _with(
                state, replace(dispute, cleared=(*(c for c in dispute.cleared if c != event.what), event.what))
            )
        case f.DisputeClosed():
            return replace(state, disputes=without(state.disputes, event.dispute))
    return state


def kept_no_longer(state: State, hold: str) -> State:
    """The hold of a dispute was lifted: cards and devices need not stay as they are."""
    for dispute in state.disputes.values():
        if dispute.hold == hold:
            state = _with(state, replace(dispute, keeps=False))
    return state


def alarm_after(state: State, event: f.Event) -> State:
    """The state after a person has seen or cleared an alarm."""
    match event:
        case f.AlarmSeen():
            alarm = state.alarms[event.alarm]
            seen = alarm.seen if event.by in alarm.seen else (*alarm.seen, event.by)
            return replace(state, alarms=with_(state.alarms, alarm.id, replace(alarm, seen=seen)))
        case f.AlarmCleared():
            return replace(state, alarms=without(state.alarms, event.alarm))
    return state


def alarmed(state: State, fact: f.Fact) -> State:
    """The state after an alarm of or about a device. Of one device and reason only one stands: a device cannot flood."""
    match fact.event:
        case f.SecurityAlarm(reason=reason, detail=detail):
            pass
        case AlarmRaised(severity=Severity.ALARM, code=code, text=text):
            reason, detail = "device_alarm", f"{code} {text}".strip()
        case RecordRoom(low=True, free_mib=free, reserve_mib=reserve):
            reason, detail = (
                ROOM,
                f"the disk of the record has {free} MiB left, and {reserve} MiB are its reserve: make room",
            )
        case RecordRoom(free_mib=free):
            return _room_again(state, f"{ROOM_AGAIN}: {free} MiB")
        case _:
            return state
    same = next((a for a in state.alarms.values() if (a.device, a.reason) == (fact.subject, reason)), None)
    if same is not None:
        again = replace(same, detail=detail, times=same.times + 1, seen=())
        return replace(state, alarms=with_(state.alarms, same.id, again))
    number = state.alarms_raised + 1
    alarm = Alarm(f"A{number}", fact.subject, reason, detail)
    return replace(state, alarms=with_(state.alarms, alarm.id, alarm), alarms_raised=number)


def room_is_low(state: State) -> bool:
    """Whether an alarm says that the record's disk runs out of room, and nothing has said since that it does not."""
    return any(a.reason == ROOM and not a.detail.startswith(ROOM_AGAIN) for a in state.alarms.values())


def _room_again(state: State, detail: str) -> State:
    alarms = {key: replace(a, detail=detail) if a.reason == ROOM else a for key, a in state.alarms.items()}
    return replace(state, alarms=alarms)


def _with(state: State, dispute: Dispute) -> State:
    return replace(state, disputes=with_(state.disputes, dispute.id, dispute))
