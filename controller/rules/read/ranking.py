"""Reads which hands a document ranks, and refuses an order that this version does not rank by.

The order itself is worked out in `controller.cards`, once for all documents; the file says, hand by hand, where the
document has it, and in which place. Where the two differ the rulebook does not load.
"""

from collections.abc import Mapping
from enum import IntEnum
from itertools import pairwise

from controller.cards.ranking import Category
from controller.cards.three import ThreeCard
from controller.rules.citation import Cited
from controller.rules.parts import OrderRule, RankingRule
from controller.rules.read.reader import RuleTable, positive, record


def ranking(root: RuleTable) -> RankingRule | None:
    """How cards and hands rank."""
    if (table := root.part("ranking")) is None:
        return None
    orders = {
        "five": _order(table, "five", Category),
        "six": _order(table, "six", Category, optional=True),
        "three": _order(table, "three", ThreeCard, optional=True),
    }
    rule = record(table, RankingRule, **orders)
    return None if orders["five"] is None else rule


def _order(table: RuleTable, key: str, words: type[IntEnum], *, optional: bool = False) -> OrderRule | None:
    inner = table.part(key, optional=optional)
    if inner is None:
        return None
    known = {word.name.lower(): int(word) for word in words}
    hands: dict[str, Cited[int]] = {}
    for name in inner:
        if name == "of":
            continue
        place = inner.cited(name, positive)
        if name not in known:
            inner.fault(name, f"unknown hand (known: {', '.join(known)})", "word_unknown")
        elif place is not None:
            hands[name] = place
    _check(inner, hands, known)
    return record(inner, OrderRule, hands=hands)


def _check(table: RuleTable, hands: Mapping[str, Cited[int]], known: Mapping[str, int]) -> None:
    """The places run from 1, and a hand in a better place is one that is worth more here."""
    ordered = sorted(hands, key=lambda name: hands[name].value)
    if [hands[name].value for name in ordered] != list(range(1, len(hands) + 1)):
        table.fault("", "the places do not run from 1 without a gap, each once", "hands_misplaced")
    for above, below in pairwise(ordered):
        if known[above] < known[below]:
            table.fault(
                above, f"stands above {below}, and this version ranks them the other way round", "hands_misplaced"
            )
