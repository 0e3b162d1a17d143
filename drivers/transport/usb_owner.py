"""The thread that owns a USB device from open to release, and makes every call on it.

Towards the loop it speaks through one guarded call that a closed loop cannot hurt. From the loop it takes bytes to be
sent, whether to read, and when to stop; none of these ever blocks the loop. Asynchronous libusb is not used: its
failure mode is an abort of the whole process.
"""

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable

import usb.core

from drivers.errors import Fault, PortUnavailable
from drivers.protocol.records import dataclass
from drivers.transport.base import STALE_S
from drivers.transport.usb_address import UsbAddress
from drivers.transport.usb_bus import UsbBus
from drivers.transport.usb_errors import Borne, Patience
from drivers.transport.usb_port import UsbPort, code_of, open_port

READ_TIMEOUT_S = 0.025
"""Longest wait for bytes. What is to be sent waits behind it, and to engage a lock-out must not wait long."""
WRITE_TIMEOUT_S = 0.5
"""A device that takes no bytes is tried three times, so that nothing is handed over after `STALE_S`."""
READ_AHEAD = 8
"""Reads that may be on their way to the loop; while it stands still, bytes stay in the device."""
TROUBLE_S = 0.05


@dataclass(frozen=True, slots=True)
class OwnerEvents:
    """What the thread tells the loop, each in a callback of the loop, with the owner first.

    `opened(refused)`: the device is claimed, or why it is not. `read(data)`: `taken` is due once it is handed over.
    `wrote(count)`: so many more bytes went out. `lost(fault, detail)`: the link is over. `ended()`: always, and last: the
    device is released.
    """

    opened: "Callable[[UsbOwner, PortUnavailable | None], None]"
    read: "Callable[[UsbOwner, bytes], None]"
    wrote: "Callable[[UsbOwner, int], None]"
    lost: "Callable[[UsbOwner, Fault, str], None]"
    ended: "Callable[[UsbOwner], None]"


class _Over(Exception):
    """Ends the link; carries the fault and its detail."""

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(detail)
        self.fault, self.detail = fault, detail


