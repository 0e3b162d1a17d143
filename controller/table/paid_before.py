"""Wagers that were paid or collected before somebody found what makes their hands void: they stay as recorded, and play waits.

What has changed hands is taken back or let stand by a person, who corrects the settlement; no row gives it another fate.
"""

from collections.abc import Iterator

from controller.games.model import Phase
from controller.games.settling.settled import Outcome
from controller.games.settling.voids import REACHES_ALL, REACHES_SEAT
from controller.rules.model import Demand, Row
from controller.rules.vocabulary import Action
from controller.table import acts as a
from controller.table.draft import Draft
from controller.table.state import Fate, Round, Wager

SPARED = "trips"
_BECOMES = {Fate.LOST: "it is lost", Fate.RETURNED: "it goes back", Fate.HELD: "a person decides about it"}


def of_declaration(demands: tuple[Demand, ...]) -> bool:
    """Whether a hand was declared a winner and is none: the row decides also what its declaration had settled."""
    return any(d.action is Action.COLLECT_ANTE for d in demands)


def settled_before(draft: Draft, demands: tuple[Demand, ...], seat: int) -> bool:
    """Whether a row reaches wagers that are settled and that it cannot decide: of the round in play or, between rounds, of
    the last one. Of a round that is void already these are the Trips that the void spared: the others were asked about then.
    `draft` before the row takes effect."""
    round_ = draft.state.round
    if round_ is None:
        return bool(draft.state.last_back)
    if of_declaration(demands):
        wagers = round_.seats[seat].wagers.values() if seat in round_.seats and not round_.live else ()
        return any(lies.fate is Fate.SETTLED and lies.outcome is None for lies in wagers)
    if not round_.live:
        return round_.phase is Phase.SETTLED or (round_.void and _spared_is_settled(round_))
    every = any(d.action in REACHES_ALL for d in demands)
    given_up = {(n, name) for n, s in round_.seats.items() for name in round_.game.settled_with(s.answers)}
    reached = [(at, w, lies) for at, w, lies in round_.wagers(Fate.SETTLED, Fate.HELD) if every or at == seat]
    # Of a wager that was given up, only whose the odd cent is may still be held.
    return any(lies.fate is Fate.SETTLED or (at, w) in given_up for at, w, lies in reached)


def _spared_is_settled(round_: Round) -> bool:
    return any(name == SPARED for _, name, _ in round_.wagers(Fate.SETTLED))


def ask_if_settled(draft: Draft, demands: tuple[Demand, ...], row: Row, where: str, before: bool) -> None:
    """No text says what becomes of wagers that were paid or collected before. `before`: by `settled_before`; `where`: the seat
    in words, "" = the table."""
    if before and any(d.action in (*REACHES_ALL, *REACHES_SEAT) for d in demands):
        draft.hold(
            f"{where}{row.says} But wagers are settled already, and no text says what follows", cite=row.cite
        )


def ante_paid(draft: Draft, seat: int) -> bool:
    """Whether the first wager of this seat is on record as settled: a person is asked about it, and nothing lies to collect."""
    assert draft.state.round is not None  # a hand of it loses its ante
    return draft.state.round.seats[seat].wagers["ante"].outcome is not None


def ask_of_paid(draft: Draft, demands: tuple[Demand, ...], seat: int, fates: dict[Action, Fate]) -> None:
    """One hold for each wager or coupon of a false declaration that is on record as settled, with what was handed back.

    `fates`: what the demands about a seat make of its wagers. Asks nothing where it was settled so already.
    """
    for name, lies, demand in _paid(draft, demands, seat, fates):
        fate = fates.get(demand.action, Fate.LOST)
        back, whole = lies.returned + lies.paid, (lies.outcome, lies.returned, lies.paid)
        if (fate is Fate.LOST and back == 0 and lies.outcome is not Outcome.WIN) or (
            fate is Fate.RETURNED and whole == (Outcome.RETURN, lies.cents, 0)
        ):
            continue
        # Of chips that nobody counted no sum is known.
        with_sum = f" with {back} cents handed back" if lies.cents else ""
        draft.hold(
            f"seat {seat}: {name} was settled as {lies.outcome}{with_sum}, and "
            f"{_BECOMES[fate]} [{demand.reading or ', '.join(demand.cite)}]; take back what was too much and correct it "
            f"({a.CorrectSettlement.kind}), or {a.Resolution.GO_ON} lets it stand",
            cite=demand.cite, reading=demand.reading, seat=seat, wager=name, choices=(a.Resolution.GO_ON,),
        )  # fmt: skip


def _paid(
    draft: Draft, demands: tuple[Demand, ...], seat: int, fates: dict[Action, Fate]
) -> Iterator[tuple[str, Wager, Demand]]:
    """What is on record as settled at this seat, each with the demand that speaks of it."""
    round_ = draft.state.round
    of_ante = next((d for d in demands if d.action is Action.COLLECT_ANTE), None)
    of_rest = next((d for d in demands if d.action in fates), None)
    if round_ is None or of_ante is None or seat not in round_.seats:
        return
    whose = round_.seats[seat]
    found = [*whose.wagers.items(), *whose.coupons.items()]
    labels = [*whose.wagers, *(f"coupon beside the {name}" for name in whose.coupons)]
    for label, (name, lies) in zip(labels, found, strict=True):
        demand = of_ante if name == "ante" else of_rest
        if lies.outcome is not None and demand is not None:
            yield label, lies, demand
