"""How many hands there are of each value: all hands of five, six or seven cards from one deck or several, counted.

Not hand by hand: hands with the same ranks, and of which the same ranks are of one suit, are worth the same and are
counted together. Each such group is looked up in the same tables as a hand at the table.
"""

from collections import Counter
from math import comb

from controller.cards.ranking import by_ranks, by_suit


def census(cards: int, decks: int = 1) -> Counter[int]:
    """Value -> number of hands of that many cards (5 to 7) out of so many decks, the best five of each counting.

    Cards alike of several decks are different cards here, as they are in a shoe: the numbers add up to
    comb(52 * decks, cards).
    """
    counted: Counter[int] = Counter()
    suited: Counter[int] = Counter()
    for of_suit in range(5, cards + 1):
        others = _groups(cards - of_suit, 3 * decks)
        for suit_key, suit_ways in _groups(of_suit, decks):
            value = by_suit(suit_key)
            for key, ways in others:
                hands = 4 * suit_ways * ways
                suited[suit_key + key] += hands
                counted[max(value, by_ranks(suit_key + key))] += hands
    for key, ways in _groups(cards, 4 * decks):
        counted[by_ranks(key)] += ways - suited[key]
    return +counted


def _groups(cards: int, copies: int) -> list[tuple[int, int]]:
    """Yields each choice of ranks for so many cards, `copies` of each rank: its key and its number of ways."""
    ways = [comb(copies, count) for count in range(cards + 1)]
    held: list[list[tuple[int, int]]] = [[(0, 1)], *([] for _ in range(cards))]
    for rank in range(13):
        held = [
            [
                (key + (count << 3 * rank), before * ways[count])
                for count in range(total + 1)
                if ways[count]
                for key, before in held[total - count]
            ]
            for total in range(cards + 1)
        ]
    return held[cards]
