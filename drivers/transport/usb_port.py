"""One USB device, found, identified, claimed, read and written through pyusb. Everything here is for one thread alone.

pyusb promises nothing where threads share a device: a dispose beside a read hangs. So the thread that opens a `UsbPort`
makes every call, up to `release`.
"""

import contextlib
import errno
import threading
import time
from collections.abc import Iterator
from typing import Any

import usb.core
import usb.util

from drivers.errors import Fault, PortUnavailable
from drivers.transport.base import READ_SIZE
from drivers.transport.usb_address import UsbAddress
from drivers.transport.usb_bus import UsbBus
from drivers.transport.usb_errors import AT_OPEN

ACCESS_RETRY_S = 2.0
"""Right after a plug-in a device belongs to root, until udev has given it to its group."""
ACCESS_POLL_S = 0.1
VENDOR_CLASS = 0xFF


class UsbPort:
    """A claimed interface with one bulk pipe in each direction. Each call may raise `usb.core.USBError`."""

    def __init__(self, device: Any, interface: Any, pipe_in: Any, pipe_out: Any) -> None:
        self._device, self._interface = device, interface
        self._in, self._out = pipe_in.bEndpointAddress, pipe_out.bEndpointAddress
        self.packet: int = pipe_out.wMaxPacketSize
        packet_in = pipe_in.wMaxPacketSize
        self._read_size = max(packet_in, READ_SIZE // packet_in * packet_in)  # less than a packet can overflow

    def read(self, timeout_ms: int) -> bytes:
        """What came by then, never empty. What came before a time-out is kept."""
        return bytes(self._device.read(self._in, self._read_size, timeout_ms))

    def write(self, data: bytes, timeout_ms: int) -> int:
        """How many bytes the device took by then."""
        return int(self._device.write(self._out, data, timeout_ms))

    def clear_halt(self, *, writing: bool) -> None:
        """Lets a stalled endpoint go on."""
        self._device.clear_halt(self._out if writing else self._in)

    def reset(self) -> None:
        """Resets the device; nothing but `release` may follow."""
        self._device.reset()

    def release(self) -> None:
        """Gives the device back. Never raises: a device that is gone has nothing to give back."""
        with contextlib.suppress(usb.core.USBError, NotImplementedError):
            usb.util.dispose_resources(self._device)


def open_port(address: UsbAddress, bus: UsbBus, stopping: threading.Event) -> UsbPort:
    """The device of `address`, claimed. Blocks; gives up soon after `stopping` is set. Raises `PortUnavailable`."""
    end = time.monotonic() + ACCESS_RETRY_S
    while True:
        try:
            return _open(address, bus.backend())
        except (usb.core.USBError, NotImplementedError, UnicodeDecodeError) as exc:
            code = code_of(exc)
            may_come = code in (errno.EACCES, errno.EPERM) and time.monotonic() < end
            if not may_come or stopping.wait(ACCESS_POLL_S):
                fault, remedy = AT_OPEN.get(code, (Fault.LINK_OPEN_FAILED, f"replug the device ({exc})"))
                raise PortUnavailable(str(address), fault, remedy) from exc


def code_of(exc: Exception) -> int:
    """The system's error number, 0 = none."""
    return exc.errno or 0 if isinstance(exc, usb.core.USBError) else 0


def _open(address: UsbAddress, backend: Any) -> UsbPort:
    device = _choose(address, list(_devices(backend)))
    try:
        interface, pipe_in, pipe_out = _pipes(address, device)
        usb.util.claim_interface(device, interface)
        return UsbPort(device, interface, pipe_in, pipe_out)
    except BaseException:
        usb.util.dispose_resources(device)
        raise


def _devices(backend: Any) -> Iterator[Any]:
    """Every device on the bus that can say what it is: one that cannot must not hide the others."""
    for found in backend.enumerate_devices():
        try:
            yield usb.core.Device(found, backend)
        except (usb.core.USBError, NotImplementedError):
            continue


def _place(device: Any) -> str:
    """Bus and ports as sysfs writes them, "" for a root hub."""
    return f"{device.bus}-{'.'.join(map(str, device.port_numbers))}" if device.port_numbers else ""


def _choose(address: UsbAddress, devices: list[Any]) -> Any:
    """The device at its place, open; every other one is left closed. Raises `PortUnavailable` for what is not it."""
    here = next((device for device in devices if _place(device) == address.place), None)
    if here is not None:
        return _verified(address, here)
    for device in devices:
        if _is_model(address, device) and _serial(device) == address.serial:
            raise PortUnavailable(
                str(address),
                Fault.AUTH_WRONG_PORT,
                f"it is plugged in at {_place(device)}; find out who moved it, and plug it in where it belongs",
            )
    raise PortUnavailable(
        str(address), Fault.LINK_MISSING, "plug the device in, or correct the address (lsusb -t)"
    )


def _verified(address: UsbAddress, device: Any) -> Any:
    if not _is_model(address, device):
        other = f"{device.idVendor:04x}:{device.idProduct:04x} is plugged in there; find out who did that"
        raise PortUnavailable(str(address), Fault.AUTH_WRONG_DEVICE, other)
    try:
        _configure(device)
        serial = _string(device)
        if serial != address.serial:
            which = f"serial number {serial}" if serial else "a device without a serial number"
            raise PortUnavailable(
                str(address), Fault.AUTH_WRONG_DEVICE, f"{which} is plugged in there; find out who did that"
            )
    except BaseException:
        usb.util.dispose_resources(device)
        raise
    return device


def _is_model(address: UsbAddress, device: Any) -> bool:
    return (device.idVendor, device.idProduct) == (address.vendor, address.product)


def _serial(device: Any) -> str:
    """Serial number of a device that we do not mean to keep; "" where it cannot be read."""
    try:
        return _string(device)
    except (usb.core.USBError, NotImplementedError, UnicodeDecodeError):
        return ""
    finally:
        usb.util.dispose_resources(device)


def _string(device: Any) -> str:
    """The serial number, "" = it has none. Not by pyusb's own property: that takes an error for "no strings"."""
    if not device.iSerialNumber:
        return ""
    try:
        languages = usb.util.get_langids(device)
        return str(usb.util.get_string(device, device.iSerialNumber, languages[0])) if languages else ""
    except usb.core.USBError as exc:
        if exc.errno == errno.EPIPE:  # a device refuses what it does not have
            return ""
        raise


def _configure(device: Any) -> Any:
    """The active configuration; a device that has none gets its first. Another program's is never changed."""
    try:
        return device.get_active_configuration()
    except usb.core.USBError as exc:
        if exc.errno is not None:
            raise
    device.set_configuration()
    return device.get_active_configuration()


def _pipes(address: UsbAddress, device: Any) -> tuple[Any, Any, Any]:
    """The first interface of the vendor class with a bulk pipe each way."""
    for interface in device.get_active_configuration():
        pipe_in, pipe_out = _bulk(interface, usb.util.ENDPOINT_IN), _bulk(interface, usb.util.ENDPOINT_OUT)
        if interface.bInterfaceClass == VENDOR_CLASS and pipe_in is not None and pipe_out is not None:
            return interface, pipe_in, pipe_out
    raise PortUnavailable(
        str(address),
        Fault.LINK_OPEN_FAILED,
        "it has no vendor interface with two bulk pipes; a CDC-ACM device is a serial port: configure its /dev/table name",
    )


def _bulk(interface: Any, direction: int) -> Any:
    """The first bulk pipe of a direction that can carry anything, or None."""
    for pipe in interface:
        is_bulk = usb.util.endpoint_type(pipe.bmAttributes) == usb.util.ENDPOINT_TYPE_BULK
        if is_bulk and pipe.wMaxPacketSize and usb.util.endpoint_direction(pipe.bEndpointAddress) == direction:
            return pipe
    return None
