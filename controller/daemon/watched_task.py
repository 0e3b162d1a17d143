"""Runs work that must last as long as the table: an early end is noticed in any case."""

import asyncio
from collections.abc import Awaitable, Callable

from controller.limits.descriptors import OUT_OF_MEANS, in_words


class TaskEnded(Exception):
    """A part of the daemon ended unasked. `is_fault`: through a fault of this software, not of the machine."""

    def __init__(self, name: str, how: str, *, is_fault: bool = True) -> None:
        super().__init__(
            f"{name} {how}; that is a fault of this software, see the daemon's log"
            if is_fault
            else f"{name} {how}"
        )
        self.name, self.is_fault = name, is_fault


async def lasting(work: Awaitable[None], name: str, may_end: Callable[[], bool]) -> None:
    """Runs the work. Raises `TaskEnded` if it returns early, was cancelled from within, or met a system error.

    A task group takes a returned or cancelled task as done, so a dead link would go unnoticed.
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
