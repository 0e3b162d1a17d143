"""Signs the heads of the record: at each round's end, at once in a dispute, and after many records.

The signature is recorded and published, so the back office holds every checkpoint. Nothing waits for a signature.
"""

from typing import Protocol

import structlog

from controller.clock import Clock
from controller.daemon.record.snapshot import EVERY_RECORDS as SNAPSHOT_EVERY
from controller.daemon.record.snapshot import Snapshots
from controller.journal.proof.checkpoint import signed_statement
from controller.journal.proof.expected import keep_head
from controller.journal.proof.keys import SigningKey
from controller.journal.store import Journal
from controller.table.state.table import State
from controller.table.words.inputs import CheckpointSigned

log = structlog.get_logger()

EVERY_RECORDS = 1000
"""Within a long round, or where none is played, a checkpoint comes after so many records."""


class Table(Protocol):
    """What the checkpointer needs of the engine (`controller.daemon.engine.Engine`)."""

    @property
    def state(self) -> State:
        """The table's present state, folded from all facts."""

    def submit(self, subject: str, body: CheckpointSigned) -> bool:
        """Hands an input to the engine's queue; returns False if the engine takes no more inputs."""


class Sealer:
    """Keeps the checkpoints of one open journal. The first comes with the first commit after a start.

    `folded`: facts that this start had to fold; after many of them a snapshot is taken at once.
    """

    def __init__(
        self,
        key: SigningKey,
        table: Table,
        journal: Journal,
        clock: Clock,
        snapshots: Snapshots | None = None,
        *,
        folded: int = 0,
    ) -> None:
        self._key, self._table, self._journal, self._clock = key, table, journal, clock
        self._snapshots, self._folded = snapshots, journal.order - folded
        self._signed: int | None = None  # order of the newest record that is under a signature
        self._round: str | None = None
        self._disputes: frozenset[str] = frozenset()

    def wake(self) -> None:
        """Makes a checkpoint if one is due; call it after each commit."""
        round_ = self._table.state.round
        before, self._round = self._round, round_.id if round_ else None
        has_ended = before is not None and before != self._round
        disputes, known = frozenset(self._table.state.disputes), self._disputes
        self._disputes = disputes
        if (
            has_ended
            or disputes - known
            or self._signed is None
            or self._journal.order - self._signed >= EVERY_RECORDS
        ):
            self._table.submit("table", self.checkpoint())
        if self._journal.order - self._folded >= SNAPSHOT_EVERY:
            self.snapshot()

    def snapshot(self) -> None:
        """Saves the state after the last commit, for a faster start. In a round it waits for the round's end.

        In a round it waits for its end: the state of a round is no text.
        """
        if self._table.state.round is not None:
            return
        self._folded = self._journal.order
        if self._snapshots is not None:
            try:
                self._snapshots.save(self._journal, self._table.state)
            except OSError as exc:
                log.warning("snapshot_not_kept", reason=str(exc))

    def checkpoint(self) -> CheckpointSigned:
        """Signs the present heads; also keeps them beside the record, so that a start notices missing records."""
        heads, order = self._journal.last()
        self._signed = order
        journal = self._journal
        text, signature = signed_statement(
            self._key, journal.id, journal.site, journal.table, heads, order, self._clock.stamp()
        )
        try:
            keep_head(journal.path, text, signature)
        except OSError as exc:
            log.warning("checkpoint_not_kept_beside", reason=str(exc))
        return CheckpointSigned(text, signature)
