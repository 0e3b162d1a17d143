"""A recording as a pcapng file, so that evidence can be read with programs that are not ours.

Format: draft-ietf-opsawg-pcapng. TDP/1 has no link type of its own, so it travels as LINKTYPE_USER0 (147), one packet for
each piece between two zero bytes, delimiters included, whether it is a frame or not. Everything else travels as
LINKTYPE_RTAC_SERIAL (250), whose header says the direction. `tests/wireshark/tdp.lua` reads the former.
"""

import struct
from calendar import timegm
from collections.abc import Iterable, Iterator
from time import strptime

from drivers.catalog import Codec
from drivers.protocol.constants import gap_limit
from drivers.protocol.records import dataclass
from drivers.recording.format import IN, OUT, WALL, Entry, Header, Recording

LINKTYPE_USER0, LINKTYPE_RTAC_SERIAL = 147, 250

SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
BYTE_ORDER = 0x1A2B3C4D
END_OF_OPTIONS, COMMENT, IF_NAME, IF_DESCRIPTION, PACKET_FLAGS = 0, 1, 2, 3, 2
INBOUND, OUTBOUND = 1, 2
TX_START, RX_START = 1, 2  # event types of an RTAC serial header

GAP_S = 0.05
"""Silence that ends a message of a device that does not mark the ends of its own."""

BITS_A_BYTE = 10


@dataclass(frozen=True, slots=True)
class Packet:
    """`us`: when its last byte passed, on the clock of the recording. `comment`: what else happened then."""

    us: int
    is_inbound: bool
    data: bytes
    comment: str = ""


def pcapng(recording: Recording) -> bytes:
    """The whole file."""
    return pcapng_of(recording.header, packets(recording), recording.entries[0].us if recording.entries else 0)


def pcapng_of(header: Header, found: Iterable[Packet], first_us: int) -> bytes:
    """A file of these packets; `first_us`: the instant on their clock that is the header's wall time."""
    is_tdp = header.speaks is Codec.TDP
    link_type = LINKTYPE_USER0 if is_tdp else LINKTYPE_RTAC_SERIAL
    began_us = timegm(strptime(header.wall, WALL)) * 1_000_000
    out = [
        _block(SECTION, struct.pack("<IHHq", BYTE_ORDER, 1, 0, -1) + _option(4, header.software.encode())),
        _block(
            INTERFACE,
            struct.pack("<HHI", link_type, 0, 0)
            + _option(IF_NAME, header.device.encode())
            + _option(IF_DESCRIPTION, f"{header.path}, {header.baud} baud, {header.speaks.value}".encode()),
        ),
    ]
    for packet in found:
        data = packet.data if is_tdp else _rtac(packet, first_us)
        out.append(_packet(packet, data, began_us + packet.us - first_us))
    return b"".join(out)


def packets(recording: Recording) -> Iterator[Packet]:
    """What passed, cut into messages, in the order of their last bytes."""
    byte_time_s = BITS_A_BYTE / recording.header.baud
    is_tdp = recording.header.speaks is Codec.TDP
    gap_s = gap_limit(byte_time_s) if is_tdp else GAP_S
    cutters = {kind: _Cutter(kind == IN, is_tdp, gap_s) for kind in (IN, OUT)}
    comments: list[str] = []
    for entry in recording.entries:
        if entry.kind not in cutters:
            if entry.kind in ("port", "recording"):
                comments.append(_comment(entry))
            continue
        other = cutters[OUT if entry.kind == IN else IN]
        if not is_tdp:
            yield from other.flush()  # on a shared line an answer ends the question
        for packet in cutters[entry.kind].take(entry):
            yield Packet(packet.us, packet.is_inbound, packet.data, "; ".join(comments))
            comments.clear()
    rest = [packet for cutter in cutters.values() for packet in cutter.flush()]
    yield from sorted(rest, key=lambda packet: packet.us)


class _Cutter:
    """One direction of a wire, cut where its messages end."""

    def __init__(self, is_inbound: bool, has_delimiters: bool, gap_s: float) -> None:
        self._is_inbound, self._has_delimiters = is_inbound, has_delimiters
        self._gap_us = int(gap_s * 1e6)
        self._held = b""
        self._us = 0

    def take(self, entry: Entry) -> Iterator[Packet]:
        if self._held.strip(b"\0") and entry.us - self._us >= self._gap_us:
            yield from self.flush()
        self._us = entry.us
        self._held += entry.data
        if not self._has_delimiters:
            return
        *ended, rest = self._held.split(b"\0")
        for piece in filter(None, ended):
            yield Packet(entry.us, self._is_inbound, b"\0" + piece + b"\0")
        self._held = b"\0" + rest if rest else b""

    def flush(self) -> Iterator[Packet]:
        """What has no end yet."""
        held, self._held = self._held, b""
        if held.strip(b"\0") or (held and not self._has_delimiters):
            yield Packet(self._us, self._is_inbound, held)


def _comment(entry: Entry) -> str:
    given = ", ".join(f"{key} {value}" for key, value in entry.given.items())
    return f"{entry.kind} {entry.word}{f': {given}' if given else ''}"


def _rtac(packet: Packet, first_us: int) -> bytes:
    seconds, micros = divmod(packet.us - first_us, 1_000_000)
    event = RX_START if packet.is_inbound else TX_START
    return struct.pack(">IIBBH", seconds, micros, event, 0, 0) + packet.data


def _packet(packet: Packet, data: bytes, wall_us: int) -> bytes:
    fixed = struct.pack("<IIIII", 0, wall_us >> 32, wall_us & 0xFFFFFFFF, len(data), len(data))
    options = _option(COMMENT, packet.comment.encode()) if packet.comment else b""
    flags = struct.pack("<I", INBOUND if packet.is_inbound else OUTBOUND)
    return _block(PACKET, fixed + _padded(data) + options + _option(PACKET_FLAGS, flags))


def _block(kind: int, body: bytes) -> bytes:
    """A block; options in it are closed here."""
    body += struct.pack("<HH", END_OF_OPTIONS, 0)
    size = len(body) + 12
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
