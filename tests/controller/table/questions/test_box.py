"""The box of the Six Card Bonus in Maryland: when it is dealt, and a wrong number of cards in it. No other document has one."""

import pytest

from controller.rules.vocabulary import Method, Trigger
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e

BY_DEVICE = (Method.DEALING_SHOE, Method.SHUFFLER)
OFFERED = ("trips", "six_card")


def betting(make_table, method, **elect):
    elected = {question.replace("_", "-"): choice for question, choice in elect.items()}
    table = make_table("md-uth", method, offered=OFFERED, elect=elected, devices=("shuffler-1", "shoe-1")).ready()
    return table.begin("red", seats=(1,), trips=(1,))


@pytest.mark.parametrize("method", BY_DEVICE)
@pytest.mark.parametrize(("cards", "right"), [(3, False), (4, True), (5, False)])
def test_a_box_of_another_number_is_asked_about(make_table, method, cards, right):
    """13.E names the area of the community cards; R-152 = hold."""
    table = betting(make_table, method)
    table.act(a.PlaceWager(1, "six_card", 500))
    table.let_out()
    table.put(e.StackDispensed(e.Back.RED, 1, cards), table.state.dispenser())
    if right:
        assert not table.state.holds
        return
    (hold,) = table.state.holds.values()
    assert (hold.reading, hold.cite) == ("R-152", ())
    assert set(table.fates().values()) == {"live"}
    table.act(a.ResolveHold(hold.id, a.Resolution.GO_ON))
    assert not table.round.void


def test_it_voids_where_the_box_is_read_as_one_of_community_cards(make_table):
    """R-152 = void: what 13.E demands, and by the reading."""
    table = betting(make_table, Method.DEALING_SHOE, R_152="void")
    table.act(a.PlaceWager(1, "six_card", 500))
    table.let_out()
    events = table.put(e.StackDispensed(e.Back.RED, 1, 3), "shoe-1")
    (voided,) = [event for event in events if isinstance(event, f.RoundVoided)]
    assert (voided.reading, voided.cite) == ("R-152", ())
    assert set(table.fates().values()) == {"returned"}


@pytest.mark.parametrize("in_box", [True, False])
def test_a_person_says_which_of_the_two_areas_it_is(make_table, disposed, in_box):
    """Of the community cards 13.E holds."""
    table = betting(make_table, Method.DEALING_SHOE)
    table.act(a.PlaceWager(1, "six_card", 500))
    table.let_out().deal()
    made = disposed(table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_COMMUNITY, in_box=in_box)))
    assert table.round.void is not in_box
    assert {demand.reading for demand in made.demands} == ({"R-152"} if in_box else {None})


def test_where_no_box_is_dealt_none_is_reported(make_table):
    """Nor is the box said of another irregularity."""
    table = betting(make_table, Method.MANUAL_SHOE).let_out()
    table.act(a.RecordInitialDeal())
    report = a.ReportIrregularity(Trigger.WRONG_COUNT_COMMUNITY, in_box=True)
    assert table.refused(report).code == "no_box"
    table = betting(make_table, Method.DEALING_SHOE)
    table.act(a.PlaceWager(1, "six_card", 500))
    table.let_out().deal()
    report = a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1, in_box=True)
    assert table.refused(report).code == "no_box"
