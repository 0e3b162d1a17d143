"""A log that cannot be flooded: every line while they are few, then a count of the rest."""

from collections.abc import Callable
from typing import Any

from controller.limits.token_bucket import Allowance

BURST = 20
"""Lines that follow each other at any pace."""
PERIOD_S = 3.0
"""Seconds in which one more line is earned: at most twenty a minute for ever."""


class QuietLog:
    """A limited log. `write(event, **fields)`: a log's own call. `clock`: monotonic seconds."""

    def __init__(self, write: Callable[..., Any], clock: Callable[[], float]) -> None:
        self._write = write
        self._lines = Allowance(BURST, 1 / PERIOD_S, clock)
        self._left_out = 0

    def __call__(self, event: str, **fields: object) -> None:
        """Writes a line, or counts it as left out; the next line gives the count (`left_out`)."""
        if not self._lines.take(1):
            self._left_out += 1
            return
        more = {"left_out": self._left_out} if self._left_out else {}
        self._left_out = 0
        self._write(event, **fields, **more)
