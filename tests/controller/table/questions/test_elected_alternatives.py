"""What was the maker's choice and can be elected now: both choices act. Clauses: ma-uth 7(f), 14; md-uth 3.C, 8.E."""

import pytest

from controller.rules.vocabulary import Method
from controller.table.questions.stub_count_and_turns import stub_count_waived
from controller.table.words import acts as a
from drivers.events import Capability

COUNTS = frozenset({Capability.COUNTS_EACH_SHUFFLE})


@pytest.mark.parametrize(("choice", "hours"), [("four_hours", 4), ("eight_hours", 8)])
def test_cards_that_a_shuffler_hands_out_are_changed_in_time(make_table, choice, hours):
    """R-06: the time of these cards is one of the two that are printed."""
    table = make_table("md-uth", method=Method.SHUFFLER, elect={"R-06": choice})
    assert table.setup.law.rulebook.deck_change.interval_s[Method.SHUFFLER].value == hours * 3600


@pytest.mark.parametrize(("choice", "waived"), [("counting_only", False), ("any_shuffler", True)])
def test_a_shuffler_that_does_not_count_relieves_the_dealer_by_election(make_table, choice, waived):
    """R-34: 8.E points at a shuffler of chapter 5, of which some count and some do not."""
    table = make_table("md-uth", elect={"R-34": choice})
    table.online("shuffler-1", capabilities=frozenset())
    assert stub_count_waived(table.setup, table.state) is waived
    table.act(a.TakeDeviceOut("shuffler-1", a.OutOfService.COVERED))
    assert not stub_count_waived(table.setup, table.state), "no shuffler is in service"


@pytest.mark.parametrize(("choice", "waived"), [("keep_count", False), ("waived", True)])
def test_a_shuffler_that_counts_relieves_the_dealer_by_election(make_table, choice, waived):
    """R-05: 7(f) prints the count and no exception."""
    table = make_table("ma-uth", elect={"R-05": choice})
    table.online("shuffler-1", capabilities=COUNTS)
    assert stub_count_waived(table.setup, table.state) is waived


@pytest.mark.parametrize(("choice", "asked"), [("compare", True), ("not_compared", False)])
def test_progressive_chips_are_compared_by_election(make_table, choice, asked):
    """R-44: 14 asks for no comparison; without it the deal does not wait for one."""
    table = make_table("ma-uth", elect={"R-44": choice}).ready().begin(trips=(1,))
    table.chip(1)
    table.close_bets()
    if asked:
        assert "count the progressive chips" in table.refused(a.StartDealing()).reason
    else:
        table.act(a.StartDealing())
