"""A set of event numbers as ranges: few, however many events came."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator


class Numbers:
    """Numbers from 1 on. `begin`: the lowest number that is expected; it goes down where a lower one comes."""

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        self.ranges: list[tuple[int, int]] = []  # apart from each other, in order; both ends included
        self.begin = 0
        for first, last in ranges:
            self.add(first, last)

    def __contains__(self, number: int) -> bool:
        return self.has(number, number)

    def has(self, first: int, last: int) -> bool:
        """Returns True if all of these numbers are in the set."""
        if not self.ranges or last > self.ranges[-1][1]:  # a new one, nearly always
            return False
        at = bisect_right(self.ranges, first, key=lambda one: one[0]) - 1
        return at >= 0 and self.ranges[at][0] <= first and last <= self.ranges[at][1]

    @property
    def top(self) -> int:
        """The highest number; 0 = none."""
        return self.ranges[-1][1] if self.ranges else 0

    @property
    def through(self) -> int:
        """The last number of the first run without a hole, from `begin` on; 0 = the first one is missing."""
        return self.ranges[0][1] if self.ranges and self.ranges[0][0] <= self.begin else 0

    def add(self, first: int, last: int) -> None:
        """Adds these numbers."""
        self.begin = min(self.begin, first) if self.begin else first
        if self.ranges and first == self.ranges[-1][1] + 1:  # the next one, nearly always
            self.ranges[-1] = (self.ranges[-1][0], last)
            return
        apart = [one for one in self.ranges if one[1] + 1 < first or last + 1 < one[0]]
        touching = [one for one in self.ranges if not (one[1] + 1 < first or last + 1 < one[0])]
        low = min([first, *(one[0] for one in touching)])
        high = max([last, *(one[1] for one in touching)])
        self.ranges = sorted([*apart, (low, high)])

    def missing(self, through: int) -> Iterator[tuple[int, int]]:
        """Yields the ranges that lack from `begin` up to `through`."""
        at = self.begin
        for first, last in self.ranges:
            if at and at < first:
                yield at, first - 1
            at = last + 1
        if at and at <= through:
            yield at, through
