"""Processes that need not load their code first: one holds it all in memory and forks itself for each life.

A start costs then what it costs the table, and not the second of processor time that an interpreter takes to load the product; so
does a kill.
"""

import asyncio
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from simulators.bench.children import Child, die_with_parent
from tests.support.forked import ROOT, live, load

__all__ = ["Mother", "Nursery"]


class Mother:
    """The process that holds the code, for all tests."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.e2e.nursery"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.wishes, self.said = self.process.stdin, self.process.stdout
        os.set_blocking(self.said.fileno(), False)

    def close(self) -> None:
        """Ends it, and by that every life."""
        self.process.kill()
        self.process.communicate()


class Life:
    """A process as `Child` wants it: the mother's child, who says when it has ended."""

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
    """A test's end: asks for lives, and hears when each is over."""

    def __init__(self, mother: Mother) -> None:
        self._mother = mother
        self._lives: dict[int, Life] = {}
        self._born: asyncio.Queue[Life] = asyncio.Queue()
        self._rest = b""
        asyncio.get_running_loop().add_reader(mother.said, self._hear)

    async def bear(self, name: str, command: Sequence[str], log: Path) -> Child:
        """Python with these arguments."""
        self._mother.wishes.write(json.dumps({"command": list(command), "log": str(log)}).encode() + b"\n")
        return Child(name, await self._born.get(), log)  # type: ignore[arg-type]

    def close(self) -> None:
        """To be called when every life is over."""
        asyncio.get_running_loop().remove_reader(self._mother.said)
        assert not self._lives, f"still alive: {sorted(self._lives)}"

    def _hear(self) -> None:
        *lines, self._rest = (self._rest + self._mother.said.read(1 << 16)).split(b"\n")
        for line in lines:
            word, pid, *code = line.split()
            if word == b"born":
                self._lives[int(pid)] = Life(int(pid))
                self._born.put_nowait(self._lives[int(pid)])
            else:
                life = self._lives.pop(int(pid))
                life.returncode = int(code[0])
                life.over.set()


def serve() -> None:
    """The mother: one JSON object a line asks for a life; `born PID` and `ended PID CODE` are said. Ends with its input."""
    load()
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
                    if not (pid := os.fork()):
                        wish = json.loads(line)
                        die_with_parent()
                        os.setsid()
                        log = os.open(wish["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
                        live(wish["command"], log, log)
                    lives[os.pidfd_open(pid)] = pid
                    print("born", pid, flush=True)
            else:
                pid = lives.pop(ready)
                os.close(ready)
                print("ended", pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
