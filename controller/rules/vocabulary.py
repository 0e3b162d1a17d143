"""The closed vocabulary of the rulebooks: what can happen, under which conditions, and what a document can demand.

A rulebook combines these words; it never invents one. Code knows that a trigger is there and how an action is done;
the rulebook knows which actions follow from it, and cites why.
"""

from enum import StrEnum


class Trigger(StrEnum):
    """Something that a rule document may have an answer to."""

    SHUFFLER_JAM = "shuffler_jam"  # jams, stops, or does not complete a cycle
    SHOE_JAM = "shoe_jam"  # jams, stops dealing, or fails to deal
    SHUFFLER_COUNT_WRONG = "shuffler_count_wrong"
    SHUFFLER_IDENTITIES_WRONG = "shuffler_identities_wrong"
    STUB_WRONG = "stub_wrong"
    STUB_COUNT_DUE = "stub_count_due"
    CARD_FACE_UP = "card_face_up"
    CARD_DRAWN_UNEXPOSED = "card_drawn_unexposed"
    CARD_DRAWN_EXPOSED = "card_drawn_exposed"  # in error, and its face was seen
    UNFIT_CARD = "unfit_card"  # of another deck, there twice, marked or damaged: in a hand, the stub or the rack
    WRONG_COUNT_PLAYER = "wrong_count_player"
    WRONG_COUNT_DEALER = "wrong_count_dealer"
    WRONG_COUNT_COMMUNITY = "wrong_count_community"
    DEALER_CARD_EXPOSED = "dealer_card_exposed"
    PLAYER_CARD_EXPOSED = "player_card_exposed"
    CARDS_INSUFFICIENT = "cards_insufficient"
    METHOD_CHANGE = "method_change"
    DECK_CHANGE_DUE = "deck_change_due"
    SET_NOT_ALTERNATED = "set_not_alternated"
    PROGRESSIVE_MISMATCH = "progressive_mismatch"
    PROGRESSIVE_LATE = (
        "progressive_late"  # a chip sensed after the lock-out, or between "no more bets" and the lock
    )
    COMMUNITY_CARD_EXPOSED = "community_card_exposed"  # seen before the document has it turned up
    PLAYER_LEFT = "player_left"  # with a wager and cards on the layout
    FALSE_DECLARATION = "false_declaration"  # of a hand that wins at once, which the player does not hold
    HAND_DECLARED_VOID = "hand_declared_void"  # by its player, who was dealt too few cards
    DISCARD_COUNT_WRONG = "discard_count_wrong"
    MARKER_NOT_MOVED = "marker_not_moved"
    CUTTING_CARD_REACHED = "cutting_card_reached"
    HAND_TOUCHED = "hand_touched"  # by somebody whom the document does not allow it, or after it was set
    HAND_HIDDEN = "hand_hidden"  # out of the dealer's sight
    WAGER_LATE = "wager_late"  # made, changed or taken back on the layout after "no more bets"
    DEAL_OUT_OF_ORDER = "deal_out_of_order"  # a card to a wrong place, a burn left out or seen
    SOMETHING_ELSE = "something_else"  # no rulebook answers it; see `NO_ROW`
    ROUND_UNPROVEN = "round_unproven"  # device events are lost, so what was dealt cannot be proven


