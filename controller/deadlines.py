"""The timer of the table: tells the engine when a set has been in play for its longest time.

It decides nothing: it asks the core for the next deadline after each commit, waits for it on the monotonic clock, and
hands in `SetDue`. The core then looks for itself, with the time of that input.
"""

import asyncio
from typing import Protocol

import structlog

from controller.clock import Clock
from controller.table.deadlines import Deadline, due
from controller.table.inputs import SetDue
from controller.table.state import Setup, State

log = structlog.get_logger()

LONGEST_WAIT_S = 60.0
"""The clock is looked at again at least this often, so that a loop that was late wakes no later than that."""
NS_PER_S = 1_000_000_000


class Table(Protocol):
    """What the timer needs of the engine; `controller.engine.Engine` is one."""

    @property
    def setup(self) -> Setup: ...
    @property
    def state(self) -> State: ...
    def submit(self, subject: str, body: SetDue) -> bool: ...


class Deadlines:
    """Keeps the one timer of a table. Each deadline is handed in once, whatever comes of it."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table, self._clock = table, clock
        self._boot = clock.stamp().boot
        self._news = asyncio.Event()
        self._handed_in: Deadline | None = None

    def wake(self) -> None:
        """Called after each commit: the state may have another deadline now."""
        self._news.set()

    async def run(self) -> None:
        """Runs until cancelled. Nothing is asked before the first commit: the start itself settles what a reboot left."""
        await self._news.wait()
        while True:
            self._news.clear()
            wait_s = self.look()
            try:
                async with asyncio.timeout(wait_s):
                    await self._news.wait()
            except TimeoutError:
                continue

    def look(self) -> float:
        """Hands in what is due, and says after how many seconds to look again if nothing happens before."""
        deadline = due(self._table.setup, self._table.state, self._boot)
        if deadline is None or deadline == self._handed_in:
            return LONGEST_WAIT_S
        left_ns = deadline.mono_ns - self._clock.mono_ns()
        if left_ns > 0:
            return min(left_ns / NS_PER_S, LONGEST_WAIT_S)
        log.info("set_due", back=deadline.back)
        self._handed_in = deadline
        self._table.submit("table", SetDue(deadline.back))
        return LONGEST_WAIT_S
