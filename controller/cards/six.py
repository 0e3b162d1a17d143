"""Ranks the six card bonus: the best five of six cards, or all six if they are a super royal (md-uth 6.F)."""

from collections.abc import Sequence

from controller.cards.cards import suit
from controller.cards.ranking import Category, six, worth

_NINE_TO_ACE = list(range(7, 13))


def super_royal(cards: Sequence[int]) -> str | None:
    """Returns the suit of a super royal, ace to nine of one suit in exactly six cards (md-uth 6.F(8)); None = it
    is none."""
    royal = len({card & 3 for card in cards}) == 1 and sorted(card >> 2 for card in cards) == _NINE_TO_ACE
    return suit(cards[0]) if royal else None


def six_card_bonus(cards: Sequence[int]) -> int:
    """Returns the value of exactly six cards; a super royal ranks above a royal flush (md-uth 6.F, 7.F(4)(a))."""
    return worth(Category.SUPER_ROYAL) if super_royal(cards) else six(cards)
