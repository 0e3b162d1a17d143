"""Wagers settled one by one: the order of the document, sums that can be, and what is recorded of each."""

from dataclasses import replace

import msgspec
import pytest

from controller.rules.vocabulary import Area, Method, Role, Settle, Trigger
from controller.table.questions.stub_count_and_turns import order_cite
from controller.table.settlement.settle import MOST_PAID
from controller.table.state.table import Phase
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e

WIN, LOSE, PUSH = a.Outcome.WIN, a.Outcome.LOSE, a.Outcome.PUSH


def settled(events):
    (event,) = [event for event in events if isinstance(event, f.WagerSettled)]
    return event


@pytest.fixture
def at_showdown(make_table):
    """Ultimate at its settlement: seats 1 and 3 have played, seat 5 has folded with Trips on the layout."""

    def make(rulebook, chips=()):
        table = make_table(rulebook).ready().begin(seats=(1, 3, 5), trips=(1, 5))
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


@pytest.mark.parametrize("lacks", [Settle.FROM, Settle.ORDER])
def test_where_no_order_is_printed_every_wager_may_be_settled_first(at_showdown, lacks):
    """It takes both, a side to begin at and that one player is settled after the other."""
    table = at_showdown("ma-uth")
    book = table.setup.law.rulebook
    printed = {settle: rule for settle, rule in book.settlement.items() if settle is not lacks}
    law = replace(table.setup.law, rulebook=replace(book, settlement=printed))
    table.setup = msgspec.structs.replace(table.setup, law=law)
    table.act(a.SettleWager(1, "ante", LOSE))


def test_cover_all_is_settled_once_all_else_is_and_from_the_right_again(make_table):
    """Clause: ma-uth 13(j), 10(h)."""
    table = make_table("ma-uth", Method.SHUFFLER, offered=("cover_all",)).ready()
    table.online("shuffler-1", levels=e.Levels(dispensing=e.INHIBITED, mode=e.Mode.COVER_ALL, cards_inside=0))
    table.begin(trips=())
    for seat in (1, 3):
        table.act(a.PlaceWager(seat, "cover_all", 500))
    table.let_out().deal()
    table.act(a.RecordHandsFound(3))
    table.to_showdown()
    assert "first seat 3: ante, blind, play" in table.refused(a.SettleWager(3, "cover_all", LOSE)).reason
    for seat in (3, 1):
        for name in ("ante", "blind", "play"):
            table.act(a.SettleWager(seat, name, LOSE))
    refused = table.refused(a.SettleWager(1, "cover_all", LOSE))
    assert ("first seat 3: cover_all" in refused.reason, "13(j)" in refused.cite) == (True, True)
    for seat in (3, 1):
        table.act(a.SettleWager(seat, "cover_all", LOSE))


def test_a_folded_hand_with_trips_is_settled_whenever_the_dealer_comes_to_it(at_showdown, rulebook):
    """It waits for the conclusion of the round, and no place in the row is printed for it. Clause: 10(e)(2)(i), 11.F(3)(a)."""
    table = at_showdown(rulebook)
    table.act(a.SettleWager(5, "trips", LOSE))
    assert "collected" in table.refused(a.SettleWager(5, "ante", LOSE)).reason


@pytest.mark.parametrize(
    ("outcome", "paid", "says"),
    [
        (WIN, 0, "is paid 1 to"),
        (WIN, -5, "is paid 1 to"),
        (WIN, MOST_PAID + 1, "is paid 1 to"),
        (LOSE, 1, "only a winning"),
        (PUSH, 1, "only a winning"),
    ],
)
def test_a_sum_that_does_not_fit_its_outcome_is_refused(at_showdown, outcome, paid, says):
    """Both sides: nothing is won without a sum, and no sum is paid on what did not win."""
    table = at_showdown("md-uth")
    assert says in table.refused(a.SettleWager(3, "play", outcome, paid)).reason


def test_a_wager_is_settled_once_and_only_in_its_phase(at_showdown, make_table):
    """Not before the settlement, not twice, and not one that is not there; the end of the settlement takes what is left."""
    early = make_table("md-uth").ready().begin().let_out().deal()
    assert "cannot be done in phase pre_flop" in early.refused(a.SettleWager(1, "trips", LOSE)).reason
    table = at_showdown("md-uth")
    table.act(a.SettleWager(3, "play", LOSE))
    assert "settled already: lose" in table.refused(a.SettleWager(3, "play", LOSE)).reason
    assert "has no six_card wager" in table.refused(a.SettleWager(3, "six_card", LOSE)).reason
    table.act(a.SettleRound())
    assert table.round.phase is Phase.SETTLED
    table.act(a.SettleWager(1, "ante", LOSE))
    assert table.round.seats[1].wagers["ante"].outcome is LOSE


