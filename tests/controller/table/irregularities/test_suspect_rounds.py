"""A wrong verdict on a set names every round and seat that was dealt from it since its last good verdict."""

import msgspec

from controller.table.decide import fold
from controller.table.state.table import State
from controller.table.words import facts as f
from controller.table.words.codec import decode_fact, encode


def uncounted_round(table, back, seats=(1, 3)):
    """A whole round with this set, which a shuffler then shuffles and does not count."""
    table.begin(back, seats=seats, trips=()).let_out().deal().to_showdown().end()
    table.shuffled(back, count=None)


def test_a_suspicion_comes_back_from_the_record_as_it_was(make_table):
    """Both the fact and what the set remembers."""
    table = make_table("md-uth").ready()
    uncounted_round(table, "red")
    (found,) = [event for event in table.shuffled("red", count=51) if isinstance(event, f.SetSuspected)]
    assert msgspec.json.decode(encode(found))["rounds"] == [{"round": "t1-1", "seats": [1, 3]}]
    assert decode_fact(found.kind, "table", encode(found)).event == found
    assert fold(State.initial(table.setup), table.all) == table.state
