"""A wager that was held when the hands were made void, and that a person lets stand: it fares as its document says."""

from collections.abc import Iterable
from itertools import chain

from controller.games.fates import OF_WAGER, Fate, Placed, WagerFate, voids, wager_fates
from controller.rules.model import Demand, Law
from controller.rules.named_wagers import placed
from controller.rules.vocabulary import Action, Guard
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import open_duty
from controller.table.irregularities.spared_wagers import FOR_SPARED
from controller.table.irregularities.wager_facts import open_return_duty
from controller.table.state.table import Hold, Round

_DECIDES = (Fate.RETURNED, Fate.LOST, Fate.TO_SETTLE)


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
    happened = _voids_of(draft, round_, seat, wager)
    cents = round_.seats[seat].wagers[wager].cents
    if (
        spared := _spared_by(draft.setup.law, hold, wager, chain.from_iterable(d for d, _ in happened))
    ) is not None:
        draft.decide_wager(seat, wager, cents, Fate.TO_SETTLE, spared.cite, spared.reading)
        for action, of in ((Action.DEAL_COMMUNITY, None), (Action.SETTLE, wager)):
            open_duty(draft, Demand(action, spared.cite, spared.reading, of))
        return True
    found = next((fate for _, fate in reversed(happened) if fate is not None and fate.fate in _DECIDES), None)
    if found is None and not round_.void:  # the others of this hand are not given back, and the round is settled
        return False
    fate, by = (found.fate, found.by) if found else (Fate.RETURNED, hold)
    # Without `found` the void asks the floor, or says nothing: as where the answer is that it goes back.
    draft.decide_wager(seat, wager, cents, fate, by.cite, by.reading)
    if fate is Fate.TO_SETTLE:
        others = any(name == wager for _, name, _ in round_.wagers(Fate.TO_SETTLE, Fate.SETTLED))
        _open_for_spared(draft, chain.from_iterable(demands for demands, _ in happened), others=others)
    elif found is not None and fate is Fate.LOST:
        open_duty(draft, found.by, seat=seat)
    elif found is not None:
        open_return_duty(draft, found.by)
    return True


def void_since(draft: Draft, hold: Hold, seat: int, wager: str) -> bool:
    """True where the hand of this seat is void, and not by the row that placed this hold."""
    round_ = draft.state.round
    assert round_ is not None
    if not (round_.void or round_.seats[seat].void):
        return False
    voids = [demands for demands, _ in _voids_of(draft, round_, seat, wager)]
    return not voids or any(all(d.reading != hold.reading for d in demands) for demands in voids)


def _spared_by(law: Law, hold: Hold, wager: str, demands: Iterable[Demand]) -> Demand | None:
    """The demand that this hold was placed by, where it asks whether the wager is settled although hands are missing, or after
    something else has happened."""
    rule = law.rulebook.play.spared_in_void
    if (
        rule is not None and hold.reading == rule.reading
    ):  # an earlier void had spared it, and so a person says again
        return Demand(Action.SETTLE, reading=hold.reading, wager=wager)
    asked = (d for d in demands if OF_WAGER.get(d.action) is Fate.HELD and d.reading == hold.reading)
    return next((demand for demand in asked if demand.wager == wager), None)


def _open_for_spared(draft: Draft, demands: Iterable[Demand], *, others: bool) -> None:
    """The wager is settled like others that the void spared; for those the community cards were dealt, or are to be, already."""
    for demand in (d for d in demands if d.action in FOR_SPARED):
        if demand.action is Action.SETTLE or not others:
            open_duty(draft, demand)


def _voids_of(
    draft: Draft, round_: Round, seat: int, wager: str
) -> list[tuple[tuple[Demand, ...], WagerFate | None]]:
    """Each time hands were void and that of this seat among them: what was demanded, and the fate that it gives to the wager.

    A wager that stands was placed: the void is taken as if nobody had held it.
    """
    standing = {Guard.ROUND_LIVE, placed(wager)}
    law, found = draft.setup.law, []
    for happened in round_.voids:
        _, demands = law.demands(happened.trigger, frozenset(standing.union(happened.state)), draft.state.method)
        if voids(demands, seat, happened.seat):
            fates = wager_fates(law, demands, [Placed(seat, wager)], happened.seat)
            found.append((demands, fates[0] if fates else None))
    return found
