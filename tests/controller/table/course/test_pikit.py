"""Pik-it Poker from the ante to the discard rack, and what stands in the way at each step."""

import pytest

from controller.daemon.views.status import next_step
from controller.rules.vocabulary import Area, Method, Trigger
from controller.table.decide import fold
from controller.table.state.table import Phase, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e

WIN, LOSE = a.Outcome.WIN, a.Outcome.LOSE
BONUS = ("three_card_bonus",)
BETS = (
    (1, "ante", 1000), (1, "five_card_bonus", 1000), (1, "three_card_bonus", 300),
    (2, "ante", 500), (2, "five_card_bonus", 500), (4, "ante", 700), (4, "five_card_bonus", 700),
)  # fmt: skip


@pytest.fixture
def dealt(make_table):
    """A table of Pik-it with five cards at seats 1, 2 and 4 and with the dealer; seat 1 has a three card bonus."""

    def deal(**elect):
        return make_table("nj-pikit", elect=elect, offered=BONUS).ready().bet(*BETS).let_out().deal()

    return deal


def test_a_round_is_played_to_its_end(dealt):
    """Bonus cards, Play 3, Play 5 and a fold, the dealer's hand, settlement, rack: outcome played, nothing open."""
    table = dealt()
    assert (table.round.phase, table.round.cards_out) == (Phase.BONUS_CARDS, 20)
    table.answer(1, "show")
    assert table.round.phase is Phase.DECISION
    table.answer(4, "fold")
    table.answer(2, "play_5", 1)
    table.answer(1, "play_3", 1)
    table.act(a.RevealDealer())
    table.end()
    ended = [fact.event for fact in table.all if isinstance(fact.event, f.RoundEnded)]
    assert [event.outcome for event in ended] == ["played"]
    assert not table.state.duties


def test_nobody_is_asked_for_three_cards_where_nobody_has_that_bonus(make_table):
    """The stage of the three card bonus is passed over without an act. Clause: nj-pikit 39.10(a)."""
    table = make_table("nj-pikit", offered=BONUS).ready().bet(*BETS[3:]).let_out().deal()
    assert table.round.phase is Phase.DECISION


def test_bets_close_only_over_an_ante_and_an_equal_five_card_bonus(make_table):
    """Both are demanded of whoever plays, in equal amounts. Clause: nj-pikit 39.1, 39.3(a)."""
    table = make_table("nj-pikit", offered=BONUS).ready().bet((1, "ante", 1000))
    refused = table.refused(a.AnnounceNoMoreBets())
    assert "five card bonus must stand and equal the ante" in refused.reason
    assert "39.3(a)" in refused.cite
    assert "needs five_card_bonus" in table.refused(a.PlaceWager(1, "three_card_bonus", 100)).reason
    table.act(a.PlaceWager(1, "five_card_bonus", 999))
    assert "equal the ante" in table.refused(a.AnnounceNoMoreBets()).reason


def test_decisions_wait_for_the_three_card_bonus_and_belong_to_its_seats(dealt):
    """Only a seat with the bonus shows cards, once, and nobody plays before. Clause: nj-pikit 39.10(b)."""
    table = dealt()
    assert (
        "first each player with a three card bonus"
        in table.refused(a.RecordDecision(1, a.Decision.PLAY_3, 1)).reason
    )
    assert "no three_card_bonus" in table.refused(a.RecordDecision(2, a.Decision.SHOW)).reason
    assert "cannot be done in phase bonus_cards" in table.refused(a.RevealDealer()).reason
    table.answer(1, "show")
    assert table.fates()[1, "three_card_bonus"] == "settled"
    assert table.fates()[1, "five_card_bonus"] == "live"


def test_a_player_plays_three_or_five_or_folds_and_nothing_else(dealt):
    """Both sides of each number; the dealer's hand waits for all. Clause: nj-pikit 39.3(b), 39.10(c)3."""
    table = dealt()
    table.answer(1, "show")
    for word in ("check", "bet", "play", "stay", "show"):
        assert "Play 3 or a Play 5" in table.refused(a.RecordDecision(4, a.Decision(word), 1)).reason
    for wrong in (0, 2):
        assert (
            "a Play 3 wager is 1 times the ante"
            in table.refused(a.RecordDecision(4, a.Decision.PLAY_3, wrong)).reason
        )
    table.answer(4, "play_3", 1)
    assert "answered already" in table.refused(a.RecordDecision(4, a.Decision.PLAY_5, 1)).reason
    assert "no hand" in table.refused(a.RecordDecision(3, a.Decision.FOLD)).reason
    assert "seats 2, 1 have not been asked" in table.refused(a.RevealDealer()).reason
    assert "another game" in table.refused(a.RevealCommunity(a.Street.FLOP)).reason


def test_the_amount_of_play_three_is_as_the_house_elected(dealt):
    """Once or twice the ante, and then only that. Clause: nj-pikit 39.3(b)."""
    table = dealt(play_3="twice")
    table.answer(1, "show")
    assert "2 times the ante" in table.refused(a.RecordDecision(4, a.Decision.PLAY_3, 1)).reason
    table.answer(4, "play_3", 2)
    assert table.round.seats[4].wagers["play_3"].cents == 1400


