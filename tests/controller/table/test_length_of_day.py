"""The cost of an input does not grow with the length of the day, because the state does not."""

import re

from controller.rules.vocabulary import Action
from controller.table.words import acts as a
from drivers import events as e


def _jammed_round(table, back):
    """A round that a jam of the shoe ends, with all that people must do after it."""
    table.begin(back).let_out()
    table.put(e.Jammed(e.Back(back), e.Activity.DEALING, e.JamPlace.OUTPUT, 1, 52), "shoe-1")
    table.put(e.JamCleared(False, 1), "shoe-1")
    table.put(e.CardsRemoved(0), "shoe-1")
    for duty in [d for d in table.state.duties.values() if d.action is not Action.RESHUFFLE_WITH_DEALT]:
        table.act(a.ConfirmDuty(duty.id))
    table.act(a.CollectCards())
    table.act(a.EndRound())
    table.shuffled(back)


def _shape(table):
    """The state with every number taken for the same: what is left is what it is made of."""
    return re.sub(r"\d+", "0", repr(table.state))


def test_the_state_is_as_large_after_many_rounds_as_after_a_few(make_table, rulebook):
    """Nothing is gathered over rounds, jams and stub counts: the journal remembers, the state does not."""
    table = make_table(rulebook).ready()
    shapes = []
    for number in range(1, 81):
        back = ("red", "blue")[number % 2]
        if number % 10 == 0:
            _jammed_round(table, back)
        else:
            table.whole_round(back, count=number % 4 in (1, 2))  # each set takes its turn
        if number % 20 == 0:
            shapes.append(_shape(table))
    assert len(table.all) > 2000
    assert set(shapes) == {shapes[0]}
