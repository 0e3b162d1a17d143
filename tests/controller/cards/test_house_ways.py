"""The dealer's two of four cards, way by way, and hands that no way sets."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.cards.cards import names, parse
from controller.cards.house_ways import Read, is_natural, set_hand
from controller.rules.elections import elect, proposals
from controller.rules.ranked import house_ways
from controller.rules.read.library import find

WAYS = (
    ("2c 2c Ah Ad", "(h)(9)(i)", "2c 2c"),  # a suited pair of twos goes before two aces of different suits
    ("2c 2c Ah Ah", "(h)(9)(i)", "Ah Ah"),
    ("3d 3c Ah Kh", "(h)(9)(ii)", "3d 3c"),
    ("4d 4c 9d 9c", "(h)(9)(ii)", "9d 9c"),
    ("Ah Th Kd Qd", "(h)(9)(iii)", "Ah Th"),  # an ace with a suited ten goes before its king, and before king and queen
    ("Ah 9h Kd Qd", "(h)(9)(iv)", "Kd Qd"),
    ("Jc Tc Kd Qh", "(h)(9)(iv)", "Jc Tc"),
    ("Qc Jc Tc 2h", "(h)(9)(iv)", "Qc Jc"),
    ("Ah Td 9h 8c", "(h)(9)(v)", "Ah Td"),
    ("Ah Kd Qc 9h", "(h)(9)(v)", "Ah Kd"),
    ("Qc Jd 9c 8c", "(h)(9)(vi)", "Qc Jd"),
    ("Kc Qd Jh 9c", "(h)(9)(vi)", "Kc Qd"),
    ("Ah 9d 4h 2h", "(h)(9)(vii)", "Ah 4h"),
    ("Kc Tc Jd 2h", "(h)(9)(viii)", "Kc Tc"),
    ("Qc Tc 9d 2h", "(h)(9)(viii)", "Qc Tc"),
    ("Kc Jd 9c 8c", "(h)(9)(ix)", "Kc Jd"),
    ("Ah 9d 8d 2c", "(h)(9)(x)", "Ah 9d"),  # before the suited nine and eight
    ("Kc 5d 4d 2h", "(h)(9)(xi)", "5d 4d"),
    ("Jc Td 5h 4h", "(h)(9)(xi)", "5h 4h"),  # jack and ten of different suits are below the bound of (vi)
    ("Kc 9c 7h 5d", "(h)(9)(xii)", "Kc 9c"),
    ("Kc Qh 2c 4c", "(h)(9)(vi)", "Kc Qh"),
    ("Kc 9d 8h 2s", "(h)(9)(xiii)", "9d 8h"),
    ("Kc 9d 7h 5s", "(h)(9)(xiv)", "Kc 9d"),
    ("Ah 7d 5c 3s", "(h)(9)(x)", "Ah 7d"),
)  # fmt: skip
"""Four cards, the way that decides, the cards that are played; worked from the text by hand."""


@pytest.mark.parametrize(("dealt", "cite", "plays"), WAYS)
def test_the_first_way_that_fits_sets_the_hand(dealt, cite, plays):
    """In whatever order the four cards lie."""
    for order in itertools.permutations(parse(dealt, 6)):
        setting = set_hand(order)
        assert (setting.cite, [names(pair) for pair in setting.plays]) == (cite, [plays])


def test_every_way_is_tried():
    """Each of the fourteen ways decides at least one of the hands above."""
    roman = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv")
    assert {cite for _, cite, _ in WAYS} == {f"(h)(9)({number})" for number in roman}


@pytest.mark.parametrize(
    ("dealt", "plays"),
    [
        ("9h 8h 5s 4s", ["9h 8h", "5s 4s"]),  # any suited running cards
        ("9h 8h 7h 2s", ["9h 8h", "8h 7h"]),
        ("9h 8d 5s 4c", ["9h 8d", "5s 4c"]),  # any running cards
        ("9h 9d 9c 2s", ["9h 9d", "9h 9c", "9d 9c"]),  # a pair out of three: suits are equal
    ],
)
def test_where_the_text_leaves_the_choice_all_are_named(dealt, plays):
    """The dealer may play any of them; the highest ranks stand first."""
    assert [names(pair) for pair in set_hand(parse(dealt, 6)).plays] == plays


def test_a_natural_is_four_cards_of_one_rank_and_is_not_set():
    """With several decks also of one suit."""
    assert is_natural(parse("9h 9h 9h 9d", 6))
    assert not is_natural(parse("9h 9h 9h 8d", 6))
    assert not is_natural(parse("9h 9d 9c"))
    with pytest.raises(ValueError, match=r"is a natural and is not set \[\(h\)\(8\)\]"):
        set_hand(parse("9h 9h 9h 9d", 6))


def test_a_hand_of_another_number_of_cards_is_not_set():
    """Three cards are not completed by guessing."""
    with pytest.raises(ValueError, match="the dealer sets four cards, not 3"):
        set_hand(parse("9h 8h 7h"))


@given(st.lists(st.integers(0, 51), min_size=4, max_size=4))
def test_every_hand_that_is_no_natural_is_set_with_two_of_its_cards(cards):
    """No hand is without a way, and what is played was dealt."""
    if is_natural(cards):
        return
    for pair in set_hand(cards).plays:
        assert all(cards.count(card) >= pair.count(card) for card in pair)


@pytest.mark.parametrize(
    ("dealt", "read", "cite", "plays"),
    [
        ("9h 9h 5s 5s", Read(), "(h)(9)(i)", ["9h 9h"]),
        ("9h 9h 5s 5s", Read(any_suited_pair=True), "(h)(9)(i)", ["9h 9h", "5s 5s"]),
        ("9h 9h 5s 5d", Read(any_suited_pair=True), "(h)(9)(i)", ["9h 9h"]),
        ("9h 9d 5s 5c", Read(any_suited_pair=True), "(h)(9)(ii)", ["9h 9d"]),  # (ii) says the highest pair
        ("Kc 5c Jh 9d", Read(), "(h)(9)(ix)", ["Kc Jh"]),
        ("Kc 5c Jh 9d", Read(of_highest=True), "(h)(9)(viii)", ["Kc 5c"]),
        ("9c 5c 8h 2d", Read(of_highest=True), "(h)(9)(xii)", ["9c 5c"]),  # a nine is below the bound
        ("Tc 5c 8h 2d", Read(of_highest=True), "(h)(9)(viii)", ["Tc 5c"]),
        ("Kc 9h 8h 2d", Read(), "(h)(9)(xi)", ["9h 8h"]),
        ("Kc 9h 8h 2d", Read(of_highest=True), "(h)(9)(ix)", ["Kc 9h"]),
        ("Tc 9h 8h 2d", Read(of_highest=True), "(h)(9)(xi)", ["9h 8h"]),  # a ten is below the bound of (ix)
        ("Ac Kd Qs 2h", Read(True, True), "(h)(9)(v)", ["Ac Kd"]),  # other ways are as they were
    ],
)
def test_two_ways_are_read_as_was_elected(dealt, read, cite, plays):
    """Clause: fast-action (h)(9)(i), (viii), (ix); R-140, R-141. No other document has house ways."""
    setting = set_hand(parse(dealt, 6), read)
    assert (setting.cite, [names(pair) for pair in setting.plays]) == (cite, plays)


@pytest.mark.parametrize(
    ("elected", "read"),
    [({}, Read()), ({"R-140": "any"}, Read(any_suited_pair=True)), ({"R-141": "highest"}, Read(of_highest=True))],
)
def test_what_was_elected_reaches_rank_settle_and_table(elected, read):
    """One place makes the ways of a rulebook as elected."""
    book = find("fast-action")
    law = elect(book, {q: (choice, "test") for q, choice in (proposals(book) | elected).items()})
    assert house_ways(law.rulebook) == read
    assert house_ways(book) == Read()  # nobody has elected


@pytest.mark.parametrize(
    ("dealt", "equal"),
    [
        ("Kh Kd Kc 2s", True),  # three kings of three suits
        ("Kh Kh Kc 2s", False),  # two of them are a suited pair
        ("Kh Kd 2c 2s", False),
        ("9h 8h 5c 4c", False),  # any suited running cards, of two ranks
        ("9h 7h 5c 3c", False),
    ],
)
def test_plays_that_differ_in_suits_alone(dealt, equal):
    """Clause: fast-action (h)(9)(ii), R-239."""
    assert set_hand(parse(dealt, 6)).of_equal_rank is equal
