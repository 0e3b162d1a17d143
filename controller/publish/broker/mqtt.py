"""`Link` over aiomqtt and paho: the only module that knows them.

aiomqtt serves one connection well, but hides the reason code of a PUBACK, does not wake a waiting publish when the
connection dies, and drops a CONNECT on the floor when it is cancelled. So its client is subclassed: publishes go
straight to paho, one callback brings back every reason code, reading and writing happen in the loop's own turn, and
silence of the broker is noticed after one and a half keep-alives.
"""

import asyncio
import logging
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiomqtt
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY, MQTT_ERR_SUCCESS, ConnectFlags, DisconnectFlags
from paho.mqtt.client import Client as PahoClient
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties as PahoProperties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller.publish.broker.credentials import HUNG_UP, cause, password, tls_context, unfit_files
from controller.publish.broker.link import (
    NO_PROPERTIES,
    Closed,
    Incoming,
    Limits,
    LinkDown,
    LinkFailed,
    Properties,
    Will,
)
from controller.publish.broker.packing import Packed, join
from controller.publish.config import PublishConfig

LOGGER = logging.getLogger(__name__)
CLOSE_TIMEOUT_S = 1.0
"""How long a goodbye may take to leave the socket."""
SILENCE = 1.5
"""Keep-alives without a byte from the broker after which it counts as gone; brokers use the same factor for us."""
TICKS = 6
"""Looks at the clock in that time: a PING leaves at most a quarter of a keep-alive late, an idle link wakes us rarely."""
INCOMING_LIMIT = 64
"""Messages kept for us to read; a table hears little, and what floods it is dropped and counted in the log."""
KEEPALIVE_TIMEOUT, TAKEN_OVER = 0x8D, 0x8E
NOT_OUR_MESSAGE = frozenset({0x89, 0x8B, KEEPALIVE_TIMEOUT, TAKEN_OVER, 0x98, 0x9C, 0x9D, 0x9F, 0xA0})
"""Reason codes of a broker's DISCONNECT (MQTT 5, 3.14.2.1) that no message of ours can have caused: busy, shutting down,
keep-alive, session taken over, administrative, moved, connection rate, connect time."""


