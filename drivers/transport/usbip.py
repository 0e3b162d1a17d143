"""A USB bus at the other end of a socket: USB/IP 1.1.1, as a backend of pyusb. For benches only, where devices are simulated.

USB/IP is the protocol by which Linux lends USB devices over a network (kernel: Documentation/usb/usbip_protocol.rst).
Everything above this file is what serves a real device: the transport, its thread, and pyusb. One import of a device is
one user of it. Numbers on the wire are big-endian, descriptors little-endian as in USB.
"""

import errno
import os
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import usb.backend
import usb.core

from drivers.transport.usb_address import UsbAddress
from drivers.transport.usb_configuration import Configuration

VERSION = 0x0111
REQ_DEVLIST, REQ_IMPORT = 0x8005, 0x8003
SUBMIT, UNLINK, RET_SUBMIT, RET_UNLINK = 1, 2, 3, 4
OUT, IN = 0, 1
BUSY = (1, 2)
"""Statuses of a refused import: not available, busy."""

_OP = struct.Struct(">HHI")
_DEVICE = struct.Struct(">256s32sIIIHHHBBBBBB")
_HEAD = struct.Struct(">IIIII")
_TRANSFER = struct.Struct(">iiiii8s")

ANSWER_S = 2.0
"""How long a server may take for what takes a real bus no time at all; then it counts as gone."""
MOST_DEVICES = 127
"""A bus has no more."""
SERIAL_INDEX = 0xFF
"""The list of devices does not tell which string is the serial number; this stands for it until the device is open."""
GET_DESCRIPTOR, SET_CONFIGURATION, GET_CONFIGURATION, CLEAR_FEATURE = 6, 9, 8, 1
TO_HOST, TO_ENDPOINT = 0x80, 0x02
DEVICE, CONFIGURATION, STRING = 1, 2, 3


class UsbIpBus:
    """`server`: the path of a Unix socket, or host:port."""

    def __init__(self, server: str) -> None:
        self._server = server

    def backend(self) -> Any:
        """Returns the backend that speaks USB/IP to the server. Raises `PortUnavailable`."""
        return _Backend(self._server)

    def present(self, address: UsbAddress) -> bool:
        """Returns True if the server's socket exists; over a network always True."""
        return os.path.exists(self._server) if "/" in self._server else True


def _error(code: int, text: str = "") -> usb.core.USBError:
    kind = usb.core.USBTimeoutError if code == errno.ETIMEDOUT else usb.core.USBError
    return kind(text or os.strerror(code), -1, code)


@dataclass(slots=True, eq=False)
class _Remote:
    """A device that a server exports. `configuration`: None until it has been open."""

    busid: str
    number: int
    descriptor: SimpleNamespace
    configuration: Configuration | None = None
    serial_index: int = 0


class _Wire:
    """A socket with deadlines. Whatever goes wrong with it means that the device is gone."""

    def __init__(self, server: str) -> None:
        is_path = "/" in server
        host, _, port = server.rpartition(":")
        self._socket = socket.socket(socket.AF_UNIX if is_path else socket.AF_INET)
        self._socket.settimeout(ANSWER_S)
        try:
            self._socket.connect(server if is_path else (host, int(port)))
            if not is_path:
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, ValueError) as exc:
            self.close()
            raise _error(errno.ENODEV, f"{server}: {exc}") from exc

    def send(self, data: bytes) -> None:
        try:
            self._socket.settimeout(ANSWER_S)
            self._socket.sendall(data)
        except OSError as exc:
            raise _error(errno.ENODEV, str(exc)) from exc

    def ready(self, within_s: float) -> bool:
        """True once something can be read, the end included."""
        try:
            self._socket.settimeout(max(0.0001, within_s))
            self._socket.recv(1, socket.MSG_PEEK)
            return True
        except TimeoutError:
            return False
        except OSError as exc:
            raise _error(errno.ENODEV, str(exc)) from exc

    def receive(self, size: int) -> bytes:
        end, data = time.monotonic() + ANSWER_S, bytearray()
        try:
            while len(data) < size:
                self._socket.settimeout(max(0.0001, end - time.monotonic()))
                part = self._socket.recv(size - len(data))
                if not part:
                    raise _error(errno.ENODEV, "the server closed the connection")
                data += part
        except (TimeoutError, ConnectionError) as exc:
            raise _error(errno.ENODEV, f"the server does not answer: {exc}") from exc
        return bytes(data)

    def close(self) -> None:
        self._socket.close()


