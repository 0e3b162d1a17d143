"""Benches that need not load their code first: one process holds it all in memory and is forked for each run.

    python -m tests.support.forked      # one JSON object a line asks for a run, its exit code is the answer

A run and each of its children are processes of their own, with the arguments, streams and signals that a user's would have; what
is saved is the second of processor time that each interpreter takes to load the product. A child with an environment of its own
is started as always.
"""

import asyncio
import gc
import json
import os
import random
import runpy
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from simulators.bench import children

ROOT = Path(__file__).resolve().parents[2]
execute = asyncio.create_subprocess_exec


class Runs:
    """The tests' end."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        command = [sys.executable, "-m", "tests.support.forked"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)

    def bench(self, arguments: tuple[str, ...], out: Path, errors: Path) -> int:
        """One run to its end; its exit code."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        wish = {"arguments": ["bench", *arguments], "out": str(out), "errors": str(errors)}
        try:
            self._process.stdin.write(json.dumps(wish).encode() + b"\n")
            self._process.stdin.flush()
            return int(self._process.stdout.readline())
        except BaseException:  # such as the test's time limit: its run is not for the next test to hear of
            self.close()
            self._begin()
            raise

    def close(self) -> None:
        """Ends it with whatever still runs."""
        self._process.kill()
        self._process.communicate()


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
    """`create_subprocess_exec` for the children of a bench: Python with our environment is forked."""
    if command[0] != sys.executable or how.get("env") != dict(os.environ):
        return await execute(*command, **how)
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


def live(command: list[str], out: int, errors: int) -> None:
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
    """The other end: a run at a time; ends with its input."""
    for module in (
        "controller.cli.bench",
        "controller.daemon.app",
        "simulators.cli.main",
        "simulators.crew.people",
    ):
        import_module(module)
    gc.freeze()
    for line in iter(sys.stdin.buffer.readline, b""):
        wish = json.loads(line)
        pid = os.fork()
        if not pid:
            asyncio.create_subprocess_exec = fork_or_execute  # type: ignore[assignment]
            children.die_with_parent()
            out, errors = (os.open(wish[name], os.O_WRONLY | os.O_CREAT, 0o600) for name in ("out", "errors"))
            live(["-c", "from controller.cli.main import main; main()", *wish["arguments"]], out, errors)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
