"""What was the maker's choice and can be elected now: both choices act. Clauses: ma-uth 7(f), 14; md-uth 3.C, 8.E."""

import pytest

from controller.table.questions.stub_count_and_turns import stub_count_waived
from controller.table.words import acts as a


@pytest.mark.parametrize(("choice", "waived"), [("counting_only", False), ("any_shuffler", True)])
def test_a_shuffler_that_does_not_count_relieves_the_dealer_by_election(make_table, choice, waived):
    """R-34: 8.E points at a shuffler of chapter 5, of which some count and some do not."""
    table = make_table("md-uth", elect={"R-34": choice})
    table.online("shuffler-1", capabilities=frozenset())
    assert stub_count_waived(table.setup, table.state) is waived
    table.act(a.TakeDeviceOut("shuffler-1", a.OutOfService.COVERED))
    assert not stub_count_waived(table.setup, table.state), "no shuffler is in service"
