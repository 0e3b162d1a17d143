"""Lets out which cards were told in a round, as the rules do: once they lie in the discard rack, or the round is over.

Like every other input an opening goes through the engine, so that the record says when and why, and the key is open in the
same transaction. A start lets out what an end of power left shut.
"""

from typing import Protocol

from controller.journal.store import Journal
from controller.table.state.table import State
from controller.table.words.inputs import RoundOpened

__all__ = ["Opener"]

COLLECTED, ENDED = "its cards lie in the discard rack", "the round is over"


class Table(Protocol):
    """What the opener needs of the engine; `controller.daemon.engine.Engine` is one."""

    @property
    def state(self) -> State: ...
    def submit(self, subject: str, body: RoundOpened) -> bool: ...


class Opener:
    """Lets out the rounds of one open journal."""

    def __init__(self, table: Table, journal: Journal) -> None:
        self._table, self._journal = table, journal
        self._asked: set[str] = set()

    def wake(self) -> None:
        """Called after each commit, from the loop's thread. Costs nothing while no key waits."""
        for round_id, keys in self._journal.shut().items():
            if (reason := self._over(round_id)) and not self._asked.issuperset(keys):
                self._asked.update(keys)
                self._table.submit("table", RoundOpened(round_id, tuple(keys), reason))
        if self._asked:
            self._asked &= {key for keys in self._journal.shut().values() for key in keys}

    def _over(self, round_id: str) -> str:
        """Why the cards of a round may be known; "" while they may not."""
        round_ = self._table.state.round
        if round_ is None or round_.id != round_id:
            return ENDED
        return COLLECTED if round_.collected else ""
