"""A shoe that reshuffles by itself: its word that it shuffled arms the set, and nobody shuffles or cuts."""

import pytest

from controller.table.words import acts as a
from drivers import events as e

BY_ITSELF = (e.Capability.DISPENSES_STACKS, e.Capability.RESHUFFLES)
COUNTING = (*BY_ITSELF, e.Capability.COUNTS_EACH_SHUFFLE)


@pytest.fixture
def with_shoe(make_table):
    """An open table with one set, and a shoe that reshuffles by itself and no shuffler."""

    def make(rulebook, capabilities=COUNTING):
        offered = ("trips",) if rulebook == "md-uth" else ()
        table = make_table(rulebook, offered=offered, backs=("red",), devices=("shoe-1",))
        table.online("shoe-1", capabilities=capabilities)
        table.act(a.OpenTable())
        table.take_steps(None)
        return table

    return make


def reshuffled(table, count=None):
    """The shoe says that it has shuffled; without a number of cards it counted them all."""
    full = table.setup.law.rulebook.decks.full.value
    report = e.ShuffleCompleted(
        e.Back.RED, mode=e.Mode.SHUFFLE, identities=e.Identities.NOT_READ, count=full if count is None else count
    )
    return table.put(report, "shoe-1")


@pytest.mark.parametrize("rulebook", ["ma-uth", "nj-pikit", "ma-colorado"])
def test_where_the_document_knows_no_such_shoe_it_is_refused_by_name(with_shoe, rulebook):
    """No law is invented: cards are dealt another way."""
    table = with_shoe(rulebook)
    reshuffled(table)
    must = [
        w.name for w in table.setup.law.rulebook.wagers.values() if w.placed == "before_deal" and not w.optional
    ]
    table.bet(*((1, name, 1000) for name in must)).close_bets()
    refused = table.refused(a.StartDealing())
    assert f"shoe-1 reshuffles by itself, and {rulebook} knows no such shoe" in refused.reason
    assert refused.cite == table.setup.law.rulebook.dealing[table.state.method].cite
