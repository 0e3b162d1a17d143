"""What this table could not check in a round, because nobody and nothing told it: said with the round, never passed over."""

from enum import StrEnum

from controller.table.questions.counting_shoe import teller
from controller.table.questions.positions import unnamed
from controller.table.settlement.contradictions import returned_unproven
from controller.table.state.table import DISPENSERS, Fate, Round, Setup, State
from drivers.events import DeviceKind


class Check(StrEnum):
    """A check of the documents that needs more than this table knows."""

    PLAYERS = "players"  # that one person has no more positions than are allowed: a seat's wagers name nobody
    CARDS_DEALT = "cards_dealt"  # that each hand has the right number of cards: no device counts them
    SET_COUNT = "set_count"  # that the set was whole: nothing counted it
    SET_CARDS = "set_cards"  # that it was the right cards: nothing reads them
    DEVICE_MODE = "device_mode"  # that the shuffler is set to the mode of a wager: it does not say
    AMOUNTS = "amounts"  # that each wager is of an amount which the document and the posted limits allow: nobody counted it
    OUTCOMES = "outcomes"  # how each wager was settled: they were settled as a whole
    PAYMENTS = "payments"  # that each wager came to what the cards make of it: they were not told


def unchecked(setup: Setup, state: State) -> tuple[Check, ...]:
    """The checks of the round in play that could not be made so far; () without a round."""
    round_ = state.round
    if round_ is None:
        return ()
    card_set = state.sets.get(round_.back)
    by_device = DISPENSERS.get(round_.method) is not None
    settled = [w for _, _, w in round_.wagers(Fate.SETTLED)]
    settled += [
        coupon
        for seat in round_.seats.values()
        for name, coupon in seat.coupons.items()
        if Fate.SETTLED in (coupon.fate, seat.wagers[name].fate)
    ]
    known = {
        Check.PLAYERS: not unnamed(round_),
        Check.CARDS_DEALT: by_device or not round_.played or teller(state) is not None,
        Check.SET_COUNT: not round_.played
        or round_.count_proven
        or (card_set is not None and card_set.count_right is True),
        Check.SET_CARDS: not round_.played or (card_set is not None and card_set.identities_complete is True),
        Check.DEVICE_MODE: _mode_known(setup, state, round_),
        Check.AMOUNTS: not round_.uncounted(),
        Check.OUTCOMES: all(w.outcome is not None for w in settled),
        Check.PAYMENTS: all(w.compared for w in settled) and not returned_unproven(setup, round_),
    }
    return tuple(check for check, is_known in known.items() if not is_known)


def _mode_known(setup: Setup, state: State, round_: Round) -> bool:
    rules = setup.law.rulebook.wagers
    bound = any(name in rules and rules[name].device_mode for _, name, _ in round_.wagers(*Fate))
    shuffler = state.device_of(DeviceKind.SHUFFLER)
    return not bound or (shuffler is not None and shuffler[1].levels.mode is not None)
