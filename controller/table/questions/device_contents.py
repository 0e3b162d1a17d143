"""Which set of cards lies in a device, and what of the round in play is still to come out of it: questions, no decisions."""

from controller.games.model import Phase
from controller.table.questions.deal_plan import community_left, still_in_device
from controller.table.state.table import Setup, State
from drivers.events import Back, DeviceKind


def may_shuffle(state: State, reported: Back) -> list[str]:
    """The sets that a shuffler may be shuffling: the one it names, else each that is not on the layout."""
    if reported is not Back.UNKNOWN:
        return [reported.value]
    round_ = state.round
    laid = [round_.back] if round_ is not None and round_.on_layout else []
    return [s.back for s in state.sets.values() if s.present and s.back not in laid]


def still_to_deal(setup: Setup, state: State, name: str) -> bool:
    """True while cards of the round in play are to come out of this device: before the deal, in it, and as long as the dealer's
    stack waits inside, or the community cards do. That it is out of service, or gone, brings them out no sooner."""
    round_ = state.round
    if round_ is None or not round_.unsettled or not state.deals(name):
        return False
    dealer_waits = round_.live and still_in_device(
        setup, round_
    )  # a wager that a void spared needs no dealer's hand
    return not round_.initial_deal_done or dealer_waits or community_left(setup, round_) > 0


def handing_out(setup: Setup, state: State, name: str) -> bool:
    """True of the device that deals: in the deal, and while it dispenses what had stayed in it."""
    round_ = state.round
    if round_ is None or not still_to_deal(setup, state, name):
        return False
    return round_.phase is Phase.DEALING or round_.late_let_out


def set_in(setup: Setup, state: State, name: str) -> str:
    """The set that a device most likely holds where it does not say which: that of the round which it has still to deal, else
    that of a round which waits for its shuffle, else the other one; "" where the only set is in play and not in it."""
    round_ = state.round
    if round_ is not None and (state.devices[name].kind is DeviceKind.SHOE or still_to_deal(setup, state, name)):
        return round_.back
    able = may_shuffle(state, Back.UNKNOWN)
    in_play = round_.back if round_ is not None else state.last_back
    if round_ is not None and in_play in able and not _shuffled_for_deal(setup, state, in_play):
        return in_play
    no_other = "" if round_ is not None and round_.unsettled else in_play
    return next((back for back in able if back != in_play), no_other)


def holds_none_of_round(setup: Setup, state: State, name: str, inside: int | None) -> bool:
    """True of a shuffler that cannot fail with the set of the round in play, even if it names that set: its cards lie on the
    layout and none is left in the device, or none was dealt yet and the device senses no card. `inside`: cards that it senses.
    """
    round_ = state.round
    if round_ is None or not round_.unsettled or state.devices[name].kind is DeviceKind.SHOE:
        return False
    if handing_out(setup, state, name):
        return False
    return not still_to_deal(setup, state, name) if round_.on_layout else inside == 0


def _shuffled_for_deal(setup: Setup, state: State, back: str) -> bool:
    """What was shuffled by hand still waits for the shuffler where none but its cards are dealt. Clause: `needs_shuffler`."""
    needs = setup.law.rulebook.dealing[state.method].needs_shuffler
    by_shuffler = needs is not None and needs.value
    return state.sets[back].armed and not (by_shuffler and state.sets[back].by_hand)
