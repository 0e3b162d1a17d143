"""Wagers that were paid or collected before somebody found what makes their hands void: they stay as recorded, and play waits.

What has changed hands is taken back or let stand by a person, who corrects the settlement; no row gives it another fate.
"""

from collections.abc import Iterable, Iterator, Sequence

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
from controller.rules.model import Demand
from controller.rules.vocabulary import Action
from controller.table.fold.ruling import Draft
from controller.table.irregularities.wager_facts import give_back
from controller.table.state.table import Round, Wager
from controller.table.words import acts as a
from drivers.protocol.records import dataclass

SETTLED_BEFORE = "settled_before_void"
"""The code of a hold that asks what becomes of wagers settled before."""
_BECOMES = {Fate.LOST: "it is lost", Fate.RETURNED: "it goes back", Fate.HELD: "a person decides about it"}


@dataclass(frozen=True, slots=True)
class Reached:
    """Wagers that were settled before a row and that it reaches. `live`: play of the round had not stopped by then.

    `known`: each wager with what was recorded of it, in seat order. `reading`: that decides about them, None where the row does.
    """

    fates: tuple[WagerFate, ...]
    known: tuple[tuple[int, str, Wager], ...]
    live: bool
    reading: str | None


def settled_before(draft: Draft, demands: Sequence[Demand], fates: Iterable[WagerFate]) -> Reached | None:
    """Returns the wagers that these demands reach although they are settled; None where there are none.

    They are those of the round in play or, between rounds, of the last one. `draft` before the row takes effect.
    """
    round_, last, rule = draft.state.round, draft.state.last_round, draft.setup.law.rulebook.play.settled_in_void
    if round_ is not None:
        found = [
            x for x in fates if x.why is Why.SETTLED or (x.why is Why.ON_RECORD and _outcome(round_, x) is None)
        ]
        known = tuple((x.seat, x.wager, round_.seats[x.seat].wagers[x.wager]) for x in found)
        reading = rule.reading if found and found[0].why is Why.SETTLED else None
        return Reached(tuple(found), known, round_.live, reading) if found else None
    reaches = any(demand.action in (*REACHES_ALL, *REACHES_SEAT) for demand in demands)
    if not draft.state.last_back or not reaches or draft.setup.law.decided(rule) == "stands":
        return None
    seats = sorted(last.seats.items()) if last else []
    lay = tuple((n, w, x) for n, s in seats for w, x in s.wagers.items() if x.fate is not Fate.RETURNED)
    return Reached((), lay, live=False, reading=rule.reading)


def after_settled(
    draft: Draft, reached: Reached | None, says: str, cite: tuple[str, ...]
) -> list[tuple[int, Demand]]:
    """Carries out what was elected for wagers settled before, and asks where a person decides. Clause: none; reading by `[play]`.

    Returns what the floor is to take back, by seat. `says`: what happened; `cite`: of the row.
    """
    if reached is None:
        return []
    back = [x for x in reached.fates if reached.live and x.fate is Fate.RETURNED and _is_settled(draft, x)]
    give_back(draft, back)
    stands = [x for x in reached.fates if x.fate is Fate.SETTLED]
    gone = {(x.seat, x.wager) for x in (*back, *stands)}
    asked = [item for item in reached.known if item[:2] not in gone]
    if asked or not reached.known:
        of = {"reading": reached.reading} if reached.reading else {"cite": cite}
        draft.hold(
            f"{says} But wagers are settled already, and no text says what follows. {_listed(asked)}Correct each that is to "
            f"change ({a.CorrectSettlement.kind}); {a.Resolution.GO_ON} lets the others stand",
            code=SETTLED_BEFORE, **of,
        )  # fmt: skip
    paid = {n for n, w, lies in reached.known if lies.outcome is None or lies.returned + lies.paid}
    by = {x.seat: Demand(Action.TAKE_BACK_PAID, x.by.cite, x.by.reading) for x in back if x.seat in paid}
    return sorted(by.items(), key=lambda item: item[0])


def _listed(lying: Iterable[tuple[int, str, Wager]]) -> str:
    """Who has what: seat, wager, outcome and cents handed back."""
    told = [f"seat {seat} {wager}: {_what(lies)}" for seat, wager, lies in lying]
    return f"They are: {'; '.join(told)}. " if told else ""


def _what(lies: Wager) -> str:
    if lies.outcome is None:
        return f"{lies.fate}, {lies.cents} cents at stake, no payment on record"
    return f"{lies.outcome}, {lies.returned + lies.paid} cents handed back"


def _is_settled(draft: Draft, of: WagerFate) -> bool:
    """False for a wager of which the odd cent is still asked about."""
    assert draft.state.round is not None
    return draft.state.round.seats[of.seat].wagers[of.wager].fate is Fate.SETTLED


def _outcome(round_: Round, of: WagerFate) -> Outcome | None:
    return round_.seats[of.seat].wagers[of.wager].outcome


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
            code="settled_otherwise",
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
