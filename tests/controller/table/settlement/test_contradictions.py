"""Cards against what was said of the hand before: the slip is found, play waits, and what went back by it is put right."""

import pytest

from controller.rules.vocabulary import Area, Method, Trigger
from controller.table.decide import fold
from controller.table.settlement.offer import offer
from controller.table.settlement.unchecked import Check, unchecked
from controller.table.state.table import State
from controller.table.words import acts as a
from controller.table.words import facts as f

WIN, LOSE, RETURN = a.Outcome.WIN, a.Outcome.LOSE, a.Outcome.RETURN
KINGS = a.RecordHand(Area.DEALER, "Kd Kc 4h 3s 2c")
QUEEN = a.RecordHand(Area.DEALER, "Qd Jc 4h 3s 2c")
FOUR, NO_FOUR = a.RecordHand(Area.DEALER, "Kd Kc Kh Ks"), a.RecordHand(Area.DEALER, "Kd Kc Qh 2s")


def reasons(events):
    return [event.reason for event in events if isinstance(event, f.HoldPlaced)]


@pytest.fixture
def pikit(make_table):
    """Seats 1 and 3 have made Play 5, and of the dealer's hand it was said whether it qualifies."""

    def make(qualifies):
        bets = [(seat, name, 1000) for seat in (1, 3) for name in ("ante", "five_card_bonus")]
        table = make_table("nj-pikit", elect={"qualifier": "with"}, offered=()).ready().bet(*bets).let_out().deal()
        for seat in (3, 1):
            table.answer(seat, "play_5", 1)
        table.act(a.RevealDealer(qualifies=qualifies))
        return table

    return make


@pytest.fixture
def fast(make_table):
    """Fast Action with two hands that are set, and what was said of the dealer's."""

    def make(natural, decision="set"):
        bets = ((1, "original", 1000), (2, "original", 1000))
        table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready().bet(*bets).let_out()
        table.act(a.RecordInitialDeal())
        table.answer(1, decision, 1 if decision == "split" else 0)
        table.answer(2, "set")
        table.act(a.RevealDealer(natural=natural))
        return table

    return make


def test_play_five_that_went_back_by_a_slip_is_settled_by_the_cards(pikit):
    """It was returned in full, so that a win owes the winnings and a loss the stake. Clause: nj-pikit 39.11(a)."""
    table = pikit(False)
    table.act(KINGS)
    won = table.act(a.CorrectSettlement(3, "play_5", WIN, "the dealer did qualify", 1000))[0]
    assert (won.was, won.before, won.owed) == (RETURN, 1000, 1000)
    lost = table.act(a.CorrectSettlement(1, "play_5", LOSE, "the dealer did qualify"))[0]
    assert (lost.was, lost.before, lost.owed) == (RETURN, 1000, -1000)
    assert {table.fates()[seat, "play_5"] for seat in (1, 3)} == {"settled"}
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    table.act(a.SettleRound())
    assert fold(State.initial(table.setup), table.all) == table.state


@pytest.mark.parametrize(("said", "cards", "held"), [
    (True, NO_FOUR, True), (False, FOUR, True), (True, FOUR, False), (False, NO_FOUR, False),
])  # fmt: skip
def test_a_natural_of_the_dealer_that_was_misread_holds_the_round(fast, said, cards, held):
    """Clause: fast-action (a)(1)(v), (h)(8)."""
    found = reasons(fast(said).act(cards))
    assert [f"said to be {'a' if said else 'no'} natural" in reason for reason in found] == [True] * held


def test_the_second_hand_that_went_back_by_a_slip_is_settled_by_the_cards(fast):
    """Clause: fast-action (h)(8)."""
    table = fast(True, "split")
    assert table.fates()[1, "second_hand"] == "returned"
    table.act(NO_FOUR)
    assert table.act(a.CorrectSettlement(1, "second_hand", LOSE, "no natural"))[0].owed == -1000


