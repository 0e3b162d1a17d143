"""The log of a link's states: every change while they are few, and never a flood however a cable is plugged about."""

from collections.abc import Callable
from typing import Any

from drivers.device import SessionStatus

__all__ = ["BURST", "PERIOD_S", "LinkLog"]

BURST = 20
"""Lines of one device that follow each other at any pace."""
PERIOD_S = 3.0
"""Seconds in which one more line is earned: at most twenty a minute for ever."""


class LinkLog:
    """Of one device. `write(event, **fields)`: a log's own call. `clock`: monotonic seconds."""

    def __init__(self, device: str, write: Callable[..., Any], clock: Callable[[], float]) -> None:
        self._device, self._write, self._clock = device, write, clock
        self._lines = float(BURST)
        self._since = clock()
        self._left_out = 0

    def __call__(self, status: SessionStatus) -> None:
        """Tells of a state, or counts that it was left out; the next line says how many were."""
        now = self._clock()
        self._lines = min(BURST, self._lines + (now - self._since) / PERIOD_S)
        self._since = now
        if self._lines < 1:
            self._left_out += 1
            return
        self._lines -= 1
        more = {"left_out": self._left_out} if self._left_out else {}
        self._left_out = 0
        about = {
            "device": self._device,
            "state": status.state.value,
            "reason": status.reason,
            "detail": status.detail,
        }
        self._write("link", **about, **more)
