"""Wagers that were paid or collected before somebody found what makes their hands void: they stay as recorded, and play waits.

What has changed hands is taken back or let stand by a person, who corrects the settlement; no row gives it another fate.
"""

from collections.abc import Iterable, Iterator

from controller.games.fates import (
    REACHES_ALL,
    REACHES_SEAT,
    Fate,
    Placed,
    WagerFate,
    Why,
    of_declaration,
    wager_fates,
)
from controller.games.settling.settled import Outcome
from controller.rules.model import Demand, Row
from controller.table import acts as a
from controller.table.draft import Draft
from controller.table.state import Round, Wager

_BECOMES = {Fate.LOST: "it is lost", Fate.RETURNED: "it goes back", Fate.HELD: "a person decides about it"}


def settled_before(draft: Draft, fates: Iterable[WagerFate]) -> bool:
    """Whether a row reaches wagers that are settled and that it cannot decide: of the round in play or, between rounds, of
    the last one. `draft` before the row takes effect."""
    round_ = draft.state.round
    if round_ is None:
        return bool(draft.state.last_back)
    return any(x.why is Why.SETTLED or (x.why is Why.ON_RECORD and _outcome(round_, x) is None) for x in fates)


def _outcome(round_: Round, of: WagerFate) -> Outcome | None:
    return round_.seats[of.seat].wagers[of.wager].outcome


def ask_if_settled(draft: Draft, demands: tuple[Demand, ...], row: Row, where: str, before: bool) -> None:
    """No text says what becomes of wagers that were paid or collected before. `before`: by `settled_before`; `where`: the seat
    in words, "" = the table."""
    if before and any(d.action in (*REACHES_ALL, *REACHES_SEAT) for d in demands):
        draft.hold(
            f"{where}{row.says} But wagers are settled already, and no text says what follows", cite=row.cite
        )


def on_record(draft: Draft, seat: int, wager: str | None) -> bool:
    """Whether this wager is on record as settled: a person is asked about it, and nothing lies to collect."""
    round_ = draft.state.round
    assert round_ is not None  # a hand of it loses its first wager
    assert wager is not None
    return round_.seats[seat].wagers[wager].outcome is not None


def ask_of_paid(draft: Draft, demands: tuple[Demand, ...], seat: int, fates: Iterable[WagerFate]) -> None:
    """One hold for each wager or coupon of a false declaration that is on record as settled, with what was handed back.

    Asks nothing where it was settled so already.
    """
    for name, lies, fate, demand in _paid(draft, demands, seat, fates):
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
    draft: Draft, demands: tuple[Demand, ...], seat: int, fates: Iterable[WagerFate]
) -> Iterator[tuple[str, Wager, Fate, Demand]]:
    """What is on record as settled at this seat, with the fate that the row gives it; a coupon has that of its wager."""
    round_ = draft.state.round
    if round_ is None or seat not in round_.seats or not of_declaration(demands):
        return
    whose = round_.seats[seat]
    beside = [Placed(seat, name, Fate.SETTLED, on_record=True) for name in whose.coupons]
    of_coupons = wager_fates(draft.setup.law, demands, beside, seat)
    for x in (x for x in fates if x.why is Why.ON_RECORD):
        if (lies := whose.wagers[x.wager]).outcome is not None:
            yield x.wager, lies, x.fate, x.by
    for x in of_coupons:
        if (lies := whose.coupons[x.wager]).outcome is not None:
            yield f"coupon beside the {x.wager}", lies, x.fate, x.by
