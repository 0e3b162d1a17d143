"""Ranges of numbers with a reason each, so that a day of refused events is one entry."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers `first`..`last`, both included, parked for `reason`."""

    first: int
    last: int
    reason: str


class Ranges:
    """Disjoint ranges in ascending order; neighbours with one reason are merged."""

    def __init__(self, ranges: Iterable[Range] = ()) -> None:
        self._ranges: list[Range] = []
        for one in ranges:
            self.add(one)

    def __iter__(self) -> Iterator[Range]:
        return iter(self._ranges)

    def __len__(self) -> int:
        """Returns how many numbers are parked."""
        return sum(r.last - r.first + 1 for r in self._ranges)

    def __bool__(self) -> bool:
        return bool(self._ranges)

    def holding(self, sequence: int) -> Range | None:
        """Returns the range that contains `sequence`, or None."""
        at = bisect_right(self._ranges, sequence, key=lambda r: r.first) - 1
        return self._ranges[at] if at >= 0 and self._ranges[at].last >= sequence else None

    def add(self, new: Range) -> bool:
        """Adds `new` over existing ranges. Returns True unless it lengthens a neighbour."""
        self.take(new.first, new.last)
        at = bisect_right(self._ranges, new.first, key=lambda r: r.first)
        first, last, start, end = new.first, new.last, at, at
        if at > 0 and self._ranges[at - 1].last == first - 1 and self._ranges[at - 1].reason == new.reason:
            first, start = self._ranges[at - 1].first, at - 1
        if at < len(self._ranges) and self._ranges[at].first == last + 1 and self._ranges[at].reason == new.reason:
            last, end = self._ranges[at].last, at + 1
        self._ranges[start:end] = [Range(first, last, new.reason)]
        return start == end

    def take(self, first: int, last: int) -> list[Range]:
        """Removes `first`..`last`; returns the removed parts."""
        taken, kept = [], []
        for r in self._ranges:
            low, high = max(r.first, first), min(r.last, last)
            if low > high:
                kept.append(r)
                continue
            taken.append(Range(low, high, r.reason))
            if r.first < low:
                kept.append(Range(r.first, low - 1, r.reason))
            if r.last > high:
                kept.append(Range(high + 1, r.last, r.reason))
        self._ranges = kept
        return taken
