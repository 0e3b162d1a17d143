"""Acts that take a device out of service, return it, and change the method of dealing."""

from controller.rules.vocabulary import Guard, Method, Trigger
from controller.table.course.links import restore, take_back
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import dispose
from controller.table.questions.stub_count_and_turns import away_first
from controller.table.state.device import Device
from controller.table.state.table import DISPENSERS, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal
from drivers.events import DeviceKind


def verify_take_device_out(setup: Setup, state: State, act: a.TakeDeviceOut, actor: Actor) -> Refusal | None:
    """A device leaves service empty."""
    if (unknown := _unknown(state, act.device)) is not None:
        return unknown
    inside = cards_inside(state.devices[act.device])
    if inside:
        return Refusal(
            f"{act.device} senses {inside} cards inside; take them out before it leaves service",
            code="device_has_cards",
        )
    return None


def take_device_out(draft: Draft, act: a.TakeDeviceOut, actor: Actor) -> None:
    """The device belongs to play no more, and nothing stays released or allowed at it."""
    draft.add(f.DeviceTakenOut(act.device, act.how, act.failed, actor.who), act.device)
    take_back(draft, act.device, "out of service")


def verify_return_device(setup: Setup, state: State, act: a.ReturnDevice, actor: Actor) -> Refusal | None:
    """Only a device of this table returns."""
    return _unknown(state, act.device)


def return_device(draft: Draft, act: a.ReturnDevice, actor: Actor) -> None:
    """The device belongs to play again, with its levels safe: while it was out nobody minded who opened it."""
    draft.add(f.DeviceReturned(act.device, actor.who), act.device)
    restore(draft, act.device, draft.state.devices[act.device].levels, "returned to service")


def _unknown(state: State, name: str) -> Refusal | None:
    if name in state.devices:
        return None
    return Refusal(f"no device {name}; there are: {', '.join(state.devices)}", code="no_such_device")


def cards_inside(device: Device) -> int:
    """Cards that the device says are in it. One that is away says nothing: people look, and may take it out."""
    return device.levels.cards_inside or 0 if device.online else 0


def verify_change_method(setup: Setup, state: State, act: a.ChangeMethod, actor: Actor) -> Refusal | None:
    """Why cards are not dealt by this method: the document does not know it, or what it needs is not there."""
    dealing, in_service = setup.law.rulebook.dealing, setup.law.rulebook.devices.get(act.method)
    if act.method not in dealing:
        cite = tuple(clause for rule in dealing.values() for clause in rule.cite)
        return Refusal(
            f"no dealing by {act.method} here; there are: {', '.join(dealing)}", cite, code="method_unknown"
        )
    if in_service is not None and not in_service.value:
        return Refusal(
            f"no {act.method} may be in service here, as {in_service.by_choice} was elected",
            in_service.cite,
            code="device_not_elected",
        )
    if act.method is state.method:
        return Refusal(
            f"cards are dealt by {act.method} already; there are: {', '.join(dealing)}", code="method_in_use"
        )
    return _without_device(setup, act.method)


def change_method(draft: Draft, act: a.ChangeMethod, actor: Actor) -> None:
    """Before another method is used, something is done about the device that is still in service. Clause: `method_change`."""
    old = device_of(draft, DISPENSERS.get(draft.state.method))
    draft.add(f.MethodChanged(act.method, actor.who))
    if old is None:
        return
    device = draft.state.devices[old]
    if device.in_service or away_first(draft.setup, draft.state, old) is not None:
        dispose(draft, Trigger.METHOD_CHANGE, *([Guard.DEVICE_FAILED] if device.failed else []), device=old)


def device_of(draft: Draft, kind: DeviceKind | None) -> str | None:
    """The device of this kind that is in service, or one that was taken out of it where none is."""
    in_service = draft.state.device_of(kind)
    return in_service[0] if in_service else draft.setup.device_of(kind)


def _without_device(setup: Setup, method: Method) -> Refusal | None:
    """A device that does not belong to the table: wagers would lie on the layout of a round that can never be dealt."""
    dealing = setup.law.rulebook.dealing[method]
    needs = dealing.needs_shuffler
    kinds = [DISPENSERS.get(method), DeviceKind.SHUFFLER if needs and needs.value else None]
    missing = next((kind for kind in kinds if kind is not None and setup.device_of(kind) is None), None)
    if missing is None:
        return None
    cite = needs.cite if needs else dealing.cite
    return Refusal(
        f"dealing by {method} needs a {missing}, and none belongs to this table", cite, code="no_such_device"
    )
