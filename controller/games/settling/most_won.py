"""The most that one hand can win in one round of Ultimate Texas Hold 'Em, over rounds that can be dealt.

Highest rows of several wagers exclude each other: who holds a royal flush is not beaten, and a royal flush on the board ties
all hands. Three rounds win at least as much on every wager as any other one, since the rows of each table fall:

- a royal flush with aces of hearts and diamonds beats aces of the dealer; on the board lies a straight flush up to the king;
- on the board lies a royal flush of spades, and the player holds the red aces: all hands tie, and nobody is beaten;
- red aces play the straight flush of the board, and the dealer's aces make a royal flush of it: the player is beaten.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from controller.rules.pay import PayHand

_RED_ACES = (PayHand.ACES_OF_HEARTS_AND_DIAMONDS, PayHand.PAIR_OF_ACES)
_FOUR_ACES = (PayHand.ACES_OF_PLAYER_AND_DEALER, *_RED_ACES)
_ROYAL, _STRAIGHT_FLUSH = (PayHand.ROYAL_FLUSH,), (PayHand.STRAIGHT_FLUSH,)

Words = Mapping[str, tuple[PayHand, ...]]
"""By wager: the words of the hand by which it is paid; a wager that is not named wins nothing."""

_BEATS: Final[Words] = {
    "ante": (PayHand.WIN,), "play": (PayHand.WIN,), "blind": _ROYAL, "trips": _ROYAL, "play_the_board": _STRAIGHT_FLUSH,
    "ultimate_pairs": _FOUR_ACES,
}  # fmt: skip
_TIES: Final[Words] = {"trips": _ROYAL, "play_the_board": _ROYAL, "ultimate_pairs": _RED_ACES}
_IS_BEATEN: Final[Words] = {
    "trips": _STRAIGHT_FLUSH, "bad_beat": _STRAIGHT_FLUSH, "play_the_board": _STRAIGHT_FLUSH,
    "ultimate_pairs": _FOUR_ACES,
}  # fmt: skip


def rounds(*, dealer_beaten_pays: bool) -> Iterable[Words]:
    """The three rounds. `dealer_beaten_pays`: whether Bad Beat may be paid by a beaten hand of the dealer too."""
    beats = {**_BEATS, "bad_beat": _STRAIGHT_FLUSH} if dealer_beaten_pays else _BEATS
    return beats, _TIES, _IS_BEATEN
