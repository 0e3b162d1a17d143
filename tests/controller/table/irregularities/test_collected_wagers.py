"""Ante and blind are collected when a player folds; what a later void makes of them is elected (R-71)."""

from controller.rules.vocabulary import Trigger
from controller.table.words import acts as a
from controller.table.words import facts as f


def at_last_decision(table, seats=(1, 3), trips=(1,)):
    """All community cards are shown and nobody has placed a Play wager."""
    table.ready().begin(seats=seats, trips=trips).let_out().deal()
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.decide_all(a.Decision.CHECK)
        table.act(a.RevealCommunity(street))
    return table


def void_by_exposure(table):
    """The dealer's card is seen while seat 1 still decides: all hands are void in both documents."""
    return table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))


def decided(events, fate):
    return [(e.seat, e.wager) for e in events if isinstance(e, f.WagerDecided) and e.fate == fate]


def test_a_second_void_asks_nothing_again(make_table, rulebook):
    """What the first void left collected is not put in question by the next irregularity of the same round."""
    table = at_last_decision(make_table(rulebook, elect={"R-71": "hold"}))
    table.act(a.RecordDecision(1, a.Decision.FOLD))
    void_by_exposure(table)
    for hold in list(table.state.holds.values()):
        answer = a.Resolution.STAYS_COLLECTED if hold.reading == "R-71" else hold.choices[0]
        table.act(a.ResolveHold(hold.id, answer))
    events = void_by_exposure(table)
    assert not [e for e in events if isinstance(e, f.HoldPlaced) and e.reading == "R-71"]
    assert table.fates()[1, "ante"] == "collected"


def test_a_wager_that_a_person_let_stand_is_collected_at_a_fold_like_any_other(make_table):
    """R-53 held the wagers of a player who left; the player came back, and folds."""
    table = at_last_decision(make_table("ma-uth", elect={"R-53": "hold"}), trips=())
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.WAGER_STANDS))
    assert table.fates()[1, "ante"] == "stands"
    assert decided(table.answer(1, "fold"), "collected") == [(1, "ante"), (1, "blind")]


def test_a_table_does_not_open_before_the_reading_is_elected(make_table, rulebook):
    """It moves money."""
    table = make_table(rulebook, unelected=True)
    assert "R-71" in table.refused(a.OpenTable()).reason
