"""Serial ports and pseudo-terminals. pyserial opens, locks and configures; the event loop reads the descriptor.

A thread that reads for the loop costs half as much again in latency and twice the processor time, and an extra hop
is where order and cancellation go wrong; so the loop reads. Only what can block (open, close) runs off the loop.
"""

import asyncio
import contextlib
import errno
import fcntl
import os
import struct
import termios
import time

import serial

from drivers.errors import Fault, PortUnavailable
from drivers.protocol.records import dataclass
from drivers.transport.base import (
    CLOSE_DEADLINE_S,
    READ_SIZE,
    STALE_S,
    WRITE_LIMIT,
    DataCallback,
    LostCallback,
    WriteBufferFull,
)
from drivers.transport.ports import others_at, who_holds
from drivers.transport.threads import in_own_thread

OPEN_DEADLINE_S = 10.0
"""A driver that holds `open` longer is treated as a port that cannot be opened; the thread is left to it."""

DRAIN_POLL_S = 0.01
"""How often a closing thread looks whether the kernel has sent everything."""

_FAULTS = {
    errno.ENOENT: Fault.LINK_MISSING,
    errno.ENOTDIR: Fault.LINK_MISSING,
    errno.ENODEV: Fault.LINK_MISSING,
    errno.ENXIO: Fault.LINK_MISSING,
    errno.EACCES: Fault.LINK_FORBIDDEN,
    errno.EPERM: Fault.LINK_FORBIDDEN,
    errno.EBUSY: Fault.LINK_BUSY,
    errno.EAGAIN: Fault.LINK_BUSY,  # flock: somebody else has the lock
}
_REMEDIES = {
    Fault.LINK_MISSING: "plug the device in, or correct the path (ls -l /dev/serial/by-id)",
    Fault.LINK_FORBIDDEN: "put the daemon's user into the group that owns the port (often dialout)",
    Fault.LINK_BUSY: "end the other program that holds it (fuser -v names it)",
}


@dataclass(frozen=True, slots=True)
class SerialSettings:
    """Line settings, always 8N1 without flow control. `baud`: bits a second.

    `dtr`, `rts`: levels set at open. `hang_up`: drop DTR when the last descriptor closes; off, because many boards
    reset on it.
    """

    baud: int = 115200
    dtr: bool = True
    rts: bool = True
    low_latency: bool = True
    hang_up: bool = False


