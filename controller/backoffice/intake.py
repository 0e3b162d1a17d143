"""Messages from the broker, acknowledged only when somebody says so.

paho's own thread reads; the recorder takes messages and, once they are durable, acknowledges them. A message can be acknowledged
only on its own connection: the broker sends it again on the next one, and may then use its packet identifier for another message.
"""

import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import structlog
from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from controller.backoffice.row import ROOT
from drivers.protocol.records import dataclass

KEEPALIVE_S = 30
SESSION_S = 7 * 86_400
"""How long the broker keeps what this recorder has not taken."""
UNACKNOWLEDGED = 5_000
"""MQTT 5: what the broker sends at most without being acknowledged. Of MQTT 3.1.1 the broker's own limit counts."""
CONNECTED = "connected"
"""The state in which everything is well."""
PACKET_BYTES = 1_048_576
LOSSY_ABOVE = 20_000
"""Messages in memory above which those of QoS 0 are dropped: nobody holds their number down."""
READ_BYTES = 65_536
WAITING = 1_000
TAKEN_OVER = 0x8E
SHORT_S, SHORT_MOST = 5.0, 5
"""Not every broker says that another client took a session over. But two clients by one name end each other's connections: so
many in a row, each shorter than this."""

_PUBACK = struct.Struct("!BBH").pack

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Broker:
    """Where the broker is and how to speak to it. `ca`, `certificate`, `key`: paths."""

    host: str
    port: int
    is_tls: bool = False
    user: str | None = None
    password: str | None = None
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    is_old: bool = False

    @classmethod
    def of(cls, url: str, **rest: Any) -> "Broker":
        """Returns the broker of `mqtt://[user[:password]@]host[:port]` or `mqtts://...`. Raises ValueError."""
        parts = urlsplit(url)
        if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or parts.path not in ("", "/"):
            raise ValueError(f"{url} is no mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")
        is_tls = parts.scheme == "mqtts"
        user, password = (unquote(each) if each else None for each in (parts.username, parts.password))
        given = {"user": user, "password": password, **{name: value for name, value in rest.items() if value}}
        return cls(parts.hostname, parts.port or (8883 if is_tls else 1883), is_tls, **given)


class Message(NamedTuple):
    """A message as it came. `connection` tells on which connection."""

    topic: str
    payload: bytes
    qos: int
    is_retained: bool
    mid: int
    connection: int


class _Buffered:
    """A socket of which much is read at once. paho reads a packet in four small pieces and looks for more before the next: that
    would be half of what an event costs."""

    def __init__(self, line: Any) -> None:
        self._line, self._data, self._at = line, b"", 0
        self.send, self.close, self.fileno, self.setblocking = line.send, line.close, line.fileno, line.setblocking

    def recv(self, size: int) -> bytes:
        """Returns up to `size` bytes; raises as the socket does where there are none."""
        if self._at == len(self._data):
            self._data, self._at = self._line.recv(READ_BYTES), 0
        part = self._data[self._at : self._at + size]
        self._at += len(part)
        return part

    def pending(self) -> int:
        """Returns how many bytes can be read without waiting."""
        return len(self._data) - self._at + (self._line.pending() if hasattr(self._line, "pending") else 0)


class _Client(paho.Client):
    """paho's client, reading much at once, whose thread outlives a broker that sends what is no MQTT."""

    on_arrival: Callable[[str, bytes, int, bool, int], None]

    def _create_socket(self) -> Any:
        return _Buffered(super()._create_socket())

    def loop_read(self, max_packets: int = 1) -> MQTTErrorCode:
        """Handles all packets that have been read."""
        done = super().loop_read(max_packets)
        while (
            done == MQTTErrorCode.MQTT_ERR_SUCCESS and isinstance(self._sock, _Buffered) and self._sock.pending()
        ):
            done = super().loop_read(max_packets)
        return done

    def _handle_publish(self) -> MQTTErrorCode:
        """Takes a message of QoS 0 or 1 without looking at its properties: a third of what an event costs."""
        command, packet = self._in_packet["command"], bytes(self._in_packet["packet"])
        qos = command >> 1 & 3
        if qos > 1:
            return super()._handle_publish()
        at = 2 + int.from_bytes(packet[:2], "big")
        topic = packet[2:at].decode(errors="replace")
        mid = int.from_bytes(packet[at : at + 2], "big") if qos else 0
        at += 2 * qos
        if self._protocol == paho.MQTTv5:
            length, used = _variable(packet, at)
            at += used + length
        if at > len(packet):
            raise ValueError("a message ends before its content")
        self.on_arrival(topic, packet[at:], qos, bool(command & 1), mid)
        return MQTTErrorCode.MQTT_ERR_SUCCESS

    def acknowledge(self, mids: list[int]) -> None:
        """Does what `ack` does for each, with one system call for all: a fifth of what an event costs."""
        packets = b"".join(_PUBACK(0x40, 2, mid) for mid in mids)
        self._packet_queue(paho.PUBACK, packets, mids[0], 1)

    def loop_forever(self, timeout: float = 1.0, retry_first_connection: bool = False) -> MQTTErrorCode:
        """Reads until `disconnect`; connects anew after bytes that are no MQTT."""
        while True:
            try:
                return super().loop_forever(timeout, retry_first_connection)
            except Exception as exc:  # whatever the parser stumbles over
                _log.error("broker_sends_no_mqtt", error=repr(exc))
                time.sleep(1.0)
                with suppress(OSError):
                    self.reconnect()


