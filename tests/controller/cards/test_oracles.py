"""Two hand rankers by other people, written without sight of ours, put random hands of one deck in the same order."""

import importlib
import random

import pytest

from controller.cards.cards import NAMES
from controller.cards.ranking import best_five

SEED = 20_261_128


@pytest.fixture
def phevaluator():
    """Ranks cards by number; 1 is a royal flush."""
    return other("phevaluator.evaluator").evaluate_cards


@pytest.fixture
def pokerkit():
    """Ranks cards by number; larger is better. Makes the best five of two cards and the rest."""
    kit = other("pokerkit")
    cards = [next(iter(kit.Card.parse(name))) for name in NAMES]

    def rank(*hand):
        held = [cards[card] for card in hand]
        return kit.StandardHighHand.from_game(held[:2], held[2:]).entry.index

    return rank


def other(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        pytest.fail(f"{name} is not installed: make rankers")


def hands(count, size, seed=SEED):
    draw = random.Random(seed + size)
    deck = range(52)
    return (tuple(draw.sample(deck, size)) for _ in range(count))


def in_their_order(drawn, rank):
    """Their ranks in the order of our values. Fails where one of ours stands for two of theirs, or the other way round."""
    theirs = {}
    for hand in drawn:
        value, their = best_five(hand), rank(*hand)
        assert theirs.setdefault(value, their) == their, [NAMES[card] for card in hand]
    assert len(set(theirs.values())) == len(theirs)
    return [theirs[value] for value in sorted(theirs)]


@pytest.mark.parametrize("size", [5, 6, 7])
def test_phevaluator_ranks_random_hands_in_the_same_order(phevaluator, size):
    """Not pair by pair: over all hands drawn, each value of ours is one rank of theirs, better where theirs is better."""
    ranks = in_their_order(hands(40_000, size), phevaluator)
    assert ranks == sorted(ranks, reverse=True)
    assert len(ranks) > 3_000


@pytest.mark.parametrize("size", [5, 6, 7])
def test_pokerkit_ranks_random_hands_in_the_same_order(pokerkit, size):
    """A second witness, slower and independent of the first."""
    ranks = in_their_order(hands(700, size), pokerkit)
    assert ranks == sorted(ranks)
    assert len(ranks) > 400


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_phevaluator_ranks_ten_million_hands_of_seven_cards_in_the_same_order(phevaluator):
    """The long form: nearly every one of the 4,824 values comes."""
    ranks = in_their_order(hands(10_000_000, 7, SEED + 1), phevaluator)
    assert ranks == sorted(ranks, reverse=True)
    assert len(ranks) > 4_700


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_pokerkit_ranks_a_hundred_thousand_hands_of_seven_cards_in_the_same_order(pokerkit):
    """The long form of the second witness."""
    ranks = in_their_order(hands(100_000, 7, SEED + 1), pokerkit)
    assert ranks == sorted(ranks)
