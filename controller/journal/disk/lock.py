"""One writer a journal: a lock that the kernel drops with the process, in a file that says who holds it.

    {pid, empty = nobody}
    {journal} {order of its newest record}

After each commit the second line is written anew, without a sync. So a start knows how far the record went, also where the
file's log was lost since; a power cut may tear this file, and loses no log.
"""

import contextlib
import errno
import fcntl
import os
import stat
from pathlib import Path

from controller.journal.errors import JournalLocked

NOTE_BYTES = 80
MODE = 0o640
"""The record is for the service's user and its group, e.g. an auditor's."""


class WriterLock:
    """The writer's lock, held from `take` to `release`. The lock file stays, so that two processes cannot lock two
    files."""

    def __init__(self, descriptor: int, known: tuple[str, int] | None = None) -> None:
        self._descriptor, self._known = descriptor, known

    @classmethod
    def take(cls, journal: Path) -> "WriterLock":
        """Takes the lock of the journal at this resolved path. Raises `JournalLocked`, `OSError`."""
        path = _lock_file(journal)
        while True:
            descriptor = _opened(path)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_still_there(path, descriptor):
                    os.fchmod(descriptor, mode_of(journal))
                    known = _known(descriptor)
                    _write(descriptor, str(os.getpid()), known)
                    return cls(descriptor, known)
            except BlockingIOError as exc:
                pid = _holder(descriptor)
                os.close(descriptor)
                raise JournalLocked(journal, pid) from exc
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)  # someone removed the file between open and lock: lock the one that is there now

    def lacks(self, journal: str, order: int) -> str:
        """Returns what a record of this order lacks by the lock file's note; "" = nothing."""
        if self._known is None or self._known[0] != journal or self._known[1] <= order:
            return ""
        return f"it ends at {order} and went to {self._known[1]}: its log was lost, or it is an older copy"

    def note(self, journal: str, order: int) -> None:
        """Notes the newest record for the next start."""
        self._known = (journal, order)
        with contextlib.suppress(OSError):
            os.pwrite(self._descriptor, f"{os.getpid()}\n{journal} {order}\n".encode(), 0)

    def is_there(self, journal: Path) -> bool:
        """Returns False if the lock file was removed, so that another writer could take another one."""
        return _is_still_there(_lock_file(journal), self._descriptor)

    def release(self) -> None:
        """Releases the lock, also if nothing can be written; a second call does nothing."""
        if self._descriptor >= 0:
            with contextlib.suppress(
                OSError
            ):  # the number in the file is for people; the lock goes with the descriptor
                _write(self._descriptor, "", self._known)
            os.close(self._descriptor)
            self._descriptor = -1


def _lock_file(journal: Path) -> Path:
    return journal.with_name(journal.name + ".lock")


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as exc:
        if exc.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, f"{path.name} is a link; remove it, and find out who made it") from exc
        raise


def _is_still_there(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _holder(descriptor: int) -> int | None:
    text, *_ = os.pread(descriptor, NOTE_BYTES, 0).split(b"\n")
    return int(text) if text.isdigit() else None


def mode_of(record: Path) -> int:
    """Returns the permissions of a record; those of a new one if it is missing."""
    try:
        return stat.S_IMODE(record.stat(follow_symlinks=False).st_mode)
    except OSError:
        return MODE


def _known(descriptor: int) -> tuple[str, int] | None:
    """Returns an earlier writer's note; None if there is none that can be read."""
    _, _, line = os.pread(descriptor, NOTE_BYTES, 0).decode(errors="replace").partition("\n")
    journal, _, order = line.strip().partition(" ")
    return (journal, int(order)) if order.isascii() and order.isdigit() else None


def _write(descriptor: int, holder: str, known: tuple[str, int] | None) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{holder}\n{f'{known[0]} {known[1]}' if known else ''}\n".encode(), 0)
