"""Saves a record whose file is not at its path any more, from the descriptors that still hold it, and puts it back.

What was deleted or renamed is whole as long as it is open. It is copied to a file beside the path, proved, and takes the
path again; whatever lies there goes aside under a name of its own, as a damaged journal does. Nothing is deleted.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from controller.journal.archive.quarantine import BESIDE, SetAside, move_aside, name_beside
from controller.journal.disk.lock import MODE
from controller.journal.errors import JournalError
from controller.journal.proof.export import opening_lines, record_line
from controller.journal.proof.verify import verify
from controller.journal.record import Stream
from controller.journal.store import Journal
from drivers.protocol.records import dataclass

FOLDER_MODE = 0o750


@dataclass(frozen=True, slots=True)
class Rescued:
    """What was saved, and where: at the path of the journal where `is_whole`, else as text beside it.

    `records`: how many are in it; `aside`: what lay at the path and has another name now, None = nothing did.
    """

    path: Path
    records: int
    is_whole: bool
    aside: SetAside | None


def rescue(journal: Journal) -> Rescued:
    """Puts an open journal back to its path, whole where the descriptors give it; else saves its newest records as text.

    The journal is to be closed after it: SQLite removes the log at the path then, so no other log may lie there.
    Raises `OSError`, `JournalWriteFailed` and `TooManyDamaged` where nothing can be written or put aside, and `JournalLocked`
    where another daemon plays at the path already.
    """
    journal.path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    journal.hold_lock()
    draft = name_beside(journal.path, "rescued")
    records = _copied(journal, draft)
    # What lies there is not the record, or not all of it: a start must not go on with it.
    is_there = any(journal.path.with_name(journal.path.name + suffix).exists() for suffix in BESIDE)
    aside = move_aside(journal.path) if is_there else None
    if records is None:
        draft.unlink(missing_ok=True)
        target = draft.with_name(draft.name + ".txt")
        return Rescued(target, _save_newest(journal, target), is_whole=False, aside=aside)
    draft.rename(journal.path)
    _sync(journal.path)
    return Rescued(journal.path, records, is_whole=True, aside=aside)


def _copied(journal: Journal, draft: Path) -> int | None:
    """Returns the number of copied records; None if pages cannot be read or the disk is full."""
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE))
    try:
        journal.view.copy_to(draft)
        report = verify(draft)
        with closing(sqlite3.connect(draft, isolation_level=None)) as db:
            db.execute("UPDATE counter SET value = 0 WHERE name = 'log'")
            db.execute("PRAGMA journal_mode = WAL")  # last, so that no log of the draft is left
    except (JournalError, sqlite3.Error):
        return None
    return report.records if report.ok and (report.heads, report.order) == journal.last() else None


def _save_newest(journal: Journal, target: Path) -> int:
    """Writes the records in memory as lines of text, like `journal export`; returns how many."""
    newest = sorted((r for s in Stream for r in journal.in_memory(s)), key=lambda r: r.order)
    with target.open("x", encoding="utf-8") as file:
        os.fchmod(file.fileno(), MODE)
        file.writelines(opening_lines(journal.description, journal.description.order_before, journal.begins))
        file.writelines(record_line(journal.id, r) for r in newest)
    _sync(target)
    return len(newest)


def _sync(path: Path) -> None:
    for each in (path, path.parent):
        descriptor = os.open(each, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
