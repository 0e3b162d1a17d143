"""Reads and writes files with a secret: readable by their owner alone, written once, never overwritten."""

import os
import stat
from contextlib import suppress
from pathlib import Path

PRIVATE_MODE = 0o600
PUBLIC_MODE = 0o644
MAX_BYTES = 10_000
"""A key file has some hundred; anything much longer is another file."""
CREDENTIALS = "CREDENTIALS_DIRECTORY"
"""Where the service manager hands credentials to this service; it keeps everybody else away from them."""


class KeyUnusable(Exception):
    """A key file cannot be used; the text says why, and what to do."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


def read(path: Path) -> bytes:
    """Returns a file's bytes. Raises `KeyUnusable`."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES)
    except OSError as exc:
        raise KeyUnusable(path, f"cannot be read: {exc.strerror}") from exc


def read_private(path: Path, maker: str) -> bytes:
    """Returns a secret file's bytes. Raises `KeyUnusable` if others can read it. `maker`: the command that makes
    it."""
    try:
        found = path.stat()
    except OSError as exc:
        remedy = f"; `{maker}` makes one" if isinstance(exc, FileNotFoundError) else ""
        raise KeyUnusable(path, f"cannot be read: {exc.strerror}{remedy}") from exc
    if not stat.S_ISREG(found.st_mode):
        raise KeyUnusable(path, "is no file")
    if found.st_uid not in (0, os.geteuid()):
        raise KeyUnusable(path, f"belongs to user {found.st_uid}; it must belong to the daemon's user or to root")
    # An access list that lets this service in shows as a group's right to read.
    others = 0o037 if _is_credential(path) else 0o077
    if found.st_mode & others:
        raise KeyUnusable(path, f"others may use it (mode {stat.S_IMODE(found.st_mode):o}); chmod 600 it")
    return read(path)


def write(path: Path, data: bytes, mode: int) -> None:
    """Writes a new file durably. Raises `KeyUnusable`."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
    except FileExistsError as exc:
        raise KeyUnusable(path, "is there already; a key is never overwritten") from exc
    except OSError as exc:
        raise KeyUnusable(path, f"cannot be written: {exc.strerror}") from exc


def replace(path: Path, data: bytes, mode: int = PRIVATE_MODE) -> None:
    """Replaces a file, whole or not at all. Raises `KeyUnusable`."""
    draft = path.with_name(path.name + ".new")
    try:
        draft.unlink(missing_ok=True)  # left by one who was cut off
        write(draft, data, mode)
        found = path.stat()
        if (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()):
            os.chown(draft, found.st_uid, found.st_gid)
        draft.replace(path)
        descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as exc:
        raise KeyUnusable(path, f"cannot be replaced: {exc.strerror}") from exc


def _is_credential(path: Path) -> bool:
    directory = os.environ.get(CREDENTIALS)
    if not directory:
        return False
    with suppress(OSError):
        return path.resolve().is_relative_to(Path(directory).resolve())
    return False
