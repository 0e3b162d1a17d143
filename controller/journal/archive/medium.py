"""How a file gets to a second place, and how it leaves it: durable, read back, and with what to do where that fails."""

import errno
import os
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path

from controller.journal.archive.shelf import durable
from controller.journal.lock import MODE

__all__ = ["PART", "NotCopied", "in_words", "reads_back", "replace", "wipe", "write"]

PART = ".part"
RIGHTS = "; give the daemon's user the right to write there"
REMEDY = {
    errno.ENOSPC: "; it is full: put in an empty medium, or make room",
    errno.EDQUOT: "; it is full: make room",
    errno.EROFS: "; mount it for writing",
    errno.EACCES: RIGHTS,
    errno.EPERM: RIGHTS,
    errno.EIO: "; the medium is failing: replace it",
}


class NotCopied(Exception):
    """The second place did not take a file, or does not give it back: which, why, and what to do."""


def write(path: Path, data: bytes) -> None:
    """A whole new file, durable but for its name. Raises `OSError`."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, MODE)
    with open(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def reads_back(path: Path, digest: str) -> bool:
    """True where the medium, and not only this machine's memory of it, gives bytes of this SHA-256. Raises `OSError`."""
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return file_digest(file, "sha256").hexdigest() == digest


def replace(path: Path, data: bytes) -> None:
    """Gives a file these bytes, whole or not at all; what it held is written over. Raises `NotCopied`, `OSError`."""
    draft = path.with_name(path.name + PART)
    write(draft, data)
    if not reads_back(draft, sha256(data).hexdigest()):
        raise NotCopied(f"{path}: does not read back as it was written; the medium is failing, replace it")
    old = None
    with suppress(FileNotFoundError):
        old = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        draft.rename(path)
        durable(path.parent)
        if old is not None:
            _overwrite(old)
    finally:
        if old is not None:
            os.close(old)


def wipe(path: Path) -> None:
    """Takes a file away once it was written over. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        _overwrite(descriptor)
    finally:
        os.close(descriptor)
    path.unlink()
    durable(path.parent)


def _overwrite(descriptor: int) -> None:
    """In place, which most disks take for what it is; a medium of flash may keep the old block, and is not asked."""
    os.pwrite(descriptor, bytes(os.fstat(descriptor).st_size), 0)
    os.fsync(descriptor)


def in_words(exc: OSError) -> str:
    """Why nothing could be written, and what to do about it."""
    return f"cannot be written: {exc.strerror}{REMEDY.get(exc.errno or 0, '')}"