def test_a_progressive_win_is_validated_by_the_floor_before_it_is_paid(at_showdown):
    """Hand and light are looked at by a floorperson. Clause: md-uth 11.J(2)(a) to (c)."""
    table = at_showdown("md-uth", chips=(1,))
    for name in ("ante", "blind", "play"):
        table.act(a.SettleWager(3, name, LOSE))
    for name in ("ante", "blind", "play", "trips"):
        table.act(a.SettleWager(1, name, LOSE))
    refused = table.refused(a.SettleWager(1, "progressive", WIN, 4500))
    assert ("validated first" in refused.reason, "11.J(2)(c)" in refused.cite) == (True, True)
    assert "needs a floorperson" in table.refused(a.ValidateProgressive(1, True), Role.DEALER).reason
    assert "light" in table.refused(a.ValidateProgressive(1, False)).reason
    assert "has no progressive" in table.refused(a.ValidateProgressive(3, True)).reason
    (validated,) = table.act(a.ValidateProgressive(1, True), Role.FLOORPERSON)
    assert (validated.by, validated.role, validated.cite[-1]) == ("a floorperson", Role.FLOORPERSON, "11.J(2)(c)")
    table.act(a.SettleWager(1, "progressive", WIN, 4500))


def test_a_progressive_loss_needs_nobody_and_massachusetts_asks_for_nobody(at_showdown):
    """The clause speaks of a payout; the other document has no such clause."""
    table = at_showdown("ma-uth", chips=(1,))
    for seat, names in ((3, ("ante", "blind", "play")), (1, ("ante", "blind", "play"))):
        for name in names:
            table.act(a.SettleWager(seat, name, LOSE))
    table.act(a.SettleWager(1, "progressive", WIN, 4500))
    assert "no payout that is validated" in table.refused(a.ValidateProgressive(1, True)).reason


def test_a_spared_trips_wager_is_settled_once_the_community_cards_lie(make_table):
    """All hands are void, Trips lives on and is settled on the community cards. Clause: md-uth 13.G."""
    table = make_table("md-uth").ready().begin(seats=(1, 3), trips=(1,)).let_out().deal()
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.RETURN_WAGER))
    refused = table.refused(a.SettleWager(1, "trips", LOSE))
    assert ("deal_community" in refused.reason, refused.cite) == (True, ("13.G",))
    assert "nothing is settled on it" in table.refused(a.SettleWager(1, "ante", LOSE)).reason
    for duty in [d for d in table.state.duties.values() if d.action == "deal_community"]:
        table.act(a.ConfirmDuty(duty.id))
    table.act(a.SettleWager(1, "trips", WIN, 1500))


def test_what_an_answer_settles_is_recorded_beside_it(make_table):
    """The bonus of three shown cards is paid before the decisions, and not before they are shown. Clause: nj-pikit 39.10(b)."""
    bets = [(1, n, 500) for n in ("ante", "five_card_bonus", "three_card_bonus")]
    table = make_table("nj-pikit", offered=("three_card_bonus",)).ready().bet(*bets).let_out().deal()
    early = table.refused(a.SettleWager(1, "three_card_bonus", LOSE))
    assert early == f.InputRefused(
        "settle_wager",
        "seat 1: the three_card_bonus wager is settled once its player has answered show (record_decision)",
        "a supervisor", ("39.10(b)",), "settled_in_order",
    )  # fmt: skip
    table.answer(1, "show")
    assert settled(table.act(a.SettleWager(1, "three_card_bonus", WIN, 500))).paid == 500


@pytest.mark.parametrize(
    ("book", "bets", "wager", "says", "cite"),
    [
        ("ma-colorado", ("ante",), "ante",
            "is settled in phase showdown, or once its player has answered declare (record_decision)", ("10(b)",)),
        ("fast-action", ("original",), "original",
            "is settled in phase showdown, or once its player has answered natural (record_decision)", None),
        ("nj-pikit", ("ante", "five_card_bonus"), "ante", "is settled in phase showdown", None),
    ],
)  # fmt: skip
def test_a_wager_that_is_settled_too_early_names_what_comes_first(make_table, book, bets, wager, says, cite):
    """An answer of the player where one settles it at once, and the settlement where it may wait for that."""
    table = make_table(book).ready().bet(*((1, name, 500) for name in bets)).let_out().deal()
    refused = table.refused(a.SettleWager(1, wager, LOSE))
    assert refused.reason == f"seat 1: the {wager} wager {says}"
    assert refused.cite == (cite or order_cite(table.setup, table.state, "settle_round")) != ()


