"""A device's ring log: its last reports, over boots, so that a host that was away can read them again."""

from collections import OrderedDict

from drivers.protocol.constants import LOG_DEPTH
from drivers.protocol.messages import LogSpan, Record

__all__ = ["ReportLog"]


class ReportLog:
    """The last `depth` records of a device. A log that outlives a power cut is handed to the next boot's `DeviceLink`."""

    def __init__(self, depth: int = LOG_DEPTH) -> None:
        if depth < 1:
            raise ValueError("a log holds at least one record")
        self.depth = depth
        self._records: OrderedDict[tuple[int, int], Record] = OrderedDict()
        self._spans: dict[int, LogSpan] = {}

    def append(self, boot: int, record: Record) -> None:
        """Adds the next record of `boot`; the oldest one leaves when the ring is full. Raises ValueError out of order."""
        span = self.span(boot)
        if record.counter != span.last + 1:
            raise ValueError(f"record {record.counter} cannot follow {span.last}")
        self._records[boot, record.counter] = record
        first = span.first if span.first <= span.last else record.counter
        self._spans[boot] = LogSpan(boot, first, record.counter)
        if len(self._records) > self.depth:
            (old_boot, dropped), _ = self._records.popitem(last=False)
            last = self._spans[old_boot].last
            if dropped < last:
                self._spans[old_boot] = LogSpan(old_boot, dropped + 1, last)
            else:
                del self._spans[old_boot]  # nothing is left of that boot; the newest boot always keeps a record

    def get(self, boot: int, counter: int) -> Record | None:
        """One record, or None where the log does not hold it."""
        return self._records.get((boot, counter))

    def read(self, boot: int, first: int, last: int) -> list[Record]:
        """The records from `first` to `last` without a hole; they end at the first one that is not there."""
        found = []
        counter = first
        while counter <= last and (record := self.get(boot, counter)) is not None:
            found.append(record)
            counter += 1
        return found

    def span(self, boot: int) -> LogSpan:
        """What the log holds of `boot`; `first` = `last` + 1 where that is nothing."""
        return self._spans.get(boot, LogSpan(boot, 1, 0))

    def spans(self) -> list[LogSpan]:
        """What the log holds of each boot, oldest first; boots of which nothing is left are not named."""
        return list(self._spans.values())
