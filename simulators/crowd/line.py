"""The connection of one table of the crowd: MQTT 3.1.1 and nothing that a table of the crowd does not need, a hundredth of a real
client's memory."""

import asyncio
from collections.abc import Callable, Iterator

CONNECT, PUBLISH, PUBACK, SUBSCRIBE = 0x10, 0x30, 0x40, 0x82
CONNACK, SUBACK = 0x20, 0x90
KEEPALIVE_S = 60


def text(value: str) -> bytes:
    """Returns a text as MQTT has it."""
    raw = value.encode()
    return len(raw).to_bytes(2, "big") + raw


def packet(kind: int, body: bytes) -> bytes:
    """Returns a packet with its length."""
    size, length = bytearray(), len(body)
    while True:
        length, low = divmod(length, 128)
        size.append(low | (0x80 if length else 0))
        if not length:
            return bytes([kind]) + bytes(size) + body


class Line(asyncio.Protocol):
    """`came(topic, payload)` for each message; `is_ready()` once the broker lets it read; `ended()` when it is gone."""

    def __init__(
        self,
        client: str,
        will: str,
        filters: list[str],
        came: Callable[[str, bytes], None],
        is_ready: Callable[[], None],
        ended: Callable[[], None],
    ) -> None:
        self._client, self._will, self._filters = client, will, filters
        self._came, self._is_ready, self._ended = came, is_ready, ended
        self._held, self._number, self.unanswered = bytearray(), 0, 0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Says hello."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        hello = text("MQTT") + b"\x04\x2e" + KEEPALIVE_S.to_bytes(2, "big") + text(self._client)
        transport.write(packet(CONNECT, hello + text(self._will) + text('{"state":"lost","session":0}')))

    def connection_lost(self, exc: Exception | None) -> None:
        """The line is gone."""
        self._transport = None
        self._ended()

    def data_received(self, data: bytes) -> None:
        """Takes bytes."""
        self._held += data
        for kind, body in self._packets():
            if kind == CONNACK and self._transport is not None:
                asked = b"".join(text(each) + b"\x01" for each in self._filters)
                self._transport.write(packet(SUBSCRIBE, b"\x00\x01" + asked))
            elif kind == SUBACK:
                self._is_ready()
            elif kind == PUBACK:
                self.unanswered -= 1
            elif kind & 0xF0 == PUBLISH:
                self._message(kind, body)

    def publish(self, topic: str, payload: bytes, qos: int = 1, *, is_retained: bool = False) -> None:
        """Sends a message; nobody waits for it."""
        if self._transport is None:
            return
        mark = b""
        if qos:
            self._number = self._number % 65_535 + 1
            mark = self._number.to_bytes(2, "big")
            self.unanswered += 1
        self._transport.write(packet(PUBLISH | qos << 1 | is_retained, text(topic) + mark + payload))

    def end(self, *, politely: bool) -> None:
        """Ends the line, with a goodbye or as one that is torn."""
        if self._transport is not None:
            if politely:
                self._transport.write(b"\xe0\x00")
                self._transport.close()
            else:
                self._transport.abort()

    def _message(self, kind: int, body: bytes) -> None:
        end = 2 + int.from_bytes(body[:2], "big")
        topic, rest = body[2:end].decode(), body[end:]
        if kind & 0x06:
            if self._transport is not None:
                self._transport.write(packet(PUBACK, rest[:2]))
            rest = rest[2:]
        self._came(topic, rest)

    def _packets(self) -> Iterator[tuple[int, bytes]]:
        held = self._held
        while len(held) > 1:
            length, shift, at = 0, 0, 1
            while at < len(held):
                byte = held[at]
                length |= (byte & 0x7F) << shift
                shift, at = shift + 7, at + 1
                if byte < 0x80:
                    break
            else:
                return
            if len(held) < at + length:
                return
            kind, body = held[0], bytes(held[at : at + length])
            del held[: at + length]
            yield kind & (0xFF if kind & 0xF0 == PUBLISH else 0xF0), body
