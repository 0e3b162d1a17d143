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

__all__ = [
    "CLOSE_DEADLINE_S",
    "WRITE_LIMIT",
    "DataCallback",
    "LoopbackCable",
    "LoopbackTransport",
    "LostCallback",
    "SerialSettings",
    "SerialTransport",
    "Transport",
    "WriteBufferFull",
]
