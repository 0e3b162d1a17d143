"""A shoe that reshuffles by itself: its word that it shuffled arms the set, and nobody shuffles or cuts."""

import pytest

from controller.rules.vocabulary import Area, Method, Trigger
from controller.table.questions.deal_plan import deal_plan
from controller.table.questions.stub_count_and_turns import stub_count_waived
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


def test_rounds_are_dealt_from_it_in_maryland(with_shoe):
    """Nobody shuffles or cuts; after each round the shoe says anew that it shuffled. Clause: md-uth 10.F, 5.I."""
    table = with_shoe("md-uth")
    for _ in range(2):
        reshuffled(table)
        assert table.state.sets["red"].armed
        assert not table.state.sets["red"].cut_due
        table.whole_round("red")
        assert not table.state.sets["red"].armed


def test_the_community_cards_come_before_the_hands(with_shoe):
    """Clause: md-uth 10.F."""
    table = with_shoe("md-uth")
    reshuffled(table)
    table.begin().let_out()
    areas = [planned.area for planned in deal_plan(table.setup, table.round)]
    assert areas == [Area.COMMUNITY, Area.DEALER, Area.PLAYER, Area.PLAYER]


def test_before_its_word_nothing_is_dealt(with_shoe):
    """A set that nobody shuffled is not armed, whatever the shoe can do."""
    table = with_shoe("md-uth")
    table.begin().close_bets()
    assert "the red set is not armed" in table.refused(a.StartDealing()).reason


def test_a_wrong_number_does_not_arm(with_shoe):
    """What follows is a reading: the rule on removing the set is switched off for such a device. Clause: md-uth 5.I."""
    table = with_shoe("md-uth")
    reshuffled(table, count=51)
    assert not table.state.sets["red"].armed
    assert [hold.reading for hold in table.state.holds.values()] == ["R-07"]


@pytest.mark.parametrize("rulebook", ["md-uth", "fast-action"])
@pytest.mark.parametrize("told", ["began", "completed", "both"])
def test_one_that_tells_of_a_cycle_while_its_cards_are_out_is_held(with_shoe, rulebook, told):
    """Whatever it counted, a set of which cards lie before the players was not shuffled whole; no more of it comes out."""
    table = with_shoe(rulebook)
    reshuffled(table)
    wager = "original" if rulebook == "fast-action" else None
    (table.bet((1, wager, 1000), (3, wager, 1000)) if wager else table.begin()).let_out().stack(1)
    assert not table.state.held
    if told != "completed":
        table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shoe-1")
    if told != "began":
        reshuffled(table)
    (hold,) = table.state.holds.values()
    assert "the red set, which is in play, does not count as shuffled any more" in hold.reason
    assert not table.state.sets["red"].armed
    assert table.state.devices["shoe-1"].wanted["dispensing"] == "inhibited"


def test_a_cycle_after_the_cards_are_collected_is_the_next_set(with_shoe):
    """The same report, once nothing lies on the layout any more, arms the set for the next round."""
    table = with_shoe("md-uth")
    reshuffled(table)
    table.begin().let_out().deal().to_showdown()
    table.act(a.SettleRound())
    reshuffled(table)
    assert not table.state.sets["red"].armed
    table.act(a.CollectCards())
    table.act(a.EndRound())
    reshuffled(table)
    assert table.state.sets["red"].armed


@pytest.mark.parametrize(("capabilities", "waived"), [(COUNTING, True), (BY_ITSELF, False)])
def test_one_that_counts_waives_the_stub_count(with_shoe, capabilities, waived):
    """The text sets the count aside for a shoe that reshuffles; one that does not count proves nothing. Clause: md-uth 10.F."""
    table = with_shoe("md-uth", capabilities)
    reshuffled(table)
    assert stub_count_waived(table.setup, table.state) is waived


def test_rounds_are_dealt_from_it_in_fast_action(with_shoe):
    """It takes the place of shuffle and cut; the order of the deal stays, by reading. Clause: fast-action (k)(1), R-69."""
    table = with_shoe("fast-action")
    reshuffled(table)
    table.bet((1, "original", 1000), (3, "original", 1000)).let_out()
    assert {planned.cards for planned in deal_plan(table.setup, table.round)} == {1}
    table.deal()
    assert table.round.initial_deal_done


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


@pytest.mark.parametrize("wrong", [51, 53])
@pytest.mark.parametrize("rulebook", ["md-uth", "ma-uth", "nj-pikit", "ma-colorado", "fast-action"])
def test_a_wrong_count_of_a_shoe_stands_under_a_clause_or_a_reading(make_table, disposed, rulebook, wrong):
    """A shoe is asked what it can do when it connects, so a rulebook cannot know which one shuffles."""
    table = make_table(rulebook, Method.DEALING_SHOE, offered=(), backs=("red",), devices=("shoe-1",)).open()
    decks = 52 if rulebook != "fast-action" else 312
    facts = table.put(
        e.ShuffleCompleted(e.Back.RED, e.Mode.SHUFFLE, decks + wrong - 52, e.Identities.NOT_READ), "shoe-1"
    )
    made = disposed(facts)
    assert made.trigger is Trigger.SHUFFLER_COUNT_WRONG
    assert made.silent or made.cite
    assert all(demand.cite or demand.reading for demand in made.demands)
