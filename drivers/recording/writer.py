"""Writes recordings to disk, in a thread of its own: a slow or a full disk costs the recording, never the wire."""

import asyncio
import contextlib
import os
import queue
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from drivers.recording.format import WALL, Header, header_line
from drivers.transport.threads import in_own_thread

FILE_BYTES = 8 << 20
"""A file is ended when it has this size, and the next one begun."""

FILES = 16
"""Files kept of one device: 128 MiB, some three days of an idle link, a day of play."""

WAITING = 4096
"""Lines that may wait for the disk: seconds of the fullest line. What comes beyond is counted, not kept."""

END_S = 1.0
"""How long the end of a connection waits for the disk."""

MODE = 0o640
"""A wire may carry what a device wrote about cards: the service's user and its group."""

Name = Callable[[int], Path]
"""The path of part n, from 1."""


class Writer:
    """One recording, from `begin` to `end`, any number of times; each begin starts a new file.

    `header(part)`: the first line's content. `state` says what becomes of the recording: "" = not begun, "on", or
    "stopped: " and why.
    """

    def __init__(self, name: Name, header: Callable[[str, int], Header], tidy: Callable[[], None] = lambda: None):
        self._name, self._header, self._tidy = name, header, tidy
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._running: asyncio.Future[None] | None = None
        self._part = 0
        self.state = ""
        self.path: Path | None = None
        self.missed = 0  # lines that the disk was too slow for, or that came after it failed

    def begin(self) -> None:
        """Starts the thread; nothing of the disk is touched in this call."""
        self._lines = queue.SimpleQueue()
        self.state = "on"
        lines = self._lines
        self._running = in_own_thread("recording", lambda: self._run(lines))

    def put(self, line: str) -> bool:
        """Takes a line, or counts it as missed (False). Never blocks, never raises."""
        if self.state != "on" or self._lines.qsize() >= WAITING:
            self.missed += 1
            return False
        self._lines.put(line)
        return True

    async def end(self) -> None:
        """Waits for what was put, at most `END_S`."""
        if self._running is not None:
            self._lines.put(None)
            await asyncio.wait({self._running}, timeout=END_S)
            self._running = None
            self.state = "" if self.state == "on" else self.state

    def _run(self, lines: "queue.SimpleQueue[str | None]") -> None:
        """The thread: writes until the end is said, or until the disk refuses."""
        try:
            with contextlib.ExitStack() as files:
                file, size = self._next_file(files)
                while (line := lines.get()) is not None:
                    size += file.write(f"{line}\n")
                    if lines.empty():
                        file.flush()
                    if size >= FILE_BYTES:
                        files.close()
                        file, size = self._next_file(files)
        except OSError as exc:
            if self._lines is lines:  # else the disk held this thread until another file was begun
                self.state = f"stopped: {exc.strerror or exc} ({exc.filename or self.path})"

    def _next_file(self, files: contextlib.ExitStack) -> tuple[TextIO, int]:
        self._part += 1
        self.path = self._name(self._part)
        self.path.parent.mkdir(exist_ok=True)
        wall = time.strftime(WALL, time.gmtime())
        fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE)
        file = files.enter_context(os.fdopen(fd, "w", encoding="ascii"))
        self._tidy()
        return file, file.write(f"{header_line(self._header(wall, self._part))}\n")


def one_file(path: Path) -> Name:
    """`path` itself, then `name-0002` and so on beside it."""
    return lambda part: path if part == 1 else path.with_name(f"{path.stem}-{part:04}{path.suffix}")


def files_in(folder: Path, device: str) -> tuple[Name, Callable[[], None]]:
    """Names of files of one device in a folder, by time, and what keeps only the newest `FILES` of them."""
    of_device = re.compile(rf"{re.escape(device)}-\d{{8}}T\d{{6}}Z-\d{{4,}}\.jsonl")

    def name(part: int) -> Path:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        return folder / f"{device}-{stamp}-{part:04}.jsonl"

    def tidy() -> None:
        mine = sorted(path for path in folder.iterdir() if of_device.fullmatch(path.name))
        for old in mine[:-FILES]:
            old.unlink(missing_ok=True)

    return name, tidy
