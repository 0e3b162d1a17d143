"""What the house elected to ask about each time is asked also where no cards were told: the dealer alone does not close it."""

import pytest

from controller.rules.vocabulary import Area, Method, Role, Trigger
from controller.table.questions.coupons_and_envy import may_settle
from controller.table.settlement.offer import offer
from controller.table.settlement.open_points import coupons_left_open, left_open
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor

WIN, LOSE, PUSH = a.Outcome.WIN, a.Outcome.LOSE, a.Outcome.PUSH


def asked(table, act, role=Role.DEALER):
    """Readings under which a floorperson is asked after this act of a dealer."""
    events = table.put(act, actor=Actor(f"a {role}", role))
    assert not [x.reason for x in events if isinstance(x, f.InputRefused)]
    holds = [x for x in events if isinstance(x, f.HoldPlaced) and "a floorperson decides" in x.reason]
    assert all((h.least_role, h.choices) == (Role.FLOORPERSON, (a.Resolution.GO_ON,)) for h in holds)
    return [hold.reading for hold in holds]


def go_on(table):
    for hold in tuple(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))


@pytest.fixture
def pikit(make_table):
    """Pik-it at the settlement, no card of it told: seat 1 has answered so, a coupon beside its ante."""

    def make(answer="play_5", coupon=0, **elect):
        elect = {key.replace("_", "-"): choice for key, choice in elect.items()}
        table = make_table("nj-pikit", offered=(), elect=elect).ready().begin(seats=())
        table.act(a.PlaceWager(1, "ante", 1000, coupon=coupon))
        table.act(a.PlaceWager(1, "five_card_bonus", 1000))
        table.let_out().deal().answer(1, answer, 1)
        table.act(a.RevealDealer())
        assert asked(table, a.SettleWager(1, "five_card_bonus", LOSE)) == []
        return table

    return make


def test_the_ante_beside_a_play_3_is_asked_about_whatever_the_cards_are(pikit):
    """Which hand decides it is asked each time. Clause: nj-pikit 39.10(e), R-56."""
    table = pikit("play_3")
    assert asked(table, a.SettleWager(1, "play_3", WIN, 1000)) == []
    assert asked(table, a.SettleWager(1, "ante", WIN, 1000)) == ["R-56"]
    assert asked(pikit("play_3"), a.SettleRound()) == ["R-56"]
    assert asked(pikit("play_3"), a.SettleRound(), Role.FLOORPERSON) == []
    for table in (pikit("play_3", R_56="five_cards"), pikit("play_5")):
        assert asked(table, a.SettleWager(1, "ante", WIN, 1000)) == []


def test_a_push_is_a_tie(pikit):
    """Nothing else of these wagers is one. Clause: nj-pikit 39.4(d), R-55."""
    assert asked(pikit(), a.SettleWager(1, "play_5", PUSH)) == ["R-55"]
    assert asked(pikit(), a.SettleWager(1, "play_5", PUSH), Role.FLOORPERSON) == []
    assert asked(pikit(R_55="push"), a.SettleWager(1, "play_5", PUSH)) == []
    told = pikit()
    told.act(a.RecordHand(Area.DEALER, "Kd Kc 4h 5s 8c"))
    told.act(a.RecordHand(Area.PLAYER, "Ks Kh 4c 5d 8s", 1))
    assert asked(told, a.SettleWager(1, "play_5", PUSH)) == ["R-55"]  # once


