"""A stack that leaves the device with another number of cards than its place in the deal has."""

from controller.rules.vocabulary import Action, Area, Guard, Trigger
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import dispose
from controller.table.questions.stub_count_and_turns import full_set
from controller.table.state.deal import PlannedStack


def wrong_count(draft: Draft, planned: PlannedStack, cards: int) -> None:
    """More or fewer than planned: where a hand comes card by card, one too many shows in its stack and not in the hand."""
    assert draft.state.round is not None
    back = draft.state.round.back
    trigger = {Area.PLAYER: Trigger.WRONG_COUNT_PLAYER, Area.DEALER: Trigger.WRONG_COUNT_DEALER}.get(
        planned.area, Trigger.WRONG_COUNT_COMMUNITY
    )
    guards: list[Guard] = []
    if trigger is Trigger.WRONG_COUNT_DEALER and cards < planned.cards:
        guards = [Guard.COMPLETABLE]
    if cards > planned.cards:
        guards = [Guard.TOO_MANY]
    if planned.area is Area.SIX_CARD_BOX:
        guards.append(Guard.OF_THE_BOX)
    dispose(draft, trigger, *guards, seat=planned.seat, back=back)
    completed = any(d.action is Action.COMPLETE_DEALER_HAND for d in draft.state.duties.values())
    if Guard.COMPLETABLE in guards and completed and draft.state.sets[back].number_right is not True:
        _count_first(draft, planned.cards - cards)


def _count_first(draft: Draft, missing: int) -> None:
    """The dealer's hand may be completed from a set of the right number alone, and of this one that is not known."""
    assert draft.state.round is not None
    full, back = full_set(draft.setup), draft.state.round.back
    known = draft.state.sets[back].found_out or f"nothing has counted the {back} set"
    cite = draft.setup.law.rulebook.row(Trigger.WRONG_COUNT_DEALER, frozenset({Guard.COMPLETABLE})).cite
    draft.hold(
        f"the dealer's hand is {missing} short, and {known}: the hand is completed only where all {full} cards are there; count "
        f"them and go on, or report {Trigger.WRONG_COUNT_DEALER} where they are not",
        cite=cite, code="dealer_hand_short",
    )  # fmt: skip
