"""How often each row of a pay table is paid in random rounds, against exact counts of the hands that there are.

One seat a round, so that rounds are independent. Rows of which fewer than five are expected are counted together; an honest
run fails once in a million. `make test` plays a hundredth of the rounds of the full form.
"""

import math
import random
from collections import Counter
from fractions import Fraction

import pytest

from controller.games.settling.engine import Settler
from controller.rules.elections import elect, proposals
from controller.rules.library import find
from tests.dealt import Dealer

ROUNDS, SHARE = 1_000_000, 100
FALSE_ALARM = 1e-6
FIVE, SIX, SEVEN, THREE, TWO = (
    math.comb(52, 5),
    math.comb(52, 6),
    math.comb(52, 7),
    math.comb(52, 3),
    math.comb(52, 2),
)

_MADE = {
    "royal_flush": 4, "straight_flush": 36, "four_of_a_kind": 624, "full_house": 3_744, "flush": 5_108, "straight": 10_200,
    "three_of_a_kind": 54_912, "two_pairs": 123_552,
}  # fmt: skip
PAIRS = 1_098_240 // 13  # of each rank
OF_FIVE = {hand: Fraction(count, FIVE) for hand, count in _MADE.items()}
FROM_THREE_OF_A_KIND = {hand: share for hand, share in OF_FIVE.items() if hand != "two_pairs"}
OF_SEVEN = {
    hand: Fraction(count, SEVEN)
    for hand, count in {
        "royal_flush": 4_324, "straight_flush": 37_260, "four_of_a_kind": 224_848, "full_house": 3_473_184,
        "flush": 4_047_644, "straight": 6_180_020, "three_of_a_kind": 6_461_620,
    }.items()
}  # fmt: skip
OF_SIX = {
    hand: Fraction(count, SIX)
    for hand, count in {
        "super_royal_diamonds": 1, "super_royal": 3, "royal_flush": 188 - 4, "straight_flush": 1_656,
        "four_of_a_kind": 14_664, "full_house": 165_984, "flush": 205_792, "straight": 361_620, "three_of_a_kind": 732_160,
    }.items()
}  # fmt: skip
OF_THREE = {
    hand: Fraction(count, THREE)
    for hand, count in {
        "royal_flush": 4, "straight_flush": 44, "three_of_a_kind": 52, "straight": 720, "flush": 1_096, "pair": 3_744,
    }.items()
}  # fmt: skip
OF_TWO = {
    hand: Fraction(count, TWO)
    for hand, count in {
        "pair_of_aces": 6, "ace_king_suited": 4, "ace_queen_or_jack_suited": 8, "ace_king_unsuited": 12,
        "pair_of_jacks_to_kings": 18, "ace_queen_or_jack_unsuited": 24, "pair_of_tens_or_less": 54,
    }.items()
}  # fmt: skip
BOTH_ACES = OF_TWO["pair_of_aces"] / math.comb(50, 2)  # the dealer holds the other two
EXPECTED: dict[str, list[tuple[dict[str, str], dict[str, dict[str, Fraction]]]]] = {
    "ma-uth": [({"trips_table": "A"}, {"trips": OF_SEVEN})],
    "md-uth": [(
        {"R-27": "flop", "ultimate_pairs_table": "B", "six_card_table": "A"},
        {
            "trips": OF_SEVEN, "progressive": FROM_THREE_OF_A_KIND, "six_card": OF_SIX,
            "play_the_board": OF_FIVE | {"tens_or_better": Fraction(5 * PAIRS, FIVE)},
            "ultimate_pairs": OF_TWO | {
                "aces_of_player_and_dealer": BOTH_ACES, "pair_of_aces": OF_TWO["pair_of_aces"] - BOTH_ACES,
            },
        },
    )],
    "nj-pikit": [({}, {"five_card_bonus": OF_FIVE, "three_card_bonus": OF_THREE})],
    "ma-colorado": [
        ({"version": "required_bet", "R-58": "not_paid"}, {
            "ante": OF_FIVE | {
                "tens_or_better": Fraction(5 * PAIRS, FIVE), "sevens_to_nines": Fraction(3 * PAIRS, FIVE),
                "less": 1 - sum(OF_FIVE.values()) - Fraction(8 * PAIRS, FIVE),
            },
            "bonus": OF_FIVE | {"jacks_or_better": Fraction(4 * PAIRS, FIVE)},
        }),
        ({"version": "permissible_bet", "R-20": "pays"}, {
            "bet": OF_FIVE | {
                "jacks_or_better": Fraction(4 * PAIRS, FIVE), "pair_of_tens": Fraction(PAIRS, FIVE),
                "pair_of_nines": Fraction(PAIRS, FIVE), "less": 1 - sum(OF_FIVE.values()) - Fraction(6 * PAIRS, FIVE),
            },
        }),
    ],
    "fast-action": [
        ({"decks": "six"}, {"original": {"natural": Fraction(13 * math.comb(24, 4), math.comb(312, 4))}}),
        ({"decks": "eight"}, {"original": {"natural": Fraction(13 * math.comb(32, 4), math.comb(416, 4))}}),
    ],
}  # fmt: skip
"""By document: elections, and by wager the exact share of rounds in which each row is the one that counts."""
CASES = [(name, *case) for name, cases in EXPECTED.items() for case in cases]
TESTS = sum(len(wagers) for _, _, wagers in CASES)


