"""What facts change about the wagers of a round, about the seats that they lie at, and about hands that were turned up."""

from collections.abc import Mapping
from typing import TypeVar

from controller.games.fates import VOIDS
from controller.games.model import AT_ONCE
from controller.games.settling.round import Irregularity, Meter, read_cards
from controller.rules.named_wagers import belongs
from controller.table.state.table import ALL_COLLECTED, ALL_HELD, Fate, Hold, Round, Seat, SeenHand, State, Wager
from controller.table.words import facts as f
from controller.table.words.structs import replace

K = TypeVar("K")
V = TypeVar("V")


def with_(mapping: Mapping[K, V], key: K, value: V) -> dict[K, V]:
    """A copy of the mapping with this value."""
    return {**mapping, key: value}


def without(mapping: Mapping[K, V], key: K) -> dict[K, V]:
    """A copy of the mapping without this key."""
    return {k: v for k, v in mapping.items() if k != key}


def money_after(round_: Round, event: f.Event) -> Round:
    """The round after a fact about its wagers, hands or meters; as it was after any other."""
    match event:
        case f.WagerSettled():
            return replace(round_, seats=_settled_anew(round_.seats, event))
        case f.HandRecorded():
            seen = SeenHand(read_cards(event.cards), read_cards(event.played), read_cards(event.shown))
            return replace(round_, seen={**round_.seen, (event.area, event.seat): seen})
        case f.MeterRecorded():
            return replace(round_, meters={**round_.meters, event.meter: Meter(event.cents, event.reset)})
    return round_


def corrected(state: State, event: f.SettlementCorrected) -> State:
    """The new settlement stands where the old one stood: in the round in play or in the last one."""
    round_, last = state.round, state.last_round
    if round_ is not None and round_.id == event.round:
        return replace(state, round=replace(round_, seats=_settled_anew(round_.seats, event)))
    if last is not None and last.id == event.round:
        return replace(state, last_round=replace(last, seats=_settled_anew(last.seats, event)))
    return state


def validated(state: State, event: f.ProgressiveValidated) -> State:
    """The payout of this seat was looked at, in the round in play or in the last one."""
    round_, last = state.round, state.last_round
    if round_ is not None and round_.id == event.round:
        return replace(state, round=replace(round_, validated=round_.validated | {event.seat}))
    if last is not None and last.id == event.round:
        return replace(state, last_round=replace(last, validated=last.validated | {event.seat}))
    return state


def void_noted(state: State, made: f.DispositionMade) -> State:
    """The round remembers what has made it, or a hand of it, void: it decides what is left to be settled.

    What is found after the settlement voids nothing (D-79): wagers that people settle then are compared with the cards.
    """
    round_ = state.round
    if round_ is None or not round_.live or not any(demand.action in VOIDS for demand in made.demands):
        return state
    holding = tuple(condition for condition in made.guards if belongs(made.trigger, condition))
    happened = Irregularity(made.trigger, holding, made.seat)
    return replace(state, round=replace(round_, voids=(*round_.voids, happened)))


def left_noted(round_: Round, made: f.DispositionMade) -> Round:
    """The round remembers whose player left: whether that hand still earns others a bonus is decided at the settlement."""
    return replace(round_, left=round_.left | {made.seat})


def placed(round_: Round, event: f.WagerPlaced) -> Round:
    """The round with the wager at its seat, and the coupon beside it."""
    seat = round_.seats.get(event.seat, Seat())
    seat = replace(seat, wagers=with_(seat.wagers, event.wager, Wager(event.cents, player=event.player)))
    if event.coupon:
        seat = replace(seat, coupons=with_(seat.coupons, event.wager, Wager(event.coupon)))
    return replace(round_, seats=with_(round_.seats, event.seat, seat))


def withdrawn(round_: Round, event: f.WagerWithdrawn) -> Round:
    """A seat without a wager is no seat of the round any more."""
    seat = round_.seats[event.seat]
    left = replace(seat, wagers=without(seat.wagers, event.wager), coupons=without(seat.coupons, event.wager))
    seats = with_(round_.seats, event.seat, left)
    return replace(round_, seats=seats if left.wagers else without(seats, event.seat))


def decision(round_: Round, event: f.DecisionRecorded) -> Round:
    """The round after a player's answer: what it places, settles and folds."""
    stage = round_.game.stage(round_.phase)
    answers = stage.answers if stage else ()
    answer = next((a for a in answers if a.decision is event.decision), None)
    seat = round_.seats[event.seat]
    seat = replace(seat, asked=round_.phase, answers=(*seat.answers, event.decision))
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