def test_a_declaration_that_the_cards_prove_is_not_reported_as_false(make_table):
    """Three nines win at once; the ante is lost for an error only. Clause: ma-colorado 10(b)(3)(i), 14(d)."""
    table = make_table("ma-colorado", offered=()).ready().bet((1, "ante", 1000), (3, "ante", 1000))
    table.let_out().deal()
    table.answer(1, "declare")
    table.act(a.RecordHand(Area.PLAYER, "9c 9h 9d", 1))
    refused = table.refused(a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=1))
    assert refused.reason.startswith("seat 1: these cards win at once")
    assert refused.code == "nothing_declared"
    assert refused.cite == ("14(d)",)
    assert table.fates()[1, "ante"] == "settled"
    table.act(a.RecordHand(Area.PLAYER, "9c 9h 8d", 1))
    table.act(a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=1))
    assert table.fates()[1, "ante"] == "lost"


@pytest.mark.parametrize(("low_ace", "refused"), [("counts", True), ("does_not_count", False), ("ask", False)])
def test_whether_ace_two_three_wins_at_once_is_as_the_house_elected(make_table, low_ace, refused):
    """Clause: ma-colorado 3(a), 3(c)(1)."""
    table = make_table("ma-colorado", elect={"R-59": low_ace}, offered=()).ready()
    table.bet((1, "ante", 1000), (3, "ante", 1000)).let_out().deal()
    table.answer(1, "declare")
    events = table.act(a.RecordHand(Area.PLAYER, "Ac 2c 3c", 1))
    assert len(reasons(events)) == (low_ace == "does_not_count")
    report = a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=1)
    if refused:
        assert "win at once" in table.refused(report).reason
    else:
        table.act(report)
        assert table.fates()[1, "ante"] == "lost"


def test_a_proven_natural_is_not_reported_as_false(fast):
    """Clause: fast-action (h)(2)."""
    table = fast(False, "natural")
    report = a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=1)
    table.act(a.RecordHand(Area.PLAYER, "9c 9h 9d ??", 1))
    table.act(a.RecordHand(Area.PLAYER, "9c 9h 9d 9s", 1))
    assert "these cards win at once" in table.refused(report).reason


def test_a_natural_that_is_none_switches_off_no_comparison_of_the_others(fast):
    """Seat 2 is beaten by the dealer's kings, and is paid all the same. Clause: fast-action (h)(2), (h)(12)."""
    table = fast(False, "natural")
    table.act(a.RevealCommunity(a.Street.COMMUNITY))
    table.act(a.RecordHand(Area.COMMUNITY, "2d 5c 6h 7s Js"))
    table.act(NO_FOUR)
    table.act(a.RecordHand(Area.PLAYER, "9c 9h 9d 8s", 1))
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.GO_ON))
    assert reasons(table.act(a.RecordHand(Area.PLAYER, "8c 3h 4d Qs", 2, played="Qs 8c"))) == []
    events = table.act(a.SettleWager(2, "original", WIN, 1000))
    (settled,) = [event for event in events if isinstance(event, f.WagerSettled)]
    assert (settled.offered, settled.difference) == (LOSE, 2000)
    assert len(reasons(events)) == 1


@pytest.mark.parametrize(
    ("said", "cards", "proven"),
    [(False, KINGS, False), (False, QUEEN, True), (True, KINGS, True), (False, None, False)],
)
def test_what_went_back_by_an_announcement_is_checked_by_cards_that_bear_it_out(pikit, said, cards, proven):
    """The sums of the other wagers fit either way. Clause: nj-pikit 39.11(a)."""
    table = pikit(said)
    for told in (
        cards,
        a.RecordHand(Area.PLAYER, "9c 9h 9d 8s 2d", 3),
        a.RecordHand(Area.PLAYER, "Qh Jh 8h 7d 5d", 1),
    ):
        if told is not None:
            table.act(told)
    for hold in tuple(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    comes_to = offer(table.setup, table.round).comes_to()
    table.act(a.SettleRound(sum(comes_to.values()) if comes_to else None))
    assert (Check.PAYMENTS not in unchecked(table.setup, table.state)) is proven


def test_a_wager_that_a_person_gave_back_is_none_that_went_back_by_what_was_said(pikit, make_table):
    """It is not corrected by the cards: the dealer's hand was said to qualify, or nobody has said a word of it yet."""
    table = pikit(True)
    table.act(a.SettleWager(1, "ante", LOSE))
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    for hold in tuple(table.state.holds.values()):
        back = a.Resolution.RETURN_WAGER in hold.choices
        table.act(a.ResolveHold(hold.id, a.Resolution.RETURN_WAGER if back else a.Resolution.GO_ON))
    fates = table.fates()
    assert (fates[1, "ante"], fates[1, "play_5"]) == ("settled", "returned")
    assert "not settled by the cards" in table.refused(a.CorrectSettlement(1, "play_5", LOSE, "x")).reason
    split = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready()
    split.bet((1, "original", 1000), (2, "original", 1000)).let_out().act(a.RecordInitialDeal())
    split.answer(1, "split", 1)
    split.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1, too_many=True))
    split.act(a.ResolveHold(next(iter(split.state.holds)), a.Resolution.RETURN_WAGER))
    assert split.fates()[1, "second_hand"] == "returned"
    refused = split.refused(a.CorrectSettlement(1, "second_hand", LOSE, "x"))
    assert "not settled by the cards" in refused.reason