class Guard(StrEnum):
    """A condition of the table at the instant of the trigger; in a rulebook `not_<guard>` means its opposite."""

    ROUND_LIVE = "round_live"  # wagers are on the layout and not yet settled
    FIRST_CARD_DEALT = "first_card_dealt"  # in the records of earlier versions; no row asks for it
    INITIAL_DEAL_DONE = "initial_deal_done"  # each player and the dealer hold their first cards
    DEAL_OVER = (
        "deal_over"  # the first cards are out and every community card lies face up: none is dealt any more
    )
    ALL_PLAYERS_ACTED = "all_players_acted"  # no player has a decision left: each folded or made Play
    SEVERAL = "several"  # more than one card
    EARLY_CARD = "early_card"  # one of them was found before each player and the dealer held their first cards
    MISDEALT = "misdealt"
    FULL_SET_REMAINS = "full_set_remains"
    TOO_MANY = "too_many"  # more cards than the hand has; otherwise fewer
    COMMUNITY_DEALT = "community_dealt"  # some or all are face up, or a dealer's natural has come and none will be
    HANDS_MISSING = "hands_missing"  # a player does not hold the first cards yet, as far as anybody knows
    COMPLETABLE = "completable"  # the dealer can still be dealt the right cards in sequence
    HANDING_OUT = (
        "handing_out"  # the shuffler jams while it hands out packets; or it is a shuffler that hands them out here
    )
    IDLE_SET = "idle_set"  # the set concerned is not the one of this or the coming round
    TWO_SETS = "two_sets"  # two sets of cards are at the table and take turns
    SELF_CLEARED = "self_cleared"  # the device freed itself and nobody touched it
    DEVICE_FAILED = "device_failed"
    SHUFFLER_COUNTS = "shuffler_counts"  # a device counts each shuffle and says whether the set is whole
    OF_THE_BOX = "of_the_box"  # the box of the Six Card Bonus, not the area of the community cards
    ON_PURPOSE = "on_purpose"  # somebody exposed the card, and not by mistake
    AFTER_LOCK = "after_lock"  # the chip came after the lock-out engaged (else after "no more bets" only)
    RESHUFFLING_DEVICE = "reshuffling_device"  # approved to reshuffle and count by itself, not after each round
    BETS_OPEN = "bets_open"  # "no more bets" is not announced yet
    IN_STACK = "in_stack"  # a device gives the cards out in stacks, so that the card is inside of one
    NONE_LEFT_TO_DEAL = "none_left_to_deal"  # no card of the round in play is still to come out of this device


class Action(StrEnum):
    """What a rule document, or a reading, can demand."""

    # fates of hands and of the round
    VOID_ROUND = "void_round"
    VOID_ALL_HANDS = "void_all_hands"
    VOID_HAND = "void_hand"  # the hand of the seat concerned
    # fates of wagers
    RETURN_ALL_WAGERS = "return_all_wagers"
    RETURN = "return"  # each wager of the name that the demand gives
    RETURN_OTHERS = "return_others"  # every wager that no other action of this disposition names
    RETURN_SEAT_WAGERS = "return_seat_wagers"
    RETURN_LATE_WAGER = "return_late_wager"
    HOLD_ALL_WAGERS = "hold_all_wagers"
    HOLD_OTHERS = "hold_others"
    HOLD = "hold"  # each wager of that name: a person decides whether it goes back, or is settled all the same
    HOLD_SEAT_WAGERS = "hold_seat_wagers"
    HOLD_LATE_WAGER = "hold_late_wager"
    COLLECT = "collect"  # the wager of that name at the seat concerned is lost
    COLLECT_SEAT_WAGERS = "collect_seat_wagers"  # every wager of the seat concerned is lost
    TAKE_BACK_PAID = "take_back_paid"  # what was paid on wagers of the seat before they went back after all
    SETTLE = "settle"  # each wager of that name stays live and is settled on its own pay table
    # cards
    DEAL_COMMUNITY = "deal_community"
    RESHUFFLE = "reshuffle"
    RESHUFFLE_WITH_DEALT = "reshuffle_with_dealt"
    RESHUFFLE_IDLE_SET = "reshuffle_idle_set"
    RESHUFFLE_AFTER_ROUND = "reshuffle_after_round"  # the round in play is completed first
    SWAP_SET_AFTER_ROUND = "swap_set_after_round"  # as above, and the other set is dealt from next
    CLEAR_DEVICE = "clear_device"  # take the cards out of the device
    REMOVE_SET = "remove_set"  # the entire deck leaves the table
    CHANGE_SET = "change_set"
    CARD_TO_RACK = "card_to_rack"
    USE_AS_NEXT = "use_as_next"
    COMPLETE_DEALER_HAND = "complete_dealer_hand"
    TURN_FACE_DOWN = "turn_face_down"
    DISCARD_EXCESS = "discard_excess"  # the player keeps the cards of one hand and lays the others away
    MOVE_MARKER = "move_marker"
    COUNT_STUB = "count_stub"
    BY_APPROVED_PROCEDURES = "by_approved_procedures"
    FOLLOW_HOUSE_PROCEDURE = "follow_house_procedure"  # the house's own, where the document has none
    # devices
    REMOVE_DEVICE = "remove_device"
    COVER_OR_SIGN_DEVICE = "cover_or_sign_device"
    # people
    HOLD_ROUND = "hold_round"
    CALL_FLOORPERSON = "call_floorperson"
    ASK_VOID_OR_COMPLETE = "ask_void_or_complete"  # the player of the seat chooses
    PLAY_ON = "play_on"
    RECORD_ONLY = "record_only"


