"""What stands before the next community cards."""

from controller.rules.vocabulary import Trigger
from controller.table.words import acts as a


def test_once_all_community_cards_lie_there_no_more_are_shown(make_table):
    """With the clauses of their order. Clause: ma-uth 10(b), 10(d)."""
    table = make_table("ma-uth", elect={"R-11": "return"}).ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.act(a.RevealCommunity(street))
    refused = table.refused(a.RevealCommunity(a.Street.FLOP))
    assert (refused.reason, refused.cite) == ("all community cards are shown", ("10(b)", "10(d)"))
