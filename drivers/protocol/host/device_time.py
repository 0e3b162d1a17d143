"""Dates a tick of a device's clock: an interval of host time that contains the true moment.

Each echo of a PING proves that the device's clock read its tick between our sending and our receiving. Away from
the echo the interval widens by as much as the two clocks may drift apart; the intersection of all echoes is the
answer. It relies only on docs/protocol.md 8(4), and never orders anything.
"""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from drivers.protocol.constants import CLOCK_DRIFT, CLOCK_KEPT

MICROSECOND = 1e-6
FAST, SLOW = 1 + CLOCK_DRIFT, 1 - CLOCK_DRIFT


class Interval(NamedTuple):
    """An interval of the host's monotonic clock, in seconds."""

    low: float
    high: float


class _Echo(NamedTuple):
    sent_s: float
    received_s: float
    tick_s: float


class DeviceTime:
    """The clock of one boot of a device, from the echoes of one link. `tick_hz`: its resolution."""

    def __init__(self, boot: int, tick_hz: int) -> None:
        self.boot = boot
        self.broken = 0  # how often an echo contradicted those before, which were forgotten then
        self._resolution_s = 1 / tick_hz + MICROSECOND
        self._echoes: deque[_Echo] = deque(maxlen=CLOCK_KEPT)
        self._newest_s = 0.0  # tick of the newest echo
        self._since: Interval | None = None  # when that was

    @property
    def counters(self) -> dict[str, int]:
        """Counts contradictions, and gives how far the time of a present event may be off."""
        found = {"clock_contradicted": self.broken}
        if self._since is not None:
            found["clock_error_us"] = round((self._since.high - self._since.low) * 5e5)
        return found

    def echo(self, sent_s: float, received_s: float, tick_us: int) -> None:
        """Takes one echo. If it contradicts earlier ones, the clock leapt or runs out of bounds."""
        if self._echoes:
            expected = self.interval(tick_us)
            if expected is None or expected.high < sent_s or received_s < expected.low:
                self._echoes.clear()
                self.broken += 1
        self._echoes.append(_Echo(sent_s, received_s, tick_us * MICROSECOND))
        self._newest_s = max(echo.tick_s for echo in self._echoes)
        self._since = narrowest(self._by(echo, self._newest_s) for echo in self._echoes)

    def interval(self, tick_us: int) -> Interval | None:
        """Returns when the clock read `tick_us`; None without echoes, or if they contradict each other."""
        tick_s = tick_us * MICROSECOND
        if tick_s < self._newest_s:
            return narrowest(self._by(echo, tick_s) for echo in self._echoes)
        if self._since is None:
            return None
        later_s = tick_s - self._newest_s  # from there on every echo's interval widens alike
        return Interval(self._since.low + later_s / FAST, self._since.high + later_s / SLOW)

    def _by(self, echo: _Echo, tick_s: float) -> Interval:
        later_s = tick_s - echo.tick_s
        least, most = sorted((later_s / FAST, later_s / SLOW))
        return Interval(echo.sent_s + least - self._resolution_s, echo.received_s + most + self._resolution_s)


def narrowest(intervals: Iterable[Interval]) -> Interval | None:
    """Returns the intersection of all intervals; None if it is empty, or there is none."""
    found = list(intervals)
    low, high = max((i.low for i in found), default=0.0), min((i.high for i in found), default=-1.0)
    return Interval(low, high) if low <= high else None
