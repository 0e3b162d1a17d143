"""Copies a journal while it is written, and restores a copy after a loss. Each copy is proved before it counts.

A copy is one file without free pages, and beside it `NAME.sha256`, which `sha256sum -c` reads. It gets its name
once it is whole. A restored copy is not continued: it lacks what was recorded and published since. `restore` lays
it beside the journal's place, and the next start begins a new journal, with its own id, whose first record names
the copy.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from controller.journal.archive.quarantine import name_beside
from controller.journal.archive.sums import SUM, sum_of
from controller.journal.disk.file import LOG, connect_readonly, examine, has_log
from controller.journal.disk.lock import MODE
from controller.journal.errors import JournalDamaged, JournalMissing, JournalWriteFailed, why_not_written
from controller.journal.proof.findings import Report
from controller.journal.proof.keys import PublicKey
from controller.journal.proof.verify import verify
from controller.journal.view import Progress
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class Backup:
    """A proved copy. `sha256`: of its file."""

    path: Path
    sha256: str
    report: Report


def back_up(
    journal: Path, target: Path, *, keys: Sequence[PublicKey] = (), progress: Progress | None = None
) -> Backup:
    """Copies a journal, live or at rest, to a file that must not be there yet, and proves the copy.

    Raises `JournalDamaged` where the copy does not prove (it is kept for a later look) or the journal cannot be read
    so far, `JournalWriteFailed` where it cannot be written, and what `verify` raises. A copy that is cut off leaves nothing.
    """
    if not journal.exists():
        raise JournalMissing(journal)
    beside = target.with_name(target.name + SUM)
    for name in (target, beside):
        if name.exists():
            raise JournalWriteFailed(target, f"{name.name} is there already; a copy is never overwritten")
    with _source(journal) as db, _draft_of(target) as draft:
        _copy_whole(db, journal, draft)
        report = replace(verify(draft, keys=keys, progress=progress), path=target)
        draft.rename(target)
        if not report.ok:
            raise JournalDamaged(target, f"the copy does not prove: {report.faults[0]}")
        digest = sum_of(target)
        beside.write_text(f"{digest}  {target.name}\n")
        _durable(beside)
        _durable(target.parent)
    return Backup(target, digest, report)


def restore(
    copy: Path, journal: Path, *, keys: Sequence[PublicKey] = (), progress: Progress | None = None
) -> tuple[Path, Report]:
    """Proves a copy and lays it beside the place of a journal that is lost; gives where, and the proof of what lies there.

    Raises `JournalWriteFailed` where a journal still is, or nothing can be written; `JournalDamaged` where the copy does not
    prove; and what `verify` raises. One that is cut off leaves nothing that a start would take for a copy.
    """
    journal = Path(os.path.realpath(journal))
    for name in (journal, journal.with_name(journal.name + LOG)):
        if name.exists() and name.stat().st_size:  # a reader may have left an empty log
            raise JournalWriteFailed(journal, f"{name.name} is there; move it to a safe place first")
    report = verify(copy, keys=keys, progress=progress)
    if not report.ok:
        raise JournalDamaged(copy, f"the copy does not prove: {report.faults[0]}")
    target = name_beside(journal, "restored")
    with _source(copy) as db, _draft_of(journal) as draft:
        if has_log(
            copy
        ):  # saved from a PC that was lost: its newest records are in the log, and no file alone has them
            _copy_whole(db, copy, draft)
            report = verify(draft, keys=keys, progress=progress)
            is_whole = report.ok
        else:
            shutil.copyfile(copy, draft)
            draft.chmod(MODE)
            _durable(draft)
            is_whole = sum_of(draft) == sum_of(copy)
        if not is_whole:
            raise JournalDamaged(target, "it does not read back as it was copied")
        draft.rename(target)
        _durable(target.parent)
    return target, replace(report, path=target)


@contextmanager
def _draft_of(target: Path) -> Iterator[Path]:
    """Returns the temporary name beside a target, with nothing left there. Raises `JournalWriteFailed`."""
    draft = target.with_name(target.name + ".part")
    try:
        draft.unlink(missing_ok=True)
        yield draft
    except OSError as exc:
        raise JournalWriteFailed(target, f"cannot be written: {why_not_written(exc)}") from exc
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


@contextmanager
def _source(journal: Path) -> Iterator[sqlite3.Connection]:
    """Opens what is to be copied. Raises `JournalDamaged`, what `examine` raises, and `OSError`."""
    try:
        db = connect_readonly(journal)
    except sqlite3.DatabaseError as exc:
        raise JournalDamaged(journal, str(exc)) from exc
    with closing(db):
        examine(db, journal)
        yield db


def _copy_whole(db: sqlite3.Connection, journal: Path, draft: Path) -> None:
    """Copies everything committed, the log included, into one file. Raises `JournalDamaged`, `OSError`."""
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE))
    try:
        db.execute("VACUUM INTO ?", (str(draft),))
    except sqlite3.Error as exc:
        if exc.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise JournalDamaged(journal, str(exc)) from exc
        raise OSError(None, why_not_written(exc)) from exc
    _durable(draft)


def _durable(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
