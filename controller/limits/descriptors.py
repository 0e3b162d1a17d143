"""Handles a temporary lack of descriptors or memory: a state, never the daemon's end."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

OUT_OF_MEANS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
DESCRIPTORS = "the daemon may open no more files; find out what keeps them (ls -l /proc/PID/fd), or raise LimitNOFILE of its unit"
MACHINE = "this machine is out of memory or of files; find out which program takes them"


def in_words(exc: OSError) -> str:
    """Returns the system's message, and what a person can do."""
    said = exc.strerror or str(exc)
    if exc.errno not in OUT_OF_MEANS:
        return said
    return f"{said}; {DESCRIPTORS if exc.errno == errno.EMFILE else MACHINE}"


class Spare:
    """Reserved descriptors. `free` releases them for work that must be done when no other is left."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[int] = []

    def keep(self) -> None:
        """Reserves as many descriptors as possible."""
        with suppress(OSError):
            while len(self._kept) < self._most:
                self._kept.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))

    def free(self) -> None:
        """Releases the reserve; a second call does nothing."""
        while self._kept:
            os.close(self._kept.pop())

    @contextmanager
    def given_up(self) -> Iterator[None]:
        """Releases the reserve for the block, and takes it back afterwards if it was held."""
        were_kept = bool(self._kept)
        self.free()
        try:
            yield
        finally:
            if were_kept:
                self.keep()
