"""Five of five, six or seven cards: which hand is worth more, and when two are worth the same."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.cards.cards import parse
from controller.cards.ranking import Category, best_five, five, ranks, seven, six, worth
from controller.cards.words import kind

FIVES = st.lists(st.integers(0, 51), min_size=5, max_size=5)
"""Five cards of many decks."""

ONE_DECK = (
    "As Ks Qs Js Ts", "Kd Qd Jd Td 9d", "5h 4h 3h 2h Ah", "Ac Ad Ah As 2c", "Kc Kd Kh Ks Ac", "2c 2d 2h 2s 3c",
    "As Ad Ac Kd Ks", "As Ad Ac Qd Qs", "Ks Kd Kc Ad As", "2c 2d 2h 3c 3d", "Ah Kh Qh Jh 9h", "Ah Kh Qh Jh 8h", "7c 5c 4c 3c 2c",
    "Ac Kd Qh Js Tc", "Kc Qd Jh Ts 9c", "5c 4d 3h 2s Ac", "Ac Ad Ah Ks Qc", "Ac Ad Ah Ks Jc", "Kc Kd Kh As Qc", "2c 2d 2h 4s 3c",
    "Ac Ad Kh Ks Qc", "Ac Ad Kh Ks Jc", "Ac Ad Qh Qs Kc", "Kc Kd Qh Qs Ac", "3c 3d 2h 2s 4c", "Ac Ad Kh Qs Jc", "Ac Ad Kh Qs Tc",
    "Kc Kd Ah Qs Jc", "2c 2d 5h 4s 3c", "Ac Kd Qh Js 9c", "Ac Kd Qh Js 8c", "Ac Kd 4h 3s 2c", "Ac Qd Jh Ts 9c", "7c 5d 4h 3s 2c",
)  # fmt: skip
"""From the best to the worst; the highest and the lowest of each rank that the texts name are among them."""

MANY_DECKS = (
    ("As As As As As", Category.FLUSH_WITH_FIVE), ("2s 2s 2s 2s 2s", Category.FLUSH_WITH_FIVE),
    ("As Ks Qs Js Ts", Category.ROYAL_FLUSH),
    ("Ac Ac Ac Ac Kc", Category.FLUSH_WITH_FOUR), ("Ac Ac Ac Ac 2c", Category.FLUSH_WITH_FOUR),
    ("2c 2c 2c 2c 3c", Category.FLUSH_WITH_FOUR),
    ("Kd Qd Jd Td 9d", Category.STRAIGHT_FLUSH), ("5d 4d 3d 2d Ad", Category.STRAIGHT_FLUSH),
    ("As As As Ks Ks", Category.FLUSH_WITH_FULL_HOUSE), ("2s 2s 2s 3s 3s", Category.FLUSH_WITH_FULL_HOUSE),
    ("As Ad Ac Ah As", Category.FIVE), ("2s 2d 2c 2h 2s", Category.FIVE),
    ("Ah Ah Ah Kh Qh", Category.FLUSH_WITH_THREE), ("2h 2h 2h 4h 3h", Category.FLUSH_WITH_THREE),
    ("Ah Ah Kh Kh Qh", Category.FLUSH_WITH_TWO_PAIRS), ("3h 3h 2h 2h 4h", Category.FLUSH_WITH_TWO_PAIRS),
    ("Ah Ah Kh Qh Jh", Category.FLUSH_WITH_PAIR), ("2h 2h 5h 4h 3h", Category.FLUSH_WITH_PAIR),
    ("Ac Ad Ah As Kc", Category.FOUR), ("2c 2d 2h 2s 3c", Category.FOUR),
    ("As Ad As Kd Ks", Category.FULL_HOUSE), ("Ah Kh Qh Jh 9h", Category.FLUSH), ("Ac Kd Qh Js Tc", Category.STRAIGHT),
    ("5c 4d 3h 2s Ac", Category.STRAIGHT), ("Ac Ac Ah Ks Qc", Category.THREE), ("Ac Ac Kh Kh Qc", Category.TWO_PAIRS),
    ("Ac Ac Kh Qs Jc", Category.PAIR), ("7c 5d 4h 3s 2c", Category.HIGH_CARD),
)  # fmt: skip
"""fast-action (c)(2), from the best to the worst, with what each hand is."""


def values(hands, decks=1):
    return [five(parse(hand, decks)) for hand in hands]


def test_the_hands_of_one_deck_stand_in_the_order_of_the_texts():
    """Rank by rank and, within a rank, by the cards that make it and then by the highest card that the other lacks."""
    assert values(ONE_DECK) == sorted(set(values(ONE_DECK)), reverse=True)


def test_the_seventeen_ranks_of_several_decks_stand_in_the_order_of_their_text():
    """What several decks alone can deal has its own ranks; a straight flush is below four of a kind of one suit."""
    found = values([hand for hand, _ in MANY_DECKS], decks=8)
    assert found == sorted(set(found), reverse=True)
    assert [kind(value) for value in found] == [what for _, what in MANY_DECKS]
    assert {what for _, what in MANY_DECKS} == set(Category) - {Category.SUPER_ROYAL}


def test_an_ace_stands_below_a_two_and_nowhere_in_between():
    """Queen, king, ace, two, three is no straight, and a low ace makes the lowest one."""
    assert kind(five(parse("Qc Kd Ah 2s 3c"))) is Category.HIGH_CARD
    assert ranks(five(parse("Ac 2d 3h 4s 5c"))) == (5,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ac Ad Kh Qs Jc", "As Ah Kd Qc Jd"),
        ("9c 8c 7c 6c 5c", "9h 8h 7h 6h 5h"),
        ("Ac Kc Qc Jc 9c", "As Ks Qs Js 9s"),
        ("Kc Kd 9h 9s 4c", "Ks Kh 9d 9c 4d"),
    ],
)
def test_hands_that_differ_only_in_suit_are_equal(one, other):
    """No suit is above another."""
    assert five(parse(one)) == five(parse(other))


def test_with_several_decks_a_card_counts_as_often_as_it_is_there():
    """Four aces of two suits are four of a kind; of two hands with the same four the fifth card decides."""
    assert five(parse("As As Ad Ad Kc", 6)) > five(parse("Ah Ac Ah Ac Qd", 6))
    assert five(parse("As As Ad Ad Kc", 6)) == five(parse("Ah Ac Ah Ac Kd", 6))


@pytest.mark.parametrize(
    ("cards", "made_of"),
    [
        ("2c 2c 2c 2c 2d 2d 2d", "2c 2c 2c 2c 2d"),  # five of a kind, though four are of one suit
        ("Ah Ah Kh Qh 9h As Ad", "Ah Ah Kh Qh 9h"),  # a flush with a pair is above four aces
        ("Ah Ah Ah 9h 8h Ad Ac", "Ah Ah Ah Ad Ac"),  # five aces are above a flush with three
        ("6h 5h 4h 3h 2h 2h 2h", "6h 5h 4h 3h 2h"),  # a straight flush is above a flush with three
        ("6h 5h 4h 3h 2h 2c 2d", "6h 5h 4h 3h 2h"),
        (
            "Kh Kh Kh Kh Qh Jh Th",
            "Kh Kh Kh Kh Qh",
        ),  # four of one suit are above the straight flush that is not there
        ("9s 9s 9s 9s Ks Qs Js", "9s 9s 9s 9s Ks"),
    ],
)
def test_the_best_five_of_seven_cards_of_several_decks(cards, made_of):
    """Five of one suit do not always make the best hand where cards come twice."""
    assert seven(parse(cards, 8)) == five(parse(made_of, 8))


@given(st.lists(st.integers(0, 51), min_size=5, max_size=7))
def test_of_six_or_seven_cards_the_best_five_count(cards):
    """The value of more cards is that of their best five, with any number of decks."""
    assert best_five(cards) == max(five(hand) for hand in itertools.combinations(cards, 5))


@given(st.lists(st.integers(0, 51), min_size=5, max_size=7), st.permutations(range(4)), st.randoms())
def test_neither_the_suits_nor_the_order_of_the_cards_are_worth_anything(cards, suits, chance):
    """Other suits in place of these, the cards laid in another order: the same value."""
    others = [card & ~3 | suits[card & 3] for card in cards]
    chance.shuffle(others)
    assert best_five(others) == best_five(cards)


@given(FIVES, FIVES)
def test_the_first_card_that_only_one_hand_has_decides_within_a_rank(one, other):
    """Like hands that are equal by what makes them: the highest card that the other lacks decides; none lacking, they tie."""
    if kind(five(one)) is not kind(five(other)):
        return
    mine, theirs = (Counter((card >> 2) + 2 for card in cards) for cards in (one, other))
    often = [
        sorted((rank for rank in held if held[rank] > 1), key=lambda r: (held[r], r)) for held in (mine, theirs)
    ]
    straight = kind(five(one)) in (Category.STRAIGHT, Category.STRAIGHT_FLUSH)
    if straight or often[0] != often[1]:
        return
    lacking = max(mine - theirs, default=0), max(theirs - mine, default=0)
    assert (five(one) > five(other)) is (lacking[0] > lacking[1])
    assert (five(one) == five(other)) is (lacking == (0, 0))


def test_a_value_can_be_set_against_the_least_hand_that_qualifies():
    """`worth` is below every hand that begins so, and above all others."""
    tens, nines = five(parse("Tc Td 4h 3s 2c")), five(parse("9c 9d Ah Ks Qc"))
    assert nines < worth(Category.PAIR, 10) < tens
    assert five(parse("Ac Kd 4h 3s 2c")) == worth(Category.HIGH_CARD, 14, 13, 4, 3, 2)
    assert five(parse("Ac Qd Jh Ts 9c")) < worth(Category.HIGH_CARD, 14, 13, 4, 3, 2)
    assert ranks(worth(Category.FULL_HOUSE, 13, 9)) == (13, 9)


def test_too_few_or_too_many_cards_are_no_hand():
    """A hand is never made of what is not there."""
    for count in (0, 4, 8):
        with pytest.raises(ValueError, match=f"not of {count}"):
            best_five(range(count))
    for rank_of in (five, six, seven):
        with pytest.raises(ValueError, match="unpack"):
            rank_of(range(4))
