"""The count of the stub: from when it can be made, and until when it must be."""

import pytest

from controller.games.model import Phase
from controller.rules.vocabulary import Method
from controller.table.questions.stub import due, not_there
from controller.table.words import acts as a
from controller.table.words import facts as f

BETS = {
    "md-uth": ("ante", "blind"),
    "ma-uth": ("ante", "blind"),
    "nj-pikit": ("ante", "five_card_bonus"),
    "ma-colorado": ("ante",),
}
COUNTING = [*BETS]
BY_DEVICE = (Method.DEALING_SHOE, Method.SHUFFLER)


def dealt(make_table, rulebook, method, elect=None):
    """A round at its first question: what is dealt first has been."""
    table = make_table(rulebook, method, offered=(), devices=("shuffler-1", "shoe-1"), elect=elect).ready()
    table.bet(*((seat, name, 1000) for seat in (1, 3) for name in BETS[rulebook])).let_out()
    if method in BY_DEVICE:
        table.deal()
    else:
        table.act(a.RecordInitialDeal())
    return table


@pytest.mark.parametrize("method", [*Method])
@pytest.mark.parametrize("rulebook", COUNTING)
def test_the_stub_is_there_once_nothing_is_to_be_dealt_from_it(make_table, rulebook, method):
    """Where the community cards come from it later it is not. Clause: md-uth 10.B(5), nj-pikit 39.9(d), ma-colorado 9(d)."""
    table = dealt(make_table, rulebook, method)
    from_hand = table.setup.law.rulebook.dealing[method].community_after
    assert from_hand is (rulebook == "ma-uth" or (rulebook == "md-uth" and method not in BY_DEVICE))
    if from_hand:
        refused = table.refused(a.RecordStubCount(table.right_stub()))
        assert refused.code == "stub_not_out"
        assert refused.cite
        table.decide_all(a.Decision.CHECK)
        table.community(a.Street.FLOP)
        assert table.refused(a.RecordStubCount(table.right_stub())).code == "stub_not_out"
        table.decide_all(a.Decision.CHECK)
        table.community(a.Street.LAST_TWO)
    (counted,) = table.act(a.RecordStubCount(table.right_stub()))
    assert isinstance(counted, f.StubCounted)
    assert counted.right


@pytest.mark.parametrize("method", BY_DEVICE)
@pytest.mark.parametrize("rulebook", ["md-uth", "nj-pikit"])
def test_a_dealer_s_stack_that_waits_inside_is_no_stub(make_table, rulebook, method):
    """Clause: md-uth 10.B(4), 10.B(5); nj-pikit 39.9(c), (d). The other two leave nothing in the device."""
    table = dealt(make_table, rulebook, method, {"dealer_stack": "after_decisions"})
    refused = table.refused(a.RecordStubCount(40))
    assert refused.code == "stub_not_out"
    assert refused.cite == table.setup.law.rulebook.dealing[method].dealer_delivered.cite


@pytest.mark.parametrize("rulebook", COUNTING)
def test_nothing_is_due_in_a_round_of_which_no_card_was_dealt(make_table, rulebook):
    """Nor while its cards are still to be dealt is there a stub."""
    table = make_table(rulebook, Method.MANUAL_SHOE, offered=(), devices=("shuffler-1",)).ready()
    table.act(a.BeginRound("red"))
    assert due(table.setup, table.state) is None
    assert table.round.phase is Phase.BETTING
    assert "cannot be done in phase betting" in table.refused(a.RecordStubCount(52)).reason


def test_a_document_without_a_count_never_waits_for_one(make_table):
    """Clause: fast-action, R-61."""
    table = (
        make_table("fast-action", Method.MANUAL_SHOE, devices=(), backs=("red",)).open().shuffled_by_hand("red")
    )
    table.bet((1, "original", 1000)).let_out()
    table.act(a.RecordInitialDeal())
    assert due(table.setup, table.state) is None
    assert not_there(table.setup, table.state, table.round) is not None
    assert "has no stub count" in table.refused(a.RecordStubCount(300)).reason
