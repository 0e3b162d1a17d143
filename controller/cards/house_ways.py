"""How the dealer of Fast Action Hold 'Em sets a hand: which two of four cards are played (fast-action (h)(9)).

The document lists fourteen ways, the first that fits decides. Of several pairs that fit, the highest is played, by its higher
card, then by its lower one: a hand is set to rank highest ((a)(1)(ix)), unless the way says "any". Which of two suited pairs is
played, and whether a bound such as "10 or better" holds for each of two cards, are readings (`Read`). Running goes by rank: an
ace runs with a king, never with a two, since it stands below a two only to complete a straight ((c)(1)).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Final

from controller.cards.cards import pips
from controller.cards.ranking import ACE
from drivers.protocol.records import dataclass

_TEN, _JACK = 10, 11
_SUITED_PAIR = "(h)(9)(i)"


@dataclass(frozen=True, slots=True)
class Read:
    """The readings of the house ways where the text is open.

    `any_suited_pair`: of two suited pairs the dealer may play either, as no word of (h)(9)(i) says the highest.
    `of_highest`: "10 or better" in (h)(9)(viii) and "jack or better" in (ix) bound the higher of two cards, not each.
    """

    any_suited_pair: bool = False
    of_highest: bool = False


AS_BEFORE: Final = Read()
"""The highest suited pair, and a bound for each card."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The result of a house way. `plays`: pairs of cards, each the higher card first; the dealer may play any of
    them.

    There are several where the text says "any", or where cards of equal rank differ only in suit; those of the highest
    ranks stand first. `cite`: the clause of the way.
    """

    cite: str
    says: str
    plays: tuple[tuple[int, int], ...]

    @property
    def of_equal_rank(self) -> bool:
        """Returns True if the plays differ in suits alone."""
        return len(self.plays) > 1 and len({_by_rank(pair) for pair in self.plays}) == 1


_Test = Callable[[int, int, bool], bool]
"""Of the pips of the higher and of the lower card, and whether both are of one suit."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One house way. `any`: every fitting pair may be played, not only the highest."""

    cite: str
    says: str
    fits: _Test
    any: bool = False


_WAYS: Final = (
    _Way(_SUITED_PAIR, "suited pair", lambda high, low, suited: high == low and suited),
    _Way("(h)(9)(ii)", "highest pair", lambda high, low, suited: high == low),
    _Way(
        "(h)(9)(iii)",
        "ace with the highest suited card, ten or better",
        lambda high, low, suited: high == ACE and low >= _TEN and suited,
    ),
    _Way(
        "(h)(9)(iv)",
        "highest suited running cards, ten and jack or better",
        lambda high, low, suited: high - low == 1 and low >= _TEN and suited,
    ),
    _Way(
        "(h)(9)(v)",
        "ace with the highest card, ten or better",
        lambda high, low, suited: high == ACE and low >= _TEN,
    ),
    _Way(
        "(h)(9)(vi)",
        "highest unsuited running cards, jack and queen or better",
        lambda high, low, suited: high - low == 1 and low >= _JACK and not suited,
    ),
    _Way("(h)(9)(vii)", "ace with the highest suited card", lambda high, low, suited: high == ACE and suited),
    _Way("(h)(9)(viii)", "highest suited cards, ten or better", lambda high, low, suited: low >= _TEN and suited),
    _Way("(h)(9)(ix)", "highest cards, jack or better", lambda high, low, suited: low >= _JACK),
    _Way("(h)(9)(x)", "ace with the highest card", lambda high, low, suited: high == ACE),
    _Way("(h)(9)(xi)", "suited running cards", lambda high, low, suited: high - low == 1 and suited, any=True),
    _Way("(h)(9)(xii)", "highest suited cards that do not run", lambda high, low, suited: suited),
    _Way("(h)(9)(xiii)", "running cards", lambda high, low, suited: high - low == 1, any=True),
    _Way("(h)(9)(xiv)", "highest cards", lambda high, low, suited: True),
)

_OF_HIGHEST: Final[dict[str, _Test]] = {
    "(h)(9)(viii)": lambda high, low, suited: high >= _TEN and suited,
    "(h)(9)(ix)": lambda high, low, suited: high >= _JACK,
}
"""Tests of the ways whose bound may be one of the higher card alone."""


def is_natural(cards: Sequence[int]) -> bool:
    """Returns True if four cards are of one rank (fast-action (a)(1)(v)): they win or take at once."""
    return len(cards) == 4 and len({card >> 2 for card in cards}) == 1


def set_hand(cards: Sequence[int], read: Read = AS_BEFORE) -> Setting:
    """Returns the two cards that the dealer plays, under these readings.

    Raises `ValueError` unless there are four cards, and for a natural.
    """
    if len(cards) != 4:
        raise ValueError(f"the dealer sets four cards, not {len(cards)}")
    if is_natural(cards):
        raise ValueError("four of a kind is a natural and is not set [(h)(8)]")
    return _set(tuple(cards), read)


@lru_cache(maxsize=64)  # one hand is asked for when it is checked, and at each settlement of its round
def _set(cards: tuple[int, ...], read: Read) -> Setting:
    pairs = sorted({(max(a, b), min(a, b)) for a, b in combinations(cards, 2)}, reverse=True)
    seen = [(pair, *_by_rank(pair), pair[0] & 3 == pair[1] & 3) for pair in pairs]
    for way in _ways(read):
        fitting = [pair for pair, high, low, suited in seen if way.fits(high, low, suited)]
        if fitting:
            best = _by_rank(fitting[0])
            return Setting(way.cite, way.says, tuple(p for p in fitting if way.any or _by_rank(p) == best))
    raise AssertionError("the last way fits every hand")


def _ways(read: Read) -> Iterator[_Way]:
    """Returns the ways in order, as read."""
    for way in _WAYS:
        if way.cite == _SUITED_PAIR and read.any_suited_pair:
            yield replace(way, any=True)
        elif way.cite in _OF_HIGHEST and read.of_highest:
            yield replace(way, fits=_OF_HIGHEST[way.cite])
        else:
            yield way


def _by_rank(pair: tuple[int, int]) -> tuple[int, int]:
    return (pips(pair[0]), pips(pair[1]))
