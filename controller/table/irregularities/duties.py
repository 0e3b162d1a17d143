"""Duties that are done close by themselves, and none is opened that is done already.

What is demanded of a hand ends where that hand is played no more, what is demanded of a card where it lies in the discard rack
with all others, of a set or a device where it is gone. A later report of the cards in a hand stands for an earlier one.
"""

from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Trigger
from controller.table.fold.ruling import Draft
from controller.table.questions.deal_plan import community_lies_open
from controller.table.questions.stub_count_and_turns import AWAY
from controller.table.state.table import DISPENSERS, Duty, Fate, Round, State
from controller.table.words import facts as f

OF_PLAY = (
    Action.COMPLETE_DEALER_HAND, Action.ASK_VOID_OR_COMPLETE, Action.DISCARD_EXCESS, Action.TURN_FACE_DOWN, Action.USE_AS_NEXT,
)  # fmt: skip
"""What makes a hand right that is still to be played."""
OF_NUMBER = {
    Trigger.WRONG_COUNT_PLAYER: (Action.ASK_VOID_OR_COMPLETE, Action.DISCARD_EXCESS),
    Trigger.WRONG_COUNT_DEALER: (Action.COMPLETE_DEALER_HAND,),
}
"""What follows for a hand from its number of cards."""
OUT = (Fate.RETURNED, Fate.LOST, Fate.COLLECTED)
"""Fates of its first wager with which a hand is played no more; one that was settled early may have to be played on yet."""
BY_DOCUMENT = "rulebook"


def close_done(draft: Draft) -> None:
    """Closes what is done, or is nobody's business any more."""
    for duty in list(draft.state.duties.values()):
        if nothing_left(draft.state, duty):
            closed(draft, duty)


def superseded(draft: Draft, trigger: Trigger, seat: int, demands: tuple[Demand, ...]) -> None:
    """A hand has too many cards or too few, and never both: what was demanded by the earlier report of it ends."""
    now = {demand.action for demand in demands}
    for duty in list(draft.state.duties.values()):
        if duty.action in OF_NUMBER.get(trigger, ()) and duty.seat == seat and duty.action not in now:
            closed(draft, duty)


def closed(draft: Draft, duty: Duty) -> None:
    """Closes a duty in the name of the rulebook."""
    draft.add(f.DutyClosed(duty.id, duty.action, draft.setup.law.rulebook.id, BY_DOCUMENT, duty.wager))


def nothing_left(state: State, duty: Duty | f.DutyOpened) -> bool:
    """True where nobody can do any more, or need not, what this duty asks for."""
    round_, card_set = state.round, state.sets.get(duty.back)
    if duty.action in OF_PLAY:
        return round_ is None or not round_.live or _is_out(round_, duty.seat)
    if duty.action is Action.CARD_TO_RACK:
        return round_ is None or round_.collected
    if duty.action is Action.DEAL_COMMUNITY:
        return round_ is not None and community_lies_open(round_)
    if duty.action in AWAY:
        return _is_away(state, duty)
    if duty.action is Action.RESHUFFLE_IDLE_SET and not duty.back:  # a shuffler that holds no set
        return True
    return card_set is not None and not card_set.present


def _is_out(round_: Round, number: int) -> bool:
    """Whether the hand of this seat is played no more; 0 is no seat's."""
    seat = round_.in_play.get(number)
    return seat is not None and (seat.void or seat.folded or seat.wagers[round_.game.base].fate in OUT)


def _is_away(state: State, duty: Duty | f.DutyOpened) -> bool:
    """Whether the device is where another way of dealing wants it, or cards are dealt by it again."""
    device = state.devices.get(duty.device)
    return device is not None and (device.out in AWAY[duty.action] or device.kind is DISPENSERS.get(state.method))