@pytest.mark.parametrize(("name", "elected", "wagers"), CASES, ids=[f"{c[0]} {' '.join(c[2])}" for c in CASES])
def test_rows_are_paid_as_often_as_their_hands_come(name, elected, wagers):
    """A row that was never reached, or reached by another row's hands, would show here."""
    _compare(name, elected, wagers, ROUNDS // SHARE)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("name", "elected", "wagers"), CASES, ids=[f"{c[0]} {' '.join(c[2])}" for c in CASES])
def test_rows_are_paid_as_often_as_their_hands_come_in_a_million_rounds(name, elected, wagers):
    """The same over a million rounds."""
    _compare(name, elected, wagers, ROUNDS)


def _compare(name: str, elected: dict[str, str], wagers: dict[str, dict[str, Fraction]], rounds: int) -> None:
    book = find(name)
    law = elect(book, {id_: (choice, "test") for id_, choice in (proposals(book) | elected).items()})
    settler, dealer = Settler(law), Dealer(law, random.Random(name), every=True, declare=False)
    seen: dict[str, Counter[str]] = {wager: Counter() for wager in wagers}
    for _ in range(rounds):
        settled = settler.settle(dealer.round(1))
        (total,) = settled.seats
        assert total.back == sum(line.returned + line.paid for line in settled.lines) - sum(
            c.cut for c in settled.cuts
        )
        for line in settled.lines:
            if line.wager in seen:
                seen[line.wager][line.hand] += 1
    for wager, shares in wagers.items():
        known = shares if name == "fast-action" else shares | {"": 1 - sum(shares.values())}
        counts = [(seen[wager][hand], float(share * rounds)) for hand, share in known.items()]
        if name == "fast-action":
            others = rounds - counts[0][0]
            counts.append((others, rounds - counts[0][1]))
        assert sum(count for count, _ in counts) == rounds, (
            f"{wager}: a row came that is not expected: {seen[wager]}"
        )
        assert _chance(counts) > FALSE_ALARM / TESTS, f"{wager}: {seen[wager]}"


def _chance(counts: list[tuple[int, float]]) -> float:
    """How likely an honest run is at least so far from what was expected (chi-square; small rows together)."""
    large = [(seen, expected) for seen, expected in counts if expected >= 5]
    small = [(seen, expected) for seen, expected in counts if expected < 5]
    if small:
        pooled = sum(seen for seen, _ in small), sum(expected for _, expected in small)
        if pooled[1] >= 5 or not large:
            large.append(pooled)
        else:
            at = min(range(len(large)), key=lambda n: large[n][1])
            large[at] = large[at][0] + pooled[0], large[at][1] + pooled[1]
    distance = sum((seen - expected) ** 2 / expected for seen, expected in large)
    return _upper_gamma((len(large) - 1) / 2, distance / 2)


def _upper_gamma(a: float, x: float) -> float:
    """The regularized upper incomplete gamma function, by its series below a + 1 and its continued fraction above."""
    if x <= 0:
        return 1.0
    if x < a + 1:
        term = total = 1 / a
        for n in range(1, 1000):
            term *= x / (a + n)
            total += term
            if term < total * 1e-15:
                break
        return 1 - total * math.exp(-x + a * math.log(x) - math.lgamma(a))
    tiny = 1e-300
    b, c = x + 1 - a, 1 / tiny
    d = 1 / b
    h = d
    for n in range(1, 1000):
        an = -n * (n - a)
        b += 2
        d = 1 / (an * d + b or tiny)
        c = b + an / c or tiny
        h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return h * math.exp(-x + a * math.log(x) - math.lgamma(a))


@pytest.mark.parametrize(
    ("degrees", "distance", "chance"),
    [(1, 3.841459, 0.05), (10, 18.307038, 0.05), (5, 1.145476, 0.95), (9, 33.719948, 0.0001)],
)
def test_the_chance_is_that_of_the_tables(degrees: int, distance: float, chance: float) -> None:
    """Known values of the chi-square distribution, on both sides of where the two ways of working it out meet."""
    assert _upper_gamma(degrees / 2, distance / 2) == pytest.approx(chance, rel=1e-4)