def undeclared(round_: Round, made: f.DispositionMade) -> Round:
    """A hand that was announced to win at once and does not: the announcement falls, and the player is asked again.

    Unless the hand is void by it. Its wager lies as before where nothing was paid on it yet; once the players' stage is over
    nobody is asked any more.
    """
    seat = round_.seats.get(made.seat)
    if seat is None:
        return round_
    seat = replace(seat, disbelieved=True)
    if seat.answers[-1:] not in [(d,) for d in AT_ONCE] or any(d.action in VOIDS for d in made.demands):
        return replace(round_, seats=with_(round_.seats, made.seat, seat))
    stage, answer = next((s, x) for s in round_.game.stages for x in s.answers if x.decision is seat.answers[-1])
    open_still = [n for n in answer.settles if n in seat.wagers and seat.wagers[n].outcome is None and round_.live]
    wagers = {
        n: replace(w, fate=Fate.LIVE) if n in open_still and w.fate is Fate.SETTLED else w
        for n, w in seat.wagers.items()
    }
    again = round_.phase is stage.phase
    seat = replace(
        seat, wagers=wagers, answers=seat.answers[:-1], decided=not again, asked=None if again else seat.asked
    )
    return replace(round_, seats=with_(round_.seats, made.seat, seat))


UNDECIDED = (Fate.LIVE, Fate.TO_SETTLE, Fate.STANDS)


def settled(round_: Round, *, compared: bool) -> Round:
    """Settles every undecided wager with the round. `compared`: its sum was compared with the cards."""

    def now(wager: Wager) -> Wager:
        if wager.fate not in (*UNDECIDED, Fate.SETTLED) or wager.outcome is not None:
            return wager
        return replace(wager, fate=Fate.SETTLED, compared=compared)

    seats = {
        number: replace(
            seat,
            wagers={name: now(wager) for name, wager in seat.wagers.items()},
            coupons={name: now(coupon) for name, coupon in seat.coupons.items()},
        )
        for number, seat in round_.seats.items()
    }
    return replace(round_, seats=seats)


def handed_back(state: State) -> State:
    """All that was to go back lies with its players: in the round in play, or in the last one."""
    round_, last = state.round, state.last_round
    if round_ is not None:
        return replace(state, round=replace(round_, seats=_handed(round_.seats)))
    return replace(state, last_round=replace(last, seats=_handed(last.seats))) if last is not None else state


def _handed(seats: Mapping[int, Seat]) -> Mapping[int, Seat]:
    return {
        number: replace(
            seat,
            wagers={n: replace(w, handed=True) if w.fate is Fate.RETURNED else w for n, w in seat.wagers.items()},
        )
        for number, seat in seats.items()
    }


def waiting_for(round_: Round, hold: Hold) -> Round:
    """The wagers that a hold was placed about wait for its answer; those that wait for another one already do not."""
    seats = round_.seats
    for number, wager, lies in round_.wagers(Fate.HELD):
        if not lies.hold and hold.seat in (0, number) and hold.wager in (wager, ALL_HELD, ALL_COLLECTED):
            wagers = with_(seats[number].wagers, wager, replace(lies, hold=hold.id))
            seats = with_(seats, number, replace(seats[number], wagers=wagers))
    return replace(round_, seats=seats)


def _settled_anew(seats: Mapping[int, Seat], event: f.WagerSettled | f.SettlementCorrected) -> Mapping[int, Seat]:
    seat = seats[event.seat]
    if event.holder:
        envy = with_(seat.envy, event.holder, _anew(seat.envy.get(event.holder, Wager(0)), event))
        return {**seats, event.seat: replace(seat, envy=envy)}
    if event.coupon:
        coupons = with_(seat.coupons, event.wager, _anew(seat.coupons[event.wager], event))
        return {**seats, event.seat: replace(seat, coupons=coupons)}
    wagers = with_(seat.wagers, event.wager, _anew(seat.wagers[event.wager], event))
    return {**seats, event.seat: replace(seat, wagers=wagers)}


def _anew(before: Wager, event: f.WagerSettled | f.SettlementCorrected) -> Wager:
    return replace(
        before,
        fate=Fate.SETTLED,
        outcome=event.outcome,
        returned=event.returned,
        paid=event.paid,
        corrected=isinstance(event, f.SettlementCorrected),
        compared=before.compared if isinstance(event, f.SettlementCorrected) else event.offered is not None,
    )


def wager_decided(round_: Round, event: f.WagerDecided) -> Round:
    """The wager has its fate; one that nobody had placed lies there with it."""
    seat = round_.seats.get(event.seat, Seat())
    player = seat.wagers[event.wager].player if event.wager in seat.wagers else ""
    seat = replace(seat, wagers=with_(seat.wagers, event.wager, Wager(event.cents, Fate(event.fate), player)))
    return replace(round_, seats=with_(round_.seats, event.seat, seat))
