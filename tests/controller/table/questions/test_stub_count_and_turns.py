"""The few questions about law: how many rounds go without a stub count, and what is cited of a change of method."""

import pytest

from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Method, Trigger
from controller.table.questions.stub_count_and_turns import stub_count_overdue
from controller.table.words import acts as a
from controller.table.words.structs import replace
from drivers import events as e


@pytest.mark.parametrize(("beyond", "overdue"), [(-1, False), (0, True), (1, True)])
def test_a_stub_count_is_overdue_after_as_many_rounds_as_the_document_allows(
    make_table, rulebook, beyond, overdue
):
    """Where no shuffler counts; so many rounds have ended without one. Clause: md-uth 10.E; ma-uth 7(f)."""
    table = make_table(rulebook)
    table.online("shuffler-1", capabilities=(e.Capability.TWO_SETS,))
    rounds = table.setup.law.rulebook.stub.every_rounds.value + beyond
    assert (
        stub_count_overdue(table.setup, replace(table.state, since_stub_count=rounds), "red") == rounds * overdue
    )


@pytest.mark.parametrize(("method", "cite"), [(Method.HAND, "9.A"), (Method.DEALING_SHOE, "10.A")])
def test_what_is_due_before_a_shuffle_by_hand_is_cited_as_of_the_method_in_use(make_table, method, cite):
    """A rule that a document repeats for each way of dealing is told by the one that is played."""
    table = make_table("md-uth", method).ready()
    demand = Demand(Action.REMOVE_DEVICE, ("8.A", "9.A", "10.A"))
    refused = table.with_answer(Trigger.METHOD_CHANGE, demand).refused(a.RecordShuffle("red"))
    assert refused.reason == "shuffler-1 is not to be used beside a shuffle by hand: first remove_device"
    assert refused.cite == (cite,)
