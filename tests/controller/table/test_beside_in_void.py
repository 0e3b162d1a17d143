"""Coupons of a round that stopped: people are offered them for as long as nobody settled them.

`fast-action` and `md-uth` know no coupon.
"""

from controller.rules.vocabulary import Area, Trigger
from controller.table.settlement.offer import offer
from controller.table.settlement.unchecked import Check, unchecked
from controller.table.words import acts as a

WIN, LOSE = a.Outcome.WIN, a.Outcome.LOSE


def lines(table):
    """What is offered for coupons: seat, wager, outcome and cents paid."""
    found = offer(table.setup, table.round)
    return [(x.seat, x.wager, x.outcome, x.paid) for x in found.lines if x.coupon] if found else []


def settle_chips(table):
    for x in offer(table.setup, table.round).lines:
        if not x.coupon:
            table.act(a.SettleWager(x.seat, x.wager, x.outcome, x.paid))


def to_river(table):
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.decide_all(a.Decision.CHECK)
        table.act(a.RevealCommunity(street))


def test_a_coupon_of_a_bonus_settled_before_a_void_is_offered(make_table):
    """The five card bonus was settled at its turn, the last of the chips behind the void. Clause: nj-pikit 38.12(c), 39.11(b)."""
    table = make_table("nj-pikit", elect={"R-108": "even_money", "R-131": "stands"}).ready()
    table.act(a.BeginRound("red"))
    for seat, coupon in ((1, 500), (2, 0)):
        table.act(a.PlaceWager(seat, "ante", 1000))
        table.act(a.PlaceWager(seat, "five_card_bonus", 1000, coupon=coupon))
    table.let_out().deal()
    table.answer(2, "play_5", 1)
    table.answer(1, "play_3", 1)
    table.act(a.RecordHand(Area.PLAYER, "Kh Kd 7s 4c 2d", 1, shown="Kh Kd 7s"))
    table.act(a.RecordHand(Area.PLAYER, "Qh Jd 7c 5c 2c", 2, shown="Qh Jd 7c"))
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER))
    settle_chips(table)
    assert lines(table) == [(1, "five_card_bonus", LOSE, 0)]
    assert Check.OUTCOMES in unchecked(table.setup, table.state)
    table.act(a.SettleWager(1, "five_card_bonus", LOSE, coupon=True))
    assert offer(table.setup, table.round) is None
    assert Check.OUTCOMES not in unchecked(table.setup, table.state)


def test_a_coupon_beside_spared_trips_is_offered(make_table):
    """Trips are settled although the hands are void, and won. Clause: ma-uth 15(a), 11(d), R-108."""
    table = make_table("ma-uth", elect={"R-108": "even_money"}).ready()
    table.act(a.BeginRound("red"))
    for name, coupon in (("ante", 0), ("blind", 0), ("trips", 500)):
        table.act(a.PlaceWager(1, name, 1000, coupon=coupon))
    table.let_out().deal()
    to_river(table)
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    table.act(a.RecordHand(Area.COMMUNITY, "Kh Qd 7s 4c 2d"))
    table.act(a.RecordHand(Area.PLAYER, "Ks Kd", 1))
    settle_chips(table)
    assert lines(table) == [(1, "trips", WIN, 500)]
    table.act(a.SettleWager(1, "trips", WIN, 500, coupon=True))
    assert offer(table.setup, table.round) is None


def test_a_coupon_beside_a_declaration_paid_before_a_void_is_offered(make_table):
    """The declared winner was paid with the declaration, and its coupon is left. Clause: ma-colorado 14(c), R-131."""
    elect = {"version": "required_bet", "R-108": "even_money", "R-131": "stands"}
    table = make_table("ma-colorado", elect=elect).ready()
    table.act(a.BeginRound("red"))
    for seat, coupon in ((1, 500), (2, 0)):
        table.act(a.PlaceWager(seat, "ante", 1000, coupon=coupon))
    table.let_out().deal()
    table.answer(1, "declare")
    table.act(a.RecordHand(Area.PLAYER, "Kh Kd Ks", 1))
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=2))
    settle_chips(table)
    assert lines(table) == [(1, "ante", WIN, 500)]
