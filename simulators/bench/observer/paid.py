"""Checks promise 5 to the cent: computes ante, blind and play once more from the recorded cards.

It is written apart from ranking and settlement: it compares all 21 choices of five cards, and pays by the
observer's own law. Rounds without recorded cards are skipped.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from simulators.bench.expected import EXPECTED
from simulators.bench.observer.evidence import Evidence
from simulators.bench.observer.record import Row

RANKS = "..23456789TJQKA"
PAIR = 1
Hand = tuple[int, ...]


def payments(evidence: Evidence) -> tuple[int, list[str]]:
    """Returns how many payments were compared, and the wrong ones."""
    law = EXPECTED[evidence.rulebook]
    checked, problems, hands = 0, [], dict[tuple[str, int], list[str]]()
    for row in (row for row in evidence.facts if row.order > evidence.began):
        match row.kind:
            case "round_begun":
                hands = {}
            case "hand_recorded" if "sealed" not in row.data:
                hands[row.data["area"], row.data.get("seat", 0)] = row.data["cards"].split()
            case "round_settled" if row.data.get("difference") is not None:
                checked += 1
                if row.data["difference"]:
                    problems.append(f"main {row.sequence}: {row.data['difference']} cents too much in the round")
            case "wager_settled" if row.data.get("offered") is not None:
                checked += 1
                right = _comes_to(law.blind, row, hands) if row.data["wager"] in MAIN else None
                back = row.data["returned"] + row.data["paid"]
                if row.data["difference"] or (right is not None and right != back):
                    wanted = f"{right} by the cards" if right is not None else "as offered"
                    where = f"main {row.sequence} seat {row.data['seat']} {row.data['wager']}"
                    problems.append(f"{where}: {back} handed back, not {wanted}")
    return checked, problems


MAIN = ("ante", "blind", "play")


def _comes_to(blind: Mapping[int, Fraction], row: Row, hands: dict[tuple[str, int], list[str]]) -> int | None:
    """Returns the cents that go back on a wager, stake included; None without cards, or in another game."""
    board, dealer = hands.get(("community", 0)), hands.get(("dealer", 0))
    own = hands.get(("player", row.data["seat"]))
    if not blind or board is None or dealer is None or own is None or "??" in (*board, *dealer, *own):
        return None
    mine, theirs = best(own + board), best(dealer + board)
    stake, wager = int(row.data.get("stake", 0)), row.data["wager"]
    if mine == theirs or (wager == "ante" and theirs[0] < PAIR):
        return stake
    if mine < theirs:
        return 0
    odds = blind.get(mine[0], Fraction(0)) if wager == "blind" else Fraction(1)
    return stake - (-stake * odds.numerator // odds.denominator)  # breakage up, as the bench elects


def best(cards: list[str]) -> Hand:
    """Returns the best five of these cards: category (9 = royal flush), then the tie-breakers."""
    return max(map(_five, combinations(cards, 5)))


def _five(cards: tuple[str, ...]) -> Hand:
    ranks = Counter(RANKS.index(card[0]) for card in cards)
    by = sorted(ranks, key=lambda rank: (-ranks[rank], -rank))
    shape = sorted(ranks.values(), reverse=True)
    low = sorted(ranks) == [2, 3, 4, 5, 14]
    straight = len(by) == 5 and (by[0] - by[4] == 4 or low)
    top = (5,) if low else (by[0],)
    if len({card[1] for card in cards}) == 1:
        return ((9 if by[4] == 10 else 8), *top) if straight else (5, *by)
    if straight:
        return (4, *top)
    category = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(tuple(shape), 0)
    return (category, *by)
