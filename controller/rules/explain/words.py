"""The vocabulary in plain words, for the pages that people read: what happens, in which state, and what is to be done."""

from controller.rules.model import Condition, Row
from controller.rules.named_wagers import asked_about, parted
from controller.rules.vocabulary import Action, Guard, Trigger

TRIGGERS: dict[Trigger, str] = {
    Trigger.SHUFFLER_JAM: "The shuffler jams, stops, or does not complete its shuffle",
    Trigger.SHOE_JAM: "The automated shoe jams, stops, or does not deal",
    Trigger.SHUFFLER_COUNT_WRONG: "The shuffler counts a wrong number of cards",
    Trigger.SHUFFLER_IDENTITIES_WRONG: "The shuffler reads cards that make up no whole set",
    Trigger.STUB_WRONG: "A count of the stub does not fit",
    Trigger.STUB_COUNT_DUE: "The stub is due to be counted",
    Trigger.CARD_FACE_UP: "A card is found face up",
    Trigger.CARD_DRAWN_UNEXPOSED: "A card is drawn by mistake, and nobody saw its face",
    Trigger.CARD_DRAWN_EXPOSED: "A card is drawn by mistake, and its face was seen",
    Trigger.UNFIT_CARD: "A card is of another deck, is there twice, or is marked or damaged",
    Trigger.WAGER_LATE: "A wager is made, changed or taken back after the announcement",
    Trigger.DEAL_OUT_OF_ORDER: "The deal does not go in its printed order",
    Trigger.SOMETHING_ELSE: "Something else happens that no row of a rulebook knows",
    Trigger.WRONG_COUNT_PLAYER: "A player has a wrong number of cards",
    Trigger.WRONG_COUNT_DEALER: "The dealer has a wrong number of cards",
    Trigger.WRONG_COUNT_COMMUNITY: "There is a wrong number of community cards",
    Trigger.DEALER_CARD_EXPOSED: "A card of the dealer's is seen",
    Trigger.PLAYER_CARD_EXPOSED: "A card of a player's is seen",
    Trigger.CARDS_INSUFFICIENT: "The cards run out before the round is complete",
    Trigger.METHOD_CHANGE: "Cards are to be shuffled or dealt another way",
    Trigger.DECK_CHANGE_DUE: "A set has been at the table for its longest time",
    Trigger.SET_NOT_ALTERNATED: "A set is used out of turn",
    Trigger.PROGRESSIVE_MISMATCH: "The progressive chips are not as many as were accepted",
    Trigger.PROGRESSIVE_LATE: "A progressive chip comes too late",
    Trigger.COMMUNITY_CARD_EXPOSED: "A community card is seen before its turn",
    Trigger.HAND_TOUCHED: "Somebody touches a hand who may not",
    Trigger.HAND_HIDDEN: "A hand is out of the dealer's sight",
    Trigger.PLAYER_LEFT: "A player leaves with a wager on the layout",
    Trigger.FALSE_DECLARATION: "A player declares a winning hand and does not hold it",
    Trigger.HAND_DECLARED_VOID: "The player of a short hand declares it void",
    Trigger.DISCARD_COUNT_WRONG: "A hand has a wrong number of discards",
    Trigger.MARKER_NOT_MOVED: "The dealing marker was not moved",
    Trigger.CUTTING_CARD_REACHED: "The cutting card comes up",
    Trigger.HAND_TOUCHED: "A hand is touched by somebody else, or after it was laid down",
    Trigger.HAND_HIDDEN: "A hand is out of the dealer's sight",
    Trigger.ROUND_UNPROVEN: "Device events of the round are lost",
}

GUARDS: dict[Guard, tuple[str, str]] = {
    Guard.ROUND_LIVE: ("a round is in play", "no round is in play"),
    Guard.FIRST_CARD_DEALT: ("the first card is dealt", "no card is dealt yet"),
    Guard.INITIAL_DEAL_DONE: ("each hand has its first cards", "the first cards are still being dealt"),
    Guard.ALL_PLAYERS_ACTED: ("no player has a decision left", "players still decide"),
    Guard.SEVERAL: ("there are several", "there is one"),
    Guard.EARLY_CARD: (
        "one of them was found while the first cards were being dealt",
        "none was found while the first cards were being dealt",
    ),
    Guard.ON_PURPOSE: ("it was done on purpose", "nobody did it on purpose"),
    Guard.MISDEALT: ("a hand was misdealt", "no hand was misdealt"),
    Guard.FULL_SET_REMAINS: ("the whole set is there all the same", "the set is not whole"),
    Guard.TOO_MANY: ("there are too many", "there are too few"),
    Guard.DEAL_OVER: ("every community card lies face up", "community cards are still to be dealt"),
    Guard.COMMUNITY_DEALT: (
        "the time before the community cards is over",
        "the community cards are still to come",
    ),
    Guard.HANDS_MISSING: ("a player has no hand yet", "each player has a hand"),
    Guard.COMPLETABLE: ("the right ones can still be dealt", "the right ones can no longer be dealt"),
    Guard.HANDING_OUT: ("it was handing out packets", "it was not handing out packets"),
    Guard.IDLE_SET: ("its set is not that of the round", "its set is that of this or the coming round"),
    Guard.TWO_SETS: ("two sets take turns", "one set is at the table"),
    Guard.SELF_CLEARED: ("it freed itself", "it did not free itself"),
    Guard.DEVICE_FAILED: ("the device has failed", "the device works"),
    Guard.SHUFFLER_COUNTS: ("a shuffler counts each shuffle", "no shuffler counts each shuffle"),
    Guard.OF_THE_BOX: ("it is the box of the Six Card Bonus", "it is the area of the community cards"),
    Guard.AFTER_LOCK: ("after the lock-out", "between the announcement and the lock-out"),
    Guard.RESHUFFLING_DEVICE: ("the device reshuffles by itself", "the device does not reshuffle by itself"),
    Guard.BETS_OPEN: ('"no more bets" is not announced yet', '"no more bets" is announced'),
    Guard.IN_STACK: ("a device gives the cards out in stacks", "the cards come out one by one"),
    Guard.NONE_LEFT_TO_DEAL: (
        "it has no card of this round left to deal",
        "it has cards of this round left to deal",
    ),
}
"""Where the guard holds, and where it does not."""

