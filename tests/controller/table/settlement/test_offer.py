"""The settlement that is offered at the table: what cards and stakes make, what is missing, what is settled otherwise."""

import pytest

from controller.games.settling.settled import Line
from controller.rules.vocabulary import Area, Method
from controller.table.settlement.offer import Missing, Offer, offer
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.codec import WITHHELD, encode

WIN, LOSE, PUSH, RETURN = a.Outcome.WIN, a.Outcome.LOSE, a.Outcome.PUSH, a.Outcome.RETURN
BOARD = "Kh Qd 7s 4c 2d"
ALL = a.RevealCommunity(a.Street.COMMUNITY)


@pytest.fixture
def at_showdown(make_table):
    """Ultimate at its settlement: seats 1 and 3 have played once the ante, seat 5 has folded; Trips at seats 1 and 5."""

    def make(rulebook, chips=(), **how):
        table = make_table(rulebook, **how).ready().begin(seats=(1, 3, 5), trips=(1, 5))
        for seat in chips:
            table.chip(seat)
        table.let_out().deal()
        for street in (a.Street.FLOP, a.Street.LAST_TWO):
            table.decide_all(a.Decision.CHECK)
            table.act(a.RevealCommunity(street))
        table.answer(1, "play", 1)
        table.answer(3, "play", 1)
        table.answer(5, "fold")
        table.act(a.RevealDealer())
        return table

    return make


def hand(seat, cards, **chosen):
    return a.RecordHand(Area.PLAYER, cards, seat, **chosen)


def told(table, *hands):
    for act in (a.RecordHand(Area.COMMUNITY, BOARD), a.RecordHand(Area.DEALER, "Ks 9d"), *hands):
        table.act(act)
    return table


def offered(table):
    """Seat, wager, outcome and all that goes back, line by line."""
    return [(x.seat, x.wager, x.outcome.value, x.returned + x.paid) for x in offer(table.setup, table.round).lines]


def placed_holds(events):
    return [event for event in events if isinstance(event, f.HoldPlaced)]


def only(events, kind):
    (event,) = [event for event in events if isinstance(event, kind)]
    return event


def test_what_is_settled_leaves_the_offer(at_showdown):
    """A wager with an outcome waits no more, and after the last one nothing is offered."""
    table = told(at_showdown("ma-uth"), hand(3, "Qs 9h"), hand(1, "Kc Qh"), hand(5, "Kd As"))
    for line in offer(table.setup, table.round).lines:
        events = table.act(a.SettleWager(line.seat, line.wager, line.outcome, line.paid))
        assert only(events, f.WagerSettled).difference == 0
        assert not placed_holds(events)
    assert offer(table.setup, table.round) is None


def test_an_overpayment_is_recorded_with_the_difference_and_asked_about(at_showdown):
    """The wager that pushed is paid: the record says by how much, and play waits for a floorperson. Clause: ma-uth 11(c)."""
    table = told(at_showdown("ma-uth"), hand(3, "Qs 9h"), hand(1, "Kc Qh"))
    for name in ("ante", "blind", "play"):
        table.act(a.SettleWager(3, name, LOSE))
    events = table.act(a.SettleWager(1, "blind", WIN, 1500))
    settled = only(events, f.WagerSettled)
    assert (settled.returned, settled.paid, settled.offered, settled.difference) == (1000, 1500, PUSH, 1500)
    (held,) = placed_holds(events)
    assert "2500 cents handed back" in held.reason
    assert "push with 1000" in held.reason
    assert (held.choices, held.reading) == ((a.Resolution.GO_ON,), table.setup.law.of_holds)
    assert "play is held" in table.refused(a.SettleWager(1, "ante", WIN, 1000)).reason
    table.act(a.ResolveHold(held.hold, a.Resolution.GO_ON, "the player kept it"))
    assert table.round.seats[1].wagers["blind"].paid == 1500