class Role(StrEnum):
    """Who may do a thing. A supervisor may do all that a floorperson may, a floorperson all that a dealer may."""

    PLAYER = "player"
    DEALER = "dealer"
    FLOORPERSON = "floorperson"
    SUPERVISOR = "supervisor"
    TECHNICIAN = "technician"

    def may_act_as(self, least: "Role") -> bool:
        """True if a person in this role may do what asks for at least `least`. Technicians stand outside the ladder."""
        if self is least:
            return True
        mine, wanted = _LADDER.get(self), _LADDER.get(least)
        return mine is not None and wanted is not None and mine >= wanted


_LADDER = {role: step for step, role in enumerate((Role.PLAYER, Role.DEALER, Role.FLOORPERSON, Role.SUPERVISOR))}


class Method(StrEnum):
    """How cards are dealt."""

    HAND = "hand"
    MANUAL_SHOE = "manual_shoe"
    DEALING_SHOE = "dealing_shoe"
    SHUFFLER = "shuffler"  # a hand-forming shuffler hands out packets


class Area(StrEnum):
    """Where a stack goes."""

    PLAYER = "player"
    DEALER = "dealer"
    COMMUNITY = "community"
    SIX_CARD_BOX = "six_card_box"


class Moment(StrEnum):
    """When a wager is placed, or the players are asked."""

    BEFORE_DEAL = "before_deal"
    BONUS_CARDS = "bonus_cards"  # players show the cards of a bonus wager that is settled first
    DECISION = "decision"  # the one decision of a game that has one
    PRE_FLOP = "pre_flop"
    FLOP = "flop"
    LAST_TWO = "last_two"


class ShuffleAt(StrEnum):
    """When cards are shuffled."""

    BEFORE_PLAY = "before_play"
    AFTER_ROUND = "after_round"
    AFTER_SHOE = "after_shoe"
    ON_DIRECTION = "on_direction"  # of a person, or of the house


class BurnAt(StrEnum):
    """What a card is burned for beside those of each round."""

    NEW_SHOE = "new_shoe"  # a full set was placed in it
    NEW_DEALER = "new_dealer"


