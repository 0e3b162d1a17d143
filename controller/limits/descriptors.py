"""What the machine may run out of for a while: descriptors, memory. It is a state, never the end of the daemon."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["OUT_OF_MEANS", "Spare", "in_words"]

OUT_OF_MEANS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
DESCRIPTORS = "the daemon may open no more files; find out what keeps them (ls -l /proc/PID/fd), or raise LimitNOFILE of its unit"
MACHINE = "this machine is out of memory or of files; find out which program takes them"


def in_words(exc: OSError) -> str:
    """What the system says, and what a person can do about it."""
    said = exc.strerror or str(exc)
    if exc.errno not in OUT_OF_MEANS:
        return said
    return f"{said}; {DESCRIPTORS if exc.errno == errno.EMFILE else MACHINE}"


class Spare:
    """Descriptors that nobody uses, from `keep` on; `free` gives them up, for what must be done when no other is left."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[int] = []

    def keep(self) -> None:
        """Takes back as many as can be had."""
        with suppress(OSError):
            while len(self._kept) < self._most:
                self._kept.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))

    def free(self) -> None:
        """Gives them up; a second call does nothing."""
        while self._kept:
            os.close(self._kept.pop())

    @contextmanager
    def given_up(self) -> Iterator[None]:
        """They are free inside, and are taken back after it where they were kept before."""
        were_kept = bool(self._kept)
        self.free()
        try:
            yield
        finally:
            if were_kept:
                self.keep()
