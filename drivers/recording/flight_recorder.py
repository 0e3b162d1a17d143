"""The last frames of a link, kept in memory, and written to a file when something happens that has to be explained.

Both are bounded: the frames by number and bytes, the files by number, size and how often one is written. No message of TDP/1
carries a card; the lines of a device that writes text may, so they are left out unless they are asked for.
"""

import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from drivers.errors import Fault
from drivers.protocol.constants import FLIGHT_FRAMES, MAX_WIRE

FLIGHT_BYTES = FLIGHT_FRAMES * MAX_WIRE
FILES_KEPT = 16
"""Files of one device; the oldest leaves."""
PERIOD_S = 600.0
"""A fault that repeats is written once in this time."""

EXPLAINED = (Fault.TIMEOUT_HANDSHAKE, Fault.TIMEOUT_FILL)
"""Time-outs whose frames say what went wrong; the others say that none came."""


def is_evidence(fault: Fault) -> bool:
    """True for a fault of the device, of security, or of reports that are gone: its frames must be looked at."""
    return fault.value.startswith(("proto_", "auth_", "data_")) or fault in EXPLAINED


class FlightRecorder:
    """Of one device, over all its connections. `folder`: made when it is needed; None = nothing is written.

    `is_masked`: only times and sizes are kept of the bytes. `clock`: monotonic seconds. A disk that cannot be written costs the
    file and nothing else; `files` and `failed` count.
    """

    def __init__(self, folder: Path | None, device: str, *, is_masked: bool, clock: Callable[[], float]) -> None:
        self.files = self.failed = 0
        self._folder, self._device, self._is_masked, self._clock = folder, device, is_masked, clock
        self._rings = {"in": _Ring(), "out": _Ring()}
        self._has_heard = False  # anything since the last file
        self._written: dict[Fault, float] = {}

    def came(self, data: bytes) -> None:
        """Bytes off the line."""
        self._has_heard = True
        self._rings["in"].add(time.monotonic_ns(), data)

    def went(self, data: bytes) -> None:
        """Bytes for the line."""
        self._rings["out"].add(time.monotonic_ns(), data)

    def keep(self, fault: Fault, detail: str) -> Path | None:
        """The file with the last frames. None where the fault explains itself, was written not long ago, or nothing came."""
        now, last = self._clock(), self._written.get(fault)
        is_recent = last is not None and now < last + PERIOD_S
        if self._folder is None or not is_evidence(fault) or not self._has_heard or is_recent:
            return None
        self._written[fault] = now
        self._has_heard = False
        try:
            path = self._write(self._folder, fault, detail)
        except OSError:
            self.failed += 1
            return None
        self.files += 1
        return path

    def lines(self) -> Iterator[str]:
        """JSON lines in the order of time: `us` (monotonic), `dir`, and `hex`, or `bytes` where they are masked."""
        entries = [(ns, way, data) for way, ring in self._rings.items() for ns, data in ring.entries]
        for ns, way, data in sorted(entries, key=lambda entry: entry[0]):
            shown = {"bytes": len(data)} if self._is_masked else {"hex": data.hex()}
            yield json.dumps({"us": ns // 1000, "dir": way, **shown})

    def _write(self, folder: Path, fault: Fault, detail: str) -> Path:
        wall_ns = time.time_ns()
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(wall_ns // 10**9))
        path = folder / f"{self._device}-{stamp}.{wall_ns % 10**9:09d}-{fault.value}.jsonl"
        about = {
            "device": self._device, "fault": fault.value, "detail": detail, "us": time.monotonic_ns() // 1000,
            "wall_us": wall_ns // 1000,
        }  # fmt: skip
        folder.mkdir(mode=0o750, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o640)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write("\n".join([json.dumps(about), *self.lines(), ""]))
        for old in sorted(folder.glob(f"{self._device}-*.jsonl"))[:-FILES_KEPT]:
            with suppress(FileNotFoundError):
                old.unlink()
        return path


class _Ring:
    """What came together stays together: one entry is what was read or written at once, cut at the size of a frame."""

    def __init__(self) -> None:
        self.entries: deque[tuple[int, bytes]] = deque()
        self._bytes = 0

    def add(self, ns: int, data: bytes) -> None:
        last = self.entries[-1] if self.entries else None
        if last is not None and not last[1].endswith(b"\0") and len(last[1]) + len(data) <= MAX_WIRE:
            self.entries[-1] = (last[0], last[1] + data)  # the rest of a frame that came in pieces
        elif len(data) <= MAX_WIRE:
            self.entries.append((ns, data))
        else:
            for at in range(0, len(data), MAX_WIRE):
                self.entries.append((ns, data[at : at + MAX_WIRE]))
        self._bytes += len(data)
        while len(self.entries) > FLIGHT_FRAMES or self._bytes > FLIGHT_BYTES:
            self._bytes -= len(self.entries.popleft()[1])