class SerialTransport:
    """`Transport` over a tty. `path` is looked up anew at each open, so a by-id link may change where it points."""

    def __init__(self, path: str, settings: SerialSettings, on_data: DataCallback, on_lost: LostCallback) -> None:
        self._path = path
        self._settings = settings
        self._on_data = on_data
        self._on_lost = on_lost
        self._port: _Port | None = None
        self._fd = -1
        self._lost = True  # also while closed: nothing to read, nothing to report
        self._reading = False
        self._writing = False
        self._out = bytearray()
        self._taken_at = 0.0  # when bytes that wait began to, or some of them were taken
        self._sent = asyncio.Event()
        self._hung: asyncio.Future[_Port] | asyncio.Future[None] | None = (
            None  # an open or close that the driver has not given back
        )

    def present(self) -> bool:
        """True if the path leads to something."""
        return os.path.exists(self._path)

    async def open(self) -> None:
        """Opens the port for this process alone. Raises `PortUnavailable`."""
        if self._port is not None:
            raise RuntimeError(f"{self._path} is open already")
        if self._hung is not None and not self._hung.done():
            raise PortUnavailable(
                self._path, Fault.LINK_BUSY, "the driver still holds an earlier call; replug the device"
            )
        self._hung = None
        port = await self._open_in_time()
        self._port, self._fd, self._lost = port, port.fileno(), False
        self._out.clear()
        self._sent.set()
        self.resume_reading()

    async def _open_in_time(self) -> "_Port":
        opening = in_own_thread("port open", lambda: _open(self._path, self._settings), _release_now)
        try:
            done, _ = await asyncio.wait({opening}, timeout=OPEN_DEADLINE_S)
        except asyncio.CancelledError:
            self._abandon(opening)
            raise
        if not done:
            self._abandon(opening)
            raise PortUnavailable(
                self._path, Fault.LINK_OPEN_FAILED, "the driver does not answer; replug the device"
            )
        return opening.result()

    def _abandon(self, opening: "asyncio.Future[_Port]") -> None:
        """Abandons an open that may still finish: its port is then closed without a waiting caller."""

        def dispose(done: "asyncio.Future[_Port]") -> None:
            if done.exception() is None:
                self._hung = in_own_thread("port close", lambda: _release_now(done.result()))

        self._hung = opening
        opening.add_done_callback(dispose)

    def write(self, data: bytes) -> None:
        """Sends or buffers all of `data`, never blocks. Raises `WriteBufferFull`."""
        if self._lost:
            return
        if len(self._out) + len(data) > WRITE_LIMIT:
            raise WriteBufferFull(f"{self._path}: {len(self._out)} bytes wait, the peer takes none")
        idle = not self._out
        self._out += data
        if idle:
            self._taken_at = time.monotonic()
        if idle or self._is_stale():
            self._writable()

    def _is_stale(self) -> bool:
        return time.monotonic() - self._taken_at > STALE_S

    def _writable(self) -> None:
        if self._is_stale():
            self._lose(Fault.LINK_IO_ERROR, f"{len(self._out)} bytes waited too long to be sent")
            return
        try:
            sent = os.write(self._fd, self._out)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as exc:
            self._lose(Fault.LINK_IO_ERROR, f"write: {exc.strerror}")
            return
        if sent:
            self._taken_at = time.monotonic()
        del self._out[:sent]
        if bool(self._out) == self._writing:
            return
        self._writing = not self._writing
        if self._writing:
            self._sent.clear()
            asyncio.get_running_loop().add_writer(self._fd, self._writable)
        else:
            self._stop_writing()

    def _stop_writing(self) -> None:
        self._writing = False
        asyncio.get_running_loop().remove_writer(self._fd)
        self._sent.set()

    def asserts(self, line: str) -> bool | None:
        """Returns whether the other end holds a modem line; None for a pseudo-terminal and many USB bridges."""
        if self._port is None:
            return None
        try:
            return bool(self._port.cts if line == "cts" else self._port.dsr)
        except (OSError, termios.error):
            return None

    async def drain(self) -> None:
        """Waits until the transport's buffer is empty, or the port is lost."""
        await self._sent.wait()

    def pause_reading(self) -> None:
        """Leaves further bytes in the kernel until `resume_reading`."""
        if self._reading:
            self._reading = False
            asyncio.get_running_loop().remove_reader(self._fd)

    def resume_reading(self) -> None:
        """Takes bytes from the kernel again."""
        if not self._reading and not self._lost:
            self._reading = True
            asyncio.get_running_loop().add_reader(self._fd, self._readable)

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as exc:
            self._lose(Fault.LINK_IO_ERROR, f"read: {exc.strerror}")
            return
        if data:
            self._on_data(data)
        else:  # with VMIN 1 an empty read is never "nothing yet"
            self._lose(Fault.LINK_EOF, "the other end hung up")

    def _lose(self, fault: Fault, detail: str) -> None:
        """Stops watching the descriptor (a hung-up tty is readable for ever) and tells the owner, once an open."""
        if self._lost:
            return
        self.pause_reading()
        self._stop_writing()
        self._lost = True
        self._out.clear()
        asyncio.get_running_loop().call_soon(self._on_lost, fault, detail)  # never inside the owner's own write

    async def close(self, deadline_s: float = CLOSE_DEADLINE_S) -> None:
        """Sends what the peer takes, then frees the port; returns at the deadline in any case."""
        port, self._port = self._port, None
        if port is None:
            return
        end = time.monotonic() + deadline_s
        wait_until = 0.0 if self._lost else end
        self.pause_reading()
        try:
            with contextlib.suppress(TimeoutError):  # the peer takes nothing: what is left is thrown away
                async with asyncio.timeout(deadline_s):
                    await self.drain()
        finally:
            self._lose(Fault.LINK_CLOSED, "closed by the daemon")
            self._fd = -1
            closing = in_own_thread("port close", lambda: _release(port, wait_until))
            self._hung = closing
        await asyncio.wait({closing}, timeout=max(0.0, end - time.monotonic()))


class _Port(serial.Serial):
    """pyserial's port, without its flush at open: what came while nobody listened is data. See `SerialTransport`."""

    def _reset_input_buffer(self) -> None:
        """Keeps what waits. A binary link drops frames of an earlier session by their session id."""


