"""USB transfers as a pcapng file for Wireshark and tshark: the format of Linux usbmon, one packet when a transfer is asked
for and one when it is done (pcapng; link type 220, LINKTYPE_USB_LINUX_MMAPPED)."""

import errno
import struct
import time
from collections.abc import Callable
from typing import BinaryIO

from simulators.usb.device import CONTROL, TO_HOST, Request

SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
LINKTYPE_USB_LINUX_MMAPPED = 220
MICROSECONDS = bytes.fromhex("0900 0100 06000000 00000000")  # option if_tsresol = 6, end of options
USBMON_CONTROL, USBMON_BULK = 2, 3
ABSENT = ord("-")

_HEAD = struct.Struct("<QBBBBHBBqiiII8siiII")


class Capture:
    """Writes transfers to `out` as they pass. `clock`: seconds since 1970."""

    def __init__(self, out: BinaryIO, clock: Callable[[], float] = time.time) -> None:
        self._out, self._clock = out, clock
        self._block(SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        self._block(INTERFACE, struct.pack("<HHI", LINKTYPE_USB_LINUX_MMAPPED, 0, 0) + MICROSECONDS)

    def submitted(self, bus: int, address: int, number: int, request: Request) -> None:
        """Writes the packet of a requested transfer."""
        self._packet("S", bus, address, number, request, -errno.EINPROGRESS, request.data)

    def completed(self, bus: int, address: int, number: int, request: Request) -> None:
        """Writes the packet of a completed or refused transfer."""
        self._packet("C", bus, address, number, request, request.status, bytes(request.got))

    def _packet(
        self, event: str, bus: int, address: int, number: int, request: Request, status: int, data: bytes
    ) -> None:
        seconds, micros = divmod(round(self._clock() * 1_000_000), 1_000_000)
        is_control = request.endpoint == CONTROL
        towards_host = request.setup[0] & TO_HOST if is_control else request.endpoint & TO_HOST
        length = len(data) if event == "C" else request.length
        if event == "C" and request.data:
            length = request.taken
        head = _HEAD.pack(
            number, ord(event), USBMON_CONTROL if is_control else USBMON_BULK,
            (request.endpoint & 0x7F) | towards_host, address, bus,
            0 if is_control and event == "S" else ABSENT, 0 if data else ABSENT,
            seconds, micros, status, length, len(data), request.setup if event == "S" and is_control else bytes(8),
            0, 0, 0, 0,
        )  # fmt: skip
        body = head + data
        stamp = seconds * 1_000_000 + micros
        fixed = struct.pack("<IIIII", 0, stamp >> 32, stamp & 0xFFFFFFFF, len(body), len(body))
        self._block(PACKET, fixed + body + bytes(-len(body) % 4))
        self._out.flush()

    def _block(self, kind: int, body: bytes) -> None:
        size = struct.pack("<I", len(body) + 12)
        self._out.write(struct.pack("<I", kind) + size + body + size)
