"""Logs a link's states: every change while they are few, never a flood."""

from collections.abc import Callable
from typing import Any

from controller.limits.limited_log import QuietLog
from drivers.device import SessionStatus


class LinkLog:
    """The state log of one device. `write(event, **fields)`: a log's own call. `clock`: monotonic seconds."""

    def __init__(self, device: str, write: Callable[..., Any], clock: Callable[[], float]) -> None:
        self._device, self._write = device, QuietLog(write, clock)

    def __call__(self, status: SessionStatus) -> None:
        """Logs a state, or counts it as left out; the next line says how many were."""
        about = {"state": status.state.value, "reason": status.reason, "detail": status.detail}
        self._write("link", device=self._device, **about)
