"""Ultimate Texas Hold 'Em in Maryland and Massachusetts, by hand from the two texts.

Chapters are those of an automated shoe or shuffler (Maryland 10, Massachusetts 9); `chapters` has those of other methods.
"""

from fractions import Fraction

from simulators.bench.expected.case import (
    ASK,
    HANDS_MEDDLED_WITH,
    SAID_OF_NONE,
    Case,
    Document,
    shoe_without_its_deal,
    under,
)
from simulators.bench.expected.maryland_cards import CARDS

_MARYLAND: dict[str, tuple[Case, ...]] = {
    "shuffler_jam": (
        # Whether a device that frees itself has jammed at all is not said: 13.H, 13.I speak of "jams" alone.
        Case(
            ("self_cleared",),
            may=under(
                ("R-30", "R-10"), *ASK, "return_all_wagers", "clear_device", "reshuffle", "reshuffle_with_dealt",
                "reshuffle_idle_set", "void_round", "record_only", "play_on",
            ),
        ),
        # 13.H(1)-(3); that wagers of a round played with the other deck go back as well is what R-10 is about.
        Case(
            ("idle_set",),
            must={"clear_device": ("13.H(3)",), "reshuffle_idle_set": ("13.H(1)",)},
            may=under(("R-10",), *ASK, "play_on", "return_all_wagers", "void_round"),
        ),
        # A shuffler that hands out packets is both devices; (2)/(1), (3)/(2) and (1),(3)/(3) say the same of wagers and cards.
        Case(
            ("handing_out",),
            must={
                "return_all_wagers": ("13.H(2)", "13.I(1)"),
                "clear_device": ("13.H(3)", "13.I(2)"),
                "reshuffle_with_dealt": ("13.H(1)", "13.H(3)", "13.I(3)"),
            },
            may=under(("R-29",), *ASK, "void_round"),
        ),
        Case(
            ("round_live",),
            must={
                "return_all_wagers": ("13.H(2)",),
                "clear_device": ("13.H(3)",),
                "reshuffle_with_dealt": ("13.H(1)", "13.H(3)"),
            },
            may=under(("R-31",), *ASK, "void_round"),
        ),
        Case(must={"clear_device": ("13.H(3)",), "reshuffle": ("13.H(1)",)}),
    ),
    "shoe_jam": (
        # 13.I speaks of failures "during a round of play".
        Case(("!round_live",), may=under(("R-33", "R-30"), *ASK, "clear_device", "reshuffle", "record_only")),
        *shoe_without_its_deal("void_round", "return_all_wagers", "clear_device", "reshuffle_with_dealt"),
        Case(
            ("self_cleared",),
            may=under(
                ("R-30",), "void_round", "return_all_wagers", "clear_device", "reshuffle_with_dealt", "record_only",
                "play_on",
            ),
        ),
        Case(
            must={
                "void_round": ("13.I",),
                "return_all_wagers": ("13.I(1)",),
                "clear_device": ("13.I(2)",),
                "reshuffle_with_dealt": ("13.I(3)",),
            }
        ),
    ),
    # 5.I switches 5.D-F off for devices that reshuffle and count by themselves.
    "shuffler_count_wrong": (
        Case(("reshuffling_device",), may=under(("R-07",), *ASK, "remove_set")),
        Case(must={"remove_set": ("5.E(1)", "5.E(2)")}),
    ),
    "shuffler_identities_wrong": (Case(may=under(("R-36",), *ASK, "remove_set")),),
    "stub_wrong": (
        Case(
            ("misdealt", "full_set_remains"),
            must={"void_all_hands": ("10.E(1)",), "return_all_wagers": ("10.E(1)",)},
            may=under(("R-25",), *ASK, "reshuffle"),
        ),
        Case(
            ("misdealt",),
            may=under(
                ("R-01",), *ASK, "void_all_hands", "return_all_wagers", "remove_set", "hold_all_wagers"
            ),
        ),
        Case(must=dict.fromkeys(("void_all_hands", "return_all_wagers", "remove_set"), ("10.E(2)",))),
    ),
    "stub_count_due": (
        Case(("shuffler_counts",), must={"record_only": ("10.C",)}),
        Case(must={"count_stub": ("10.C",)}),
    ),
    **CARDS,
    "player_card_exposed": (Case(may=under(("R-38",), *ASK, "play_on", "record_only")),),
    "community_card_exposed": (
        Case(("all_players_acted",), must={"play_on": ("11.F",)}),
        Case(
            may=under(
                ("R-52",), *ASK, "void_all_hands", "reshuffle", "return_all_wagers", "hold_all_wagers"
            )
        ),
    ),
    "player_left": (Case(may=under(("R-53",), "hold_seat_wagers", "collect_seat_wagers", "call_floorperson")),),
    "cards_insufficient": (
        Case(may=under(("R-39",), *ASK, "hold_all_wagers", "void_round", "return_all_wagers", "reshuffle")),
    ),
    "method_change": (
        Case(("device_failed",), must={"cover_or_sign_device": ("13.J(1)", "13.J(2)")}),
        Case(may=under(("R-40",), "cover_or_sign_device", "record_only")),
    ),
    # No time is printed for cards that a shuffler hands out.
    "deck_change_due": (
        Case(("handing_out",), may=under(("R-06",), "change_set")),
        Case(must={"change_set": ("3.C(2)",)}),
    ),
    "set_not_alternated": (Case(may=under(("R-42",), *ASK, "change_set")),),
    "progressive_mismatch": (Case(may=under(("R-09",), *ASK, "record_only")),),
    "progressive_late": (
        Case(("after_lock",), may=under(("R-45",), *ASK, "hold_late_wager", "return_late_wager")),
        Case(may=under(("R-46",), *ASK, "hold_late_wager", "return_late_wager")),
    ),
    **HANDS_MEDDLED_WITH,
    **SAID_OF_NONE,
    "round_unproven": (Case(may=under(("R-47",), *ASK, "hold_all_wagers", "void_round", "return_all_wagers", "reshuffle")),),
}  # fmt: skip

