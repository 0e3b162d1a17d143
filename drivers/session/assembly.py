"""Assembles a session's parts: the transport and the link end for a device's configuration."""

from collections.abc import Callable, Mapping

from drivers.catalog import Codec, images_of
from drivers.device import DeviceConfig
from drivers.keys import read_key
from drivers.lines.bee_tek import beetek_link
from drivers.lines.line import line_link
from drivers.modbus.link import ModbusLink
from drivers.modbus.timing import byte_time
from drivers.protocol.auth import Trust
from drivers.protocol.chain import Place
from drivers.protocol.constants import STALE_AFTER_LOCKOUT_S, STALE_AFTER_S
from drivers.protocol.host.link import HostLink
from drivers.protocol.reports import DeviceKind
from drivers.recording.tap import Recorder, TappedLink, TappedTransport
from drivers.session.pump import Link
from drivers.transport import (
    USB_SCHEME,
    DataCallback,
    LibusbBus,
    LostCallback,
    SerialSettings,
    SerialTransport,
    Transport,
    UsbAddress,
    UsbIpBus,
    UsbTransport,
)

Entropy = Callable[[int], bytes]
LinkFactory = Callable[[DeviceConfig, Entropy, Place | None], Link]
TransportFactory = Callable[[DeviceConfig, DataCallback, LostCallback], Transport]

BITS_A_BYTE = 10
"""On a line with 8N1: a start bit, eight of data, a stop bit."""


FILL: Mapping[Codec, bytes] = {Codec.TDP: b"\0"}
"""What may stand between frames and mean nothing (docs/protocol.md 1), so that no USB transfer ends with a full packet."""


def device_transport(config: DeviceConfig, on_data: DataCallback, on_lost: LostCallback) -> Transport:
    """Returns the transport for a device's path: USB bulk pipes for `usb:`, otherwise a tty. Raises `ValueError`."""
    if config.path.startswith(USB_SCHEME):
        address = UsbAddress.parse(config.path)
        if address.usbip and not config.accept_test_only:
            raise ValueError(f"{config.path}: a bus over USB/IP is for benches, never for a table in play")
        bus = UsbIpBus(address.usbip) if address.usbip else LibusbBus()
        return UsbTransport(address, bus, on_data, on_lost, fill=FILL.get(config.codec, b""))
    return SerialTransport(config.path, SerialSettings(baud=config.baud), on_data, on_lost)


def link_end(
    config: DeviceConfig, entropy: Entropy, durable: Place | None, recorder: Recorder | None = None
) -> Link:
    """Returns a new link end after the last durable report, with a tap if it is recorded. Raises `KeyRefused`.

    Raises `KeyRefused`.
    """
    make = LINKS[config.codec]
    if recorder is None:
        return make(config, entropy, durable)
    return TappedLink(lambda drawn: make(config, drawn, durable), entropy, recorder, durable)


def tapped(factory: TransportFactory, recorder: Recorder | None) -> TransportFactory:
    """Returns the transports with a tap in each if the device is recorded."""
    if recorder is None:
        return factory

    def make(config: DeviceConfig, on_data: DataCallback, on_lost: LostCallback) -> Transport:
        return TappedTransport(lambda d, lost: factory(config, d, lost), recorder, config.path, on_data, on_lost)

    return make


def counts_itself(config: DeviceConfig) -> bool:
    """Returns True if the device numbers its reports; otherwise one link end counts for the daemon's life."""
    return config.codec is Codec.TDP


def _tdp(config: DeviceConfig, entropy: Entropy, durable: Place | None) -> Link:
    return HostLink(
        entropy=entropy,
        last=durable,
        stale_after_s=STALE_AFTER_LOCKOUT_S if config.kind is DeviceKind.PROGRESSIVE else STALE_AFTER_S,
        byte_time_s=BITS_A_BYTE / config.baud,
        trust=_trust(config),
    )


def _trust(config: DeviceConfig) -> Trust | None:
    if config.key_file is None:
        return None
    return Trust(read_key(config.key_file), images_of(config.approved, config.kind))


def _line(config: DeviceConfig, entropy: Entropy, durable: Place | None) -> Link:
    byte_time_s = BITS_A_BYTE / config.baud
    return line_link(config.serial or config.name, boot=int.from_bytes(entropy(8), "big"), byte_time_s=byte_time_s)


def _beetek(config: DeviceConfig, entropy: Entropy, durable: Place | None) -> Link:
    byte_time_s = BITS_A_BYTE / config.baud
    return beetek_link(
        config.serial or config.name, boot=int.from_bytes(entropy(8), "big"), byte_time_s=byte_time_s
    )


def _modbus(config: DeviceConfig, entropy: Entropy, durable: Place | None) -> Link:
    return ModbusLink(
        config.units,
        serial=config.serial or config.name,
        boot=int.from_bytes(entropy(8), "big"),
        byte_time_s=byte_time(config.baud),
    )


LINKS: Mapping[Codec, LinkFactory] = {
    Codec.TDP: _tdp, Codec.LINE: _line, Codec.MODBUS: _modbus, Codec.BEETEK: _beetek,
}  # fmt: skip
"""The link end of each codec: a new way to speak is a file and a line here."""
