"""Players are asked one by one from the side that the document names; a game that names none asks in any order."""

import pytest

from controller.daemon.views.status import table_document
from controller.rules.vocabulary import Method, Trigger
from controller.table.words import acts as a

GAMES = {
    "md-uth": (("ante", "blind"), "check", [1, 3, 5], ("11.B",)),
    "ma-uth": (("ante", "blind"), "check", [1, 3, 5], ("10(a)",)),
    "nj-pikit": (("ante", "five_card_bonus"), "fold", [5, 3, 1], ("39.10(c)",)),
    "ma-colorado": (("ante",), "fold", [1, 3, 5], ("10(b)",)),
}


def dealt(make_table, rulebook, wagers):
    bets = [(seat, name, 1000) for seat in (1, 3, 5) for name in wagers]
    return make_table(rulebook).ready().bet(*bets).let_out().deal()


def turn(table):
    stage = table_document(table.setup, table.state)["round"]["stage"]
    return next(iter(stage["waiting"] if stage else ()), None)


@pytest.mark.parametrize("rulebook", GAMES)
def test_each_answers_in_turn_and_nobody_before(make_table, rulebook):
    """Whoever speaks out of turn is told whose turn it is, and the clause; the status shows the same seat."""
    wagers, word, order, cite = GAMES[rulebook]
    table = dealt(make_table, rulebook, wagers)
    for place, seat in enumerate(order):
        assert turn(table) == seat
        for later in order[place + 1 :]:
            refused = table.refused(a.RecordDecision(later, a.Decision(word)))
            assert (f"turn of seat {seat}:" in refused.reason, refused.cite) == (True, cite)
        table.answer(seat, word)
    assert turn(table) is None


def test_the_bonus_cards_of_pikit_are_shown_from_the_right_too(make_table):
    """The asking of a bonus has its own clause. Clause: nj-pikit 39.10(b)."""
    bets = [(s, n, 500) for s in (2, 4) for n in ("ante", "five_card_bonus", "three_card_bonus")]
    table = make_table("nj-pikit", offered=("three_card_bonus",)).ready().bet(*bets).let_out().deal()
    refused = table.refused(a.RecordDecision(2, a.Decision.SHOW))
    assert ("turn of seat 4:" in refused.reason, refused.cite) == (True, ("39.10(b)",))
    table.answer(4, "show")
    table.answer(2, "show")


def test_a_hand_that_is_over_is_passed_over(make_table):
    """A void hand and one whose player left do not keep the others waiting, and are asked no more."""
    table = dealt(make_table, "ma-uth", ("ante", "blind"))
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1))
    assert turn(table) == 3
    table.answer(3, "check")
    table.answer(5, "check")
    table.act(a.RevealCommunity(a.Street.FLOP))


def test_a_player_whose_wagers_were_taken_as_abandoned_is_not_asked(make_table):
    """R-53 = abandoned: the seat is still in the round, but has nothing to decide."""
    bets = [(seat, name, 1000) for seat in (1, 3) for name in ("ante", "blind")]
    table = make_table("md-uth", elect={"R-53": "abandoned"}).ready().bet(*bets).let_out().deal()
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    assert turn(table) == 3
    assert "is decided" in table.refused(a.RecordDecision(1, a.Decision.CHECK)).reason


def test_where_the_text_names_no_order_players_set_their_hands_as_they_like(make_table):
    """Each sets the own hand and the dealer waits for all. Clause: fast-action (h)(1)."""
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready()
    table.bet(*((seat, "original", 1000) for seat in (1, 2, 4))).let_out().act(a.RecordInitialDeal())
    for seat in (4, 1, 2):
        table.answer(seat, "set")
