"""A shuffler fails with the set of which cards lie on the layout: a person lets the round go on, and then it does."""

import pytest

from controller.games.model import Phase
from controller.rules.vocabulary import Action, Method, Trigger
from controller.table.words import acts as a
from drivers import events as e

BETS = {
    "ma-uth": ("ante", "blind"),
    "nj-pikit": ("ante", "five_card_bonus"),
    "ma-colorado": ("ante",),
}
METHODS = [Method.SHUFFLER]


def bets(make_table, rulebook, method=Method.SHUFFLER, **elect):
    table = make_table(rulebook, method, {"R-32": "hold", **elect}, (), backs=("red",)).ready()
    return table.bet(*((1, name, 1000) for name in BETS[rulebook])).let_out()


def fails(table):
    """The shuffler does not say which set it holds, and there is one alone at the table."""
    table.put(e.Jammed(e.Back.UNKNOWN, e.Activity.SHUFFLING, e.JamPlace.RACK, 0, 0), "shuffler-1")
    assert not table.state.sets["red"].armed
    assert Action.RESHUFFLE in {duty.action for duty in table.state.duties.values()}


def let_go_on(table):
    table.put(e.JamCleared(False, 1), "shuffler-1")
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))


def shuffled_anew(table):
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    table.shuffled("red")


@pytest.mark.parametrize("method", METHODS)
def test_the_dealers_stack_that_stayed_in_the_device_is_let_out(make_table, method):
    """Its set cannot be shuffled before the round has ended, so nothing else could. Clause: nj-pikit 39.9(c)2, 38.12(e), R-32."""
    table = bets(make_table, "nj-pikit", method, dealer_stack="after_decisions").deal()
    fails(table)
    let_go_on(table)
    table.answer(1, "play_5", 1)
    table.act(a.StartDealing())
    table.stack(2)
    table.act(a.RevealDealer())
    table.act(a.SettleRound())
    table.act(a.CollectCards())
    table.act(a.EndRound())
    assert "reshuffle" in table.refused(a.BeginRound("red")).reason
    shuffled_anew(table)
    table.act(a.BeginRound("red"))


@pytest.mark.parametrize("rulebook", BETS)
def test_the_rest_of_the_deal_is_let_out(make_table, rulebook):
    """The first stack is out when the shuffler fails. Reading: R-32."""
    table = bets(make_table, rulebook)
    table.stack(1)
    fails(table)
    let_go_on(table)
    table.act(a.StartDealing())
    number = 2
    while table.round.phase is Phase.DEALING:
        table.stack(number)
        number += 1
    assert table.round.initial_deal_done


def test_before_its_first_card_the_set_is_shuffled_first(make_table):
    """Nothing lies on the layout: what a person lets go on is the round, dealt from cards that were shuffled. Reading: R-32."""
    table = bets(make_table, "nj-pikit")
    fails(table)
    let_go_on(table)
    assert "is not armed" in table.refused(a.StartDealing()).reason
    shuffled_anew(table)
    table.act(a.StartDealing())


def test_nobody_having_let_it_go_on_it_stays_where_it_is(make_table):
    """Play is held until a floorperson has decided. Reading: R-32."""
    table = bets(make_table, "nj-pikit", dealer_stack="after_decisions").deal()
    fails(table)
    assert "play is held" in table.refused(a.StartDealing()).reason


def test_a_set_that_is_to_be_removed_is_not_dealt_on_and_nobody_is_sent_to_shuffle_it(make_table):
    """A count that is wrong, of a set of which cards lie there: whatever that means, it is reported. Clause: nj-pikit 39.7(f)."""
    table = bets(make_table, "nj-pikit", Method.DEALING_SHOE, dealer_stack="after_decisions").deal()
    table.shuffled("red", 51)
    let_go_on(table)
    table.answer(1, "play_5", 1)
    reason = table.refused(a.StartDealing()).reason
    assert ("report_irregularity" in reason, "record_shuffle" in reason) == (True, False)
    table.act(a.ReportIrregularity(Trigger.SHOE_JAM))
    let_go_on(table)
    table.act(a.CollectCards())
    table.act(a.EndRound())