ACTIONS: dict[Action, str] = {  # {}: the wager that is named
    Action.VOID_ROUND: "the round is void",
    Action.VOID_ALL_HANDS: "all hands are void",
    Action.VOID_HAND: "that hand is void",
    Action.RETURN_ALL_WAGERS: "return all wagers",
    Action.RETURN: "return each {} wager",
    Action.RETURN_OTHERS: "return the other wagers",
    Action.RETURN_SEAT_WAGERS: "return the wagers of that seat",
    Action.RETURN_LATE_WAGER: "return the late wager",
    Action.HOLD_ALL_WAGERS: "hold all wagers",
    Action.HOLD_OTHERS: "hold the other wagers",
    Action.HOLD: "hold each {} wager",
    Action.HOLD_SEAT_WAGERS: "hold the wagers of that seat",
    Action.HOLD_LATE_WAGER: "hold the late wager",
    Action.COLLECT: "collect the {}",
    Action.COLLECT_SEAT_WAGERS: "collect the wagers of that seat",
    Action.TAKE_BACK_PAID: "take back what was paid at that seat",
    Action.SETTLE: "settle each {} wager",
    Action.DEAL_COMMUNITY: "deal the community cards",
    Action.RESHUFFLE: "shuffle the cards again",
    Action.RESHUFFLE_WITH_DEALT: "shuffle again together with the cards already dealt",
    Action.RESHUFFLE_IDLE_SET: "shuffle the set that is not in play again",
    Action.RESHUFFLE_AFTER_ROUND: "shuffle the cards once the round has ended",
    Action.SWAP_SET_AFTER_ROUND: "change to the other set once the round has ended",
    Action.CLEAR_DEVICE: "take the cards out of the device",
    Action.REMOVE_SET: "take the whole set from the table",
    Action.CHANGE_SET: "change the set",
    Action.CARD_TO_RACK: "put the card into the discard rack",
    Action.USE_AS_NEXT: "use the card as the next one",
    Action.COMPLETE_DEALER_HAND: "complete the dealer's hand",
    Action.TURN_FACE_DOWN: "turn the card face down",
    Action.DISCARD_EXCESS: "lay the cards away that are too many",
    Action.MOVE_MARKER: "move the marker",
    Action.COUNT_STUB: "count the stub",
    Action.BY_APPROVED_PROCEDURES: "do so by the approved procedures",
    Action.FOLLOW_HOUSE_PROCEDURE: "follow the house's own procedure",
    Action.REMOVE_DEVICE: "take the device from the table",
    Action.COVER_OR_SIGN_DEVICE: "cover the device, or mark it out of order",
    Action.HOLD_ROUND: "hold the round",
    Action.CALL_FLOORPERSON: "call a floorperson",
    Action.ASK_VOID_OR_COMPLETE: "ask the player: a void hand, or the missing cards",
    Action.PLAY_ON: "play goes on",
    Action.RECORD_ONLY: "record it",
}


def condition_in_words(condition: Condition) -> str:
    """Returns a condition of a row as a sentence, such as "a Trips wager is placed"."""
    if (wager := asked_about(condition.guard)) is not None:
        holds, does_not = f"a {spoken_wager(wager)} wager is placed", f"nobody has a {spoken_wager(wager)} wager"
    else:
        holds, does_not = GUARDS[Guard(condition.guard)]
    return holds if condition.holds else does_not


def action_in_words(word: str) -> str:
    """What the word of a demand asks of people: `return_ante` is "return each Ante wager"."""
    action, wager = parted(word)
    return ACTIONS[action] if wager is None else ACTIONS[action].format(spoken_wager(wager))


def spoken_wager(name: str) -> str:
    """The wager's name as it stands on the layout: `six_card_bonus` is Six Card Bonus."""
    return " ".join(word.capitalize() for word in name.split("_"))


def row_in_words(row: Row) -> str:
    """What happens, and in which state of the table this row answers it."""
    return "; ".join((TRIGGERS[row.trigger], *map(condition_in_words, row.when)))


SECTIONS = {
    "adjacent": "positions side by side",
    "decks": "sets of cards",
    "deck_change": "change of sets",
    "devices": "devices in service",
    "discards": "discard rack",
    "hand": "hands",
    "idle": "idle table",
    "limits": "payout limit",
    "not_kept": "tables that are not kept",
    "opening": "opening of the table",
    "pay": "pay table",
    "play": "play",
    "positions": "positions of a player",
    "stub": "stub count",
}
"""Sections of a rulebook whose names say too little by themselves."""


def value_in_words(name: str) -> str:
    """The name of a value, as `explain` shows it to people: `stub.waived_by` is "stub count, waived by"."""
    kind, _, what = name.partition(" ")
    if kind == "duty":
        return f"who does it: {action_in_words(what)}"
    if kind == "act":
        return f"who does it: {spoken(what)}"
    head, *rest = name.split(".")
    rest = [part.removesuffix("_cents") for part in rest if part != "interval_s"]
    return spoken(", ".join((SECTIONS.get(head, head), *rest)))


def spoken(words: str) -> str:
    """Words of the vocabulary as people say them; readings and what is not of the vocabulary stay as they are."""
    return words.replace("_", " ")
