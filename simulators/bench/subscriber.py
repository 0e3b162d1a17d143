"""A subscriber of our own: enough MQTT 3.1.1 and 5 to receive everything at QoS 1, apart from the daemon's client.

It keeps its session at the broker, so that messages published during a lost connection come later.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from drivers.protocol.records import dataclass

EVERYTHING = "tablewarden/v1/#"
KEEPALIVE_S = 10
REDIAL_S = 0.2
OLD = 4
"""Protocol level of MQTT 3.1.1 in CONNECT."""
KEEPS = b"\x05\x11\xff\xff\xff\xff"
"""Properties of CONNECT in MQTT 5: the session never ends."""
CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ = 1, 2, 3, 4, 8, 9, 12


@dataclass(frozen=True, slots=True)
class Delivered:
    """One message as the broker delivered it. `at_ns`: CLOCK_MONOTONIC. `retained`: published before we
    subscribed."""

    at_ns: int
    topic: str
    retained: bool
    payload: bytes


class Subscriber:
    """Receives until cancelled; calls `on_message` with each delivery, repeats included. `level`: 4 = MQTT 3.1.1, 5 = MQTT 5."""

    def __init__(
        self, host: str, port: int, client_id: str, on_message: Callable[[Delivered], None], level: int = OLD
    ) -> None:
        self._host, self._port, self._client_id, self._on_message = host, port, client_id, on_message
        self._is_new = level > OLD
        self._ready = asyncio.Event()

    async def ready(self) -> None:
        """Waits until the broker has confirmed the subscription."""
        await self._ready.wait()

    async def run(self) -> None:
        """Connects to the broker and collects its messages; connects again whenever the broker hangs up."""
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection(self._host, self._port)
                try:
                    await self._session(reader, writer)
                finally:
                    writer.close()
            await asyncio.sleep(REDIAL_S)

    async def _session(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        level, keeps = (b"\x05\x00", KEEPS) if self._is_new else (b"\x04\x00", b"")
        writer.write(_packet(CONNECT, _text("MQTT") + level + _u16(KEEPALIVE_S) + keeps + _text(self._client_id)))
        pinging = asyncio.create_task(_ping(writer), name="subscriber ping")
        try:
            while True:
                first, body = await _read(reader)
                match first >> 4:
                    case 2:  # CONNACK
                        if body[1]:
                            raise ConnectionRefusedError(f"the broker refused us: code {body[1]}")
                        writer.write(
                            _packet(
                                SUBSCRIBE, _u16(1) + b"\0" * self._is_new + _text(EVERYTHING) + b"\x01", flags=2
                            )
                        )
                    case 9:  # SUBACK
                        self._ready.set()
                    case 3:  # PUBLISH
                        self._deliver(first, body, writer)
                    case _:
                        pass  # answers to our pings
        finally:
            pinging.cancel()
            await asyncio.gather(pinging, return_exceptions=True)

    def _deliver(self, first: int, body: bytes, writer: asyncio.StreamWriter) -> None:
        length = int.from_bytes(body[:2], "big")
        topic, rest = body[2 : 2 + length].decode(), body[2 + length :]
        number = b""
        if first & 0b0110:
            number, rest = rest[:2], rest[2:]
        if self._is_new:
            rest = _behind_properties(rest)
        self._on_message(Delivered(time.monotonic_ns(), topic, bool(first & 1), rest))
        if number:
            writer.write(_packet(PUBACK, number))


async def _ping(writer: asyncio.StreamWriter) -> None:
    while True:
        await asyncio.sleep(KEEPALIVE_S / 2)
        writer.write(_packet(PINGREQ, b""))


async def _read(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Returns the first byte and the body of the next packet."""
    (first,) = await reader.readexactly(1)
    length, shift = 0, 0
    while True:
        (byte,) = await reader.readexactly(1)
        length |= (byte & 0x7F) << shift
        if byte < 0x80:
            return first, await reader.readexactly(length)
        shift += 7


def _behind_properties(data: bytes) -> bytes:
    """Returns the payload behind the properties of a PUBLISH, which are not read."""
    length, shift = 0, 0
    for at, byte in enumerate(data):
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return data[at + 1 + length :]
    return b""


def _packet(kind: int, body: bytes, flags: int = 0) -> bytes:
    """Returns a packet with a body of at most 16,383 bytes."""
    length = len(body)
    size = bytes([length]) if length < 0x80 else bytes([length & 0x7F | 0x80, length >> 7])
    return bytes([kind << 4 | flags]) + size + body


def _text(text: str) -> bytes:
    raw = text.encode()
    return _u16(len(raw)) + raw


def _u16(number: int) -> bytes:
    return number.to_bytes(2, "big")
