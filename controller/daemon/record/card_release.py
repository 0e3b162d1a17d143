"""Opens the sealed cards of a round by the rules: once they lie in the discard rack, or the round is over.

An opening goes through the engine like every input, so the record says when and why, and the key opens in that
transaction. A start opens what a power cut left shut.
"""

from typing import Protocol

from controller.journal.store import Journal
from controller.table.state.table import State
from controller.table.words.inputs import RoundOpened

COLLECTED, ENDED = "its cards lie in the discard rack", "the round is over"


class Table(Protocol):
    """What the card release needs of the engine (`controller.daemon.engine.Engine`)."""

    @property
    def state(self) -> State:
        """The table's present state, folded from all facts."""

    def submit(self, subject: str, body: RoundOpened) -> bool:
        """Hands an input to the engine's queue; returns False if the engine takes no more inputs."""


class Opener:
    """Opens the rounds of one open journal."""

    def __init__(self, table: Table, journal: Journal) -> None:
        self._table, self._journal = table, journal
        self._asked: set[str] = set()

    def wake(self) -> None:
        """Opens rounds that are due; call it after each commit."""
        for round_id, keys in self._journal.shut().items():
            if (reason := self._over(round_id)) and not self._asked.issuperset(keys):
                self._asked.update(keys)
                self._table.submit("table", RoundOpened(round_id, tuple(keys), reason))
        if self._asked:
            self._asked &= {key for keys in self._journal.shut().values() for key in keys}

    def _over(self, round_id: str) -> str:
        """Returns why the cards of a round may be known; "" while they may not."""
        round_ = self._table.state.round
        if round_ is None or round_.id != round_id:
            return ENDED
        return COLLECTED if round_.collected else ""
