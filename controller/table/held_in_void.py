"""A wager that was held when the hands were made void, and that a person lets stand: it fares as its document says."""

from collections.abc import Iterable
from itertools import chain

from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Guard
from controller.table.dispositions import REST_FATES, RETURNS, SEAT_FATES, VOIDS_ALL, open_duty, open_return_duty
from controller.table.draft import Draft
from controller.table.spared import FOR_SPARED
from controller.table.state import Fate, Hold, Round

Demands = tuple[Demand, ...]


def fare_as_void(draft: Draft, hold: Hold, seat: int, wager: str) -> bool:
    """True where nothing is left that it could stand for, and it has its fate now: its round is void, or its hand was and
    wagers of that hand went back.

    It is settled where the void spares such wagers; else it goes back, by the clause or reading of the void where that
    decides it, by those of the hold where a person was asked.
    """
    round_ = draft.state.round
    assert round_ is not None
    if not (round_.void or round_.seats[seat].void):
        return False
    voids = _voids_of(draft, round_, seat)
    found = next((d for demands in reversed(voids) if (d := _of(demands, wager)) is not None), None)
    if found is None and not round_.void:  # the others of this hand are not given back, and the round is settled
        return False
    spared = found is not None and found.action is Action.SETTLE_TRIPS
    fate = Fate.TO_SETTLE if spared else Fate.RETURNED
    by = found or hold  # the void asks the floor, or says nothing: as where the answer is that it goes back
    draft.decide_wager(seat, wager, round_.seats[seat].wagers[wager].cents, fate, by.cite, by.reading)
    if spared:
        others = any(name == wager for _, name, _ in round_.wagers(Fate.TO_SETTLE, Fate.SETTLED))
        _open_for_spared(draft, chain.from_iterable(voids), others=others)
    elif found is not None:
        open_return_duty(draft, found)
    return True


def _open_for_spared(draft: Draft, demands: Iterable[Demand], *, others: bool) -> None:
    """The wager is settled like others that the void spared; for those the community cards were dealt, or are to be, already."""
    for demand in (d for d in demands if d.action in FOR_SPARED):
        if demand.action is Action.SETTLE_TRIPS or not others:
            open_duty(draft, demand, device="", back="", seat=0)


def _voids_of(draft: Draft, round_: Round, seat: int) -> list[Demands]:
    """What was demanded, each time hands were void and that of this seat among them."""
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
