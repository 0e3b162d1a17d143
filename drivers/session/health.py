"""How one device's link is: its state and since when, what was counted, what the device has proven."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping

from drivers.device import SessionState, SessionStatus
from drivers.errors import Fault

__all__ = ["GAUGES", "Health"]

GAUGES = ("peer_", "clock_")
"""Beginnings of names whose numbers are of now: they are shown, and never added up over links."""


class Health:
    """Of one session, over all its connections. `on_state`: told of each change."""

    def __init__(self, on_state: Callable[[SessionStatus], None]) -> None:
        self._on_state = on_state
        self.status = SessionStatus(SessionState.DISABLED, time.monotonic())
        self.counters: Counter[str] = Counter()
        self.authenticated = False
        self.measured_at: float | None = None
        self._fault = ""
        self._is_live = True

    def new_link(self) -> None:
        """A connection begins: nothing is proven yet, and what the device said of itself is to be said anew."""
        self.authenticated, self.measured_at, self._fault, self._is_live = False, None, "", True
        self.move(SessionState.HELLO)

    def proven(self, *, measuring: bool) -> None:
        """The device has the key."""
        self.authenticated = True
        self.move(SessionState.MEASURE if measuring else SessionState.SYNC)

    def measured(self) -> None:
        """Its firmware is the approved image."""
        self.counters["measured"] += 1
        self.measured_at = _now()
        if self.status.state is SessionState.MEASURE:
            self.move(SessionState.SYNC)

    def says_faulty(self, reason: str, detail: str) -> None:
        """It is out of order: it stays so until it connects anew, or is whole again where it is the driver who judges it."""
        self._fault = detail
        if self.status.state is SessionState.ONLINE:
            self.move(SessionState.FAULTED, reason, detail)

    def is_whole(self) -> None:
        """What made it out of order is over."""
        self._fault = ""
        if self.status.state is SessionState.FAULTED:
            self.move(SessionState.ONLINE)

    def online(self, reason: str) -> None:
        """The link is up. `reason`: told where the device has said that it is out of order."""
        if self._fault:
            self.move(SessionState.FAULTED, reason, self._fault)
        else:
            self.move(SessionState.ONLINE)

    def suspect(self, reason: str, *, half_dead: bool) -> None:
        """No echo for a while."""
        self.move(SessionState.SUSPECT, reason, "it sends, but answers nothing" if half_dead else "nothing comes")

    def closed(self, fault: Fault, detail: str) -> None:
        """There is no link; the state says what follows from why."""
        if fault.value.startswith("auth_"):
            self.move(SessionState.REJECTED, fault, detail)
        else:
            stale = fault is Fault.TIMEOUT_LIVENESS
            self.move(SessionState.STALE if stale else SessionState.ABSENT, fault, detail)

    def turned(self, *, live: bool) -> bool:
        """Whether it is news that the device is known to be there, or that it is not."""
        before, self._is_live = self._is_live, live
        return before != live

    def move(self, state: SessionState, reason: str = "", detail: str = "") -> None:
        """Changes the state; a repeated failure of the same kind keeps its `since`."""
        status = self.status
        if (status.state, status.reason, status.detail) != (state, reason, detail):
            self.status = SessionStatus(state, _now(), reason, detail)
            self._on_state(self.status)

    def keep(self, counters: Mapping[str, int]) -> None:
        """Adds what a connection that is over had counted."""
        self.counters.update({name: n for name, n in counters.items() if not name.startswith(GAUGES)})


def _now() -> float:
    return asyncio.get_running_loop().time()
