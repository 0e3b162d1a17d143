"""A budget that is refilled as time goes by: how much may be used at any pace, and how much for ever."""

from collections.abc import Callable

__all__ = ["Allowance"]


class Allowance:
    """A token bucket. `burst`: the most that is saved up; `per_s`: what comes back each second; `clock`: monotonic seconds."""

    def __init__(self, burst: float, per_s: float, clock: Callable[[], float]) -> None:
        self._burst, self._per_s, self._clock = burst, per_s, clock
        self._left, self._since = burst, clock()

    def take(self, amount: float) -> bool:
        """Takes `amount` if that much is left; else takes nothing and returns False."""
        self._refill()
        if self._left < amount:
            return False
        self._left -= amount
        return True

    def spend(self, amount: float) -> None:
        """Takes `amount`, which was used already, into debt where it must."""
        self._refill()
        self._left -= amount

    def debt_s(self) -> float:
        """Seconds until nothing is owed any more; 0 = nothing is owed."""
        self._refill()
        return max(0.0, -self._left / self._per_s)

    def is_full(self) -> bool:
        """True where nothing was used lately."""
        self._refill()
        return self._left >= self._burst

    def _refill(self) -> None:
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._since) * self._per_s)
        self._since = now
