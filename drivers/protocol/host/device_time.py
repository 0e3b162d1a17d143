"""When something with a tick of a device's clock happened: an interval of the host's time that holds the truth.

Each echo of a PING says that the device's clock read its tick between our sending and our receiving. From there on the truth
spreads, before and after, by as much as two clocks may drift apart; what all echoes allow together is the answer. It leans on
nothing but what docs/protocol.md 8(4) asks of a clock, and never puts anything in an order.
"""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from drivers.protocol.constants import CLOCK_DRIFT, CLOCK_KEPT

__all__ = ["DeviceTime", "Interval", "narrowest"]

MICROSECOND = 1e-6
FAST, SLOW = 1 + CLOCK_DRIFT, 1 - CLOCK_DRIFT


class Interval(NamedTuple):
    """Monotonic seconds of the host."""

    low: float
    high: float


class _Echo(NamedTuple):
    sent_s: float
    received_s: float
    tick_s: float


class DeviceTime:
    """The clock of one boot of a device, as the echoes of one link show it. `tick_hz`: its resolution."""

    def __init__(self, boot: int, tick_hz: int) -> None:
        self.boot = boot
        self.broken = 0  # how often an echo contradicted those before, which were forgotten then
        self._resolution_s = 1 / tick_hz + MICROSECOND
        self._echoes: deque[_Echo] = deque(maxlen=CLOCK_KEPT)
        self._newest_s = 0.0  # tick of the newest echo
        self._since: Interval | None = None  # when that was

    @property
    def counters(self) -> dict[str, int]:
        """For people: contradictions, and by how much the time of something that happens now may be off."""
        found = {"clock_contradicted": self.broken}
        if self._since is not None:
            found["clock_error_us"] = round((self._since.high - self._since.low) * 5e5)
        return found

    def echo(self, sent_s: float, received_s: float, tick_us: int) -> None:
        """Takes in one echo. Where it contradicts those before, the clock leapt or ran as no clock may."""
        if self._echoes:
            expected = self.interval(tick_us)
            if expected is None or expected.high < sent_s or received_s < expected.low:
                self._echoes.clear()
                self.broken += 1
        self._echoes.append(_Echo(sent_s, received_s, tick_us * MICROSECOND))
        self._newest_s = max(echo.tick_s for echo in self._echoes)
        self._since = narrowest(self._by(echo, self._newest_s) for echo in self._echoes)

    def interval(self, tick_us: int) -> Interval | None:
        """When the clock read `tick_us`; None where no echo came yet, or they contradict each other."""
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
    """What all of them have in common; None where that is nothing, or there is none."""
    found = list(intervals)
    low, high = max((i.low for i in found), default=0.0), min((i.high for i in found), default=-1.0)
    return Interval(low, high) if low <= high else None