@pytest.mark.parametrize(("choice", "reading"), [("ask", ["R-189"]), ("push", []), ("lost", [])])
def test_an_ante_that_does_not_win_from_a_hand_that_does_not_qualify(make_table, choice, reading):
    """With a Play 5 that went back, lost or pushed; one that wins is no question. Clause: nj-pikit 39.10(f), R-189."""
    elect = {"qualifier": "with", "R-189": choice, "R-55": "push"}
    for qualifies, outcome, expected in (
        (False, LOSE, reading), (False, PUSH, reading), (False, WIN, []), (True, LOSE, []),
    ):  # fmt: skip
        table = make_table("nj-pikit", offered=(), elect=elect).ready()
        table.bet((1, "ante", 1000), (1, "five_card_bonus", 1000)).let_out().deal().answer(1, "play_5", 1)
        table.act(a.RevealDealer(qualifies=qualifies))
        assert asked(table, a.SettleWager(1, "ante", outcome, 1000 if outcome is WIN else 0)) == expected


def test_so_is_a_copy(make_table):
    """A natural is compared with no hand. Clause: fast-action (a)(1)(ii), R-55."""
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready()
    table.bet((1, "original", 1000), (2, "original", 1000)).let_out().act(a.RecordInitialDeal())
    table.answer(2, "natural")
    table.answer(1, "set")
    table.act(a.RevealDealer())
    table.act(a.RevealCommunity(a.Street.COMMUNITY))
    assert asked(table, a.SettleWager(2, "original", PUSH)) == []
    assert asked(table, a.SettleWager(1, "original", PUSH)) == ["R-55"]


@pytest.mark.parametrize("last", [False, True])
def test_what_a_winning_coupon_comes_to(pikit, last):
    """The chips are settled, and a floorperson decides on the coupon. Clause: nj-pikit 39.3(c), R-108."""
    table = pikit(coupon=500)
    table.act(a.SettleWager(1, "ante", WIN, 1000))
    if last:
        table.act(a.SettleWager(1, "play_5", WIN, 1000))
    assert asked(table, a.SettleWager(1, "ante", WIN, 500, coupon=True)) == ["R-108"]
    go_on(table)
    assert asked(table, a.SettleRound()) == []


def test_a_coupon_that_nobody_settled_is_asked_about_with_the_round(pikit):
    """Where its chips won; beside chips that lost it is taken. Clause: nj-pikit 39.3(c), R-108."""
    for outcome, paid, expected in ((WIN, 1000, ["R-108"]), (LOSE, 0, [])):
        table = pikit(coupon=500)
        table.act(a.SettleWager(1, "ante", outcome, paid))
        assert asked(table, a.SettleRound()) == expected
    table = pikit(coupon=500, R_108="even_money")
    table.act(a.SettleWager(1, "ante", WIN, 1000))
    assert asked(table, a.SettleRound()) == []


def test_a_coupon_waits_with_the_wager_of_which_a_person_decides(make_table):
    """Neither the offer nor a refusal says that it stays with the player, before that is known. Clause: nj-pikit R-56."""
    table = make_table("nj-pikit", elect={"R-56": "ask", "R-108": "even_money"}, offered=()).ready()
    table.act(a.BeginRound("red"))
    table.act(a.PlaceWager(1, "ante", 1000, coupon=500))
    table.act(a.PlaceWager(1, "five_card_bonus", 1000))
    table.let_out().deal().answer(1, "play_3", 1)
    table.act(a.RevealDealer())
    table.act(a.RecordHand(Area.PLAYER, "As Ks 8d 5c 2h", 1))
    table.act(a.RecordHand(Area.DEALER, "Qd Jd 9c 4s 3h"))
    line = next(x for x in offer(table.setup, table.round).lines if x.coupon)
    assert (line.outcome, line.reading) == (a.Outcome.HELD, "R-56")
    assert line.note == "the coupon waits for the wager beside it"
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    assert table.fates()[1, "ante"] == "held"
    refused = may_settle(table.setup, table.round, a.SettleWager(1, "ante", WIN, 500, coupon=True))
    assert refused.reason == "seat 1: the ante wager is held, and its coupon waits for what a person decides"


