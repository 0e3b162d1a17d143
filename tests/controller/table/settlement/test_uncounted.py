"""A table where nobody counts chips: the rounds are the same, no amount is compared, and that is said."""

import dataclasses

import pytest

from controller.games.model import Decision
from controller.rules.citation import Cited
from controller.rules.vocabulary import Area, Method, Moment, Trigger
from controller.table.settlement.offer import offer
from controller.table.settlement.unchecked import Check, unchecked
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e

ENVY = {"progressive_table": "A", "R-27": "flop", "R-109": "counts", "R-102": "in_proportion"}
WIN, LOSE = a.Outcome.WIN, a.Outcome.LOSE


def tell(table, area, cards, seat=0):
    table.act(a.RecordHand(area, cards, seat))


def happened(table, kind):
    return [fact.event for fact in table.all if isinstance(fact.event, kind)]


def bets(table, *seats):
    """Ante and blind of each seat, `seats`: seat and cents."""
    return table.bet(*((seat, name, cents) for seat, cents in seats for name in ("ante", "blind")))


@pytest.fixture
def at_showdown(make_table):
    """Massachusetts' game: seat 3 has nobody count its chips, seat 1 bets 10.00; both play 1 x at the end."""
    table = make_table("ma-uth", elect={"R-03": "both"}).ready()
    bets(table, (1, 1000), (3, 0))
    table.let_out().deal().to_showdown()
    tell(table, Area.COMMUNITY, "As Ad Kd 2h 7c")
    tell(table, Area.DEALER, "9c 8c")
    tell(table, Area.PLAYER, "Kc 3c", 1)
    tell(table, Area.PLAYER, "Ah Qc", 3)
    return table


def test_of_a_counted_round_amounts_are_checked(at_showdown, make_table):
    table = bets(make_table("ma-uth").ready(), (1, 500), (3, 1000))
    assert Check.AMOUNTS not in unchecked(table.setup, table.state)
    assert Check.AMOUNTS in unchecked(at_showdown.setup, at_showdown.state)


def test_the_seats_beside_are_compared(at_showdown):
    """Seat 1 is offered its sums; seat 3 nothing, and the sum of the round is not known."""
    found = offer(at_showdown.setup, at_showdown.round)
    assert {line.seat for line in found.lines} == {1}
    assert (found.uncounted, found.comes_to()) == ((3,), None)
    for name in ("ante", "blind", "play"):
        at_showdown.act(a.SettleWager(3, name, a.Outcome.WIN))
    at_showdown.act(a.SettleWager(1, "ante", a.Outcome.WIN, 900))
    (hold,) = at_showdown.state.holds.values()
    assert (hold.seat, hold.wager) == (1, "ante")


def test_a_void_hand_whose_chips_nobody_counted_leaves_the_others_compared(make_table):
    """That hand alone is void, and the others play on: they are settled as they would have been. Clause: ma-uth 15(d)."""
    table = bets(make_table("ma-uth").ready(), (1, 1000), (3, 0)).let_out().deal()
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=3))
    table.to_showdown()
    tell(table, Area.COMMUNITY, "As Ad Kd 2h 7c")
    tell(table, Area.DEALER, "9c 8c")
    tell(table, Area.PLAYER, "Kc 3c", 1)
    found = offer(table.setup, table.round)
    assert (found.refused, found.uncounted, found.missing) == ("", (), ())
    assert [(x.seat, x.wager, x.returned + x.paid) for x in found.lines] == [
        (1, "ante", 2000), (1, "blind", 1000), (1, "play", 2000),
    ]  # fmt: skip
    table.act(a.SettleWager(1, "ante", WIN, 900))
    (hold,) = table.state.holds.values()
    assert (hold.seat, hold.wager) == (1, "ante")


