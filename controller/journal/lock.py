"""One writer a journal: a lock that the kernel drops with the process, in a file that says who holds it."""

import contextlib
import fcntl
import os
from pathlib import Path

from controller.journal.errors import JournalLocked

__all__ = ["WriterLock"]

MODE = 0o640
"""The record is for the service's user and its group, e.g. an auditor's."""


class WriterLock:
    """Held from `take` to `release`. The lock file stays: removing it would let two processes lock two files."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, journal: Path) -> "WriterLock":
        """The lock of the journal at this resolved path. Raises `JournalLocked`, `OSError`."""
        path = _lock_file(journal)
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, MODE)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_still_there(path, descriptor):
                    os.ftruncate(descriptor, 0)
                    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
                    return cls(descriptor)
            except BlockingIOError as exc:
                pid = _holder(descriptor)
                os.close(descriptor)
                raise JournalLocked(journal, pid) from exc
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)  # someone removed the file between open and lock: lock the one that is there now

    def is_there(self, journal: Path) -> bool:
        """False where the lock's file is not beside the journal any more: another writer could take another one."""
        return _is_still_there(_lock_file(journal), self._descriptor)

    def release(self) -> None:
        """Lets the next writer in, also where nothing can be written any more; a second call does nothing."""
        if self._descriptor >= 0:
            with contextlib.suppress(
                OSError
            ):  # the number in the file is for people; the lock goes with the descriptor
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1


def _lock_file(journal: Path) -> Path:
    return journal.with_name(journal.name + ".lock")


def _is_still_there(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _holder(descriptor: int) -> int | None:
    text = os.pread(descriptor, 32, 0).strip()
    return int(text) if text.isdigit() else None
