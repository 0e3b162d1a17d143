"""Cards are things: each is in one place, moves, and is never doubled."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.protocol.reports import Back
from simulators.devices.cards import (
    FACES,
    LOST,
    TABLE,
    Card,
    CardError,
    Places,
    Printer,
    back_of,
    read_set,
    shuffled,
)


def test_a_new_deck_has_52_faces_in_the_order_of_a_new_deck() -> None:
    """Clubs from deuce to ace first, and each physical card its own uid."""
    deck = Printer("S").deck(Back.RED)
    assert [c.face for c in deck[:13]] == [r + "c" for r in "23456789TJQKA"]
    assert len({c.face for c in deck}) == len({c.uid for c in deck}) == 52


def test_a_card_is_written_and_read_alike() -> None:
    """The text of a card carries face, back, uid and how it lies from one simulator to the next."""
    for card in (Card("S.1", "As", Back.RED), Card("S.2", "Td", Back.BLUE, face_up=True, worn=True)):
        assert Card.parse(str(card)) == card


@pytest.mark.parametrize(
    "text", ["", "As", "As/red", "Xs/red/S.1", "As/pink/S.1", "As/red/", "As/red/S.1/down", "As/red/S.1/up/x"]
)
def test_what_is_no_card_is_refused(text: str) -> None:
    """A typing error of a person at the bench must not become a card."""
    with pytest.raises(CardError):
        Card.parse(text)


def test_the_same_card_can_not_be_brought_twice() -> None:
    """A second card with the same uid would be a card out of nothing."""
    places = Places(())
    deck = Printer("S").deck(Back.RED)
    places.bring(deck)
    with pytest.raises(CardError, match="is here already"):
        places.bring(deck[:1])


def test_a_card_that_was_never_brought_can_not_move() -> None:
    """Only what is there can move."""
    with pytest.raises(CardError, match="never brought"):
        Places(()).move(Printer("S").deck(Back.RED)[:1], LOST)


def test_an_order_of_other_cards_is_refused() -> None:
    """To arrange a place is to reorder it, never to change what lies there."""
    places = Places(())
    deck = Printer("S").deck(Back.RED)
    places.bring(deck)
    with pytest.raises(CardError, match="same cards"):
        places.arrange(TABLE, deck[1:])


def test_a_shuffle_depends_on_the_seed_alone() -> None:
    """The same seed gives the same order, so that a run can be repeated; another seed another one."""
    deck = Printer("S").deck(Back.RED)
    assert shuffled(deck, Random(1)) == shuffled(deck, Random(1)) != shuffled(deck, Random(2))


DECK = Printer("S").deck(Back.RED)
REST = list(DECK[1:])


@pytest.mark.parametrize(
    ("cards", "found"),
    [
        (DECK, ()),
        (REST, ("missing",)),
        ([*DECK, Card("x", "As", Back.RED)], ("extra", "duplicate")),
        ([*REST, Card("x", "As", Back.RED)], ("missing", "duplicate")),
        ([*REST, Card("x", DECK[0].face, Back.BLUE)], ("missing", "foreign_back")),
        ([*DECK, Card("x", "As", Back.BLUE)], ("extra", "foreign_back")),
        ([*REST, replace(DECK[0], worn=True)], ("unreadable",)),
        ([*REST, replace(DECK[0], face_up=True)], ("flipped",)),
        ([*DECK[2:], replace(DECK[0], worn=True)], ("missing", "unreadable")),
    ],
)  # fmt: skip
def test_a_reader_says_what_is_wrong_with_a_set(cards: list[Card], found: tuple[str, ...]) -> None:
    """52 cards are not yet a set. A card whose face it cannot see may be the one that it misses, and never two."""
    assert read_set(cards, Back.RED) == found
    assert back_of(cards) is Back.RED


def test_a_reader_of_several_decks_wants_each_face_once_a_deck() -> None:
    """Two are right in two decks; three are one too many, and then another is missing."""
    two = [*DECK, *Printer("T").deck(Back.RED)]
    assert read_set(two, Back.RED, 2) == ()
    assert read_set([*two[1:], Card("x", "As", Back.RED)], Back.RED, 2) == ("missing", "duplicate")


@given(
    st.lists(
        st.tuples(st.integers(0, 103), st.sampled_from(["a", "b", TABLE, LOST]), st.integers(0, 5)), max_size=60
    )
)
def test_moves_never_lose_or_double_a_card(moves: list[tuple[int, str, int]]) -> None:
    """Whatever is moved where, all 104 cards stay, each in the one place that says so."""
    places = Places(("a", "b"))
    printer = Printer("S")
    cards = [*printer.deck(Back.RED), *printer.deck(Back.BLUE)]
    places.bring(cards)
    for which, to, index in moves:
        places.move([cards[which]], to, index=index)
        assert places.where(cards[which]) == to
    lying = [c.uid for place in ("a", "b", TABLE, LOST) for c in places.cards(place)]
    assert sorted(lying) == sorted(c.uid for c in cards)
    assert places.total() == 2 * len(FACES)
