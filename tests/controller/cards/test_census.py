"""All hands there are fall into the known numbers, through the same tables as a hand at the table."""

import itertools
from collections import Counter
from math import comb, prod

import pytest

from controller.cards.census import census
from controller.cards.ranking import Category, five, seven, six
from controller.cards.three import ThreeCard, best_three, three
from controller.cards.words import kind

KINDS = (
    Category.ROYAL_FLUSH, Category.STRAIGHT_FLUSH, Category.FOUR, Category.FULL_HOUSE, Category.FLUSH, Category.STRAIGHT,
    Category.THREE, Category.TWO_PAIRS, Category.PAIR, Category.HIGH_CARD,
)  # fmt: skip
KNOWN = {
    5: (4, 36, 624, 3_744, 5_108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540),
    6: (188, 1_656, 14_664, 165_984, 205_792, 361_620, 732_160, 2_532_816, 9_730_740, 6_612_900),
    7: (4_324, 37_260, 224_848, 3_473_184, 4_047_644, 6_180_020, 6_461_620, 31_433_400, 58_627_800, 23_294_460),
}
DISTINCT = {5: 7_462, 6: 6_075, 7: 4_824}
"""Hands of one deck that differ in value."""
DECKS = (6, pytest.param(8, marks=pytest.mark.full))


def by_kind(counted):
    found = Counter()
    for value, hands in counted.items():
        found[kind(value)] += hands
    return found


@pytest.mark.parametrize("cards", [5, 6, 7])
def test_all_hands_of_one_deck_fall_into_the_known_numbers(cards):
    """2,598,960 hands of five, 20,358,520 of six and 133,784,560 of seven cards, each kind as often as is known."""
    counted = census(cards)
    assert by_kind(counted) == dict(zip(KINDS, KNOWN[cards], strict=True))
    assert counted.total() == comb(52, cards)
    assert len(counted) == DISTINCT[cards]


def test_the_known_numbers_come_out_also_hand_by_hand():
    """Each of the 2,598,960 hands of five cards, ranked by a call of its own, is where the count has it."""
    assert Counter(map(five, itertools.combinations(range(52), 5))) == census(5)


@pytest.mark.full
@pytest.mark.timeout(600)
def test_the_known_numbers_come_out_hand_by_hand_with_six_cards():
    """Each of the 20,358,520 hands of six cards by a call of its own."""
    assert Counter(map(six, itertools.combinations(range(52), 6))) == census(6)


def test_all_hands_of_three_cards_fall_into_the_known_numbers():
    """22,100 hands, each ranked by a call of its own."""
    found = Counter(three(hand) >> 20 for hand in itertools.combinations(range(52), 3))
    assert found == {
        ThreeCard.ROYAL_FLUSH: 4, ThreeCard.STRAIGHT_FLUSH: 44, ThreeCard.THREE: 52, ThreeCard.STRAIGHT: 720,
        ThreeCard.FLUSH: 1_096, ThreeCard.PAIR: 3_744, ThreeCard.HIGH_CARD: 16_440,
    }  # fmt: skip


@pytest.mark.full
@pytest.mark.timeout(600)
def test_the_best_three_of_all_hands_of_five_cards_fall_into_the_known_numbers():
    """2,598,960 hands as Pik-it deals them, the best three of each."""
    found = Counter(best_three(hand) >> 20 for hand in itertools.combinations(range(52), 5))
    assert found == {
        ThreeCard.ROYAL_FLUSH: 4_704, ThreeCard.STRAIGHT_FLUSH: 49_628, ThreeCard.THREE: 58_848,
        ThreeCard.STRAIGHT: 569_268, ThreeCard.FLUSH: 708_688, ThreeCard.PAIR: 699_624, ThreeCard.HIGH_CARD: 508_200,
    }  # fmt: skip


