"""How likely each row of each wager is, exactly: from totals that are known, and reasoning that is written beside them.

No number here comes from the code that is tried. Cells are rows of the pay tables by their names, and `win`, `lose`, `push`
and `return` where no row speaks. Each function gives probabilities that add up to 1.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import comb, factorial
from typing import Final

Cells = dict[str, Fraction]

CATEGORIES: Final = (
    "high_card", "pair", "two_pairs", "three_of_a_kind", "straight", "flush", "full_house", "four_of_a_kind",
    "straight_flush", "royal_flush",
)  # fmt: skip


def _known(*counts: int) -> dict[str, int]:
    return dict(zip(CATEGORIES, counts, strict=True))


FIVE = _known(1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 4)
SIX = _known(6_612_900, 9_730_740, 2_532_816, 732_160, 361_620, 205_792, 165_984, 14_664, 1_656, 188)
SEVEN = _known(
    23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 37_260, 4_324
)
"""Hands of five, six and seven cards of one deck, by the best five of them."""
THREE: Final = {
    "royal_flush": 4, "straight_flush": 44, "three_of_a_kind": 52, "straight": 720, "flush": 1_096, "pair": 3_744,
}  # fmt: skip
"""Hands of three cards, of 22,100."""
ONE_RANK: Final = Fraction(FIVE["pair"], 13)
"""Hands of five cards with a pair of one rank and nothing better."""


def share(counts: Mapping[str, int | Fraction], deals: int, rest: str) -> Cells:
    """Counts out of so many deals; `rest` is what is left."""
    cells = {cell: Fraction(many) / deals for cell, many in counts.items()}
    return cells | {rest: cells.get(rest, Fraction(0)) + 1 - sum(cells.values())}


def from_row(lowest: str, counts: Mapping[str, int]) -> dict[str, int]:
    """The counts of this category and all above it."""
    return {name: counts[name] for name in CATEGORIES[CATEGORIES.index(lowest) :]}


def trips() -> Cells:
    return share(from_row("three_of_a_kind", SEVEN), comb(52, 7), "lose")


def progressive_by_flop() -> Cells:
    return share(from_row("three_of_a_kind", FIVE), comb(52, 5), "lose")


def six_card() -> Cells:
    """A super royal is ace to nine of one suit: one hand in each, which the known totals count as royal flushes."""
    super_royals = {"super_royal_diamonds": 1, "super_royal": 3, "royal_flush": SIX["royal_flush"] - 4}
    return share(from_row("three_of_a_kind", SIX) | super_royals, comb(52, 6), "lose")


def five_cards(pairs: Mapping[str, int], rest: str) -> Cells:
    """Any five cards: the five for all, a hand of Pik-it, or two of three cards with three for all. `pairs`: of the pairs,
    how many ranks each row takes."""
    of_pairs = {name: ranks * ONE_RANK for name, ranks in pairs.items()}
    return share({**from_row("two_pairs", FIVE), **of_pairs}, comb(52, 5), rest)


def board() -> Cells:
    return five_cards({"tens_or_better": 5}, "lose")


def two_cards_red_aces() -> Cells:
    """Of 1,326: six pairs of a rank, four suited and twelve unsuited hands of two ranks; one pair of aces is all red."""
    counts = {
        "aces_of_hearts_and_diamonds": 1, "pair_of_aces": 5, "ace_king_suited": 4, "ace_queen_or_jack_suited": 8,
        "ace_king_unsuited": 12, "pair_of_jacks_to_kings": 18, "ace_queen_or_jack_unsuited": 24, "pair_of_tens_or_less": 54,
    }  # fmt: skip
    return share(counts, comb(52, 2), "lose")


def two_cards_four_aces() -> Cells:
    """As above, and of the pairs of aces those that meet the other two in the dealer's hand: one hand of 1,225."""
    cells = two_cards_red_aces()
    aces = cells["pair_of_aces"] + cells.pop("aces_of_hearts_and_diamonds")
    return cells | {
        "pair_of_aces": aces * Fraction(1_224, 1_225), "aces_of_player_and_dealer": aces * Fraction(1, 1_225),
    }  # fmt: skip


SHOWDOWNS: Final = comb(52, 5) * comb(47, 2) * comb(45, 2)
"""Five cards for all, the player's two and the dealer's two."""
BEATEN = _known(
    395_983_710_240, 683_256_278_484, 199_549_574_820, 32_024_879_724, 9_135_538_488, 9_717_104_296, 4_217_612_688,
    235_520_256, 5_150_296, 0,
)  # fmt: skip
TIED = _known(
    11_681_317_560, 38_757_694_752, 34_054_545_168, 4_647_370_128, 15_662_001_240, 2_910_219_176, 5_179_382_208,
    198_204_864, 35_247_960, 4_280_760,
)  # fmt: skip
"""Of `SHOWDOWNS`, by the category of the player's hand: how often the dealer's is higher, and how often equal. Counted hand
against hand on every board that differs by more than the names of suits."""
BEATING = {name: many * 21 * 990 - BEATEN[name] - TIED[name] for name, many in SEVEN.items()}
"""The others: each seven cards are five for all and two of the player's in 21 ways, and face 990 hands of the dealer."""


def blind() -> Cells:
    """Of a hand that is played to the end."""
    rows = from_row("straight", BEATING)
    less = sum(BEATING.values()) - sum(rows.values())
    return share(rows | {"less": less, "push": sum(TIED.values())}, SHOWDOWNS, "lose")