def test_after_the_last_answer_of_its_player_a_wager_waits_for_the_settlement(make_table):
    """A hand that was set is no natural any more."""
    table = make_table("fast-action").ready().bet((1, "original", 500), (3, "original", 500)).let_out().deal()
    table.answer(1, "set")
    assert table.refused(a.SettleWager(1, "original", LOSE)).reason == (
        "seat 1: the original wager is settled in phase showdown"
    )


@pytest.mark.parametrize(("elected", "back"), [("player", 351), ("house", 350)])
def test_a_surrendered_hand_gives_up_half_and_an_odd_cent_goes_as_elected(make_table, elected, back):
    """Half of 701 cents; an even wager needs no reading. Clause: fast-action (h)(6)."""
    table = make_table("fast-action", Method.MANUAL_SHOE, elect={"R-81": elected}, offered=()).ready()
    table.bet((1, "original", 701), (2, "original", 700)).let_out().act(a.RecordInitialDeal())
    odd, even = settled(table.answer(1, "surrender")), settled(table.answer(2, "surrender"))
    assert (odd.returned, odd.reading, odd.cite) == (back, "R-81", ("(h)(6)",))
    assert (even.returned, even.reading) == (350, None)
    assert {odd.by, even.by} == {"a supervisor"}


@pytest.mark.parametrize(("answer", "back"), [("cent_to_player", 351), ("cent_to_house", 350)])
def test_where_that_is_elected_the_floor_says_whose_the_cent_is(make_table, answer, back):
    """R-81 = hold: the wager waits, and either answer settles it."""
    table = make_table("fast-action", Method.MANUAL_SHOE, elect={"R-81": "hold"}, offered=()).ready()
    table.bet((1, "original", 701), (2, "original", 700)).let_out().act(a.RecordInitialDeal())
    told = table.answer(1, "surrender")
    decided = next(event for event in told if isinstance(event, f.WagerDecided))
    assert (decided.seat, decided.wager, decided.fate) == (1, "original", "held")
    assert (decided.cite, decided.reading) == ((), "R-81")
    (hold,) = table.state.holds.values()
    assert (hold.reading, hold.seat, hold.wager) == ("R-81", 1, "original")
    assert hold.reason == "seat 1: half of 701 cents cannot be paid; decide: cent_to_player or cent_to_house"
    given = settled(table.act(a.ResolveHold(hold.id, a.Resolution(answer)), Role.FLOORPERSON))
    assert (given.returned, given.by) == (back, "a floorperson")
    assert table.fates()[1, "original"] == "settled"


@pytest.fixture
def copy_hand(make_table):
    """Fast Action with the hand of seat 1 told: a copy, which by the cautious reading a floorperson decides about."""
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready()
    table.bet((1, "original", 1000), (2, "original", 1000)).let_out().act(a.RecordInitialDeal())
    for seat in (1, 2):
        table.answer(seat, "set")
    for act in (
        a.RevealDealer(), a.RevealCommunity(a.Street.COMMUNITY), a.RecordHand(Area.DEALER, "Ks Qs 4d 2c"),
        a.RecordHand(Area.COMMUNITY, "Ah Kd Qc 7c 3s"), a.RecordHand(Area.PLAYER, "Kc Qh 9d 8s", 1, played="Kc Qh"),
    ):  # fmt: skip
        table.act(act)
    return table


def test_what_is_asked_about_each_time_is_not_settled_by_the_dealer_alone(copy_hand):
    """Clause: fast-action (h)(11), R-55."""
    events = copy_hand.act(a.SettleWager(1, "original", WIN, 1000), Role.DEALER)
    (hold,) = [event for event in events if isinstance(event, f.HoldPlaced)]
    assert ("seat 1 original [R-55]" in hold.reason, hold.reading, hold.choices) == (
        True,
        "R-55",
        (a.Resolution.GO_ON,),
    )
    copy_hand.act(a.CorrectSettlement(1, "original", PUSH, "a copy hand"))
    assert not copy_hand.state.holds
    copy_hand.act(a.SettleWager(2, "original", LOSE), Role.DEALER)
    assert not copy_hand.state.holds


def test_a_floorperson_who_settles_it_has_decided(copy_hand):
    copy_hand.act(a.SettleWager(1, "original", PUSH), Role.FLOORPERSON)
    copy_hand.act(a.SettleRound(), Role.FLOORPERSON)
    assert not copy_hand.state.holds
