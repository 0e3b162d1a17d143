"""Writes files to a second place, durable and read back, and removes them; failures say what to do."""

import errno
import os
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path

from controller.journal.archive.shelf import durable
from controller.journal.disk.lock import MODE

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
    """The second place did not take a file, or does not give it back; the text says which, why, and what to do."""


def write(path: Path, data: bytes) -> None:
    """Writes a new file durably under a temporary name. Raises `OSError`."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, MODE)
    with open(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def reads_back(path: Path, digest: str) -> bool:
    """Returns True if the medium itself gives bytes of this SHA-256. Raises `OSError`."""
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return file_digest(file, "sha256").hexdigest() == digest


def replace(path: Path, data: bytes) -> None:
    """Gives a file these bytes, whole or not at all, and overwrites the old ones. Raises `NotCopied`, `OSError`."""
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
    """Overwrites and removes a file. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        _overwrite(descriptor)
    finally:
        os.close(descriptor)
    path.unlink()
    durable(path.parent)


def _overwrite(descriptor: int) -> None:
    """Overwrites a file in place; a flash medium may still keep the old block."""
    os.pwrite(descriptor, bytes(os.fstat(descriptor).st_size), 0)
    os.fsync(descriptor)


def in_words(exc: OSError) -> str:
    """Returns why nothing could be written, and what to do."""
    return f"cannot be written: {exc.strerror}{REMEDY.get(exc.errno or 0, '')}"
