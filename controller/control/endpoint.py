"""The control server's socket file: appears only when it is ready, and replaces only a dead daemon's."""

import contextlib
import os
import socket
import stat
import struct
from pathlib import Path

MODE = 0o660
"""The service's user and its group: the people who work this table."""

MAX_PATH = 107
"""Bytes of a Unix socket's path: `sun_path` of <sys/un.h>, with its closing zero."""

BACKLOG = 16

PROBE_S = 1.0
"""How long a living server may take to answer a knock: the kernel answers for it, so this is generous."""

_UCRED = struct.Struct("3i")  # struct ucred of <sys/socket.h>: pid, uid, gid


class ControlUnavailable(Exception):
    """The control socket cannot be offered here; the text says what to do."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class Endpoint:
    """A listening Unix socket at `path`, from `open` to `close`."""

    def __init__(self, path: Path, listening: socket.socket) -> None:
        self.path, self.socket = path, listening
        self._identity = _identity(path)

    @classmethod
    def open(cls, path: Path) -> "Endpoint":
        """Offers the socket; replaces one that a dead daemon left. Raises `ControlUnavailable`."""
        try:
            verify_free(path)
            listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        except OSError as exc:
            raise ControlUnavailable(path, f"cannot be offered: {exc.strerror or exc}") from exc
        # Bound under a passing name and then renamed: at its own name the socket has its mode and listens from the first
        # moment, and one that was left there is replaced in the same step.
        passing = path.with_name(f".{os.getpid()}")
        try:
            with contextlib.suppress(FileNotFoundError):
                passing.unlink()
            listening.bind(str(passing))
            passing.chmod(MODE)
            listening.listen(BACKLOG)
            passing.replace(path)
            return cls(path, listening)
        except OSError as exc:
            listening.close()
            with contextlib.suppress(OSError):  # the folder itself may be what is missing
                passing.unlink()
            raise ControlUnavailable(path, f"cannot be offered: {exc.strerror or exc}") from exc

    @property
    def is_there(self) -> bool:
        """Returns False if the path was removed, or leads to something else."""
        return self._identity is not None and _identity(self.path) == self._identity

    def close(self) -> None:
        """Removes the socket, unless another daemon has put its own there; a second call does nothing."""
        self.socket.close()
        if self.is_there:
            self.path.unlink(missing_ok=True)
        self._identity = None


def peer_of(connected: socket.socket) -> tuple[int, int]:
    """Returns process and user at the other end, as the kernel knows them."""
    pid, uid, _ = _UCRED.unpack(connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size))
    return pid, uid


def verify_free(path: Path) -> None:
    """Raises `ControlUnavailable` where a daemon serves the path, or something that is no socket is there."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise ControlUnavailable(
                path, "something that is no socket is in the way; remove it or choose another path"
            )
    except FileNotFoundError:
        return
    except OSError as exc:
        raise ControlUnavailable(path, f"cannot be looked at: {exc.strerror}") from exc
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
        knock.settimeout(PROBE_S)
        try:
            knock.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return  # left behind by a daemon that was killed
        except OSError as exc:
            raise ControlUnavailable(
                path, f"cannot tell whether a daemon serves it: {exc.strerror or exc}"
            ) from exc
        raise ControlUnavailable(path, f"process {peer_of(knock)[0]} serves it; two daemons cannot share a table")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
