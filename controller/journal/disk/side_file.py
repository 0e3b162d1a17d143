"""Reads and writes files beside a record safely, even if another user can write into the folder.

A link in the place of such a file is refused, and each file has the record's permissions.
"""

import os
from pathlib import Path

from controller.journal.disk.lock import mode_of

NEW = ".new"


def write_beside(record: Path, end: str, data: bytes) -> None:
    """Writes `record` + `end` over the last one, whole or not at all, without a sync. Raises `OSError`."""
    path = record.with_name(record.name + end)
    draft = path.with_name(path.name + NEW)
    draft.unlink(missing_ok=True)  # a link there goes, and not what it leads to
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:
        os.fchmod(descriptor, mode_of(record))
        file.write(data)
    draft.replace(path)


def read_beside(record: Path, end: str) -> bytes:
    """Returns the bytes of `record` + `end`. Raises `OSError`, also for a link."""
    path = record.with_name(record.name + end)
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        return file.read()
