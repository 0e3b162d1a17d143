"""The count of the stub: when it may be made, and when the cards of a round wait for it."""

from controller.games.model import Phase
from controller.table.questions.deal_plan import community_to_come, delivered, still_in_device
from controller.table.questions.stub_count_and_turns import (
    order_cite,
    rounds_without_count,
    stub_count_waived,
    why_not_waived,
)
from controller.table.state.table import Round, Setup, State
from controller.table.words.refusal import Refusal

COUNT = "record_stub_count"
BEFORE_COLLECTING = "before the cards are collected"


def due(setup: Setup, state: State) -> Refusal | None:
    """Why the cards of this round stay on the layout: its stub must be counted first. Clause: `[stub_count]`.

    In the discard rack the stub lies among the hands, and nobody can count it by itself any more.
    """
    round_, rule = state.round, setup.law.rulebook.stub
    if round_ is None or rule is None or stub_count_waived(setup, state):
        return None
    if round_.stub_counted or round_.void or round_.phase is Phase.STOPPED or not round_.played:
        return None
    every = rule.every_rounds
    if rounds_without_count(setup, state, round_.back) + 1 < every.value:
        return None
    why = why_not_waived(setup, state)
    reached = f"{every.value} rounds are reached{f', and {why}' if why else ''}"
    return Refusal(
        f"count the stub {BEFORE_COLLECTING} ({COUNT}): {reached}",
        cite(setup, state),
        code="stub_count_due",
    )


def due_before_settling(setup: Setup, state: State) -> Refusal | None:
    """Why no wager of this round is settled yet: its stub is due and must be counted first. Clause: `[stub_count] before`.

    A wager that a fold or a declaration settled at once is settled before.
    """
    rule = setup.law.rulebook.stub
    if rule is None or rule.before is None or rule.before.value != "settling":
        return None
    if (because := due(setup, state)) is None:
        return None
    reason = because.reason.replace(BEFORE_COLLECTING, "before a wager is settled")
    return Refusal(reason, because.cite, because.code, reading=rule.before.by_choice)


def not_there(setup: Setup, state: State, round_: Round) -> Refusal | None:
    """Why there is no stub to count now: cards of the round are still to come out of it, or it lies in the discard rack."""
    if round_.collected:
        return Refusal(
            f"the stub lies in the discard rack with the other cards; end the round, then count the whole set ({COUNT})",
            order_cite(setup, state, COUNT),
            code="stub_in_rack",
        )
    if still_in_device(setup, round_) and state.dispenser():
        return Refusal(
            "the dealer's stack is still in the device; the stub is what is left after it",
            delivered(setup, round_),
            code="stub_not_out",
        )
    if round_.live and round_.phase is not round_.game.stages[-1].phase and community_to_come(setup, round_):
        return Refusal(
            "community cards are still to be dealt; the stub is what is left after them",
            order_cite(setup, state, COUNT),
            code="stub_not_out",
        )
    return None


def counts_void(setup: Setup) -> bool:
    """Whether a void round is one of those between two counts. Clause: `[stub_count] void_rounds`."""
    rule = setup.law.rulebook.stub
    return rule is None or rule.void_rounds is None or rule.void_rounds.value


def of_set(state: State, back: str) -> Refusal | None:
    """Why no stub of the set of this colour is counted now; in a round it is that of the set in play."""
    in_play = state.round.back if state.round is not None else ""
    if in_play and back not in ("", in_play):
        return Refusal(f"the {in_play} set is in play; its stub is counted in this round", code="set_not_in_play")
    if back and (back not in state.sets or not state.sets[back].present):
        present = ", ".join(s.back for s in state.sets.values() if s.present)
        return Refusal(f"no {back} set is at the table; there are: {present}", code="no_such_set")
    return None


def cite(setup: Setup, state: State) -> tuple[str, ...]:
    """The clauses on the count by the method in use; () where the document asks for none."""
    rule = setup.law.rulebook.stub
    return setup.law.rulebook.cite_for(rule.every_rounds.cite, state.method) if rule else ()
