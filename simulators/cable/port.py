"""The device's end of a serial cable on a pseudo-terminal, with a name that stays the same: a symlink.

The port holds a descriptor of the host's side too, so that a host that closes its end leaves no hang-up to spin on.
Bytes that nobody reads stay in the kernel and come first to the next host ("ghost bytes"), unless they are flushed.
To unplug closes the master: the host reads end of file, for ever.
"""

import asyncio
import os
import termios
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from simulators.cable.cable import Cable
from simulators.cable.wire import Wire

READ_SIZE = 4096
PACE_S = 0.005
"""Paced bytes leave in bunches of this much time; finer would only burn the processor."""


class Port(Protocol):
    """What a simulator asks of its end of a cable. `link`: the name that hosts open."""

    link: Path
    wire: Wire

    @property
    def overruns(self) -> int:
        """Bytes that were lost because nobody took them."""

    @property
    def is_plugged(self) -> bool:
        """True while the cable is in."""

    def plug(self) -> None:
        """Raises `LinkTaken`."""

    def unplug(self) -> None:
        """Harmless where it is out."""

    def pause(self) -> None:
        """Takes nothing from the host until `resume`."""

    def resume(self) -> None:
        """Takes bytes from the host again."""

    def flush(self) -> None:
        """Throws away what was sent and no host has read."""

    def write(self, data: bytes) -> None:
        """Sends, or loses."""

    def heal(self) -> None:
        """A good cable from now on; what it still held arrives."""


class LinkTaken(OSError):
    """The path of the link is something else than a symlink, or another simulator's; it is not ours to replace."""


class PtyPort:
    """`link`: the symlink that hosts open. `byte_time_s`: 10 / baud, 0 = as fast as it goes.

    `cooked`: leaves the line discipline as a tty comes, for hosts that must set it themselves. `overruns`, `bytes_in`,
    `bytes_out`: bytes that found no room, and that were taken off and put onto the terminal, since the port was made.
    """

    def __init__(
        self,
        link: Path,
        on_data: Callable[[bytes], None],
        wire: Wire,
        *,
        byte_time_s: float = 0.0,
        cooked: bool = False,
    ) -> None:
        self.link = link
        self.wire = wire
        self._overruns = 0
        self.bytes_in = self.bytes_out = 0
        self._byte_time_s, self._cooked = byte_time_s, cooked
        self._cable = Cable(wire, on_data, self._leave)
        self._master = self._slave = -1
        self._name = ""
        self._waiting = bytearray()
        self._pacer: asyncio.TimerHandle | None = None

    @property
    def overruns(self) -> int:
        """How many bytes were lost because the host did not read them."""
        return self._overruns

    @property
    def is_plugged(self) -> bool:
        """True while the pseudo-terminal is open."""
        return self._master >= 0

    def plug(self) -> None:
        """A new pseudo-terminal under the old name. Raises `LinkTaken`."""
        if self.is_plugged:
            return
        if self.link.exists() and not self.link.is_symlink():
            raise LinkTaken(f"{self.link} exists and is no symlink")
        self._master, self._slave = os.openpty()
        os.set_blocking(self._master, False)
        if not self._cooked:
            tty.setraw(self._slave, termios.TCSANOW)
        self._name = os.ttyname(self._slave)
        fresh = self.link.with_name(f".{self.link.name}.{os.getpid()}")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(self._name)
        fresh.replace(self.link)
        self.resume()

    def unplug(self) -> None:
        """The cable is out: the name is gone and whoever has the port open reads end of file."""
        if not self.is_plugged:
            return
        self.pause()
        if self._pacer:
            self._pacer.cancel()
        self._pacer = None
        self._waiting.clear()
        self._cable.cut()
        if self.link.is_symlink() and os.readlink(self.link) == self._name:
            self.link.unlink()
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1

    def pause(self) -> None:
        """Takes nothing off the line; the kernel keeps what comes."""
        asyncio.get_running_loop().remove_reader(self._master)

    def resume(self) -> None:
        """Takes bytes from the host again."""
        asyncio.get_running_loop().add_reader(self._master, self._readable)

    def flush(self) -> None:
        """Throws away what the device sent and no host has read, as a driver does with a port that nobody has open."""
        if self.is_plugged:
            termios.tcflush(self._slave, termios.TCIFLUSH)

    def write(self, data: bytes) -> None:
        """Sends; without a reader the line overruns and bytes are lost, as on any serial line."""
        if self.is_plugged and data:
            self._cable.from_device(data)

    def heal(self) -> None:
        """See `Port.heal`."""
        self._cable.heal()

    def _leave(self, data: bytes) -> None:
        """Bytes that came through the cable go onto the terminal."""
        if not self._byte_time_s:
            self._send(data)
            return
        self._waiting += data
        if self._pacer is None:
            self._pace()

    def _pace(self) -> None:
        bunch = max(1, int(PACE_S / self._byte_time_s))
        self._send(bytes(self._waiting[:bunch]))
        del self._waiting[:bunch]
        wait_s = bunch * self._byte_time_s
        self._pacer = asyncio.get_running_loop().call_later(wait_s, self._pace) if self._waiting else None

    def _send(self, data: bytes) -> None:
        try:
            sent = os.write(self._master, data)
        except BlockingIOError:
            sent = 0
        self.bytes_out += sent
        self._overruns += len(data) - sent

    def _readable(self) -> None:
        try:
            data = os.read(self._master, READ_SIZE)
        except BlockingIOError:
            return
        self.bytes_in += len(data)
        self._cable.from_host(data)