class MqttLink:
    """One connection to a real broker. Must be made in a running loop."""

    def __init__(self, config: PublishConfig, will: Will) -> None:
        self._config = config
        self._unfit = ""  # why there is nothing to connect with
        try:
            self._client = _Client(config, will)
        except (OSError, ValueError) as exc:  # ValueError: not text, or no certificate
            self._unfit = unfit_files(exc, config)

    async def connect(self) -> Limits:
        """Connects within the configured time and returns the broker's limits; raises LinkFailed."""
        if self._unfit:
            raise LinkFailed(self._unfit, contacted=False)
        client = self._client
        try:
            async with asyncio.timeout(self._config.connect_timeout_s):
                return await client.open()
        except TimeoutError:
            client.shut(Closed("timed out"))
            reason = "no answer to our greeting in time" if client.contacted else "cannot reach the broker in time"
            raise LinkFailed(reason, contacted=client.contacted) from None
        except (OSError, aiomqtt.MqttError) as exc:
            client.shut(Closed(str(exc)))
            why = await cause(client.failure or exc, self._config, greeted=client.contacted)
            reason = why or str(exc) or type(exc).__name__
            raise LinkFailed(reason, contacted=client.contacted) from exc
        except BaseException:
            client.shut(Closed("given up"))
            raise

    def send(
        self,
        topic: str,
        payload: bytes,
        *,
        qos: int,
        retain: bool = False,
        properties: Properties = NO_PROPERTIES,
        answered: Callable[[int], None] | None = None,
    ) -> None:
        """Writes a PUBLISH to the socket; `answered` gets the reason code of the PUBACK. Raises LinkDown."""
        self._client.put(topic, payload, qos=qos, retain=retain, properties=properties, answered=answered)

    async def subscribe(self, topic: str, *, as_published: bool = False) -> int:
        """Subscribes at QoS 1; returns the granted QoS, or a reason code from 0x80 on. Raises LinkDown."""
        five = self._config.protocol == "5"
        options = SubscribeOptions(qos=1, retainAsPublished=True) if as_published and five else None
        try:
            qos = 1 if options is None else 0  # paho takes either
            granted = await self._client.subscribe(topic, qos, options, timeout=2 * self._config.keepalive_s)
        except aiomqtt.MqttError as exc:
            raise LinkDown(str(exc)) from exc
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise asyncio.CancelledError  # `asyncio.wait_for` of Python 3.11 loses one that comes together with the answer
        code = granted[0]
        return code if isinstance(code, int) else int(code.value)

    async def incoming(self) -> AsyncIterator[Incoming]:
        """Yields messages of the subscribed topics until the connection ends."""
        try:
            async for message in self._client.messages:
                payload = message.payload if isinstance(message.payload, bytes | bytearray) else b""
                said: dict[str, Any] = vars(message.properties) if message.properties is not None else {}
                asked = (said.get("ResponseTopic", ""), said.get("CorrelationData", b""))
                yield Incoming(message.topic.value, bytes(payload), message.retain, *asked)
        except aiomqtt.MqttError:
            return

    async def closed(self) -> Closed:
        """Waits for the connection's end and returns why it ended."""
        return await asyncio.shield(self._client.over)

    async def close(self) -> None:
        """Sends DISCONNECT, waits at most `CLOSE_TIMEOUT_S`, then closes the socket."""
        self._client.goodbye()
        done, _ = await asyncio.wait({self._client.over}, timeout=CLOSE_TIMEOUT_S)
        if not done:
            self.abort("the goodbye could not be sent")

    def abort(self, reason: str) -> None:
        """Closes the socket without DISCONNECT: the broker publishes the will."""
        self._client.shut(Closed(reason))


