"""Which kinds of acts somebody may do now: what belongs to the phase, without what would be refused whatever its values are.

Of acts with few values each is tried; of those with sums, cards or words nobody knows them beforehand, and these stay.
"""

from collections.abc import Callable, Iterable
from itertools import product
from typing import TypeAlias

from controller.games.model import Street
from controller.rules.vocabulary import Method, Role
from controller.table.permissions.verify import allowed, can
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words.acts import Act, OutOfService
from controller.table.words.inputs import Actor

Tried: TypeAlias = Callable[[Setup, State], Iterable[Act]]
BOTH = (False, True)
PEOPLE = tuple(
    Actor("", role) for role in (Role.SUPERVISOR, Role.DEALER, Role.FLOORPERSON, Role.PLAYER, Role.TECHNICIAN)
)
"""Of each role one, those first who may do most."""


def possible(setup: Setup, state: State) -> list[str]:
    """Kinds of acts of which at least one would be accepted now, as far as that can be tried."""
    return [kind for kind in allowed(state) if _some(setup, state, kind)]


def _some(setup: Setup, state: State, kind: str) -> bool:
    tried = TRIED.get(kind)
    return tried is None or any(can(setup, state, act, person) for act in tried(setup, state) for person in PEOPLE)


def _alone(act: Act) -> Tried:
    return lambda setup, state: (act,)


def _of_each_set(made: Callable[[str], Act]) -> Tried:
    return lambda setup, state: map(made, state.sets)


TRIED: dict[str, Tried] = {
    **{
        act.kind: _alone(act)
        for act in (
            a.OpenTable(), a.CloseTable(), a.AnnounceNoMoreBets(), a.ReleaseLockout(), a.StartDealing(), a.RecordInitialDeal(),
            a.CollectCards(), a.EndRound(), a.IdleTable(), a.NewDealer(), a.BurnCard(), a.RecordProgressiveCount(0),
        )
    },
    a.BeginRound.kind: _of_each_set(a.BeginRound),
    a.RecordShuffle.kind: _of_each_set(a.RecordShuffle),
    a.BringSet.kind: _of_each_set(a.BringSet),
    a.RequestSpread.kind: _of_each_set(a.RequestSpread),
    a.DirectShuffle.kind: _of_each_set(a.DirectShuffle),
    a.Recut.kind: _of_each_set(a.Recut),
    a.TakeSetAway.kind: _of_each_set(a.TakeSetAway),
    a.ReportSetDue.kind: _of_each_set(a.ReportSetDue),
    a.PostNotice.kind: lambda setup, state: map(a.PostNotice, setup.law.rulebook.wagers),
    a.ChangeMethod.kind: lambda setup, state: map(a.ChangeMethod, Method),
    a.RevealCommunity.kind: lambda setup, state: map(a.RevealCommunity, Street),
    a.RevealDealer.kind: lambda setup, state: (a.RevealDealer(q, n) for q, n in product(BOTH, BOTH)),
    a.ConfirmDuty.kind: lambda setup, state: map(a.ConfirmDuty, state.duties),
    a.ResolveHold.kind: lambda setup, state: (
        a.ResolveHold(hold.id, choice) for hold in state.holds.values() for choice in hold.choices
    ),
    a.SeeAlarm.kind: lambda setup, state: map(a.SeeAlarm, state.alarms),
    a.ReturnDevice.kind: lambda setup, state: map(a.ReturnDevice, state.devices),
    a.TakeDeviceOut.kind: lambda setup, state: (
        a.TakeDeviceOut(name, how, failed) for name, how, failed in product(state.devices, OutOfService, BOTH)
    ),
}  # fmt: skip
"""All acts of a kind that could be accepted, by kind."""
