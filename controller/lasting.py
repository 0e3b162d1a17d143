"""Work that lasts as long as the table: when it ends by itself, in whatever way, somebody hears of it."""

import asyncio
from collections.abc import Awaitable, Callable

__all__ = ["TaskEnded", "lasting"]


class TaskEnded(Exception):
    """A part of the daemon ended although nobody asked it to."""

    def __init__(self, name: str, how: str) -> None:
        super().__init__(f"{name} {how}; that is a fault of this software, see the daemon's log")
        self.name = name


async def lasting(work: Awaitable[None], name: str, may_end: Callable[[], bool]) -> None:
    """Does the work. Raises `TaskEnded` where it returns before it may, or was cancelled from within.

    A task group takes a task that returned, or was cancelled, for one that is done: a link would be served by nobody.
    """
    try:
        await work
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # whoever ends the table asked for it
        raise TaskEnded(name, "was cancelled from within") from None
    if not may_end():
        raise TaskEnded(name, "ended")
