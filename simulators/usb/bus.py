"""A USB bus inside this process with a pyusb backend, for tests: callers run pyusb's own code.

Devices are plugged into places and get a new address each time. Faults are arranged call by call: `at` puts an
action before the n-th call of a kind, and the action raises, unplugs or blocks.
"""

import errno
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from types import SimpleNamespace
from typing import Any, Protocol

import usb.backend
import usb.core

from simulators.usb.descriptors import BULK_IN, BULK_OUT, CONFIGURATION, DEVICE, INTERFACE
from simulators.usb.device import CONTROL, Request, UsbDevice


class HasPlace(Protocol):
    """An address that says where a device is expected."""

    @property
    def place(self) -> str:
        """The place as sysfs writes it, `1-2.3`."""


@dataclass(slots=True, eq=False)
class Plugged:
    """One stay of a device at a place. `place`: as sysfs writes it, `1-2.3`."""

    device: UsbDevice
    place: str
    address: int
    users: dict[int, "_Handle"] = field(default_factory=dict)  # by interface
    gone: bool = False


@dataclass(slots=True, eq=False)
class _Handle:
    plugged: Plugged


def failing(code: int) -> Callable[[], None]:
    """Returns an action for `SimulatedBus.at`: the call fails with this error number."""

    def fail() -> None:
        raise _error(code)

    return fail


def _error(code: int) -> usb.core.USBError:
    kind = usb.core.USBTimeoutError if code == errno.ETIMEDOUT else usb.core.USBError
    return kind(os.strerror(code), -1, code)


class SimulatedBus:
    """A simulated bus, callable from any thread. `calls`: backend calls by kind; `handles`: open handles."""

    def __init__(self) -> None:
        self.plugged: list[Plugged] = []
        self.calls: Counter[str] = Counter()
        self.handles: set[_Handle] = set()
        self._actions: list[tuple[str, int, int, Callable[[], None]]] = []
        self._addresses = 1
        self._lock = threading.RLock()

    def plug(self, device: UsbDevice, place: str = "1-1") -> Plugged:
        """Puts a device into a place under a new address."""
        with self._lock:
            self._addresses += 1
            device.plug()
            stay = Plugged(device, place, self._addresses)
            self.plugged.append(stay)
            return stay

    def unplug(self, device: UsbDevice) -> None:
        """Pulls a device out; an open handle finds it gone."""
        with self._lock:
            for stay in [stay for stay in self.plugged if stay.device is device]:
                self.plugged.remove(stay)
                stay.gone = True
        device.unplug()

    def at(self, call: str, action: Callable[[], None], *, after: int = 0, times: int = 1) -> None:
        """Runs `action` before the next `times` calls of the kind `call`, after `after` more of them."""
        with self._lock:
            first = self.calls[call] + after
            self._actions.append((call, first, first + times, action))

    def backend(self) -> Any:
        """Returns the backend for pyusb."""
        return _Backend(self)

    def present(self, address: HasPlace) -> bool:
        """Returns True if something is plugged in there."""
        return any(stay.place == address.place for stay in self.plugged)

    def enter(self, call: str) -> None:
        """Counts a call and runs its arranged action."""
        with self._lock:
            number = self.calls[call]
            self.calls[call] += 1
            due = [action for name, first, end, action in self._actions if name == call and first <= number < end]
        for action in due:
            action()


