"""Cover All: the shuffler's mode and the number of hands that it found, held against the wagers and the deal."""

import pytest

from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Area, Method, Trigger
from controller.table.settlement.offer import offer
from controller.table.words import acts as a
from drivers import events as e


@pytest.fixture
def betting(make_table):
    """Massachusetts with Cover All, dealt by a shuffler that says it is in this mode (None: it does not say)."""

    def make(mode, elect=None):
        table = make_table("ma-uth", Method.SHUFFLER, elect=elect, offered=("trips", "cover_all")).ready()
        table.online("shuffler-1", levels=e.Levels(dispensing=e.INHIBITED, mode=mode, cards_inside=0))
        return table.begin(trips=())

    return make


def test_the_number_of_hands_is_read_off_once_the_cards_are_dealt(betting):
    """Not before the deal, not out of what can be."""
    table = betting(e.Mode.COVER_ALL)
    table.act(a.PlaceWager(1, "cover_all", 500))
    assert "cannot be done in phase betting" in table.refused(a.RecordHandsFound(3)).reason
    table.let_out().deal()
    for wrong in (0, 8):
        refused = table.refused(a.RecordHandsFound(wrong))
        assert ("1 to 7" in refused.reason, "13(e)" in refused.cite) == (True, True)
    table.act(a.RecordHandsFound(3))
    table.to_showdown()
    table.act(a.SettleRound())


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("ask", (Outcome.HELD, 0, "R-135")),
        ("number_alone", (Outcome.WIN, 8 * 500, None)),  # three hands
        ("does_not_count", (Outcome.WIN, 12 * 500, None)),  # two hands
    ],
)
def test_beside_a_void_hand_the_reading_decides_and_no_unread_card(betting, rule, told):
    """Clause: ma-uth 13(k), 15(d), R-135: the hand of seat 3 is void, and nobody tells its cards."""
    table = betting(e.Mode.COVER_ALL, {"R-135": rule})
    table.act(a.PlaceWager(1, "cover_all", 500))
    table.let_out().deal()
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=3))
    table.act(a.RecordHandsFound(3))
    table.to_showdown()
    for area, cards, seat in (
        (Area.COMMUNITY, "As Kc Kd 8s 4h", 0), (Area.DEALER, "2d 3c", 0), (Area.PLAYER, "Ah Ad", 1),
    ):  # fmt: skip
        table.act(a.RecordHand(area, cards, seat))
    (line,) = [x for x in offer(table.setup, table.round).lines if x.wager == "cover_all"]
    assert (line.outcome, line.paid, line.reading) == told
