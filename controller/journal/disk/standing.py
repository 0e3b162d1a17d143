"""Notices that an open journal's file or log is no longer at its path.

A deleted or renamed file can be written to while it is open; the data is lost when it is closed. SQLite does not
notice, so the journal checks after each commit, before anybody hears of it, and every second.
"""

import os
from pathlib import Path

from controller.journal.disk.file import LOG
from controller.journal.errors import JournalMoved
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class _File:
    """The identity of a file. `least`: its least size in bytes."""

    device: int
    inode: int
    least: int


class Standing:
    """The file and the log of an open journal. `path`: of the file."""

    def __init__(self, path: Path) -> None:
        self._path, self._log = path, path.with_name(path.name + LOG)
        self._file, self._log_file = _seen(path), _seen(self._log)

    def verify(self) -> None:
        """Raises `JournalMoved` if a path has another file or none, or the file became too short."""
        for path, expected in ((self._path, self._file), (self._log, self._log_file)):
            if found := _what_is_wrong(path, expected):
                raise JournalMoved(self._path, found)

    def shrinks_to(self, size: int) -> None:
        """Allows the file to be this small: rows were removed."""
        self._file = _File(self._file.device, self._file.inode, min(self._file.least, size))


def _seen(path: Path) -> _File:
    try:
        found = path.stat(follow_symlinks=False)
    except FileNotFoundError as exc:
        raise JournalMoved(path, f"{path.name} is not there") from exc
    return _File(found.st_dev, found.st_ino, found.st_size)


def _what_is_wrong(path: Path, expected: _File) -> str | None:
    try:
        found = os.lstat(path)
    except OSError as exc:
        return f"{path.name} is gone ({exc.strerror}): somebody deleted or renamed it"
    if (found.st_dev, found.st_ino) != (expected.device, expected.inode):
        return f"{path.name} is another file now: somebody replaced it"
    if found.st_nlink != 1:
        return f"{path.name} has {found.st_nlink} names: remove the hard links to it"
    if found.st_size < expected.least:
        return f"{path.name} has {found.st_size} bytes and had {expected.least}: somebody cut it"
    return None
