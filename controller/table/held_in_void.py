"""A wager that was held when the hands were made void, and that a person lets stand: it fares as its document says."""

from itertools import chain

from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Guard
from controller.table.dispositions import REST_FATES, RETURNS, SEAT_FATES, VOIDS_ALL, open_duty, open_return_duty
from controller.table.draft import Draft
from controller.table.spared import FOR_SPARED
from controller.table.state import Fate, Hold

Demands = tuple[Demand, ...]


def fare_as_void(draft: Draft, hold: Hold, seat: int, wager: str) -> bool:
    """True where nothing is left that it could stand for, and it has its fate now: its round is void, or its hand was and
    wagers of that hand went back.

    It is settled where the void spares such wagers; else it goes back, by the clause or reading of the void where that
    decides it, by those of the hold where a person was asked.
    """
    round_ = draft.state.round
    if round_ is None or not (round_.void or round_.seats[seat].void):
        return False
    cents = round_.seats[seat].wagers[wager].cents
    voids = _voids_of(draft, seat)
    found = next((d for demands in reversed(voids) if (d := _of(demands, wager)) is not None), None)
    if found is not None and found.action is Action.SETTLE_TRIPS:
        _spare(draft, seat, wager, found, voids)
        return True
    if found is None and not round_.void:  # the others of this hand are not given back, and the round is settled
        return False
    if found is not None:
        draft.decide_wager(seat, wager, cents, Fate.RETURNED, found.cite, found.reading)
        open_return_duty(draft, found)
    else:  # the void asks the floor, or says nothing: as where the answer is that it goes back
        cite = () if hold.reading else hold.cite
        draft.decide_wager(seat, wager, cents, Fate.RETURNED, cite, hold.reading)
    return True


def _spare(draft: Draft, seat: int, wager: str, found: Demand, voids: list[Demands]) -> None:
    """It is settled like others that the void spared; for those the community cards were dealt, or are to be, already."""
    round_ = draft.state.round
    assert round_ is not None
    others = any(name == wager for _, name, _ in round_.wagers(Fate.TO_SETTLE, Fate.SETTLED))
    draft.decide_wager(
        seat, wager, round_.seats[seat].wagers[wager].cents, Fate.TO_SETTLE, found.cite, found.reading
    )
    for demand in (d for demands in voids for d in demands if d.action in FOR_SPARED):
        if demand.action is Action.SETTLE_TRIPS or not others:
            open_duty(draft, demand, device="", back="", seat=0)


def _voids_of(draft: Draft, seat: int) -> list[Demands]:
    """What was demanded, each time hands were void and that of this seat among them."""
    round_ = draft.state.round
    assert round_ is not None
    found = []
    for happened in round_.voids:
        state = frozenset({*happened.state, Guard.ROUND_LIVE})
        _, demands = draft.setup.law.demands(happened.trigger, state, draft.state.method)
        every = any(d.action in VOIDS_ALL for d in demands)
        if every or happened.seat == seat:
            found.append(demands)
    return found


def _of(demands: Demands, wager: str) -> Demand | None:
    """The demand that settles this wager or gives it back: one that names it first."""
    if wager == "ante" and any(d.action is Action.COLLECT_ANTE for d in demands):
        return None
    named = (d for d in demands if RETURNS.get(d.action) == wager)
    spared = (d for d in demands if d.action is Action.SETTLE_TRIPS and wager == "trips")
    fates = {**SEAT_FATES, **REST_FATES}
    others = (d for d in demands if fates.get(d.action) is Fate.RETURNED)
    return next(chain(named, spared, others), None)
