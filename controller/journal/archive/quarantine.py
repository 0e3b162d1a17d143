"""Puts a damaged journal aside under a name of its own, whole and for ever; deletes and overwrites nothing."""

import os
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path

from controller.journal.disk.lock import WriterLock
from controller.journal.errors import JournalWriteFailed
from drivers.protocol.records import dataclass

MOST = 8
"""So many damaged journals lie beside one path at most; a disk that made them all makes the next one too."""
BESIDE = ("", "-wal", "-shm")
"""The file first: a journal without its log would look sound and lack its newest records."""


class TooManyDamaged(Exception):
    """The store was damaged too often: it stays held until a person looks at the disk."""

    def __init__(self, path: Path, found: list[Path]) -> None:
        super().__init__(
            f"{path}: {len(found)} damaged journals lie beside it ({found[-1].name} is the newest); no other is begun. "
            "Look at the disk, and move them to a safe place"
        )


@dataclass(frozen=True, slots=True)
class SetAside:
    """A journal that was put aside. `name`: its file beside the journal; `size`: bytes; `sha256`: of the file, ""
    = missing or unreadable."""

    name: str
    size: int
    sha256: str


def set_aside(path: Path, now: datetime | None = None) -> SetAside:
    """Renames a damaged journal and its files. Raises `TooManyDamaged`, `JournalLocked`, `JournalWriteFailed`."""
    path = path.resolve()
    try:
        lock = WriterLock.take(path)
    except OSError as exc:
        raise JournalWriteFailed(path, f"cannot be put aside: {exc.strerror}") from exc
    try:
        return move_aside(path, now)
    finally:
        lock.release()


def move_aside(path: Path, now: datetime | None = None) -> SetAside:
    """Renames a damaged journal for a caller that holds its lock. Raises `TooManyDamaged`, `JournalWriteFailed`."""
    before = _aside(path)
    if len(before) >= MOST:
        raise TooManyDamaged(path, before)
    try:
        aside = name_beside(path, "damaged", now)
        size, digest = (path.stat().st_size, _sha256(path)) if path.exists() else (0, "")
        for suffix in BESIDE:
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.rename(aside.with_name(aside.name + suffix))
        _sync(path.parent)
        return SetAside(aside.name, size, digest)
    except OSError as exc:
        raise JournalWriteFailed(path, f"is damaged and cannot be put aside: {exc.strerror}") from exc


def newest_aside(path: Path) -> SetAside | None:
    """Returns the newest damaged, restored or rescued journal beside this place, for a start that finds no other."""
    path = path.resolve()
    before = [*_aside(path), *_aside(path, "restored"), *_aside(path, "rescued")]
    if not before:
        return None
    newest = max(before, key=lambda p: p.name.rpartition("-")[2])  # by its time
    return SetAside(newest.name, newest.stat().st_size, _sha256(newest))


def _aside(path: Path, what: str = "damaged") -> list[Path]:
    return sorted(p for p in path.parent.glob(f"{path.name}.{what}-*") if not p.name.endswith(BESIDE[1:]))


def name_beside(path: Path, what: str, now: datetime | None = None) -> Path:
    """Returns a free name beside this one, with what it is and the time."""
    stem = f"{path.name}.{what}-{now or datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    names = (path.with_name(stem + (f".{n}" if n else "")) for n in range(MOST + 1))
    return next(
        name for name in names if not any(name.with_name(name.name + suffix).exists() for suffix in BESIDE)
    )


def _sha256(path: Path) -> str:
    """Returns the file's hash; "" if a part of it cannot be read, and of a pipe, which waits for ever when it is opened."""
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
