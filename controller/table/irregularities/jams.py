"""A device jams, stops or fails, by its own report or a person's. Every text asks one question: whose cards are in it?

A shoe fails a round with the cards that it has left to deal, once no more bets are taken; what follows otherwise is a
reading. A shuffler fails with the set that is in it: with that of the round, or with another one or none.
"""

from controller.games.model import Phase
from controller.rules.vocabulary import Guard, Trigger
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import dispose
from controller.table.questions.device_contents import handing_out, holds_none_of_round, set_in, still_to_deal
from drivers import events as e

NO_SET = ""
"""Stands for the set in a device that holds none, as far as anybody knows."""


def reported(draft: Draft, name: str, report: e.Jammed | e.ShuffleStopped | e.DealStopped) -> None:
    """A jam, a stop, or a failure to complete or to deal. Which set it is the device knows best, where it says so; none but
    the one that has cards of a round in play left to deal hands them out."""
    setup, state, round_ = draft.setup, draft.state, draft.state.round
    activity = report.activity if isinstance(report, e.Jammed) else None
    in_play = round_ is not None and round_.unsettled
    none_inside = holds_none_of_round(setup, state, name, report.cards_inside)
    has_cards = still_to_deal(setup, state, name) and not none_inside
    dealing = (has_cards or not in_play) and (activity is e.Activity.DEALING or isinstance(report, e.DealStopped))
    if report.back is not e.Back.UNKNOWN:
        back = report.back.value
    elif dealing and round_ is not None:
        back = round_.back
    else:
        back = set_in(setup, state, name)
    of_round = round_ is not None and back == round_.back
    if of_round and none_inside:
        back, of_round = NO_SET, False
    between_stacks = activity is e.Activity.IDLE and of_round and handing_out(setup, state, name)
    jam(draft, name, back, dealing=dealing or between_stacks)


def seen(draft: Draft, name: str, *, self_cleared: bool = False) -> None:
    """It failed and does not say with what: a person saw it, or it freed itself before it ever said that it was jammed.
    Whether that is a jam is a reading."""
    setup, state = draft.setup, draft.state
    back = set_in(setup, state, name)
    jam(draft, name, back, dealing=handing_out(setup, state, name), self_cleared=self_cleared)


def jam(draft: Draft, name: str, back: str, *, dealing: bool, self_cleared: bool = False) -> None:
    """What a failure of this device demands. `back`: the set that is in it; `dealing`: it was handing stacks out."""
    guards = [Guard.SELF_CLEARED] if self_cleared else []
    round_ = draft.state.round
    if draft.state.devices[name].kind is e.DeviceKind.SHOE:
        dispose(draft, Trigger.SHOE_JAM, *guards, *_of_shoe(draft, name), device=name, back=back)
        return
    if dealing:
        guards.append(Guard.HANDING_OUT)
    elif round_ is not None and round_.unsettled and back != round_.back:
        guards.append(Guard.IDLE_SET)
    dispose(draft, Trigger.SHUFFLER_JAM, *guards, device=name, back=back)


def _of_shoe(draft: Draft, name: str) -> list[Guard]:
    """How far the round in play is when its shoe fails."""
    round_ = draft.state.round
    if round_ is None or not round_.unsettled:
        return []
    guards = [Guard.BETS_OPEN] if round_.phase is Phase.BETTING else []
    if not still_to_deal(draft.setup, draft.state, name):
        guards.append(Guard.NONE_LEFT_TO_DEAL)
    return guards