def _open(path: str, settings: SerialSettings) -> _Port:
    """An exclusively locked, raw, non-blocking port. Blocks as long as the driver likes. Raises `PortUnavailable`."""
    port = _Port(baudrate=settings.baud, timeout=0, write_timeout=0, exclusive=True)
    port.dtr, port.rts = settings.dtr, settings.rts
    port.port = path
    try:
        port.open()
        _complete_raw_mode(port.fileno(), settings)
        others = _shut_others_out(path, port.fileno())
    except (OSError, termios.error, ValueError) as exc:
        _release_now(port)
        code = _errno(exc)
        fault = _FAULTS.get(code, Fault.LINK_OPEN_FAILED)
        other = "this is not a serial port" if code in (errno.ENOTTY, errno.EISDIR) else str(exc)
        remedy = _REMEDIES.get(fault, other)
        if fault is Fault.LINK_BUSY and (holder := who_holds(path)):
            remedy = f"end {holder}, which holds it"
        raise PortUnavailable(path, fault, remedy) from exc
    if others:
        _release_now(port)
        remedy = f"end {others}, which reads it too: bytes that it takes never come here"
        raise PortUnavailable(path, Fault.LINK_BUSY, remedy)
    if settings.low_latency:
        # A pseudo-terminal and many USB drivers have no such switch: slower, not broken.
        with contextlib.suppress(ValueError):
            port.set_low_latency_mode(True)
    return port


def _complete_raw_mode(fd: int, settings: SerialSettings) -> None:
    """What pyserial leaves as it found it: break handling, the bell, the last-close hang-up, and VMIN."""
    iflag, oflag, cflag, lflag, ispeed, ospeed, cc = termios.tcgetattr(fd)
    # With BRKINT a break would throw away both queues; without it a break is one zero byte, which framing ignores.
    iflag &= ~(termios.BRKINT | termios.IMAXBEL)
    cflag = cflag | termios.HUPCL if settings.hang_up else cflag & ~termios.HUPCL
    # VMIN 0 makes "nothing yet" look like the end of the link: both would be an empty read.
    cc[termios.VMIN], cc[termios.VTIME] = 1, 0
    termios.tcsetattr(fd, termios.TCSANOW, [iflag, oflag, cflag, lflag, ispeed, ospeed, cc])


def _is_pseudo(fd: int) -> bool:
    """A pseudo-terminal. Its other end may be a simulator that holds this end, too, and outlives a daemon that was killed."""
    return os.ttyname(fd).startswith("/dev/pts/")


def _shut_others_out(path: str, fd: int) -> str:
    """Nobody else may open the port from now on; returns who has it open already, "" = nobody that can be seen.

    The lock that pyserial takes stops only programs that ask for it; this one stops all but those of root.
    """
    if _is_pseudo(fd):
        return ""
    fcntl.ioctl(fd, termios.TIOCEXCL)
    return ", ".join(other.words for other in others_at(path))


def _errno(exc: BaseException) -> int:
    """The system's error number; pyserial hides that of termios in the exception's context. 0 = none."""
    code = exc.errno if isinstance(exc, OSError) else exc.args[0] if isinstance(exc, termios.error) else None
    if code is None and exc.__context__ is not None:
        return _errno(exc.__context__)
    return code if isinstance(code, int) else 0


def _release_now(port: _Port) -> None:
    _release(port, 0.0)


def _release(port: _Port, wait_until: float) -> None:
    """Frees the port: lets the kernel send until `wait_until` (monotonic s), throws away the rest, closes."""
    if not port.is_open:
        return
    fd = port.fileno()
    with contextlib.suppress(OSError, termios.error):  # while somebody else has it open, the mark would outlive us
        fcntl.ioctl(fd, termios.TIOCNXCL)
    try:
        while _unsent(fd):
            if time.monotonic() >= wait_until:
                termios.tcflush(fd, termios.TCOFLUSH)  # else close itself may wait half a minute for the peer
                break
            time.sleep(DRAIN_POLL_S)
    except (OSError, termios.error):
        pass  # hung up: nothing can be sent, and every request but close fails
    port.close()


def _unsent(fd: int) -> int:
    """Bytes that the kernel has taken and not yet sent."""
    (count,) = struct.unpack("I", fcntl.ioctl(fd, termios.TIOCOUTQ, bytes(4)))
    return int(count)