class _Handle:
    """An imported device. One transfer at a time: its thread waits for it."""

    def __init__(self, server: str, remote: _Remote) -> None:
        self.remote, self._wire, self._number = remote, _Wire(server), 0
        try:
            self._import()
        except BaseException:
            self.close()
            raise

    def _import(self) -> None:
        self._wire.send(_OP.pack(VERSION, REQ_IMPORT, 0) + self.remote.busid.encode().ljust(32, b"\0"))
        _, _, status = _OP.unpack(self._wire.receive(_OP.size))
        if status:
            raise _error(errno.EBUSY if status in BUSY else errno.ENODEV, f"import refused ({status})")
        self._wire.receive(_DEVICE.size)
        self.remote.serial_index = self.descriptor(DEVICE, 0, 18)[16]
        head = self.descriptor(CONFIGURATION, 0, 9)
        self.remote.configuration = Configuration.parse(
            self.descriptor(CONFIGURATION, 0, int.from_bytes(head[2:4], "little"))
        )

    def descriptor(self, kind: int, index: int, size: int) -> bytes:
        """A whole descriptor. Raises `USBError`, also where it comes short."""
        setup = struct.pack("<BBBBHH", TO_HOST, GET_DESCRIPTOR, index, kind, 0, size)
        data, _ = self.transfer(IN, 0, size, b"", 1000, setup)
        if len(data) < min(size, 9):
            raise _error(errno.EIO, "a descriptor came short")
        return data

    def transfer(
        self, direction: int, endpoint: int, length: int, data: bytes, timeout_ms: int, setup: bytes = bytes(8)
    ) -> tuple[bytes, int]:
        """Bytes that came, and how many were moved. As libusb does it: what had moved at the time-out is no error."""
        self._number += 1
        number = self._number
        self._wire.send(
            self._head(SUBMIT, number, direction, endpoint) + _TRANSFER.pack(0, length, 0, 0, 0, setup) + data
        )
        if self._wire.ready(timeout_ms / 1000):
            return self._result(number, direction, length, self._receive())
        self._number += 1
        self._wire.send(self._head(UNLINK, self._number, direction, endpoint) + struct.pack(">I24x", number))
        kind, answered, rest = self._receive()
        if kind == RET_UNLINK:
            raise _error(errno.ETIMEDOUT)
        moved = self._result(number, direction, length, (kind, answered, rest))  # it was done just before
        if self._receive()[:2] != (RET_UNLINK, self._number):
            raise _error(errno.ENODEV, "the server does not keep to USB/IP")
        if not moved[1]:
            raise _error(errno.ETIMEDOUT)
        return moved

    def _head(self, command: int, number: int, direction: int, endpoint: int) -> bytes:
        return _HEAD.pack(command, number, self.remote.number, direction, endpoint)

    def _receive(self) -> tuple[int, int, bytes]:
        command, number, *_ = _HEAD.unpack(self._wire.receive(_HEAD.size))
        return command, number, self._wire.receive(_TRANSFER.size)

    def _result(
        self, number: int, direction: int, length: int, answer: tuple[int, int, bytes]
    ) -> tuple[bytes, int]:
        command, answered, rest = answer
        status, moved, *_ = _TRANSFER.unpack(rest)
        if (command, answered) != (RET_SUBMIT, number) or not 0 <= moved <= length:
            raise _error(errno.ENODEV, "the server does not keep to USB/IP")
        data = self._wire.receive(moved) if direction == IN else b""
        if status:
            raise _error(_libusb_code(-status))
        return data, moved

    def close(self) -> None:
        self._wire.close()


def _libusb_code(code: int) -> int:
    """What libusb makes of the status of a transfer on Linux."""
    kept = (errno.EPIPE, errno.EOVERFLOW, errno.ENODEV)
    return code if code in kept else errno.ENODEV if code == errno.ESHUTDOWN else errno.EIO


