"""Reads a record from its first day on: segments one after another, then the live file.

Only days that have left the live file are read from segments. A missing segment is named; nothing is skipped.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from controller.journal.archive.boundary import Boundary
from controller.journal.archive.segment import Segment, peek
from controller.journal.archive.shelf import Named
from controller.journal.disk.file import Anchor, Description
from controller.journal.errors import JournalDamaged
from controller.journal.record import Record, Stream
from controller.journal.seal import Head
from controller.journal.vault.day_keys import KeysOfDays
from controller.journal.vault.vault import Unsealer
from controller.journal.vault.vault_keys import VaultKeys
from controller.journal.view import BATCH, MAX_SEQUENCE, Brief, Bunch, JournalView, Progress, quiet
from controller.table.words.inputs import RecordDayClosed

T = TypeVar("T")


class Span:
    """A record in several parts. `segments`: in order, without gaps, ending where `live` begins; `live` None =
    segments alone.

    `told`: receives the progress of a reader of many records.
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
        """Returns the last record's number and hash of each stream, and the last order number."""
        if self._live is not None:
            return self._live.last()
        end = peek(self._segments[-1].path).end
        return dict(end.heads), end.order

    def merged(self, streams: Iterable[Stream], after: Mapping[Stream, int] | None = None) -> Iterator[Record]:
        """Yields the records of several streams in the order of commits; skips segments before `after` unread."""
        wanted, begin = set(streams), after or {}
        for segment in self._from({s: begin.get(s, 0) for s in wanted}):
            records = self._watched(segment.records(), segment.boundary.order_before)
            yield from (r for r in records if r.stream in wanted and r.sequence > begin.get(r.stream, 0))
        if self._live is not None:
            behind = {s: max(begin.get(s, 0), self._live.anchors[s].sequence) for s in wanted}
            yield from self._live.merged(wanted, behind)

    def read(self, stream: Stream, after: int, limit: int) -> list[Record]:
        """Returns records of one stream; each call reads whole days, so readers of many use `merged`."""
        found: list[Record] = []
        for record in self.merged((stream,), {stream: after}):
            found.append(record)
            if len(found) == limit:
                break
        return found

    def before_last(self, streams: Iterable[Stream], count: int | None) -> dict[Stream, int]:
        """Returns for each stream the number after which its last `count` records begin; None = all."""
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
        """Yields short records of these kinds from the newest to the oldest."""
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
        """Returns the newest closing of a gaming day that `is_wanted` accepts, by bisection over the segments."""
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
        """Yields short records, without hashes, with numbers after `after` and up to `through`."""
        for segment in self._from({stream: after}):
            if segment.boundary.begin.heads[stream].sequence < through:
                briefs = self._watched(segment.briefs(), segment.boundary.order_before)
                yield from (b for s, b in briefs if s == stream and after < b.sequence <= through)
        if self._live is not None and through > (behind := max(after, self._live.anchors[stream].sequence)):
            yield from self._live.briefly(stream, behind, through)

    def bunches(self, stream: Stream, kinds: Sequence[str], having: bytes = b"") -> Iterator[Bunch]:
        """Yields all records of these kinds with `having` in their body, of each segment in one bunch."""
        for segment in self._from({stream: 0}):
            of_all = self._watched(segment.briefs(), segment.boundary.order_before)
            found = [b for s, b in of_all if s == stream and b.kind in kinds and having in b.data]
            names = None if len(kinds) == 1 else ",".join(b.kind for b in found)
            bodies = b",".join(b.data for b in found).decode(errors="replace")
            rounds = "\n".join(b.round_id or "" for b in found)
            yield Bunch(",".join(str(b.sequence) for b in found), names, rounds, f"[{bodies}]")
        if self._live is not None:
            yield from self._live.bunches(stream, kinds, having)

    def of_round(self, stream: Stream, round_id: str, kinds: Sequence[str]) -> Iterator[Record]:
        """Yields a round's records of these kinds; reads all days."""
        return (r for r in self.merged((stream,)) if r.round_id == round_id and r.kind in kinds)

    def unsealer(self, keys: VaultKeys | None = None) -> Unsealer:
        """Returns what opens sealed card identities; without the live file, with the keys beside each segment."""
        if self._live is not None:
            return self._live.unsealer(keys)
        rows = KeysOfDays(self._bounds).rows
        return Unsealer(self._segments[0].path, self.description.id, rows, keys, is_copy=True)

    def sealed_end(self) -> tuple[str, str] | None:
        """Returns the last segment's statement and signature; None if the record ends with a live file."""
        if self._live is not None:
            return None
        last = Segment.open(self._segments[-1].path)
        return last.text, last.signature

    def close(self) -> None:
        """Closes the live journal, if the span has opened it."""
        if self._live is not None:
            self._live.close()

    def _watched(self, records: Iterable[T], before: int) -> Iterator[T]:
        """Yields one segment's records and reports progress. `before`: order numbers before it."""
        first, last = self.description.order_before, self.last()[1]
        for count, record in enumerate(records):
            if count % BATCH == 0:
                self.told(before + count - first, last - first)
            yield record

    def _from(self, after: Mapping[Stream, int]) -> Iterator[Segment]:
        """Yields the segments with a record after these numbers."""
        anchors = self._live.anchors if self._live is not None else None
        if anchors is not None and all(sequence >= anchors[s].sequence for s, sequence in after.items()):
            return
        for path, boundary in self._bounds:
            if any(boundary.end.heads[s].sequence > sequence for s, sequence in after.items()):
                yield Segment.open(path)

    @cached_property
    def _bounds(self) -> list[tuple[Path, Boundary]]:
        """Returns where each segment begins and ends, after checking that they follow each other without a gap."""
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
    """Returns the closing that begins a segment; None in the very first one."""
    briefs = Segment.open(path).briefs()
    return next((b for s, b in briefs if s is Stream.DIAG and b.kind == RecordDayClosed.kind), None)
