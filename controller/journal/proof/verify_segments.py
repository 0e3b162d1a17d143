"""Proves segments: each by itself with the public key, and one after another up to the live file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from controller.journal.archive.boundary import Boundary
from controller.journal.archive.segment import Segment, peek
from controller.journal.archive.shelf import Named
from controller.journal.chain import genesis_hash
from controller.journal.errors import JournalDamaged, JournalError, JournalForeign, JournalNewer
from controller.journal.opening import opened_alone
from controller.journal.proof.findings import Cause, Fault, Findings, Report, Seals
from controller.journal.proof.keys import PublicKey
from controller.journal.proof.verify import verify
from controller.journal.proof.witness import Checkpoint, HeadKept, prove_checkpoints, prove_heads
from controller.journal.record import Stream
from controller.journal.seal import Head
from controller.journal.vault.day_keys import Listed
from controller.journal.view import Progress
from controller.table.words.inputs import CheckpointSigned


def verify_segment(
    path: Path,
    *,
    keys: Sequence[PublicKey] = (),
    against: Sequence[HeadKept] = (),
    progress: Progress | None = None,
) -> Report:
    """Proves one segment; `against`: heads within it. Raises `JournalMissing`, `JournalForeign`, `JournalNewer`.
    All damage is in the report."""
    try:
        segment = Segment.open(path)
        return _Proof(segment).whole(keys, against, progress)
    except JournalDamaged as exc:
        return Report(path, None, (Fault(Cause.FILE, None, None, None, exc.found),), {}, 0)


def verify_days(
    segments: Sequence[Named],
    live: Path | None,
    *,
    keys: Sequence[PublicKey] = (),
    against: Sequence[HeadKept] = (),
    progress: Progress | None = None,
) -> list[Report]:
    """Proves segments one after another, then the live file. Each head is compared with the part that holds its
    record.

    A gap between two segments is a fault of the later one. Raises as `verify_segment` and `verify` do.
    """
    reports: list[Report] = []
    before: Report | None = None
    each, rest = _as_one(segments, live, progress), list(against)
    for named in segments:
        is_last = live is None and named is segments[-1]
        own = rest if is_last else _within(named, rest)
        taken = set(own)
        rest = [head for head in rest if head not in taken]
        report = verify_segment(named.path, keys=keys, against=own, progress=each(named))
        if report.journal is not None:
            report = _joined(report, before, peek(named.path).begin.heads)
        reports.append(report)
        before = report
    if live is not None:
        report = verify(live, keys=keys, against=rest, progress=each(None))
        if report.journal is not None:
            with opened_alone(live) as view:
                begin = {s: Head(a.sequence, a.recordhash) for s, a in view.anchors.items()}
            report = _joined(report, before, begin)
        reports.append(report)
    return reports


def _within(named: Named, heads: Sequence[HeadKept]) -> list[HeadKept]:
    """Returns the heads whose records are in this segment, by its statement."""
    try:
        about = peek(named.path)
    except JournalError:  # what is wrong with it is found by its proof
        return []
    begin, end = about.begin.heads, about.end.heads
    return [head for head in heads if begin[head.stream].sequence < head.sequence <= end[head.stream].sequence]


def _as_one(
    segments: Sequence[Named], live: Path | None, progress: Progress | None
) -> Callable[[Named | None], Progress | None]:
    """Returns the parts of a whole, None = the live file, as one description."""
    if progress is None or not segments:
        return lambda part: progress
    first, last = segments[0].first - 1, segments[-1].last
    if live is not None:
        with opened_alone(live) as view:
            last = max(last, view.last()[1])
    told = progress

    def each(part: Named | None) -> Progress:
        behind = (part.first - 1 if part else segments[-1].last) - first
        return lambda done, of: told(behind + done, last - first)

    return each


def _joined(report: Report, before: Report | None, begin: Mapping[Stream, Head]) -> Report:
    if before is None or before.journal is None or (before.journal == report.journal and before.heads == begin):
        return report
    detail = f"it does not begin where {before.path.name} ends"
    return replace(report, faults=(*report.faults, Fault(Cause.ANCHOR, None, None, None, detail)))


class _Proof:
    """One pass over one segment."""

    def __init__(self, segment: Segment) -> None:
        self._segment, self._about = segment, segment.boundary
        self._findings = Findings()
        self._hashes: dict[Stream, list[bytes]] = {s: [h.recordhash] for s, h in self._about.begin.heads.items()}

    def whole(self, keys: Sequence[PublicKey], against: Sequence[HeadKept], progress: Progress | None) -> Report:
        about, segment = self._about, self._segment
        count = about.order - about.order_before
        checkpoints: list[Checkpoint] = []
        self._check_beginning(about)
        listed = self._listed()
        try:
            for done, record in enumerate(segment.records()):
                self._hashes[record.stream].append(record.recordhash)
                if record.kind == CheckpointSigned.kind and record.stream is Stream.DIAG:
                    checkpoints.append(Checkpoint(record.sequence, record.order, record.data))
                if listed is not None and (wrong := listed.look(record)):
                    self._findings.add(Cause.KEY, record.stream, record.sequence, detail=wrong)
                if progress is not None and done % 1000 == 0:
                    progress(done, count)
        except JournalDamaged as exc:
            self._findings.add(Cause.CHANGED, detail=exc.found)
        heads, begins = dict(about.end.heads), about.begin.heads
        unheld = prove_heads(against, segment.path, about.description, heads, self._hash_at, self._findings)
        seals = prove_checkpoints(checkpoints, about.description, keys, begins, self._hash_at, self._findings)
        seals = self._with_own(seals, keys)
        return Report(segment.path, about.journal, self._findings.all(), heads, count, about.order, seals, unheld)

    def _listed(self) -> Listed | None:
        """Returns the keys beside the segment; None, and a finding, if they cannot be used."""
        try:
            return Listed(self._segment.path, self._about)
        except (JournalDamaged, JournalForeign, JournalNewer) as exc:
            self._findings.add(Cause.KEY, detail=str(exc))
            return None

    def _check_beginning(self, about: Boundary) -> None:
        for stream, head in about.begin.heads.items():
            genesis = genesis_hash(about.journal, about.site, about.table, about.created_us, stream)
            if head.sequence == 0 and head.recordhash != genesis:
                self._findings.add(
                    Cause.ANCHOR, stream, 0, detail="it does not follow from the description of the journal"
                )

    def _hash_at(self, stream: Stream, sequence: int) -> bytes | None:
        at = sequence - self._about.begin.heads[stream].sequence
        return self._hashes[stream][at] if 0 <= at < len(self._hashes[stream]) else None

    def _with_own(self, seals: Seals, keys: Sequence[PublicKey]) -> Seals:
        """Adds the segment's own signature as a seal that covers all of it."""
        about, segment = self._about, self._segment
        if not about.key:
            if keys:
                self._findings.add(Cause.CHECKPOINT, detail="nobody has signed where this day begins and ends")
            return seals
        seals = replace(seals, found=seals.found + 1)
        known = {key.id: key for key in keys}
        if not keys:
            return replace(seals, through=about.order)
        if about.key not in known:
            return replace(seals, strange={**seals.strange, about.key: seals.strange.get(about.key, 0) + 1})
        if about.signed_by(segment.text, segment.signature, known):
            return replace(seals, proved=seals.proved + 1, through=about.order)
        self._findings.add(
            Cause.CHECKPOINT, detail=f"key {about.key} has not signed where this day begins and ends"
        )
        return seals
