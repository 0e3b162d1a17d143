"""Compares the view that a person acted on with the table: a mark for each part, and the parts that an act rests on.

A view carries the marks, and an act brings them back. It is refused only if a part that it rests on has changed; news of
other seats, sets and devices never refuse it.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import msgspec

from controller.table.acts.registry import WHILE_HELD
from controller.table.settlement.offer import offer
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words.inputs import Seen
from controller.table.words.refusal import Refusal

MARK = 12
"""Hexadecimal digits of a mark."""
SETTLES = (a.SettleWager, a.SettleRound, a.SettleOffered, a.NextRound)
_ENCODER = msgspec.json.Encoder(order="sorted")


def marks(setup: Setup, state: State) -> dict[str, str]:
    """Returns a mark of each part of the table that an act can rest on, by the part's name."""
    return {name: _mark(part) for name, part in _parts(setup, state)}


def rests_on(act: a.Act) -> tuple[str, ...]:
    """Returns the parts that this act shows or relies on."""
    match act:
        case a.ConfirmDuty(duty=duty):
            return (f"duty {duty}",)
        case a.ResolveHold(hold=hold):
            return "phase", f"hold {hold}"
    seat, back = getattr(act, "seat", 0), getattr(act, "back", "")
    parts = ["phase"] if act.kind in WHILE_HELD else ["phase", "held"]
    parts += [f"seat {seat}"] if seat else []
    parts += [f"set {back}"] if back else []
    if isinstance(act, a.WagersAsBefore):
        parts += ["last round"]
    if isinstance(act, a.RecordDecisions):
        parts += ["waiting"]
    if isinstance(act, SETTLES):
        parts.append(f"offer {seat}" if seat else "offer")
    return tuple(parts)


def told(act: a.Act, seen: Seen) -> Seen:
    """Returns of what was seen only what this act rests on: that goes on record."""
    return Seen(seen.order, {name: seen.marks[name] for name in rests_on(act) if name in seen.marks})


def stale(setup: Setup, state: State, act: a.Act, seen: Seen | None) -> Refusal | None:
    """Returns why the act does not fit the table any more: which part of what the person saw has changed."""
    if seen is None:
        return None
    now = marks(setup, state)
    changed = [name for name in rests_on(act) if seen.marks.get(name) != now.get(name)]
    if not changed:
        return None
    return Refusal(f"changed since it was shown: {', '.join(changed)}; look again", code="view_stale")


def _parts(setup: Setup, state: State) -> Iterator[tuple[str, Any]]:
    round_ = state.round
    where = (round_.id, round_.phase, round_.void, round_.streets) if round_ else state.last_back
    yield "phase", (state.open, state.method, where)
    yield "held", list(state.holds)
    yield from ((f"hold {name}", hold) for name, hold in state.holds.items())
    yield from ((f"duty {name}", duty) for name, duty in state.duties.items())
    for back, card_set in state.sets.items():
        known = card_set.cycle_complete, card_set.mode_shuffle, card_set.count_right, card_set.identities_complete
        yield f"set {back}", (card_set.present, card_set.defects, *known)
    if round_ is None:
        return
    yield "last round", state.last_round.seats if state.last_round else None
    yield "waiting", round_.waiting
    yield from ((f"seat {number}", seat) for number, seat in round_.seats.items())
    lines = found.lines if (found := offer(setup, round_)) else ()
    yield "offer", lines
    yield from ((f"offer {number}", [x for x in lines if x.seat == number]) for number in round_.seats)


def _mark(part: Any) -> str:
    # Seats and envy are by number, and only words can be sorted.
    return sha256(_ENCODER.encode(msgspec.to_builtins(part, str_keys=True))).hexdigest()[:MARK]
