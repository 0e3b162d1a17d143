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


def pikit(make_table):
    bets = (
        (1, "ante", 1000), (1, "five_card_bonus", 1000), (1, "three_card_bonus", 500),
        (2, "ante", 1000), (2, "five_card_bonus", 1000),
    )  # fmt: skip
    table = make_table("nj-pikit", offered=("three_card_bonus",))
    return table.ready().bet(*bets).let_out().deal()


def test_the_bonus_on_three_cards_is_offered_before_the_player_has_decided(make_table):
    """A pair among the three pays 1 to 1; of its ante and bonus on five cards nothing is said yet. Clause: nj-pikit 39.11(c)."""
    table = pikit(make_table)
    assert offer(table.setup, table.round) is None
    table.answer(1, "show")
    in_turn = (2, "five_card_bonus", "held", 0)
    assert missing(table) == (Missing(Area.PLAYER, 1), Missing(Area.PLAYER, 2))
    table.act(hand(1, "9s 9h Kd 4c 2d"))
    assert offered(table) == [(1, "three_card_bonus", "held", 0), in_turn]
    table.act(hand(1, "9s 9h Kd 4c 2d", shown="9s 9h Kd"))
    assert offered(table) == [(1, "three_card_bonus", "win", 1000), in_turn]


def test_pikit_is_offered_bonus_by_bonus_then_against_the_dealer(make_table):
    """Seat 1 has a pair of nines and beats ace high; the seat that folded has lost its bonus with nothing in hand.
    Clause: nj-pikit 39.10(c), (e), 39.11."""
    table = pikit(make_table)
    table.answer(1, "show")
    table.answer(2, "fold")
    table.answer(1, "play_5", 1)
    table.act(a.RevealDealer())
    for act in (a.RecordHand(Area.DEALER, "As Kh 7d 5c 3s"), hand(1, "9s 9h Kd 4c 2d", shown="9s 9h Kd")):
        table.act(act)
    rows = offered(table)
    assert (2, "five_card_bonus", "held", 0) in rows
    assert missing(table) == (Missing(Area.PLAYER, 2),)
    table.act(hand(2, "Qs Jh 8d 6c 2s"))
    assert offered(table) == [
        (1, "three_card_bonus", "win", 1000),
        (2, "five_card_bonus", "lose", 0), (1, "five_card_bonus", "lose", 0),
        (1, "ante", "win", 2000), (1, "play_5", "win", 2000),
    ]  # fmt: skip


def test_an_instant_winner_of_colorado_is_offered_at_once(make_table):
    """Three nines are declared: ante and bonus 5 to 1, before the community cards. Clause: ma-colorado 12(b), 12(d)."""
    bets = ((1, "ante", 1000), (1, "bonus", 100), (3, "ante", 500))
    table = make_table("ma-colorado", offered=("bonus",)).ready().bet(*bets).let_out().deal()
    table.answer(1, "declare")
    table.act(hand(1, "9s 9h 9d"))
    assert offered(table) == [(1, "ante", "win", 6000), (1, "bonus", "win", 600)]


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


def test_a_dealers_natural_ends_it_without_community_cards(make_table):
    """Every set hand loses to it, and none is asked for its cards. Clause: fast-action (h)(7)."""
    table = fast_action(make_table)
    for seat in (1, 2, 4, 6):
        table.answer(seat, "set")
    table.act(a.RevealDealer(natural=True))
    table.act(a.RecordHand(Area.DEALER, "As Ah Ad Ac"))
    assert {row[1:] for row in offered(table)} == {("original", "lose", 0)}
    assert missing(table) == ()


def test_a_natural_that_is_none_stops_the_offer_by_name(make_table):
    """The seat is named and what is to be reported; nothing is compared meanwhile. Clause: fast-action (i)."""
    table = fast_action(make_table)
    table.answer(1, "natural")
    table.act(hand(1, "As Ah Ad 2c"))
    found = offer(table.setup, table.round)
    assert "seat 1: announced a natural and holds none" in found.refused
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    events = table.act(a.SettleWager(1, "original", WIN, 5000))
    (settled,) = [event for event in events if isinstance(event, f.WagerSettled)]
    assert settled.difference is None


def test_a_dealer_who_has_a_choice_is_asked_which_cards_are_played(make_table):
    """Three sevens: any two of them are the highest pair, and the offer waits until it is told which. Clause: (h)(9)(ii)."""
    table = fast_action(make_table)
    for seat in (1, 2, 4, 6):
        table.answer(seat, "set")
    table.act(a.RevealDealer())
    table.act(ALL)
    table.act(a.RecordHand(Area.COMMUNITY, "Jh 8c Td 3s 2h"))
    table.act(a.RecordHand(Area.DEALER, "7s 7h 7d Qc"))
    assert "say which the dealer plays" in offer(table.setup, table.round).refused
    assert not table.state.holds
    table.act(a.RecordHand(Area.DEALER, "7s 7h 7d Qc", played="7s 7h"))
    table.act(hand(2, "Kd Kc 9s 6h", played="Kd Kc"))
    assert (2, "original", "win", 2000) in offered(table)


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


def test_cards_are_asked_for_once_they_lie_face_up(make_table):
    """A natural is paid while the dealer's cards and the community cards are still to come. Clause: (h)(2), (h)(7), (h)(10)."""
    table = fast_action(make_table)
    table.answer(1, "natural")
    assert missing(table) == (Missing(Area.PLAYER, 1),)
    for seat in (2, 4, 6):
        table.answer(seat, "set")
    table.act(a.RevealDealer())
    assert missing(table) == (Missing(Area.PLAYER, 1), Missing(Area.DEALER))
    table.act(ALL)
    assert missing(table)[-2:] == (Missing(Area.DEALER), Missing(Area.COMMUNITY))
