"""A hand in words, and the cards that make it."""

import itertools

import pytest

from controller.cards.cards import names, parse
from controller.cards.census import census
from controller.cards.ranking import Category, five, seven
from controller.cards.six import six_card_bonus, super_royal
from controller.cards.three import three
from controller.cards.words import best_five_cards, describe, kind


@pytest.mark.parametrize(
    ("cards", "plays", "words"),
    [
        ("As Ks Qs Js Ts 9s 2d", "As Ks Qs Js Ts", "royal flush"),
        ("Ah 2h 3h 4h 5h Kd Kc", "5h 4h 3h 2h Ah", "straight flush, five high"),
        ("6h 6d 6c 6s 2c 3c 4c", "6s 6h 6d 6c 4c", "four sixes, with four"),
        ("Kh Kd 9c Kc 9d 2s 3s", "Kh Kd Kc 9d 9c", "full house, kings full of nines"),
        ("Ah Th 8h 4h 2h 3h Kd", "Ah Th 8h 4h 3h", "flush, ace, ten, eight, four, three"),
        ("Td 9c 8h 7s 6d 6c 2c", "Td 9c 8h 7s 6d", "straight, ten high"),
        ("7d 7c 7h As Jd 2c 3c", "7h 7d 7c As Jd", "three sevens, with ace, jack"),
        ("Kh Kd 9c 9d 4s 4d 3s", "Kh Kd 9d 9c 4s", "two pairs, kings and nines, with four"),
        ("Th Td As Jc 8d 5c 4c", "Th Td As Jc 8d", "pair of tens, with ace, jack, eight"),
        ("Ah Kd 9c 5d 3s 2d 7c", "Ah Kd 9c 7c 5d", "ace high, with king, nine, seven, five"),
    ],
)  # fmt: skip
def test_the_best_five_are_laid_out_and_told_in_words(cards, plays, words):
    """What makes the hand comes first, then the rest from the highest down."""
    held = parse(cards)
    assert names(best_five_cards(held)) == plays
    assert five(best_five_cards(held)) == seven(held)
    assert describe(seven(held)) == words


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("As As As As As", "flush with five aces"),
        ("6c 6c 6c 6c Kc", "flush with four sixes, with king"),
        ("Ks Ks Ks 9s 9s", "flush with full house, kings full of nines"),
        ("Qs Qd Qs Qd Qh", "five queens"),
        ("Js Js Js 4s 2s", "flush with three jacks, with four, two"),
        ("Js Js 4s 4s 2s", "flush with two pairs, jacks and fours, with two"),
        ("Js Js 5s 4s 2s", "flush with a pair of jacks, with five, four, two"),
    ],
)
def test_hands_of_several_decks_have_words_of_their_own(cards, words):
    """The dealer announces what the document calls it."""
    assert describe(five(parse(cards, 8))) == words


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("Ah Kh Qh", "royal flush"),
        ("3h 2h Ah", "straight flush, three high"),
        ("6h 6d 6c", "three sixes"),
        ("9h 8d 7c", "straight, nine high"),
        ("9h 5h 3h", "flush, nine, five, three"),
        ("9h 9d 3h", "pair of nines, with three"),
        ("9h 5d 3h", "nine high, with five, three"),
    ],
)
def test_three_cards_are_told_in_words(cards, words):
    """The same words as of five cards, where they are the same thing."""
    assert describe(three(parse(cards))) == words


def test_equal_words_mean_equal_hands():
    """Every value has words of its own, of one deck, of many, and of three cards."""
    values = {*census(5, 8), *map(three, itertools.combinations(range(52), 3))}
    fives = {value for value in values if isinstance(kind(value), Category)}
    for of_one_size in (fives, values - fives):
        assert len({describe(value) for value in of_one_size}) == len(of_one_size)


@pytest.mark.parametrize(
    ("cards", "of"),
    [
        ("Ad Kd Qd Jd Td 9d", "d"),
        ("9c Ac Tc Kc Jc Qc", "c"),
        ("Ad Kd Qd Jd Td 8d", None),
        ("Ad Kd Qd Jd Td 9h", None),
        ("Kd Qd Jd Td 9d 8d", None),
        ("Ad Kd Qd Jd Td", None),
    ],
)
def test_a_super_royal_is_ace_to_nine_of_one_suit(cards, of):
    """md-uth 6.F(8): six cards, and the suit tells what it pays."""
    assert super_royal(parse(cards)) == of


def test_a_super_royal_is_above_a_royal_flush_and_stands_in_words():
    """The bonus of six cards knows one rank more than a hand of five."""
    above, royal = six_card_bonus(parse("Ad Kd Qd Jd Td 9d")), six_card_bonus(parse("Ad Kd Qd Jd Td 9h"))
    assert above > royal == five(parse("Ad Kd Qd Jd Td"))
    assert (kind(above), describe(above)) == (Category.SUPER_ROYAL, "super royal")
