"""Estimates how fast a device's clock runs beside the host's, for people. `device_time` dates reports."""

from drivers.protocol.constants import (
    CLOCK_AGING,
    CLOCK_DECAY,
    CLOCK_JUMP_S,
    CLOCK_OUTLIER,
    CLOCK_SAMPLES,
)
from drivers.protocol.records import dataclass

MICROSECOND = 1e-6
RESOLUTION_S = 1e-4
"""Round trips below this are alike: else one that was measured as nothing would leave every other one out."""
CREDIBLE = (0.5, 2.0)
"""Device seconds for one of ours between which something may be a clock at all."""


@dataclass(frozen=True, slots=True)
class ClockReading:
    """One estimate. `rate`: device seconds for one host second. `samples`: echoes used."""

    rate: float
    samples: int


@dataclass(frozen=True, slots=True)
class _Sample:
    sent_s: float
    received_s: float
    tick_s: float

    @property
    def middle_s(self) -> float:
        return (self.sent_s + self.received_s) / 2


class DeviceClock:
    """Fits device ticks to host time by linear regression; older echoes weigh less. Times: monotonic seconds."""

    def __init__(self) -> None:
        self._least_rtt_s = 0.0
        self._time_avg = self._tick_avg = 0.0
        self._variance = self._covariance = 0.0
        self._samples = 0
        self.jumps = 0  # how often the device's clock leapt, and all before was forgotten

    def sample(self, sent_s: float, received_s: float, tick_us: int) -> None:
        """Takes one echo; ignores one that took over twice the shortest round trip."""
        rtt_s = received_s - sent_s
        if self._samples and rtt_s > CLOCK_OUTLIER * max(self._least_rtt_s, RESOLUTION_S):
            # A line that has become slower is believed after a while.
            self._least_rtt_s = max(self._least_rtt_s, RESOLUTION_S) * CLOCK_AGING
            return
        self._least_rtt_s = min(rtt_s, self._least_rtt_s) if self._samples else rtt_s
        found = _Sample(sent_s, received_s, tick_us * MICROSECOND)
        if self._samples >= CLOCK_SAMPLES and self._off_by(found) > CLOCK_JUMP_S:
            self._forget()
        self._fade_in(found)

    def reading(self) -> ClockReading | None:
        """Returns the estimate now; None before two echoes, or if the ticks are no clock."""
        return ClockReading(self._rate, self._samples) if self._is_known else None

    @property
    def counters(self) -> dict[str, int]:
        """Counts leaps, and gives the rate difference in parts per million."""
        found = {"clock_jumps": self.jumps}
        if (reading := self.reading()) is not None:
            found["clock_ppm"] = round((reading.rate - 1) * 1e6)
        return found

    @property
    def _is_known(self) -> bool:
        low, high = CREDIBLE
        return self._samples >= 2 and low * self._variance <= self._covariance <= high * self._variance

    @property
    def _rate(self) -> float:
        return self._covariance / self._variance if self._is_known and self._variance > 0 else 1.0

    def _fade_in(self, found: _Sample) -> None:
        self._samples += 1
        if self._samples == 1:
            self._time_avg, self._tick_avg = found.middle_s, found.tick_s
            return
        # The first echoes weigh alike, so that no single one of them decides; later each weighs a thirtieth.
        weight = max(CLOCK_DECAY, 1 / self._samples)
        time_off, tick_off = found.middle_s - self._time_avg, found.tick_s - self._tick_avg
        self._time_avg += weight * time_off
        self._tick_avg += weight * tick_off
        self._variance = (1 - weight) * (self._variance + weight * time_off * time_off)
        self._covariance = (1 - weight) * (self._covariance + weight * time_off * tick_off)

    def _off_by(self, sample: _Sample) -> float:
        """Returns how far the fitted line may lie from where the echo was taken."""
        at = self._time_avg + (sample.tick_s - self._tick_avg) / self._rate
        return max(at - sample.sent_s, sample.received_s - at)

    def _forget(self) -> None:
        self._samples = 0
        self._variance = self._covariance = 0.0
        self.jumps += 1
