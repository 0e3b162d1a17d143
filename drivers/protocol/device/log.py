"""A device's ring log over boots: a host that was away reads it again. Also decides which reports are sent by
themselves."""

from collections import OrderedDict

from drivers.protocol.chain import CHAIN_START
from drivers.protocol.codec import encode_record
from drivers.protocol.constants import LOG_DEPTH, RESEND_S, UNACKED_WINDOW
from drivers.protocol.messages import (
    CHANNEL_LOG,
    ERR_BAD_VALUE,
    Error,
    LogData,
    LogGone,
    LogRead,
    LogSpan,
    Record,
)

BOOT_SIZE, SMALLEST_RECORD = 8, 26
"""Bytes of a boot number, and of a record without fields and its size byte."""


class ReportLog:
    """The last `depth` records of a device. A log that outlives a power cut goes to the next boot's `DeviceLink`."""

    def __init__(self, depth: int = LOG_DEPTH) -> None:
        if depth < 1:
            raise ValueError("a log holds at least one record")
        self.depth = depth
        self._records: OrderedDict[tuple[int, int], Record] = OrderedDict()
        self._spans: dict[int, LogSpan] = {}

    def append(self, boot: int, record: Record) -> None:
        """Adds the next record of `boot`; a full ring drops its oldest. Raises ValueError for a wrong counter."""
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

    @property
    def newest_chain(self) -> bytes:
        """The chain value of the newest record of any boot; the start of a chain if the log is empty."""
        return self._records[next(reversed(self._records))].chain if self._records else CHAIN_START

    def get(self, boot: int, counter: int) -> Record | None:
        """Returns one record; None if the log does not hold it."""
        return self._records.get((boot, counter))

    def read(self, boot: int, first: int, last: int) -> list[Record]:
        """Returns the records from `first` to `last`, up to the first one that is missing."""
        found = []
        counter = first
        while counter <= last and (record := self.get(boot, counter)) is not None:
            found.append(record)
            counter += 1
        return found

    def span(self, boot: int) -> LogSpan:
        """Returns which records of `boot` the log holds; `first` = `last` + 1 if none."""
        return self._spans.get(boot, LogSpan(boot, 1, 0))

    def spans(self) -> list[LogSpan]:
        """Returns which records of each boot the log holds, oldest boot first, without empty ones."""
        return list(self._spans.values())


def answer_log_read(log: ReportLog, boot: int, read: LogRead, max_payload: int) -> LogData | LogGone | Error:
    """Returns the answer to a LOG_READ: records from the first on, as many as fit. `boot`: the device's present
    boot."""
    span = log.span(read.boot)
    is_future = read.boot == boot and read.last > span.last
    if not 1 <= read.first <= read.last or is_future:
        return Error(ERR_BAD_VALUE, False, f"no records {read.first} to {read.last}", CHANNEL_LOG)
    if not span.first <= read.first <= span.last:
        last = min(read.last, span.first - 1) if read.first < span.first <= span.last else read.last
        return LogGone(read.boot, read.first, last)
    fitting: list[Record] = []
    room = max_payload - BOOT_SIZE
    for record in log.read(read.boot, read.first, min(read.last, read.first + room // SMALLEST_RECORD)):
        room -= 1 + len(encode_record(record))
        if room < 0:
            break
        fitting.append(record)
    return LogData(read.boot, tuple(fitting))


class ReportPump:
    """Chooses the records to send: at most a window ahead of the host's EVENT_ACK, late ones again."""

    def __init__(self, log: ReportLog, boot: int) -> None:
        self._log = log
        self._boot = boot
        self.window = UNACKED_WINDOW
        self._acknowledged = 0
        self._next = 1
        self._resends = 0
        self._sent_at: float | None = (
            None  # when the wait for an EVENT_ACK began; None = at the next call with a time
        )

    def acknowledge(self, counter: int) -> bool:
        """Moves the window; returns False if `counter` is not new or names records that do not exist."""
        if not self._acknowledged < counter <= self._log.span(self._boot).last:
            return False
        self._acknowledged = counter
        self._next = max(self._next, counter + 1)
        self._wait_anew()
        return True

    def restart(self) -> None:
        """Sends everything again that the host has not acknowledged: a host has come (back)."""
        self._next = self._base + 1
        self._wait_anew()

    def new(self) -> list[Record]:
        """Returns the records that fit the window and were not sent yet."""
        last = min(self._log.span(self._boot).last, self._base + self.window)
        records = self._log.read(self._boot, max(self._next, self._base + 1), last)
        if records:
            if not self._open:
                self._wait_anew()
            self._next = records[-1].counter + 1
        return records

    def late(self, now: float) -> list[Record]:
        """Returns the records that were sent and wait too long for an EVENT_ACK."""
        if not self._open:
            return []
        if self._sent_at is None:
            self._sent_at = now
        if now < self._sent_at + self._wait_s:
            return []
        self._resends += 1
        self._sent_at = now
        return self._log.read(self._boot, self._base + 1, self._next - 1)

    def next_deadline(self, now: float) -> float | None:
        """Returns when `late` has something to do; `now` if a wait has just begun."""
        if not self._open:
            return None
        return now if self._sent_at is None else self._sent_at + self._wait_s

    @property
    def _base(self) -> int:
        """Returns the counter of the last record that was acknowledged or has left the ring."""
        return max(self._acknowledged, self._log.span(self._boot).first - 1)

    @property
    def _open(self) -> bool:
        return self._next > self._base + 1

    @property
    def _wait_s(self) -> float:
        return RESEND_S[min(self._resends, len(RESEND_S) - 1)]

    def _wait_anew(self) -> None:
        self._resends = 0
        self._sent_at = None