def many_decks(decks):
    """How often each rank of five cards comes, reasoned from the text alone: which ranks, then in how many ways each card."""
    of_rank, of_card = 4 * decks, decks
    ways = {
        Category.FLUSH_WITH_FIVE: 52 * comb(of_card, 5),
        Category.ROYAL_FLUSH: 4 * of_card**5,
        Category.FLUSH_WITH_FOUR: 4 * 13 * 12 * comb(of_card, 4) * of_card,
        Category.STRAIGHT_FLUSH: 4 * 9 * of_card**5,
        Category.FLUSH_WITH_FULL_HOUSE: 4 * 13 * 12 * comb(of_card, 3) * comb(of_card, 2),
        Category.FLUSH_WITH_THREE: 4 * 13 * comb(12, 2) * comb(of_card, 3) * of_card**2,
        Category.FLUSH_WITH_TWO_PAIRS: 4 * comb(13, 2) * 11 * comb(of_card, 2) ** 2 * of_card,
        Category.FLUSH_WITH_PAIR: 4 * 13 * comb(12, 3) * comb(of_card, 2) * of_card**3,
        Category.FLUSH: 4 * (comb(13, 5) - 10) * of_card**5,
    }
    ways[Category.FIVE] = 13 * comb(of_rank, 5) - ways[Category.FLUSH_WITH_FIVE]
    ways[Category.FOUR] = 13 * 12 * comb(of_rank, 4) * of_rank - ways[Category.FLUSH_WITH_FOUR]
    ways[Category.FULL_HOUSE] = (
        13 * 12 * comb(of_rank, 3) * comb(of_rank, 2) - ways[Category.FLUSH_WITH_FULL_HOUSE]
    )
    ways[Category.STRAIGHT] = 10 * of_rank**5 - ways[Category.STRAIGHT_FLUSH] - ways[Category.ROYAL_FLUSH]
    ways[Category.THREE] = 13 * comb(12, 2) * comb(of_rank, 3) * of_rank**2 - ways[Category.FLUSH_WITH_THREE]
    ways[Category.TWO_PAIRS] = (
        comb(13, 2) * 11 * comb(of_rank, 2) ** 2 * of_rank - ways[Category.FLUSH_WITH_TWO_PAIRS]
    )
    ways[Category.PAIR] = 13 * comb(12, 3) * comb(of_rank, 2) * of_rank**3 - ways[Category.FLUSH_WITH_PAIR]
    ways[Category.HIGH_CARD] = (comb(13, 5) - 10) * of_rank**5 - ways[Category.FLUSH]
    return ways


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_all_hands_of_five_cards_of_several_decks_are_as_many_as_reasoning_gives(decks):
    """Kind by kind; one deck is the case in which nothing comes twice."""
    counted = census(5, decks)
    assert by_kind(counted) == +Counter(many_decks(decks))
    assert counted.total() == comb(52 * decks, 5)


@pytest.mark.parametrize("decks", DECKS)
def test_all_hands_of_seven_cards_of_several_decks_are_counted_once(decks):
    """The best five of seven, as hands are made from two cards and the community: none is lost, none comes twice."""
    counted = census(7, decks)
    assert counted.total() == comb(52 * decks, 7)
    assert {kind(value) for value in counted} == set(Category) - {Category.SUPER_ROYAL}


def with_five_aces(decks):
    """Hands of seven cards of several decks with five aces or more, hand by hand: how often each kind is the best five."""
    aces, others = range(48, 52), range(48)
    found = Counter()
    for number in (5, 6, 7):
        for held in itertools.combinations_with_replacement(aces, number):
            for beside in itertools.combinations_with_replacement(others, 7 - number):
                cards = (*held, *beside)
                found[kind(seven(cards))] += prod(comb(decks, often) for often in Counter(cards).values())
    return found


@pytest.mark.parametrize("decks", DECKS)
def test_five_of_a_kind_among_seven_cards_is_as_often_the_best_as_hand_by_hand(decks):
    """Also where five cards are of one suit: sometimes the flush is the better hand, sometimes five of a kind."""
    counted, aces = by_kind(census(7, decks)), with_five_aces(decks)
    for what in (Category.FIVE, Category.FLUSH_WITH_FIVE):
        assert counted[what] == 13 * aces[what]
    assert Category.FLUSH_WITH_FOUR in aces