class UsbOwner:
    """One open of one device. Public methods are for the loop, and return at once.

    `fill`: put behind a transfer that would end with a full packet, so that none needs an empty one to end.
    """

    def __init__(self, address: UsbAddress, bus: UsbBus, fill: bytes, events: OwnerEvents) -> None:
        self._address, self._bus, self._fill, self._events = address, bus, fill, events
        self._loop = asyncio.get_running_loop()
        self._stopping = threading.Event()
        self._stop_at = 0.0
        self._wake = threading.Event()
        self._may_read = True
        self._ahead = threading.Semaphore(READ_AHEAD)
        self._queue: deque[tuple[float, bytes]] = deque()
        self._pending = bytearray()
        self._waits_since = 0.0  # when the oldest of what waits was queued, or some of it was taken
        self._patience = Patience()
        threading.Thread(target=self._run, name=f"usb {address.place}", daemon=True).start()

    def send(self, data: bytes) -> None:
        """Queues `data`. The caller bounds how much waits."""
        self._queue.append((time.monotonic(), data))
        self._wake.set()

    def pause(self) -> None:
        """Stops reading from the device after the present read."""
        self._may_read = False

    def resume(self) -> None:
        """Reads from the device again."""
        self._may_read = True
        self._wake.set()

    def taken(self) -> None:
        """One read has been handed over."""
        self._ahead.release()
        self._wake.set()

    def stop(self, at: float) -> None:
        """Ends the thread: what is queued may be sent until `at` (monotonic s), then the device is released."""
        self._stop_at = at
        self._stopping.set()
        self._wake.set()

    # --- all that follows runs in the thread --------------------------------------------------------------------------

    def _tell(self, event: Callable[..., None], *given: object) -> None:
        """The one way to the loop. Where the loop is closed nobody is left to be told, and nothing to be done."""
        try:
            self._loop.call_soon_threadsafe(event, self, *given)
        except RuntimeError:
            self.stop(0.0)

    def _run(self) -> None:
        try:
            port = open_port(self._address, self._bus, self._stopping)
        except PortUnavailable as exc:
            self._tell(self._events.opened, exc)
        except Exception as exc:  # an error of a library, or of ours: the thread must not die in silence
            remedy = f"report this: {type(exc).__name__}: {exc}"
            self._tell(self._events.opened, PortUnavailable(str(self._address), Fault.LINK_OPEN_FAILED, remedy))
        else:
            self._tell(self._events.opened, None)
            self._serve(port)
        self._tell(self._events.ended)

    def _serve(self, port: UsbPort) -> None:
        try:
            while not self._stopping.is_set() and not self._loop.is_closed():
                self._send(port)
                self._receive(port)
            while (self._queue or self._pending) and time.monotonic() < self._stop_at:
                self._send(port)
        except _Over as over:
            self._tell(self._events.lost, over.fault, over.detail)
        except Exception as exc:
            self._tell(self._events.lost, Fault.LINK_IO_ERROR, f"report this: {type(exc).__name__}: {exc}")
        finally:
            port.release()

    def _receive(self, port: UsbPort) -> None:
        if self._may_read and self._ahead.acquire(blocking=False):
            if data := self._read(port):
                self._tell(self._events.read, data)
            else:
                self._ahead.release()
        elif not self._queue and not self._pending:
            self._wake.wait(READ_TIMEOUT_S)
            self._wake.clear()

    def _read(self, port: UsbPort) -> bytes:
        try:
            return port.read(_ms(0 if self._queue else READ_TIMEOUT_S))
        except (usb.core.USBError, NotImplementedError) as exc:
            self._bear(port, exc, writing=False)
            return b""

    def _send(self, port: UsbPort) -> None:
        """All that waits, in one transfer. What the device did not take by the time-out stays for the next one."""
        while self._queue:
            queued_at, data = self._queue.popleft()
            if not self._pending:
                self._waits_since = queued_at
            self._pending += data
        if not self._pending:
            return
        if (waited_s := time.monotonic() - self._waits_since) > STALE_S:
            raise _Over(Fault.LINK_IO_ERROR, f"{len(self._pending)} bytes waited {waited_s:.1f} s to be sent")
        fills = len(self._pending) % port.packet == 0
        try:
            taken = port.write(bytes(self._pending) + self._fill * fills, _ms(self._may_write_for()))
        except (usb.core.USBError, NotImplementedError) as exc:
            self._bear(port, exc, writing=True)
            return
        if count := min(taken, len(self._pending)):
            self._patience.wrote()
            self._waits_since = time.monotonic()
            del self._pending[:count]
            self._tell(self._events.wrote, count)

    def _may_write_for(self) -> float:
        return (
            min(WRITE_TIMEOUT_S, self._stop_at - time.monotonic()) if self._stopping.is_set() else WRITE_TIMEOUT_S
        )

    def _bear(self, port: UsbPort, error: Exception, *, writing: bool) -> None:
        """Does what the table says about an error. Raises `_Over` where it ends the link."""
        verdict = self._patience.judge(code_of(error), time.monotonic(), writing=writing)
        if verdict.borne is None:
            if verdict.row.resets:
                with contextlib.suppress(usb.core.USBError, NotImplementedError):
                    port.reset()
            raise _Over(verdict.row.fault, f"{'write' if writing else 'read'}: {verdict.row.detail} ({error})")
        if verdict.borne is Borne.WAIT:
            self._stopping.wait(TROUBLE_S)
        if verdict.borne is Borne.CLEAR_HALT:
            try:
                port.clear_halt(writing=writing)
            except (usb.core.USBError, NotImplementedError) as again:
                self._bear(port, again, writing=writing)


def _ms(seconds: float) -> int:
    return max(1, round(1000 * seconds))  # 0 would be for ever
