"""Daemons that need not load their code first: one process holds it all in memory and forks itself for each life.

A kill costs then what it costs the table, and not the half second of processor time that an interpreter takes to begin.
"""

import asyncio
import contextlib
import json
import os
import select
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulators.bench.children import Child, die_with_parent

__all__ = ["Nursery"]


class Life:
    """A daemon as `Child` wants its process: it is the nursery's child, which says when it has ended."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.over = asyncio.Event()

    async def wait(self) -> int:
        await self.over.wait()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, signum: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signum)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Nursery:
    """The test's end: asks for lives, and hears when each is over."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._lives: dict[int, Life] = {}
        self._born: asyncio.Queue[Life] = asyncio.Queue()
        self._hearing = asyncio.create_task(self._hear(), name="nursery")

    @classmethod
    async def open(cls, directory: Path) -> "Nursery":
        with (directory / "nursery.log").open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable, __file__, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log
            )
        return cls(process)

    async def bear(self, name: str, arguments: Sequence[str], log: Path, plant: str = "") -> Child:
        """A daemon with these arguments, in which `plant` runs before anything of ours."""
        assert self._process.stdin is not None
        wish = {"arguments": list(arguments), "log": str(log), "plant": plant}
        self._process.stdin.write(json.dumps(wish).encode() + b"\n")
        return Child(name, await self._born.get(), log)  # type: ignore[arg-type]

    async def close(self) -> None:
        """Ends it, and by that every life."""
        self._process.kill()
        await self._process.wait()
        await self._hearing

    async def _hear(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            word, pid, *code = line.split()
            if word == b"born":
                self._lives[int(pid)] = Life(int(pid))
                self._born.put_nowait(self._lives[int(pid)])
            else:
                self._end(int(pid), int(code[0]))
        for pid in list(self._lives):
            self._end(pid, -signal.SIGKILL)

    def _end(self, pid: int, code: int) -> None:
        life = self._lives.pop(pid)
        life.returncode = code
        life.over.set()


def serve() -> None:
    """The other end: one JSON object a line asks for a life; `born PID` and `ended PID CODE` are said. Ends with its input."""

    lives: dict[int, int] = {}
    wishes = sys.stdin.buffer.raw  # type: ignore[attr-defined]  # no buffer between a line and `select`
    rest = b""
    while True:
        for ready in select.select([wishes, *lives], [], [])[0]:
            if ready is wishes:
                *lines, rest = (rest + (said := wishes.read(1 << 16))).split(b"\n")
                if not said:
                    return
                for line in lines:
                    pid = os.fork() or _live(json.loads(line))
                    lives[os.pidfd_open(pid)] = pid
                    print("born", pid, flush=True)
            else:
                pid = lives.pop(ready)
                os.close(ready)
                print("ended", pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _live(wish: dict[str, Any]) -> int:
    """In the child: never returns."""
    from controller.cli.main import main

    die_with_parent()
    os.setsid()
    log = os.open(wish["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, place in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(descriptor, place)
    os.closerange(3, 256)
    code: object = 1
    try:
        exec(wish["plant"], {})
        sys.argv = ["tablewarden", *wish["arguments"]]
        main()
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    serve()
