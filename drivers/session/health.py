"""How one device's link is: its state and since when, what was counted, what the device has proven."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping

from drivers.device import SessionState, SessionStatus
from drivers.errors import Fault

GAUGES = ("peer_", "clock_")
"""Beginnings of names whose numbers are of now: they are shown, and never added up over links."""


class Health:
    """The state of one session over all its connections. `on_state`: called with each change."""

    def __init__(self, on_state: Callable[[SessionStatus], None]) -> None:
        self._on_state = on_state
        self.status = SessionStatus(SessionState.DISABLED, time.monotonic())
        self.counters: Counter[str] = Counter()
        self.authenticated = False
        self.measured_at: float | None = None
        self._fault = ""
        self._is_live = True

    def new_link(self) -> None:
        """Begins a connection: nothing is proven yet."""
        self.authenticated, self.measured_at, self._fault, self._is_live = False, None, "", True
        self.move(SessionState.HELLO)

    def proven(self, *, measuring: bool) -> None:
        """Notes that the device has proven its key."""
        self.authenticated = True
        self.move(SessionState.MEASURE if measuring else SessionState.SYNC)

    def measured(self) -> None:
        """Notes that the firmware is the approved image."""
        self.counters["measured"] += 1
        self.measured_at = _now()
        if self.status.state is SessionState.MEASURE:
            self.move(SessionState.SYNC)

    def says_faulty(self, reason: str, detail: str) -> None:
        """Marks the device as out of order, until it connects again or the driver finds it whole."""
        self._fault = detail
        if self.status.state is SessionState.ONLINE:
            self.move(SessionState.FAULTED, reason, detail)

    def is_whole(self) -> None:
        """Ends the mark "out of order"."""
        self._fault = ""
        if self.status.state is SessionState.FAULTED:
            self.move(SessionState.ONLINE)

    def online(self, reason: str) -> None:
        """Marks the link as up. `reason`: shown if the device says that it is out of order."""
        if self._fault:
            self.move(SessionState.FAULTED, reason, self._fault)
        else:
            self.move(SessionState.ONLINE)

    def suspect(self, reason: str, *, half_dead: bool) -> None:
        """Marks the device as suspect: no echo for a while."""
        self.move(SessionState.SUSPECT, reason, "it sends, but answers nothing" if half_dead else "nothing comes")

    def closed(self, fault: Fault, detail: str) -> None:
        """Marks the link as closed; the fault decides the state."""
        if fault.value.startswith("auth_"):
            self.move(SessionState.REJECTED, fault, detail)
        else:
            stale = fault is Fault.TIMEOUT_LIVENESS
            self.move(SessionState.STALE if stale else SessionState.ABSENT, fault, detail)

    def turned(self, *, live: bool) -> bool:
        """Notes whether the device is known to be there; returns True if that is new."""
        before, self._is_live = self._is_live, live
        return before != live

    def move(self, state: SessionState, reason: str = "", detail: str = "") -> None:
        """Changes the state; a repeated failure of the same kind keeps its `since`."""
        status = self.status
        if (status.state, status.reason, status.detail) != (state, reason, detail):
            self.status = SessionStatus(state, _now(), reason, detail)
            self._on_state(self.status)

    def keep(self, counters: Mapping[str, int]) -> None:
        """Adds the counts of a finished connection."""
        self.counters.update({name: n for name, n in counters.items() if not name.startswith(GAUGES)})


def _now() -> float:
    return asyncio.get_running_loop().time()
