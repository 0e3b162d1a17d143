"""Match play coupons and envy bonuses, which are no wagers, and rounds that are settled as a whole."""

from dataclasses import replace

import msgspec
import pytest

from controller.games.model import Phase
from controller.rules.vocabulary import Area, Trigger
from controller.table.questions.coupons_and_envy import may_settle
from controller.table.settlement.offer import offer
from controller.table.settlement.unchecked import Check, unchecked
from controller.table.words import acts as a
from controller.table.words import facts as f

WIN, LOSE, PUSH = a.Outcome.WIN, a.Outcome.LOSE, a.Outcome.PUSH
KINGS = (a.RecordHand(Area.COMMUNITY, "Kh Qd 7s 4c 2d"), a.RecordHand(Area.DEALER, "Ks 9d"))
STRAIGHT_FLUSH = (a.RecordHand(Area.COMMUNITY, "7h 8h 9h 4c 2d"), a.RecordHand(Area.DEALER, "Ks 9d"))
ENVY = {"progressive_table": "A", "R-27": "flop", "R-109": "counts", "R-102": "in_proportion"}


def hand(seat, cards):
    return a.RecordHand(Area.PLAYER, cards, seat)


def only(events, kind):
    (event,) = [event for event in events if isinstance(event, kind)]
    return event


@pytest.fixture
def with_coupon(make_table):
    """Seat 1 at the showdown under a reading, with a coupon of 5.00 beside an ante of 10.00, and the cards told."""

    def make(reading, cards="Kc Qh", rulebook="ma-uth"):
        table = make_table(rulebook, elect={"R-108": reading}).ready()
        table.act(a.BeginRound("red"))
        table.act(a.PlaceWager(1, "ante", 1000, coupon=500))
        table.act(a.PlaceWager(1, "blind", 1000))
        table.let_out().deal().to_showdown()
        for act in (*KINGS, hand(1, cards)):
            table.act(act)
        return table

    return make


@pytest.fixture
def with_envy(make_table):
    """Seats 1 and 3 of Maryland's game at the showdown, both with a progressive wager; seat 3 has a straight flush."""

    def make():
        table = make_table("md-uth", elect=ENVY).ready().begin(trips=())
        for seat in (1, 3):
            table.chip(seat)
        table.let_out().deal().to_showdown()
        for act in (
            *STRAIGHT_FLUSH,
            hand(3, "Th Jh"),
            hand(1, "As Ac"),
            a.RecordMeter("meter", 90_000_000, 80_000_000),
        ):
            table.act(act)
        return table

    return make


def settle_all(table, seat):
    for name in ("ante", "blind", "play"):
        line = offer(table.setup, table.round).line(seat, name)
        table.act(a.SettleWager(seat, name, line.outcome, line.paid))


def test_a_coupon_is_offered_and_settled_beside_its_wager(with_coupon):
    """Even money: a winning ante of 10.00 with a coupon of 5.00 gets 10.00 and 5.00 more. Clause: ma-uth 6(a), R-108."""
    table = with_coupon("even_money")
    lines = [(x.wager, x.coupon, x.outcome, x.paid, x.reading) for x in offer(table.setup, table.round).lines]
    assert lines[:2] == [("ante", 0, WIN, 1000, None), ("ante", 500, WIN, 500, "R-108")]
    early = table.refused(a.SettleWager(1, "ante", WIN, 500, coupon=True))
    assert early.reason == "seat 1: first settle the ante wager beside which it lies"
    settle_all(table, 1)
    settled = only(table.act(a.SettleWager(1, "ante", WIN, 500, coupon=True)), f.WagerSettled)
    assert (settled.coupon, settled.stake, settled.paid, settled.difference) == (500, 0, 500, 0)
    assert offer(table.setup, table.round) is None
    again = table.refused(a.SettleWager(1, "ante", WIN, 500, coupon=True))
    assert again.reason == "seat 1: the coupon beside the ante is settled already: win"
    assert table.round.seats[1].wagers["ante"].paid == 1000


