"""Wagers that went back or were lost before the settlement: the cards make nothing of them, nor of what lies beside them."""

import pytest

from controller.rules.vocabulary import Area, Role, Trigger
from controller.table.settlement.offer import offer
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers.events import EventsLost

HELD, LOSE, WIN = a.Outcome.HELD, a.Outcome.LOSE, a.Outcome.WIN
LEFT = a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1)
JAM_VOIDS = {"R-128": "printed_words"}
"""A failure of the shoe sends all wagers back, also with no card of the round left to deal."""
ENVY = {"progressive_table": "A", "R-27": "flop", "R-109": "counts", "R-102": "in_proportion"}


def tell(table, area, cards, seat=0):
    table.act(a.RecordHand(area, cards, seat))


@pytest.mark.parametrize("cards", ["Ah Ac", "9h 8h", ""])
def test_a_coupon_beside_a_lost_ante_is_taken_whatever_the_cards_are(make_table, cards):
    """Who had left would have won, lost, or was not shown; the ante was taken as abandoned. Clauses: ma-uth 6(a), 6(e)."""
    table = make_table("ma-uth", elect={"R-53": "abandoned", "R-108": "even_money"}).ready()
    table.act(a.BeginRound("red"))
    for seat, coupon in ((1, 500), (3, 0)):
        table.act(a.PlaceWager(seat, "ante", 1000, coupon=coupon))
        table.act(a.PlaceWager(seat, "blind", 1000))
    table.let_out().deal()
    table.act(LEFT)
    table.to_showdown()
    tell(table, Area.COMMUNITY, "As Ad Kd 2h 7c")
    tell(table, Area.DEALER, "9c 8c")
    tell(table, Area.PLAYER, "2c 3c", 3)
    if cards:
        tell(table, Area.PLAYER, cards, 1)
    found = offer(table.setup, table.round)
    line = found.line(1, "ante", coupon=True)
    assert (line.outcome, line.stake, line.paid, line.note) == (LOSE, 0, 0, "the coupon is taken")
    assert not found.missing
    assert found.comes_to() == {1: 0, 3: 5000}


@pytest.fixture
def with_progressives(make_table):
    """Maryland's game at the showdown, progressive wagers at both seats; `first` came before the deal, `then` after it."""

    def make(elect, first=lambda table: None, then=lambda table: None, late=False):
        table = make_table("md-uth", elect={**ENVY, **elect}).ready().begin(trips=())
        for seat in (3,) if late else (1, 3):
            table.chip(seat)
        table.close_bets()
        first(table)
        if table.round.chips_accepted:
            table.act(a.RecordProgressiveCount(table.round.chips_accepted))
        table.act(a.StartDealing())
        table.deal()
        then(table)
        table.to_showdown()
        tell(table, Area.COMMUNITY, "7h 8h 9h 4c 2d")
        tell(table, Area.DEALER, "Ks 9d")
        tell(table, Area.PLAYER, "Th Jh", 3)
        tell(table, Area.PLAYER, "5h 6h", 1)
        table.act(a.RecordMeter("meter", 5_000_000, 1_000_000))
        return table

    return make


def left(table):
    table.act(LEFT)
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.RETURN_WAGER))


def of_progressive(table, seat):
    lines = offer(table.setup, table.round).lines
    return [
        (x.wager, x.outcome, x.paid, x.holder)
        for x in lines
        if x.seat == seat and x.wager in ("progressive", "envy")
    ]


@pytest.mark.parametrize(("reading", "fate"), [("abandoned", "lost"), ("hold", "returned")])
def test_the_hand_of_a_wager_that_is_gone_earns_the_others_no_envy(with_progressives, reading, fate):
    """Seat 1 has a straight flush and left; the house pays envy only for the hand of who has a progressive wager.

    Clause: md-uth 11.J(2)(e)(ii).
    """
    table = with_progressives({"R-53": reading, "envy_holder": "with_progressive"}, then=left)
    assert of_progressive(table, 3) == [("progressive", WIN, 500_000, 0)]
    refused = table.refused(a.SettleWager(3, "envy", WIN, 150_000, holder=1))
    assert refused.reason == (
        f"seat 3: the hand of seat 1 earns no envy: that needs a progressive wager, and there is one that is {fate}"
    )
    assert refused.cite == ("11.J(2)(e)(ii)",)


