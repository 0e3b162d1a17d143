"""A wager that was held when the hands were made void, and that a person lets stand: it fares as its document says."""

from collections.abc import Iterable
from itertools import chain

from controller.games.settling.voids import VOIDS_ALL
from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Guard
from controller.table.dispositions import REST_FATES, RETURNS, SEAT_FATES, open_duty, open_return_duty
from controller.table.draft import Draft
from controller.table.spared import FOR_SPARED
from controller.table.state import Fate, Hold, Round

Demands = tuple[Demand, ...]
NAMED = {**RETURNS, Action.SETTLE_TRIPS: "trips", Action.COLLECT_ANTE: "ante"}
"""Demands that name one wager."""
FATES = {**SEAT_FATES, **REST_FATES, Action.SETTLE_TRIPS: Fate.TO_SETTLE, Action.COLLECT_ANTE: Fate.LOST}
"""What a void makes of wagers, other than giving back those that it names."""


def fare_as_void(draft: Draft, hold: Hold, seat: int, wager: str) -> bool:
    """True where nothing is left that it could stand for, and it has its fate now: its round is void, or its hand was and
    wagers of that hand went back or were lost.

    It is settled where the void spares such wagers, and lost where it collects them; else it goes back, by the clause or
    reading of the void where that decides it, by those of the hold where a person was asked.
    """
    round_ = draft.state.round
    assert round_ is not None
    if not (round_.void or round_.seats[seat].void):
        return False
    voids = _voids_of(draft, round_, seat, wager)
    if (spared := _spared_by(hold, wager, chain.from_iterable(voids))) is not None:
        cents = round_.seats[seat].wagers[wager].cents
        draft.decide_wager(seat, wager, cents, Fate.TO_SETTLE, spared.cite, spared.reading)
        for action in FOR_SPARED:
            open_duty(draft, Demand(action, spared.cite, spared.reading))
        return True
    found = next((d for demands in reversed(voids) if (d := _of(demands, wager)) is not None), None)
    if found is None and not round_.void:  # the others of this hand are not given back, and the round is settled
        return False
    fate = Fate.RETURNED if found is None else FATES.get(found.action, Fate.RETURNED)
    by = found or hold  # the void asks the floor, or says nothing: as where the answer is that it goes back
    draft.decide_wager(seat, wager, round_.seats[seat].wagers[wager].cents, fate, by.cite, by.reading)
    if fate is Fate.TO_SETTLE:
        others = any(name == wager for _, name, _ in round_.wagers(Fate.TO_SETTLE, Fate.SETTLED))
        _open_for_spared(draft, chain.from_iterable(voids), others=others)
    elif fate is Fate.LOST and found is not None:
        open_duty(draft, found, seat=seat)
    elif found is not None:
        open_return_duty(draft, found)
    return True


def _spared_by(hold: Hold, wager: str, demands: Iterable[Demand]) -> Demand | None:
    """The demand that this hold was placed by, where it asks whether Trips is settled although hands are missing."""
    asked = (d for d in demands if d.action is Action.HOLD_TRIPS and d.reading == hold.reading)
    return next(asked, None) if wager == "trips" else None


def _open_for_spared(draft: Draft, demands: Iterable[Demand], *, others: bool) -> None:
    """The wager is settled like others that the void spared; for those the community cards were dealt, or are to be, already."""
    for demand in (d for d in demands if d.action in FOR_SPARED):
        if demand.action is Action.SETTLE_TRIPS or not others:
            open_duty(draft, demand)


def _voids_of(draft: Draft, round_: Round, seat: int, wager: str) -> list[Demands]:
    """What was demanded, each time hands were void and that of this seat among them.

    A Trips that stands was placed: the void is taken as if nobody had held it.
    """
    placed = frozenset({Guard.ROUND_LIVE, Guard.TRIPS_PLACED} if wager == "trips" else {Guard.ROUND_LIVE})
    found = []
    for happened in round_.voids:
        _, demands = draft.setup.law.demands(happened.trigger, placed.union(happened.state), draft.state.method)
        every = any(d.action in VOIDS_ALL for d in demands)
        if every or happened.seat == seat:
            found.append(demands)
    return found


def _of(demands: Demands, wager: str) -> Demand | None:
    """The demand that settles this wager, collects it or gives it back: one that names it first."""
    named = (d for d in demands if NAMED.get(d.action) == wager)
    others = (d for d in demands if d.action not in NAMED and FATES.get(d.action) in (Fate.RETURNED, Fate.LOST))
    return next(chain(named, others), None)