class _Backend(usb.backend.IBackend):  # type: ignore[misc]
    """The calls of `usb.backend.IBackend` that a host of bulk pipes makes. Time-outs are kept here."""

    def __init__(self, bus: SimulatedBus) -> None:
        self._bus = bus

    def enumerate_devices(self) -> Iterator[Plugged]:
        self._bus.enter("enumerate_devices")
        return iter(list(self._bus.plugged))

    def get_device_descriptor(self, dev: Plugged) -> SimpleNamespace:
        self._bus.enter("get_device_descriptor")
        what, (bus, _, ports) = dev.device.description, dev.place.partition("-")
        numbers = tuple(int(port) for port in ports.split("."))
        return SimpleNamespace(
            bLength=18, bDescriptorType=DEVICE, bcdUSB=0x0200, bDeviceClass=what.device_class, bDeviceSubClass=0,
            bDeviceProtocol=0, bMaxPacketSize0=64, idVendor=what.vendor, idProduct=what.product, bcdDevice=0x0100,
            iManufacturer=1, iProduct=2, iSerialNumber=what.serial_index, bNumConfigurations=1, address=dev.address,
            bus=int(bus), port_number=numbers[-1], port_numbers=numbers, speed=2,
        )  # fmt: skip

    def get_configuration_descriptor(self, dev: Plugged, config: int) -> SimpleNamespace:
        if config:
            raise IndexError(config)
        what = dev.device.description
        return SimpleNamespace(
            bLength=9, bDescriptorType=CONFIGURATION, wTotalLength=len(what.configuration()),
            bNumInterfaces=len(what.interfaces), bConfigurationValue=1, iConfiguration=0, bmAttributes=0xC0, bMaxPower=50,
            extra_descriptors=[],
        )  # fmt: skip

    def get_interface_descriptor(self, dev: Plugged, intf: int, alt: int, config: int) -> SimpleNamespace:
        if alt:
            raise IndexError(alt)
        what = dev.device.description.interfaces[intf]
        return SimpleNamespace(
            bLength=9, bDescriptorType=INTERFACE, bInterfaceNumber=what.bInterfaceNumber, bAlternateSetting=0,
            bNumEndpoints=len(what.endpoints), bInterfaceClass=what.bInterfaceClass,
            bInterfaceSubClass=what.bInterfaceSubClass, bInterfaceProtocol=what.bInterfaceProtocol, iInterface=0,
            extra_descriptors=list(what.functional),
        )  # fmt: skip

    def get_endpoint_descriptor(self, dev: Plugged, ep: int, intf: int, alt: int, config: int) -> SimpleNamespace:
        what = dev.device.description.interfaces[intf].endpoints[ep]
        return SimpleNamespace(
            **asdict(what), bLength=7, bDescriptorType=5, bRefresh=0, bSynchAddress=0, extra_descriptors=[]
        )

    def open_device(self, dev: Plugged) -> _Handle:
        self._bus.enter("open_device")
        self._verify(dev)
        handle = _Handle(dev)
        self._bus.handles.add(handle)
        return handle

    def close_device(self, dev_handle: _Handle) -> None:
        self._bus.enter("close_device")
        self._bus.handles.discard(dev_handle)

    def get_configuration(self, dev_handle: _Handle) -> int:
        self._verify(dev_handle.plugged)
        return dev_handle.plugged.device.configured

    def set_configuration(self, dev_handle: _Handle, config_value: int) -> None:
        self._bus.enter("set_configuration")
        self._verify(dev_handle.plugged)
        dev_handle.plugged.device.configured = config_value

    def claim_interface(self, dev_handle: _Handle, intf: int) -> None:
        self._bus.enter("claim_interface")
        self._verify(dev_handle.plugged)
        if dev_handle.plugged.users.setdefault(intf, dev_handle) is not dev_handle:
            raise _error(errno.EBUSY)

    def release_interface(self, dev_handle: _Handle, intf: int) -> None:
        self._bus.enter("release_interface")
        dev_handle.plugged.users.pop(intf, None)

    def bulk_read(self, dev_handle: _Handle, ep: int, intf: int, buff: Any, timeout: int) -> int:
        self._bus.enter("bulk_read")
        request = self._transfer(dev_handle, BULK_IN, len(buff), b"", timeout)
        buff[: len(request.got)] = type(buff)("B", request.got)
        return len(request.got)

    def bulk_write(self, dev_handle: _Handle, ep: int, intf: int, data: Any, timeout: int) -> int:
        self._bus.enter("bulk_write")
        return self._transfer(dev_handle, BULK_OUT, 0, bytes(data), timeout).taken

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
        self._bus.enter("ctrl_transfer")
        setup = bytes([bmRequestType, bRequest]) + b"".join(
            n.to_bytes(2, "little") for n in (wValue, wIndex, len(data))
        )
        request = self._transfer(dev_handle, CONTROL, len(data), b"", timeout, setup)
        data[: len(request.got)] = type(data)("B", request.got)
        return len(request.got)

    def clear_halt(self, dev_handle: _Handle, ep: int) -> None:
        self._bus.enter("clear_halt")
        self._verify(dev_handle.plugged)
        dev_handle.plugged.device.clear_halt(ep)

    def reset_device(self, dev_handle: _Handle) -> None:
        self._bus.enter("reset_device")
        self._verify(dev_handle.plugged)

    def _verify(self, stay: Plugged) -> None:
        if stay.gone:
            raise _error(errno.ENODEV)

    def _transfer(
        self, handle: _Handle, endpoint: int, length: int, data: bytes, timeout_ms: int, setup: bytes = b""
    ) -> Request:
        """Moves bytes as libusb does: bytes moved before the time-out count as success."""
        self._verify(handle.plugged)
        device, done = handle.plugged.device, threading.Event()
        request = Request(endpoint, length, lambda _: done.set(), data, setup)
        device.submit(request)
        if not done.wait(timeout_ms / 1000) and device.take_back(request):
            if request.got or request.taken:
                return request
            raise _error(errno.ETIMEDOUT)
        if request.status:
            raise _error(-request.status)
        return request