NOT_BY_CARDS = "is returned, and was not settled by the cards"


def test_what_went_back_by_an_announcement_is_corrected_in_its_round_alone(pikit):
    """Between rounds, and by its name in the next one, it stays as it is."""
    table = pikit(False)
    wrong = a.CorrectSettlement(1, "play_5", LOSE, "x", round=table.round.id)
    for act in (a.SettleRound(), a.CollectCards(), a.EndRound()):
        table.act(act)
    assert NOT_BY_CARDS in table.refused(wrong).reason
    table.shuffled("red")
    table.bet((3, "ante", 1000), (3, "five_card_bonus", 1000), back="blue")
    assert NOT_BY_CARDS in table.refused(wrong).reason


def test_what_a_void_concerns_as_well_is_not_corrected_by_the_cards(pikit, make_table):
    """Of the round, or of that hand alone: the void has decided what becomes of its wagers. Clause: nj-pikit 38.12(c)."""
    table = pikit(False)
    table.act(a.SettleWager(1, "ante", WIN, 1000))
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER))
    assert (table.round.void, table.fates()[1, "play_5"]) == (True, "returned")
    assert NOT_BY_CARDS in table.refused(a.CorrectSettlement(1, "play_5", LOSE, "x")).reason
    split = make_table("fast-action", Method.MANUAL_SHOE, elect={"R-22": "hold"}, offered=()).ready()
    split.bet((1, "original", 1000), (2, "original", 1000)).let_out().act(a.RecordInitialDeal())
    split.answer(1, "split", 1)
    split.answer(2, "set")
    for trigger in (Trigger.WRONG_COUNT_PLAYER, Trigger.HAND_DECLARED_VOID):
        split.act(a.ReportIrregularity(trigger, seat=1))
    for hold in tuple(split.state.holds):
        split.act(a.ResolveHold(hold, a.Resolution.WAGER_STANDS))
    split.act(a.RevealDealer(natural=True))
    assert (split.round.void, split.round.seats[1].void) == (False, True)
    assert (split.fates()[1, "original"], split.fates()[1, "second_hand"]) == ("stands", "returned")
    assert NOT_BY_CARDS in split.refused(a.CorrectSettlement(1, "second_hand", LOSE, "x")).reason


COLORADO = ("ma-colorado", "ante", "Jh Kh Qh", "Jh Kh Qd", {"R-60": "collect"}, "lost")
FAST = ("fast-action", "original", "7c 7d 7h 7s", "7c 7d 7h 6s", {"R-67": "hold"}, "held")
FAST_ON = (*FAST[:4], {"R-67": "play_on"}, "live")


@pytest.fixture
def doubted(make_table):
    """It was reported that seat 1 declared a hand that it does not hold, before anybody had told its cards."""

    def make(name, wager, elect):
        by = () if name == "ma-colorado" else (Method.MANUAL_SHOE,)
        table = make_table(name, *by, elect=elect, offered=()).ready()
        table.bet((1, wager, 1000), (3, wager, 1000)).let_out()
        table.act(a.RecordInitialDeal()) if by else table.deal()
        table.act(a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=1))
        return table

    return make


def to_settle(table, name):
    """The other hand answers, and all cards are turned up; the seat that was doubted says nothing more, or sets its hand."""
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    if name == "ma-colorado":
        table.answer(3, "fold")
    else:
        table.answer(1, "natural")
        table.answer(3, "set")
        table.act(a.RevealDealer(natural=False))
    table.act(a.RevealCommunity(a.Street.COMMUNITY))