def test_a_coupon_that_is_paid_otherwise_is_asked_about_and_corrected(with_coupon):
    """Paid 10.00 instead of 5.00: the difference is on record, and a supervisor puts right the coupon, not the wager."""
    table = with_coupon("even_money")
    settle_all(table, 1)
    events = table.act(a.SettleWager(1, "ante", WIN, 1000, coupon=True))
    assert only(events, f.WagerSettled).difference == 500
    assert "coupon beside the ante was settled as win with 1000" in only(events, f.HoldPlaced).reason
    put_right = a.CorrectSettlement(1, "ante", WIN, "paid twice its face", 500, coupon=True)
    new = only(table.act(put_right), f.SettlementCorrected)
    assert (new.coupon, new.before, new.owed) == (500, 1000, -500)
    assert not table.state.holds
    assert table.round.seats[1].wagers["ante"].paid == 1000
    assert table.round.seats[1].coupons["ante"].paid == 500


def test_what_a_coupon_wins_is_held_where_a_person_decides(with_coupon):
    """No text says what it wins. Reading: R-108 = ask."""
    table = with_coupon("ask")
    lines = offer(table.setup, table.round).lines
    assert [x.outcome.value for x in lines if x.coupon] == ["held"]
    settle_all(table, 1)
    settled = only(table.act(a.SettleWager(1, "ante", WIN, 500, coupon=True)), f.WagerSettled)
    assert (settled.offered, settled.difference) == (None, None)


def test_a_coupon_goes_back_with_its_wager_and_is_taken_at_a_fold(make_table):
    """Withdrawn, it is gone; folded, it is offered as lost. Clause: ma-uth 10(e)(2)."""
    table = make_table("ma-uth", elect={"R-108": "even_money"}).ready()
    table.act(a.BeginRound("red"))
    table.act(a.PlaceWager(1, "ante", 1000, coupon=500))
    table.act(a.WithdrawWager(1, "ante"))
    assert 1 not in table.round.seats
    for seat in (1, 3):
        table.act(a.PlaceWager(seat, "ante", 1000, coupon=500))
        table.act(a.PlaceWager(seat, "blind", 1000))
    table.let_out().deal()
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.decide_all(a.Decision.CHECK)
        table.act(a.RevealCommunity(street))
    table.answer(1, "fold")
    table.answer(3, "play", 1)
    table.act(a.RevealDealer())
    for act in (*KINGS, hand(3, "Kc Qh")):
        table.act(act)
    found = offer(table.setup, table.round)
    assert found.line(1, "ante", coupon=True).outcome is LOSE
    table.act(a.SettleWager(1, "ante", LOSE, coupon=True))
    assert offer(table.setup, table.round).line(1, "ante", coupon=True) is None


def test_no_coupon_where_the_document_knows_none(make_table):
    """Maryland's text speaks of none, and no face is below a cent. Clause: ma-uth 6(a)."""
    table = make_table("md-uth").ready()
    table.act(a.BeginRound("red"))
    assert (
        table.refused(a.PlaceWager(1, "ante", 1000, coupon=500)).reason
        == "seat 1: md-uth knows no match play coupon"
    )
    table = make_table("ma-uth").ready()
    table.act(a.BeginRound("red"))
    refused = table.refused(a.PlaceWager(1, "ante", 1000, coupon=-1))
    assert "the face of a coupon is 1 to 10000000000 cents, -1 were given" in refused.reason
    assert refused.cite == ("6(a)",)


def test_the_face_of_a_coupon_is_bounded_on_both_sides(make_table):
    """A cent and a hundred millions are taken, nothing below and above. Clause: ma-uth 6(a)."""
    table = make_table("ma-uth").ready()
    table.act(a.BeginRound("red"))
    for seat, face in ((1, 1), (2, 10_000_000_000)):
        refused = table.refused(a.PlaceWager(seat, "ante", 1000, coupon=-1 if face == 1 else face + 1))
        assert refused.reason.startswith(f"seat {seat}: the face of a coupon is 1 to 10000000000 cents, ")
        table.act(a.PlaceWager(seat, "ante", 1000, coupon=face))
        assert table.round.seats[seat].coupons["ante"].cents == face