def test_a_folded_hand_and_its_bonus_are_settled_at_once(dealt):
    """The ante is forfeited with the fold; what others have on the layout stays. Clause: nj-pikit 39.10(c)4."""
    table = dealt()
    table.answer(1, "show")
    table.answer(4, "fold")
    fates = table.fates()
    assert (fates[4, "ante"], fates[4, "five_card_bonus"], fates[1, "ante"]) == ("collected", "settled", "live")
    assert table.round.seats[4].folded


def test_a_dealer_without_a_qualifying_hand_gives_play_five_back_and_nothing_else(dealt):
    """Clause: nj-pikit 39.10(f), 39.11(a): Play 5 is void, Play 3 and the ante are not touched."""
    table = dealt(qualifier="with")
    table.answer(1, "show")
    table.answer(4, "play_5", 1)
    table.answer(2, "play_5", 1)
    table.answer(1, "play_3", 1)
    events = table.act(a.RevealDealer(qualifies=False))
    back = [event for event in events if isinstance(event, f.WagerDecided)]
    assert [(w.seat, w.wager, w.fate) for w in back] == [(2, "play_5", "returned"), (4, "play_5", "returned")]
    assert all("39.11(a)" in w.cite for w in back)
    fates = table.fates()
    assert (table.round.phase, fates[1, "play_3"], fates[2, "ante"]) == (Phase.SHOWDOWN, "live", "live")
    table.end()


def test_a_dealer_need_not_qualify_where_the_house_plays_without_it(dealt):
    """The act says so and nothing goes back; a hand that is turned up is no statement there."""
    table = dealt(qualifier="without")
    table.answer(1, "show")
    for seat in (4, 2, 1):
        table.answer(seat, "play_5", 1)
    assert "moves no wager" in table.refused(a.RevealDealer(qualifies=False)).reason
    (revealed,) = table.act(a.RevealDealer())
    assert revealed == f.DealerRevealed(None)


@pytest.mark.parametrize(("order", "words"), [("by_step", "each step for all"), ("by_player", "one player, then")])
def test_the_dealer_is_told_the_order_of_settlement_that_the_house_named(dealt, order, words):
    """Clause: nj-pikit 39.10(e)1 and 2."""
    table = dealt(settlement=order)
    table.answer(1, "show")
    for seat in (4, 2, 1):
        table.answer(seat, "fold")
    table.act(a.RevealDealer())
    assert words in next_step(table.setup, table.state)


@pytest.fixture
def told(dealt):
    """The dealer's pair of jacks: seat 4 wins with kings, seats 2 and 1 lose, as far as their cards are told."""

    def make(*seats, of_2="Ts Th 7d 5d 3c", **elect):
        table = dealt(**elect)
        table.answer(1, "show")
        for seat in (4, 2, 1):
            table.answer(seat, "play_5", 1)
        table.act(a.RevealDealer())
        table.act(a.RecordHand(Area.DEALER, "Js Jh 8d 4c 2s"))
        hands = {4: "Ks Kh 9d 5c 3s", 2: of_2, 1: "9s 9h 7c 6d 4s"}
        for seat in seats:
            table.act(a.RecordHand(Area.PLAYER, hands[seat], seat))
        return table

    return make


def test_by_step_what_loses_is_collected_before_any_is_paid_each_from_the_right(told):
    """Clause: nj-pikit 39.10(e)1."""
    table = told(4, 2, 1, settlement="by_step")
    for early in (a.SettleWager(4, "ante", WIN, 700), a.SettleWager(1, "ante", LOSE)):
        refused = table.refused(early)
        assert ("first collect seat 2: ante" in refused.reason, "39.10(e)1" in refused.cite) == (True, True)
    for seat, name in ((2, "play_5"), (2, "ante"), (1, "ante"), (1, "play_5")):
        table.act(a.SettleWager(seat, name, LOSE))
    for name in ("play_5", "ante"):
        table.act(a.SettleWager(4, name, WIN, table.round.seats[4].wagers[name].cents))
    assert not table.state.holds


def test_by_step_each_is_paid_from_the_right_too(told):
    """Clause: nj-pikit 39.10(e)1."""
    table = told(4, 2, 1, of_2="Qs Qh 7d 5d 3c", settlement="by_step")
    for name in ("play_5", "ante"):
        table.act(a.SettleWager(1, name, LOSE))
    refused = table.refused(a.SettleWager(2, "ante", WIN, 700))
    assert refused.reason.startswith("first settle seat 4: ante; what loses is collected of all")


