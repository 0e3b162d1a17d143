"""USB/IP 1.1.1, the server's side: exports a simulated device to a bench's daemon or the kernel's `usbip attach`.

One device a server, one importer at a time; the list may be read at any time. A transfer that is taken back either
has not happened (its UNLINK says so) or is answered first, with the bytes moved.
"""

import asyncio
import errno
import struct
from collections.abc import Callable

from simulators.usb.capture import Capture
from simulators.usb.device import CONTROL, TO_HOST, Request, UsbDevice

VERSION = 0x0111
REQ_DEVLIST, REP_DEVLIST, REQ_IMPORT, REP_IMPORT = 0x8005, 0x0005, 0x8003, 0x0003
SUBMIT, UNLINK, RET_SUBMIT, RET_UNLINK = 1, 2, 3, 4
NOT_AVAILABLE, BUSY = 1, 2
FULL_SPEED = 2
MOST = 65536
"""Longest transfer that a host may ask for."""

_OP = struct.Struct(">HHI")
_DEVICE = struct.Struct(">256s32sIIIHHHBBBBBB")
_HEAD = struct.Struct(">IIIII")
_TRANSFER = struct.Struct(">iiiii8s")
COMMAND = _HEAD.size + _TRANSFER.size


class Exported:
    """A device at a place of a bus, `1-2.3`, for at most one host at a time. `address`: new at each plug."""

    def __init__(self, device: UsbDevice, place: str, capture: Capture | None = None) -> None:
        self.device, self.place, self.capture = device, place, capture
        self.address = 1
        self.user: _Connection | None = None
        self.connections: set[_Connection] = set()

    @property
    def bus(self) -> int:
        """The bus number in the place: 1 in `1-2`."""
        return int(self.place.partition("-")[0])

    def close(self) -> None:
        """Ends every connection."""
        for connection in self.connections.copy():
            connection.end()

    def record(self) -> bytes:
        """The device as USB/IP lists it."""
        what = self.device.description
        path = f"/sys/devices/simulated/usb{self.bus}/{self.place}".encode()
        return _DEVICE.pack(
            path, self.place.encode(), self.bus, self.address, FULL_SPEED, what.vendor, what.product, 0x0100,
            what.device_class, 0, 0, 1, 1, len(what.interfaces),
        )  # fmt: skip

    def interfaces(self) -> bytes:
        """Returns four bytes an interface: class, subclass, protocol and 0, as the list of devices has them."""
        return b"".join(
            bytes([each.bInterfaceClass, each.bInterfaceSubClass, each.bInterfaceProtocol, 0])
            for each in self.device.description.interfaces
        )


def serve_usbip(exported: Exported) -> Callable[[], asyncio.Protocol]:
    """Returns a protocol factory for the loop's servers, on Unix sockets and TCP."""
    return lambda: _Connection(exported)


class _Connection(asyncio.Protocol):
    """One client, from first byte to end; one that breaks the protocol is disconnected."""

    def __init__(self, exported: Exported) -> None:
        self._exported = exported
        self._transport: asyncio.BaseTransport | None = None
        self._data = bytearray()
        self._asked: dict[int, Request] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._exported.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._exported.connections.discard(self)
        if self._exported.user is self:
            self._exported.user = None
        for request in self._asked.values():
            self._exported.device.take_back(request)
        self._asked.clear()
        self._transport = None

    def end(self) -> None:
        if isinstance(self._transport, asyncio.Transport):
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._data += data
        while self._transport is not None and (size := self._next()):
            message = bytes(self._data[:size])
            del self._data[:size]
            self._command(message) if self._exported.user is self else self._operation(message)

    def _next(self) -> int:
        """Returns the size of the next whole message; 0 = incomplete, or the client was disconnected."""
        if self._exported.user is self:
            if len(self._data) < COMMAND:
                return 0
            command, _, _, direction, _ = _HEAD.unpack_from(self._data)
            length = _TRANSFER.unpack_from(self._data, _HEAD.size)[1]
            if command not in (SUBMIT, UNLINK) or (command == SUBMIT and not 0 <= length <= MOST):
                self.end()
                return 0
            size = COMMAND + (length if command == SUBMIT and not direction else 0)
        else:
            if len(self._data) < _OP.size:
                return 0
            version, code, _ = _OP.unpack_from(self._data)
            if version != VERSION or code not in (REQ_DEVLIST, REQ_IMPORT):
                self.end()
                return 0
            size = _OP.size + (32 if code == REQ_IMPORT else 0)
        return size if len(self._data) >= size else 0

    def _operation(self, message: bytes) -> None:
        _, code, _ = _OP.unpack_from(message)
        exported = self._exported
        if code == REQ_DEVLIST:
            listed = struct.pack(">I", 1) + exported.record() + exported.interfaces()
            self._send(_OP.pack(VERSION, REP_DEVLIST, 0) + listed)
        elif message[_OP.size :].rstrip(b"\0").decode("ascii", "replace") != exported.place:
            self._send(_OP.pack(VERSION, REP_IMPORT, NOT_AVAILABLE))
        elif exported.user is not None:
            self._send(_OP.pack(VERSION, REP_IMPORT, BUSY))
        else:
            exported.user = self
            self._send(_OP.pack(VERSION, REP_IMPORT, 0) + exported.record())

    def _command(self, message: bytes) -> None:
        command, number, _, direction, endpoint = _HEAD.unpack_from(message)
        if command == UNLINK:
            self._take_back(number, int.from_bytes(message[_HEAD.size : _HEAD.size + 4], "big"))
            return
        _, length, *_, setup = _TRANSFER.unpack_from(message, _HEAD.size)
        address = endpoint | (TO_HOST if direction and endpoint != CONTROL else 0)
        request = Request(
            address,
            length,
            lambda done: self._done(number, done),
            message[COMMAND:],
            setup if not endpoint else b"",
        )
        self._asked[number] = request
        if self._exported.capture:
            self._exported.capture.submitted(self._exported.bus, self._exported.address, number, request)
        self._exported.device.submit(request)

    def _take_back(self, number: int, unwanted: int) -> None:
        request = self._asked.get(unwanted)
        happened = request is None or not self._exported.device.take_back(request)
        if request is not None and not happened and (request.got or request.taken):
            request.status, happened = 0, True
            self._done(unwanted, request)
        elif not happened:
            del self._asked[unwanted]
        head = _HEAD.pack(RET_UNLINK, number, 0, 0, 0)
        self._send(head + struct.pack(">i24x", 0 if happened else -errno.ECONNRESET))

    def _done(self, number: int, request: Request) -> None:
        self._asked.pop(number, None)
        if self._exported.capture:
            self._exported.capture.completed(self._exported.bus, self._exported.address, number, request)
        moved = request.taken if request.data else len(request.got)
        head = _HEAD.pack(RET_SUBMIT, number, 0, 0, 0)
        self._send(head + _TRANSFER.pack(request.status, moved, 0, 0, 0, bytes(8)) + request.got)

    def _send(self, data: bytes) -> None:
        if isinstance(self._transport, asyncio.Transport):
            self._transport.write(data)