@pytest.mark.parametrize("late", [True, False])
def test_the_hand_of_who_never_had_a_progressive_wager_earns_the_others_no_envy(with_progressives, late):
    """Seat 1 has a straight flush; that of one who has the wager too is paid. Clause: md-uth 11.J(2)(e)(ii)."""
    table = with_progressives({"envy_holder": "with_progressive"}, late=late)
    table.act(a.ValidateProgressive(3, True))
    envy = a.SettleWager(3, "envy", WIN, 150_000, holder=1)
    if late:
        refused = table.refused(envy)
        assert refused.reason.endswith("that needs a progressive wager, and there is none")
        assert refused.cite == ("11.J(2)(e)(ii)",)
    else:
        table.act(envy)


def test_a_chip_that_came_too_late_and_went_back_takes_nothing_from_the_meter(with_progressives):
    """Seat 3 is paid before seat 1 anyway; the sum of the table is what was wagered in time. Clauses: md-uth 7.E, 12.D(4)."""
    table = with_progressives({"R-45": "return"}, first=lambda t: t.chip(1, locked=True), late=True)
    assert table.fates()[1, "progressive"] == "returned"
    assert of_progressive(table, 1) == []
    assert offer(table.setup, table.round).comes_to().keys() == {1, 3}


@pytest.fixture
def abandoned(make_table):
    """Seat 1 has left before the flop, and its three wagers were taken as lost; seat 3 plays on."""

    def make(rulebook="md-uth"):
        table = make_table(rulebook, elect={"R-53": "abandoned", **JAM_VOIDS}).ready().begin().let_out().deal()
        table.act(LEFT)
        return table

    return make


def fates_of(table, seat):
    return {name: wager.fate.value for name, wager in table.round.seats[seat].wagers.items()}


def duties(table):
    return {duty.action.value for duty in table.state.duties.values()}


@pytest.mark.parametrize("rulebook", ["md-uth", "ma-uth"])
def test_lost_wagers_are_asked_about_where_all_go_back(abandoned, rulebook):
    """Every wager goes back, and no text says whether one that was lost before does. Clauses: md-uth 13.I(1), ma-uth 15(f)."""
    table = abandoned(rulebook)
    table.act(a.ReportIrregularity(Trigger.SHOE_JAM))
    (hold,) = table.state.holds.values()
    assert hold.reason == (
        "seat 1: 3 wagers were lost before the void, and no text says whether it reaches them; decide: return_wager or "
        "stays_collected"
    )
    assert (hold.seat, hold.reading) == (1, "R-190")
    assert set(fates_of(table, 1).values()) == {"lost"}
    assert set(fates_of(table, 3).values()) == {"returned"}
    table.act(a.ResolveHold(hold.id, a.Resolution.RETURN_WAGER))
    assert set(fates_of(table, 1).values()) == {"returned"}
    assert "collect_seat_wagers" not in duties(table)
    assert not table.state.holds


def test_what_two_seats_have_lost_is_one_question_of_the_table(make_table):
    """It names no seat, and its answer is that of both. Clause: md-uth 13.I(1)."""
    elect = {"R-53": "abandoned", **JAM_VOIDS}
    table = make_table("md-uth", elect=elect).ready().begin(seats=(1, 3, 5)).let_out().deal()
    for seat in (1, 3):
        table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=seat))
    table.act(a.ReportIrregularity(Trigger.SHOE_JAM))
    (hold,) = table.state.holds.values()
    assert (hold.seat, hold.wager) == (0, "lost")
    assert hold.reason.startswith("5 wagers were lost before the void")
    table.act(a.ResolveHold(hold.id, a.Resolution.RETURN_WAGER))
    assert set(table.fates().values()) == {"returned"}


def test_a_void_of_another_hand_asks_nothing_about_lost_wagers(abandoned):
    """That hand alone is void. Clause: ma-uth 15(d)."""
    table = abandoned("ma-uth")
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=3))
    assert not table.state.holds


def test_a_late_chip_that_went_back_at_a_seat_without_trips_switches_no_comparison_off(make_table):
    """It is no wager of this round, so that it needs no Trips. Clauses: ma-uth 6(b), 14(b)."""
    table = make_table("ma-uth", elect={"R-45": "return"}).ready().begin(seats=(1,), trips=()).close_bets()
    table.chip(1, locked=True)
    table.act(a.StartDealing())
    table.deal().to_showdown()
    tell(table, Area.COMMUNITY, "As Ad Kd 2h 7c")
    tell(table, Area.DEALER, "9c 8c")
    tell(table, Area.PLAYER, "Kc Qh", 1)
    found = offer(table.setup, table.round)
    assert (found.refused, found.comes_to()) == ("", {1: 5000})


