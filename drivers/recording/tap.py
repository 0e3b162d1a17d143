"""The tap: a transport and a link end that write down what passes, and change nothing.

Both live by the recording's own clock, whole microseconds that only grow: a link end is given exactly the instants that
stand in the file. So a replay of the file is the same life again, and not one that is nearly the same.
"""

import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from drivers.device import DeviceConfig
from drivers.errors import Fault
from drivers.protocol.chain import Place
from drivers.protocol.host.device_time import DeviceTime
from drivers.protocol.host.link import HostEvent
from drivers.protocol.reports import Level
from drivers.recording.format import HOST, IN, NOTE, OUT, PORT, Entry, Header, durable_words, line_of
from drivers.recording.writer import Writer, files_in, one_file
from drivers.session.pump import Link
from drivers.transport import CLOSE_DEADLINE_S, DataCallback, LostCallback, Transport, WriteBufferFull


class Sink(Protocol):
    """Takes the lines of a recording."""

    state: str
    missed: int

    def begin(self) -> None:
        """Opens the recording."""

    def put(self, line: str) -> bool:
        """Takes one line of the recording; returns False if the line was dropped."""

    async def end(self) -> None:
        """Writes what is waiting and closes the recording."""


class Recorder:
    """What both taps of one device record to. `clock`: the loop's, monotonic seconds."""

    def __init__(self, writer: Sink, clock: Callable[[], float]) -> None:
        self.writer = writer
        self._clock = clock
        self._us = 0
        self._gap = 0

    @property
    def now(self) -> float:
        """The instant of the last entry."""
        return self._us / 1e6

    def document(self) -> dict[str, Any]:
        """Returns the recording's state, file and gaps, for people."""
        return {"state": self.writer.state, "missed": self.writer.missed}

    def note(self, kind: str, word: str = "", data: bytes = b"", **given: Any) -> float:
        """Records an entry; returns its instant."""
        self._us = max(self._us, math.ceil(self._clock() * 1e6))
        if self._gap and self.writer.put(line_of(Entry(self._us, NOTE, "gap", given={"entries": self._gap}))):
            self._gap = 0
        if not self.writer.put(line_of(Entry(self._us, kind, word, data, given))):
            self._gap += 1
        return self.now


def recorder_in(folder: Path, config: DeviceConfig, software: str, clock: Callable[[], float]) -> Recorder:
    """Returns a recorder that keeps the newest files in a folder."""
    name, tidy = files_in(folder, config.name)
    return Recorder(Writer(name, lambda wall, part: Header.of(config, software, wall, part), tidy), clock)


def recorder_to(path: Path, config: DeviceConfig, software: str, clock: Callable[[], float]) -> Recorder:
    """Returns a recorder with one file, and further parts beside it."""
    return Recorder(Writer(one_file(path), lambda wall, part: Header.of(config, software, wall, part)), clock)


class TappedTransport:
    """A transport that records what passes through another one."""

    def __init__(
        self,
        make: Callable[[DataCallback, LostCallback], Transport],
        recorder: Recorder,
        path: str,
        on_data: DataCallback,
        on_lost: LostCallback,
    ) -> None:
        self._recorder, self._path = recorder, path
        self._on_data, self._on_lost = on_data, on_lost
        self._inner = make(self._data, self._lost)

    async def open(self) -> None:
        """Opens the port and begins a new recording file. Raises `PortUnavailable`."""
        await self._inner.open()
        self._recorder.writer.begin()
        self._recorder.note(PORT, "opened", path=self._path, leads_to=_leads_to(self._path))

    def present(self) -> bool:
        """Returns True while the port exists."""
        return self._inner.present()

    def write(self, data: bytes) -> None:
        """Sends or buffers all of `data`, and records it, also if it was refused. Raises `WriteBufferFull`."""
        try:
            self._inner.write(data)
        except WriteBufferFull:
            self._recorder.note(OUT, data=data, refused=True)
            raise
        self._recorder.note(OUT, data=data)

    async def drain(self) -> None:
        """Waits until the port has taken all bytes to send."""
        await self._inner.drain()

    def asserts(self, line: str) -> bool | None:
        """Returns True if the modem line (DSR, CTS) is active; None if the port has no such line."""
        return self._inner.asserts(line)

    def pause_reading(self) -> None:
        """Stops taking bytes from the port."""
        self._inner.pause_reading()

    def resume_reading(self) -> None:
        """Takes bytes from the port again."""
        self._inner.resume_reading()

    async def close(self, deadline_s: float = CLOSE_DEADLINE_S) -> None:
        """Closes the port, then ends the recording file."""
        try:
            await self._inner.close(deadline_s)
        finally:
            await self._recorder.writer.end()

    def _data(self, data: bytes) -> None:
        self._recorder.note(IN, data=data)
        self._on_data(data)

    def _lost(self, fault: Fault, detail: str) -> None:
        self._recorder.note(PORT, "lost", fault=fault.value, detail=detail)
        self._on_lost(fault, detail)


