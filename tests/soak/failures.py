"""What a device that fails may do to the round in play: nothing where it holds no card of it, or before the announcement.

Worked out from the round and the report alone, not by the questions that the core asks of its devices.
"""

from controller.games.model import Phase
from controller.rules.vocabulary import Action, Area, Method, Trigger
from controller.table.state.table import Round, Setup, State
from controller.table.words import facts as f
from controller.table.words.inputs import Input
from drivers import events as e

STOPS = {
    Action.VOID_ROUND, Action.VOID_ALL_HANDS, Action.RETURN_ALL_WAGERS, Action.HOLD_ALL_WAGERS, Action.HOLD_ROUND,
}  # fmt: skip
"""Demands under which the round does not go on, or its wagers do not stay as they lie."""
PRINTED = {
    Trigger.SHOE_JAM: ("R-128", ("printed_words",)),
    Trigger.SHUFFLER_JAM: ("R-10", ("wagers_back", "hold")),
}
"""The reading by which a failure may stop the round all the same, and what must then have been elected."""
SILENT = ("R-18",)
"""Readings of a document that says nothing of devices that fail, whatever they hold."""


def leaves_the_round(setup: Setup, before: State, given: Input, made: f.DispositionMade) -> None:
    """Raises `AssertionError` where a device stops a round of which it holds no card, other than by what was elected."""
    round_ = before.round
    if made.trigger not in PRINTED or round_ is None or not round_.live:
        return
    shoe = made.trigger is Trigger.SHOE_JAM
    if _holds(setup, before, round_, given, shoe=shoe) and not (shoe and round_.phase is Phase.BETTING):
        return
    reading, choices = PRINTED[made.trigger]
    for demand in made.demands:
        if demand.action in STOPS and demand.reading not in SILENT:
            assert demand.reading == reading, f"{made.trigger} stops a round without its cards: {demand}"
            assert setup.law.elected(reading) in choices, (
                f"{reading} is {setup.law.elected(reading)}, and yet {demand}"
            )


def _holds(setup: Setup, before: State, round_: Round, given: Input, *, shoe: bool) -> bool:
    """Whether a card of the round may be in the device that fails, as far as the round and the report tell."""
    method = Method.DEALING_SHOE if shoe else Method.SHUFFLER
    deals = before.method is method
    if deals and _left_to_deal(setup, round_):
        empty = getattr(given.body, "cards_inside", None) == 0
        waits = round_.phase in (Phase.BETTING, Phase.BETS_CLOSED) and not round_.on_layout
        return shoe or not (empty and waits)
    if shoe or round_.on_layout:
        return False
    if getattr(given.body, "cards_inside", None) == 0:
        return False
    named = getattr(given.body, "back", "")  # a person who reports a jam names no set
    if named not in ("", e.Back.UNKNOWN):
        return named == round_.back
    card_set, needs = before.sets[round_.back], setup.law.rulebook.dealing[round_.method].needs_shuffler
    waits = card_set.by_hand and needs is not None and needs.value  # only what a shuffler has shuffled is dealt
    return card_set.present and (not card_set.armed or waits)


def _left_to_deal(setup: Setup, round_: Round) -> bool:
    """Fewer stacks are out than the document has for those who play, or community cards come out of the device, too."""
    dealing = setup.law.rulebook.dealing[round_.method]
    if not round_.initial_deal_done:
        return True
    stacks = [s for s in dealing.stacks if s.only_if is None or s.only_if in setup.offered]
    planned = sum(len(round_.in_play) if s.to is Area.PLAYER else 1 for s in stacks)
    if len(round_.stacks) < planned and dealing.dealer_delivered is not None:
        return dealing.dealer_delivered.value == "after_decisions"
    return dealing.all_from_device is not None and round_.streets < len(round_.game.streets)
