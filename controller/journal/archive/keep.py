"""Seals closed days as segments, and copies segments to a second place. Writes no journal.

Both are derived from what is there and get their names once they are whole and durable, so a power cut costs only
time.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

import msgspec

from controller.journal.archive import medium
from controller.journal.archive.boundary import Boundary, BoundaryUnreadable, Mark, read_boundary
from controller.journal.archive.medium import PART, NotCopied
from controller.journal.archive.segment import Segment, write_segment
from controller.journal.archive.shelf import Named, all_in, beside, durable, in_place
from controller.journal.bodies import UNREADABLE, body_of
from controller.journal.disk.file import Description
from controller.journal.errors import JournalDamaged, JournalError
from controller.journal.opening import opened_alone
from controller.journal.record import Stream
from controller.journal.seal import Head
from controller.journal.view import JournalView, Progress, quiet
from controller.table.words.inputs import RecordDayClosed, SegmentCopied
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class Copied:
    """A segment that was copied to the second place and read back. `through`: its newest order number."""

    segment: str
    sha256: str
    through: int


def closed_days(view: JournalView) -> Iterator[tuple[Boundary, RecordDayClosed]]:
    """Returns every closed day whose closing stands in the live file, newest first. Raises `JournalDamaged`."""
    for brief in view.backwards(Stream.DIAG, (RecordDayClosed.kind,)):
        try:
            closed = msgspec.json.decode(brief.data, type=RecordDayClosed)
            yield read_boundary(closed.statement), closed
        except (*UNREADABLE, BoundaryUnreadable) as exc:
            raise JournalDamaged(view.path, f"closing diag/{brief.sequence} of a day: {exc}") from exc


def open_day(journal: Path) -> tuple[Mark, int | None]:
    """Returns where the open day begins, and when its first input came (Unix time, microseconds; None = no input).

    Raises `JournalDamaged`.
    """
    with opened_alone(journal) as view:
        newest = next(closed_days(view), None)
        begins = {s: Head(anchor.sequence, anchor.recordhash) for s, anchor in view.anchors.items()}
        begin = newest[0].end if newest else Mark(begins, view.description.order_before)
        first = view.read(Stream.INPUT, begin.heads[Stream.INPUT].sequence, 1)
        return begin, first[0].time_us if first else None


def prunable(
    journal: Path, before_day: str, through: Mapping[Stream, int], held: Sequence[str]
) -> tuple[Boundary | None, str]:
    """Returns the newest day that may leave the live file with all days before it (None = none), and why the next
    may not ("" = no reason).

    `before_day`: the first day that must stay; `through`: how far each stream's readers are; `held`: rounds that
    stay. Raises `JournalDamaged`.
    """
    found, why = None, ""
    with opened_alone(journal) as view:
        copied, first_held = copied_through(view), view.first_of(held)
        for named in all_in(beside(view.path, view.description.id)):
            if named.first <= view.description.order_before or named.day >= before_day:
                continue
            try:
                boundary = Segment.open(named.path).boundary
            except JournalError as exc:  # of the segment: the live file is as it was, and keeps that day
                why = str(exc)
                break
            if (found.order if found else view.description.order_before) != boundary.order_before:
                why = f"the segment before {named.path.name} is not there"
            elif named.last > copied:
                why = f"no copy of {named.day} is on record"
            elif any(boundary.end.heads[s].sequence > most for s, most in through.items()):
                why = f"the back office has not got {named.day}"
            elif first_held is not None and named.last >= first_held:
                why = f"a dispute holds a round of {named.day}"
            else:
                found = boundary
                continue
            break
    return found, why


def seal_days(journal: Path, told: Progress = quiet) -> list[str]:
    """Makes a segment of each closed day that has none, oldest first; returns their names.

    `told`: receives the progress. Raises `SegmentUnfit`; `JournalDamaged` if the record is not what was closed;
    `OSError`.
    """
    made: list[str] = []
    with opened_alone(journal, told) as view:
        folder = beside(journal.resolve(), view.description.id)
        there = {named.path.name for named in all_in(folder)}
        begin = view.description.order_before
        missing = [
            (boundary, closed)
            for boundary, closed in closed_days(view)
            if boundary.file_name not in there and boundary.order_before >= begin
        ]
        for boundary, closed in reversed(missing):
            _seal(view, folder, boundary, closed)
            made.append(boundary.file_name)
    return made


def _seal(view: JournalView, folder: Path, boundary: Boundary, closed: RecordDayClosed) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / boundary.file_name
    draft = path.with_name(path.name + PART)
    after = {stream: head.sequence for stream, head in boundary.begin.heads.items()}
    records = takewhile(lambda record: record.order <= boundary.order, view.merged(Stream, after))
    try:
        write_segment(draft, records, boundary, closed.statement, closed.signature)
        for _ in Segment.open(draft).records():  # what counts is what can be read
            pass
        draft.rename(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    durable(folder)
    durable(folder.parent)


def copied_through(view: JournalView) -> int:
    """Returns the newest order number that is in the second place, by the record; 0 = none."""
    newest = next(view.backwards(Stream.DIAG, (SegmentCopied.kind,)), None)
    return 0 if newest is None else body_of(Stream.DIAG, newest, SegmentCopied).through


def not_copied(journal: Path, through: int) -> list[Named]:
    """Returns segments without a known copy, oldest first. `through`: copied just now and not on record yet."""
    with opened_alone(journal) as view:
        known = max(through, copied_through(view), view.description.order_before)
        return [named for named in all_in(beside(view.path, view.description.id)) if named.last > known]


def copy_segments(journal: Path, place: Path, *, most: int = 64) -> Iterator[Copied]:
    """Copies missing segments to the second place, oldest first, and proves those not yet noted in the record.

    At most `most` at once. Raises `NotCopied` after the successful ones, and `JournalError`.
    """
    with opened_alone(journal) as view:
        about, noted = view.description, copied_through(view)
    here = all_in(beside(journal.resolve(), about.id))
    there = {named.path.name: named for named in _reached(place, about)}
    due = [n for n in here if n.last > noted or not _is_whole(n, there.get(n.path.name))]
    for named in due[:most]:
        yield Copied(named.path.name, _copied(named, in_place(place, about), named.path.name in there), named.last)


def _reached(place: Path, about: Description) -> list[Named]:
    """Lists the second place. Never makes its folder: without the medium the folder would be on this disk."""
    if not place.is_dir():
        raise NotCopied(f"{place}: the second place is not there; put the medium in, or mount it")
    try:
        folder = in_place(place, about)
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob(f"*{PART}"):
            left.unlink()
        return all_in(folder)
    except OSError as exc:
        raise NotCopied(f"{place}: {medium.in_words(exc)}") from exc


def _is_whole(here: Named, there: Named | None) -> bool:
    try:
        return there is not None and there.path.stat().st_size == here.path.stat().st_size
    except OSError:
        return False


def _copied(named: Named, folder: Path, is_there: bool) -> str:
    """Returns the segment's hash, once the second place gives equal bytes back."""
    try:
        segment = Segment.open(named.path)
    except JournalError as exc:
        raise NotCopied(f"{named.path.name} cannot be copied: {exc}") from exc
    target = folder / named.path.name
    try:
        if is_there and medium.reads_back(target, segment.sha256):
            return segment.sha256
        draft = target.with_name(target.name + PART)
        medium.write(draft, named.path.read_bytes())
        if not medium.reads_back(draft, segment.sha256):
            raise NotCopied(f"{target}: does not read back as it was written; the medium is failing, replace it")
        draft.rename(target)
        for directory in (folder, folder.parent, folder.parent.parent):
            durable(directory)
    except OSError as exc:
        raise NotCopied(f"{target}: {medium.in_words(exc)}") from exc
    return segment.sha256
