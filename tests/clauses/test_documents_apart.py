"""Where the documents part on one and the same course of events: the examples that people ask about first."""

import pytest

from controller.table.words import acts as a
from controller.table.words import facts as f

COUNTED = {"ma-uth": "9(e)", "md-uth": "10.C", "nj-pikit": "39.9(e)", "ma-colorado": "9(e)"}
"""Documents that want the stub counted, with the clause that says so for cards from an automated shoe."""
WAIVES = {"md-uth", "nj-pikit", "ma-colorado"}


def last(staged, kind):
    return [fact.event for fact in staged.table.all if isinstance(fact.event, kind)][-1]


@pytest.mark.parametrize("book", ["ma-uth", "md-uth"])
def test_two_cards_face_up_after_the_first_two_cards_void_the_hands_and_trips_is_played_out(book, stage):
    """The community cards are dealt for Trips alone, and the round ends void. Clause: ma-uth 15(b), md-uth 13.C."""
    staged = stage(book, {"at": "pre_flop", "trips": [1]})
    table = staged.table
    staged.put({"act": "report_irregularity", "trigger": "card_face_up", "cards": 2})
    assert table.round.void
    assert {fate for (_, name), fate in table.fates().items() if name != "trips"} == {"returned"}
    assert table.fates()[1, "trips"] == "to_settle"
    assert "deal_community" in table.refused(a.CollectCards()).reason
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.act(a.RevealCommunity(street))
    assert "deal_community" not in {duty.word for duty in table.state.duties.values()}, "they lie there"
    for duty in ("settle_trips", "card_to_rack", "return_all_wagers"):
        staged.put({"act": "confirm_duty", "duty": duty})
    assert table.fates()[1, "trips"] == "settled"
    table.act(a.CollectCards())
    table.act(a.EndRound())
    assert last(staged, f.RoundEnded).outcome == "void"
    assert [duty.word for duty in table.state.duties.values()] == ["reshuffle"]


@pytest.mark.parametrize("book", COUNTED)
def test_a_shuffler_that_counts_each_shuffle_waives_the_stub_count_in_three_documents(book, stage):
    """Clause: md-uth 5.E(1) with 10.C, nj-pikit 39.7(f), ma-colorado 7(f); ma-uth 7(f) knows no waiver."""
    table = stage(book, {"at": "settled", "rounds": 4, "counting": True}).table
    if book in WAIVES:
        table.act(a.CollectCards())
        table.act(a.EndRound())
        return
    assert table.refused(a.CollectCards()).cite == (COUNTED[book],)


@pytest.mark.parametrize("book", COUNTED)
def test_no_document_waives_the_count_for_a_shuffler_that_does_not_count(book, stage):
    """The fifth round's cards stay on the layout until then: in the rack nobody can count the stub. The fourth's need not."""
    stage(book, {"at": "settled", "rounds": 3, "counting": False}).table.act(a.CollectCards())
    table = stage(book, {"at": "settled", "rounds": 4, "counting": False}).table
    refused = table.refused(a.CollectCards())
    assert (refused.code, refused.cite) == ("stub_count_due", (COUNTED[book],))
    table.act(a.RecordStubCount(table.right_stub()))
    table.act(a.CollectCards())
    table.act(a.EndRound())


@pytest.mark.parametrize("book", COUNTED)
def test_a_stub_in_the_rack_is_not_counted(book, stage):
    """Counted there with the hands it would be wrong by each of them, and a clean deck would leave the table."""
    table = stage(book, {"at": "collected", "rounds": 3, "counting": False}).table
    refused = table.refused(a.RecordStubCount(52))
    assert refused.code == "stub_in_rack"
    assert "end the round" in refused.reason
    table.act(a.EndRound())
    (counted,) = [x for x in table.act(a.RecordStubCount(52)) if isinstance(x, f.StubCounted)]
    assert counted.right


@pytest.mark.parametrize("book", COUNTED)
def test_the_sixth_round_without_a_count_cannot_start(book, stage):
    """Five rounds that ended void, none of them counted; with a count the sixth begins."""
    staged = stage(book, {"at": "no_round", "void_rounds": 5, "counting": False})
    refused = staged.table.refused(a.BeginRound("blue"))
    assert "the set must be counted first: 5 rounds without a count" in refused.reason
    assert refused.cite == (COUNTED[book],)
    staged.table.act(a.RecordStubCount(52))
    staged.table.act(a.BeginRound("blue"))


@pytest.mark.parametrize("book", COUNTED)
def test_the_fifth_round_without_a_count_may_start(book, stage):
    """Four rounds without a count are within what the documents allow."""
    stage(book, {"at": "no_round", "void_rounds": 4, "counting": False}).table.act(a.BeginRound("red"))


def test_fast_action_knows_no_stub_count(stage):
    """The document has none to waive, and a count is refused by name."""
    staged = stage(
        "fast-action", {"at": "no_round", "method": "manual_shoe", "devices": [], "backs": ["red"], "rounds": 6}
    )
    assert staged.table.refused(a.RecordStubCount(300)).reason == "fast-action has no stub count"
    staged.table.act(a.BeginRound("red"))