class _Backend(usb.backend.IBackend):  # type: ignore[misc]
    """The calls of `usb.backend.IBackend` that a host of bulk pipes makes."""

    def __init__(self, server: str) -> None:
        self._server = server

    def enumerate_devices(self) -> Iterator[_Remote]:
        """What the server exports; nothing where there is no server, as on a bus without devices."""
        try:
            wire = _Wire(self._server)
        except usb.core.USBError:
            return
        try:
            wire.send(_OP.pack(VERSION, REQ_DEVLIST, 0))
            wire.receive(_OP.size)
            (count,) = struct.unpack(">I", wire.receive(4))
            if count > MOST_DEVICES:
                raise _error(errno.EIO, f"a server that exports {count} devices is none")
            for _ in range(count):
                remote, interfaces = _listed(wire.receive(_DEVICE.size))
                wire.receive(4 * interfaces)
                yield remote
        finally:
            wire.close()

    def get_device_descriptor(self, dev: _Remote) -> SimpleNamespace:
        return dev.descriptor

    def get_configuration_descriptor(self, dev: _Remote, config: int) -> SimpleNamespace:
        return self._configuration(dev).descriptor(config)

    def get_interface_descriptor(self, dev: _Remote, intf: int, alt: int, config: int) -> SimpleNamespace:
        return self._configuration(dev).interface(intf, alt)

    def get_endpoint_descriptor(self, dev: _Remote, ep: int, intf: int, alt: int, config: int) -> SimpleNamespace:
        return self._configuration(dev).endpoint(ep, intf, alt)

    def open_device(self, dev: _Remote) -> _Handle:
        return _Handle(self._server, dev)

    def close_device(self, dev_handle: _Handle) -> None:
        dev_handle.close()

    def get_configuration(self, dev_handle: _Handle) -> int:
        setup = struct.pack("<BBHHH", TO_HOST, GET_CONFIGURATION, 0, 0, 1)
        data, _ = dev_handle.transfer(IN, 0, 1, b"", 1000, setup)
        return data[0] if data else 0

    def set_configuration(self, dev_handle: _Handle, config_value: int) -> None:
        self._ask(dev_handle, struct.pack("<BBHHH", 0, SET_CONFIGURATION, config_value, 0, 0))

    def claim_interface(self, dev_handle: _Handle, intf: int) -> None:
        """The import has claimed the whole device."""

    def release_interface(self, dev_handle: _Handle, intf: int) -> None:
        """The end of the connection releases it."""

    def bulk_read(self, dev_handle: _Handle, ep: int, intf: int, buff: Any, timeout: int) -> int:
        data, moved = dev_handle.transfer(IN, ep & 0xF, len(buff), b"", timeout)
        buff[:moved] = type(buff)("B", data)
        return moved

    def bulk_write(self, dev_handle: _Handle, ep: int, intf: int, data: Any, timeout: int) -> int:
        return dev_handle.transfer(OUT, ep, len(data), bytes(data), timeout)[1]

    def ctrl_transfer(
        self,
        dev_handle: _Handle,
        bmRequestType: int,
        bRequest: int,
        wValue: int,
        wIndex: int,
        data: Any,
        timeout: int,
    ) -> int:
        if bRequest == GET_DESCRIPTOR and wValue == STRING << 8 | SERIAL_INDEX:
            if not dev_handle.remote.serial_index:
                raise _error(errno.EPIPE)
            wValue = STRING << 8 | dev_handle.remote.serial_index
        setup = struct.pack("<BBHHH", bmRequestType, bRequest, wValue, wIndex, len(data))
        if not bmRequestType & TO_HOST:
            return dev_handle.transfer(OUT, 0, len(data), bytes(data), timeout, setup)[1]
        came, moved = dev_handle.transfer(IN, 0, len(data), b"", timeout, setup)
        data[:moved] = type(data)("B", came)
        return moved

    def clear_halt(self, dev_handle: _Handle, ep: int) -> None:
        self._ask(dev_handle, struct.pack("<BBHHH", TO_ENDPOINT, CLEAR_FEATURE, 0, ep, 0))

    def reset_device(self, dev_handle: _Handle) -> None:
        """USB/IP has no word for it."""
        raise NotImplementedError

    @staticmethod
    def _ask(handle: _Handle, setup: bytes) -> None:
        handle.transfer(OUT, 0, 0, b"", 1000, setup)

    @staticmethod
    def _configuration(dev: _Remote) -> Configuration:
        if dev.configuration is None:
            raise _error(errno.EIO, "a descriptor is known only once the device has been open")
        return dev.configuration


def _listed(raw: bytes) -> tuple[_Remote, int]:
    """A device of the list, and the number of its interfaces, which follow it."""
    (
        _,
        busid,
        bus,
        number,
        speed,
        vendor,
        product,
        release,
        kind,
        subclass,
        protocol,
        _,
        configurations,
        interfaces,
    ) = _DEVICE.unpack(raw)
    name = busid.rstrip(b"\0").decode("ascii", "replace")
    place = name.partition("-")[2]
    ports = tuple(int(port) for port in place.split(".") if port.isdecimal())
    return _Remote(
        name,
        bus << 16 | number,
        SimpleNamespace(
            bLength=18, bDescriptorType=DEVICE, bcdUSB=0x0200, bDeviceClass=kind, bDeviceSubClass=subclass,
            bDeviceProtocol=protocol, bMaxPacketSize0=64, idVendor=vendor, idProduct=product, bcdDevice=release,
            iManufacturer=0, iProduct=0, iSerialNumber=SERIAL_INDEX, bNumConfigurations=configurations, address=number,
            bus=bus, port_number=ports[-1] if ports else None, port_numbers=ports or None, speed=speed,
        ),
    ), interfaces  # fmt: skip
