"""The three streams that a shell gives a command, where one is closed, full, broken, or of another character set.

What a command says is UTF-8, whatever the locale: JSON is nothing else, and a name that a terminal cannot show is better
shown wrong than not at all. A stream that cannot be read or written raises `StreamLost` when it is used, which is no `OSError`:
a command that hears of one thinks of its own files.
"""

import errno
import io
import os
import sys
from typing import Any

INPUT, OUTPUT, ERRORS = range(3)
NAMES = ("standard input", "standard output", "standard error")


class StreamLost(Exception):
    """A standard stream cannot be used: which, why, and what to do about it."""

    def __init__(self, number: int, why: str) -> None:
        remedy = (
            "give it lines, as by `< FILE`, or `< /dev/null` for none"
            if number == INPUT
            else "what this command has to say is lost, though what it was asked to do may be done; send it elsewhere, "
            "or to /dev/null if nobody wants it"
        )
        super().__init__(f"{NAMES[number]} {why}: {remedy}")


class _Descriptor(io.FileIO):
    """Descriptor 0, 1 or 2. `is_closed`: the shell gave none, and what stands in its place is never read nor written.

    That it is lost is said once: what is written after that goes nowhere, so that the end of the process is no second failure.
    """

    def __init__(self, number: int, mode: str, *, is_closed: bool) -> None:
        super().__init__(number, mode, closefd=False)
        self._number, self._is_closed, self._is_lost = number, is_closed, False

    def readinto(self, into: Any, /) -> int | None:
        if self._is_closed:
            raise StreamLost(self._number, "is closed")
        try:
            return super().readinto(into)
        except OSError as exc:
            raise StreamLost(self._number, f"cannot be read ({exc.strerror})") from exc

    def write(self, data: Any, /) -> int:
        if self._is_lost:
            return memoryview(data).nbytes
        self._is_lost = True
        if self._is_closed:
            raise StreamLost(self._number, "is closed")
        try:
            written = super().write(data)
        except OSError as exc:
            if exc.errno == errno.EPIPE:  # the reader has seen enough; click ends in silence
                raise
            raise StreamLost(self._number, f"cannot be written ({exc.strerror})") from exc
        self._is_lost = False
        return written


class _Unheard(_Descriptor):
    """Standard error: there is nowhere left to complain to, and a complaint that is lost changes nothing else."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except (StreamLost, BrokenPipeError):
            return memoryview(data).nbytes


def prepare() -> None:
    """Puts our own streams in the place of Python's. To be called once, before anything is opened.

    A closed descriptor is filled with /dev/null first: the next file that is opened would get its number, and be written to
    by code that writes to standard output.
    """
    is_closed = [_is_closed(number) for number in range(3)]
    for number in range(3):
        if is_closed[number]:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
            os.set_inheritable(number, True)
    given = _Descriptor(INPUT, "rb", is_closed=is_closed[INPUT])
    sys.stdin = io.TextIOWrapper(io.BufferedReader(given), "utf-8", "surrogateescape")
    told = _Descriptor(OUTPUT, "wb", is_closed=is_closed[OUTPUT])
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(told), "utf-8", "backslashreplace", line_buffering=told.isatty()
    )
    said = _Unheard(ERRORS, "wb", is_closed=is_closed[ERRORS])
    sys.stderr = io.TextIOWrapper(io.BufferedWriter(said), "utf-8", "backslashreplace", line_buffering=True)


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False
