"""A stub count is waived for a shuffler that counts each shuffle: not for a set of which the last shuffle told no count."""

import pytest

from controller.daemon.views.status import table_document
from controller.rules.vocabulary import Method
from controller.table.decide import fold
from controller.table.questions.stub_count_and_turns import stub_count_waived
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers.events import Back, StackDispensed

BETS = {
    "md-uth": ("ante", "blind"),
    "ma-uth": ("ante", "blind"),
    "nj-pikit": ("ante", "five_card_bonus"),
    "ma-colorado": ("ante",),
}


@pytest.fixture(params=["md-uth", "nj-pikit", "ma-colorado"])
def ready(make_table, request):
    """Both sets shuffled and counted, at a table of each document that waives the count."""
    return make_table(request.param, Method.MANUAL_SHOE, offered=(), devices=("shuffler-1",)).ready()


def play(table, back):
    """A round up to its settlement: everybody folds, or plays on where nobody can fold yet."""
    names = BETS[table.setup.law.rulebook.id]
    table.bet(*((seat, name, 1000) for seat in (1, 3) for name in names), back=back).let_out()
    table.act(a.RecordInitialDeal())
    if "blind" in names:
        return table.to_showdown().act(a.SettleRound())
    table.decide_all(a.Decision.FOLD)
    if table.round.game.streets:
        table.act(a.RevealCommunity(a.Street.COMMUNITY))
    else:
        table.act(a.RevealDealer())
    return table.act(a.SettleRound())


def whole_round(table, back, count=52):
    play(table, back)
    table.act(a.CollectCards())
    table.act(a.EndRound())
    table.shuffled(back, count)


def four_rounds(table):
    for back in ("red", "blue", "red", "blue"):
        whole_round(table, back)
    return table


def test_the_stub_of_a_set_whose_shuffle_told_no_count_is_counted(ready):
    """In the round with it, and the refusal says why; the other set is not concerned, and may be dealt in between."""
    whole_round(four_rounds(ready), "red", count=None)
    whole_round(ready, "blue")
    play(ready, "red")
    assert table_document(ready.setup, ready.state)["stub"]["waived"] is False
    refused = ready.refused(a.CollectCards())
    assert refused.code == "stub_count_due"
    assert "no count of the red set was reported when it was shuffled last" in refused.reason
    assert refused.cite
    ready.act(a.RecordStubCount(ready.right_stub()))
    ready.act(a.CollectCards())
    ready.act(a.EndRound())
    ready.shuffled("red")
    whole_round(ready, "blue")


def test_a_shuffler_that_never_tells_one_waives_nothing(make_table):
    """Each fifth round is counted, as beside one that does not count. Clause: nj-pikit 39.7(e), 39.7(f)."""
    table = make_table("nj-pikit", Method.MANUAL_SHOE, offered=(), devices=("shuffler-1",)).ready()
    for back in table.setup.backs:
        table.shuffled(back, None)
    for back in ("red", "blue", "red", "blue"):
        whole_round(table, back, None)
    play(table, "red")
    assert "5 rounds are reached" in table.refused(a.CollectCards()).reason


def test_of_a_set_that_is_not_at_this_table_no_count_is_known(make_table):
    """A record of the house's former sets: cards of the green one came out before anybody let them out. Clause: md-uth 10.C."""
    table = make_table("md-uth").ready()
    assert stub_count_waived(table.setup, table.state)
    begun = f.RoundBegun("t1-1", 1, "green", Method.DEALING_SHOE, "x", "ultimate")
    facts = (f.Fact("table", begun), f.Fact("shoe-1", StackDispensed(Back.UNKNOWN, 1, 2)))
    assert not stub_count_waived(table.setup, fold(table.state, facts))
