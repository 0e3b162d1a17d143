"""A dealer's hand that was said to be a natural and is none, or the other way round, is said anew, and play takes its course."""

import pytest

from controller.rules.vocabulary import Area, Method
from controller.table.decide import fold
from controller.table.settlement.offer import offer
from controller.table.settlement.unchecked import Check, unchecked
from controller.table.state.table import Phase, State
from controller.table.words import acts as a
from controller.table.words import facts as f

WIN, LOSE, RETURN = a.Outcome.WIN, a.Outcome.LOSE, a.Outcome.RETURN
COMMUNITY = a.RevealCommunity(a.Street.COMMUNITY)
FOUR, NO_FOUR = a.RecordHand(Area.DEALER, "Kd Kc Kh Ks"), a.RecordHand(Area.DEALER, "Kd Kc Qh 2s")
YES, NO = a.RevealDealer(natural=True), a.RevealDealer(natural=False)


@pytest.fixture
def fast(make_table):
    """Fast Action: seat 1 has split, seat 2 set its hand, seat 3 gave up half; `said` of the dealer's hand."""

    def make(said):
        bets = [(seat, "original", 1000) for seat in (1, 2, 3)]
        table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready().bet(*bets).let_out()
        table.act(a.RecordInitialDeal())
        table.answer(3, "surrender")
        table.answer(2, "set")
        table.answer(1, "split", 1)
        table.act(said)
        return table

    return make


def go_on(table):
    for hold in tuple(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))


def test_no_natural_after_all_is_played_with_community_cards(fast):
    """The second hand went back by the word, and is settled by a correction. Clause: fast-action (h)(7), (h)(8), (h)(10)."""
    table = fast(YES)
    assert (table.round.phase, table.fates()[1, "second_hand"]) == (Phase.SHOWDOWN, "returned")
    (hold,) = [x for x in table.act(NO_FOUR) if isinstance(x, f.HoldPlaced)]
    assert "or go_on and say it anew (reveal_dealer natural=false)" in hold.reason
    assert "play is held" in table.refused(NO).reason
    go_on(table)
    assert "cannot be done in phase showdown" in table.refused(COMMUNITY).reason
    (hold,) = [x for x in table.act(NO) if isinstance(x, f.HoldPlaced)]
    assert (
        "given back or settled as if it were: seat 1 second_hand; go_on, deal the community cards" in hold.reason
    )
    assert (hold.cite, hold.choices) == (("(h)(8)",), (a.Resolution.GO_ON,))
    assert table.round.phase is Phase.DEALER_SET
    go_on(table)
    table.act(COMMUNITY)
    for told in (
        a.RecordHand(Area.COMMUNITY, "2d 5c 6h 7s Js"),
        a.RecordHand(Area.PLAYER, "Ac Ah Td 9s", 1, played="Ac Ah"),
        a.RecordHand(Area.PLAYER, "8c 3h 4c Qs", 2, played="Qs 8c"),
    ):
        table.act(told)
    found = offer(table.setup, table.round)
    assert [(x.seat, x.wager, x.outcome) for x in found.lines] == [
        (2, "original", LOSE), (1, "original", WIN),
    ]  # fmt: skip
    table.act(a.SettleRound(sum(found.comes_to().values())))
    assert not table.state.held
    assert Check.PAYMENTS in unchecked(table.setup, table.state)
    assert table.act(a.CorrectSettlement(1, "second_hand", LOSE, "no natural"))[0].owed == -1000
    assert fold(State.initial(table.setup), table.all) == table.state


@pytest.mark.parametrize("dealt", [False, True])
def test_a_natural_after_all_collects_the_originals(fast, dealt):
    """Also where the community cards lie already, which then count for nothing. Clause: fast-action (h)(8)."""
    table = fast(NO)
    if dealt:
        table.act(COMMUNITY)
        table.act(a.RecordHand(Area.COMMUNITY, "2d 5c 6h 7s Js"))
    table.act(FOUR)
    go_on(table)
    table.act(YES)
    assert (table.round.phase, table.fates()[1, "second_hand"]) == (Phase.SHOWDOWN, "returned")
    for seat in (1, 2):
        hand = {1: "Ac Ah Td 9s", 2: "8c 3h 4c Qs"}[seat]
        table.act(a.RecordHand(Area.PLAYER, hand, seat, played=hand[:5]))
    assert {(x.seat, x.outcome) for x in offer(table.setup, table.round).lines} == {(1, LOSE), (2, LOSE)}
    assert table.act(a.SettleWager(2, "original", LOSE))[0].difference == 0


