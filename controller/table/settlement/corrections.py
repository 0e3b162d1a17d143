"""Settlements put right: a new one beside the old one, in the round in play or the one before. Nothing is edited."""

from collections.abc import Mapping
from typing import Any

from controller.games.settling.settled import Outcome
from controller.rules.citation import Cited
from controller.table.fold.ruling import Draft
from controller.table.questions.coupons_and_envy import is_beside, label, of_envy, on_record, spoken, stake
from controller.table.questions.short_hand import short_hand_first
from controller.table.settlement import validation
from controller.table.settlement.contradictions import disproved, returned_by_announcement
from controller.table.settlement.settle import goes_back, sums
from controller.table.state.table import Fate, Round, Seat, Setup, State, Wager
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal

LONGEST_REASON = 500
MAY_BE_WRONG = (Fate.SETTLED, Fate.COLLECTED)
"""Fates in which money has changed hands by the cards; what an irregularity made of a wager is decided by its row."""


def verify_correct_settlement(
    setup: Setup, state: State, act: a.CorrectSettlement, actor: Actor
) -> Refusal | None:
    """What stands in the way of settling this wager anew."""
    found = _wager(state, act)
    if isinstance(found, Refusal):
        return found
    if found.fate not in MAY_BE_WRONG and not _by_a_word(setup, state, act):
        return Refusal(
            f"seat {act.seat}: the {spoken(act)} is {found.fate}, and was not settled by the cards",
            code="not_settled",
        )
    if not 1 <= len(act.reason.strip()) <= LONGEST_REASON:
        return Refusal(
            f"say why it is corrected, in 1 to {LONGEST_REASON} characters (`reason`)", code="text_length"
        )
    if (wrong := sums(act, stake(act, found), counted=found.cents > 0 or is_beside(act))) is not None:
        return wrong
    if (wrong := _as_settled(setup, state, act)) is not None:
        return wrong
    returned = _returned(act, found)
    if found.outcome is act.outcome and (found.returned, found.paid) == (returned, act.paid):
        back = f", {returned + act.paid} back" if found.cents or is_beside(act) else ""
        return Refusal(
            f"seat {act.seat}: so the {spoken(act)} was settled: {act.outcome}{back}", code="nothing_changed"
        )
    return None


def correct_settlement(draft: Draft, act: a.CorrectSettlement, actor: Actor) -> None:
    """Records the new settlement with the difference, and lifts what waits for it. Reading: by `[act_roles]`."""
    setup = draft.setup
    wager, (name, _) = _wager(draft.state, act), _of_round(draft.state, act)
    assert isinstance(wager, Wager)
    returned = _returned(act, wager)
    was, before = wager.outcome, wager.returned + wager.paid if wager.outcome else None
    if wager.fate in (Fate.COLLECTED, Fate.LOST):
        was, before = Outcome.LOSE, 0
    elif wager.fate is Fate.RETURNED:
        was, before = Outcome.RETURN, wager.cents
    known = before is not None and (wager.cents > 0 or is_beside(act))  # of chips that nobody counted no sum is
    owed = returned + act.paid - before if known and before is not None else None
    role = setup.law.rulebook.act_roles.get(act.kind)
    draft.add(
        f.SettlementCorrected(
            name, act.seat, act.wager, act.outcome, stake(act, wager), returned, act.paid, setup.currency, actor.who,
            actor.role, act.reason, was, before, owed, (), role.reading if role else None,
            coupon=wager.cents if act.coupon else 0, holder=act.holder,
        )
    )  # fmt: skip
    round_ = draft.state.round
    if round_ is None or round_.id != name:
        return
    for hold in list(draft.state.holds.values()):
        if (hold.seat, hold.wager) == (act.seat, label(act)) and hold.choices == (a.Resolution.GO_ON,):
            lifted = (hold.id, a.Resolution.GO_ON, actor.who, actor.role, hold.reading, act.reason)
            draft.add(f.HoldLifted(*lifted))


def _as_settled(setup: Setup, state: State, act: a.CorrectSettlement) -> Refusal | None:
    """What a settlement of this wager would have been refused for is no correction of it either."""
    name, _ = _of_round(state, act)
    known = {r.id: r for r in (state.last_round, state.round) if r is not None}
    if (
        state.round is not None
        and state.round.id == name
        and (first := short_hand_first(state, act.seat)) is not None
    ):
        return first
    return of_envy(setup, act) or validation.of_one_wager(setup, known.get(name), act)


