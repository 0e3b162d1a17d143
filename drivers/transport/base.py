"""What a session may ask of a port, whatever the wire is. The conformance suite runs against each implementation."""

from collections.abc import Callable
from typing import Protocol

from drivers.errors import DeviceError, Fault

WRITE_LIMIT = 2048
"""Bytes that may wait in a transport: four of the largest frames. More would be seconds of traffic on a slow line."""

STALE_S = 1.5
"""Bytes that waited this long without any being taken are not sent any more: with a PING a second, the device has then heard
nothing for up to 2.5 s, at 3 s its watchdog bites, and a release that comes after that would undo it."""

READ_SIZE = 4096
"""Most bytes of one read: what the kernel keeps for a tty. It also bounds what one callback can hand over at once."""

CLOSE_DEADLINE_S = 2.0
"""How long a close may take. A driver can hold `os.close` for many seconds while it drains at a low line rate."""

DataCallback = Callable[[bytes], None]
LostCallback = Callable[[Fault, str], None]


class WriteBufferFull(DeviceError):
    """The peer takes no bytes and `WRITE_LIMIT` is reached. The refused data was not taken."""


class Transport(Protocol):
    """One port, opened and closed any number of times, by one owner, in one event loop.

    The owner gives two callbacks at construction. `on_data(bytes)`: never empty, in the order of the wire, called in
    the loop callback in which the bytes were read. `on_lost(fault, detail)`: exactly once for each successful open:
    `LINK_EOF` or `LINK_IO_ERROR` when the port went away, `LINK_CLOSED` when the owner closed it. No `on_data`
    follows. After a loss the port still has to be closed before it can be opened again.
    """

    async def open(self) -> None:
        """Opens the port for this process alone. Raises `PortUnavailable`. A cancelled open leaves nothing behind."""

    def present(self) -> bool:
        """Returns True if there is something to open; costs at most one look into the file system."""

    def asserts(self, line: str) -> bool | None:
        """Returns True if the other end holds the modem line `dsr` or `cts`; None = no such line, or closed."""

    def write(self, data: bytes) -> None:
        """Sends or buffers all of `data`, never blocks. Raises `WriteBufferFull`. Does nothing after a loss.

        Where bytes wait for `STALE_S` and none is taken, whether the peer is stuck or this process stood still, they are dropped
        and the port is lost.
        """

    async def drain(self) -> None:
        """Waits until the transport's buffer is empty, or the port is lost."""

    def pause_reading(self) -> None:
        """Leaves further bytes in the kernel until `resume_reading`. Bytes already read were handed over."""

    def resume_reading(self) -> None:
        """Undoes `pause_reading`; harmless when not paused."""

    async def close(self, deadline_s: float = CLOSE_DEADLINE_S) -> None:
        """Sends what is buffered if the peer takes it, then frees the port; returns at the deadline in any case.

        Harmless on a closed port. Where the driver does not let go in time, the next `open` raises `PortUnavailable`
        with `LINK_BUSY` until it does.
        """
