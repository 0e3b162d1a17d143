"""A progressive payout is validated before it is made, whichever act makes it: one wager, all of the round, or a correction.

Clause: `[progressive] payout_validated`.
"""

from controller.games.model import Phase
from controller.games.settling.settled import Outcome
from controller.rules.citation import Cited
from controller.table.fold.ruling import Draft
from controller.table.questions.stub_count_and_turns import order_cite
from controller.table.settlement.offer import OPEN, PROGRESSIVE, offer
from controller.table.state.table import Fate, LastRound, Round, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal

NOT_VALIDATED = "progressive_not_validated"
"""Code of each refusal of a payout that nobody has validated."""


def of_one_wager(
    setup: Setup, round_: Round | LastRound | None, act: a.SettleWager | a.CorrectSettlement
) -> Refusal | None:
    """Why this progressive wager is not paid yet. `round_`: the one it lies in."""
    if (act.wager, act.outcome) != (PROGRESSIVE, Outcome.WIN) or act.coupon or act.holder:
        return None
    rule = _rule(setup)
    if rule is None or round_ is None or act.seat in round_.validated:
        return None
    return _first(f"seat {act.seat}: the progressive payout is validated first", rule)


def cite_of(setup: Setup, wager: str) -> tuple[str, ...]:
    """The clause under which a claim on a meter is refused; none for another wager."""
    rule = _rule(setup) if wager == PROGRESSIVE else None
    return rule.cite if rule is not None else ()


def of_round(setup: Setup, round_: Round) -> Refusal | None:
    """Why not all is settled at once: a progressive wager wins by the cards, and nobody has validated its payout.

    Where no cards are recorded the act itself says that none wins: it pays no progressive wager that nobody has validated.
    """
    rule = _rule(setup)
    if rule is None:
        return None
    found = offer(setup, round_)
    wins = [
        seat
        for seat, name, wager in round_.wagers(*OPEN)
        if name == PROGRESSIVE and wager.outcome is None and seat not in round_.validated
        if found and (line := found.line(seat, name)) and line.outcome is Outcome.WIN
    ]
    if not wins:
        return None
    seats = ", ".join(map(str, wins))
    return _first(f"the progressive wager of seat {seats} wins by the cards; its payout is validated first", rule)


def _first(reason: str, rule: Cited[bool]) -> Refusal:
    return Refusal(f"{reason} ({a.ValidateProgressive.kind})", rule.cite, code=NOT_VALIDATED)


def verify_validate_progressive(
    setup: Setup, state: State, act: a.ValidateProgressive, actor: Actor
) -> Refusal | None:
    """What stands in the way of validating this payout."""
    rule = _rule(setup)
    if rule is None:
        return Refusal(
            f"{setup.law.rulebook.id} has no payout that is validated first", code="validation_not_known"
        )
    round_ = _meant(state, act)
    if round_ is None:
        known = ", ".join(r.id for r in (state.round, state.last_round) if r is not None) or "none yet"
        return Refusal(
            f"no payout of round {act.round or 'none'} is validated at the table; it may be: {known}",
            code="no_such_round",
        )
    if isinstance(round_, Round) and not _ends(round_):
        last = round_.game.stages[-1].phase
        return Refusal(
            f"a payout is validated in phase {last} or after it",
            order_cite(setup, state, a.SettleRound.kind),
            code="wrong_phase",
        )
    seat = round_.seats.get(act.seat)
    lies = seat.wagers.get(PROGRESSIVE) if seat is not None else None
    if lies is None or (PROGRESSIVE not in setup.offered and lies.fate not in OPEN):  # a late chip was no wager
        return Refusal(f"seat {act.seat} has no progressive wager in this round", rule.cite, code="no_such_wager")
    if not act.light_on:
        return Refusal(
            f"seat {act.seat}: the light of the progressive unit must be on; look at the unit",
            rule.cite,
            code="light_off",
        )
    if lies.fate is Fate.RETURNED:
        told = f"seat {act.seat}: the progressive wager went back; nothing can be claimed with it"
        return Refusal(told, rule.cite, code="claim_of_void")
    return None


def validate_progressive(draft: Draft, act: a.ValidateProgressive, actor: Actor) -> None:
    """Records that the payout was looked at."""
    rule, round_ = _rule(draft.setup), _meant(draft.state, act)
    assert round_ is not None
    draft.add(f.ProgressiveValidated(round_.id, act.seat, actor.who, actor.role, rule.cite if rule else ()))


def _ends(round_: Round) -> bool:
    return round_.phase in (round_.game.stages[-1].phase, Phase.SETTLED, Phase.STOPPED)


def _meant(state: State, act: a.ValidateProgressive) -> Round | LastRound | None:
    """The round in play, or the last one; None where another one is named."""
    known = [r for r in (state.round, state.last_round) if r is not None]
    return next((r for r in known if act.round in ("", r.id)), None)


def _rule(setup: Setup) -> Cited[bool] | None:
    """That payouts are validated first; None where this document does not want it."""
    progressive = setup.law.rulebook.progressive
    needed = progressive.payout_validated if progressive else None
    return needed if needed is not None and needed.value else None