def test_a_correction_answers_the_question_about_a_wager(at_showdown):
    """A supervisor settles it anew: the difference is owed back, the hold is lifted, and the round goes on."""
    table = told(at_showdown("ma-uth"), hand(3, "Qs 9h"), hand(1, "Kc Qh"))
    for name in ("ante", "blind", "play"):
        table.act(a.SettleWager(3, name, LOSE))
    table.act(a.SettleWager(1, "blind", WIN, 1500))
    events = table.act(a.CorrectSettlement(1, "blind", PUSH, "paid by mistake"))
    new = only(events, f.SettlementCorrected)
    assert (new.was, new.before, new.returned, new.paid, new.owed) == (WIN, 2500, 1000, 0, -1500)
    assert not table.state.holds
    table.act(a.SettleWager(1, "ante", WIN, 1000))


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (hand(1, "Kc"), "seat 1: 2 cards lie there, and 1 were given"),
        (hand(2, "Kc Qh"), "seat 2 has no hand in this round; in play are seats 1, 3, 5"),
        (hand(1, "Kc Zz"), "seat 1: a card is a rank of"),
        (hand(1, "Kh Qh"), "a card is there too often (the same in: community); the set holds each once"),
        (hand(1, "Ac Ac"), "a card is there too often in this hand; the set holds each once"),
        (hand(1, "Kc Qh", played="Kc Qh"), "there is no choice of cards here; leave `played` out"),
        (a.RecordHand(Area.SIX_CARD_BOX, "3c 3d 3h 3s"), "the six card bonus are turned up once it is settled"),
        (a.RecordHand(Area.COMMUNITY, "Kh Qd 7s"), "the community: 5 cards lie there, and 3 were given"),
        (a.RecordHand(Area.DEALER, "Ks 9d", 3), "are of no seat; leave it out"),
        (a.RecordMeter("meter", 100, 50), "not paid from a meter meter; there are:"),
    ],
)  # fmt: skip
def test_cards_that_cannot_be_are_refused_and_none_is_named(at_showdown, act, says):
    """A refusal is published, so it says where the fault is and never which card it is."""
    table = told(at_showdown("ma-uth"))
    reason = table.refused(act).reason
    assert says in reason
    assert not any(card in reason for card in ("Kc", "Kh", "Zz", "Ac", "Qh"))


def test_no_identity_leaves_the_table(at_showdown):
    """Of all facts of a round in which every hand was told, the one that names cards is the one whose body is withheld."""
    table = told(at_showdown("ma-uth"), hand(3, "Qs 9h"), hand(1, "Kc Qh"))
    table.act(a.SettleWager(3, "ante", WIN, 1000))
    named = {
        fact.event.kind for fact in table.all if b"Qs 9h" in encode(fact.event) or b"Ks 9d" in encode(fact.event)
    }
    assert named == {"hand_recorded"} == set(WITHHELD)


def test_the_progressive_waits_for_its_meter(at_showdown):
    """Only the meter is asked for; told, a full house takes its part or sum of it. Clause: md-uth 12.D."""
    table = told(at_showdown("md-uth", chips=(3,)), hand(3, "Kc Qh"), hand(1, "Qs 9h"), hand(5, "As Ac"))
    found = offer(table.setup, table.round)
    assert found.line(3, "progressive") is None
    meters = [missing.meter for missing in found.missing]
    assert meters
    assert all(meters)
    for meter in meters:
        least = table.refused(a.RecordMeter(meter, 5, 1))
        assert least.cite
        table.act(a.RecordMeter(meter, 90_000_000, 80_000_000))
    found = offer(table.setup, table.round)
    assert found.missing == ()
    assert found.line(3, "progressive").outcome is LOSE


def test_what_a_limit_takes_off_is_taken_from_what_is_paid_last(make_table):
    """A royal flush at an ante of 200.00: the blind's 100,000.00 is cut to the limit and Play is paid nothing of its own; with
    Trips after it as well. Clause: ma-uth 11(b), 11(c), 11(e)."""
    table = make_table("ma-uth", elect={"R-03": "fifty", "R-98": "winnings"}).ready()
    table.bet((1, "ante", 20_000), (1, "blind", 20_000), (1, "trips", 1000)).let_out().deal().to_showdown()
    for act in (
        a.RecordHand(Area.COMMUNITY, "Ah Kh Qh 4c 2d"),
        a.RecordHand(Area.DEALER, "Ks 9d"),
        hand(1, "Jh Th"),
    ):
        table.act(act)
    found = offer(table.setup, table.round)
    assert [(x.wager, x.paid) for x in found.lines] == [
        ("ante", 20_000), ("blind", 4_980_000), ("play", 0), ("trips", 0),
    ]  # fmt: skip
    (cut,) = found.cuts
    assert (cut.limit, cut.cite) == (5_000_000, ("11(e)",))
    assert sum(x.paid for x in found.lines) == cut.limit
    (settled,) = [e for e in table.act(a.SettleWager(1, "blind", WIN, 4_980_000)) if isinstance(e, f.WagerSettled)]
    assert settled.difference == 0
    assert [(x.wager, x.paid) for x in offer(table.setup, table.round).lines] == [
        ("ante", 20_000),
        ("play", 0),
        ("trips", 0),
    ]


