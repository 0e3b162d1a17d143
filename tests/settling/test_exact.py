"""The probabilities that are known, held against each other and against plain counting."""

import itertools
from fractions import Fraction
from math import comb

import pytest

from tests.settling import exact
from tests.settling.games import GAMES, Trial

TRIALS = [(game.name, trial) for game in GAMES for trial in game.trials]


@pytest.mark.parametrize(
    ("name", "trial"), TRIALS, ids=lambda value: value.wager if isinstance(value, Trial) else value
)
def test_what_can_come_up_has_probabilities_that_add_up(name: str, trial: Trial) -> None:
    """Each between nothing and certainty; 1 together."""
    assert all(0 <= chance <= 1 for chance in trial.cells.values())
    assert sum(trial.cells.values()) == 1


@pytest.mark.parametrize(("cards", "counts"), [(5, exact.FIVE), (6, exact.SIX), (7, exact.SEVEN)])
def test_each_hand_has_one_category(cards: int, counts: dict[str, int]) -> None:
    """The totals are all hands of one deck."""
    assert sum(counts.values()) == comb(52, cards)


def test_player_and_dealer_win_alike() -> None:
    """Only `BEATEN` and `TIED` were counted; that the rest comes out equal is no accident."""
    assert sum(exact.BEATING.values()) == sum(exact.BEATEN.values())
    assert sum(exact.SEVEN.values()) * 21 * 990 == exact.SHOWDOWNS


def test_the_highest_of_two_hands_is_the_winner() -> None:
    """Two counts that were made apart agree: of two hands the higher one has the category of who wins, or of a tie."""
    for place, name in enumerate(exact.CATEGORIES[6:]):
        assert 2 * exact.COVERED[2][place] == 2 * exact.BEATING[name] + exact.TIED[name]


def test_more_hands_cover_more() -> None:
    """Each further hand makes a full house or better likelier."""
    reached = [1 - exact.cover_all(hands)["less"] for hands in exact.COVERED]
    assert reached == sorted(set(reached))


def test_two_cards_come_as_often_as_they_are_listed() -> None:
    """1,326 hands, each named in plain words."""
    seen = dict.fromkeys(exact.two_cards_red_aces(), 0)
    for first, second in itertools.combinations(range(52), 2):
        seen[_two(first, second)] += 1
    assert {name: Fraction(many, 1_326) for name, many in seen.items()} == exact.two_cards_red_aces()


def _two(first: int, second: int) -> str:
    low, high = sorted(("23456789TJQKA"[first >> 2], "23456789TJQKA"[second >> 2]), key="23456789TJQKA".index)
    if low == high == "A":
        return "aces_of_hearts_and_diamonds" if {first & 3, second & 3} == {1, 2} else "pair_of_aces"
    if low == high:
        return "pair_of_jacks_to_kings" if low in "JQK" else "pair_of_tens_or_less"
    if high == "A" and low in "JQK":
        other = "king" if low == "K" else "queen_or_jack"
        return f"ace_{other}_{'suited' if first & 3 == second & 3 else 'unsuited'}"
    return "lose"


def test_the_dealer_of_pikit_qualifies_as_often_as_the_hands_say() -> None:
    """What was counted hand against hand leaves out just the hands without ace and king."""
    qualified = exact.qualified()
    assert qualified["win"] < qualified["lose"] < 1 - qualified["return"]
    assert exact.CLOSED == 1_135_260


def test_naturals_come_as_often_as_on_a_small_shoe() -> None:
    """The way of counting, on three ranks of three cards each: two hands of two alike, listed one by one."""
    shoe = [rank for rank in range(3) for _ in range(3)]
    alone = both = 0
    for mine in itertools.combinations(range(9), 2):
        left = [card for card in range(9) if card not in mine]
        for theirs in itertools.combinations(left, 2):
            equal = shoe[mine[0]] == shoe[mine[1]], shoe[theirs[0]] == shoe[theirs[1]]
            alone += equal[0]
            both += all(equal)
    deals = comb(9, 2) * comb(7, 2)
    assert Fraction(alone, deals) == Fraction(3 * comb(3, 2), comb(9, 2))
    assert Fraction(both, deals) == Fraction(3 * comb(3, 2) * (comb(1, 2) + 2 * comb(3, 2)), deals)