class Settle(StrEnum):
    """A point of settling wagers on which documents differ, or which they leave open."""

    FROM = "from"  # the side of the dealer on which the settling begins
    ORDER = "order"  # one step for all players, or all steps player by player
    TIE = "tie"  # equal hands of player and dealer
    ANTE_HAND = "ante_hand"  # which of two hands decides the first wager
    HAND_WITHOUT_BET = "hand_without_bet"  # of a player who stayed without the later wager
    UNDECLARED_WINNER = "undeclared_winner"  # a hand, or its bonus, that could have won at once and was played on
    LOW_ACE_OF_THREE = "low_ace_of_three"  # ace, two, three of one suit as three consecutive cards
    FOLDED = "folded"  # the first wager of a hand that folds
    LOSING = "losing"  # a hand below the dealer's
    UNQUALIFIED = "unqualified"  # the wager that goes back where the dealer must hold a minimum and does not
    UNQUALIFIED_ANTE = "unqualified_ante"  # the first wager below a dealer's hand that does not reach its minimum
    UNPRINTED = "unprinted"  # a wager for which the document prints no pay table
    FOLDED_HAND = "folded_hand"  # whether it counts among all hands of the table
    FOLDED_COVER = "folded_cover"  # a wager on the highest hand of the table, of a player who folded
    LEFT_HAND = "left_hand"  # of a player who left in the round: whether it counts among all hands of the table
    VOID_HAND = "void_hand"  # whether it counts among all hands of the table, and in their number
    FOLDED_REST = "folded_rest"  # optional wagers of a folded hand for which no clause says what becomes of them
    BREAKAGE = "breakage"  # a part of the least unit that is paid
    COUPON = "coupon"  # match play beside chips
    METER_HAND = "meter_hand"  # the five cards by which a progressive wager is paid
    METER_WAGER = "meter_wager"  # whether a wager that wins a part of a meter goes back beside it
    METER_AFTER = "meter_after"  # whether a meter of which a part was paid is lower by it
    SUM_WAGER = "sum_wager"  # whether a wager that wins a fixed sum goes back beside it
    ENVY_STAKE = "envy_stake"  # an envy bonus for a wager of an amount that no table names
    ENVY_HOLDER = "envy_holder"  # whether the holder of the envied hand must have a progressive wager
    ENVY_FOLDED = "envy_folded"  # an envied hand that folded
    FOLDED_TURN = "folded_turn"  # the turn in which wagers of a folded hand are settled
    ENVY_LEFT = "envy_left"  # an envied hand whose player left in the round
    BAD_BEAT = "bad_beat"  # whose beaten hand pays
    BAD_BEAT_TIE = "bad_beat_tie"  # equal hands of player and dealer, of which none is beaten
    SUITED_PAIRS = "suited_pairs"  # which of two suited pairs the dealer plays
    EQUAL_CARDS = "equal_cards"  # which two of three cards of one rank the dealer plays
    OR_BETTER = "or_better"  # whether a bound of the house ways holds for each of two cards, or for the highest
    BONUS_PAIR = "bonus_pair"  # a hand that wins by the wager's definition and pushes by its table


PARTS: tuple[str, ...] = (
    "settlement", "pay", "limits", "play", "stub", "deck_change", "dealing", "wagers", "progressive", "hand", "idle", "opening",
    "devices", "seats", "positions", "cut", "shuffle", "decks", "editions",
)  # fmt: skip
"""What a reading may bear on: the sections of a rulebook, and the edition itself."""


class Step(StrEnum):
    """One step of opening a table or of taking it up again after it stood idle."""

    INSPECT = "inspect"
    VERIFY_INSPECTION = "verify_inspection"
    EMPTY_SHOE_AND_RACK = "empty_shoe_and_rack"
    SPREAD_FACE_UP = "spread_face_up"  # by suit and in sequence, for the first player
    SPREAD = "spread"  # either way up
    SPREAD_FACE_DOWN = "spread_face_down"
    TURN_FACE_UP = "turn_face_up"  # when a player arrives
    PLAYER_INSPECTS = "player_inspects"
    TURN_FACE_DOWN = "turn_face_down"
    WASH = "wash"
    STACK = "stack"
    SHUFFLE = "shuffle"
    CUT = "cut"
    INTO_SHUFFLER = "into_shuffler"
    TAKE_STORED_SET = "take_stored_set"  # the set that the shuffler held


