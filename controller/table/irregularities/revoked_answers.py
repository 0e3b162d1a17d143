"""Answers that cannot stand as they were given, found out after they were: a natural that is none, and what a hand with too
many cards had answered. Where money or chips have moved by them a person decides; no text says what becomes of those.
"""

from controller.games.model import AT_ONCE, Answer
from controller.rules.vocabulary import Trigger
from controller.table.fold.ruling import Draft
from controller.table.state.table import Fate, Round
from controller.table.words import acts as a

OF_WAGER = (a.Resolution.RETURN_WAGER, a.Resolution.WAGER_STANDS)


def undeclared(draft: Draft, before: Round, seat: int) -> None:
    """After a false declaration that took an answer back (`evolve`): its wager was paid by then, or is set too late.

    `before`: the round as it was when this was reported.
    """
    round_ = _round(draft)
    was, now = before.seats[seat], round_.seats[seat]
    if was.answers == now.answers:
        return
    base, cite = round_.game.base, draft.setup.law.rulebook.cite_of(Trigger.FALSE_DECLARATION)
    wager = now.wagers[base]
    if wager.fate is Fate.SETTLED:
        draft.hold(
            f"seat {seat}: the {base} wager is settled as that of a {was.answers[-1]} already, and no text says what follows; "
            f"correct it ({a.CorrectSettlement.kind}), or {a.Resolution.GO_ON} lets it stand",
            cite=cite, seat=seat, wager=base, code="settled_before_revoked",
        )  # fmt: skip
    elif now.decided and wager.fate is Fate.LIVE:
        draft.decide_wager(seat, base, wager.cents, Fate.HELD, cite, None)
        draft.hold(
            f"seat {seat}: the hand is no {was.answers[-1]}, and it is too late to set it as the others were; decide about its "
            f"{base} wager: {a.Resolution.RETURN_WAGER}, or {a.Resolution.WAGER_STANDS} and record the cards that it plays "
            f"({a.RecordHand.kind} with `played`)",
            cite=cite, seat=seat, wager=base, choices=OF_WAGER, code="answer_revoked",
        )  # fmt: skip


def one_hand(draft: Draft, seat: int, cite: tuple[str, ...]) -> None:
    """A hand with too many cards sets one hand of two; it may have been split, given up or shown as a natural before.

    `cite`: of the clause that has it set.
    """
    round_ = _round(draft)
    given = round_.seats[seat]
    if not given.answers or given.void or round_.void:
        return
    if any((hold.seat, hold.cite) == (seat, cite) for hold in draft.state.holds.values()):
        return  # it is asked already
    answer = _last_answer(round_, seat)
    wager = answer.places or round_.game.base
    fate = given.wagers[wager].fate
    if answer.decision in AT_ONCE:
        announced(draft, seat, cite)
    elif answer.splits and fate is Fate.LIVE:
        draft.decide_wager(seat, wager, given.wagers[wager].cents, Fate.HELD, cite, None)
        draft.hold(
            f"seat {seat} has split a hand with too many cards, which sets one hand; decide about the {wager} wager: "
            f"{a.Resolution.RETURN_WAGER} and one hand is set, or {a.Resolution.WAGER_STANDS}",
            cite=cite, seat=seat, wager=wager, choices=OF_WAGER, code="split_with_too_many",
        )  # fmt: skip
    elif (answer.splits and fate is Fate.SETTLED) or (answer.surrenders and fate in (Fate.SETTLED, Fate.HELD)):
        done = "split" if answer.splits else "given up"
        draft.hold(
            f"seat {seat}: a hand with too many cards sets one hand, and this one was {done} and settled before; correct that "
            f"({a.CorrectSettlement.kind}), or {a.Resolution.GO_ON} lets it stand",
            cite=cite, seat=seat, wager=wager, code="settled_before_one_hand",
        )  # fmt: skip


def given_up_short(draft: Draft, seat: int) -> None:
    """A hand with too few cards may be void or completed, as its player says; it was given up before that was known.

    Clause: `[play] short_given_up`.
    """
    round_, rule = _round(draft), draft.setup.law.rulebook.play.short_given_up
    given, base = round_.seats[seat], round_.game.base
    if rule is None or draft.setup.law.decided(rule) == "stands" or not given.answers or given.void or round_.void:
        return
    if not _last_answer(round_, seat).surrenders or given.wagers[base].fate not in (Fate.SETTLED, Fate.HELD):
        return
    if any((hold.seat, hold.reading) == (seat, rule.reading) for hold in draft.state.holds.values()):
        return  # it is asked already
    draft.hold(
        f"seat {seat}: the player of a hand with too few cards chooses whether it is void, and this one was given up and settled "
        f"before; correct that ({a.CorrectSettlement.kind}), or {a.Resolution.GO_ON} lets it stand",
        reading=rule.reading, seat=seat, wager=base, code="settled_before_short",
    )  # fmt: skip


def announced(draft: Draft, seat: int, cite: tuple[str, ...]) -> None:
    """A natural is made by the first cards dealt, and no longer to be seen in a hand with too many."""
    draft.hold(
        f"seat {seat} has a natural and was dealt too many cards: only the first cards dealt make one, and a hand with too many "
        f"is set; {a.Resolution.GO_ON} lets the natural stand, and is preceded by a report where it does not "
        f"({a.ReportIrregularity.kind} {Trigger.FALSE_DECLARATION})",
        cite=cite, seat=seat, code="natural_with_too_many",
    )  # fmt: skip


def _last_answer(round_: Round, seat: int) -> Answer:
    """What was answered last, as the game has it."""
    given = round_.seats[seat].answers[-1]
    return next(x for stage in round_.game.stages for x in stage.answers if x.decision is given)


def _round(draft: Draft) -> Round:
    assert draft.state.round is not None
    return draft.state.round
