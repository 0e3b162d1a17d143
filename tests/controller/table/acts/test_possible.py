"""What is listed as possible is accepted from somebody with some values, as far as that can be tried; nothing else is listed."""

import pytest

from controller.rules.vocabulary import Trigger
from controller.table.acts.permissions import allowed
from controller.table.acts.possible import possible
from controller.table.acts.registry import REGISTRY
from controller.table.words import acts as a


def test_what_would_be_refused_from_anybody_is_not_listed(make_table):
    """No duty to confirm, no hold, no alarm, no card to burn; the table is open, and bets are not closed without one."""
    table = make_table("md-uth").ready()
    listed = possible(table.setup, table.state)
    assert "begin_round" in listed
    assert not {"open_table", "confirm_duty", "resolve_hold", "see_alarm", "burn_card"} & set(listed)
    table.act(a.BeginRound("red"))
    assert "announce_no_more_bets" not in possible(table.setup, table.state)
    for wager in ("ante", "blind"):
        table.act(a.PlaceWager(1, wager, 1000))
    assert "announce_no_more_bets" in possible(table.setup, table.state)


def test_a_duty_and_a_hold_are_listed_once_they_are_there(make_table):
    table = make_table("md-uth").ready().begin().let_out().deal()
    assert not {"confirm_duty", "resolve_hold"} & set(possible(table.setup, table.state))
    table.act(a.ReportIrregularity(Trigger.SOMETHING_ELSE, note="rain"))
    assert "resolve_hold" in possible(table.setup, table.state)


@pytest.mark.parametrize("book", ["md-uth", "ma-uth", "nj-pikit", "ma-colorado"])
def test_only_what_belongs_to_the_phase_is_listed(make_table, book):
    """And what nobody can try stays: sums, cards and words are not known beforehand."""
    table = make_table(book).ready()
    table.act(a.BeginRound("red"))
    of_phase, listed = allowed(table.state), possible(table.setup, table.state)
    assert set(listed) <= set(of_phase)
    untried = {kind for kind, row in REGISTRY.items() if row.tries is None}
    assert [kind for kind in of_phase if kind in untried] == [kind for kind in listed if kind in untried]
    assert len(listed) < len(of_phase)
