"""What is settled beside the wagers of a seat: match play coupons, and envy bonuses for the hands of others.

Neither has a fate of its own: a coupon follows the wager beside which it lies, and envy is earned by a progressive wager.
"""

from collections.abc import Mapping

from controller.games.settling.engine import settler_of
from controller.games.settling.settled import ENVY, Outcome
from controller.rules.vocabulary import Settle
from controller.table.state.table import Fate, Round, Seat, Setup, Wager
from controller.table.words import acts as a
from controller.table.words.refusal import Refusal

PROGRESSIVE = "progressive"
WITH_PROGRESSIVE = "with_progressive"
"""The election under which a hand earns envy only with a progressive wager of its own."""
MOST_FACE = 10_000_000_000
"""Cents; no coupon is worth more, as no wager is."""
GOES_BACK = (Fate.RETURNED, Fate.HELD)
"""Fates of a wager that does not change hands, or not yet: a coupon beside it stays with the player, or waits with it."""
UNDONE = (*GOES_BACK, Fate.LOST)
"""Fates of a wager that was not settled by the cards: no envy is earned by it."""

About = a.SettleWager | a.CorrectSettlement


def label(act: About) -> str:
    """What an act is about: the name of a wager, the coupon beside it, or envy for the hand of a seat."""
    if act.holder:
        return f"{ENVY} for seat {act.holder}"
    return f"coupon beside the {act.wager}" if act.coupon else act.wager


def spoken(act: About) -> str:
    """Returns what the act is about, as people say it: a coupon, an envy bonus, or the wager by name."""
    return label(act) if is_beside(act) else f"{act.wager} wager"


def is_beside(act: About) -> bool:
    """Returns True if the act is about a coupon or an envy bonus, which stand beside the wagers of a seat."""
    return act.coupon or act.holder != 0 or act.wager == ENVY


def on_record(seats: Mapping[int, Seat], act: About) -> Wager | None:
    """The wager, coupon or envy bonus that an act is about; None where there is none, or nothing was settled on it yet."""
    seat = seats.get(act.seat)
    if seat is None:
        return None
    if act.holder:
        return seat.envy.get(act.holder)
    return (seat.coupons if act.coupon else seat.wagers).get(act.wager)


def stake(act: About, found: Wager) -> int:
    """Cents of chips: a coupon has a face, and envy nothing that could go back."""
    return 0 if is_beside(act) else found.cents


def place_coupon(setup: Setup, act: a.PlaceWager) -> Refusal | None:
    """Why no coupon of this face may lie beside the chips. Clause: `[settlement] coupon`."""
    rule = setup.law.rulebook.settlement.get(Settle.COUPON)
    if act.coupon == 0:
        return None
    if rule is None:
        return Refusal(
            f"seat {act.seat}: {setup.law.rulebook.id} knows no match play coupon", code="coupon_not_known"
        )
    if not 1 <= act.coupon <= MOST_FACE:
        return Refusal(
            f"seat {act.seat}: the face of a coupon is 1 to {MOST_FACE} cents, {act.coupon} were given",
            rule.cite,
            code="amount_out_of_range",
        )
    exact = setup.law.rulebook.wagers[act.wager].exact_cents
    if exact is not None:
        return Refusal(
            f"seat {act.seat}: {act.wager} is one chip of {exact.value} cents, and no coupon lies beside it", exact.cite,
            code="exact_wager_takes_no_coupon",
        )  # fmt: skip
    return None


def may_settle(setup: Setup, round_: Round, act: a.SettleWager) -> Refusal | None:
    """What stands in the way of settling a coupon or an envy bonus now."""
    wrong = _envy(setup, round_, act) if act.holder or act.wager == ENVY else _coupon(round_, act)
    if wrong is not None:
        return wrong
    settled = on_record(round_.seats, act)
    if settled is not None and settled.outcome is not None:
        return Refusal(
            f"seat {act.seat}: the {label(act)} is settled already: {settled.outcome}", code="settled_already"
        )
    return None


def _coupon(round_: Round, act: a.SettleWager) -> Refusal | None:
    if on_record(round_.seats, act) is None:
        return Refusal(f"seat {act.seat} has no match play coupon beside its {act.wager}", code="no_such_wager")
    wager = round_.seats[act.seat].wagers[act.wager]
    if wager.fate in GOES_BACK:
        coupon = "waits for what a person decides" if wager.fate is Fate.HELD else "stays with the player"
        return Refusal(
            f"seat {act.seat}: the {act.wager} wager is {wager.fate}, and its coupon {coupon}",
            code="coupon_follows_wager",
        )
    if wager.fate not in (Fate.SETTLED, Fate.COLLECTED, Fate.LOST):
        return Refusal(
            f"seat {act.seat}: first settle the {act.wager} wager beside which it lies", code="settle_wager_first"
        )
    return None


def _envy(setup: Setup, round_: Round, act: a.SettleWager) -> Refusal | None:
    law, earned = setup.law.rulebook, setup.law.rulebook.settlement.get(Settle.ENVY_FOLDED)
    if earned is None or not settler_of(setup.law).pays_envy:
        return Refusal(f"{law.id} pays no envy bonus under the tables that were elected", code="no_envy")
    if act.wager != ENVY or act.holder not in round_.in_play or act.holder == act.seat:
        others = ", ".join(str(seat) for seat in round_.in_play if seat != act.seat) or "none"
        told = f"envy is wager={ENVY} and holder=, another seat whose hand earns it: {others}"
        return Refusal(f"seat {act.seat}: {told}", earned.cite, code="no_envy")
    seat = round_.seats.get(act.seat)
    progressive = seat.wagers.get(PROGRESSIVE) if seat else None
    if progressive is None or progressive.fate in UNDONE:
        return Refusal(
            f"seat {act.seat} has no progressive wager that could earn envy", earned.cite, code="no_envy"
        )
    if (unearned := _not_earned_by(setup, round_, act)) is not None:
        return unearned
    if round_.live and round_.phase is not round_.game.stages[-1].phase:
        return Refusal(
            f"seat {act.seat}: envy is settled in phase {round_.game.stages[-1].phase}",
            earned.cite,
            code="wrong_phase",
        )
    return of_envy(setup, act)


def of_envy(setup: Setup, act: About) -> Refusal | None:
    """Envy is earned or not: nothing of it goes back."""
    if not act.holder or act.outcome in (Outcome.WIN, Outcome.LOSE):
        return None
    earned = setup.law.rulebook.settlement.get(Settle.ENVY_FOLDED)
    return Refusal(
        f"seat {act.seat}: envy is a {Outcome.WIN} or a {Outcome.LOSE}; not {act.outcome}",
        earned.cite if earned else (),
        code="outcome_unknown",
    )


def _not_earned_by(setup: Setup, round_: Round, act: a.SettleWager) -> Refusal | None:
    """Where only who has a progressive wager may hold such a hand, one that went back or was lost is none.

    Clause: `[settlement] envy_holder`.
    """
    rule = setup.law.rulebook.settlement.get(Settle.ENVY_HOLDER)
    wager = round_.seats[act.holder].wagers.get(PROGRESSIVE)
    if rule is None or rule.value != WITH_PROGRESSIVE or (wager is not None and wager.fate not in UNDONE):
        return None
    told = "none" if wager is None else f"one that is {wager.fate}"
    return Refusal(
        f"seat {act.seat}: the hand of seat {act.holder} earns no envy: that needs a progressive wager, and there is {told}",
        rule.cite,
        code="no_envy",
    )
