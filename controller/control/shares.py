"""Shares out the event loop among those who ask: one answer in a turn of the loop, and no login uses more than its part.

The table is played in the same loop. However many requests wait at the socket, a turn holds one look and one piece of a
backlog, so what a device reports waits for some milliseconds and never for the queue.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from controller.limits.token_bucket import Allowance

__all__ = ["Shares"]

BURST_S = 0.25
"""Time of the loop that a login may use at any pace: a page of a person, a program that starts."""

PART = 0.5
"""The part of the loop that one login may use for ever."""

LOGINS_KEPT = 256
"""Logins whose use is remembered; those who used nothing lately are forgotten first."""


class Shares:
    """`clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._used: dict[int, Allowance] = {}
        self._looks, self._backlogs = asyncio.Lock(), asyncio.Lock()

    @asynccontextmanager
    async def look(self, login: int) -> AsyncIterator[None]:
        """The time for one answer that only reads. What is done inside must not wait."""
        async with self._looks:
            async with self.act(login):
                yield
            await asyncio.sleep(0)  # the next one in a turn of its own

    @asynccontextmanager
    async def backlog(self, login: int) -> AsyncIterator[None]:
        """The time for one piece of what a watcher is behind. What is done inside must not wait."""
        async with self._backlogs:
            async with self.act(login):
                yield
            await asyncio.sleep(0)

    @asynccontextmanager
    async def act(self, login: int) -> AsyncIterator[None]:
        """The time for an act, which waits for nobody's looks."""
        begun = self._clock()
        try:
            yield
        finally:
            self._allowance(login).spend(self._clock() - begun)

    async def rest(self, login: int) -> None:
        """Gives way for one turn, and for as long as this login has used more than its part."""
        used = self._used.get(login)
        await asyncio.sleep(used.debt_s() if used else 0.0)

    def _allowance(self, login: int) -> Allowance:
        if login not in self._used and len(self._used) >= LOGINS_KEPT:
            self._used = {login: used for login, used in self._used.items() if not used.is_full()}
        return self._used.setdefault(login, Allowance(BURST_S, PART, self._clock))
