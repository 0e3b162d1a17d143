"""What is looked into: a disputed round is kept as it is, surveillance is asked for its pictures, alarms are seen by name.

A dispute moves no money and decides nothing of the law: what a text allows is done by its own acts, and a remedy outside the
text is a violation. It keeps what would prove the round, and says where the pictures are.
"""

from controller.rules.vocabulary import Role
from controller.table.fold.ruling import Draft
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal
from drivers import events as e

LONGEST = 500
LONGEST_REFERENCE = 100
LONGEST_BOOKMARK_H = 24
HOUR_US = 3_600_000_000
MOST_DISPUTES = 50
"""Open at a time; more of them are no disputes of rounds any more."""


def verify_raise_dispute(setup: Setup, state: State, act: a.RaiseDispute, actor: Actor) -> Refusal | None:
    """What stands in the way of raising a dispute."""
    if (wrong := _text(act.reason, "say what is doubted", "reason")) is not None:
        return wrong
    if not 0 <= act.seat <= setup.seats:
        return Refusal(
            f"there is no seat {act.seat}; seats are 1 to {setup.seats}, 0 = no player's", code="unknown_seat"
        )
    name = _meant(state, act)
    if not _was_played(setup, state, name):
        newest = _newest(state)
        known = f"the newest is {newest}" if newest else "none was played yet"
        return Refusal(f"round {act.round or 'none'} was not played at this table; {known}", code="no_such_round")
    same = next((d for d in state.disputes.values() if (d.round, d.seat) == (name, act.seat)), None)
    if same is not None:
        return Refusal(
            f"dispute {same.id} of this round and seat is open already: {same.reason}", code="dispute_open"
        )
    if len(state.disputes) >= MOST_DISPUTES:
        return Refusal(
            f"{MOST_DISPUTES} disputes are open; close those that are decided (close_dispute)",
            code="too_many_disputes",
        )
    return None


def raise_dispute(draft: Draft, act: a.RaiseDispute, actor: Actor) -> None:
    """Keeps the round. While nothing was dealt after it, play stands still, for cards and devices are the proof."""
    name = _meant(draft.state, act)
    keeps = name == _newest(draft.state)
    dispute = draft.next_id("C")
    hold = f"H{draft.state.serial + 2}" if keeps else ""
    draft.add(f.DisputeRaised(dispute, name, act.seat, act.reason, keeps, actor.who, actor.role, hold))
    if keeps:
        whose = f"seat {act.seat} disputes" if act.seat else "somebody disputes"
        reason = f"{whose} round {name}: leave cards and devices as they are"
        draft.hold(
            reason, seat=act.seat, least_role=Role.SUPERVISOR, choices=(a.Resolution.GO_ON,), code="dispute"
        )


def verify_name_bookmark(setup: Setup, state: State, act: a.NameBookmark, actor: Actor) -> Refusal | None:
    """What stands in the way of this bookmark."""
    if (unknown := _unknown(state, act.dispute)) is not None:
        return unknown
    if not 1 <= len(act.reference.strip()) <= LONGEST_REFERENCE:
        return Refusal(
            f"name what surveillance calls it, in 1 to {LONGEST_REFERENCE} characters (`reference`)",
            code="text_length",
        )
    if not 0 <= act.begins_us < act.ends_us <= act.begins_us + LONGEST_BOOKMARK_H * HOUR_US:
        return Refusal(
            f"a bookmark ends after it begins, and within {LONGEST_BOOKMARK_H} hours", code="bookmark_unfit"
        )
    return None


def name_bookmark(draft: Draft, act: a.NameBookmark, actor: Actor) -> None:
    """Records where surveillance keeps the pictures."""
    round_, name = draft.state.disputes[act.dispute].round, act.reference.strip()
    draft.add(f.BookmarkNamed(act.dispute, round_, name, act.begins_us, act.ends_us, actor.who))


def verify_allow_clearing(setup: Setup, state: State, act: a.AllowClearing, actor: Actor) -> Refusal | None:
    """What stands in the way of clearing this device, or taking this set up."""
    if (unknown := _unknown(state, act.dispute)) is not None:
        return unknown
    if not state.disputes[act.dispute].keeps:
        return Refusal(f"dispute {act.dispute} keeps nothing any more", code="dispute_keeps_nothing")
    if act.what not in (known := [*state.devices, *state.sets]):
        return Refusal(
            f"{act.what or 'nothing'} is no device and no set of this table; there are: {', '.join(known)}",
            code="no_such_thing",
        )
    return _text(act.reason, "say why it cannot wait", "reason")


def allow_clearing(draft: Draft, act: a.AllowClearing, actor: Actor) -> None:
    """Records that the dispute keeps this device or set no longer."""
    draft.add(f.ClearingAllowed(act.dispute, act.what, act.reason, actor.who, actor.role))


