"""One act, many facts: those of its parts, all or none. That they are the same, fact for fact, `Watch` of the soak shows."""

import msgspec
import pytest

from controller.rules.vocabulary import Area, Role
from controller.table.words import acts as a
from controller.table.words import facts as f

HANDS = {
    (Area.COMMUNITY, 0): "As Kd 7c 7h 2d", (Area.DEALER, 0): "Qs Qd",
    (Area.PLAYER, 1): "Ah Ad", (Area.PLAYER, 3): "3c 4c",
}  # fmt: skip


@pytest.fixture
def table(make_table):
    return make_table("md-uth").ready()


@pytest.fixture
def asking(table):
    return table.begin().let_out().deal()


def of(events, cls):
    return [event for event in events if isinstance(event, cls)]


def test_wagers_as_before_are_placed_where_nobody_has_said_what_lies(table):
    table.whole_round("red")
    table.begin("blue", seats=(1,), trips=())
    told = table.act(a.WagersAsBefore(close=True), Role.DEALER)
    found = [(x.seat, x.wager, x.cents) for x in of(told, f.WagerPlaced)]
    assert found == [(3, "ante", 1000), (3, "blind", 1000)]
    assert of(told, f.BetsClosed)


def test_the_first_round_has_nothing_to_repeat(table):
    assert table.begin(seats=()).refused(a.WagersAsBefore()).code == "nothing_to_repeat"


def test_a_part_that_is_refused_refuses_the_whole_and_is_named(table):
    table.whole_round("red")
    table.begin("blue", seats=())
    table.setup = msgspec.structs.replace(table.setup, offered=frozenset())
    no = table.refused(a.WagersAsBefore())
    assert no.code == "wager_not_offered"
    assert no.reason.startswith("place_wager seat=1 wager=trips")
    assert table.round.seats == {}


def test_a_line_has_an_answer_for_each(asking):
    told = asking.act(a.RecordDecisions("3 play 4, rest check", show=True), Role.DEALER)
    assert [(x.seat, x.decision, x.cents) for x in of(told, f.DecisionRecorded)] == [
        (1, "check", 0),
        (3, "play", 4000),
    ]
    assert of(told, f.CommunityRevealed)
    assert asking.refused(a.RecordDecisions("3 check")).code == "answered_already"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("", "line_unreadable"),
        ("1 chek", "line_unreadable"),
        ("x check", "line_unreadable"),
        ("1 check, 1 play 4", "line_unreadable"),
        ("1 check " + "x" * 500, "line_unreadable"),
        ("1 check, 2 check", "no_hand"),
        ("1 check, 3 play 9", "multiple_not_possible"),
        ("1 fold", "answer_not_possible"),
    ],
)
def test_a_line_with_one_wrong_answer_records_none(asking, line, code):
    assert asking.refused(a.RecordDecisions(line)).code == code
    assert not any(seat.asked for seat in asking.round.seats.values())


def test_all_is_settled_as_the_cards_make_it(asking):
    table = asking.to_showdown()
    assert table.refused(a.SettleOffered()).code == "offer_incomplete"
    for (area, seat), cards in HANDS.items():
        table.act(a.RecordHand(area, cards, seat))
    told = table.act(a.SettleOffered(), Role.DEALER)
    found = {(x.seat, x.wager): x.outcome.value for x in of(told, f.WagerSettled)}
    assert found[1, "ante"] == "win"
    assert found[3, "ante"] == "lose"
    assert {x.difference for x in of(told, f.WagerSettled)} == {0}
    assert of(told, f.RoundSettled)
    assert not table.state.holds


def test_chips_are_counted_and_cards_go_out_only_where_the_count_is_right(table):
    table.begin().chip(1)
    table.close_bets()
    assert table.refused(a.CountAndDeal(2)).code == "count_differs"
    told = table.act(a.CountAndDeal(1), Role.DEALER)
    assert [type(x) for x in told][:2] == [f.ProgressiveCounted, f.DealingAllowed]


def test_the_next_round_begins_once_all_of_the_last_one_is_done(asking):
    table = asking.to_showdown()
    assert table.refused(a.NextRound("green")).code == "no_such_set"
    told = table.act(a.NextRound("blue"), Role.DEALER)
    kinds = [type(x) for x in told if not isinstance(x, f.LevelWanted | f.DutyClosed)]
    assert kinds == [f.RoundSettled, f.CardsCollected, f.RoundEnded, f.RoundBegun]


def test_a_part_that_would_hold_play_is_done_alone(asking):
    """A duty or a hold is no surprise inside of an act that says other things too."""
    table = asking.to_showdown()
    table.act(a.ReportIrregularity(a.Trigger.SOMETHING_ELSE, note="a bag on the layout"))
    assert table.refused(a.NextRound("blue")).code == "held"
