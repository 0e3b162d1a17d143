"""The device's end of a serial cable on a pseudo-terminal, under a stable name: a symlink.

The port keeps the host's side open too, so that a host that closes its end leaves no hang-up to spin on. Unread
bytes stay in the kernel and reach the next host first ("ghost bytes"), unless they are flushed. Unplugging closes
the master: the host reads end of file.
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
    """What a simulator needs of its end of a cable. `link`: the name that hosts open."""

    link: Path
    wire: Wire

    @property
    def overruns(self) -> int:
        """How many bytes were lost because nobody read them."""

    @property
    def is_plugged(self) -> bool:
        """True while the cable is in."""

    def plug(self) -> None:
        """Plugs the cable in. Raises `LinkTaken`."""

    def unplug(self) -> None:
        """Unplugs the cable; does nothing if it is out."""

    def pause(self) -> None:
        """Takes no bytes from the host until `resume`."""

    def resume(self) -> None:
        """Takes bytes from the host again."""

    def flush(self) -> None:
        """Drops sent bytes that no host has read."""

    def write(self, data: bytes) -> None:
        """Sends bytes, or loses them."""

    def heal(self) -> None:
        """Ends all faults of the cable; bytes that it still held arrive."""


class LinkTaken(OSError):
    """The link's path is no symlink, or belongs to another simulator, so it must not be replaced."""


class PtyPort:
    """The device's end of a serial cable. `link`: the symlink that hosts open. `byte_time_s`: 10 / baud, 0 =
    unlimited speed.

    `cooked`: leaves the line discipline as it is, for hosts that must set it. `overruns`, `bytes_in`, `bytes_out`:
    bytes lost, taken from and written to the terminal since the port was made.
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
        """Makes a new pseudo-terminal under the stable name. Raises `LinkTaken`."""
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
        """Removes the name and closes the terminal: the host reads end of file."""
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
        """Takes nothing from the line; the kernel keeps what comes."""
        asyncio.get_running_loop().remove_reader(self._master)

    def resume(self) -> None:
        """Takes bytes from the host again."""
        asyncio.get_running_loop().add_reader(self._master, self._readable)

    def flush(self) -> None:
        """Drops what the device sent and no host has read, as a driver does with an unopened port."""
        if self.is_plugged:
            termios.tcflush(self._slave, termios.TCIFLUSH)

    def write(self, data: bytes) -> None:
        """Sends bytes; without a reader the line overruns and bytes are lost."""
        if self.is_plugged and data:
            self._cable.from_device(data)

    def heal(self) -> None:
        """Ends all faults of the cable; bytes that it still held arrive."""
        self._cable.heal()

    def _leave(self, data: bytes) -> None:
        """Writes bytes that passed the cable to the terminal."""
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
