"""What stands before the next community cards."""

from controller.rules.vocabulary import Method, Trigger
from controller.table.words import acts as a


def test_no_community_card_before_the_player_of_a_short_hand_has_answered(make_table):
    """Whichever seat it is. Clause: fast-action (i)(3)."""
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=(), backs=("red",), devices=()).open()
    table.shuffled_by_hand("red").bet((1, "original", 1000), (3, "original", 1000)).let_out()
    table.act(a.RecordInitialDeal())
    table.answer(1, "set")
    table.answer(3, "set")
    table.act(a.RevealDealer())
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=3))
    (duty,) = table.state.duties
    refused = table.refused(a.RevealCommunity(a.Street.COMMUNITY))
    assert (refused.reason, refused.cite) == (f"first {duty}: ask_void_or_complete (seat 3)", ("(i)(3)",))


def test_once_all_community_cards_lie_there_no_more_are_shown(make_table):
    """With the clauses of their order. Clause: ma-uth 10(b), 10(d)."""
    table = make_table("ma-uth", elect={"R-11": "return"}).ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.act(a.RevealCommunity(street))
    refused = table.refused(a.RevealCommunity(a.Street.FLOP))
    assert (refused.reason, refused.cite) == ("all community cards are shown", ("10(b)", "10(d)"))