def _variable(packet: bytes, at: int) -> tuple[int, int]:
    """Returns a number of variable length and how many bytes it takes."""
    value = used = 0
    while True:
        byte = packet[at + used]
        value |= (byte & 127) << 7 * used
        used += 1
        if byte < 128:
            return value, used


class Intake:
    """One client with a persistent session. `client_id` is fixed; `filters`: what it reads."""

    def __init__(self, broker: Broker, client_id: str, filters: Callable[[], Iterable[str]]) -> None:
        self._broker, self._filters = broker, filters
        self._queue: SimpleQueue[Message] = SimpleQueue()
        self._lock = threading.Lock()
        self._connection = 0
        self.connected_at: float | None = None
        self.state = f"not connected to {broker.host}:{broker.port}"
        self.is_taken_over = False
        self._short = 0
        self.dropped = 0
        version = paho.MQTTv311 if broker.is_old else paho.MQTTv5
        clean = False if broker.is_old else None
        self._client = client = _Client(
            CallbackAPIVersion.VERSION2, client_id, clean, protocol=version, manual_ack=True
        )
        client.on_connect, client.on_disconnect = self._on_connect, self._on_disconnect
        client.on_pre_connect, client.on_connect_fail = self._on_pre_connect, self._on_connect_fail
        client.on_arrival, client.on_subscribe = self._on_arrival, self._on_subscribe
        client.reconnect_delay_set(1, 10)
        client.max_queued_messages_set(WAITING)
        client.connect_timeout = 5.0
        if broker.user is not None:
            client.username_pw_set(broker.user, broker.password)
        if broker.is_tls:
            context = ssl.create_default_context(cafile=broker.ca)
            if broker.certificate:
                context.load_cert_chain(broker.certificate, broker.key)
            client.tls_set_context(context)

    def start(self) -> None:
        """Begins to connect, and does so for ever."""
        rest: dict[str, Any] = {}
        if not self._broker.is_old:
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            properties.SessionExpiryInterval = SESSION_S
            properties.ReceiveMaximum = UNACKNOWLEDGED
            properties.MaximumPacketSize = PACKET_BYTES
            rest = {"clean_start": False, "properties": properties}
        self._client.connect_async(self._broker.host, self._broker.port, KEEPALIVE_S, **rest)
        self._client.loop_start()

    def stop(self) -> None:
        """Says goodbye; the broker keeps the session."""
        self._client.disconnect()
        self._client.loop_stop()

    def take(self, most: int, wait_s: float) -> list[Message]:
        """Returns the next messages, in order; after `wait_s` without one, none."""
        found: list[Message] = []
        try:
            found.append(self._queue.get(timeout=wait_s))
            while len(found) < most:
                found.append(self._queue.get_nowait())
        except Empty:
            pass
        return found

    @property
    def has_more(self) -> bool:
        """True if a message waits to be taken."""
        return not self._queue.empty()

    def acknowledge(self, messages: Iterable[Message]) -> None:
        """Tells the broker that these messages are durable. Those of an earlier connection it sends again."""
        with self._lock:
            mids = [each.mid for each in messages if each.qos and each.connection == self._connection]
            if mids:
                self._client.acknowledge(mids)

    def publish(
        self, topic: str, payload: bytes, *, is_retained: bool = False, answer_to: str | None = None
    ) -> bool:
        """Publishes with QoS 1; returns False if not connected, or if `WAITING` messages wait to be sent already.

        `answer_to`: the response topic, where there is one.
        """
        if self.connected_at is None:
            return False
        properties = None
        if answer_to is not None and not self._broker.is_old:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.ResponseTopic = answer_to
        return (
            self._client.publish(topic, payload, 1, is_retained, properties).rc == MQTTErrorCode.MQTT_ERR_SUCCESS
        )

    def subscribe(self, filters: Iterable[str]) -> None:
        """Reads these, too. `filters` of this object must hold them from now on."""
        if wanted := [(each, 1) for each in filters]:
            self._client.subscribe(wanted)

    def _begin(self, connected_at: float | None, state: str) -> None:
        with self._lock:
            self._connection += 1
            self.connected_at, self.state = connected_at, state

    def _on_pre_connect(self, _client: paho.Client, _data: Any) -> None:
        self._begin(None, self.state)

    def _on_connect_fail(self, _client: paho.Client, _data: Any) -> None:
        self.state = f"no broker answers at {self._broker.host}:{self._broker.port}"

    def _on_connect(self, client: paho.Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            self._begin(None, f"the broker refuses the connection: {reason}")
            return
        self._begin(time.monotonic(), "the broker has not said yet what this recorder may read")
        self.subscribe(self._filters())

    def _on_subscribe(self, _client: paho.Client, _data: Any, _mid: int, reasons: Any, _properties: Any) -> None:
        if refused := [str(each) for each in reasons if each.is_failure]:
            self.state = f"the broker refuses to let this recorder read {ROOT}...: {refused[0]}"
        else:
            self.state = CONNECTED

    def _on_disconnect(self, client: paho.Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if self.connected_at is not None:
            self._short = self._short + 1 if time.monotonic() - self.connected_at < SHORT_S else 0
        self._begin(None, f"the connection to the broker ended: {reason}")
        if getattr(reason, "value", None) == TAKEN_OVER or self._short >= SHORT_MOST:
            self.is_taken_over = True
            client.disconnect()

    def _on_arrival(self, topic: str, payload: bytes, qos: int, is_retained: bool, mid: int) -> None:
        if qos == 0 and self._queue.qsize() > LOSSY_ABOVE:
            self.dropped += 1
            return
        self._queue.put(Message(topic, payload, qos, is_retained, mid, self._connection))
