"""Child processes of a bench run: started apart from the terminal's signals, stopped in order, never left behind."""

import asyncio
import ctypes
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

STOP_S = 15.0
"""How long a child may take to end after SIGTERM before it is killed."""
LINE_LIMIT = 4 * 1024 * 1024
"""Longest line that is read from a child: a delivered event has at most 64 KiB."""
PR_SET_PDEATHSIG = 1
"""Linux `prctl`: the signal that this process gets when its parent dies."""

_libc = ctypes.CDLL(None, use_errno=True)


class ChildFailed(Exception):
    """A child process ended, or did not start, when it was needed."""

    def __init__(self, name: str, why: str, tail: str = "") -> None:
        super().__init__(f"{name}: {why}" + (f"\n{tail}" if tail else ""))
        self.name, self.why = name, why


class Child:
    """One running child process. Its standard error goes into `log`, and its standard output too unless it is
    read."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, log: Path) -> None:
        self.name, self.process, self.log = name, process, log

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    @property
    def is_running(self) -> bool:
        """True while the process has not ended."""
        return self.process.returncode is None

    async def ended(self) -> int:
        """Waits for the process to end and returns its exit code."""
        return await self.process.wait()

    async def stop(self, signum: int = signal.SIGTERM) -> int:
        """Asks the process to end, kills it if it does not, and returns the exit code; safe after its end."""
        if self.is_running:
            self.process.send_signal(signum)
        try:
            async with asyncio.timeout(STOP_S):
                return await self.process.wait()
        except TimeoutError:
            self.process.kill()
            return await self.process.wait()

    def failed(self, why: str) -> ChildFailed:
        """Returns the error that names the process, the reason and the end of its log."""
        return ChildFailed(self.name, why, tail(self.log))


async def start(
    name: str, command: Sequence[str], directory: Path, *, read: bool = False, env: Mapping[str, str] | None = None
) -> Child:
    """Starts a child process. `read`: its standard output is a pipe for us; otherwise it goes into `<name>.log`."""
    log = directory / f"{name}.log"
    with log.open("ab") as out:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE if read else out,
                stderr=out,
                env={**os.environ, **(env or {})},
                limit=LINE_LIMIT,
                start_new_session=True,  # Ctrl-C is for us: children are stopped in order
                preexec_fn=die_with_parent,
            )
        except OSError as exc:
            raise ChildFailed(name, f"could not be started: {exc}") from exc
    return Child(name, process, log)


def die_with_parent() -> None:
    """Runs in the child: makes the kernel end the child when the bench is killed."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def tail(log: Path, lines: int = 8) -> str:
    """Returns the last lines of a child's log."""
    if not log.exists():
        return ""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
