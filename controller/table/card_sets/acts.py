"""What follows from acts about sets of cards, most of them between rounds: shuffled, brought, spread, shown."""

from typing import assert_never

from controller.rules.vocabulary import Action, Step, Trigger
from controller.table.card_sets import cuts, preparation
from controller.table.card_sets.time_in_play import changed, put_in_play
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import dispose
from controller.table.questions import burns, notices
from controller.table.questions.stub_count_and_turns import of_deck_change
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor, SetDue

RESHUFFLES = (
    Action.RESHUFFLE, Action.RESHUFFLE_WITH_DEALT, Action.RESHUFFLE_IDLE_SET, Action.RESHUFFLE_AFTER_ROUND,
)  # fmt: skip
"""Demands that a complete shuffle of the set meets."""


def decide_set_act(draft: Draft, act: a.SetAct, actor: Actor) -> None:
    """Adds the facts of an allowed act about sets."""
    match act:
        case a.BringSet():
            preparation.set_brought(draft, act.back, actor.who, preshuffled=act.preshuffled)
            if draft.state.sets[act.back].armed:
                cuts.ask_for_cut(draft, act.back, actor.who, cuts.PRESHUFFLED)
            put_in_play(draft, act.back, actor.who)
            changed(draft, act.back, actor.who, actor.role)
        case a.RecordShuffle():
            _shuffled_by_hand(draft, act.back, actor)
        case a.TakeSetAway():
            _taken_away(draft, act.back, actor)
        case a.ReportSetDue():
            draft.add(SetDue(act.back, f"{actor.who} says so"))
            dispose(draft, Trigger.DECK_CHANGE_DUE, *of_deck_change(draft.state), back=act.back)
        case a.DirectShuffle():
            cuts.shuffle_directed(draft, act.back, actor.who)
        case a.RecordCut():
            cuts.cut_made(draft, act, actor)
        case a.PlaceCuttingCard():
            cuts.marked(draft, act, actor.who)
        case a.PostNotice():
            notices.posted(draft, act, actor.who)
        case a.Recut():
            cuts.cut_again(draft, act.back, actor.who)
        case a.NewDealer():
            draft.add(f.DealerCame(actor.who))
        case a.BurnCard():
            burns.burned(draft, actor.who)
        case a.ConfirmStep():
            preparation.step_confirmed(draft, act, actor)
        case a.IdleTable():
            preparation.table_idle(draft, actor.who)
        case a.RequestSpread():
            preparation.spread_requested(draft, act.back, actor.who)
        case _:
            assert_never(act)


def _shuffled_by_hand(draft: Draft, back: str, actor: Actor) -> None:
    draft.add(f.SetShuffledByHand(back, actor.who))
    preparation.proven(draft, back, Step.SHUFFLE, actor.who, actor.role)
    cuts.ask_for_cut(draft, back, actor.who, cuts.MANUAL)
    for duty in [d for d in draft.state.duties.values() if d.action in RESHUFFLES and d.back == back]:
        draft.add(f.DutyClosed(duty.id, duty.action, actor.who, actor.role))


def _taken_away(draft: Draft, back: str, actor: Actor) -> None:
    """What was to be done with this set is done, or is the business of the next one."""
    draft.add(f.SetRemoved(back, actor.who))
    for duty in [d for d in draft.state.duties.values() if d.back == back]:
        draft.add(f.DutyClosed(duty.id, duty.action, actor.who, actor.role))