def test_all_hands_are_void_also_by_one_whose_chips_nobody_counted(make_table):
    """What an answer had settled before is a question, whatever cards were told. Clause: nj-pikit 38.12(c), 39.10(b)."""
    names = ("ante", "five_card_bonus", "three_card_bonus")
    table = make_table("nj-pikit", offered=("three_card_bonus",)).ready()
    table.bet(*((2, name, 500) for name in names), *((3, name, 0) for name in names[:2])).let_out().deal()
    table.answer(2, "show")
    table.act(a.RecordHand(Area.PLAYER, "9s 9h 9d 4c 2d", 2, shown="9s 9h 9d"))
    assert offer(table.setup, table.round).line(2, "three_card_bonus").outcome is WIN
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=3))
    assert table.round.void
    found = offer(table.setup, table.round)
    assert [(x.seat, x.wager, x.outcome.value) for x in found.lines] == [(2, "three_card_bonus", "held")]
    assert found.refused == ""


def test_a_win_of_chips_that_nobody_counted_needs_no_sum(at_showdown):
    """And no sum that is said is compared; put right, nobody is told what is owed."""
    at_showdown.act(a.SettleWager(3, "ante", a.Outcome.WIN))
    (settled,) = happened(at_showdown, f.WagerSettled)
    assert (settled.stake, settled.paid, settled.difference) == (0, 0, None)
    at_showdown.act(a.SettleWager(3, "play", a.Outcome.WIN, 12345))
    assert not at_showdown.state.holds
    at_showdown.act(a.CorrectSettlement(3, "ante", a.Outcome.LOSE, reason="misread"))
    (put_right,) = happened(at_showdown, f.SettlementCorrected)
    assert (put_right.was, put_right.owed) == (a.Outcome.WIN, None)


def test_counted_chips_that_win_are_paid_something(at_showdown):
    for name in ("ante", "blind", "play"):
        at_showdown.act(a.SettleWager(3, name, a.Outcome.LOSE))
    assert "is paid 1 to" in at_showdown.refused(a.SettleWager(1, "ante", a.Outcome.WIN)).reason


@pytest.fixture
def with_royal(make_table):
    """Maryland's game with a progressive wager at seats 1 and 3; seat 3 has nobody count its chips and holds the royal flush."""
    table = make_table("md-uth", elect=ENVY).ready().begin(seats=(1,), trips=())
    for name in ("ante", "blind"):
        table.act(a.PlaceWager(3, name, 0))
    table.chip(1)
    table.chip(3)
    table.let_out().deal().to_showdown()
    tell(table, Area.COMMUNITY, "9h Th Jh 2c 7d")
    tell(table, Area.DEALER, "9c 8c")
    tell(table, Area.PLAYER, "Qh Kh", 3)
    return table


def settle_seat(table, seat, outcome=WIN):
    for name in ("ante", "blind", "play"):
        table.act(a.SettleWager(seat, name, outcome))


def test_envy_of_a_hand_whose_chips_nobody_counted_is_not_missed_in_a_sum(with_royal):
    """Seat 3's straight flush earns seat 1 a bonus of which nothing is offered; the sum of the rest is compared with nothing."""
    tell(with_royal, Area.PLAYER, "As Ac", 1)
    with_royal.act(a.RecordMeter("meter", 90_000_000, 80_000_000))
    settle_seat(with_royal, 3)
    with_royal.act(a.ValidateProgressive(3, True))
    with_royal.act(a.SettleWager(3, "progressive", WIN, 5000))
    with_royal.act(a.SettleRound(handed_back=154_000))
    assert not with_royal.state.holds
    (settled,) = happened(with_royal, f.RoundSettled)
    assert (settled.offered, settled.difference) == (None, None)


def test_a_meter_that_an_uncounted_hand_takes_from_is_compared_with_nothing(with_royal):
    """What stands there at the turn of seat 1 hangs on what seat 3 was paid from it. Clause: md-uth 12.D."""
    tell(with_royal, Area.PLAYER, "8h 7h", 1)
    with_royal.act(a.RecordMeter("meter", 90_000_000, 80_000_000))
    found = offer(with_royal.setup, with_royal.round)
    assert found.line(1, "progressive") is None
    assert found.line(1, "play") is not None