def test_by_step_nothing_waits_for_a_hand_that_was_not_told(told):
    """What it comes to nobody knows here; the others go on. By player the order needs no cards."""
    table = told(4, 1, settlement="by_step")
    table.act(a.SettleWager(1, "ante", LOSE))
    table.act(a.SettleWager(1, "play_5", LOSE))
    table.act(a.SettleWager(4, "ante", WIN, table.round.seats[4].wagers["ante"].cents))
    assert "first seat 4" in told(settlement="by_player").refused(a.SettleWager(1, "ante", LOSE)).reason


def test_a_void_after_some_wagers_were_settled_is_asked_about(dealt):
    """A wrong number of cards voids all hands; no text says what becomes of a bonus that was paid: the floor decides."""
    table = dealt()
    table.answer(1, "show")
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=2))
    assert table.round.void
    assert any("settled already" in hold.reason for hold in table.state.holds.values())
    assert table.fates()[1, "three_card_bonus"] == "settled"
    assert table.fates()[1, "ante"] == "returned"


def test_a_table_without_devices_in_the_deal_plays_the_same_round(make_table):
    """Dealt from the hand, on people's word alone: five cards each, the stub fits."""
    table = make_table("nj-pikit", Method.HAND, offered=BONUS).ready().bet(*BETS).let_out()
    table.act(a.RecordInitialDeal())
    assert table.round.cards_out == 20
    table.answer(1, "show")
    for seat in (4, 2, 1):
        table.answer(seat, "fold")
    table.act(a.RevealDealer())
    table.act(a.RecordStubCount(32))
    assert table.round.stub_counted
    table.end()


@pytest.fixture
def late(make_table):
    """Two seats of Pik-it dealt, the dealer's stack still in the shoe; the shoe's deal plan."""
    table = make_table("nj-pikit", elect={"dealer_stack": "after_decisions"}, offered=()).ready()
    bets = [(seat, name, 500) for seat in (2, 4) for name in ("ante", "five_card_bonus")]
    return table.bet(*bets).let_out().deal(2)


def wanted(table):
    return table.state.devices["shoe-1"].wanted.get("dispensing")


def test_the_dealers_stack_stays_in_the_shoe_until_all_have_answered(late):
    """Two stacks are the deal; the third is let out by the dealer, and the hand turned up only then. Clause: 39.9(c)2."""
    assert (late.round.phase, late.round.cards_out, wanted(late)) == (Phase.DECISION, 10, "inhibited")
    refused = late.refused(a.StartDealing())
    assert ("until seats 4, 2 have answered" in refused.reason, "39.9(c)2" in refused.cite) == (True, True)
    late.answer(4, "fold")
    late.answer(2, "play_3", 1)
    refused = late.refused(a.RevealDealer())
    assert ("still in the device" in refused.reason, "39.9(c)2" in refused.cite) == (True, True)
    assert "let the dealer's stack out of shoe-1" in next_step(late.setup, late.state)
    assert "what is left after it" in late.refused(a.RecordStubCount(42)).reason
    late.act(a.StartDealing())
    assert (late.round.phase, wanted(late)) == (Phase.DECISION, "allowed")
    late.stack(3)
    assert (late.round.cards_out, wanted(late), late.round.phase) == (15, "inhibited", Phase.DECISION)
    assert late.refused(a.StartDealing()).code == "all_dealt"
    late.act(a.RecordStubCount(37))
    assert late.round.count_proven
    late.act(a.RevealDealer())
    late.end()
    assert fold(State.initial(late.setup), late.all) == late.state


def test_a_late_stack_that_nobody_let_out_is_held(late):
    """The shoe gives it out while players still answer: a person looks. Clause: 39.9(c)2."""
    late.stack(3)
    assert [hold.code for hold in late.state.holds.values()] == ["cards_dispensed"]
    for hold in list(late.state.holds):
        late.act(a.ResolveHold(hold, a.Resolution.GO_ON))


def test_a_late_stack_with_a_wrong_number_of_cards_voids_the_round(late):
    """Clause: 38.12(c)."""
    late.answer(4, "fold")
    late.answer(2, "fold")
    late.act(a.StartDealing())
    late.stack(3, 4)
    assert late.round.void


def test_a_shoe_that_ends_without_the_late_stack_failed_to_deal(late):
    """Clause: 38.12(f)."""
    late.answer(4, "play_3", 1)
    late.answer(2, "fold")
    late.act(a.StartDealing())
    late.put(e.DealCompleted(e.Back.RED, 2, 42), "shoe-1")
    assert late.round.void


def test_a_shoe_that_comes_back_after_the_dealers_hand_was_turned_up_has_nothing_of_it(late):
    """A hand dealt the dealer's stack meanwhile; otherwise the stub could never be counted, nor the round end."""
    late.answer(4, "fold")
    late.answer(2, "play_3", 1)
    late.act(a.TakeDeviceOut("shoe-1", a.OutOfService.REMOVED, failed=True))
    for hold in list(late.state.holds):
        late.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    late.act(a.RevealDealer())
    late.act(a.SettleRound())
    late.act(a.ReturnDevice("shoe-1"))
    assert late.state.dispenser() == "shoe-1"
    late.act(a.RecordStubCount(37))
    assert late.round.stub_counted
