"""Work that lasts as long as the table: when it ends by itself, in whatever way, somebody hears of it."""

import asyncio
from collections.abc import Awaitable, Callable

from controller.limits.descriptors import OUT_OF_MEANS, in_words

__all__ = ["TaskEnded", "lasting"]


class TaskEnded(Exception):
    """A part of the daemon ended although nobody asked it to. `is_fault`: of this software, not of the machine."""

    def __init__(self, name: str, how: str, *, is_fault: bool = True) -> None:
        super().__init__(
            f"{name} {how}; that is a fault of this software, see the daemon's log"
            if is_fault
            else f"{name} {how}"
        )
        self.name, self.is_fault = name, is_fault


async def lasting(work: Awaitable[None], name: str, may_end: Callable[[], bool]) -> None:
    """Does the work. Raises `TaskEnded` where it returns before it may, was cancelled from within, or the system said no.

    A task group takes a task that returned, or was cancelled, for one that is done: a link would be served by nobody.
    """
    try:
        await work
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # whoever ends the table asked for it
        raise TaskEnded(name, "was cancelled from within") from None
    except OSError as exc:
        is_fault = exc.errno not in OUT_OF_MEANS
        raise TaskEnded(name, f"failed: {in_words(exc)}", is_fault=is_fault) from exc
    if not may_end():
        raise TaskEnded(name, "ended")
