"""The exceptions of a journal. Each carries its evidence; the caller must hold play."""

import errno
import sqlite3
from pathlib import Path

FULL = "make room on its disk (df -h)"
FAILING = "look at its disk (dmesg), and mount it for writing again or change it"
REMEDIES = {
    errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EROFS: FAILING, errno.EIO: FAILING,
}  # fmt: skip
SQLITE_REMEDIES = {
    sqlite3.SQLITE_FULL: FULL, sqlite3.SQLITE_READONLY: FAILING, sqlite3.SQLITE_IOERR: FAILING,
}  # fmt: skip


class JournalError(Exception):
    """Base class of the journal's exceptions; never raised itself."""


class JournalLocked(JournalError):
    """Another process has this journal open for writing. `pid`: that process; None = unknown."""

    def __init__(self, path: Path, pid: int | None) -> None:
        who = f"process {pid}" if pid else "another process"
        super().__init__(f"{path}: {who} has this journal open for writing; a journal has one writer")
        self.path, self.pid = path, pid


class JournalMissing(JournalError):
    """There is no journal at this path, and the caller did not ask to create one."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: no journal here")
        self.path = path


class JournalForeign(JournalError):
    """The file is sound but belongs to another table."""

    def __init__(self, path: Path, found: str, expected: str) -> None:
        super().__init__(f"{path}: this is {found}, not {expected}")
        self.path, self.found, self.expected = path, found, expected


class JournalNewer(JournalError):
    """A later release wrote this file; this release must not change it."""

    def __init__(self, path: Path, version: int, known: int) -> None:
        super().__init__(f"{path}: format {version}, and this release knows up to {known}; use the later release")
        self.path, self.version, self.known = path, version, known


class JournalOlder(JournalError):
    """An earlier release wrote this file in a format that this release does not read; it is not damaged."""

    def __init__(self, path: Path, version: int, known: int) -> None:
        super().__init__(
            f"{path}: format {version}, and this release reads formats from {known} on; read it with the release that wrote it"
        )
        self.path, self.version, self.known = path, version, known


class JournalDamaged(JournalError):
    """The file is not what was written. It is left unchanged; `found` says what was seen."""

    def __init__(self, path: Path, found: str) -> None:
        super().__init__(f"{path}: damaged: {found}; nothing was changed, keep the file and its -wal beside it")
        self.path, self.found = path, found


class JournalRepeat(JournalError):
    """This device report is on record already; nothing was written, and the journal stays usable."""

    def __init__(self, serial: str, boot: str, counter: int) -> None:
        super().__init__(f"event {counter} of boot {boot} of device {serial} is recorded already")
        self.serial, self.boot, self.counter = serial, boot, counter


class JournalWriteFailed(JournalError):
    """A commit failed or took too long. Nothing more is written until the journal was closed and opened again.

    Only then is it known whether the last transaction is there; it is there whole or not at all.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: not recorded: {reason}")
        self.path, self.reason = path, reason


class JournalMoved(JournalWriteFailed):
    """The file or its log is no longer at its path, or was cut. The open file may still hold the record."""


def why_not_written(error: BaseException) -> str:
    """Returns why a write failed, and what a person can do if that is known."""
    if isinstance(error, sqlite3.Error):
        said, code = str(error), getattr(error, "sqlite_errorcode", 0) & 0xFF  # some are SQLite's wrapper's own
        remedy = SQLITE_REMEDIES.get(code)
    else:
        said = getattr(error, "strerror", None) or str(error)
        remedy = REMEDIES.get(getattr(error, "errno", None) or 0)
    return f"{said}; {remedy}" if remedy else said
