"""What paho would do more slowly: the property block of an MQTT 5 PUBLISH as bytes, and one write for many packets."""

from collections import deque
from itertools import islice
from typing import Any

from paho.mqtt.client import DISCONNECT, PUBLISH

from controller.publish.broker.link import Properties

CONTENT_TYPE, CORRELATION, USER = b"\x03", b"\x09", b"\x26"
"""Property identifiers of MQTT 5, 2.2.2.2."""


class Packed:
    """Stands in for paho's `Properties`, of which a publish uses `pack` alone."""

    __slots__ = ("_properties",)

    def __init__(self, properties: Properties) -> None:
        self._properties = properties

    def pack(self) -> bytes:
        """Length as a variable byte integer (MQTT 5, 1.5.5), then the properties."""
        parts = []
        if self._properties.content_type is not None:
            parts += [CONTENT_TYPE, _text(self._properties.content_type)]
        if self._properties.correlation:
            data = self._properties.correlation
            parts += [CORRELATION, len(data).to_bytes(2, "big"), data]
        for name, value in self._properties.user:
            parts += [USER, _text(name), _text(value)]
        body = b"".join(parts)
        length, head = len(body), bytearray()
        while True:
            length, low = length >> 7, length & 0x7F
            head.append(low | (0x80 if length else 0))
            if not length:
                return bytes(head) + body


def _text(text: str) -> bytes:
    encoded = text.encode()
    return len(encoded).to_bytes(2, "big") + encoded


def join(queue: deque[Any]) -> None:
    """Makes one of paho's packets of all that wait, as it makes a system call for each.

    Nothing is done where paho has work to do behind one of them: a DISCONNECT, a PUBLISH at QoS 0.
    """
    if len(queue) < 2 or any(p["command"] & 0xF0 in (PUBLISH, DISCONNECT) and not p["qos"] for p in queue):
        return
    first = queue[0]
    first["packet"] = first["packet"][first["pos"] :] + b"".join(p["packet"] for p in islice(queue, 1, None))
    first["pos"], first["to_process"] = 0, len(first["packet"])
    queue.clear()
    queue.append(first)