class TappedLink:
    """`Link` around another one: every call is written down with the instant it is given. `durable`: as for `link_end`.

    What the link end draws is written down too: session and nonces are in clear on the wire anyway.
    """

    def __init__(
        self,
        make: Callable[[Callable[[int], bytes]], Link],
        entropy: Callable[[int], bytes],
        recorder: Recorder,
        durable: Place | None,
    ) -> None:
        self._note = recorder.note
        self._recorder = recorder
        self._entropy = entropy
        self._durable = None if durable is None else durable_words(durable)
        self._made_with = b""  # drawn before the port was open, so before there was a file
        self._is_connected = False
        self._inner = make(self._draw)

    def _draw(self, size: int) -> bytes:
        data = self._entropy(size)
        if self._is_connected:
            self._note(HOST, "drew", data)
        else:
            self._made_with += data
        return data

    def connect(self, now: float) -> None:
        """Starts the link; a link end that outlives its port begins anew in each file."""
        self._note(HOST, "begin", self._made_with, durable=self._durable)
        self._is_connected = True
        self._inner.connect(self._note(HOST, "connect"))

    def receive(self, data: bytes, now: float) -> list[HostEvent]:
        """Takes bytes at the instant at which the transport's tap recorded them."""
        return self._inner.receive(data, self._recorder.now)

    def tick(self, now: float) -> list[HostEvent]:
        """Lets the link act on the time, and records the call; returns what happened."""
        return self._inner.tick(self._note(HOST, "tick"))

    def next_deadline(self) -> float | None:
        """Returns when the link wants to be called again, in seconds; None: not before something happens."""
        return self._inner.next_deadline()

    def data_to_send(self) -> bytes:
        """Takes the bytes that the port must send now."""
        return self._inner.data_to_send()

    def acknowledge(self, boot: int, counter: int, now: float) -> None:
        """Acknowledges the reports of `boot` up to `counter`, and records the call."""
        self._inner.acknowledge(
            boot, counter, self._note(HOST, "acknowledge", boot=f"{boot:016x}", counter=counter)
        )

    def set_level(self, level: Level, value: str, operation: int, now: float) -> None:
        """Sends a command for a level under this operation number, and records the call."""
        at = self._note(HOST, "set_level", level=level.value, value=value, operation=operation)
        self._inner.set_level(level, value, operation, at)

    def read_levels(self, now: float) -> None:
        """Asks the device for its levels, and records the call."""
        self._inner.read_levels(self._note(HOST, "read_levels"))

    def measure(self, now: float) -> None:
        """Asks the device to measure its firmware, and records the call."""
        self._inner.measure(self._note(HOST, "measure"))

    def bye(self, now: float) -> None:
        """Says goodbye to the device, and records the call."""
        self._inner.bye(self._note(HOST, "bye"))

    def extend_deadlines(self, lag_s: float) -> None:
        """Moves all deadlines back by the time the host itself was away, and records the call."""
        lag_us = math.ceil(lag_s * 1e6)
        self._note(HOST, "paused", lag_us=lag_us)
        self._inner.extend_deadlines(lag_us / 1e6)

    @property
    def time(self) -> DeviceTime | None:
        """The device's clock against the host's; None before the first comparison."""
        return self._inner.time

    @property
    def counters(self) -> Mapping[str, int]:
        """Counts of damaged, repeated and lost frames since the link was made."""
        return self._inner.counters


def _leads_to(path: str) -> str:
    """Returns where a stable name led when the port was opened; the name itself if it is no path."""
    return os.path.realpath(path) if os.path.exists(path) else path
