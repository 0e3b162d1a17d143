"""The lives of a table's parts, forked by the process that holds the code, as an event loop hears of them."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from simulators.bench.children import Child
from tests.support.forked import Mother


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
        os.set_blocking(mother.said.fileno(), False)
        asyncio.get_running_loop().add_reader(mother.said, self._hear)

    async def bear(self, name: str, command: Sequence[str], log: Path) -> Child:
        """Python with these arguments."""
        self._mother.wish(command, log, log)
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