def test_without_cards_the_same_is_asked_as_with_them(pikit):
    """Of a tie, and of a coupon beside an ante that won. Clause: nj-pikit 39.3(c), 39.4(d), R-55, R-108."""
    table = pikit()
    tie = left_open(table.setup, table.round, a.SettleWager(1, "play_5", PUSH))
    for told in (a.RecordHand(Area.DEALER, "Kd Kc 4h 5s 8c"), a.RecordHand(Area.PLAYER, "Ks Kh 4c 5d 8s", 1)):
        table.act(told)
    assert tie == offer(table.setup, table.round).asked((1, "play_5", False, 0))
    table = pikit(coupon=500)
    table.act(a.SettleWager(1, "ante", WIN, 1000))
    coupon = left_open(table.setup, table.round, a.SettleWager(1, "ante", WIN, 500, coupon=True))
    assert coupon == coupons_left_open(table.setup, table.round)
    for told in (a.RecordHand(Area.DEALER, "Kd Jc 4h 5s 8c"), a.RecordHand(Area.PLAYER, "Ks Kh 4c 5d 8s", 1)):
        table.act(told)
    assert coupon == offer(table.setup, table.round).asked()


def test_a_floorperson_is_asked_about_each_by_name(pikit):
    """The wager, or the coupon beside it, with its seat and the reading. Clause: nj-pikit 39.4(d), 39.3(c)."""
    table = pikit(coupon=500)
    table.act(a.SettleWager(1, "ante", WIN, 1000))
    for act, named in (
        (a.SettleWager(1, "ante", WIN, 500, coupon=True), "seat 1 ante coupon [R-108]"),
        (a.SettleWager(1, "play_5", PUSH), "seat 1 play_5 [R-55]"),
    ):
        (hold,) = (x for x in table.act(act, Role.DEALER) if isinstance(x, f.HoldPlaced))
        assert f"a dealer settled them: {named};" in hold.reason
        go_on(table)


def test_a_coupon_is_asked_about_with_the_wager_of_which_a_person_decides(pikit):
    """Cards that tie leave open what becomes of both. Clause: nj-pikit 39.3(c), 39.4(d), R-55."""
    table = pikit(coupon=500)
    for told in (a.RecordHand(Area.DEALER, "Kd Kc 4h 5s 8c"), a.RecordHand(Area.PLAYER, "Ks Kh 4c 5d 8s", 1)):
        table.act(told)
    (hold,) = (x for x in table.act(a.SettleRound(), Role.DEALER) if isinstance(x, f.HoldPlaced))
    assert "settled them: seat 1 ante [R-55]; seat 1 ante coupon [R-55]; seat 1 play_5 [R-55];" in hold.reason


@pytest.mark.parametrize(
    ("name", "others", "shown"),
    [
        ("nj-pikit", ("five_card_bonus",), [("play_5", a.RevealDealer())]),
        ("ma-uth", ("blind",), []),
        ("ma-colorado", (), [("bet", a.RevealCommunity(a.Street.COMMUNITY))]),
    ],
)
def test_a_coupon_beside_settled_chips_is_asked_for_before_any_card_was_told(make_table, name, others, shown):
    """In each document that speaks of coupons. Clause: ma-uth 6(a), nj-pikit 39.3(c), ma-colorado 6(a)."""
    table = make_table(name, elect={"R-108": "even_money"}, offered=()).ready()
    table.act(a.BeginRound("red"))
    table.act(a.PlaceWager(1, "ante", 1000, coupon=500))
    for other in others:
        table.act(a.PlaceWager(1, other, 1000))
    table.let_out().deal()
    for answer, reveal in shown:
        table.answer(1, answer, 1)
        table.act(reveal)
    if not shown:
        table.to_showdown()
    for wager in table.round.seats[1].wagers:
        table.act(a.SettleWager(1, wager, LOSE))
    table.act(a.CorrectSettlement(1, "ante", WIN, "looked at again", 1000))
    found = offer(table.setup, table.round)
    assert [(x.wager, x.coupon, x.outcome) for x in found.lines] == [("ante", 500, a.Outcome.HELD)]
