"""Maryland on cards that lie face up, are drawn in error, dealt in a wrong number or seen too early, by hand from chapter 13."""

from simulators.bench.expected.case import ASK, Case, under

_VOID = "void_all_hands", "return_all_wagers", "reshuffle"
_13_E = dict.fromkeys(_VOID, ("13.E",))
_TOO_MANY = Case(("too_many",), may=under(("R-214",), *ASK, *_VOID))  # 13.D speaks of such a card, too

CARDS: dict[str, tuple[Case, ...]] = {
    "card_face_up": (
        # Once every community card lies open no card is dealt any more, and all three sentences speak of the deal.
        Case(("deal_over", "!several"), may=under(("R-54",), *ASK, "card_to_rack", "play_on")),
        Case(
            ("deal_over",),
            may=under(
                ("R-54",),
                *ASK,
                "settle trips",
                "card_to_rack",
                "void_all_hands",
                "reshuffle",
                "return_others",
                "return_all_wagers",
                "hold_others",
                "hold_all_wagers",
            ),
        ),
        # Inside a stack that a device gives out it leaves a hand one short, of which no clause speaks.
        Case(
            ("!several", "!initial_deal_done", "in_stack"),
            must={"card_to_rack": ("13.A",)},
            may=under(("R-168",), *ASK, "play_on"),
        ),
        Case(("!several", "!initial_deal_done"), must={"card_to_rack": ("13.A",), "play_on": ("13.A",)}),
        Case(
            ("!several",),
            must={"card_to_rack": ("13.A",)},
            may=under(("R-14",), *ASK, "play_on"),
        ),
        Case(("!initial_deal_done",), must=dict.fromkeys(_VOID, ("13.B",))),
        # One card before each hand had two cards and one after that: 13.B and 13.C both speak of the last one.
        Case(
            ("early_card",),
            may={
                **under(("R-213",), *ASK, "deal_community", "settle trips", *_VOID),
                **under(
                    ("R-14", "R-213"),
                    "void_all_hands",
                    "card_to_rack",
                    "return_others",
                    "return_all_wagers",
                    "reshuffle",
                    "hold_others",
                    "hold_all_wagers",
                    "call_floorperson",
                ),
            },
        ),
        Case(
            ("trips_placed",),
            must={"deal_community": ("13.C",), "settle trips": ("13.C",)},
            may=under(
                ("R-14",),
                "void_all_hands",
                "card_to_rack",
                "return_others",
                "reshuffle",
                "hold_others",
                "call_floorperson",
            ),
        ),
        Case(
            must={"deal_community": ("13.C",)},
            may=under(
                ("R-14",),
                "void_all_hands",
                "card_to_rack",
                "return_all_wagers",
                "reshuffle",
                "hold_all_wagers",
                "call_floorperson",
            ),
        ),
    ),
    "card_drawn_unexposed": (Case(must={"use_as_next": ("13.D",)}),),
    "wrong_count_player": (_TOO_MANY, Case(must=_13_E)),
    "wrong_count_dealer": (_TOO_MANY, Case(must=_13_E)),
    "wrong_count_community": (
        Case(("of_the_box",), may=under(("R-152",), *ASK, *_VOID)),
        _TOO_MANY,
        Case(must=_13_E),
    ),
    "dealer_card_exposed": (
        Case(("all_players_acted",), must={"play_on": ("11.G(1)",)}),
        # 13.F speaks of a card that is "inadvertently exposed".
        Case(
            ("on_purpose",),
            may={
                **under(
                    ("R-196",),
                    "hold_round",
                    "void_all_hands",
                    "return ante",
                    "return blind",
                    "return play",
                    "reshuffle",
                    "deal_community",
                    "settle trips",
                ),
                **under(("R-127",), "hold trips", "return trips"),
                **under(("R-11",), "hold_others", "return_others"),
                **under(("R-11", "R-127", "R-196"), "call_floorperson"),
            },
        ),
        Case(
            # What 13.G has settled needs hands; where one is missing a person decides.
            ("trips_placed", "hands_missing"),
            must=dict.fromkeys(
                ("void_all_hands", "return ante", "return blind", "return play", "reshuffle"), ("13.F",)
            ),
            may={
                **under(("R-127",), "hold trips", "return trips"),
                **under(("R-11",), "hold_others", "return_others"),
                **under(("R-11", "R-127"), "call_floorperson"),
            },
        ),
        Case(
            ("trips_placed",),
            must={
                "void_all_hands": ("13.F",),
                "return ante": ("13.F",),
                "return blind": ("13.F",),
                "return play": ("13.F",),
                "reshuffle": ("13.F",),
                "deal_community": ("13.G",),
                "settle trips": ("13.G",),
            },
            may=under(("R-11",), "hold_others", "return_others", "call_floorperson"),
        ),
        Case(
            must=dict.fromkeys(
                ("void_all_hands", "return ante", "return blind", "return play", "reshuffle"), ("13.F",)
            ),
            may=under(("R-11",), "hold_others", "return_others", "call_floorperson"),
        ),
    ),
}
"""Cases by trigger."""
