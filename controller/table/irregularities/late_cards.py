"""Cards that a device gives out once the first deal is done, where it deals these too: for a short hand, and the community."""

from controller.rules.vocabulary import Trigger
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import dispose
from controller.table.questions.deal_plan import community_left
from controller.table.state.table import Round
from drivers.events import ALLOWED, Level


def late_card(draft: Draft, name: str) -> None:
    """The device dispenses cards for a short hand one by one, and the community cards together with the burned ones."""
    round_ = _round(draft)
    if draft.state.short_hand() is None:
        left = community_left(draft.setup, round_)
        if left < 0:
            dispose(draft, Trigger.WRONG_COUNT_COMMUNITY, back=round_.back)
        if left <= 0:
            draft.make_safe("the community cards are out")
    elif draft.state.devices[name].wanted.get(Level.DISPENSING) == ALLOWED:
        draft.make_safe("a card for the short hand is out")
    else:
        not_let_out(draft, name)


def not_let_out(draft: Draft, name: str) -> None:
    """What follows is not said: the clause tells only when cards may come."""
    cite = draft.setup.law.rulebook.dealing[_round(draft).method].cite
    choices = draft.choices(may_void=True)
    draft.hold(
        f"{name} dispensed cards that the dealer had not asked for",
        cite=cite,
        choices=choices,
        code="cards_dispensed",
    )


def _round(draft: Draft) -> Round:
    assert draft.state.round is not None
    return draft.state.round
