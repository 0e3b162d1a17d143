"""Ports of devices: the only code that holds a descriptor of a device. Bytes in, bytes out, one loss for each open."""

from drivers.transport.base import (
    CLOSE_DEADLINE_S,
    WRITE_LIMIT,
    DataCallback,
    LostCallback,
    Transport,
    WriteBufferFull,
)
from drivers.transport.loopback import LoopbackCable, LoopbackTransport
from drivers.transport.serial import SerialSettings, SerialTransport
from drivers.transport.usb import UsbTransport
from drivers.transport.usb_address import USB_SCHEME, UsbAddress
from drivers.transport.usb_bus import LibusbBus, UsbBus
from drivers.transport.usbip import UsbIpBus

__all__ = [
    "CLOSE_DEADLINE_S",
    "USB_SCHEME",
    "WRITE_LIMIT",
    "DataCallback",
    "LibusbBus",
    "LoopbackCable",
    "LoopbackTransport",
    "LostCallback",
    "SerialSettings",
    "SerialTransport",
    "Transport",
    "UsbAddress",
    "UsbBus",
    "UsbIpBus",
    "UsbTransport",
    "WriteBufferFull",
]