# Massachusetts voids hands and never says that wagers go back, and never that a shuffle follows.
_MA_WAGERS = under(("R-22",), "return_all_wagers", "hold_all_wagers", "call_floorperson")
_MA_RESHUFFLE = under(("R-25", "R-22"), *ASK, "reshuffle")
_MA_OPEN = {**_MA_RESHUFFLE, **_MA_WAGERS, "call_floorperson": ("R-22", "R-25")}

_MASSACHUSETTS: dict[str, tuple[Case, ...]] = {
    "shuffler_jam": (
        Case(
            ("self_cleared",),
            may=under(
                ("R-30", "R-10"), *ASK, "reshuffle", "reshuffle_idle_set", "reshuffle_with_dealt", "clear_device",
                "by_approved_procedures", "void_round", "return_all_wagers", "hold_all_wagers", "record_only",
                "play_on",
            ),
        ),
        Case(
            ("idle_set",),
            must={"reshuffle_idle_set": ("15(e)",), "by_approved_procedures": ("15(e)",)},
            may=under(("R-10",), *ASK, "play_on"),
        ),
        Case(
            ("handing_out",),
            must={"by_approved_procedures": ("15(e)", "15(f)")},
            may=under(
                ("R-29",), *ASK, "void_round", "clear_device", "reshuffle", "reshuffle_with_dealt",
                "return_all_wagers", "hold_all_wagers",
            ),
        ),
        Case(
            ("round_live",),
            must={"reshuffle": ("15(e)",), "by_approved_procedures": ("15(e)",)},
            may=under(("R-32",), *ASK, "void_round", "return_all_wagers", "hold_all_wagers"),
        ),
        Case(must={"reshuffle": ("15(e)",), "by_approved_procedures": ("15(e)",)}),
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
                ("void_round", "clear_device", "reshuffle_with_dealt", "by_approved_procedures"), ("15(f)",)
            ),
            may=_MA_WAGERS,
        ),
    ),
    "shuffler_count_wrong": (Case(may=under(("R-35",), *ASK, "remove_set")),),
    "shuffler_identities_wrong": (Case(may=under(("R-36",), *ASK, "remove_set")),),
    "stub_wrong": (
        Case(("misdealt", "full_set_remains"), must={"void_all_hands": ("7(f)(2)",)}, may=_MA_OPEN),
        Case(
            ("misdealt",),
            may=under(
                ("R-01",), *ASK, "void_all_hands", "remove_set", "return_all_wagers", "hold_all_wagers"
            ),
        ),
        Case(must={"void_all_hands": ("7(f)(2)",), "remove_set": ("7(f)(2)",)}, may=_MA_WAGERS),
    ),
    # 9(e) sends the dealer of an automated shoe to 7(f); no device takes the count off him.
    "stub_count_due": (Case(must={"count_stub": ("9(e)",)}),),
    "card_face_up": (
        # Once every community card lies open no card is dealt any more, and all three sentences speak of the deal.
        Case(("deal_over", "!several"), may=under(("R-54",), *ASK, "card_to_rack", "play_on")),
        Case(
            ("deal_over",),
            may=under(
                ("R-54",), *ASK, "settle trips", "card_to_rack", "void_all_hands", "reshuffle", "return_others",
                "return_all_wagers", "hold_others", "hold_all_wagers",
            ),
        ),
        # Inside a stack that a device gives out it leaves a hand one short, of which no clause speaks.
        Case(
            ("!several", "!initial_deal_done", "in_stack"),
            must={"card_to_rack": ("15(b)",)},
            may=under(("R-168",), *ASK, "play_on"),
        ),
        Case(("!several", "!initial_deal_done"), must={"card_to_rack": ("15(b)",), "play_on": ("15(b)",)}),
        Case(("!several",), must={"card_to_rack": ("15(b)",)}, may=under(("R-14",), *ASK, "play_on")),
        Case(
            ("!initial_deal_done",),
            must={"void_all_hands": ("15(b)",), "reshuffle": ("15(b)",)},
            may=_MA_WAGERS,
        ),
        Case(
            ("trips_placed",),
            must={"deal_community": ("15(b)",), "settle trips": ("15(b)",)},
            may=under(
                ("R-14", "R-22"), "void_all_hands", "card_to_rack", "reshuffle", "return_others", "hold_others",
                "call_floorperson",
            ),
        ),
        Case(
            must={"deal_community": ("15(b)",)},
            may=under(
                ("R-14", "R-22"), "void_all_hands", "card_to_rack", "reshuffle", "return_all_wagers",
                "hold_all_wagers", "call_floorperson",
            ),
        ),
    ),
    "card_drawn_unexposed": (Case(must={"use_as_next": ("15(c)",)}),),
    "wrong_count_player": (
        Case(
            must={"void_hand": ("15(d)",), "play_on": ("15(d)",)},
            may=under(("R-22",), "return_seat_wagers", "hold_seat_wagers", "call_floorperson"),
        ),
    ),
    "wrong_count_dealer": (
        Case(("completable",), must={"complete_dealer_hand": ("15(d)",)}),
        Case(must={"void_all_hands": ("15(d)",)}, may=_MA_OPEN),
    ),
    "wrong_count_community": (
        Case(
            may=under(
                ("R-37",), *ASK, "hold_all_wagers", "void_all_hands", "reshuffle", "return_all_wagers"
            ),
        ),
    ),
    "dealer_card_exposed": (
        Case(("all_players_acted",), must={"play_on": ("10(f)",)}),
        Case(
            ("trips_placed", "hands_missing"),
            must={"void_all_hands": ("15(a)",)},
            may={
                **_MA_OPEN,
                **under(("R-22",), "return_others", "hold_others"),
                **under(("R-127",), "hold trips", "return trips"),
                "call_floorperson": ("R-22", "R-25", "R-127"),
            },
        ),
        Case(
            ("trips_placed",),
            must=dict.fromkeys(("void_all_hands", "deal_community", "settle trips"), ("15(a)",)),
            may={**_MA_OPEN, **under(("R-22",), "return_others", "hold_others")},
        ),
        Case(must={"void_all_hands": ("15(a)",)}, may=_MA_OPEN),
    ),
    "player_card_exposed": (Case(may=under(("R-38",), *ASK, "play_on", "record_only")),),
    "community_card_exposed": (
        Case(("all_players_acted",), must={"play_on": ("10(e)",)}),
        Case(
            may=under(
                ("R-52",), *ASK, "void_all_hands", "reshuffle", "return_all_wagers", "hold_all_wagers"
            )
        ),
    ),
    "player_left": (Case(may=under(("R-53",), "hold_seat_wagers", "collect_seat_wagers", "call_floorperson")),),
    "cards_insufficient": (
        Case(
            may=under(
                ("R-39",), *ASK, "hold_all_wagers", "void_round", "return_all_wagers", "reshuffle"
            ),
        ),
    ),
    "method_change": (Case(must={"remove_device": ("15(g)",)}),),
    "deck_change_due": (Case(may=under(("R-41",), "change_set", "record_only")),),
    "set_not_alternated": (Case(may=under(("R-42",), *ASK, "change_set")),),
    "progressive_mismatch": (Case(may=under(("R-09",), *ASK, "record_only")),),
    "progressive_late": (
        Case(("after_lock",), may=under(("R-45",), *ASK, "hold_late_wager", "return_late_wager")),
        Case(may=under(("R-46",), *ASK, "hold_late_wager", "return_late_wager")),
    ),
    **HANDS_MEDDLED_WITH,
    **SAID_OF_NONE,
    "round_unproven": (Case(may=under(("R-47",), *ASK, "hold_all_wagers", "void_round", "return_all_wagers", "reshuffle")),),
}  # fmt: skip

_PLAYS = {"play": "play"}
_BLIND = {4: Fraction(1), 5: Fraction(3, 2), 6: Fraction(3), 7: Fraction(10), 8: Fraction(50), 9: Fraction(500)}
"""Clauses: ma-uth 11(c), md-uth 12.B(1)."""
MARYLAND = Document(
    _MARYLAND, _PLAYS, collects=("ante", "blind"), by=("11.F(2)",), blind=_BLIND,
    # Chapters 8 and 9 repeat the count of the stub for the manual shoe and for dealing from the hand.
    chapters={
        "manual_shoe": {"10.C": "8.E", "10.E(1)": "8.G(1)", "10.E(2)": "8.G(2)"},
        "hand": {"10.C": "9.C", "10.E(1)": "9.E(1)", "10.E(2)": "9.E(2)", "3.C(2)": "3.C(1)"},
    },
)  # fmt: skip
MASSACHUSETTS = Document(
    _MASSACHUSETTS, _PLAYS, collects=("ante", "blind"), by=("10(e)(2)",), blind=_BLIND,
    chapters={"manual_shoe": {"9(e)": "7(f)"}, "hand": {"9(e)": "8(e)"}},
)  # fmt: skip
