"""Where a USB device is expected: which model, which one of them, and in which socket of this computer.

    usb:1209:5457/FT5XYZ01@1-2.3
        |    |    |        | +--- port 2 of the bus, then port 3 of the hub there (sysfs calls the place 1-2.3)
        |    |    |        +----- bus
        |    |    +-------------- serial number, as in the device's string descriptor
        +----+------------------- vendor and product, hexadecimal

All three are needed. The model alone fits every device of its maker, a serial number can be copied, and a device that
turns up in another socket than the sealed one is how an attack on an exposed port begins.
"""

import re

from drivers.protocol.records import dataclass

USB_SCHEME = "usb:"

_WRITTEN = re.compile(
    r"usb:(?P<vendor>[0-9a-fA-F]{4}):(?P<product>[0-9a-fA-F]{4})/(?P<serial>[^@?\s]+)"
    r"@(?P<place>[1-9]\d*-[1-9]\d*(?:\.[1-9]\d*)*)(?:\?usbip=(?P<usbip>\S+))?"
)


@dataclass(frozen=True, slots=True)
class UsbAddress:
    """`place`: bus and ports, as sysfs writes them.

    `usbip`: a USB/IP server in place of this computer's bus, as a path or host:port; "" = none. It is for benches, where
    simulators are the devices, and stands behind the rest: `?usbip=/run/bench/shoe-1`.
    """

    vendor: int
    product: int
    serial: str
    place: str
    usbip: str = ""

    @classmethod
    def parse(cls, text: str) -> "UsbAddress":
        """From the text of a configuration. Raises `ValueError` that says how it is written."""
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no USB address; it is written usb:VID:PID/SERIAL@BUS-PORT.PORT")
        vendor, product = int(found["vendor"], 16), int(found["product"], 16)
        return cls(vendor, product, found["serial"], found["place"], found["usbip"] or "")

    @property
    def model(self) -> str:
        """Vendor and product, as `lsusb` prints them."""
        return f"{self.vendor:04x}:{self.product:04x}"

    def __str__(self) -> str:
        server = f"?usbip={self.usbip}" if self.usbip else ""
        return f"usb:{self.model}/{self.serial}@{self.place}{server}"
