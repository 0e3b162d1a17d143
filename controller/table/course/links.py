"""What follows from a link: a device came, went, or lost something. Only towards the safe side, never silently."""

from controller.rules.vocabulary import Trigger
from controller.table.course.reports import disarm, round_live
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import dispose
from controller.table.questions.device_contents import may_shuffle
from controller.table.state.device import Device, has_level
from controller.table.words import facts as f
from drivers import events as e


def decide_link(draft: Draft, name: str, event: e.LinkEvent) -> None:
    """A device came, went, or lost something. What was released or allowed is taken back; a gap is never silent."""
    before = draft.state.devices[name]
    draft.add(event, name)
    _raise_alarm(draft, name, before, event)
    match event:
        case e.DeviceOnline():
            _reconcile(draft, name)
            if not event.gap_closed:
                _gap(draft, name, f"{name} came back with a gap in its events")
        case e.EventsLost(first=first, reused=True):
            _gap(draft, name, f"{name} used numbers of its events again, from {first} on")
        case e.EventsLost(first=first, last=last):
            _gap(draft, name, f"{name} lost its events {first} to {last or 'unknown'}")
        case e.LinesDamaged() if before.in_service:  # the cable of what is not may make noise for ever
            lines = event.not_text + event.too_long + event.cut_off
            _gap(draft, name, f"{name} sent {lines} {'line' if lines == 1 else 'lines'} that could not be read")
        case e.LevelUnknown(level=level, value=value):
            safe = e.SAFE_VALUE.get(level)
            if safe is not None and has_level(draft.state.devices[name], level):
                # A device may count an operation that it never answered as being done for good: it is not asked for again.
                draft.want(name, level, safe, "the answer to a command was lost", anew=value == safe)
        case e.DeviceOffline() | e.DeviceRejected():
            take_back(draft, name, "away")
        case e.LevelsRead(levels=levels):
            restore(draft, name, levels, "read")


def _raise_alarm(draft: Draft, name: str, before: Device, event: e.LinkEvent) -> None:
    """Says aloud what may be somebody at the device or at its cable; what follows for play is said by the hold of its own."""
    match event:
        case e.DeviceRejected(reason=reason, detail=detail) if reason.startswith("auth_"):
            draft.add(f.SecurityAlarm(reason, detail), name)
        case e.DeviceOnline() if before.serial:
            now = draft.state.devices[name]
            changed = [
                f"{what} {was or 'not told'}, now {is_ or 'not told'}"
                for what, was, is_ in (
                    ("serial number", before.serial, now.serial),
                    ("model", before.model, now.model),
                    ("firmware", before.firmware, now.firmware),
                )
                if was != is_
            ]
            changed += [
                f"{what} {was[:16]}, now {is_[:16] if is_ else 'not told'}"
                for what, was, is_ in (
                    ("firmware hash", before.firmware_sha256, now.firmware_sha256),
                    ("settings hash", before.config_sha256, now.config_sha256),
                )
                if was and was != is_
            ]
            if changed:
                draft.add(f.SecurityAlarm("device_changed", "; ".join(changed)), name)
            elif event.rebooted and draft.state.open:
                draft.add(f.SecurityAlarm("device_rebooted", "it started anew while the table was open"), name)


def restore(draft: Draft, name: str, levels: e.Levels, how: str) -> None:
    """A level that was found on its open side although it shall be safe is made safe again. `how` it came to be found."""
    for level, safe in e.SAFE_VALUE.items():
        wanted = draft.state.devices[name].wanted.get(level, safe)
        if wanted == safe and getattr(levels, level.value) not in (None, safe):
            draft.want(name, level, safe, f"{name} was {how} with its {level} open")


def take_back(draft: Draft, name: str, where: str) -> None:
    """While a device is away nothing is released or allowed at it; opening it again is a new act of a person."""
    for level, safe in e.SAFE_VALUE.items():
        if draft.state.devices[name].wanted.get(level) not in (None, safe):
            draft.want(name, level, safe, f"{name} is {where}")


def _reconcile(draft: Draft, name: str) -> None:
    for level, safe in e.SAFE_VALUE.items():
        device = draft.state.devices[name]
        wanted = device.wanted.get(level)
        if has_level(device, level) and not (device.knows(level, safe) and wanted in (None, safe)):
            draft.want(name, level, safe, f"{name} came back")


def _gap(draft: Draft, name: str, reason: str) -> None:
    """What a shuffler did meanwhile is not known, so no set that it may hold is known to be shuffled. No rule hangs on what a
    line device says, so what it may have said is nothing to a round."""
    match draft.state.devices[name].kind:
        case e.DeviceKind.LINE:
            return
        case e.DeviceKind.SHUFFLER:
            disarm(draft, may_shuffle(draft.state, e.Back.UNKNOWN), reason)
    _unproven(draft, reason)


def _unproven(draft: Draft, reason: str) -> None:
    """Events are lost while wagers lie: what was dealt cannot be proven, so people decide under a named reading."""
    round_ = draft.state.round
    if round_ is None or not round_.live or (round_.unproven and draft.state.held):
        return
    dispose(draft, Trigger.ROUND_UNPROVEN, back=round_.back)
    if not draft.state.held and round_live(draft):
        draft.hold(f"{reason}: what was dealt cannot be proven", code="round_unproven")
