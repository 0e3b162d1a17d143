"""Which numbers of one stream are stored, as spans with the hashes at their ends. Pure.

Each new event is compared with both neighbours: its `prevhash` with the `recordhash` before, its `recordhash` with the `prevhash`
behind it. So every link of the chain is checked once, in whatever order the events come.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

Ranges = Sequence[tuple[int, int]]


class Span(NamedTuple):
    """The numbers `first`..`last` are stored. `before`: prevhash of `first`; `after`: recordhash of `last`; both in hex."""

    first: int
    last: int
    before: str
    after: str


class Held:
    """The stored numbers of one stream."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._spans = list(spans)

    @property
    def highest(self) -> int:
        """The highest stored number; 0 if there is none."""
        return self._spans[-1].last if self._spans else 0

    @property
    def spans(self) -> list[Span]:
        """The spans in ascending order; no two are neighbours."""
        return list(self._spans)

    def encode(self) -> str:
        """Returns the spans as JSON, for the store."""
        return msgspec.json.encode(self._spans).decode()

    @classmethod
    def decode(cls, text: str) -> "Held":
        """Returns what `encode` has written."""
        return cls(msgspec.json.decode(text, type=list[Span]))

    def __contains__(self, number: int) -> bool:
        if number > self.highest:
            return False
        at = self._at(number)
        return at >= 0 and self._spans[at].last >= number

    def add(self, number: int, before: str, after: str) -> bool:
        """Adds a number that is not in here. Returns False if its hashes contradict those of a neighbour."""
        spans = self._spans
        if spans and spans[-1].last == number - 1:  # as nearly always
            newest = spans[-1]
            spans[-1] = Span(newest.first, number, newest.before, after)
            return newest.after == before
        at = self._at(number)
        first, last, outer, inner, linked = number, number, before, after, True
        start, end = at + 1, at + 1
        if at >= 0 and spans[at].last == number - 1:
            linked = spans[at].after == before
            first, outer, start = spans[at].first, spans[at].before, at
        if at + 1 < len(spans) and spans[at + 1].first == number + 1:
            linked = linked and spans[at + 1].before == after
            last, inner, end = spans[at + 1].last, spans[at + 1].after, at + 2
        spans[start:end] = [Span(first, last, outer, inner)]
        return linked

    def missing(self, through: int, declared: Ranges) -> list[tuple[int, int]]:
        """Returns the ranges in 1..`through` that are neither stored nor in `declared`, in ascending order."""
        taken = sorted([*((each.first, each.last) for each in self._spans), *declared])
        found, following = [], 1
        for first, last in taken:
            if first > through:
                break
            if first > following:
                found.append((following, first - 1))
            following = max(following, last + 1)
        if following <= through:
            found.append((following, through))
        return found

    def _at(self, number: int) -> int:
        return bisect_right(self._spans, number, key=lambda each: each.first) - 1
