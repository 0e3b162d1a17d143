"""A record that is read from its first day on: sealed days one after another, and behind them the live file.

Only days that are no longer in the live file are read from segments. Where a segment that is needed is not here, that is
said by name; nothing is ever passed over.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from controller.journal.archive.boundary import Boundary
from controller.journal.archive.segment import Segment, peek
from controller.journal.archive.shelf import Named
from controller.journal.errors import JournalDamaged
from controller.journal.file import Anchor, Description
from controller.journal.record import Record, Stream
from controller.journal.seal import Head
from controller.journal.vault.day_keys import KeysOfDays
from controller.journal.vault.vault import Unsealer
from controller.journal.vault.vault_keys import VaultKeys
from controller.journal.view import BATCH, MAX_SEQUENCE, Brief, JournalView, Progress, quiet
from controller.table.words.inputs import RecordDayClosed

__all__ = ["Span"]

T = TypeVar("T")


class Span:
    """`segments`: in order, without a gap, the last one ending where `live` begins; `live` None = segments alone.

    `told`: is told how far a reader of many records has come, from where it began.
    """

    def __init__(self, segments: Sequence[Named], live: JournalView | None) -> None:
        if not segments:
            raise ValueError("a span of no segment")
        self._segments, self._live = segments, live
        first = peek(segments[0].path)
        self.description: Description = first.description
        self.anchors: Mapping[Stream, Anchor] = {s: Anchor(*head) for s, head in first.begin.heads.items()}
        self.told: Progress = quiet

    def last(self) -> tuple[dict[Stream, Head], int]:
        """As `JournalView.last`."""
        if self._live is not None:
            return self._live.last()
        end = peek(self._segments[-1].path).end
        return dict(end.heads), end.order

    def merged(self, streams: Iterable[Stream], after: Mapping[Stream, int] | None = None) -> Iterator[Record]:
        """As `JournalView.merged`. Nothing is read of a segment behind which all of `after` lies."""
        wanted, begin = set(streams), after or {}
        for segment in self._from({s: begin.get(s, 0) for s in wanted}):
            records = self._watched(segment.records(), segment.boundary.order_before)
            yield from (r for r in records if r.stream in wanted and r.sequence > begin.get(r.stream, 0))
        if self._live is not None:
            behind = {s: max(begin.get(s, 0), self._live.anchors[s].sequence) for s in wanted}
            yield from self._live.merged(wanted, behind)

    def read(self, stream: Stream, after: int, limit: int) -> list[Record]:
        """As `JournalView.read`; a day is gone through for each call, so a reader of many uses `merged`."""
        found: list[Record] = []
        for record in self.merged((stream,), {stream: after}):
            found.append(record)
            if len(found) == limit:
                break
        return found

    def before_last(self, streams: Iterable[Stream], count: int | None) -> dict[Stream, int]:
        """As `JournalView.before_last`."""
        wanted = list(streams)
        if count is None:
            return {s: self.anchors[s].sequence for s in wanted}
        heads, _ = self.last()
        if self._live is not None:
            there = sum(heads[s].sequence - self._live.anchors[s].sequence for s in wanted)
            if there >= count:
                return self._live.before_last(wanted, count)
        newest = deque(self.merged(wanted), maxlen=count)
        first = {record.stream: record.sequence for record in reversed(newest)}
        return {s: first.get(s, heads[s].sequence + 1) - 1 for s in wanted}

    def backwards(
        self, stream: Stream, kinds: Sequence[str], before: int = MAX_SEQUENCE, after: int = 0
    ) -> Iterator[Brief]:
        """As `JournalView.backwards`."""
        if self._live is not None:
            yield from self._live.backwards(stream, kinds, before, after)
            if after >= self._live.anchors[stream].sequence:
                return
        end = self.last()[1]
        for path, boundary in reversed(self._bounds):
            if boundary.begin.heads[stream].sequence + 1 < before and boundary.end.heads[stream].sequence > after:
                back = end - boundary.order + self.description.order_before
                found = (
                    b
                    for s, b in self._watched(Segment.open(path).briefs(), back)
                    if s == stream and b.kind in kinds and b.sequence < before
                )
                yield from reversed(list(found))

    def closing(self, is_wanted: Callable[[Brief], bool]) -> Brief | None:
        """As `JournalView.closing`; looked for by halves, as a segment begins with the closing of the day before it."""
        found = self._live.closing(is_wanted) if self._live is not None else None
        low, high = 0, len(self._segments)
        while found is None and low < high:
            middle = (low + high) // 2
            closing = _first_closing(self._segments[middle].path)
            if closing is None or is_wanted(closing):
                low = middle + 1
            else:
                high = middle
        return found or (_first_closing(self._segments[low - 1].path) if low else None)

    def briefly(self, stream: Stream, after: int, through: int) -> Iterator[Brief]:
        """As `JournalView.briefly`."""
        for segment in self._from({stream: after}):
            if segment.boundary.begin.heads[stream].sequence < through:
                briefs = self._watched(segment.briefs(), segment.boundary.order_before)
                yield from (b for s, b in briefs if s == stream and after < b.sequence <= through)
        if self._live is not None and through > (behind := max(after, self._live.anchors[stream].sequence)):
            yield from self._live.briefly(stream, behind, through)

    def of_round(self, stream: Stream, round_id: str, kinds: Sequence[str]) -> Iterator[Record]:
        """As `JournalView.of_round`; all days are gone through."""
        return (r for r in self.merged((stream,)) if r.round_id == round_id and r.kind in kinds)

    def unsealer(self, keys: VaultKeys | None = None) -> Unsealer:
        """As `JournalView.unsealer`; without the live file, by what lies beside each segment."""
        if self._live is not None:
            return self._live.unsealer(keys)
        rows = KeysOfDays(self._bounds).rows
        return Unsealer(self._segments[0].path, self.description.id, rows, keys, is_copy=True)

    def sealed_end(self) -> tuple[str, str] | None:
        """As `JournalView.sealed_end`."""
        if self._live is not None:
            return None
        last = Segment.open(self._segments[-1].path)
        return last.text, last.signature

    def close(self) -> None:
        """Closes the live journal, if the span has opened it."""
        if self._live is not None:
            self._live.close()

    def _watched(self, records: Iterable[T], before: int) -> Iterator[T]:
        """The records of one segment, and how far the reader is. `before`: how many orders lie before it."""
        first, last = self.description.order_before, self.last()[1]
        for count, record in enumerate(records):
            if count % BATCH == 0:
                self.told(before + count - first, last - first)
            yield record

    def _from(self, after: Mapping[Stream, int]) -> Iterator[Segment]:
        """The segments with a record behind these sequences, one after another."""
        anchors = self._live.anchors if self._live is not None else None
        if anchors is not None and all(sequence >= anchors[s].sequence for s, sequence in after.items()):
            return
        for path, boundary in self._bounds:
            if any(boundary.end.heads[s].sequence > sequence for s, sequence in after.items()):
                yield Segment.open(path)

    @cached_property
    def _bounds(self) -> list[tuple[Path, Boundary]]:
        """Of each segment where it begins and ends, once they are known to follow on each other and lead to the live file."""
        bounds = [(named.path, peek(named.path)) for named in self._segments]
        ends = [boundary.end.heads for _, boundary in bounds]
        begins = [boundary.begin.heads for _, boundary in bounds[1:]]
        if self._live is not None:
            begins.append({s: Head(a.sequence, a.recordhash) for s, a in self._live.anchors.items()})
        for (path, _), end, begin in zip(bounds, ends, begins, strict=False):
            if end != begin:
                raise JournalDamaged(path, "what comes after it is not what it leads to; prove both")
        return bounds


def _first_closing(path: Path) -> Brief | None:
    """None in the first segment of all, which nothing was closed before."""
    briefs = Segment.open(path).briefs()
    return next((b for s, b in briefs if s is Stream.DIAG and b.kind == RecordDayClosed.kind), None)