class _Client(aiomqtt.Client):
    """aiomqtt's client for exactly one connection; the loop serves its socket directly."""

    def __init__(self, config: PublishConfig, will: Will) -> None:
        five = config.protocol == "5"
        connect, will_properties = _connect_properties(config) if five else (None, None)
        super().__init__(
            config.host,
            config.port,
            identifier=config.client_id,
            username=config.username,
            password=password(config),
            protocol=aiomqtt.ProtocolVersion.V5 if five else aiomqtt.ProtocolVersion.V311,
            clean_session=None if five else True,
            clean_start=True if five else MQTT_CLEAN_START_FIRST_ONLY,
            properties=connect,
            will=aiomqtt.Will(will.topic, will.payload, 1, True, will_properties),
            keepalive=config.keepalive_s,
            timeout=config.connect_timeout_s,
            logger=LOGGER,
            max_queued_incoming_messages=INCOMING_LIMIT,
            tls_context=tls_context(config.tls) if config.tls else None,
        )
        self._client.connect_timeout = config.connect_timeout_s
        # Our own window is the only one: paho's would hold messages back in a second queue.
        self._client.max_inflight_messages_set(0)
        self.over: asyncio.Future[Closed] = self._loop.create_future()
        self.contacted = False
        self.failure: OSError | None = None  # of the socket, which paho keeps to itself
        self._receive, self._client._sock_recv = self._client._sock_recv, self._noted  # type: ignore[method-assign]
        self.limits = Limits()
        self._five = five
        self._quiet_s = SILENCE * config.keepalive_s
        self._heard = self._loop.time()
        self._waiting: dict[int, Callable[[int], None]] = {}
        self._answers: list[tuple[int, int]] = []
        self._thread_id = threading.get_ident()
        self._timer: asyncio.TimerHandle | None = None
        self._fd = -1

    async def open(self) -> Limits:
        """Dials in a thread (paho's connect blocks), then waits for the broker's answer in the loop."""
        await self._dial()
        sock = self._client.socket()
        if isinstance(sock, socket.socket):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await self._connected
        return self.limits

    def _dial(self) -> asyncio.Future[None]:
        """Dials in a daemon thread, so that a hanging name look-up does not delay the process's end."""
        dialled: asyncio.Future[None] = self._loop.create_future()

        def tell(error: Exception | None) -> None:
            if self.over.done():
                self._client._sock_close()
            if dialled.cancelled():
                return
            if error is None:
                dialled.set_result(None)
            else:
                dialled.set_exception(error)

        def work() -> None:
            error: Exception | None = None
            try:
                self._client_connect()
            except Exception as exc:  # told to the waiting side, whatever it is
                error = exc
            try:
                self._loop.call_soon_threadsafe(tell, error)
            except RuntimeError:  # the loop is gone, and with it whoever waited
                self._client._sock_close()

        threading.Thread(target=work, name="mqtt-dial", daemon=True).start()
        return dialled

    def put(
        self,
        topic: str,
        payload: bytes,
        *,
        qos: int,
        retain: bool,
        properties: Properties,
        answered: Callable[[int], None] | None,
    ) -> None:
        if self.over.done():
            raise LinkDown(self.over.result().reason)
        packed: Any = Packed(properties) if self._five and properties is not NO_PROPERTIES else None
        info = self._client.publish(topic, payload, qos, retain, packed)
        if info.rc != MQTT_ERR_SUCCESS:
            raise LinkDown(f"paho refused the publish: {info.rc}")
        if answered is not None:
            self._waiting[info.mid] = answered  # paho has the loop flush next: all of this turn goes out together

    def goodbye(self) -> None:
        """Sends DISCONNECT; paho closes the socket afterwards."""
        if not self.over.done() and self._client.disconnect() == MQTT_ERR_SUCCESS:
            self._flush()

    def shut(self, closed: Closed) -> None:
        """Ends the connection in any state; the first reason stays."""
        if not self.over.done():
            self.over.set_result(closed)
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
        if not self._disconnected.done():
            self._disconnected.set_exception(aiomqtt.MqttError(closed.reason))
            self._disconnected.exception()  # asked for, so that asyncio does not log it as never retrieved
        if not self._connected.done():
            self._connected.set_exception(aiomqtt.MqttError(closed.reason))
            self._connected.exception()
        self._client._sock_close()

    # -- the socket -------------------------------------------------------------------------------------------------

    def _on_socket_open(self, client: PahoClient, userdata: Any, sock: Any) -> None:
        self._loop.call_soon_threadsafe(self._attach, sock)  # runs in the dialling thread

    def _attach(self, sock: Any) -> None:
        if self.over.done() or sock.fileno() < 0:
            return
        self._fd = sock.fileno()
        self._heard = self._loop.time()
        self._loop.add_reader(self._fd, self._read)
        self._tick()

    def _on_socket_close(self, client: PahoClient, userdata: Any, sock: Any) -> None:
        if self._fd >= 0 and not self._loop.is_closed():
            self._loop.remove_reader(self._fd)
            self._loop.remove_writer(self._fd)
        self._fd = -1

    def _on_socket_register_write(self, client: PahoClient, userdata: Any, sock: Any) -> None:
        if threading.get_ident() == self._thread_id:
            self._loop.call_soon(self._flush)
        else:  # the CONNECT, queued by the dialling thread
            self._loop.call_soon_threadsafe(self._flush)

    def _on_socket_unregister_write(self, client: PahoClient, userdata: Any, sock: Any) -> None:
        if self._fd >= 0 and not self._loop.is_closed():
            self._loop.remove_writer(self._fd)

    def _flush(self) -> None:
        """Writes what is queued; the rest waits until the socket is writable."""
        if self.over.done() or not self._client.want_write():
            return
        self.contacted = True
        join(self._client._out_packet)
        self._guarded(self._client.loop_write)
        if self._fd >= 0 and self._client.want_write():
            self._loop.add_writer(self._fd, self._flush)

    def _read(self) -> None:
        self._heard = self._loop.time()
        while True:
            self._guarded(self._client.loop_read)
            sock = self._client.socket()
            if not (isinstance(sock, ssl.SSLSocket) and sock.pending()):
                break  # TLS may hold decrypted bytes that no descriptor announces
        answers, self._answers = self._answers, []
        for mid, code in answers:
            if (answered := self._waiting.pop(mid, None)) is not None:
                answered(code)

    def _noted(self, bufsize: int) -> bytes:
        """Receives for paho, and keeps the error that ends the connection: in it stands the broker's TLS alert."""
        try:
            return self._receive(bufsize)
        except BlockingIOError:
            raise
        except OSError as exc:
            self.failure = exc
            raise

    def _tick(self) -> None:
        """Lets paho send its PINGs, and judges the broker's silence."""
        if self.over.done():
            return
        self._guarded(self._client.loop_misc)
        quiet = self._loop.time() - self._heard
        if quiet > self._quiet_s:
            self.shut(Closed(f"the broker has been silent for {quiet:.0f} s"))
            return
        self._timer = self._loop.call_later(self._quiet_s / TICKS, self._tick)

    def _guarded(self, step: Callable[[], Any]) -> None:
        """Runs a step of paho; an unexpected exception ends the connection."""
        try:
            step()
        except Exception as exc:
            LOGGER.exception("mqtt_client_fault")
            self.shut(Closed(f"fault in the client: {exc!r}"))

    # -- what paho tells --------------------------------------------------------------------------------------------

    def _on_connect(
        self,
        client: PahoClient,
        userdata: Any,
        flags: ConnectFlags,
        reason_code: ReasonCode,
        properties: PahoProperties | None = None,
    ) -> None:
        said: dict[str, Any] = vars(properties) if properties is not None else {}
        self.limits = Limits(
            said.get("ReceiveMaximum", 65535), said.get("MaximumPacketSize"), self._broker_end_s()
        )
        self._quiet_s = SILENCE * (said.get("ServerKeepAlive") or self._keepalive)
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def _broker_end_s(self) -> int | None:
        sock = self._client.socket()
        shown = sock.getpeercert() if isinstance(sock, ssl.SSLSocket) else None
        return int(ssl.cert_time_to_seconds(str(shown["notAfter"]))) if shown else None

    def _on_publish(
        self, client: PahoClient, userdata: Any, mid: int, reason_code: ReasonCode, properties: PahoProperties
    ) -> None:
        # paho holds a lock here that a QoS 0 publish would want: the answers are given out after the read.
        self._answers.append((mid, reason_code.value))

    def _on_disconnect(
        self,
        client: PahoClient,
        userdata: Any,
        flags: DisconnectFlags,
        reason_code: ReasonCode,
        properties: PahoProperties | None = None,
    ) -> None:
        if flags.is_disconnect_packet_from_server:
            provoked = reason_code.value not in NOT_OUR_MESSAGE
            is_taken = reason_code.value == TAKEN_OVER
            closed = Closed(
                f"the broker ended the connection: {reason_code}", provoked=provoked, taken_over=is_taken
            )
        elif reason_code.value == KEEPALIVE_TIMEOUT:
            closed = Closed("the broker did not answer a PING")
        elif reason_code.is_failure:
            closed = Closed(HUNG_UP, provoked=True)
        else:
            closed = Closed("said goodbye")
        if not self.over.done():
            self.over.set_result(closed)
        # Outside of paho's callback, which holds its lock.
        self._loop.call_soon(self.shut, self.over.result())


def _connect_properties(config: PublishConfig) -> tuple[PahoProperties, PahoProperties]:
    connect = PahoProperties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    connect.SessionExpiryInterval = config.session_expiry_s
    will = PahoProperties(PacketTypes.WILLMESSAGE)  # type: ignore[no-untyped-call]
    will.WillDelayInterval = config.will_delay_s
    return connect, will
