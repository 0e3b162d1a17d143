"""What is offered at the table in Pik-it, Colorado and Fast Action: what is settled with an answer, then the rest."""

from controller.rules.vocabulary import Area, Method
from controller.table.settlement.offer import Missing, offer
from controller.table.words import acts as a
from controller.table.words import facts as f

WIN, LOSE, PUSH = a.Outcome.WIN, a.Outcome.LOSE, a.Outcome.PUSH
ALL = a.RevealCommunity(a.Street.COMMUNITY)


def hand(seat, cards, **chosen):
    return a.RecordHand(Area.PLAYER, cards, seat, **chosen)


def offered(table):
    """Seat, wager, outcome and all that goes back, line by line."""
    found = offer(table.setup, table.round)
    assert found is not None
    assert not found.refused
    return [(x.seat, x.wager, x.outcome.value, x.returned + x.paid) for x in found.lines]


def missing(table):
    return offer(table.setup, table.round).missing


def test_colorado_asks_which_cards_were_kept(make_table):
    """All three are known and not which two are played: asked again, then settled by them. Clause: ma-colorado 12(b)."""
    bets = ((1, "ante", 1000), (3, "ante", 500))
    table = make_table("ma-colorado", offered=("bonus",)).ready().bet(*bets).let_out().deal()
    table.answer(1, "bet", 1)
    table.answer(3, "fold")
    table.act(ALL)
    table.act(a.RecordHand(Area.COMMUNITY, "Kh 7d 4c"))
    table.act(hand(1, "Ks 7s 2d"))
    assert {row[2] for row in offered(table)} == {"held"}
    assert missing(table) == (Missing(Area.PLAYER, 1),)
    assert "`played` has 2 of the cards" in table.refused(hand(1, "Ks 7s 2d", played="Ks 7c")).reason
    table.act(hand(1, "Ks 7s 2d", played="Ks 7s"))
    assert offered(table) == [(1, "ante", "win", 3000), (1, "bet", "win", 3000)]


def fast_action(make_table):
    bets = ((1, "original", 1000), (2, "original", 1000), (4, "original", 1000), (6, "original", 1000))
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready().bet(*bets).let_out()
    table.act(a.RecordInitialDeal())
    return table


def test_fast_action_is_offered_with_naturals_first_and_split_hands_apart(make_table):
    """The natural as it is shown; at the end the set hand and both halves of the split one against the dealer's king and
    queen. Clause: fast-action (h)(2), (h)(11), (h)(12)."""
    table = fast_action(make_table)
    table.answer(1, "natural")
    table.act(hand(1, "As Ah Ad Ac"))
    assert offered(table) == [(1, "original", "win", 6000)]
    table.act(a.SettleWager(1, "original", WIN, 5000))
    table.answer(2, "set")
    table.answer(4, "surrender")
    table.answer(6, "split", 1)
    table.act(a.RevealDealer())
    table.act(a.RecordHand(Area.DEALER, "Ks Qs 5h 4d"))
    assert offer(table.setup, table.round) is None
    table.act(ALL)
    for act in (
        a.RecordHand(Area.COMMUNITY, "Jh 8c 7d 3s 2h"),
        hand(2, "Td Tc 9s 6h", played="Td Tc"),
        hand(6, "Ah Ac 4s 4h", played="Ah Ac"),
    ):
        table.act(act)
    assert offered(table) == [
        (6, "original", "win", 2000), (6, "second_hand", "win", 2000), (2, "original", "win", 2000),
    ]  # fmt: skip


def test_after_a_dealers_natural_a_wager_is_compared_also_when_the_round_is_settled(make_table):
    """It was settled as a whole, and is told one by one; no community card is missed. Clause: fast-action (h)(8)."""
    table = fast_action(make_table)
    for seat in (1, 2, 4, 6):
        table.answer(seat, "set")
    for act in (a.RevealDealer(natural=True), a.RecordHand(Area.DEALER, "As Ah Ad Ac"), a.SettleRound()):
        table.act(act)
    assert offer(table.setup, table.round).refused == ""
    events = table.act(a.SettleWager(1, "original", WIN, 1000))
    (settled,) = [event for event in events if isinstance(event, f.WagerSettled)]
    assert (settled.offered, settled.difference) == ("lose", 2000)
