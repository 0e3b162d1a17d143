"""A token bucket: a burst at once, and a steady rate."""

from collections.abc import Callable


class Allowance:
    """A token bucket. `burst`: the most that is saved; `per_s`: refill each second; `clock`: monotonic seconds."""

    def __init__(self, burst: float, per_s: float, clock: Callable[[], float]) -> None:
        self._burst, self._per_s, self._clock = burst, per_s, clock
        self._left, self._since = burst, clock()

    def take(self, amount: float) -> bool:
        """Takes `amount` if available; otherwise takes nothing and returns False."""
        self._refill()
        if self._left < amount:
            return False
        self._left -= amount
        return True

    def spend(self, amount: float) -> None:
        """Takes `amount` that was used already, into debt if necessary."""
        self._refill()
        self._left -= amount

    def debt_s(self) -> float:
        """Seconds until the debt is paid; 0 = no debt."""
        self._refill()
        return max(0.0, -self._left / self._per_s)

    def is_full(self) -> bool:
        """True if nothing was used lately."""
        self._refill()
        return self._left >= self._burst

    def _refill(self) -> None:
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._since) * self._per_s)
        self._since = now
