"""What a journal may refuse or find. Each error carries its evidence; whoever catches it holds the table."""

import errno
import sqlite3
from pathlib import Path

__all__ = [
    "JournalDamaged",
    "JournalError",
    "JournalForeign",
    "JournalLocked",
    "JournalMissing",
    "JournalMoved",
    "JournalNewer",
    "JournalOlder",
    "JournalRepeat",
    "JournalWriteFailed",
    "why_not_written",
]

FULL = "make room on its disk (df -h)"
FAILING = "look at its disk (dmesg), and mount it for writing again or change it"
REMEDIES = {
    errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EROFS: FAILING, errno.EIO: FAILING,
}  # fmt: skip
SQLITE_REMEDIES = {
    sqlite3.SQLITE_FULL: FULL, sqlite3.SQLITE_READONLY: FAILING, sqlite3.SQLITE_IOERR: FAILING,
}  # fmt: skip


class JournalError(Exception):
    """Base of everything the journal raises; never raised itself."""


class JournalLocked(JournalError):
    """Another process has this journal open for writing. `pid`: who, as far as the lock file tells; None = not said."""

    def __init__(self, path: Path, pid: int | None) -> None:
        who = f"process {pid}" if pid else "another process"
        super().__init__(f"{path}: {who} has this journal open for writing; a journal has one writer")
        self.path, self.pid = path, pid


class JournalMissing(JournalError):
    """There is no journal at this path, and none was to be created."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: no journal here")
        self.path = path


class JournalForeign(JournalError):
    """The file is sound but is not this table's journal."""

    def __init__(self, path: Path, found: str, expected: str) -> None:
        super().__init__(f"{path}: this is {found}, not {expected}")
        self.path, self.found, self.expected = path, found, expected


class JournalNewer(JournalError):
    """A later release wrote this file; this one must not touch it."""

    def __init__(self, path: Path, version: int, known: int) -> None:
        super().__init__(f"{path}: format {version}, and this release knows up to {known}; use the later release")
        self.path, self.version, self.known = path, version, known


class JournalOlder(JournalError):
    """An earlier release wrote this file, in a format that this one does not read; it is not damaged."""

    def __init__(self, path: Path, version: int, known: int) -> None:
        super().__init__(
            f"{path}: format {version}, and this release reads formats from {known} on; read it with the release that wrote it"
        )
        self.path, self.version, self.known = path, version, known


class JournalDamaged(JournalError):
    """The file is not what was written. It is left as it is: `found` says what was seen."""

    def __init__(self, path: Path, found: str) -> None:
        super().__init__(f"{path}: damaged: {found}; nothing was changed, keep the file and its -wal beside it")
        self.path, self.found = path, found


class JournalRepeat(JournalError):
    """This device event is in the journal already; nothing of the call was written, and the journal stays usable."""

    def __init__(self, serial: str, boot: str, counter: int) -> None:
        super().__init__(f"event {counter} of boot {boot} of device {serial} is recorded already")
        self.serial, self.boot, self.counter = serial, boot, counter


class JournalWriteFailed(JournalError):
    """A commit failed or took too long. Nothing more is written until the journal is closed, opened and read back.

    Whether the last transaction is there is known only then: it is there whole or not at all.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: not recorded: {reason}")
        self.path, self.reason = path, reason


class JournalMoved(JournalWriteFailed):
    """The file or its log is not at its path any more, or was cut. What is open may still hold the record."""


def why_not_written(error: BaseException) -> str:
    """What the system or SQLite says of a write that failed, and what a person can do about it, where that is known."""
    if isinstance(error, sqlite3.Error):
        said, code = str(error), getattr(error, "sqlite_errorcode", 0) & 0xFF  # some are SQLite's wrapper's own
        remedy = SQLITE_REMEDIES.get(code)
    else:
        said = getattr(error, "strerror", None) or str(error)
        remedy = REMEDIES.get(getattr(error, "errno", None) or 0)
    return f"{said}; {remedy}" if remedy else said
