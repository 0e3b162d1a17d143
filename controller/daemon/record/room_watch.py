"""Watches the disk of the record: that room is low, and that it no longer is, goes on record once each, before play is held."""

import asyncio
from pathlib import Path
from typing import Protocol

import structlog

from controller.journal.disk import free_space
from controller.table.words.inputs import RecordRoom

log = structlog.get_logger()

LOOK_S = 1.0
WORDS = 20
"""Characters by which problems differ; the rest are numbers that change."""
MIB = 1 << 20


class Table(Protocol):
    """What the watch needs of the engine; `controller.daemon.engine.Engine` is one."""

    def submit(self, subject: str, body: RecordRoom) -> bool:
        """Takes the fact in; False where the daemon is ending."""
        ...


class RoomWatch:
    """One per open journal. `low`: what the record said last, so that a start says nothing twice."""

    def __init__(self, table: Table, record: Path, *, low: bool) -> None:
        self._table, self._record, self._low, self._problem = table, record, low, ""

    async def run(self) -> None:
        """Looks once a second until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(LOOK_S)

    def look(self) -> None:
        """Puts on record what has changed since the last look, and into the log what else is in the way."""
        free = free_space.free_bytes(self._record)
        limit = free_space.AGAIN_BYTES if self._low else free_space.RESERVE_BYTES
        if free is not None and (free < limit) is not self._low:
            told = RecordRoom(not self._low, free // MIB, free_space.RESERVE_BYTES // MIB)
            if self._table.submit("table", told):  # else the queue is full, and the next look says it
                self._low = told.low
        before, self._problem = self._problem, free_space.room_problem(self._record)
        if self._problem[:WORDS] != before[:WORDS]:
            log.warning("record_room", problem=self._problem or "there is room again")
