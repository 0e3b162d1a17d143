"""What facts change about a device, and what the round in play notes of its reports."""

import dataclasses

from controller.games.model import Phase
from controller.table.fold.wagers import with_
from controller.table.state.device import Device
from controller.table.state.table import DISPENSERS, Round, State
from controller.table.words import facts as f
from controller.table.words.structs import replace
from drivers import events as e


def level_wanted(state: State, wanted: f.LevelWanted) -> State:
    """The state after a command was decided; its device may not be in the configuration any more."""
    state = replace(state, serial=state.serial + 1)
    if (device := state.devices.get(wanted.device)) is None:
        return state
    device = replace(device, wanted=with_(device.wanted, wanted.level, wanted.value))
    return replace(state, devices=with_(state.devices, wanted.device, device))


def reported(state: State, name: str, event: f.Event) -> State:
    """The state after a report of this device, or a fact about it: the device as it is now, and what the round notes of it."""
    before = state.devices[name]
    device = device_after(before, event)
    if device is not before:
        state = replace(state, devices=with_(state.devices, name, device))
    if state.round is None:
        return state
    round_ = _noted(state, state.round, name, device, event)
    return state if round_ is state.round else replace(state, round=round_)


def _noted(state: State, round_: Round, name: str, device: Device, event: f.Event) -> Round:
    """The round after what a device reported in it. What a device out of service reports is nothing to it."""
    match event:
        case e.WagerRemoved(seat=seat, sensor=sensor, locked=False) if _takes_bets(round_):
            return replace(round_, accepted=round_.accepted - {(seat, sensor)})
        case e.StackDispensed(cards=cards) if name == state.dispenser():
            return _given_out(state, round_, cards)
    if not device.in_service:
        return round_
    match event:
        case e.WagerSensed(seat=seat, sensor=sensor, locked=False) if _takes_bets(round_):
            return replace(round_, accepted=round_.accepted | {(seat, sensor)})
        case e.FaceUpCard(activity=e.Activity.DEALING):
            return replace(round_, face_up_sensed=round_.face_up_sensed + 1)
        case e.CardDrawn() if _deals_by_hand(round_):
            return replace(round_, drawn=round_.drawn + 1)
        case e.CardDrawn() if round_.phase is Phase.BETS_CLOSED:
            return replace(round_, drawn_before=round_.drawn_before + 1)
        case e.CuttingCardSensed() if round_.live:
            return replace(round_, cutting_card_sensed=True)
    return round_


def _given_out(state: State, round_: Round, cards: int) -> Round:
    """Folds a stack of the deal, or cards that the device dispenses after it: for a short hand, else for the community."""
    if round_.late_let_out and round_.shows_community_next and state.short_hand() is None:
        return replace(round_, late_out=round_.late_out + cards)
    return replace(round_, stacks=(*round_.stacks, cards), cards_out=round_.cards_out + cards)


def _deals_by_hand(round_: Round) -> bool:
    """True while a card that leaves a shoe is one of the first deal."""
    return round_.phase is Phase.DEALING and round_.method not in DISPENSERS


def _takes_bets(round_: Round) -> bool:
    return round_.phase is Phase.BETTING and round_.chips


def device_after(device: Device, event: f.Event) -> Device:
    """The device after an event of its own; as it was after any other."""
    match event:
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
    return _levels_after(_presence_after(device, event), event)


def _presence_after(device: Device, event: f.Event) -> Device:
    """Whether it is heard, and in service."""
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
        case f.DeviceTakenOut(how=how, failed=failed):
            return replace(device, out=how, failed=failed, awaited=False)
        case f.DeviceReturned():
            return replace(device, out=None, failed=False)
    return device


def _levels_after(device: Device, event: f.Event) -> Device:
    """What it says of its levels; what it says of one takes away the doubt of it."""
    match event:
        case e.LevelsRead(levels=levels):
            return replace(device, levels=levels, jammed=levels.jammed, unknown=frozenset())
        case e.LevelUnknown(level=level):
            return replace(device, unknown=device.unknown | {level})
        case e.LevelConfirmed(level=e.Level.LOCKOUT, value=value):
            return _read_back(device, e.Level.LOCKOUT, lockout=value)
        case e.LevelConfirmed(level=e.Level.DISPENSING, value=value):
            return _read_back(device, e.Level.DISPENSING, dispensing=value)
        case e.LockoutEngaged():
            return _read_back(device, e.Level.LOCKOUT, lockout=e.ENGAGED)
        case e.LockoutReleased():
            return _read_back(device, e.Level.LOCKOUT, lockout=e.RELEASED)
        case e.DispensingInhibited():
            return _read_back(device, e.Level.DISPENSING, dispensing=e.INHIBITED)
        case e.DispensingAllowed():
            return _read_back(device, e.Level.DISPENSING, dispensing=e.ALLOWED)
        case e.ModeChanged(mode=mode):
            return replace(device, levels=dataclasses.replace(device.levels, mode=mode))
        case e.DoorOpened():
            return replace(device, levels=dataclasses.replace(device.levels, door_open=True))
        case e.DoorClosed():
            return replace(device, levels=dataclasses.replace(device.levels, door_open=False))
    return device


def _read_back(device: Device, level: e.Level, **value: str) -> Device:
    return replace(device, levels=dataclasses.replace(device.levels, **value), unknown=device.unknown - {level})  # type: ignore[arg-type]
