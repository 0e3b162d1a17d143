"""Decides how long to wait before a port is opened again: short at first, bounded, randomised."""

import asyncio
import random
from collections.abc import Callable

from drivers.protocol.constants import (
    BACKOFF_FACTOR,
    BACKOFF_FIRST_S,
    BACKOFF_JITTER,
    BACKOFF_MAX_S,
    BACKOFF_RESET_AFTER_S,
)

PRESENCE_POLL_S = 0.25
"""How often a port is looked for while nothing is open: a device that is plugged in is opened at once."""


class Backoff:
    """Waits of 0.25 s, doubling to 5 s, each varied by a fifth. `rng`: its only randomness."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._next_s = BACKOFF_FIRST_S

    def reset(self) -> None:
        """Makes the next wait the shortest again."""
        self._next_s = BACKOFF_FIRST_S

    def wait_s(self, online_s: float) -> float:
        """Seconds to wait after a connection that was online for `online_s`.

        Only a connection that held for 30 s starts small again: a device that boots in a loop would else storm.
        """
        if online_s >= BACKOFF_RESET_AFTER_S:
            self.reset()
        wait = self._next_s * self._rng.uniform(1 - BACKOFF_JITTER, 1 + BACKOFF_JITTER)
        self._next_s = min(BACKOFF_MAX_S, self._next_s * BACKOFF_FACTOR)
        return wait

    async def rest(self, wait_s: float, present: Callable[[], bool], *, is_gone: bool) -> None:
        """Waits; ends early, and resets, when a missing port is `present` again."""
        loop = asyncio.get_running_loop()
        end = loop.time() + wait_s
        while (left := end - loop.time()) > 0:
            if not present():
                is_gone = True
            elif is_gone:
                self.reset()
                return
            await asyncio.sleep(min(left, PRESENCE_POLL_S))
