"""Pik-it Poker in New Jersey, by hand from the text. Its irregularities carry the number 38.12 of another game."""

from simulators.bench.expected.case import (
    ASK,
    HANDS_MEDDLED_WITH,
    SAID_OF_NONE,
    Case,
    Document,
    shoe_without_its_deal,
    under,
)

# Hands and rounds are void in several clauses; none says that wagers go back.
_WAGERS = under(("R-22",), "return_all_wagers", "hold_all_wagers", "call_floorperson")
_VOID_ROUND = (*ASK, "void_round", "return_all_wagers", "hold_all_wagers")


def _void(clause: str) -> Case:
    """Returns a case that voids all hands and has the cards shuffled again, by one clause."""
    return Case(must={"void_all_hands": (clause,), "reshuffle": (clause,)}, may=_WAGERS)


PIKIT = Document(
    cases={
        "shuffler_jam": (
            # Whether a device that frees itself has jammed at all is not said.
            Case(
                ("self_cleared",),
                may=under(
                    ("R-30", "R-10"), *_VOID_ROUND, "reshuffle", "reshuffle_idle_set", "reshuffle_with_dealt", "clear_device",
                    "record_only", "play_on",
                ),
            ),
            Case(
                ("idle_set",), must={"reshuffle_idle_set": ("38.12(e)",)}, may=under(("R-10",), *ASK, "play_on")
            ),
            # 38.12(e) is about shuffling devices, (f) about dealing shoes; a machine that hands out packets is both.
            Case(
                ("handing_out",),
                may=under(("R-29",), *_VOID_ROUND, "clear_device", "reshuffle", "reshuffle_with_dealt"),
            ),
            Case(("round_live",), must={"reshuffle": ("38.12(e)",)}, may=under(("R-32",), *_VOID_ROUND)),
            Case(must={"reshuffle": ("38.12(e)",)}),
        ),
        "shoe_jam": (
            # 38.12(f) speaks of a round of play.
            Case(("!round_live",), may=under(("R-33", "R-30"), *ASK, "clear_device", "reshuffle", "record_only")),
            *shoe_without_its_deal("void_round", "return_all_wagers", "clear_device", "reshuffle_with_dealt"),
            Case(
                ("self_cleared",),
                may=under(
                    ("R-30",), "void_round", "return_all_wagers", "hold_all_wagers", "call_floorperson", "clear_device",
                    "reshuffle_with_dealt", "record_only", "play_on",
                ),
            ),
            Case(
                must=dict.fromkeys(("void_round", "clear_device", "reshuffle_with_dealt"), ("38.12(f)",)),
                may=_WAGERS,
            ),
        ),
        "shuffler_count_wrong": (Case(must={"remove_set": ("39.7(f)",)}),),
        "shuffler_identities_wrong": (Case(may=under(("R-36",), *ASK, "remove_set")),),
        "stub_wrong": (
            # Misdealt but whole: void "pursuant to" the irregularities, where 38.12(c) also has the cards shuffled.
            Case(
                ("misdealt", "full_set_remains"),
                must={"void_all_hands": ("39.7(e)2", "38.12(c)"), "reshuffle": ("38.12(c)",)},
                may=_WAGERS,
            ),
            Case(
                ("misdealt",),
                may=under(
                    ("R-01",), *ASK, "void_all_hands", "remove_set", "return_all_wagers", "hold_all_wagers"
                ),
            ),
            Case(must={"void_all_hands": ("39.7(e)2",), "remove_set": ("39.7(e)2",)}, may=_WAGERS),
        ),
        "card_face_up": (
            # 38.12(a) is about cards found "while the cards are being dealt".
            Case(
                ("initial_deal_done",),
                may=under(
                    ("R-54",), *ASK, "card_to_rack", "play_on", "void_all_hands", "reshuffle", "return_all_wagers",
                    "hold_all_wagers",
                ),
            ),
            # Inside a stack that a device gives out it leaves a hand one short, of which no clause speaks.
            Case(
                ("!several", "in_stack"), must={"card_to_rack": ("38.12(a)",)}, may=under(("R-168",), *ASK, "play_on")
            ),
            Case(("!several",), must={"card_to_rack": ("38.12(a)",), "play_on": ("38.12(a)",)}),
            _void("38.12(a)"),
        ),
        "card_drawn_unexposed": (Case(must={"use_as_next": ("38.12(b)",)}),),
        "wrong_count_player": (_void("38.12(c)"),),
        "wrong_count_dealer": (_void("38.12(c)"),),
        "dealer_card_exposed": (
            # Once all have acted the hand is due to be revealed; until the dealer does so nothing is said.
            Case(
                ("all_players_acted",),
                may=under(
                    ("R-90",), *ASK, "play_on", "void_all_hands", "reshuffle", "return_all_wagers", "hold_all_wagers"
                ),
            ),
            # 38.12(d) speaks of a card that is "inadvertently exposed".
            Case(
                ("on_purpose",),
                may={
                    **under(("R-196",), "hold_round", "void_all_hands", "reshuffle"),
                    **under(("R-22",), "return_all_wagers", "hold_all_wagers"),
                    **under(("R-22", "R-196"), "call_floorperson"),
                },
            ),
            _void("38.12(d)"),
        ),
        "player_card_exposed": (Case(may=under(("R-38",), *ASK, "play_on", "record_only")),),
        "cards_insufficient": (Case(may=under(("R-39",), *_VOID_ROUND, "reshuffle")),),
        "method_change": (Case(must={"remove_device": ("38.12(g)",)}),),
        "deck_change_due": (Case(may=under(("R-41",), "change_set", "record_only")),),
        "set_not_alternated": (Case(may=under(("R-42",), *ASK, "change_set")),),
        "player_left": (
            Case(may=under(("R-53",), "hold_seat_wagers", "collect_seat_wagers", "call_floorperson")),
        ),
        **HANDS_MEDDLED_WITH,
        **SAID_OF_NONE,
        "round_unproven": (Case(may=under(("R-47",), *_VOID_ROUND, "reshuffle")),),
    },
    later={"play_3": "play_3", "play_5": "play_5"},
    # 39.3(b), 39.10(c)3: a fold forfeits the ante; (c)4: the dealer collects it then.
    collects=("ante",),
    by=("39.3(b)", "39.10(c)3", "39.10(c)4"),
    # 39.10(b): the three card bonus with the cards that are shown; (c)2: the five card bonus before the player answers.
    settles={
        "show": ("three_card_bonus",),
        "play_3": ("five_card_bonus", "three_card_bonus"),
        "play_5": ("five_card_bonus", "three_card_bonus"),
        "fold": ("five_card_bonus", "three_card_bonus"),
    },
    # 39.10(f), 39.11(a): a dealer who does not qualify sends Play 5 back.
    sends_back={"qualifies": (False, ("play_5",), ("39.10(f)", "39.11(a)"))},
)  # fmt: skip
