"""The asyncio side of the journal: commits run in the loop on a fast disk, in one thread on a slow disk.

A hop to a thread and back costs half a sync on a fast disk; a sync on a slow disk would stop the loop. So the last
commits decide. A commit is one job: cancelling the waiting task does not stop it.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from controller.clock import Clock
from controller.journal.errors import JournalWriteFailed
from controller.journal.record import Record, Transaction
from controller.journal.store import Journal

T = TypeVar("T")

INLINE_BELOW_S = 0.001
"""A commit may run in the loop while 19 of 20 recent ones took less than this (DECISIONS D-14)."""
WINDOW = 100
"""How many commits are recent."""
FIRST = 16
"""How many commits must have been fast before the first one runs in the loop."""
COMMIT_LIMIT_S = 2.0
"""A commit that takes longer counts as failed: the table is held rather than left waiting for its disk."""


class Recorder:
    """The daemon's only way to append. One call is one commit."""

    def __init__(self, journal: Journal, clock: Clock, *, limit_s: float = COMMIT_LIMIT_S) -> None:
        self.path = journal.path
        self._journal, self._clock, self._limit_s = journal, clock, limit_s
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._jobs: set[Future[Any]] = set()
        self._were_slow: deque[bool] = deque(maxlen=WINDOW)

    @property
    def is_inline(self) -> bool:
        """True while commits run in the loop."""
        recent = len(self._were_slow)
        return recent >= FIRST and sum(self._were_slow) * 20 <= recent

    async def commit(self, transactions: Sequence[Transaction]) -> list[Record]:
        """Makes the transactions durable, all or none, and gives their records.

        Raises `JournalRepeat` and `JournalWriteFailed` as `Journal.append` does, the latter also after 2 s; then it
        is not known whether they are on record until the journal has been opened again. If the waiting task is
        cancelled, the commit is carried out all the same.
        """
        if self.is_inline and not self._jobs:
            return self._append(transactions)
        job = self._thread.submit(self._append, transactions)
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)
        try:
            async with asyncio.timeout(self._limit_s):
                return await asyncio.shield(asyncio.wrap_future(job))
        except TimeoutError as exc:
            reason = f"the commit took over {self._limit_s:g} s"
            self._journal.refuse(reason)
            raise JournalWriteFailed(self._journal.path, reason) from exc

    async def run(self, work: Callable[[], T]) -> T:
        """Runs something with the journal in the commits' thread, between two commits; cancelling does not stop
        it."""
        job = self._thread.submit(work)
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)
        return await asyncio.shield(asyncio.wrap_future(job))

    async def flush(self) -> None:
        """Makes readers' positions durable. Call it every few seconds. Raises `JournalWriteFailed`."""
        await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, self._journal.flush))

    async def close(self) -> None:
        """Waits for the running commit, then closes the journal. Raises `JournalWriteFailed`."""
        try:
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, self._journal.close))
        finally:
            self._thread.shutdown(wait=False)

    def _append(self, transactions: Sequence[Transaction]) -> list[Record]:
        """Appends, in the loop or in the thread, never in both at once."""
        recorded = self._clock.stamp()
        records = self._journal.append(transactions, recorded)
        took_s = (self._clock.mono_ns() - recorded.mono_ns) / 1e9
        self._were_slow.append(took_s >= INLINE_BELOW_S)
        if took_s > self._limit_s:
            reason = f"the commit took {took_s:.1f} s"
            self._journal.refuse(reason)
            raise JournalWriteFailed(self._journal.path, reason)
        return records
