"""Which rounds were played with a set since somebody or something last found it to be right."""

from msgspec import Struct

KEPT = 100
"""Rounds that a set remembers by name. A stub count or a counting shuffler ends the list far earlier; without either the
oldest are only counted, and the record of the rounds themselves still has them."""


class PlayedRound(Struct, frozen=True):
    """`seats`: those that had a hand in it."""

    round: str
    seats: tuple[int, ...]


class PlayedSince(Struct, frozen=True):
    """Rounds since the last good verdict, oldest first; `earlier`: how many there were before those named."""

    rounds: tuple[PlayedRound, ...] = ()
    earlier: int = 0

    def followed_by(self, played: PlayedRound) -> "PlayedSince":
        """Returns these rounds with one more behind them."""
        rounds = (*self.rounds, played)
        return PlayedSince(rounds[-KEPT:], self.earlier + max(0, len(rounds) - KEPT))


NOTHING_PLAYED = PlayedSince()
