"""Processes that need not load their code first: one holds it all in memory and forks itself for each life.

    python -m tests.support.forked      # one JSON object a line asks for a life, its beginning and its end are said

A life and each of its children are processes of their own, with the arguments, streams and signals that a user's would have; what
is saved is the second of processor time that each interpreter takes to load the product. A child with an environment of its own
is started as always.
"""

import asyncio
import gc
import json
import os
import random
import runpy
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from simulators.bench import children

ROOT = Path(__file__).resolve().parents[2]
execute = asyncio.create_subprocess_exec
forked_before: set[tuple[str, ...]] = set()
RUN_CLI = ("-c", "from controller.cli.main import main; main()")


class Mother:
    """The process that holds the code, for all tests of a worker."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        command = [sys.executable, "-m", "tests.support.forked"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._wishes, self.said = self.process.stdin, self.process.stdout

    def wish(self, command: Sequence[str], out: Path, errors: Path, *, forks: bool = False) -> None:
        """Asks for a life with these arguments of an interpreter; `born PID` and `ended PID CODE` are said. `forks`: its own
        children are forked, too."""
        wish = {"command": list(command), "out": str(out), "errors": str(errors), "forks": forks}
        self._wishes.write(json.dumps(wish).encode() + b"\n")

    def bench(self, arguments: tuple[str, ...], out: Path, errors: Path) -> int:
        """One run of the bench to its end, while no other life is there; its exit code."""
        os.set_blocking(self.said.fileno(), True)
        try:
            self.wish([*RUN_CLI, "bench", *arguments], out, errors, forks=True)
            born, ended = self.said.readline(), self.said.readline()
            assert (born.split()[0], ended.split()[:2]) == (b"born", [b"ended", born.split()[1]])
            return int(ended.split()[2])
        except BaseException:  # such as the test's time limit: its run is not for the next test to hear of
            self.close()
            self._begin()
            raise

    def close(self) -> None:
        """Ends it, and by that every life."""
        self.process.kill()
        self.process.communicate()


class Forked:
    """A child as asyncio would tell of it."""

    def __init__(self, pid: int, stdout: asyncio.StreamReader | None) -> None:
        self.pid, self.stdout = pid, stdout
        self.returncode: int | None = None
        self._over = asyncio.Event()
        self._watched = os.pidfd_open(pid)
        asyncio.get_running_loop().add_reader(self._watched, self._end)

    def _end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._watched)
        os.close(self._watched)
        self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self._over.set()

    async def wait(self) -> int:
        await self._over.wait()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, signum: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, signum)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


async def fork_or_execute(*command: str, **how: Any) -> Any:
    """`create_subprocess_exec` for the children of a bench: Python with our environment is forked, the first time.

    A daemon that starts again is executed: the bench has the record open by then, and SQLite may not be carried over a fork.
    """
    if command[0] != sys.executable or how.get("env") != dict(os.environ) or command in forked_before:
        return await execute(*command, **how)
    forked_before.add(command)
    read, write = os.pipe() if how["stdout"] == asyncio.subprocess.PIPE else (None, None)
    out = how["stdout"].fileno() if write is None else write
    pid = os.fork()
    if not pid:
        asyncio.create_subprocess_exec = execute
        os.setsid()
        how["preexec_fn"]()
        live(list(command[1:]), out, how["stderr"].fileno())
    if write is None or read is None:
        return Forked(pid, None)
    os.close(write)
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(limit=how["limit"])
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read, "rb"))
    return Forked(pid, reader)


def live(command: list[str], out: int, errors: int) -> NoReturn:
    """In the child: what an interpreter with these arguments would do. Never returns."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, place in ((nothing, 0), (out, 1), (errors, 2)):
        os.dup2(descriptor, place)
    os.closerange(3, 256)
    random.seed()
    code: object = 1
    try:
        option, what, *sys.argv[1:] = command
        sys.argv[0] = option
        if option == "-c":
            exec(what, {"__name__": "__main__"})
        else:
            PROGRAMS[what]()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


def _people() -> None:
    from simulators.crew.people import main

    sys.exit(main())


PROGRAMS: dict[str, Callable[[], object]] = {
    "simulators": lambda: runpy.run_module("simulators", run_name="__main__"),
    "simulators.crew.people": _people,
}


def load() -> None:
    """Everything that a fork may need."""
    for module in (
        "controller.cli.bench",
        "controller.daemon.app",
        "simulators.cli.main",
        "simulators.crew.people",
    ):
        import_module(module)
    gc.freeze()


def serve() -> None:
    """The mother: hears wishes, a line each, and says when a life begins and ends. Ends with its input."""
    load()
    lives: dict[int, int] = {}
    wishes = sys.stdin.buffer.raw  # type: ignore[union-attr]  # no buffer between a line and `select`
    rest = b""
    while True:
        for ready in select.select([wishes, *lives], [], [])[0]:
            if ready is wishes:
                *lines, rest = (rest + (said := wishes.read(1 << 16))).split(b"\n")
                if not said:
                    return
                for line in lines:
                    if not (pid := os.fork()):
                        _begin(json.loads(line))
                    lives[os.pidfd_open(pid)] = pid
                    print("born", pid, flush=True)
            else:
                pid = lives.pop(ready)
                os.close(ready)
                print("ended", pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _begin(wish: dict[str, Any]) -> NoReturn:
    """In the child."""
    children.die_with_parent()
    os.setsid()
    if wish["forks"]:
        asyncio.create_subprocess_exec = fork_or_execute  # type: ignore[assignment]
    out, errors = (
        os.open(wish[name], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) for name in ("out", "errors")
    )
    live(wish["command"], out, errors)


if __name__ == "__main__":
    serve()
