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
from controller.rules.read.reader import Table
from controller.rules.read.sections import one_of

CARDS = ("ace_high_or_below_two",)
TIES = ("class_first", "highest_card_not_shared")
"""Both rank alike: the second is what editions of before R-165 say. By its words alone hands of one rank have no order."""


def ranking(root: Table) -> RankingRule | None:
    if (table := root.table("ranking")) is None:
        return None
    cards = table.cited("cards", one_of(CARDS))
    ties = table.cited("ties", one_of(TIES), optional=True)
    five = _order(table, "five", Category)
    six, three = _order(table, "six", Category, optional=True), _order(table, "three", ThreeCard, optional=True)
    natural = table.cited("natural", Table.positive, optional=True)
    house_ways = table.cited("house_ways", Table.flag, optional=True)
    table.close()
    return (
        None if cards is None or five is None else RankingRule(cards, ties, five, six, three, natural, house_ways)
    )


def _order(table: Table, key: str, words: type[IntEnum], *, optional: bool = False) -> OrderRule | None:
    inner = table.table(key, optional=optional)
    if inner is None:
        return None
    of = inner.cited("of", Table.positive)
    known = {word.name.lower(): int(word) for word in words}
    hands: dict[str, Cited[int]] = {}
    for name in inner:
        if name in inner.known:
            continue
        place = inner.cited(name, Table.positive)
        if name not in known:
            inner.fault(f"unknown hand {name!r} (known: {', '.join(known)})")
        elif place is not None:
            hands[name] = place
    _check(inner, hands, known)
    return None if of is None else OrderRule(of, hands)


def _check(table: Table, hands: Mapping[str, Cited[int]], known: Mapping[str, int]) -> None:
    """The places run from 1, and a hand in a better place is one that is worth more here."""
    ordered = sorted(hands, key=lambda name: hands[name].value)
    if [hands[name].value for name in ordered] != list(range(1, len(hands) + 1)):
        table.fault("the places do not run from 1 without a gap, each once")
    for above, below in pairwise(ordered):
        if known[above] < known[below]:
            table.fault(f"{above} stands above {below}, and this version ranks them the other way round")