GUARDS_OF: dict[Trigger, tuple[Guard, ...]] = {
    Trigger.SHUFFLER_JAM: (Guard.ROUND_LIVE, Guard.HANDING_OUT, Guard.IDLE_SET, Guard.SELF_CLEARED),
    Trigger.SHOE_JAM: (Guard.ROUND_LIVE, Guard.BETS_OPEN, Guard.NONE_LEFT_TO_DEAL, Guard.SELF_CLEARED),
    Trigger.SHUFFLER_COUNT_WRONG: (Guard.RESHUFFLING_DEVICE,),
    Trigger.SHUFFLER_IDENTITIES_WRONG: (),
    Trigger.STUB_WRONG: (Guard.MISDEALT, Guard.FULL_SET_REMAINS),
    Trigger.STUB_COUNT_DUE: (Guard.SHUFFLER_COUNTS,),
    Trigger.CARD_FACE_UP: (
        Guard.SEVERAL,
        Guard.INITIAL_DEAL_DONE,
        Guard.DEAL_OVER,
        Guard.IN_STACK,
        Guard.EARLY_CARD,
    ),
    Trigger.CARD_DRAWN_UNEXPOSED: (),
    Trigger.CARD_DRAWN_EXPOSED: (Guard.SEVERAL,),
    Trigger.UNFIT_CARD: (Guard.ROUND_LIVE, Guard.IDLE_SET),
    Trigger.WRONG_COUNT_PLAYER: (Guard.TOO_MANY, Guard.COMMUNITY_DEALT),
    Trigger.WRONG_COUNT_DEALER: (
        Guard.COMPLETABLE,
        Guard.TOO_MANY,
        Guard.INITIAL_DEAL_DONE,
    ),
    Trigger.WRONG_COUNT_COMMUNITY: (Guard.OF_THE_BOX, Guard.TOO_MANY),
    Trigger.DEALER_CARD_EXPOSED: (
        Guard.ALL_PLAYERS_ACTED,
        Guard.HANDS_MISSING,
        Guard.ON_PURPOSE,
    ),
    Trigger.PLAYER_CARD_EXPOSED: (),
    Trigger.CARDS_INSUFFICIENT: (),
    Trigger.METHOD_CHANGE: (Guard.DEVICE_FAILED,),
    Trigger.DECK_CHANGE_DUE: (Guard.HANDING_OUT,),
    Trigger.SET_NOT_ALTERNATED: (),
    Trigger.PROGRESSIVE_MISMATCH: (),
    Trigger.PROGRESSIVE_LATE: (Guard.AFTER_LOCK,),
    Trigger.COMMUNITY_CARD_EXPOSED: (Guard.ALL_PLAYERS_ACTED,),
    Trigger.PLAYER_LEFT: (),
    Trigger.FALSE_DECLARATION: (),
    Trigger.HAND_DECLARED_VOID: (),
    Trigger.DISCARD_COUNT_WRONG: (),
    Trigger.MARKER_NOT_MOVED: (),
    Trigger.CUTTING_CARD_REACHED: (Guard.TWO_SETS,),
    Trigger.HAND_TOUCHED: (),
    Trigger.HAND_HIDDEN: (),
    Trigger.WAGER_LATE: (),
    Trigger.DEAL_OUT_OF_ORDER: (),
    Trigger.ROUND_UNPROVEN: (),
}
"""The triggers that every rulebook answers, and the guards that it may use with each: the loader tries every combination and
wants one live row. Whether a certain wager is placed is no guard (`named_wagers`)."""

NO_ROW = frozenset(Trigger) - frozenset(GUARDS_OF)
"""Triggers that no rulebook may answer: the table holds and asks, and cites nothing."""

CONFIRMED: frozenset[Action] = frozenset(Action) - {
    Action.VOID_ROUND,
    Action.VOID_ALL_HANDS,
    Action.VOID_HAND,
    Action.BY_APPROVED_PROCEDURES,
    Action.PLAY_ON,
    Action.RECORD_ONLY,
}
"""Actions that a person carries out, or holds that a person lifts: a rulebook names the least role for each it uses."""
