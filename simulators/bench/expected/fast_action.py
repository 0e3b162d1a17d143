"""Fast Action Hold 'Em, by hand from the text. It allows devices and says nothing of what may happen to them (R-18)."""

from simulators.bench.expected.case import ASK, HANDS_MEDDLED_WITH, SAID_OF_NONE, Case, Document, under

_HELD = (*ASK, "hold_all_wagers")
_VOID_HANDS = (*_HELD, "void_all_hands", "reshuffle", "return_all_wagers")
_OF_DEVICES = (Case(may=under(("R-18",), *ASK, "follow_house_procedure")),)

FAST_ACTION = Document(
    cases={
        "shuffler_jam": _OF_DEVICES,
        "shoe_jam": _OF_DEVICES,
        "method_change": _OF_DEVICES,
        "shuffler_count_wrong": (Case(may=under(("R-35",), *ASK, "remove_set")),),
        "shuffler_identities_wrong": (Case(may=under(("R-36",), *ASK, "remove_set")),),
        "stub_wrong": (Case(may=under(("R-62",), *_HELD, "remove_set")),),
        # However many they are, and whenever they are found.
        "card_face_up": (Case(must={"card_to_rack": ("(i)(1)",), "play_on": ("(i)(1)",)}),),
        "card_drawn_unexposed": (Case(may=under(("R-65",), *ASK, "use_as_next")),),
        "wrong_count_player": (
            Case(("too_many",), must={"discard_excess": ("(i)(4)",), "play_on": ("(i)(4)",)}),
            # The missing cards come before the community cards, so after these the choice is no longer there.
            Case(
                ("community_dealt",),
                may=under(
                    ("R-94",), "void_hand", "play_on", "hold_seat_wagers", "return_seat_wagers", "call_floorperson"
                ),
            ),
            Case(must={"ask_void_or_complete": ("(i)(3)",), "play_on": ("(i)(3)",)}),
        ),
        "hand_declared_void": (
            Case(
                must={"void_hand": ("(i)(3)",), "play_on": ("(i)(3)",)},
                may=under(("R-22",), "return_seat_wagers", "hold_seat_wagers", "call_floorperson"),
            ),
        ),
        "wrong_count_dealer": (Case(may=under(("R-63",), *_VOID_HANDS)),),
        "wrong_count_community": (Case(may=under(("R-37",), *_VOID_HANDS)),),
        "dealer_card_exposed": (
            # They are turned over once all discards are collected.
            Case(("all_players_acted",), must={"play_on": ("(h)(7)",)}),
            Case(may=under(("R-64",), *_VOID_HANDS, "play_on", "record_only")),
        ),
        "player_card_exposed": (Case(must={"turn_face_down": ("(i)(2)",), "play_on": ("(i)(2)",)}),),
        "community_card_exposed": (
            Case(("all_players_acted",), must={"play_on": ("(h)(10)",)}),
            Case(may=under(("R-52",), *_VOID_HANDS)),
        ),
        "cards_insufficient": (
            Case(
                must={"void_round": ("(i)(5)",), "reshuffle": ("(i)(5)",)},
                may=under(("R-22",), "return_all_wagers", "hold_all_wagers", "call_floorperson"),
            ),
        ),
        "discard_count_wrong": (Case(may=under(("R-66",), *ASK, "record_only")),),
        "cutting_card_reached": (
            Case(
                ("two_sets",),
                must={"play_on": ("(g)(4)",), "swap_set_after_round": ("(b)(4)(v)", "(e)(7)", "(g)(4)")},
            ),
            Case(must={"play_on": ("(g)(4)",), "reshuffle_after_round": ("(e)(7)", "(g)(4)")}),
        ),
        "marker_not_moved": (Case(must={"play_on": ("(i)(6)",), "move_marker": ("(i)(6)",)}),),
        "deck_change_due": (Case(must={"change_set": ("(d)(5)",)}),),
        "set_not_alternated": (Case(may=under(("R-42",), *ASK, "change_set")),),
        "player_left": (
            Case(may=under(("R-53",), "hold_seat_wagers", "collect_seat_wagers", "call_floorperson")),
        ),
        "false_declaration": (Case(may=under(("R-67",), *ASK, "play_on", "record_only")),),
        **HANDS_MEDDLED_WITH,
        **SAID_OF_NONE,
        "round_unproven": (Case(may=under(("R-47",), *_HELD, "void_round", "return_all_wagers", "reshuffle")),),
    },
    later={"split": "second_hand"},
    # (h)(2): a natural is paid at once; (h)(6): half of a surrendered wager is collected at once.
    settles={"natural": ("original",)},
    halves={"surrender": ("original", ("(h)(6)",))},
    # (h)(8): of a split hand a dealer's natural collects the original wager alone.
    sends_back={"natural": (True, ("second_hand",), ("(h)(8)",))},
    full={"six": 312, "eight": 416},
    swaps="shoe",
)  # fmt: skip