def at_royal(make_table, ante=20_000, **elect):
    """A royal flush at an ante of 200.00 that wins 100,900.00: 200.00, 100,000.00, 200.00 and 500.00."""
    table = make_table("ma-uth", elect=elect).ready()
    table.bet((1, "ante", ante), (1, "blind", ante), (1, "trips", 1000)).let_out().deal().to_showdown()
    for act in ROYAL:
        table.act(act)
    return table


@pytest.mark.parametrize("paid", [10_000_000, 4_980_000])
def test_a_limit_that_is_asked_each_time_is_asked_where_it_would_bite(make_table, paid):
    """R-03 = ask: nobody pays beyond a limit, nor up to it, without a floorperson. Clause: ma-uth 11(e), 14(d)."""
    table = at_royal(make_table, **{"R-03": "ask"})
    found = offer(table.setup, table.round)
    assert (found.comes_to(), found.line(1, "blind"), found.line(1, "ante").paid) == (None, None, 20_000)
    table.act(a.SettleWager(1, "ante", WIN, 20_000))
    assert not table.state.held
    table.act(a.SettleWager(1, "blind", WIN, paid))
    (hold,) = table.state.holds.values()
    assert (hold.reading, hold.seat, hold.wager, hold.choices) == ("R-03", 1, "blind", (a.Resolution.GO_ON,))
    assert hold.reason.startswith(
        f"seat 1: blind was settled as win with {paid} cents won; by the cards the hand comes to 10090000. Whether that is "
        "limited to 5000000 [11(e)], 5090000 less or to 7500000 [14(d)], 2590000 less, is asked each time (R-03)"
    )
    table.act(a.CorrectSettlement(1, "blind", WIN, "the floor decided", 7_480_000))
    assert not table.state.held


def test_a_round_that_is_settled_as_a_whole_asks_of_a_limit_too(make_table):
    """Clause: ma-uth 11(e), 14(d). One question for the seat, with both limits."""
    table = at_royal(make_table, **{"R-03": "ask"})
    table.act(a.SettleRound(handed_back=1_000_000))
    (hold,) = table.state.holds.values()
    assert (hold.reading, hold.seat, hold.wager, hold.choices) == ("R-03", 1, "", (a.Resolution.GO_ON,))
    assert hold.reason.startswith("seat 1: by the cards the hand comes to 10090000. Whether")
    assert "limited to 5000000 [11(e)], 5090000 less or to 7500000 [14(d)]" in hold.reason


def test_of_one_limit_alone_is_asked_where_the_other_is_not_reached(make_table):
    """At an ante of 120.00 the hand comes to 60,740.00. Clause: ma-uth 11(e)."""
    table = at_royal(make_table, ante=12_000, **{"R-03": "ask"})
    table.act(a.SettleRound())
    (hold,) = table.state.holds.values()
    assert hold.reading == "R-03"
    assert hold.reason.startswith(
        "seat 1: by the cards the hand comes to 6074000. Whether that is limited to 5000000 [11(e)], 1074000 less, is asked"
    )


def test_a_hand_below_both_limits_asks_nobody(make_table):
    """R-03 = ask bites from 50,000.00 on."""
    table = make_table("ma-uth", elect={"R-03": "ask"}).ready()
    table.bet((1, "ante", 1000), (1, "blind", 1000)).let_out().deal().to_showdown()
    for act in ROYAL:
        table.act(act)
    for wager, paid in (("ante", 1000), ("blind", 500_000), ("play", 1000)):
        table.act(a.SettleWager(1, wager, WIN, paid))
    assert not table.state.held


ROYAL = (a.RecordHand(Area.COMMUNITY, "Ah Kh Qh 4c 2d"), a.RecordHand(Area.DEALER, "Ks 9d"), hand(1, "Jh Th"))


def test_a_limit_that_the_house_set_higher_takes_the_place_of_the_least(make_table):
    """The royal flush of 100,000.00 and more is cut to the house's 60,000.00. Clause: md-uth 12.F(1)."""
    table = make_table("md-uth", elect={"payout_limit": "higher", "R-98": "winnings"}, payout_limit=6_000_000)
    table.ready().bet((1, "ante", 20_000), (1, "blind", 20_000)).let_out().deal().to_showdown()
    for act in ROYAL:
        table.act(act)
    found = offer(table.setup, table.round)
    assert [(cut.limit, cut.cite) for cut in found.cuts] == [(6_000_000, ("12.F(1)",))]
    assert sum(x.paid for x in found.lines) == 6_000_000


PAID = Line(1, "ante", 1000, WIN, returned=1000, paid=500)


