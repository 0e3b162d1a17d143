"""Where USB devices are looked for: this computer's bus through libusb, or a bus that stands in for it."""

import os
from typing import Any, Protocol

from drivers.errors import Fault, PortUnavailable
from drivers.transport.usb_address import UsbAddress

SYSFS = "/sys/bus/usb/devices"


class UsbBus(Protocol):
    """A bus with a backend of pyusb (`usb.backend.IBackend`, which has no types). Used by the owner thread of a device."""

    def backend(self) -> Any:
        """Returns the pyusb backend. May block. Raises `PortUnavailable`."""

    def present(self, address: UsbAddress) -> bool:
        """True if something is plugged in at the address's place. Costs at most one look into the file system."""


class LibusbBus:
    """This computer's own bus. libusb is loaded at the first use: a table of serial devices does without it."""

    def backend(self) -> Any:
        """Returns libusb's backend. May block. Raises `PortUnavailable`."""
        import usb.backend.libusb1  # noqa: PLC0415

        if (found := usb.backend.libusb1.get_backend()) is None:
            remedy = (
                "install the system package libusb-1.0-0; where it is there, let the daemon use netlink (its unit)"
            )
            raise PortUnavailable("libusb", Fault.LINK_OPEN_FAILED, remedy)
        return found

    def present(self, address: UsbAddress) -> bool:
        """Returns True if something is plugged in at the address's place."""
        return os.path.exists(f"{SYSFS}/{address.place}")
