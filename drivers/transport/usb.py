"""USB devices of the vendor class with a bulk pipe each way, through pyusb. A CDC-ACM device is a serial port instead.

pyusb blocks, so each open has a thread of its own that owns the device (`usb_owner`); this is the loop's side of it.
"""

import asyncio
import time
from collections import deque

from drivers.errors import Fault, PortUnavailable
from drivers.transport.base import (
    CLOSE_DEADLINE_S,
    WRITE_LIMIT,
    DataCallback,
    LostCallback,
    WriteBufferFull,
)
from drivers.transport.usb_address import UsbAddress
from drivers.transport.usb_bus import UsbBus
from drivers.transport.usb_owner import OwnerEvents, UsbOwner

OPEN_DEADLINE_S = 10.0
"""A driver that holds an open longer is treated as a device that cannot be opened; its thread is left to it."""

LOOK_AGAIN_S = 1.0
"""Where something is plugged in and yet not found, the bus is not searched more often than this."""


class UsbTransport:
    """`Transport` over one USB device. It is looked for anew at each open: after a replug its number is another.

    `fill`: bytes that mean nothing to the device and may stand between frames. They keep a transfer from ending with a
    full packet, which would need an empty packet behind it.
    """

    def __init__(
        self, address: UsbAddress, bus: UsbBus, on_data: DataCallback, on_lost: LostCallback, *, fill: bytes = b""
    ) -> None:
        self._address, self._bus, self._fill = address, bus, fill
        self._on_data, self._on_lost = on_data, on_lost
        self._owner: UsbOwner | None = None
        self._opened: asyncio.Future[PortUnavailable | None] | None = None
        self._ended: asyncio.Future[None] | None = None  # of the thread that was last started
        self._lost = True  # also while closed
        self._paused = False
        self._waiting = 0
        self._look_again_at = 0.0
        self._read: deque[bytes] = deque()
        self._sent = asyncio.Event()

    def present(self) -> bool:
        """True if something is plugged in at the configured place, and has not just been found not to be a device."""
        return time.monotonic() >= self._look_again_at and self._bus.present(self._address)

    async def open(self) -> None:
        """Claims the USB device for this process alone. Raises `PortUnavailable`."""
        if self._owner is not None:
            raise RuntimeError(f"{self._address} is open already")
        if self._ended is not None and not self._ended.done():
            raise PortUnavailable(
                str(self._address), Fault.LINK_BUSY, "the driver still holds an earlier call; replug the device"
            )
        loop = asyncio.get_running_loop()
        self._opened, self._ended = loop.create_future(), loop.create_future()
        self._lost, self._paused, self._waiting = True, False, 0
        self._read.clear()
        self._sent.set()
        events = OwnerEvents(self._on_opened, self._on_read, self._on_wrote, self._on_owner_lost, self._on_ended)
        self._owner = UsbOwner(self._address, self._bus, self._fill, events)
        try:
            await self._open_in_time(self._opened)
        except BaseException:
            owner, self._owner, self._lost = self._owner, None, True
            owner.stop(0.0)
            raise

    async def _open_in_time(self, opened: "asyncio.Future[PortUnavailable | None]") -> None:
        done, _ = await asyncio.wait({opened}, timeout=OPEN_DEADLINE_S)
        if not done:
            remedy = "the driver does not answer; replug the device"
            raise PortUnavailable(str(self._address), Fault.LINK_OPEN_FAILED, remedy)
        if (refused := opened.result()) is not None:
            if refused.fault is Fault.LINK_MISSING and self._bus.present(self._address):
                self._look_again_at = time.monotonic() + LOOK_AGAIN_S
            if self._ended is not None:
                await asyncio.wait({self._ended}, timeout=OPEN_DEADLINE_S)  # told next: its thread is at its end
            raise refused

    def asserts(self, line: str) -> bool | None:
        """Returns None: USB bulk pipes have no modem lines."""
        return None

    def write(self, data: bytes) -> None:
        """Sends or buffers all of `data`, never blocks. Raises `WriteBufferFull`."""
        if self._lost or self._owner is None or not data:
            return
        if self._waiting + len(data) > WRITE_LIMIT:
            raise WriteBufferFull(f"{self._address}: {self._waiting} bytes wait, the device takes none")
        self._waiting += len(data)
        self._sent.clear()
        self._owner.send(data)

    async def drain(self) -> None:
        """Waits until the transport's buffer is empty, or the port is lost."""
        await self._sent.wait()

    def pause_reading(self) -> None:
        """Leaves further bytes in the device until `resume_reading`."""
        self._paused = True
        if self._owner is not None:
            self._owner.pause()

    def resume_reading(self) -> None:
        """Takes bytes from the device again."""
        if self._paused and self._owner is not None:
            self._paused = False
            self._owner.resume()
            asyncio.get_running_loop().call_soon(self._hand_over, self._owner)

    async def close(self, deadline_s: float = CLOSE_DEADLINE_S) -> None:
        """Sends what the device takes, then releases it; returns at the deadline in any case."""
        owner, ended = self._owner, self._ended
        if owner is None or ended is None:
            return
        end = time.monotonic() + deadline_s
        self._paused = True
        owner.stop(0.0 if self._lost else end)
        try:
            await asyncio.wait({ended}, timeout=deadline_s)
        except asyncio.CancelledError:
            owner.stop(0.0)
            raise
        finally:
            self._lose(Fault.LINK_CLOSED, "closed by the daemon")
            self._owner = None
        await asyncio.sleep(0)  # the loss is told before close returns

    # --- told by the owner's thread, run by the loop ------------------------------------------------------------------

    def _on_opened(self, owner: UsbOwner, refused: PortUnavailable | None) -> None:
        if owner is self._owner and self._opened is not None:
            self._lost = refused is not None
            self._opened.set_result(refused)

    def _on_read(self, owner: UsbOwner, data: bytes) -> None:
        if owner is self._owner:
            self._read.append(data)
            self._hand_over(owner)

    def _hand_over(self, owner: UsbOwner) -> None:
        while self._read and owner is self._owner and not self._lost and not self._paused:
            data = self._read.popleft()
            owner.taken()
            self._on_data(data)

    def _on_wrote(self, owner: UsbOwner, count: int) -> None:
        if owner is self._owner:
            self._waiting -= count
            if not self._waiting:
                self._sent.set()

    def _on_owner_lost(self, owner: UsbOwner, fault: Fault, detail: str) -> None:
        if owner is self._owner:
            self._lose(fault, detail)

    def _on_ended(self, owner: UsbOwner) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)

    def _lose(self, fault: Fault, detail: str) -> None:
        """Once an open."""
        if self._lost:
            return
        self._lost = True
        self._waiting = 0
        self._sent.set()
        asyncio.get_running_loop().call_soon(self._on_lost, fault, detail)  # never inside the owner's own write
