"""A subscriber with nothing in it but what it must do: MQTT 3.1.1, QoS 1, one callback a message. Bench only."""

import asyncio
from collections.abc import Callable

from simulators.crowd.line import CONNECT, PUBACK, PUBLISH, SUBSCRIBE, packet, text


class Listener(asyncio.Protocol):
    """Calls `heard(topic, payload)` for each message, acknowledging it at once."""

    def __init__(self, topic: str, heard: Callable[[bytes, bytes], None]) -> None:
        self._topic, self._heard, self._held = topic, heard, bytearray()
        self.ready = asyncio.get_running_loop().create_future()
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(
            packet(CONNECT, text("MQTT") + b"\x04\x02" + (0).to_bytes(2, "big") + text("bench-listener"))
        )

    def data_received(self, data: bytes) -> None:
        self._held += data
        while (whole := self._take()) is not None:
            self._packet(*whole)

    def _take(self) -> tuple[int, bytes] | None:
        length, shift, at = 0, 0, 1
        while at < len(self._held):
            byte = self._held[at]
            length |= (byte & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if byte < 0x80:
                break
        else:
            return None
        if len(self._held) < at + length:
            return None
        kind, body = self._held[0], bytes(self._held[at : at + length])
        del self._held[: at + length]
        return kind, body

    def _packet(self, kind: int, body: bytes) -> None:
        assert self.transport is not None
        if kind == 0x20:
            self.transport.write(packet(SUBSCRIBE, b"\x00\x01" + text(self._topic) + b"\x01"))
        elif kind == 0x90:
            self.ready.set_result(None)
        elif kind & 0xF0 == PUBLISH:
            end = 2 + int.from_bytes(body[:2], "big")
            topic, rest = body[2:end], body[end:]
            if kind & 0x06:
                self.transport.write(packet(PUBACK, rest[:2]))
                rest = rest[2:]
            self._heard(topic, rest)


async def listen(port: int, topic: str, heard: Callable[[bytes, bytes], None]) -> Listener:
    """A listener whose subscription the broker has confirmed."""
    loop = asyncio.get_running_loop()
    _, listener = await loop.create_connection(lambda: Listener(topic, heard), "127.0.0.1", port)
    await listener.ready
    return listener
