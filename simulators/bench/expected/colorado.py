"""Colorado Hold 'Em in Massachusetts, by hand from the text."""

from simulators.bench.expected.case import (
    ASK,
    HANDS_MEDDLED_WITH,
    SAID_OF_NONE,
    Case,
    Document,
    shoe_without_its_deal,
    under,
)

# As in the commission's other game: void hands and rounds, and no word of the wagers.
_WAGERS = under(("R-22",), "return_all_wagers", "hold_all_wagers", "call_floorperson")
_VOID_ROUND = (*ASK, "void_round", "return_all_wagers", "hold_all_wagers")
_SHUFFLE = {"reshuffle": ("14(e)",), "by_approved_procedures": ("14(e)",)}


def _void(clause: str) -> Case:
    """Returns a case that voids all hands and has the cards shuffled again, by one clause."""
    return Case(must={"void_all_hands": (clause,), "reshuffle": (clause,)}, may=_WAGERS)


COLORADO = Document(
    cases={
        "shuffler_jam": (
            Case(
                ("self_cleared",),
                may=under(
                    ("R-30", "R-10"), *_VOID_ROUND, "reshuffle", "reshuffle_idle_set", "reshuffle_with_dealt", "clear_device",
                    "by_approved_procedures", "record_only", "play_on",
                ),
            ),
            Case(
                ("idle_set",),
                must={"reshuffle_idle_set": ("14(e)",), "by_approved_procedures": ("14(e)",)},
                may=under(("R-10",), *ASK, "play_on"),
            ),
            # Both clauses end with the approved procedures, whichever governs a machine that hands out packets.
            Case(
                ("handing_out",),
                must={"by_approved_procedures": ("14(e)", "14(f)")},
                may=under(("R-29",), *_VOID_ROUND, "clear_device", "reshuffle", "reshuffle_with_dealt"),
            ),
            Case(("round_live",), must=_SHUFFLE, may=under(("R-32",), *_VOID_ROUND)),
            Case(must=_SHUFFLE),
        ),
        "shoe_jam": (
            Case(("!round_live",), may=under(("R-33", "R-30"), *ASK, "clear_device", "reshuffle", "record_only")),
            *shoe_without_its_deal(
                "void_round", "return_all_wagers", "clear_device", "reshuffle_with_dealt", "by_approved_procedures"
            ),
            Case(
                ("self_cleared",),
                may=under(
                    ("R-30",), "void_round", "return_all_wagers", "hold_all_wagers", "call_floorperson", "clear_device",
                    "reshuffle_with_dealt", "by_approved_procedures", "record_only", "play_on",
                ),
            ),
            Case(
                must=dict.fromkeys(
                    ("void_round", "clear_device", "reshuffle_with_dealt", "by_approved_procedures"), ("14(f)",)
                ),
                may=_WAGERS,
            ),
        ),
        "shuffler_count_wrong": (Case(must={"remove_set": ("7(f)",)}),),
        "shuffler_identities_wrong": (Case(may=under(("R-36",), *ASK, "remove_set")),),
        "stub_wrong": (
            Case(
                ("misdealt", "full_set_remains"),
                must={"void_all_hands": ("7(e)(2)", "14(c)"), "reshuffle": ("14(c)",)},
                may=_WAGERS,
            ),
            Case(
                ("misdealt",),
                may=under(
                    ("R-01",), *ASK, "void_all_hands", "remove_set", "return_all_wagers", "hold_all_wagers"
                ),
            ),
            Case(must={"void_all_hands": ("7(e)(2)",), "remove_set": ("7(e)(2)",)}, may=_WAGERS),
        ),
        "card_face_up": (
            # 14(a) is about cards found "while the cards are being dealt".
            Case(
                ("initial_deal_done",),
                may=under(
                    ("R-54",), *ASK, "card_to_rack", "play_on", "void_all_hands", "reshuffle", "return_all_wagers",
                    "hold_all_wagers",
                ),
            ),
            # Inside a stack that a device gives out it leaves a hand one short, of which no clause speaks.
            Case(
                ("!several", "in_stack"), must={"card_to_rack": ("14(a)",)}, may=under(("R-168",), *ASK, "play_on")
            ),
            Case(("!several",), must={"card_to_rack": ("14(a)",), "play_on": ("14(a)",)}),
            _void("14(a)"),
        ),
        "card_drawn_unexposed": (Case(must={"use_as_next": ("14(b)",)}),),
        "wrong_count_player": (_void("14(c)"),),
        "wrong_count_community": (_void("14(c)"),),
        "player_card_exposed": (Case(may=under(("R-38",), *ASK, "play_on", "record_only")),),
        "community_card_exposed": (
            # Turned up after the last answer, in both versions of the game.
            Case(("all_players_acted",), must={"play_on": ("10(c)",)}),
            Case(
                may=under(
                    ("R-52",), *ASK, "void_all_hands", "reshuffle", "return_all_wagers", "hold_all_wagers"
                )
            ),
        ),
        "false_declaration": (
            # The first wager is lost; of the bonus wager on the void hand nothing is said.
            Case(
                must={"void_hand": ("14(d)",), "collect ante": ("14(d)",)},
                may=under(
                    ("R-60",), "hold_seat_wagers", "return_seat_wagers", "collect_seat_wagers", "call_floorperson"
                ),
            ),
        ),
        "discard_count_wrong": (Case(may=under(("R-66",), *ASK, "record_only")),),
        "cards_insufficient": (Case(may=under(("R-39",), *_VOID_ROUND, "reshuffle")),),
        "method_change": (Case(must={"remove_device": ("14(g)",)}),),
        "deck_change_due": (Case(may=under(("R-41",), "change_set", "record_only")),),
        "set_not_alternated": (Case(may=under(("R-42",), *ASK, "change_set")),),
        "player_left": (
            Case(may=under(("R-53",), "hold_seat_wagers", "collect_seat_wagers", "call_floorperson")),
        ),
        **HANDS_MEDDLED_WITH,
        **SAID_OF_NONE,
        "round_unproven": (Case(may=under(("R-47",), *_VOID_ROUND, "reshuffle")),),
    },
    later={"bet": "bet"},
    # 10(b)(2): the ante of a player who folds is collected at once.
    collects=("ante",),
    by=("10(b)(2)",),
    # 10(b)(3)(i), 11(b)(2)(i): an instant winner is paid before any community card.
    settles={"declare": ("ante", "bonus")},
    # 11 repeats 10 for the version with the permissible bet.
    chapters={"permissible_bet": {"10(c)": "11(c)"}},
)  # fmt: skip