@pytest.mark.parametrize(
    ("found", "cents"),
    [
        (Offer((PAID, Line(3, "ante", 1000, LOSE))), {1: 1500, 3: 0}),
        (Offer((PAID,), (Missing(meter="meter"),)), None),
        (Offer((PAID, Line(3, "ante", 1000, a.Outcome.HELD))), None),
        (Offer(refused="not as it stands"), None),
    ],
)
def test_what_goes_back_is_added_up_where_all_of_it_is_known(found, cents):
    """A hand that is asked for, a wager that a person decides, a round that cannot be: no sum is made up."""
    assert found.comes_to() == cents


def test_a_meter_is_still_asked_for_when_all_other_wagers_are_settled(at_showdown):
    """Nothing can be offered for the progressive wager, and it waits."""
    table = told(at_showdown("md-uth", chips=(1,)), hand(3, "Qs 9h"), hand(1, "Kc Qh"), hand(5, "Kd As"))
    meters = offer(table.setup, table.round).missing
    for line in offer(table.setup, table.round).lines:
        table.act(a.SettleWager(line.seat, line.wager, line.outcome, line.paid))
    assert offer(table.setup, table.round) == Offer(missing=meters)
    assert meters


def test_the_box_of_the_six_card_bonus_is_asked_for_and_settles_it(make_table):
    """Two kings in the hand and two in the box. Clause: md-uth 7.F(4), 12.G."""
    table = make_table("md-uth", method=Method.SHUFFLER, offered=("trips", "six_card")).ready()
    bets = ((1, "ante", 1000), (1, "blind", 1000), (1, "trips", 500), (1, "six_card", 500))
    table.bet(*bets).let_out().deal().to_showdown()
    told(table, hand(1, "Kc Kd"))
    assert offer(table.setup, table.round).missing == (Missing(Area.SIX_CARD_BOX),)
    box = "As 8d 6h 3c"
    table.act(a.RecordHand(Area.SIX_CARD_BOX, box))
    found = offer(table.setup, table.round)
    assert found.missing == ()
    assert found.line(1, "six_card").outcome is LOSE


def test_a_limit_takes_nothing_off_other_seats_and_other_wagers(make_table):
    """Seat 3 has the royal flush and a progressive wager, which no limit touches; seat 1 wins its own with three aces.
    Clause: md-uth 12.F(1), 12.D."""
    chosen = {"payout_limit": "higher", "R-98": "winnings", "progressive_table": "A", "R-27": "flop"}
    table = make_table("md-uth", elect=chosen, payout_limit=6_000_000).ready()
    bets = ((1, "ante", 1000), (1, "blind", 1000), (3, "ante", 20_000), (3, "blind", 20_000))
    table.bet(*bets, (3, "trips", 1000))
    table.chip(3)
    table.let_out().deal().to_showdown()
    for act in (*ROYAL[:2], hand(3, "Jh Th"), hand(1, "As Ac")):
        table.act(act)
    for missing in offer(table.setup, table.round).missing:
        table.act(a.RecordMeter(missing.meter, 90_000_000, 80_000_000))
    found = offer(table.setup, table.round)
    (cut,) = found.cuts
    assert cut.seat == 3
    assert "progressive" not in cut.wagers
    assert found.line(1, "ante").paid == 1000
    assert found.line(3, "progressive").paid == 90_000_000
    assert sum(x.paid for x in found.lines if x.seat == 3 and x.wager in cut.wagers) == cut.limit


def test_what_needs_no_cards_is_compared_without_any(make_table):
    """The bonus of a folded hand is lost as elected, whatever it held: paid, one by one or as a whole, it is asked about.

    Clause: ma-colorado 10(b)(2), R-103.
    """
    elect = {"version": "required_bet", "R-103": "lost"}
    table = make_table("ma-colorado", elect=elect, offered=("bonus",)).ready()
    table.bet(*((seat, name, cents) for seat in (1, 3) for name, cents in (("ante", 1000), ("bonus", 100))))
    table.let_out().deal().decide_all(a.Decision.FOLD)
    table.act(ALL)
    events = table.act(a.SettleWager(3, "bonus", WIN, 200))
    assert [x.difference for x in events if isinstance(x, f.WagerSettled)] == [300]
    (held,) = [x for x in events if isinstance(x, f.HoldPlaced)]
    table.act(a.ResolveHold(held.hold, a.Resolution.GO_ON))
    settled = next(x for x in table.act(a.SettleRound(500)) if isinstance(x, f.RoundSettled))
    assert (settled.offered, settled.difference) == (0, 500)
