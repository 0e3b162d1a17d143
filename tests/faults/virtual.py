"""One virtual clock for daemon and devices, over real pseudo-terminals: hours pass in the moment it takes to run them.

Time jumps to the next timer when both sides are idle. What is under way outside the loop (bytes in the kernel's tty
layer, a thread that opens a port, a query in an executor) is waited for in real time, and virtual time stands still
meanwhile; so a busy machine makes a run slower and changes nothing in it.
"""

import asyncio
import contextlib
import selectors
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from controller.clock import Stamp

START_S = 1000.0
PATIENCE_S = 2.0
"""Real seconds after which bytes that are still under way count as thrown away by the kernel."""
LOOK_S = 0.002
TURN_S = 1e-6
"""What one turn of the loop takes."""
PORT_THREADS = ("port open", "port close")


class _Jump(selectors.DefaultSelector):
    """Waits in real time for what is under way, else moves the loop's clock and waits for nothing."""

    loop: "VirtualLoop"

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None and timeout <= 0:
            return super().select(0)
        busy = (
            self.loop.is_busy()
        )  # first: a thread that ends after this look has woken the loop before the next one
        found = super().select(0)
        if found:
            return found
        if busy:
            return super().select(LOOK_S)
        assert timeout is not None, "everything waits and no timer runs: a deadlock"
        self.loop.jump(timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """`turns`: how often the loop had something to do. `under_way`: each says whether something real is still to come."""

    def __init__(self) -> None:
        self._selector_ = _Jump()
        super().__init__(self._selector_)
        self.virtual_s = START_S
        self._selector_.loop = self
        self.turns = 0
        self.under_way: list[Callable[[], bool]] = []
        self.stalls: list[tuple[float, float]] = []
        self.sleeps: list[tuple[float, float]] = []
        self.patient_threads: set[str] = set()
        self._jobs = 0
        self._busy_since: float | None = None

    def time(self) -> float:
        return getattr(self, "virtual_s", START_S)

    def jump(self, seconds: float) -> None:
        self.virtual_s += seconds

    def stall(self, seconds: float) -> None:
        """Nothing runs for so long, on either side: whatever was due meanwhile comes late."""
        self.stalls.append((self.virtual_s, self.virtual_s + seconds))
        self.jump(seconds)

    def sleep_machine(self, seconds: float) -> None:
        """The machine sleeps: nothing runs and the monotonic clock stands still, while everywhere else time goes on."""
        self.sleeps.append((self.virtual_s, seconds))
        self.jump(TURN_S)

    def real_s(self, mono_s: float) -> float:
        """What a clock that never stands still says at `mono_s` of the monotonic one."""
        return mono_s + sum(slept for at, slept in self.sleeps if at < mono_s)

    def asleep_s(self) -> float:
        """How long the machine has slept in all."""
        return sum(slept for _, slept in self.sleeps)

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        self._jobs += 1
        job = super().run_in_executor(executor, func, *args)
        job.add_done_callback(self._job_done)
        return job

    def _job_done(self, _: object) -> None:
        self._jobs -= 1

    def is_busy(self) -> bool:
        """Whether anything outside the loop will still come of itself; bytes that never come are given up in the end."""
        names = set(PORT_THREADS) - self.patient_threads
        if self._jobs or any(thread.name in names for thread in threading.enumerate()):
            self._busy_since = None
            return True
        if not any(still() for still in self.under_way):
            self._busy_since = None
            return False
        now = time.monotonic()
        self._busy_since = self._busy_since or now
        return now - self._busy_since < PATIENCE_S

    def _run_once(self) -> None:
        self.turns += 1
        self.virtual_s += TURN_S  # or a timer that fires a rounding error too early would fire for ever
        super()._run_once()  # type: ignore[misc]


class VirtualClock:
    """The daemon's clock on the loop's time. `step_wall`, `lose_sync`: what can befall the wall clock."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._wall_us = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
        self.state = "synced"

    def stamp(self) -> Stamp:
        wall_us = self._wall_us + self.mono_ns() // 1000 + round(self._loop.asleep_s() * 1e6)
        return Stamp(wall_us, self.mono_ns(), "00000000000000b1", self.state)  # type: ignore[arg-type]

    def mono_ns(self) -> int:
        return round(self._loop.time() * 1e9)

    def step_wall(self, seconds: float) -> None:
        self._wall_us += round(seconds * 1e6)


def run_virtual(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Runs to its end on virtual time; nothing may be left running."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        result = runner.run(coroutine)
        left = asyncio.all_tasks(runner.get_loop())
        assert not left, f"tasks left running: {left}"
    return result


@contextlib.contextmanager
def watching(loop: VirtualLoop, still: Callable[[], bool]) -> Iterator[None]:
    loop.under_way.append(still)
    try:
        yield
    finally:
        loop.under_way.remove(still)
