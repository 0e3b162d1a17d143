"""Wagers that a void spares: these are settled all the same, on community cards that are dealt for them alone. And duties that
end with the wagers they are about.
"""

from collections.abc import Collection

from controller.rules.vocabulary import Action
from controller.table.fold.ruling import Draft
from controller.table.irregularities.duties import close_done, closed
from controller.table.state.table import Fate
from controller.table.words import facts as f

FOR_SPARED = (Action.DEAL_COMMUNITY, Action.SETTLE)
"""What is to be done for them and, once none is left, for nobody."""
OF_LOST = (Action.COLLECT, Action.COLLECT_SEAT_WAGERS)


def close_if_none_spared(draft: Draft) -> None:
    """A later demand has given the last spared wager back or holds it: nothing is dealt or settled for it any more."""
    if draft.state.round is None or draft.state.round.wagers(Fate.TO_SETTLE):
        return
    _close(draft, FOR_SPARED)


def void_round(draft: Draft, cite: tuple[str, ...], reading: str | None) -> None:
    """The round in play is void: no hand of it is completed any more."""
    assert draft.state.round is not None
    draft.add(f.RoundVoided(draft.state.round.id, cite, reading))
    close_done(draft)


def not_collected(draft: Draft, seats: Collection[int]) -> None:
    """Wagers of these seats that were to be collected as lost go back after all."""
    _close(draft, OF_LOST, seats)


def _close(draft: Draft, actions: tuple[Action, ...], seats: Collection[int] = ()) -> None:
    """Closes duties of these actions, where `seats` is given those of these seats alone."""
    for duty in [d for d in draft.state.duties.values() if d.action in actions and (not seats or d.seat in seats)]:
        closed(draft, duty)
