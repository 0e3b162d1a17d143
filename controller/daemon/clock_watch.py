"""Watches the wall clock, and records its steps, its synchronisation and, each hour, its error.

Nothing depends on the wall clock for order and durations; but people lay surveillance recordings beside the
record.
"""

import asyncio
from typing import Protocol

import structlog

from controller.clock import Clock
from controller.table.words.inputs import ClockJudged, ClockStepped

log = structlog.get_logger()

LOOK_S = 1.0
STEP_US = 500_000
"""What no usual slewing does between two looks."""
READ_WITHIN_NS = 100_000_000
"""Two clocks are compared only where they were read within this time."""
EVERY_NS = 3600 * 1_000_000_000


class Table(Protocol):
    """What the watch needs of the engine (`controller.daemon.engine.Engine`)."""

    def submit(self, subject: str, body: ClockStepped | ClockJudged) -> bool:
        """Hands an input to the engine's queue; returns False if the engine takes no more inputs."""


class ClockWatch:
    """Watches the clock for one open journal; the start before it recorded the clock's state."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table, self._clock = table, clock
        stamp = clock.stamp()
        self._told, self._told_ns = stamp.clock, stamp.mono_ns
        self._apart_us: int | None = None

    async def run(self) -> None:
        """Checks the clock once a second until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(LOOK_S)

    def look(self) -> None:
        """Records what has changed since the last check."""
        before_ns = self._clock.boot_ns()
        now = self._clock.stamp()
        if self._clock.boot_ns() - before_ns < READ_WITHIN_NS:
            apart_us = now.wall_us - before_ns // 1000
            by_us = 0 if self._apart_us is None else apart_us - self._apart_us
            self._apart_us = apart_us
            if abs(by_us) >= STEP_US:
                log.warning("clock_stepped", by_us=by_us)
                self._table.submit("table", ClockStepped(by_us))
        if now.clock != self._told or now.mono_ns - self._told_ns >= EVERY_NS:
            self._told, self._told_ns = now.clock, now.mono_ns
            found = self._clock.discipline()
            offset_us, error_us = (found.offset_us, found.max_error_us) if found else (None, None)
            log.info("clock_judged", state=now.clock, offset_us=offset_us, error_us=error_us)
            self._table.submit("table", ClockJudged(now.clock, offset_us, error_us))
