"""How far long work has come, on the error stream, for people at a terminal; a program sees nothing of it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY_S = 0.2


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Gives a function that takes done and all; the line is taken back at the end."""
    is_seen, shown = sys.stderr.isatty(), 0.0

    def show(done: int, of: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if is_seen and now - shown >= EVERY_S:
            shown = now
            sys.stderr.write(f"\r{what}: {done:,} of {of:,}\x1b[K")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