@pytest.mark.parametrize("late", [False, True])
def test_a_meter_that_no_uncounted_hand_takes_from_is_compared(make_table, late):
    """Seat 3 has placed no chip, or one that came too late and went back. Clauses: md-uth 7.E, 12.D."""
    table = make_table("md-uth", elect={**ENVY, "R-45": "return"}).ready().begin(seats=(1,), trips=())
    for name in ("ante", "blind"):
        table.act(a.PlaceWager(3, name, 0))
    table.chip(1)
    table.close_bets()
    if late:
        table.chip(3, locked=True)
        assert table.fates()[3, "progressive"] == "returned"
    table.act(a.RecordProgressiveCount(1))
    table.act(a.StartDealing())
    table.deal().to_showdown()
    tell(table, Area.COMMUNITY, "9h Th Jh 2c 7d")
    tell(table, Area.DEALER, "9c 8c")
    tell(table, Area.PLAYER, "8h 7h", 1)
    table.act(a.RecordMeter("meter", 90_000_000, 80_000_000))
    line = offer(table.setup, table.round).line(1, "progressive")
    assert (line.outcome, line.note) == (WIN, "the meter stood at 90000000 cents")


def test_what_is_won_for_the_whole_table_is_not_missed_in_a_sum(make_table):
    """Cover All hangs on each hand of the table. Clause: ma-uth 13(e)."""
    table = make_table("ma-uth", Method.SHUFFLER, offered=("cover_all",)).ready()
    table.online("shuffler-1", levels=e.Levels(dispensing=e.INHIBITED, mode=e.Mode.COVER_ALL, cards_inside=0))
    table.begin(trips=(), seats=(1,))
    for name, cents in (("ante", 0), ("blind", 0)):
        table.act(a.PlaceWager(3, name, cents))
    table.act(a.PlaceWager(1, "cover_all", 500))
    table.let_out().deal()
    table.act(a.RecordHandsFound(3))
    table.to_showdown()
    tell(table, Area.COMMUNITY, "As Ks Qs 2h 7c")
    tell(table, Area.DEALER, "9c 8c")
    tell(table, Area.PLAYER, "Kc 3c", 1)
    tell(table, Area.PLAYER, "Js Ts", 3)
    settle_seat(table, 3)
    table.act(a.SettleRound(handed_back=9999))
    assert not table.state.holds


def test_where_nobody_counts_at_any_seat_cards_beside_a_coupon_are_told_without_a_hold(make_table):
    """Of no seat anything can be worked out: that is no word against the cards, and no refusal."""
    table = make_table("ma-uth", elect={"R-108": "even_money"}).ready()
    table.act(a.BeginRound("red"))
    table.act(a.PlaceWager(1, "ante", 0, coupon=500))
    table.act(a.PlaceWager(1, "blind", 0))
    table.let_out().deal().to_showdown()
    tell(table, Area.PLAYER, "Kc 3c", 1)
    assert not table.state.holds
    found = offer(table.setup, table.round)
    assert (found.refused, found.uncounted, found.lines) == ("", (1,), ())
    settle_seat(table, 1)
    assert offer(table.setup, table.round) is None
    table.act(a.SettleWager(1, "ante", WIN, 500, coupon=True))
    table.act(a.SettleRound(handed_back=77))
    assert not table.state.holds


def test_half_of_what_nobody_counted_is_compared_with_nothing(make_table):
    """Clause: fast-action (h)(6)."""
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready().bet((1, "original", 0)).let_out()
    table.act(a.RecordInitialDeal())
    table.answer(1, "surrender")
    (settled,) = happened(table, f.WagerSettled)
    assert (settled.outcome, settled.offered, settled.difference) == (LOSE, None, None)
    assert Check.PAYMENTS in unchecked(table.setup, table.state)
    told = table.refused(a.CorrectSettlement(1, "original", LOSE, reason="half", returned=500))
    assert "nobody counted the original" in told.reason
    assert table.refused(a.CorrectSettlement(1, "original", LOSE, reason="same")).reason.endswith(": lose")


