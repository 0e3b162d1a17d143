"""Community cards that are dealt for a wager that a void spares: they come before that wager is settled."""

from controller.rules.vocabulary import Action
from controller.table.state.table import Fate, State
from controller.table.words.refusal import Refusal


def community_first(state: State) -> Refusal | None:
    """Returns why a spared wager is not settled yet: the community cards are still to be dealt for it."""
    cards = next((d for d in state.duties.values() if d.action is Action.DEAL_COMMUNITY), None)
    if cards is None or state.round is None or not state.round.wagers(Fate.TO_SETTLE):
        return None
    return Refusal(f"first {cards.id}: {cards.action}", cards.cite, code="duty_first")