def test_what_cannot_be_said_anew(fast, make_table):
    """The same word, one that the told cards disprove, and a word about a round that is settled. Clause: fast-action (h)(8)."""
    table = fast(YES)
    refused = table.refused(YES)
    assert "turned up already, and was said to be a natural" in refused.reason
    assert refused.cite == ("(h)(8)",)
    table.act(FOUR)
    refused = table.refused(NO)
    assert "the dealer's cards on record are a natural" in refused.reason
    assert refused.cite == ("(h)(8)",)
    table.act(a.SettleRound())
    assert "cannot be done in phase settled" in table.refused(NO).reason
    (hold,) = [x for x in table.act(NO_FOUR) if isinstance(x, f.HoldPlaced)]
    assert "or go_on and correct what was settled by it (correct_settlement)" in hold.reason


def test_what_was_settled_by_the_wrong_word_is_named(fast):
    """Seat 2 has lost to a natural that was none; what seat 3 gave up is no such wager. Clause: fast-action (h)(6), (h)(8)."""
    table = fast(YES)
    table.act(a.SettleWager(2, "original", LOSE))
    (hold,) = [x for x in table.act(NO) if isinstance(x, f.HoldPlaced)]
    assert "settled as if it were: seat 1 second_hand, seat 2 original; go_on" in hold.reason
    go_on(table)
    table.act(COMMUNITY)
    assert table.act(a.CorrectSettlement(2, "original", WIN, "no natural", 1000))[0].owed == 2000


def test_what_was_paid_before_a_natural_was_seen_waits_for_a_person(fast):
    """A natural collects each original and gives the second wagers back; what lies so already is not asked about.

    Clause: fast-action (h)(2), (h)(6), (h)(8).
    """
    table = fast(NO)
    table.act(COMMUNITY)
    table.act(a.SettleWager(1, "original", WIN, 1000))
    table.act(a.SettleWager(1, "second_hand", LOSE))
    table.act(a.SettleWager(2, "original", LOSE))
    (hold,) = [x for x in table.act(YES) if isinstance(x, f.HoldPlaced)]
    assert "settled as if it were none: seat 1 original, seat 1 second_hand; correct them" in hold.reason
    assert (hold.cite, hold.choices) == (("(h)(8)",), (a.Resolution.GO_ON,))
    assert "play is held" in table.refused(a.SettleRound()).reason
    go_on(table)
    assert table.act(a.CorrectSettlement(1, "original", LOSE, "a natural"))[0].owed == -2000
    assert table.act(a.CorrectSettlement(1, "second_hand", RETURN, "a natural"))[0].owed == 1000
    table.act(a.SettleRound())
    assert fold(State.initial(table.setup), table.all) == table.state


@pytest.mark.parametrize(
    ("settled", "named"),
    [
        (a.SettleWager(1, "second_hand", WIN, 1000), ["seat 1 second_hand"]),
        (a.SettleWager(1, "second_hand", RETURN), []),
        (a.SettleWager(2, "original", LOSE, returned=500), ["seat 2 original"]),
        (a.SettleWager(2, "original", LOSE), []),
    ],
)
def test_a_natural_after_all_asks_about_what_one_would_not_have_settled_so(fast, settled, named):
    """It collects the whole original, and gives the second wager back. Clause: fast-action (h)(8)."""
    table = fast(NO)
    table.act(COMMUNITY)
    table.act(settled)
    holds = [x for x in table.act(YES) if isinstance(x, f.HoldPlaced)]
    assert [x.reason.split(": ")[1].split(";")[0] for x in holds] == named
    assert {x.choices for x in holds} <= {(a.Resolution.GO_ON,)}
