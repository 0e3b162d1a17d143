"""The fate that a row of law gives to each wager of a round: one function, for the table and for `settle`. Pure.

A demand has an action and, where it is about one wager, the name of that wager. Demands that name a wager come first, then
those about the seat concerned, then those about all wagers. Last comes a void that is silent on wagers, or a hold of the round.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from controller.rules.citation import Cited
from controller.rules.model import Demand, Law
from controller.rules.vocabulary import Action
from drivers.protocol.records import dataclass

VOIDS_ALL = (Action.VOID_ROUND, Action.VOID_ALL_HANDS)
VOIDS = (*VOIDS_ALL, Action.VOID_HAND)
REACHES_ALL = (*VOIDS_ALL, Action.RETURN_ALL_WAGERS)
REACHES_SEAT = (Action.VOID_HAND, Action.RETURN_SEAT_WAGERS)
"""Actions that put in question what was paid or collected before: in the whole round, or at the seat concerned."""


class Fate(StrEnum):
    """The state of a wager."""

    LIVE = "live"
    RETURNED = "returned"
    HELD = "held"
    TO_SETTLE = "to_settle"  # spared by a void and settled on its own pay table
    STANDS = "stands"
    COLLECTED = "collected"  # at a fold; the rest of the round no longer touches it, a void may
    LOST = "lost"  # by an irregularity, not by the cards
    SETTLED = "settled"


OF_WAGER = {
    Action.RETURN: Fate.RETURNED,
    Action.HOLD: Fate.HELD,
    Action.SETTLE: Fate.TO_SETTLE,
}
"""Fates that a demand gives at every seat to the wager that it names."""
OF_WAGER_AT_SEAT = {Action.COLLECT: Fate.LOST}
"""Fates that a demand gives to the wager that it names at the seat concerned, which was declared a winner falsely."""
OF_SEAT = {
    Action.RETURN_SEAT_WAGERS: Fate.RETURNED,
    Action.HOLD_SEAT_WAGERS: Fate.HELD,
    Action.COLLECT_SEAT_WAGERS: Fate.LOST,
}
OF_ALL = {
    Action.RETURN_ALL_WAGERS: Fate.RETURNED,
    Action.RETURN_OTHERS: Fate.RETURNED,
    Action.HOLD_ALL_WAGERS: Fate.HELD,
    Action.HOLD_OTHERS: Fate.HELD,
}
_BY_RANK = (OF_WAGER, OF_WAGER_AT_SEAT, OF_SEAT, OF_ALL)
FATES = {action: fate for fates in _BY_RANK for action, fate in fates.items()}
CONCERNS_A_SEAT = (Action.VOID_HAND, *OF_WAGER_AT_SEAT, *OF_SEAT)


class Why(StrEnum):
    """The ground of a fate, where it is not simply the row."""

    ROW = "row"
    ROUND_HELD = "round_held"  # one hold keeps the whole round
    COLLECTED = "collected"  # the wager was collected at a fold before
    LOST = "lost"  # an earlier irregularity had made the wager lost
    SETTLED = "settled"  # the wager was paid, collected or divided before
    ON_RECORD = "on_record"  # the row speaks of the wager, but an outcome of it is on record


@dataclass(frozen=True, slots=True)
class Placed:
    """A wager just before a row takes effect.

    `on_record`: its outcome and its amounts are recorded. `folded`: its hand folded.
    """

    seat: int
    wager: str
    fate: Fate = Fate.LIVE
    on_record: bool = False
    folded: bool = False


@dataclass(frozen=True, slots=True)
class WagerFate:
    """The fate of one wager and the demand that decides it."""

    seat: int
    wager: str
    fate: Fate
    by: Demand
    why: Why = Why.ROW


def wager_fates(law: Law, demands: Sequence[Demand], wagers: Iterable[Placed], at: int = 0) -> list[WagerFate]:
    """Returns the fate of each wager that these demands decide, demand by demand; wagers that stay as they are, are left out.

    `at`: the seat concerned, 0 = none. `wagers`: those that the demands may reach, in the order of the answer.
    """
    ranked = [demand for fates in _BY_RANK for demand in demands if demand.action in fates]
    if holds_round(demands) is not None:  # one hold keeps all that nothing else decides
        ranked = [d for d in ranked if d.action not in OF_ALL or FATES[d.action] is not Fate.HELD]
    found = [fate for placed in wagers if (fate := _fate(law, demands, ranked, placed, at)) is not None]
    order = {id(demand): n for n, demand in enumerate(ranked)}
    return sorted(found, key=lambda fate: order.get(id(fate.by), len(order)))


def holds_round(demands: Iterable[Demand]) -> Demand | None:
    """The demand that holds the whole round; None where none does."""
    return next((demand for demand in demands if demand.action is Action.HOLD_ROUND), None)


def reaches(demands: Iterable[Demand], seat: int, at: int) -> Demand | None:
    """The first demand that puts in question what was paid or collected before at this seat."""
    for demand in demands:
        if demand.action in REACHES_ALL or (demand.action in REACHES_SEAT and seat == at):
            return demand
    return None


def voids(demands: Iterable[Demand], seat: int, at: int) -> bool:
    """Whether these demands make the hand of this seat void, alone or with all others."""
    return any(d.action in VOIDS_ALL or (d.action is Action.VOID_HAND and seat == at) for d in demands)


def of_declaration(demands: Iterable[Demand]) -> bool:
    """Whether a hand was declared a winner falsely: the row decides also what the declaration had settled."""
    return any(demand.action in OF_WAGER_AT_SEAT for demand in demands)


def _fate(
    law: Law, demands: Sequence[Demand], ranked: Sequence[Demand], placed: Placed, at: int
) -> WagerFate | None:
    by = reaches(demands, placed.seat, at)
    match placed.fate:
        case Fate.COLLECTED if by is not None:
            return _collected(law, placed)
        case Fate.LOST if by is not None:
            return _lost(law, placed)
        case Fate.LIVE | Fate.STANDS if by is not None and _shares(law, demands, placed):
            return _collected(law, placed)
        case Fate.LIVE | Fate.STANDS | Fate.TO_SETTLE:
            return _by_row(law, demands, ranked, placed, at)
        case Fate.SETTLED if of_declaration(demands) and placed.seat == at:
            return _declared(ranked, placed, at)
        case Fate.SETTLED if by is not None:
            return _settled(law, placed)
        case Fate.SETTLED | Fate.COLLECTED:
            return _held_with_round(demands, placed)
    return None


def _shares(law: Law, demands: Sequence[Demand], placed: Placed) -> bool:
    """Whether a wager on the layout shares the fate of those that the fold of its hand collected. Data: `[play] fold_shares`."""
    rule = law.rulebook.play.fold_shares
    named = any(demand.wager == placed.wager for demand in demands)
    return placed.folded and rule is not None and placed.wager in rule.value and not named


def _by_row(
    law: Law, demands: Sequence[Demand], ranked: Sequence[Demand], placed: Placed, at: int
) -> WagerFate | None:
    """The fate of a wager on the layout. One that an earlier void spared is reached by a demand that does not name it, but
    never lost by it."""
    spared = placed.fate is Fate.TO_SETTLE
    if spared and any(demand.wager == placed.wager for demand in demands):
        return None
    for demand in ranked:
        fate = FATES[demand.action]
        if _speaks_of(demand, placed, at) and not (spared and fate is Fate.LOST):
            found = WagerFate(placed.seat, placed.wager, fate, demand)
            return _spared(law, found) if spared else found
    if voids(demands, placed.seat, at):
        return WagerFate(placed.seat, placed.wager, Fate.HELD, _holds_all(demands) or _silent(law))
    return None if spared else _held_with_round(demands, placed)


def _holds_all(demands: Sequence[Demand]) -> Demand | None:
    """The demand that holds all wagers of a void; None where none does. A hold of the round asks another question than it."""
    return next(
        (demand for demand in demands if demand.action in OF_ALL and FATES[demand.action] is Fate.HELD), None
    )


def _spared(law: Law, found: WagerFate) -> WagerFate:
    """The fate of a wager that an earlier void spared and that a later demand reaches. Clause: none; reading by `[play]`."""
    rule = law.rulebook.play.spared_in_void
    if rule is None or found.fate is Fate.HELD or (law.decided(rule) or "hold") != "hold":
        return found
    return WagerFate(found.seat, found.wager, Fate.HELD, Demand(Action.HOLD_OTHERS, reading=rule.reading))


def _silent(law: Law) -> Demand:
    """The demand where the document is silent and nobody elected a reading: hold and ask. Reading: by which holds are lifted."""
    return Demand(Action.HOLD_OTHERS, reading=law.of_holds)


def _speaks_of(demand: Demand, placed: Placed, at: int) -> bool:
    if demand.action in OF_WAGER:
        return demand.wager == placed.wager
    if demand.action in OF_WAGER_AT_SEAT:
        return (placed.seat, placed.wager) == (at, demand.wager)
    return demand.action in OF_ALL or placed.seat == at


def _declared(ranked: Sequence[Demand], placed: Placed, at: int) -> WagerFate | None:
    """The fate of a wager that a false declaration had settled."""
    of_seat = (d for d in ranked if d.action in OF_WAGER_AT_SEAT or d.action in OF_SEAT)
    by = next((demand for demand in of_seat if _speaks_of(demand, placed, at)), None)
    why = Why.ON_RECORD if placed.on_record else Why.ROW
    return None if by is None else WagerFate(placed.seat, placed.wager, FATES[by.action], by, why)


def _held_with_round(demands: Sequence[Demand], placed: Placed) -> WagerFate | None:
    by = holds_round(demands)
    return None if by is None else WagerFate(placed.seat, placed.wager, Fate.HELD, by, Why.ROUND_HELD)


def _collected(law: Law, placed: Placed) -> WagerFate | None:
    """The fate of a wager that was collected at a fold and that a void reaches. Clause: none; reading by `[play]`.

    One that lies on the layout still, beside such a wager, is lost where that stays collected.
    """
    rule = law.rulebook.play.collected_in_void
    stays = Fate.COLLECTED if placed.fate is Fate.COLLECTED else Fate.LOST
    return None if rule is None else _by_choice(law, rule, placed, {"collected": stays}, Why.COLLECTED)


def _lost(law: Law, placed: Placed) -> WagerFate:
    """The fate of a wager that an earlier irregularity made lost and that a void reaches. Clause: none; reading by `[play]`."""
    rule = law.rulebook.play.lost_in_void
    if rule is None:
        return WagerFate(placed.seat, placed.wager, Fate.HELD, _silent(law), Why.LOST)
    return _by_choice(law, rule, placed, {"lost": Fate.LOST}, Why.LOST)


def _settled(law: Law, placed: Placed) -> WagerFate:
    """The fate of a wager that was paid, collected or divided before a void reaches it. Clause: none; reading by `[play]`."""
    rule = law.rulebook.play.settled_in_void
    return _by_choice(law, rule, placed, {"stands": Fate.SETTLED}, Why.SETTLED)


def _by_choice(law: Law, rule: Cited[str], placed: Placed, stays: Mapping[str, Fate], why: Why) -> WagerFate:
    """The elected fate of a wager that left the layout. It is held where nobody elected, as the round may go on all the same."""
    choice = law.decided(rule) or "hold"
    fate = {"return": Fate.RETURNED, "hold": Fate.HELD, **stays}[choice]
    return WagerFate(placed.seat, placed.wager, fate, Demand(_BY_FATE[fate], reading=rule.reading), why)


_BY_FATE = {
    Fate.RETURNED: Action.RETURN_ALL_WAGERS,
    Fate.HELD: Action.HOLD_OTHERS,
    Fate.COLLECTED: Action.RECORD_ONLY,
    Fate.SETTLED: Action.RECORD_ONLY,
    Fate.LOST: Action.COLLECT_SEAT_WAGERS,
}
"""Actions of the demands that carry out an elected fate."""