def test_a_declaration_that_was_false_names_no_sum_of_chips_that_nobody_counted(make_table):
    """Clause: ma-colorado 14(d)."""
    table = (
        make_table("ma-colorado", offered=("bonus",))
        .ready()
        .bet((1, "ante", 0), (3, "ante", 500))
        .let_out()
        .deal()
    )
    table.answer(1, "declare")
    table.act(a.SettleWager(1, "ante", WIN))
    table.act(a.ReportIrregularity(Trigger.FALSE_DECLARATION, 1))
    reasons = [hold.reason for hold in table.state.holds.values()]
    assert any("ante was settled as win, and it is lost" in reason for reason in reasons), reasons


@pytest.mark.parametrize("cents", [0, 700])
def test_cards_are_held_against_what_was_declared_whatever_lies_there(make_table, cents):
    """Clause: ma-colorado 14(d)."""
    table = (
        make_table("ma-colorado", offered=()).ready().bet((1, "ante", cents), (3, "ante", cents)).let_out().deal()
    )
    table.answer(1, "declare")
    told = table.act(a.RecordHand(Area.PLAYER, "2c 7d 9h", 1))
    (hold,) = [event for event in told if isinstance(event, f.HoldPlaced)]
    assert "do not fit what was answered" in hold.reason


def test_a_multiple_of_an_answer_that_places_nothing_is_none(make_table):
    """Whoever checks wagers nothing, whatever the keys say. Clause: ma-uth 10(c)."""
    table = bets(make_table("ma-uth").ready(), (1, 1000)).let_out().deal()
    assert table.refused(a.RecordDecision(1, Decision.CHECK, 4)).code == "decision_contradicts"
    table.answer(1, "check")
    assert [(x.cents, x.multiple) for x in happened(table, f.DecisionRecorded)] == [(0, 0)]


@pytest.mark.parametrize("least", [None, 500])
def test_what_nobody_counted_beside_it_hides_no_hand_that_cannot_be(make_table, least):
    """Chips may be of any amount that is posted, and what is wagered on them of as many times that as are printed.

    Clauses: ma-colorado 14(d), fast-action (h)(2).
    """

    def posted(name):
        return {name: (least, 5000)} if least else {}

    table = make_table("ma-colorado", offered=(), limits=posted("ante")).ready()
    table.bet((1, "ante", 0), (3, "ante", 0)).let_out().deal()
    table.answer(1, "declare")
    table.answer(3, "bet", 1)
    split = make_table("fast-action", Method.MANUAL_SHOE, offered=(), limits=posted("original")).ready()
    split.bet((1, "original", 0), (3, "original", 0)).let_out().act(a.RecordInitialDeal())
    split.answer(3, "split", 1)
    split.answer(1, "natural")
    for made, cards in ((table, "2c 7d 9h"), (split, "9c 9h 9d 8s")):
        holds = [x for x in made.act(a.RecordHand(Area.PLAYER, cards, 1)) if isinstance(x, f.HoldPlaced)]
        assert ["do not fit what was answered" in hold.reason for hold in holds] == [True]


def test_what_is_wagered_on_them_is_as_many_times_that_as_are_printed(make_table):
    """Else the answer of seat 3 would be at fault, and not the hand of seat 1. No document of such a game prints twice yet.

    Clause: ma-colorado 14(d).
    """
    table = make_table("ma-colorado", offered=())
    wagers = table.setup.law.rulebook.wagers
    bet = dataclasses.replace(wagers["bet"], times=((Moment.DECISION, Cited((2,), ("1",))),))
    table.with_book(wagers={**wagers, "bet": bet}).ready()
    table.bet((1, "ante", 0), (3, "ante", 0)).let_out().deal()
    table.answer(1, "declare")
    table.answer(3, "bet", 2)
    told = table.act(a.RecordHand(Area.PLAYER, "2c 7d 9h", 1))
    (hold,) = [event for event in told if isinstance(event, f.HoldPlaced)]
    assert "do not fit what was answered" in hold.reason
