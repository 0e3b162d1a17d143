"""Reads a device's key from its file; refuses a file that other users could have read or changed.

A key is never in the configuration, a log or a record. Code that holds a key holds it as `bytes` and does not
print it.
"""

import os
import stat
from pathlib import Path

from drivers.errors import DeviceError
from drivers.protocol.constants import KEY_SIZE

ROOT = 0
OTHERS = stat.S_IRWXG | stat.S_IRWXO
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class KeyRefused(DeviceError):
    """A key file cannot be used. The message names the file, the fault, and what to do."""

    def __init__(self, path: Path, wrong: str, remedy: str) -> None:
        super().__init__(f"key file {path} {wrong}; {remedy}")
        self.path = path


def read_key(path: Path) -> bytes:
    """Returns the 32 bytes of a key. Raises `KeyRefused` if the file is not regular, or not its owner's alone."""
    _verify_folder(path)
    try:
        # Not following a link, and not waiting for a pipe's other end: the file itself must be what is named.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise KeyRefused(
            path, "is missing", f"make it: umask 077; head -c {KEY_SIZE} /dev/urandom > {path}"
        ) from None
    except OSError as exc:
        if os.path.islink(path):
            raise KeyRefused(path, "is a symbolic link", "name the file that it points to") from exc
        raise KeyRefused(
            path, f"cannot be read ({exc.strerror})", f"chown it to {_who()} and chmod 400 it"
        ) from exc
    try:
        _verify_file(path, os.fstat(descriptor))
        key = os.read(descriptor, KEY_SIZE + 1)
    finally:
        os.close(descriptor)
    if len(key) != KEY_SIZE or len(set(key)) == 1:
        what = (
            f"has {len(key)} bytes"
            if len(key) < KEY_SIZE
            else "has more"
            if len(key) > KEY_SIZE
            else "is one byte over"
        )
        raise KeyRefused(path, what, f"a key is {KEY_SIZE} random bytes, the same in the device and here")
    return key


def _verify_folder(path: Path) -> None:
    """Raises `KeyRefused` if other users may write into the folder: they could replace the key."""
    try:
        folder = path.parent.stat()
    except OSError:
        return  # opening the file says what is wrong
    if folder.st_mode & OTHERS_WRITE and not folder.st_mode & stat.S_ISVTX:
        raise KeyRefused(path, "lies in a folder that others may write to", f"chmod go-w {path.parent}")


def _verify_file(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise KeyRefused(path, "is no regular file", f"put {KEY_SIZE} bytes into a file of its own")
    if os.geteuid() != ROOT and found.st_uid not in (os.geteuid(), ROOT):
        raise KeyRefused(path, f"belongs to user {found.st_uid}", f"chown it to {_who()}")
    if found.st_mode & OTHERS:
        raise KeyRefused(
            path, f"may be read or changed by others (mode {found.st_mode & 0o777:o})", f"chmod 400 {path}"
        )


def _who() -> str:
    return f"the user of the daemon (now {os.geteuid()})"
