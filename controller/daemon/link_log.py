"""The log of a link's states: every change while they are few, and never a flood however a cable is plugged about."""

from collections.abc import Callable
from typing import Any

from controller.limits.limited_log import QuietLog
from drivers.device import SessionStatus

__all__ = ["LinkLog"]


class LinkLog:
    """Of one device. `write(event, **fields)`: a log's own call. `clock`: monotonic seconds."""

    def __init__(self, device: str, write: Callable[..., Any], clock: Callable[[], float]) -> None:
        self._device, self._write = device, QuietLog(write, clock)

    def __call__(self, status: SessionStatus) -> None:
        """Tells of a state, or counts that it was left out; the next line says how many were."""
        about = {"state": status.state.value, "reason": status.reason, "detail": status.detail}
        self._write("link", device=self._device, **about)
