"""Calls that a driver may hold for seconds, each in a daemon thread of its own.

Not in an executor: a pool can be used up by a few dead ports, and the loop's shutdown waits for its threads.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
V = TypeVar("V")


def in_own_thread(
    name: str, work: Callable[[], T], undo: Callable[[T], None] = lambda _: None
) -> asyncio.Future[T]:
    """Future of `work()`, which runs in a new daemon thread. Wait for it with `asyncio.wait`: never cancel it.

    `undo(result)` runs, in that thread, if the loop has closed meanwhile and nobody can take the result.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            result = work()
        except Exception as exc:
            _hand_back(loop, future.set_exception, exc)
        else:
            if not _hand_back(loop, future.set_result, result):
                undo(result)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


def _hand_back(loop: asyncio.AbstractEventLoop, settle: Callable[[V], None], value: V) -> bool:
    try:
        loop.call_soon_threadsafe(settle, value)
    except RuntimeError:  # the loop is closed
        return False
    return True
