"""What a session is put together from: the transport and the link end that fit a device's configuration."""

from collections.abc import Callable

from drivers.catalog import Codec, codec_of
from drivers.device import DeviceConfig
from drivers.ledger import Key
from drivers.line import LineLink
from drivers.protocol.constants import STALE_AFTER_LOCKOUT_S, STALE_AFTER_S
from drivers.protocol.host import HostLink
from drivers.protocol.reports import DeviceKind
from drivers.transport import DataCallback, LostCallback, SerialSettings, SerialTransport, Transport

__all__ = ["TransportFactory", "host_link", "line_link", "serial_transport"]

TransportFactory = Callable[[DeviceConfig, DataCallback, LostCallback], Transport]

BITS_A_BYTE = 10
"""On a line with 8N1: a start bit, eight of data, a stop bit."""


def serial_transport(config: DeviceConfig, on_data: DataCallback, on_lost: LostCallback) -> Transport:
    """The transport of a device on a serial port."""
    return SerialTransport(config.path, SerialSettings(baud=config.baud), on_data, on_lost)


def line_link(config: DeviceConfig, entropy: Callable[[int], bytes]) -> LineLink | None:
    """The link end of a line device, which keeps its count over losses; None for a device that counts itself."""
    if codec_of(config.kind) is not Codec.LINE:
        return None
    return LineLink(config.serial or config.name, boot=int.from_bytes(entropy(8), "big"))


def host_link(config: DeviceConfig, entropy: Callable[[int], bytes], durable: Key | None) -> HostLink:
    """A fresh link end: one life each, starting behind the last durable report."""
    return HostLink(
        entropy=entropy,
        last=durable,
        stale_after_s=STALE_AFTER_LOCKOUT_S if config.kind is DeviceKind.PROGRESSIVE else STALE_AFTER_S,
        byte_time_s=BITS_A_BYTE / config.baud,
    )
