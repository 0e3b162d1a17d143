"""The record of what really happened at a simulated device: JSON lines, complete, each flushed as it is written.

A separate observer judges the daemon by these lines, so they say what the device did, not what it told. Every line has
`t` (CLOCK_MONOTONIC in ns, the same clock for all processes of one machine) and `what`:

start, end      the simulator itself, with its settings
brought, moved, arranged, turned, chip    physical cards and chips: what, from where, to where
act             what hands did, with `ok` and, where it was impossible, `error`
step            number of a scenario's step, with `ok` and, where it did not come out, `error`
fault, healed   a fault that happened or began now; all that lasted ended now
line            number: a line of a device that writes lines; its text stays on the wire
report          boot (16 hex digits), counter, tick_us, kind, body
command         level, value, operation, outcome executed | duplicate | refused | ignored, `holds` (null: link's own answer)
acknowledged    boot, counter: the host says that all up to here is durable
power, link     on | off with the boot; plugged, unplugged, hung, awake, host_found, host_lost, unread_dropped
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from typing import TextIO

from drivers.protocol.reports import Report

WATCHER_LINES = 4096
"""Lines a watcher may lag behind before it is cut off: it must never hold up the device."""


def report_body(report: Report) -> dict[str, object]:
    """Returns a report's fields as JSON values."""
    return {f.name: getattr(report, f.name) for f in fields(report)}


class EventLog:
    """Writes lines to `out` and to everybody who watches. `out` is not closed here."""

    def __init__(self, out: TextIO, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._out = out
        self._clock_ns = clock_ns
        self._watchers: set[asyncio.Queue[str | None]] = set()

    def __call__(self, what: str, particulars: Mapping[str, object]) -> None:
        """Writes one line; this makes the log a `Witness`."""
        line = json.dumps({"t": self._clock_ns(), "what": what, **particulars}, separators=(",", ":"))
        self._out.write(line + "\n")
        self._out.flush()
        for watcher in list(self._watchers):
            if watcher.qsize() < WATCHER_LINES:
                watcher.put_nowait(line)
            else:
                self._watchers.discard(watcher)
                watcher.put_nowait(None)

    @contextmanager
    def watch(self) -> Iterator["asyncio.Queue[str | None]"]:
        """Yields all lines from now on; None = the watcher was cut off for being too slow."""
        watcher: asyncio.Queue[str | None] = asyncio.Queue()
        self._watchers.add(watcher)
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)