def verify_close_dispute(setup: Setup, state: State, act: a.CloseDispute, actor: Actor) -> Refusal | None:
    """A dispute ends once surveillance was asked: its recordings live for days only."""
    if (unknown := _unknown(state, act.dispute)) is not None:
        return unknown
    dispute = state.disputes[act.dispute]
    if dispute.bookmark is None:
        return Refusal(
            f"first the bookmark of surveillance for {act.dispute} (name_bookmark): recordings live for days only",
            code="bookmark_first",
        )
    if dispute.keeps:
        return Refusal(f"first hold {dispute.hold} of this dispute (resolve_hold)", code="hold_first")
    return _text(act.found, "say what was found", "found")


def close_dispute(draft: Draft, act: a.CloseDispute, actor: Actor) -> None:
    """Ends the dispute with what was found."""
    round_ = draft.state.disputes[act.dispute].round
    draft.add(f.DisputeClosed(act.dispute, round_, act.found, actor.who, actor.role))


def verify_see_alarm(setup: Setup, state: State, act: a.SeeAlarm, actor: Actor) -> Refusal | None:
    """Why there is no such alarm to be seen."""
    return _no_alarm(state, act.alarm)


def see_alarm(draft: Draft, act: a.SeeAlarm, actor: Actor) -> None:
    """Records who has seen the alarm."""
    alarm = draft.state.alarms[act.alarm]
    draft.add(f.AlarmSeen(act.alarm, actor.who, actor.role, alarm.device, alarm.reason))


def verify_clear_alarm(setup: Setup, state: State, act: a.ClearAlarm, actor: Actor) -> Refusal | None:
    """An alarm is cleared with what was found."""
    return _no_alarm(state, act.alarm) or _text(act.found, "say what was found", "found")


def clear_alarm(draft: Draft, act: a.ClearAlarm, actor: Actor) -> None:
    """Ends the alarm with what was found."""
    alarm = draft.state.alarms[act.alarm]
    draft.add(f.AlarmCleared(act.alarm, act.found, actor.who, actor.role, alarm.device, alarm.reason))


def device_named(state: State, act: a.TakeDeviceOut | a.ReturnDevice) -> tuple[str, ...]:
    """What the act disturbs: its device."""
    return (act.device,)


def set_named(state: State, act: a.RecordShuffle | a.BringSet | a.TakeSetAway) -> tuple[str, ...]:
    """What the act disturbs: its set."""
    return (act.back,)


def of_duty(state: State, act: a.ConfirmDuty) -> tuple[str, ...]:
    """What the act disturbs: the device and the set of its duty."""
    duty = state.duties.get(act.duty)
    return (duty.device, duty.back) if duty else ()


def kept(state: State, *concerned: str) -> Refusal | None:
    """Why a device is not cleared, or a set not taken up, now."""
    for dispute in state.disputes.values():
        if what := next((c for c in concerned if c and dispute.keeps and c not in dispute.cleared), None):
            return Refusal(
                f"dispute {dispute.id} of round {dispute.round} keeps {what} as it is; a supervisor lifts hold "
                f"{dispute.hold}, or allows this (allow_clearing dispute={dispute.id} what={what} reason=...)",
                code="kept_in_dispute",
            )
    return None


CLEARS = (e.JamCleared, e.CardsRemoved, e.PoweredUp)
"""Reports after which a device does not hold any more what it held when the dispute was raised."""


def watch(draft: Draft, name: str, report: e.Report) -> None:
    """A device that is kept was cleared, and nobody had allowed it."""
    if isinstance(report, CLEARS) and (refusal := kept(draft.state, name)) is not None:
        draft.add(f.SecurityAlarm("cleared_in_dispute", f"{report.kind}: {refusal.reason}"), name)


def _meant(state: State, act: a.RaiseDispute) -> str:
    return act.round or _newest(state)


def _newest(state: State) -> str:
    """The round in play, or the one that has ended; "" before the first."""
    newest = state.round or state.last_round
    return newest.id if newest else ""


def _was_played(setup: Setup, state: State, name: str) -> bool:
    """Rounds are numbered through one record; of an earlier record the table knows nothing. "01" is no name of the first."""
    number = name.removeprefix(f"{setup.table}-")
    if name == number or not (number.isascii() and number.isdecimal()) or number.startswith("0"):
        return False
    return len(number) <= len(str(state.rounds)) and int(number) <= state.rounds


def _unknown(state: State, dispute: str) -> Refusal | None:
    if dispute in state.disputes:
        return None
    return Refusal(
        f"no dispute {dispute or 'without a name'} is open; there are: {', '.join(state.disputes) or 'none'}",
        code="no_such_dispute",
    )


def _no_alarm(state: State, alarm: str) -> Refusal | None:
    if alarm in state.alarms:
        return None
    return Refusal(
        f"no alarm {alarm or 'without a name'} stands; there are: {', '.join(state.alarms) or 'none'}",
        code="no_such_alarm",
    )


def _text(text: str, ask: str, field: str) -> Refusal | None:
    if 1 <= len(text.strip()) <= LONGEST:
        return None
    return Refusal(f"{ask}, in 1 to {LONGEST} characters (`{field}`)", code="text_length")