@pytest.mark.parametrize(("name", "wager", "wins", "none", "elect", "fate"), [COLORADO, FAST, FAST_ON])
def test_cards_that_bear_out_a_declaration_that_was_reported_false_hold(
    doubted, name, wager, wins, none, elect, fate
):
    """Once, and not for a hand that is none. Clause: ma-colorado 10(b)(3)(i), 14(d); fast-action (h)(2). R-67."""
    table = doubted(name, wager, elect)
    if fate == "lost":
        assert table.fates()[1, wager] == fate
    to_settle(table, name)
    (reason,) = reasons(table.act(a.RecordHand(Area.PLAYER, wins, 1)))
    assert "was reported to be declared falsely, and by its cards it wins at once" in reason
    assert not set(wins.split()) & set(reason.split())
    assert reasons(table.act(a.RecordHand(Area.PLAYER, wins, 1))) == []


@pytest.mark.parametrize(("name", "wager", "wins", "none", "elect", "fate"), [COLORADO])
def test_a_wager_lost_by_a_report_that_the_cards_disprove_is_settled_by_them(
    doubted, name, wager, wins, none, elect, fate
):
    """And one that they bear out stays lost. Fast Action takes nothing by such a report. Clause: 10(b)(3)(i), 14(d)."""
    table = doubted(name, wager, elect)
    to_settle(table, name)
    right = a.CorrectSettlement(1, wager, WIN, "the hand wins at once", 1000)
    table.act(a.RecordHand(Area.PLAYER, none, 1))
    assert table.refused(right).code == "not_settled"
    table.act(a.RecordHand(Area.PLAYER, wins, 1))
    (event,) = (x for x in table.act(right) if isinstance(x, f.SettlementCorrected))
    assert (event.was, event.before, event.owed) == (LOSE, 0, 2000)
    assert table.fates()[1, wager] == "settled"
    assert fold(State.initial(table.setup), table.all) == table.state


@pytest.mark.parametrize("void", [False, True])
def test_a_wager_that_went_back_for_a_natural_that_is_one_is_settled_by_the_cards(doubted, void):
    """Nothing is taken in Fast Action, and a person may give the wager back; not once the round is void. Clause: (h)(2)."""
    table = doubted("fast-action", "original", {"R-67": "play_on"})
    to_settle(table, "fast-action")
    table.act(a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=1))
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.RETURN_WAGER))
    right = a.CorrectSettlement(1, "original", WIN, "it is a natural", 5000)
    assert table.refused(right).code == "not_settled"
    table.act(a.RecordHand(Area.PLAYER, "7c 7d 7h 7s", 1))
    if void:
        table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.VOID))
        assert table.refused(right).code == "not_settled"
        return
    (event,) = (x for x in table.act(right) if isinstance(x, f.SettlementCorrected))
    assert (event.was, event.before, event.owed) == (RETURN, 1000, 5000)


def test_four_cards_bear_out_no_natural_of_a_hand_that_had_more(doubted):
    """Which came first is not to be seen any more. Clause: fast-action (h)(2), (i)(4)."""
    table = doubted("fast-action", "original", {"R-67": "play_on"})
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1, cards=5, too_many=True))
    table.answer(1, "set")
    table.answer(3, "set")
    table.act(a.RevealDealer(natural=False))
    table.act(a.RevealCommunity(a.Street.COMMUNITY))
    assert not [x for x in reasons(table.act(a.RecordHand(Area.PLAYER, "7c 7d 7h 7s", 1))) if "falsely" in x]


def test_a_dealers_hand_that_is_set_against_the_house_ways_holds_as_soon_as_it_is_told(fast):
    """Before the community cards it can still be set right, and told again nothing is held. R-200. Clause: (h)(7), (h)(9)."""
    table = fast(False)
    (reason,) = reasons(table.act(a.RecordHand(Area.DEALER, "Ks Kd 4h 2c", played="Ks 4h")))
    assert "highest pair [(h)(9)(ii)]" in reason
    assert not {"Ks", "Kd", "4h", "2c"} & set(reason.replace(",", " ").split())
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.GO_ON))
    assert reasons(table.act(a.RecordHand(Area.DEALER, "Ks Kd 4h 2c", played="Kd Ks"))) == []
    assert reasons(table.act(a.RecordHand(Area.DEALER, "Ks Kd ?? 2c", played="Kd 2c"))) == []