def test_a_coupon_stays_with_the_player_whose_wager_goes_back(make_table):
    """A void hand settles nothing, and the refusal names the wager and its fate."""
    table = make_table("ma-uth", elect={"R-108": "even_money"}).ready()
    table.act(a.BeginRound("red"))
    for seat in (1, 3):
        table.act(a.PlaceWager(seat, "ante", 1000, coupon=500))
        table.act(a.PlaceWager(seat, "blind", 1000))
    table.let_out().deal()
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1))
    for act in (a.RevealCommunity(a.Street.FLOP), a.RevealCommunity(a.Street.LAST_TWO)):
        table.decide_all(a.Decision.CHECK)
        table.act(act)
    table.answer(3, "play", 1)
    table.act(a.RevealDealer())
    refused = table.refused(a.SettleWager(1, "ante", WIN, 500, coupon=True))
    assert refused.reason == "seat 1: the ante wager is returned, and its coupon stays with the player"


def test_a_payment_that_is_asked_about_is_named_by_its_wager_and_not_by_its_coupon(with_coupon):
    """1.00 too little for the ante; its coupon is not settled yet."""
    table = with_coupon("even_money")
    held = only(table.act(a.SettleWager(1, "ante", WIN, 900)), f.HoldPlaced)
    assert (held.seat, held.wager, held.choices) == (1, "ante", (a.Resolution.GO_ON,))
    assert held.reason.startswith("seat 1: ante was settled as win with 1900 cents handed back")


def test_envy_is_offered_and_settled_for_the_hand_of_another_seat(with_envy):
    """Seat 3 has a straight flush in its five cards: seat 1 gets 1,500.00 by its 5.00. Clause: md-uth 11.J(2)(e), 12.D(7)(a)."""
    table = with_envy()
    line = offer(table.setup, table.round).line(1, "envy", holder=3)
    assert (line.paid, line.cite) == (150_000, ("12.D(7)(a)(ii)",))
    settled = only(table.act(a.SettleWager(1, "envy", WIN, 150_000, holder=3)), f.WagerSettled)
    assert (settled.holder, settled.difference, settled.offered) == (3, 0, WIN)
    assert offer(table.setup, table.round).line(1, "envy", holder=3) is None
    assert (
        "envy for seat 3 is settled already"
        in table.refused(a.SettleWager(1, "envy", WIN, 150_000, holder=3)).reason
    )


def test_envy_that_is_paid_otherwise_is_asked_about_and_corrected(with_envy):
    """The sum for 1.00 was paid for a wager of 5.00."""
    table = with_envy()
    events = table.act(a.SettleWager(1, "envy", WIN, 30_000, holder=3))
    assert only(events, f.WagerSettled).difference == -120_000
    new = only(
        table.act(a.CorrectSettlement(1, "envy", WIN, "by the wrong column", 150_000, holder=3)),
        f.SettlementCorrected,
    )
    assert (new.holder, new.owed) == (3, 120_000)
    assert not table.state.holds


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (a.SettleWager(1, "envy", WIN, 500), "another seat whose hand earns it: 3"),
        (a.SettleWager(1, "envy", WIN, 500, holder=1), "another seat whose hand earns it: 3"),
        (a.SettleWager(1, "ante", WIN, 500, holder=3), "another seat whose hand earns it: 3"),
        (a.SettleWager(5, "envy", WIN, 500, holder=3), "seat 5 has no progressive wager that could earn envy"),
        (a.SettleWager(1, "envy", PUSH, holder=3), "seat 1: envy is a win or a lose; not push"),
        (a.SettleWager(1, "envy", WIN, 500, 500, holder=3), "of a stake of 0 cents 0 to 0 go back, not 500"),
        (a.SettleWager(1, "envy", WIN, 500, coupon=True, holder=3), "a coupon earns no envy"),
        (a.SettleWager(1, "ante", WIN, 500, coupon=True), "seat 1 has no match play coupon beside its ante"),
    ],
)  # fmt: skip
def test_envy_and_coupons_that_cannot_be_are_refused(with_envy, act, says):
    """Seat, what is wrong, and what may be."""
    assert says in with_envy().refused(act).reason


