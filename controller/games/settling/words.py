"""A hand's value in the words of the pay tables, the one that says most first."""

from typing import Final

from controller.cards.cards import pips, suit
from controller.cards.ranking import ACE, Category
from controller.cards.three import ThreeCard
from controller.rules.pay import PayHand

_H = PayHand
_JACK, _TEN, _NINE, _SEVEN = 11, 10, 9, 7

_OF_CATEGORY: Final[dict[int, tuple[PayHand, ...]]] = {
    Category.HIGH_CARD: (_H.LESS,),
    Category.TWO_PAIRS: (_H.TWO_PAIRS, _H.LESS),
    Category.THREE: (_H.THREE_OF_A_KIND, _H.LESS),
    Category.STRAIGHT: (_H.STRAIGHT, _H.LESS),
    Category.FLUSH: (_H.FLUSH, _H.LESS),
    Category.FULL_HOUSE: (_H.FULL_HOUSE, _H.LESS),
    Category.FOUR: (_H.FOUR_OF_A_KIND, _H.LESS),
    Category.STRAIGHT_FLUSH: (_H.STRAIGHT_FLUSH, _H.LESS),
    Category.ROYAL_FLUSH: (_H.ROYAL_FLUSH, _H.LESS),
    Category.SUPER_ROYAL: (_H.SUPER_ROYAL, _H.ROYAL_FLUSH, _H.LESS),
    ThreeCard.HIGH_CARD: (),
    ThreeCard.PAIR: (_H.PAIR,),
    ThreeCard.FLUSH: (_H.FLUSH,),
    ThreeCard.STRAIGHT: (_H.STRAIGHT,),
    ThreeCard.THREE: (_H.THREE_OF_A_KIND,),
    ThreeCard.STRAIGHT_FLUSH: (_H.STRAIGHT_FLUSH,),
    ThreeCard.ROYAL_FLUSH: (_H.ROYAL_FLUSH,),
}


def of_value(value: int) -> tuple[PayHand, ...]:
    """The words of a ranking value of five, six or three cards. Only its category and its first rank tell."""
    category = value >> 20
    if category == Category.PAIR:
        return _of_pair(value >> 16 & 15)
    return _OF_CATEGORY[category]


def _of_pair(rank: int) -> tuple[PayHand, ...]:
    words = []
    if rank >= _JACK:
        words.append(_H.JACKS_OR_BETTER)
    if rank >= _TEN:
        words.append(_H.TENS_OR_BETTER)
    if rank == _TEN:
        words.append(_H.PAIR_OF_TENS)
    if rank == _NINE:
        words.append(_H.PAIR_OF_NINES)
    if _SEVEN <= rank <= _NINE:
        words.append(_H.SEVENS_TO_NINES)
    return (*words, _H.PAIR, _H.LESS)


def of_two(cards: tuple[int, ...]) -> tuple[PayHand, ...]:
    """The words of a player's first two cards; () for those that no table pays."""
    high, low = sorted((pips(card) for card in cards), reverse=True)
    suited = suit(cards[0]) == suit(cards[1])
    if high == low == ACE:
        red = {suit(card) for card in cards} == {"h", "d"}
        return (_H.ACES_OF_HEARTS_AND_DIAMONDS, _H.PAIR_OF_ACES) if red else (_H.PAIR_OF_ACES,)
    if high == low:
        return (_H.PAIR_OF_JACKS_TO_KINGS,) if high >= _JACK else (_H.PAIR_OF_TENS_OR_LESS,)
    if high == ACE and low == ACE - 1:
        return (_H.ACE_KING_SUITED if suited else _H.ACE_KING_UNSUITED,)
    if high == ACE and low >= _JACK:
        return (_H.ACE_QUEEN_OR_JACK_SUITED if suited else _H.ACE_QUEEN_OR_JACK_UNSUITED,)
    return ()
