"""The arithmetic of the house edge, held against totals that are known and against plain counting."""

import itertools
from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from controller.rules.read import library
from tests.edges import boards, counts, cover_all, fast_action, of_colorado, pikit
from tests.edges.figures import Maker
from tests.edges.values import Values, canonical

pytestmark = pytest.mark.timeout(300)
"""Whole enumerations: some seconds each on a machine that has nothing else to do."""


def test_five_cards_fall_into_the_known_totals():
    """All 2,598,960 hands, pairs of tens or better among them."""
    seen = counts.best_five(5)
    assert [seen[name] for name in reversed(counts.CATEGORY)] == [
        4, 36, 624, 3744, 5108, 10200, 54912, 123552, 1098240, 1302540,
    ]  # fmt: skip
    assert seen["pair_of_tens_or_better"] == 422_400


def test_seven_cards_fall_into_the_known_totals():
    """All 133,784,560 hands, counted by their ranks and the ways to suit them."""
    seen = counts.best_five(7)
    assert [seen[name] for name in reversed(counts.CATEGORY)] == [
        4324, 37260, 224848, 3473184, 4047644, 6180020, 6461620, 31433400, 58627800, 23294460,
    ]  # fmt: skip


def test_three_cards_fall_into_the_known_totals():
    """All 22,100."""
    assert pikit.three_cards(chosen=False) == {
        "royal_flush": 4, "straight_flush": 44, "three_of_a_kind": 52, "straight": 720, "flush": 1096, "pair": 3744,
        "high_card": 16440,
    }  # fmt: skip


def test_pairs_of_player_and_dealer_make_all_deals():
    """Two cards each: every deal has one word."""
    assert sum(counts.pairs().values()) == comb(52, 2) * comb(50, 2)


def test_hands_that_differ_by_names_of_suits_are_one():
    """The classes of three cards make up all hands."""
    flops = canonical(3)
    assert len(flops) == 1755
    assert sum(weight for _, weight in flops) == comb(52, 3)


def test_a_board_is_counted_as_it_would_be_dealt():
    """On one board, wins and losses of each pair are those that comparing it with every hand of the dealer finds."""
    board, table = (0, 17, 18, 33, 50), Values(7)
    left = np.array([card for card in range(52) if card not in board])
    wins, losses, ante, _ = boards.compared(boards.values_on(board, left))
    pairs = list(itertools.combinations(left.tolist(), 2))
    values = table.of(np.array([[*board, *pair] for pair in pairs]))
    for number in range(0, len(pairs), 97):
        others = [k for k, pair in enumerate(pairs) if not set(pair) & set(pairs[number])]
        signs = np.sign(values[number] - values[others])
        opens = table.category[values[others]] > 0
        assert wins[number] == (signs > 0).sum()
        assert losses[number] == (signs < 0).sum()
        assert ante[number] == signs[opens].sum()


def test_hands_that_avoid_pairs_are_counted_as_they_would_be_listed():
    """On nine cards, by listing: three hands of two of which none is a forbidden pair, through the matching polynomial."""
    forbidden = [(0, 1), (1, 2), (2, 3), (0, 3), (5, 6)]
    polynomial: list[int] = [1]
    for part in cover_all.components(forbidden):
        polynomial = np.convolve(polynomial, cover_all.matchings(part)).tolist()
    found = sum((-1) ** k * ways * cover_all.pairings(9 - 2 * k, 3 - k) for k, ways in enumerate(polynomial))
    allowed = [pair for pair in itertools.combinations(range(9), 2) if pair not in forbidden]
    listed = sum(len({*a, *b, *c}) == 6 for a, b, c in itertools.combinations(allowed, 3))
    assert found == listed


def test_the_house_ways_prefer_in_the_printed_order():
    """Each of the fourteen ways beats the next one, whatever the cards."""
    ways = {fast_action.WAYS[a, b] // 169 for a, b in itertools.combinations(range(52), 2)}
    assert ways == set(range(1, 14))  # a suited pair needs a second deck
    assert fast_action.house_way(0, 0) // 169 == 14


def test_seventeen_ranks_fall_into_the_totals_of_six_decks():
    """Five of 312 cards, by counting ranks and suits."""
    seen: Counter[int] = Counter()
    for ranks in itertools.combinations_with_replacement(range(13), 5):
        groups = Counter(ranks)
        suited = all_ = 1
        for many in groups.values():
            suited *= comb(6, many)
            all_ *= comb(24, many)
        seen[fast_action.seventeen(ranks, True)[0]] += 4 * suited
        seen[fast_action.seventeen(ranks, False)[0]] += all_ - 4 * suited
    assert sum(seen.values()) == comb(312, 5)
    assert seen[17] == 13 * 4 * comb(6, 5)
    assert seen[16] == 4 * 6**5


@pytest.mark.full
def test_a_wager_on_colorado_with_a_required_bet_costs_the_known_part():
    """Enumerated over all hands, cards laid away and boards, under the tables as they stand."""
    figures = list(of_colorado.figures(Maker(library.find("ma-colorado"))))
    main = next(f for f in figures if f.under.get("version") == "required_bet" and f.under["R-59"] == "counts")
    assert main.edge == Fraction(2133, 38675)
    assert main.deals == comb(52, 3) * comb(49, 3)
