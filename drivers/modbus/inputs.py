"""Turns polled inputs into edges: an input counts as changed once two reads agree."""

from collections import deque

from drivers.modbus.timing import STEADY_READS, UNSTEADY_S
from drivers.protocol.records import dataclass

RESTLESS_CHANGES = 6
"""So many levels within `UNSTEADY_S` that did not hold are no chip and no hand: a loose wire, a sensor that dies, or dirt."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The input became `on`. `since`: when it was first read so."""

    on: bool
    since: float


class Input:
    """One polled input. `rise_reads`: reads until it counts as on; 1 for a button, whose press is short."""

    def __init__(self, rise_reads: int = STEADY_READS) -> None:
        self.on = False
        self.known = False
        self.bounces = 0
        self.restless = False
        self._rise_reads = rise_reads
        self._raw = False
        self._reads = 0
        self._since = 0.0
        self._changes: deque[float] = deque(maxlen=RESTLESS_CHANGES)

    def forget(self) -> None:
        """Forgets the input's state after a time without reads: the next read only counts once it is repeated."""
        self.known = False
        self._reads = 0
        self._changes.clear()

    def look(self, on: bool, now: float) -> Edge | None:
        """Takes one read; returns the change once it is certain, otherwise None."""
        if self._reads and on != self._raw:
            # A hand that puts a chip down and lifts it leaves each level be for longer.
            if self._reads < self._wanted(self._raw):
                self._changes.append(now)
            self.bounces += self._raw != self.on  # it had not become a change
            self._reads = 0
        if not self._reads:
            self._raw, self._since = on, now
        self._reads += 1
        self.restless = self._is_restless(now)
        if self.restless or self._reads < self._wanted(on):
            return None
        self.known = True
        if on == self.on:
            return None
        self.on = on
        return Edge(on, self._since)

    def _wanted(self, on: bool) -> int:
        """Returns how many reads this level needs until it counts."""
        return self._rise_reads if on else STEADY_READS

    def _is_restless(self, now: float) -> bool:
        if not self._changes:
            return False
        if self.restless:  # until it has been calm for as long
            return now - self._changes[-1] < UNSTEADY_S
        return len(self._changes) == RESTLESS_CHANGES and now - self._changes[0] < UNSTEADY_S
