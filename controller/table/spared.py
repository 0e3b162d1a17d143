"""Wagers that a void spares: they are settled all the same, on community cards that are dealt for them alone."""

from controller.rules.vocabulary import Action
from controller.table import facts as f
from controller.table.draft import Draft
from controller.table.state import Fate

FOR_SPARED = (Action.DEAL_COMMUNITY, Action.SETTLE_TRIPS)
"""What is to be done for them and, once none is left, for nobody."""
BY_DOCUMENT = "rulebook"


def close_if_none_spared(draft: Draft) -> None:
    """A later demand has given the last spared wager back or holds it: nothing is dealt or settled for it any more."""
    if draft.state.round is None or draft.state.round.wagers(Fate.TO_SETTLE):
        return
    for duty in [d for d in draft.state.duties.values() if d.action in FOR_SPARED]:
        draft.add(f.DutyClosed(duty.id, duty.action, draft.setup.law.rulebook.id, BY_DOCUMENT))
