"""The descriptors of a simulated USB device, for the bus in this process and for USB/IP.

Field names are those of the USB specification (2.0, chapter 9.6), which pyusb reads too.
"""

import struct

from drivers.protocol.records import dataclass
from drivers.protocol.reports import DeviceKind

TEST_VENDOR = 0x1209
"""pid.codes; its products 0001 to 0010 are for tests and belong to nobody."""
PRODUCTS = {DeviceKind.SHUFFLER: 1, DeviceKind.SHOE: 2, DeviceKind.PROGRESSIVE: 3}
"""Which of them a simulator of this kind is."""

DEVICE, CONFIGURATION, STRING, INTERFACE, ENDPOINT = 1, 2, 3, 4, 5
BULK_TRANSFER, INTERRUPT_TRANSFER = 2, 3
BULK_IN, BULK_OUT = 0x81, 0x01
ENGLISH_US = 0x0409
PACKET = 64
"""Largest bulk packet of a full-speed device."""

I_MANUFACTURER, I_PRODUCT, I_SERIAL = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint. `bInterval`: of interrupt pipes only."""

    bEndpointAddress: int
    bmAttributes: int = BULK_TRANSFER
    wMaxPacketSize: int = PACKET
    bInterval: int = 0

    def pack(self) -> bytes:
        """Returns the endpoint descriptor's 7 bytes (USB 2.0, 9.6.6)."""
        return struct.pack(
            "<BBBBHB", 7, ENDPOINT, self.bEndpointAddress, self.bmAttributes, self.wMaxPacketSize, self.bInterval
        )


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface. `functional`: class-specific descriptors between the interface's and its endpoints'."""

    bInterfaceNumber: int
    bInterfaceClass: int
    endpoints: tuple[Endpoint, ...]
    bInterfaceSubClass: int = 0
    bInterfaceProtocol: int = 0
    functional: bytes = b""

    def pack(self) -> bytes:
        """Returns the interface descriptor and what belongs to it (USB 2.0, 9.6.5)."""
        head = struct.pack(
            "<BBBBBBBBB", 9, INTERFACE, self.bInterfaceNumber, 0, len(self.endpoints),
            self.bInterfaceClass, self.bInterfaceSubClass, self.bInterfaceProtocol, 0,
        )  # fmt: skip
        return head + self.functional + b"".join(endpoint.pack() for endpoint in self.endpoints)


BULK = (Interface(0, 0xFF, (Endpoint(BULK_OUT), Endpoint(BULK_IN))),)
"""A vendor's own interface with a bulk pipe each way: what the daemon speaks to as `usb:`."""

_ACM_FUNCTIONS = bytes.fromhex("0524001001 0524010001 04240202 0524060001")  # header, call management, ACM, union
ACM = (
    # Protocol 0: it does not understand AT commands, so that nothing probes it with them.
    Interface(0, 0x02, (Endpoint(0x82, INTERRUPT_TRANSFER, 16, 9),), 0x02, 0x00, _ACM_FUNCTIONS),
    Interface(1, 0x0A, (Endpoint(BULK_OUT), Endpoint(BULK_IN))),
)
"""A USB serial port: the kernel makes a tty of it, and the daemon speaks to that as to any serial port."""


@dataclass(frozen=True, slots=True)
class Description:
    """The descriptors of a device. `serial` None: no serial number."""

    product: int
    serial: str | None
    name: str = "simulated device"
    interfaces: tuple[Interface, ...] = BULK
    vendor: int = TEST_VENDOR
    maker: str = "simulated"

    @property
    def device_class(self) -> int:
        """The class of the device: communications for ACM, otherwise given by the interfaces."""
        return 0x02 if self.interfaces == ACM else 0

    @property
    def serial_index(self) -> int:
        """The number of the serial number's string; 0 = none."""
        return I_SERIAL if self.serial is not None else 0

    def device(self) -> bytes:
        """Returns the device descriptor: USB 2.0, one configuration."""
        return struct.pack(
            "<BBHBBBBHHHBBBB", 18, DEVICE, 0x0200, self.device_class, 0, 0, PACKET, self.vendor, self.product,
            0x0100, I_MANUFACTURER, I_PRODUCT, self.serial_index, 1,
        )  # fmt: skip

    def configuration(self) -> bytes:
        """Returns the configuration descriptor with all that belongs to it: self-powered, 100 mA."""
        body = b"".join(interface.pack() for interface in self.interfaces)
        return (
            struct.pack("<BBHBBBBB", 9, CONFIGURATION, 9 + len(body), len(self.interfaces), 1, 0, 0xC0, 50) + body
        )

    def string(self, index: int) -> bytes | None:
        """Returns string descriptor `index`; 0 = the languages; None = missing."""
        if index == 0:
            return struct.pack("<BBH", 4, STRING, ENGLISH_US)
        text = {I_MANUFACTURER: self.maker, I_PRODUCT: self.name, I_SERIAL: self.serial}.get(index)
        if text is None:
            return None
        encoded = text.encode("utf-16-le")
        return struct.pack("<BB", 2 + len(encoded), STRING) + encoded