@pytest.fixture
def with_a_fold(make_table):
    """Maryland's game: seat 1 has folded with a progressive wager, seat 3 has played a royal flush that the flop makes."""

    def make(reading, told="Ah Kh"):
        elect = {"progressive_table": "A", "R-27": "flop", "R-103": reading}
        table = make_table("md-uth", elect=elect).ready().begin(trips=())
        for seat in (1, 3):
            table.chip(seat)
        table.let_out().deal()
        for street in (a.Street.FLOP, a.Street.LAST_TWO):
            table.decide_all(a.Decision.CHECK)
            table.act(a.RevealCommunity(street))
        table.answer(1, "fold")
        table.answer(3, "play", 1)
        table.act(a.RevealDealer())
        tell(table, Area.COMMUNITY, "Qh Jh Th 4c 2d")
        tell(table, Area.DEALER, "Ks 9d")
        tell(table, Area.PLAYER, told, 3)
        table.act(a.RecordMeter("meter", 5_000_000, 1_000_000))
        return table

    return make


def test_what_a_player_who_folded_would_be_paid_for_another_hand_is_asked_of_a_floorperson(with_a_fold):
    """Settled one by one or as a whole. Clause: md-uth 11.J(2)(e)(i), R-103."""
    table = with_a_fold("ask")
    for wager in ("ante", "blind", "play"):
        table.act(a.SettleWager(3, wager, WIN, 500_000 if wager == "blind" else 1000))
    table.act(a.ValidateProgressive(3, light_on=True))
    table.act(a.SettleWager(3, "progressive", WIN, 5_000_000))
    table.act(a.SettleWager(1, "progressive", LOSE))
    assert not table.state.holds
    table.act(a.SettleRound(), Role.DEALER)
    (hold,) = table.state.holds.values()
    assert ("seat 1 envy of seat 3 [R-103]" in hold.reason, hold.reading) == (True, "R-103")


def test_envy_that_is_lost_with_the_hand_is_not_paid_without_a_word(with_a_fold):
    """Clause: md-uth 11.J(2)(e)(i), R-103."""
    table = with_a_fold("lost")
    table.act(a.SettleWager(1, "envy", WIN, 500_000, holder=3))
    (hold,) = table.state.holds.values()
    assert "cards and pay table make it lose with 0 [R-103]" in hold.reason


def test_the_hand_that_a_folded_player_may_envy_is_asked_for_and_not_where_that_is_lost(with_a_fold):
    """Clause: md-uth 11.J(2)(e)(i), R-103."""
    missing = {}
    for reading in ("ask", "lost"):
        table = with_a_fold(reading, told="?? ??")
        found = offer(table.setup, table.round)
        missing[reading] = [x.wager for x in found.lines if x.seat == 1]
    assert missing == {"ask": ["progressive", "envy"], "lost": ["progressive"]}


def leave(table, *seats):
    for seat in seats:
        table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=seat))


def test_a_void_by_a_person_asks_about_what_was_lost_as_well(make_table):
    """And what goes back does so whole, under the reading of the question: nothing is to be collected any more."""
    table = make_table("md-uth", elect={"R-53": "abandoned"}).ready().begin(seats=(1, 3, 5)).let_out().deal()
    leave(table, 1, 3)
    table.put(EventsLost("SIM-shoe-1", "0" * 16, 5, 7), "shoe-1")
    (hold,) = table.state.holds.values()
    table.act(a.ResolveHold(hold.id, a.Resolution.VOID))
    (hold,) = table.state.holds.values()
    assert (hold.seat, hold.wager, hold.reason.split(",")[0]) == (0, "lost", "5 wagers were lost before the void")
    events = table.act(a.ResolveHold(hold.id, a.Resolution.RETURN_WAGER))
    back = [e for e in events if isinstance(e, f.WagerDecided)]
    assert [(e.seat, e.wager, e.cents) for e in back] == [
        (1, "ante", 1000), (1, "blind", 1000), (1, "trips", 500), (3, "ante", 1000), (3, "blind", 1000),
    ]  # fmt: skip
    assert {(e.fate, e.cite, e.reading) for e in back} == {("returned", (), hold.reading)}
    assert "collect_seat_wagers" not in duties(table)


def test_what_goes_back_of_one_hand_leaves_the_rest_to_be_collected(make_table):
    """The hand of seat 1 alone is void, and what seat 3 has lost is collected still. Clause: ma-uth 15(d)."""
    table = make_table("ma-uth", elect={"R-53": "abandoned"}).ready().begin(seats=(1, 3, 5)).let_out().deal()
    leave(table, 1, 3)
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1))
    (hold,) = (hold for hold in table.state.holds.values() if hold.wager == "lost")
    table.act(a.ResolveHold(hold.id, a.Resolution.RETURN_WAGER))
    assert (set(fates_of(table, 1).values()), set(fates_of(table, 3).values())) == ({"returned"}, {"lost"})
    assert [d.seat for d in table.state.duties.values() if d.action == "collect_seat_wagers"] == [3]