def play() -> Cells:
    return share({"win": sum(BEATING.values()), "push": sum(TIED.values())}, SHOWDOWNS, "lose")


def ante() -> Cells:
    """It goes back where the dealer has less than a pair. Such a dealer beats only high cards: as often as, the hands
    exchanged, a player's high card beats the dealer."""
    closed = Fraction(SEVEN["high_card"], comb(52, 7))
    beats = Fraction(BEATING["high_card"], SHOWDOWNS)
    ties = Fraction(TIED["high_card"], SHOWDOWNS)
    cells = play()
    return {
        "return": closed, "lose": cells["lose"] - beats, "push": cells["push"] - ties,
        "win": cells["win"] - (closed - beats - ties),
    }  # fmt: skip


def bad_beat() -> Cells:
    """The lower of two hands that are not equal, whose ever it is: the player's as often as the dealer's."""
    return share({name: 2 * many for name, many in from_row("three_of_a_kind", BEATEN).items()}, SHOWDOWNS, "lose")


COVERED: Final = {
    2: (65_400_191_568, 4_339_967_232, 751_861_124, 87_755_580),
    3: (27_370_258_454_160, 1_908_917_594_832, 334_981_001_292, 39_299_517_180),
    4: (7_002_589_207_684_752, 514_814_246_412_816, 90_731_982_503_820, 10_697_843_979_900),
    5: (1_222_286_309_974_964_592, 94_589_579_318_107_536, 16_683_796_155_723_060, 1_976_882_324_196_780),
    6: (
        154_203_070_212_440_244_432, 12_529_366_454_891_976_768, 2_207_679_759_930_759_660, 262_886_202_933_534_180,
    ),
    7: (
        14_546_598_167_010_541_111_632, 1_237_478_418_912_176_335_440, 217_591_025_574_271_379_940,
        26_038_769_769_904_191_300,
    ),
}  # fmt: skip
"""By number of hands, of all boards with so many hands whose order counts for nothing: how often the highest of them is a
full house, four of a kind, a straight flush and a royal flush. Counted board by board, by inclusion and exclusion."""


PIKIT_DEALS: Final = comb(52, 5) * comb(47, 5)
TIED_FIVE, TIED_THREE = 347_798_880, 12_305_119_176
"""Of `PIKIT_DEALS`: player and dealer have equal hands of five, or equal best three. The rest is won as often as lost."""
QUALIFIED_WON, QUALIFIED_TIED = 632_777_856_912, 72_999_180
"""Of `PIKIT_DEALS`: the dealer has ace and king or better, and a lower hand than the player, or an equal one."""
CLOSED = FIVE["high_card"] - (comb(11, 3) - 1) * (4**5 - 4)
"""Hands without a pair that lack an ace or a king: with both go three of eleven ranks that make no straight, nor a flush."""


def five_card_bonus() -> Cells:
    return five_cards({}, "lose")


def three_card_bonus() -> Cells:
    """Three of the five cards, which the player shows without looking."""
    return share(THREE, comb(52, 3), "lose")


def against_dealer(tied: int) -> Cells:
    even = Fraction(PIKIT_DEALS - tied, 2 * PIKIT_DEALS)
    return {"win": even, "lose": even, "push": Fraction(tied, PIKIT_DEALS)}


def qualified() -> Cells:
    closed = Fraction(CLOSED, comb(52, 5))
    won, tied = Fraction(QUALIFIED_WON, PIKIT_DEALS), Fraction(QUALIFIED_TIED, PIKIT_DEALS)
    return {"return": closed, "win": won, "push": tied, "lose": 1 - closed - won - tied}


def at_once() -> Cells:
    """Three of a kind, or three of one suit in a row, the ace low or high: announced before the cards for all are seen."""
    counts = {
        "instant_three_of_a_kind": THREE["three_of_a_kind"],
        "instant_straight_flush": THREE["straight_flush"] + THREE["royal_flush"],
    }
    return share(counts, comb(52, 3), "other")


def natural(decks: int) -> Cells:
    """The player's four cards of one rank."""
    chance = Fraction(13 * comb(4 * decks, 4), comb(52 * decks, 4))
    return {"natural": chance, "other": 1 - chance}


def dealer_natural(decks: int) -> Cells:
    """The dealer's, where the player has none: of all deals, less those with two naturals, of one rank or of two."""
    rank, shoe = 4 * decks, 52 * decks
    both = Fraction(
        13 * comb(rank, 4) * (comb(rank - 4, 4) + 12 * comb(rank, 4)), comb(shoe, 4) * comb(shoe - 4, 4)
    )
    alone = natural(decks)
    chance = (alone["natural"] - both) / alone["other"]
    return {"return": chance, "other": 1 - chance}


def certain(cell: str) -> Cells:
    return {cell: Fraction(1)}


def even() -> Cells:
    """Two hands that are drawn and set alike."""
    return {"win": Fraction(1, 2), "lose": Fraction(1, 2)}


def cover_all(hands: int) -> Cells:
    """The highest of so many hands over one board, from a full house on."""
    rows = dict(
        zip(("full_house", "four_of_a_kind", "straight_flush", "royal_flush"), COVERED[hands], strict=True)
    )
    deals = comb(52, 5) * factorial(47) // (factorial(47 - 2 * hands) * factorial(hands) * 2**hands)
    return share(rows, deals, "less")
