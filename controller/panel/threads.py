"""Blocking calls beside the event loop, in threads that never keep the process from ending."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def beside(call: Callable[[], T]) -> T:
    """Returns what a blocking call returns; raises what it raises. The pool of asyncio would be waited for at the end."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def tell(result: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(result)  # type: ignore[arg-type]  # without an error it is a result
        else:
            answer.set_exception(error)

    def run() -> None:
        result, error = None, None
        try:
            result = call()
        except Exception as exc:
            error = exc
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, result, error)

    threading.Thread(target=run, daemon=True).start()
    return await answer
