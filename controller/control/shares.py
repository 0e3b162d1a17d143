"""Shares the event loop among clients: one answer in a turn of the loop, and a bounded share for each login.

The table runs in this loop. However many requests wait, a turn holds one read and one piece of a backlog, so a
device's report waits for milliseconds, never for the queue.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from controller.limits.token_bucket import Allowance

BURST_S = 0.25
"""Time of the loop that a login may use at any pace: a page of a person, a program that starts."""

PART = 0.5
"""The part of the loop that one login may use for ever."""

LOGINS_KEPT = 256
"""Logins whose use is remembered; those who used nothing lately are forgotten first."""


class Shares:
    """The shares of all logins. `clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._used: dict[int, Allowance] = {}
        self._looks, self._backlogs = asyncio.Lock(), asyncio.Lock()

    @asynccontextmanager
    async def look(self, login: int) -> AsyncIterator[None]:
        """Waits for the turn of one reading answer. The work inside must not wait."""
        async with self._looks:
            async with self.act(login):
                yield
            await asyncio.sleep(0)  # the next one in a turn of its own

    @asynccontextmanager
    async def backlog(self, login: int) -> AsyncIterator[None]:
        """Waits for the turn of one piece of a watcher's backlog. The work inside must not wait."""
        async with self._backlogs:
            async with self.act(login):
                yield
            await asyncio.sleep(0)

    @asynccontextmanager
    async def act(self, login: int) -> AsyncIterator[None]:
        """Waits for the turn of an act, which never queues behind reads."""
        begun = self._clock()
        try:
            yield
        finally:
            self._allowance(login).spend(self._clock() - begun)

    async def rest(self, login: int) -> None:
        """Yields one turn, and longer if this login has used more than its share."""
        used = self._used.get(login)
        await asyncio.sleep(used.debt_s() if used else 0.0)

    def _allowance(self, login: int) -> Allowance:
        if login not in self._used and len(self._used) >= LOGINS_KEPT:
            self._used = {login: used for login, used in self._used.items() if not used.is_full()}
        return self._used.setdefault(login, Allowance(BURST_S, PART, self._clock))