@pytest.mark.parametrize(
    ("seats", "chips", "says"),
    [
        ((1,), (1,), "seat 1: envy is wager=envy and holder=, another seat whose hand earns it: none"),
        ((1, 3), (), "seat 1 has no progressive wager that could earn envy"),
    ],
)
def test_a_refusal_of_envy_cites_who_earns_it(make_table, seats, chips, says):
    """Nobody else is in play, or nothing was placed that earns it. Clause: md-uth 1.B(3), 11.J(2)(e)(i)."""
    table = make_table("md-uth", elect=ENVY).ready().begin(seats=seats, trips=())
    for seat in chips:
        table.chip(seat)
    table.let_out().deal().to_showdown()
    refused = table.refused(a.SettleWager(1, "envy", WIN, 500, holder=3))
    assert (refused.reason, refused.cite) == (says, ("1.B(3)", "11.J(2)(e)(i)"))


def test_envy_waits_for_the_settlement_in_a_game_that_settles_some_wagers_before(make_table):
    """With a document of envy for such a game. Clause: md-uth 11.J."""
    table = make_table("md-uth", elect=ENVY).ready().begin(trips=())
    table.chip(1)
    table.let_out().deal()
    refused = may_settle(table.setup, table.round, a.SettleWager(1, "envy", WIN, 500, holder=3))
    assert (refused.code, refused.cite) == ("wrong_phase", ("1.B(3)", "11.J(2)(e)(i)"))


def test_no_envy_where_no_table_of_the_document_pays_it(with_envy):
    """Whose hand earns it may be printed, and no sum."""
    table = with_envy()
    law = table.setup.law
    pay = {name: each for name, each in law.rulebook.pay.items() if each.envy_for is None}
    setup = msgspec.structs.replace(table.setup, law=replace(law, rulebook=replace(law.rulebook, pay=pay)))
    refused = may_settle(setup, table.round, a.SettleWager(1, "envy", WIN, 500, holder=3))
    assert (refused.code, refused.cite) == ("no_envy", ())


@pytest.fixture
def told(make_table):
    """Seat 1 wins with kings and queens, seat 3 loses: 20.00, 10.00 and 20.00 go back, and 10.00 of Trips is lost."""
    table = make_table("ma-uth").ready().begin().let_out().deal().to_showdown()
    for act in (*KINGS, hand(1, "Kc Qh"), hand(3, "Qs 9h")):
        table.act(act)
    return table


def test_a_round_that_was_settled_as_a_whole_is_compared_to_the_cent(told):
    """Added up rightly nothing is asked, and the payments count as checked."""
    right = offer(told.setup, told.round).comes_to()
    assert right == {3: 0, 1: 5000}
    events = told.act(a.SettleRound(5000))
    settled = only(events, f.RoundSettled)
    assert (settled.handed_back, settled.offered, settled.difference, settled.currency) == (5000, 5000, 0, "USD")
    assert not told.state.holds
    assert Check.PAYMENTS not in unchecked(told.setup, told.state)


def test_a_round_that_was_settled_otherwise_waits_for_a_floorperson(told):
    """5.00 too much: on record with what each seat should have got; a wager is corrected, and the rest let stand."""
    events = told.act(a.SettleRound(5500))
    settled, held = only(events, f.RoundSettled), only(events, f.HoldPlaced)
    assert (settled.offered, settled.difference) == (5000, 500)
    assert "5500 cents handed back, and cards and pay tables make it 5000 (seat 3 0, seat 1 5000)" in held.reason
    assert held.choices == (a.Resolution.GO_ON,)
    assert "play is held" in told.refused(a.CollectCards()).reason
    told.act(a.CorrectSettlement(1, "ante", WIN, "5.00 too much", 1000))
    told.act(a.ResolveHold(held.hold, a.Resolution.GO_ON, "paid back"))
    told.act(a.CollectCards())


def test_that_nothing_was_handed_back_is_compared_as_well(told):
    """No cents are a sum, other than no sum."""
    settled = only(told.act(a.SettleRound(0)), f.RoundSettled)
    assert (settled.handed_back, settled.offered, settled.difference) == (0, 5000, -5000)


