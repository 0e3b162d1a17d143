"""Three cards: their own order, the best three of five, and what wins at once."""

import itertools

import pytest

from controller.cards.cards import names, parse
from controller.cards.three import (
    ThreeCard,
    ace_two_three,
    best_three,
    best_three_cards,
    three,
    three_of_a_kind,
    three_straight_flush,
)

ORDER = (
    ("Ah Kh Qh", ThreeCard.ROYAL_FLUSH), ("Kh Qh Jh", ThreeCard.STRAIGHT_FLUSH), ("4h 3h 2h", ThreeCard.STRAIGHT_FLUSH),
    ("3h 2h Ah", ThreeCard.STRAIGHT_FLUSH), ("Ac Ad Ah", ThreeCard.THREE), ("2c 2d 2h", ThreeCard.THREE),
    ("Ac Kd Qh", ThreeCard.STRAIGHT), ("4c 3d 2h", ThreeCard.STRAIGHT), ("3c 2d Ah", ThreeCard.STRAIGHT),
    ("Ac Kc Jc", ThreeCard.FLUSH), ("Ac Kc 2c", ThreeCard.FLUSH), ("5c 3c 2c", ThreeCard.FLUSH),
    ("Ac Ad Kh", ThreeCard.PAIR), ("Ac Ad 2h", ThreeCard.PAIR), ("Kc Kd Ah", ThreeCard.PAIR), ("2c 2d 3h", ThreeCard.PAIR),
    ("Ac Kd Jh", ThreeCard.HIGH_CARD), ("Ac Kd 2h", ThreeCard.HIGH_CARD), ("5c 3d 2h", ThreeCard.HIGH_CARD),
)  # fmt: skip
"""nj-pikit 39.4(c), from the best to the worst."""


def test_three_cards_stand_in_the_order_of_the_text():
    """A straight is above a flush, three of a kind above both, and a low ace makes the lowest straight."""
    found = [three(parse(hand)) for hand, _ in ORDER]
    assert found == sorted(set(found), reverse=True)
    assert [ThreeCard(value >> 20) for value in found] == [what for _, what in ORDER]


def test_king_ace_two_is_no_straight():
    """An ace is never between a king and a two."""
    assert three(parse("Kc Ad 2h")) >> 20 == ThreeCard.HIGH_CARD


def test_hands_of_three_cards_that_differ_only_in_suit_are_equal():
    """No suit is above another, and the order of the cards says nothing."""
    assert (
        len({three(hand) for hand in itertools.permutations(parse("9c 9d 4h"))} | {three(parse("9h 9s 4c"))}) == 1
    )


@pytest.mark.parametrize(
    ("dealt", "best"),
    [
        ("9h 9d 4c 3h Ah", "9h 3h Ah"),  # three hearts are above the pair
        ("9h 9d 4c 3s Ah", "9h 9d Ah"),
        ("9h 8c 7d 2h 3h", "9h 8c 7d"),  # a straight is above the three hearts
        ("9h 8h 7h 9d 9c", "9h 8h 7h"),  # three of one suit in a row are above three nines
        ("Ah 2h 3h Kh Qh", "Ah Kh Qh"),
    ],
)
def test_the_best_three_of_five_are_found(dealt, best):
    """Of five cards the three that are worth most."""
    cards = parse(dealt)
    assert names(best_three_cards(cards)) == best
    assert best_three(cards) == three(parse(best)) == max(three(hand) for hand in itertools.combinations(cards, 3))


@pytest.mark.parametrize(
    ("dealt", "straight_flush", "of_a_kind"),
    [
        ("9h 8h 7h", True, False), ("Ah Kh Qh", True, False), ("Ah 2h 3h", True, False), ("9h 8h 7d", False, False),
        ("9h 9d 9c", False, True), ("9h 9d 8h", False, False), ("Kh Ah 2h", False, False),
    ],
)  # fmt: skip
def test_three_cards_win_at_once_as_a_straight_flush_or_three_of_a_kind(dealt, straight_flush, of_a_kind):
    """ma-colorado 3(c): these two and nothing else."""
    cards = parse(dealt)
    assert (three_straight_flush(cards), three_of_a_kind(cards)) == (straight_flush, of_a_kind)


def test_ace_two_three_is_told_apart():
    """Whether these three are consecutive is a reading; the cards are found in any order and in any suits."""
    assert ace_two_three(parse("3h Ah 2h"))
    assert ace_two_three(parse("2c 3h Ad"))
    assert not ace_two_three(parse("4h 3h 2h"))
