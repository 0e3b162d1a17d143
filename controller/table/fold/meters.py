"""What an entry of a meter's ledger changes: the ledger, what each wager has in it, and the meter that settles the round."""

from controller.games.settling.meters import Entry, Ledger, MeterTerms
from controller.games.settling.round import Meter
from controller.table.state.table import Booked, MeterState, State
from controller.table.words import facts as f
from controller.table.words.structs import replace


def booked(state: State, event: f.MeterBooked) -> State:
    """The state after an entry. Raises `LedgerWrong` for one that cannot be."""
    before = state.meters.get(event.meter) or MeterState(Ledger(MeterTerms(0, 0)))
    after = MeterState(before.ledger.posted(event.entry, event.posts, event.terms), _wagers(state, before, event))
    state = replace(state, meters={**state.meters, event.meter: after})
    round_ = state.round
    if event.entry is not Entry.CONTRIBUTION or round_ is None or _has_prize(before, round_.id):
        return state
    meters = {**round_.meters, event.meter: Meter(event.cents, event.reset or 0)}
    return replace(state, round=replace(round_, meters=meters))


def key(round_: str | None, seat: int | None) -> str:
    """Name of the progressive wager of a seat."""
    return f"{round_}/{seat}"


def _wagers(state: State, before: MeterState, event: f.MeterBooked) -> dict[str, Booked]:
    found = dict(before.booked)
    match event.entry:
        case Entry.CONTRIBUTION:
            known = [r.id for r in (state.round, state.last_round) if r is not None]
            found = {name: wager for name, wager in found.items() if name.rpartition("/")[0] in known}
            rates = before.ledger.terms.rise + before.ledger.terms.reserve
            found |= {key(event.round, seat): Booked(cents * rates) for seat, cents in event.wagers or ()}
        case Entry.VOID:
            for seat, _ in event.wagers or ():
                name = key(event.round, seat)
                found[name] = replace(found[name], void=True)
        case Entry.SEEN:
            name = key(event.round, event.seat)
            found[name] = replace(found[name], seen=event.prize or 0)
        case Entry.PAID | Entry.CORRECTION:
            name = key(event.round, event.seat)
            found[name] = replace(found[name], prize=event.prize)
    return found


def _has_prize(before: MeterState, round_: str) -> bool:
    return any(w.prize is not None for name, w in before.booked.items() if name.rpartition("/")[0] == round_)
