"""Cards are numbers inside and names outside; a text that is not clear is refused with its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.cards.cards import NAMES, CardError, names, parse, pips, suit, without


@given(st.lists(st.integers(0, 51), unique=True))
def test_every_card_is_read_back_by_its_name(cards):
    """Names and numbers stand for each other."""
    assert parse(names(cards)) == tuple(cards)


def test_the_numbers_run_from_the_twos_to_the_aces():
    """Rank and suit of a card follow from its number."""
    assert (NAMES[0], NAMES[3], NAMES[51]) == ("2c", "2s", "As")
    assert [(pips(card), suit(card)) for card in parse("2c Td Jh Qs Kc Ad")] == [
        (2, "c"), (10, "d"), (11, "h"), (12, "s"), (13, "c"), (14, "d"),
    ]  # fmt: skip


def test_people_may_write_ten_as_a_number_and_use_commas_and_any_case():
    """What a person types is read, as long as it names one card."""
    assert parse("10h, aS,kD") == parse("Th As Kd")
    assert parse("") == ()


@pytest.mark.parametrize("word", ["1s", "Ax", "A", "s", "AsKd", "Xs", "A♠", "100s", "1010h", "T10h", "AS5", "10"])
def test_a_word_that_names_no_card_is_refused_with_its_place(word):
    """A card is never guessed."""
    with pytest.raises(CardError, match=r"word 2, .* is no card: a card is a rank"):
        parse(f"Kd {word} 2c")


def test_a_card_twice_is_refused_by_one_deck():
    """One deck has each card once, six have it six times."""
    with pytest.raises(CardError, match="word 3, 'as', is there too often: one deck holds it once"):
        parse("As Kd as")
    assert parse("As " * 6, decks=6) == (51,) * 6
    with pytest.raises(CardError, match="word 7, 'As', is there too often: 6 decks hold it 6 times"):
        parse("As " * 7, decks=6)


def test_what_is_left_of_several_like_cards_is_counted():
    """Taking one of three like cards leaves two."""
    assert names(without(parse("As As Kd As", decks=6), parse("As"))) == "As Kd As"
