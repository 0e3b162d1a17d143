"""Sums that no row of a pay table gives, whatever the cards were: found where nobody told these. Pure."""

from controller.games.settling.engine import settler_of
from controller.games.settling.round import RoundRefused
from controller.games.settling.settled import Outcome
from controller.table.questions.coupons_and_envy import is_beside
from controller.table.settlement.offer import terms_of
from controller.table.state.table import Round, Setup
from controller.table.words import acts as a


def no_row_gives(setup: Setup, round_: Round, act: a.SettleWager) -> str | None:
    """Returns in words why this wager cannot have been paid so; None where it can, or where nobody can tell.

    A person may leave the stake out, or count it into what was paid: both are accepted.
    """
    stakes = {name: wager.cents for name, wager in round_.seats[act.seat].wagers.items()}
    if act.outcome is not Outcome.WIN or is_beside(act) or 0 in stakes.values():
        return None
    try:
        lines = settler_of(setup.law).sums(act.wager, stakes, terms_of(setup))
    except RoundRefused:  # these terms settle no round, which is said where it is settled
        return None
    if lines is None:
        return None
    back = act.paid + (stakes[act.wager] if act.returned is None else act.returned)
    if any(act.paid == line.paid or back == line.returned + line.paid for line in lines):
        return None
    sums = ", ".join(map(str, dict.fromkeys(line.paid for line in lines)))
    cite = ", ".join(dict.fromkeys(clause for line in lines for clause in line.cite))
    return (
        f"seat {act.seat}: {act.wager} was settled as {act.outcome} with {act.paid} cents won, and no row of its pay table gives "
        f"that for {stakes[act.wager]} ({sums}) [{cite}]; correct it ({a.CorrectSettlement.kind}), or {a.Resolution.GO_ON} "
        "lets it stand"
    )
