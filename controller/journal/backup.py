"""Copies of a journal: taken while it is written, proved before they count, and kept beside the one that begins after them.

A copy is one file without free pages, and beside it `NAME.sha256`, which `sha256sum -c` reads. After a loss the copy is no
journal to go on with: what was recorded and published since is not in it. So a restore lays it beside the place of the
journal, and the next start begins a new one, with an id of its own, whose first record names the copy.
"""

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from controller.journal.errors import JournalDamaged, JournalMissing, JournalWriteFailed
from controller.journal.file import connect_readonly
from controller.journal.findings import Report
from controller.journal.keys import PublicKey
from controller.journal.lock import MODE
from controller.journal.quarantine import name_beside
from controller.journal.verify import SUM, Progress, sum_of, verify

__all__ = ["Backup", "back_up", "restore"]


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy that was proved. `sha256`: of its file."""

    path: Path
    sha256: str
    report: Report


def back_up(
    journal: Path, target: Path, *, keys: Sequence[PublicKey] = (), progress: Progress | None = None
) -> Backup:
    """Copies a journal, live or at rest, to a file that must not be there yet, and proves the copy.

    Raises `JournalDamaged` where the copy does not prove (it is kept, for whoever looks into it), `JournalWriteFailed` where
    it cannot be written, and what `verify` raises.
    """
    if not journal.exists():
        raise JournalMissing(journal)
    draft = target.with_name(target.name + ".part")
    try:
        if target.exists():
            raise JournalWriteFailed(target, "is there already; a copy is never overwritten")
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE))
        with closing(connect_readonly(journal)) as db:
            db.execute("VACUUM INTO ?", (str(draft),))
        _durable(draft)
        draft.rename(target)
    except (OSError, sqlite3.Error) as exc:
        raise JournalWriteFailed(target, f"cannot be written: {exc}") from exc
    report = verify(target, keys=keys, progress=progress)
    if not report.ok:
        raise JournalDamaged(target, f"the copy does not prove: {report.faults[0]}")
    digest = sum_of(target)
    beside = target.with_name(target.name + SUM)
    beside.write_text(f"{digest}  {target.name}\n")
    _durable(beside)
    _durable(target.parent)
    return Backup(target, digest, report)


def restore(
    copy: Path, journal: Path, *, keys: Sequence[PublicKey] = (), progress: Progress | None = None
) -> tuple[Path, Report]:
    """Proves a copy and lays it beside the place of a journal that is lost; gives where, and the proof.

    Raises `JournalWriteFailed` where a journal still is, or nothing can be written; `JournalDamaged` where the copy does not
    prove; and what `verify` raises.
    """
    journal = journal.resolve()
    for name in (journal, journal.with_name(journal.name + "-wal")):
        if name.exists() and name.stat().st_size:  # a reader may have left an empty log
            raise JournalWriteFailed(journal, f"{name.name} is there; move it to a safe place first")
    report = verify(copy, keys=keys, progress=progress)
    if not report.ok:
        raise JournalDamaged(copy, f"the copy does not prove: {report.faults[0]}")
    target = name_beside(journal, "restored")
    try:
        shutil.copyfile(copy, target)
        target.chmod(MODE)
        _durable(target)
        _durable(target.parent)
    except OSError as exc:
        raise JournalWriteFailed(target, f"cannot be written: {exc.strerror}") from exc
    if sum_of(target) != sum_of(copy):
        raise JournalDamaged(target, "it does not read back as it was copied")
    return target, report


def _durable(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