def test_what_was_settled_by_itself_is_not_counted_again(told):
    """Only what was still open is compared with the sum."""
    for name in ("ante", "blind", "play"):
        told.act(a.SettleWager(3, name, LOSE))
    told.act(a.SettleWager(1, "ante", WIN, 1000))
    assert only(told.act(a.SettleRound(3000)), f.RoundSettled).difference == 0


def test_without_a_sum_nothing_is_compared_and_what_it_should_come_to_is_on_record(told):
    """Nobody has added up: no difference, and the payments were not checked."""
    settled = only(told.act(a.SettleRound()), f.RoundSettled)
    assert (settled.handed_back, settled.offered, settled.difference) == (None, 5000, None)
    assert Check.PAYMENTS in unchecked(told.setup, told.state)


@pytest.mark.parametrize("cents", [-1, 10**13 + 1])
def test_a_sum_that_cannot_be_is_refused(told, cents):
    """A slip of the keys."""
    assert f"cents can be handed back in a round, {cents} were given" in told.refused(a.SettleRound(cents)).reason


def test_after_the_last_envy_nothing_is_offered(with_envy):
    """All wagers are settled before it, and it is settled last."""
    table = with_envy()
    for line in offer(table.setup, table.round).lines:
        if line.wager == "progressive" and line.outcome is WIN:
            table.act(a.ValidateProgressive(line.seat, True))
        table.act(a.SettleWager(line.seat, line.wager, line.outcome, line.paid, holder=line.holder))
    assert offer(table.setup, table.round) is None


@pytest.mark.parametrize(
    ("rulebook", "elect", "chips", "asked"),
    [("md-uth", ENVY, (1, 3), True), ("md-uth", ENVY, (), False), ("ma-uth", {}, (1, 3), False)],
)
def test_a_settled_round_is_looked_at_again_only_for_envy(make_table, rulebook, elect, chips, asked):
    """Where it may have been earned: the document pays it, and somebody has the wager. The limits are others by now, so that
    a settlement would be refused."""
    table = make_table(rulebook, elect=elect).ready().begin(trips=(1, 3))
    for seat in chips:
        table.chip(seat)
    table.let_out().deal().to_showdown().act(KINGS[1])
    for seat in (3, 1):
        for wager in ("ante", "blind", "play", "trips", *(["progressive"] if chips else [])):
            table.act(a.SettleWager(seat, wager, LOSE))
    setup = msgspec.structs.replace(table.setup, limits={"ante": (2000, 5000)})
    found = offer(setup, table.round)
    assert (found.refused != "") if asked else (found is None)


@pytest.fixture
def coupon_left_behind(make_table):
    """The one player of a round has left, under the reading that what lay there is lost: play has stopped, no card was told."""
    table = make_table("ma-colorado", elect={"R-108": "even_money", "R-53": "abandoned"}).ready()
    table.act(a.BeginRound("red"))
    table.act(a.PlaceWager(1, "ante", 1000, coupon=500))
    table.let_out().deal()
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    assert table.round.phase is Phase.STOPPED
    return table


def test_a_coupon_beside_a_lost_wager_is_offered_where_play_has_stopped(coupon_left_behind):
    """It is taken with the chips, which needs no cards. Clause: ma-colorado 6(a), R-53."""
    table = coupon_left_behind
    found = offer(table.setup, table.round)
    assert [(x.wager, x.coupon, x.outcome, x.paid) for x in found.lines] == [("ante", 500, LOSE, 0)]
    assert not found.missing
    settled = only(table.act(a.SettleWager(1, "ante", LOSE, coupon=True)), f.WagerSettled)
    assert (settled.offered, settled.difference) == (LOSE, 0)
    assert offer(table.setup, table.round) is None


def test_a_coupon_that_is_paid_beside_a_lost_wager_is_asked_about(coupon_left_behind):
    """No card was told, and none is needed to see that."""
    events = coupon_left_behind.act(a.SettleWager(1, "ante", WIN, 500, coupon=True))
    assert only(events, f.WagerSettled).difference == 500
    assert "coupon beside the ante was settled as win with 500" in only(events, f.HoldPlaced).reason
