"""The table's timer: tells the engine when a set has been in play too long, and when a gaming day begins.

It decides nothing: after each commit it asks the core for the next deadline, waits on the monotonic clock, and
hands in `SetDue`. The core then checks by that input's own time; likewise for a gaming day.
"""

import asyncio
from typing import Protocol

import structlog

from controller.clock import Clock
from controller.config.gaming_day import GamingCalendar
from controller.table.card_sets.time_in_play import Deadline, due, next_gaming_day
from controller.table.state.table import Setup, State
from controller.table.words.inputs import GamingDayTold, Moment, SetDue

log = structlog.get_logger()

LONGEST_WAIT_S = 60.0
"""The clock is looked at again at least this often, so that a loop that was late wakes no later than that."""
TELL_AGAIN_S = 600
"""A gaming day that the core did not accept, because its clock was unsynchronised, is handed in again after this long."""
NS_PER_S = 1_000_000_000


class Table(Protocol):
    """What the timer needs of the engine (`controller.daemon.engine.Engine`)."""

    @property
    def setup(self) -> Setup:
        """The table's fixed settings: rulebook, devices, seats."""

    @property
    def state(self) -> State:
        """The table's present state, folded from all facts."""

    def submit(self, subject: str, body: SetDue | GamingDayTold) -> bool:
        """Hands an input to the engine's queue; returns False if the engine takes no more inputs."""


class Deadlines:
    """Keeps the timer of one table. Each deadline is handed in once.

    `calendar`: of the house; without one no gaming day is handed in.
    """

    def __init__(self, table: Table, clock: Clock, calendar: GamingCalendar | None = None) -> None:
        self._table, self._clock, self._calendar = table, clock, calendar
        self._told: tuple[GamingDayTold, int] | None = None
        self._boot = clock.stamp().boot
        self._news = asyncio.Event()
        self._handed_in: Deadline | None = None

    def wake(self) -> None:
        """Looks at the next deadline again; call it after each commit."""
        self._news.set()

    async def run(self) -> None:
        """Runs until cancelled. Asks nothing before the first commit, because the start settles what a reboot
        left."""
        await self._news.wait()
        while True:
            self._news.clear()
            wait_s = self.look()
            try:
                async with asyncio.timeout(wait_s):
                    await self._news.wait()
            except TimeoutError:
                continue

    def look(self) -> float:
        """Hands in what is due; returns the seconds until the next check."""
        self._tell_day()
        deadline = due(self._table.setup, self._table.state, self._boot)
        if deadline is None or deadline == self._handed_in:
            return LONGEST_WAIT_S
        left_ns = deadline.mono_ns - self._clock.mono_ns()
        if left_ns > 0:
            return min(left_ns / NS_PER_S, LONGEST_WAIT_S)
        log.info("set_due", back=deadline.back)
        self._handed_in = deadline
        self._table.submit("table", SetDue(deadline.back))
        return LONGEST_WAIT_S

    def _tell_day(self) -> None:
        """Hands in the gaming day: the first of a boot by a synced clock, later ones when a day has ended."""
        if self._calendar is None:
            return
        stamp = self._clock.stamp()
        now = Moment(stamp.wall_us, stamp.mono_ns, stamp.boot, stamp.clock)
        wall_us = next_gaming_day(self._table.setup, self._table.state, now)
        day = None if wall_us is None else self._calendar.day_at(wall_us)
        told, at_ns = self._told or (None, 0)
        if day is None or (day == told and stamp.mono_ns - at_ns < TELL_AGAIN_S * NS_PER_S):
            return
        log.info("gaming_day", day=day.day)
        self._told = day, stamp.mono_ns
        self._table.submit("table", day)
