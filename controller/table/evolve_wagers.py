"""What facts change about the wagers of a round, and about the seats that they lie at."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from controller.games.model import Phase
from controller.table import facts as f
from controller.table.state import Fate, Round, Seat, Wager

K = TypeVar("K")
V = TypeVar("V")


def with_(mapping: Mapping[K, V], key: K, value: V) -> dict[K, V]:
    return {**mapping, key: value}


def without(mapping: Mapping[K, V], key: K) -> dict[K, V]:
    return {k: v for k, v in mapping.items() if k != key}


def placed(round_: Round, event: f.WagerPlaced) -> Round:
    seat = round_.seats.get(event.seat, Seat())
    seat = replace(seat, wagers=with_(seat.wagers, event.wager, Wager(event.cents, player=event.player)))
    return replace(round_, seats=with_(round_.seats, event.seat, seat))


def withdrawn(round_: Round, event: f.WagerWithdrawn) -> Round:
    """A seat without a wager is no seat of the round any more."""
    seat = round_.seats[event.seat]
    left = replace(seat, wagers=without(seat.wagers, event.wager))
    seats = with_(round_.seats, event.seat, left)
    return replace(round_, seats=seats if left.wagers else without(seats, event.seat))


def decision(round_: Round, event: f.DecisionRecorded) -> Round:
    stage = round_.game.stage(round_.phase)
    answers = stage.answers if stage else ()
    answer = next((a for a in answers if a.decision is event.decision), None)
    seat = replace(round_.seats[event.seat], asked=round_.phase)
    if answer is not None:
        wagers = {
            name: replace(wager, fate=Fate.SETTLED)
            if name in answer.settles and wager.fate in UNDECIDED
            else wager
            for name, wager in seat.wagers.items()
        }
        if answer.places:
            wagers[answer.places] = Wager(event.cents)
        folded = seat.folded or answer.folds
        seat = replace(seat, wagers=wagers, decided=seat.decided or answer.final, folded=folded)
    return replace(round_, seats=with_(round_.seats, event.seat, seat))


UNDECIDED = (Fate.LIVE, Fate.TO_SETTLE, Fate.STANDS)


def settled(round_: Round) -> Round:
    seats = {
        number: replace(
            seat,
            wagers={
                name: replace(w, fate=Fate.SETTLED) if w.fate in UNDECIDED else w
                for name, w in seat.wagers.items()
            },
        )
        for number, seat in round_.seats.items()
    }
    return replace(round_, seats=seats, phase=Phase.SETTLED if round_.live else round_.phase)


def wager_settled(round_: Round, event: f.WagerSettled) -> Round:
    seat = round_.seats[event.seat]
    wager = replace(
        seat.wagers[event.wager],
        fate=Fate.SETTLED,
        outcome=event.outcome,
        returned=event.returned,
        paid=event.paid,
    )
    seat = replace(seat, wagers=with_(seat.wagers, event.wager, wager))
    return replace(round_, seats=with_(round_.seats, event.seat, seat))


def wager_decided(round_: Round, event: f.WagerDecided) -> Round:
    """After the last wager has its fate, play of the round has stopped; one that is held may yet stand.

    A fold stops nothing: the dealer's hand is shown even to players who have all folded.
    """
    seat = round_.seats.get(event.seat, Seat())
    player = seat.wagers[event.wager].player if event.wager in seat.wagers else ""
    seat = replace(seat, wagers=with_(seat.wagers, event.wager, Wager(event.cents, Fate(event.fate), player)))
    round_ = replace(round_, seats=with_(round_.seats, event.seat, seat))
    if event.fate == Fate.COLLECTED:
        return round_
    if round_.live and round_.in_play and not round_.wagers(Fate.LIVE, Fate.STANDS, Fate.TO_SETTLE, Fate.HELD):
        return replace(round_, phase=Phase.STOPPED)
    return round_