def ask_of_no_natural(draft: Draft, before: Round, rule: Cited[Any]) -> None:
    """The dealer's hand is no natural after all: what that word gave back or settled waits for a person, who corrects it.

    `before`: the round as it was under that word. Clause: `[play] dealer_natural`.
    """
    back = [
        (s, w) for s, w, _ in before.wagers(Fate.RETURNED) if returned_by_announcement(draft.setup, before, s, w)
    ]
    paid = [(seat, wager) for seat, wager, _ in _settled_by_cards(before)]
    if back or paid:
        named = ", ".join(f"seat {seat} {wager}" for seat, wager in sorted((*back, *paid)))
        draft.hold(
            f"the dealer's hand is no natural, and these wagers were given back or settled as if it were: {named}; "
            f"{a.Resolution.GO_ON}, deal the community cards, and correct them by the cards ({a.CorrectSettlement.kind})",
            cite=rule.cite, code="natural_denied",
        )  # fmt: skip


def ask_of_natural(draft: Draft, before: Round, rule: Cited[Any]) -> None:
    """The dealer's hand is a natural after all: what was settled otherwise than by one waits for a person, who corrects it.

    `before`: the round as it was under the other word. Clause: `[play] dealer_natural`.
    """
    wrong = [
        (seat, wager)
        for seat, wager, lies in _settled_by_cards(before)
        if lies.outcome is Outcome.WIN
        or (lies.outcome is Outcome.LOSE) is (wager in rule.value)
        or lies.returned != (lies.cents if wager in rule.value else 0)
    ]
    if wrong:
        named = ", ".join(f"seat {seat} {wager}" for seat, wager in wrong)
        draft.hold(
            f"the dealer's hand is a natural, and these wagers were settled as if it were none: {named}; correct them "
            f"({a.CorrectSettlement.kind}): {', '.join(rule.value)} goes back and any other is lost; {a.Resolution.GO_ON} "
            f"goes on to that, or lets them stand",
            cite=rule.cite, code="natural_found",
        )  # fmt: skip


def _settled_by_cards(round_: Round) -> list[tuple[int, str, Wager]]:
    """What is on record as settled, but for what a player's own answer had settled."""
    settled = round_.wagers(Fate.SETTLED)
    return [
        (seat, wager, lies)
        for seat, wager, lies in settled
        if lies.outcome is not None and wager not in round_.game.settled_with(round_.seats[seat].answers)
    ]


def _by_a_word(setup: Setup, state: State, act: a.CorrectSettlement) -> bool:
    """In the round in play, a wager that went back because of what was said of the dealer's hand, or was lost or went back
    because a declaration was said to be false that the cards bear out. Beside one that went back nothing lies.
    """
    round_, name = state.round, _of_round(state, act)[0]
    if round_ is None or round_.id != name:
        return False
    if returned_by_announcement(setup, round_, act.seat, act.wager):
        return True
    lies = round_.seats[act.seat].wagers.get(act.wager)
    gone = lies is not None and lies.fate in (Fate.LOST, Fate.RETURNED) and not round_.void
    return gone and disproved(setup, round_, act.seat)


def _of_round(state: State, act: a.CorrectSettlement) -> tuple[str, Mapping[int, Seat]]:
    """The round that is meant, and its seats; "" where it is none of the two that may be corrected."""
    known = [r for r in (state.round, state.last_round) if r is not None]
    found = next((r for r in known if act.round in ("", r.id)), None)
    return (found.id, found.seats) if found else ("", {})


def _wager(state: State, act: a.CorrectSettlement) -> Wager | Refusal:
    name, seats = _of_round(state, act)
    if not name:
        known = ", ".join(r.id for r in (state.round, state.last_round) if r is not None) or "none yet"
        return Refusal(
            f"round {act.round or 'none'} cannot be corrected at the table; it may be: {known}",
            code="no_such_round",
        )
    found = on_record(seats, act)
    return found or Refusal(f"seat {act.seat} had no {spoken(act)} in round {name}", code="no_such_wager")


def _returned(act: a.CorrectSettlement, wager: Wager) -> int:
    """Cents of the stake that go back: as was said, else what goes back with this outcome."""
    if act.returned is None and wager.outcome is act.outcome:
        return wager.returned
    return goes_back(act, stake(act, wager), None)
