"""The adapter's promises, against whatever aiomqtt and paho are locked: their own behaviour is not taken on trust."""

import asyncio
import contextlib
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties as PahoProperties

from controller.publish.broker.link import LinkDown, LinkFailed, Properties, Will
from controller.publish.broker.mqtt import MqttLink
from controller.publish.broker.packing import Packed, join
from controller.publish.config import PublishConfig, Tls

WILL = Will("tablewarden/v1/s/t/conn", b"lost")


def link_to(port: int, **changes: Any) -> MqttLink:
    settings: dict[str, Any] = {"site": "s", "table": "t", "client_id": "t", "host": "127.0.0.1", "port": port}
    return MqttLink(PublishConfig(**{**settings, "keepalive_s": 2, **changes}), WILL)


async def code_of(link: MqttLink, topic: str, payload: bytes = b"x") -> int:
    """The reason code of one QoS 1 publish."""
    answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    link.send(topic, payload, qos=1, answered=answer.set_result)
    async with asyncio.timeout(10):
        return await answer


@pytest.fixture
async def silent_server() -> Any:
    """Accepts connections and says nothing; `ends` counts the connections that the other side has closed."""

    class Server:
        port = ends = 0
        answer: bytes | None = None
        heard = b""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        Server.heard += await reader.read(1)
        if Server.answer is not None:
            writer.write(Server.answer)
            writer.close()
        while await reader.read(1024):
            pass
        Server.ends += 1
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    Server.port = server.sockets[0].getsockname()[1]
    yield Server
    server.close()
    await asyncio.sleep(0)


async def test_the_brokers_reason_codes_are_seen(make_mosquitto: Any, listen: Any) -> None:
    """Taken, nobody listening, not authorized: the library reports all three as success."""
    broker = make_mosquitto(start=False)
    broker.acl("topic readwrite allowed/#", "topic read tablewarden/#")
    broker.start()
    await listen(broker.port, "allowed/heard")
    link = link_to(broker.port)
    limits = await link.connect()
    assert await code_of(link, "allowed/heard") == 0x00
    assert await code_of(link, "allowed/unheard") == 0x10
    assert await code_of(link, "denied") == 0x87
    assert limits.receive_maximum == 20
    await link.close()


async def test_a_311_broker_acknowledges_what_it_denies(make_mosquitto: Any) -> None:
    """Why 5 is the default: on 3.1.1 a refusal cannot be told from success. A change here would be good news."""
    broker = make_mosquitto(start=False)
    broker.acl("topic readwrite allowed/#")
    broker.start()
    link = link_to(broker.port, protocol="3.1.1")
    await link.connect()
    assert await code_of(link, "denied") == 0x00
    await link.close()


async def test_a_cancelled_connect_leaves_no_connection_behind(silent_server: Any, until: Any) -> None:
    """A connection that came about after we gave up would take over the next one, with the same client id."""
    link = link_to(silent_server.port)
    task = asyncio.create_task(link.connect())
    await until(lambda: silent_server.heard)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: silent_server.ends == 1)


async def test_a_connect_that_is_cancelled_while_dialling_is_hung_up(silent_server: Any, until: Any) -> None:
    """The dialling thread cannot be stopped; what it brings home late is closed, and nothing was said on it."""
    link, go = link_to(silent_server.port), threading.Event()
    real = link._client._client_connect
    link._client._client_connect = lambda: (go.wait(5), real())[1]  # type: ignore[method-assign]
    task = asyncio.create_task(link.connect())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go.set()
    await until(lambda: silent_server.ends == 1)
    assert silent_server.heard == b""


async def test_no_answer_to_our_greeting_is_a_failure_in_time(silent_server: Any) -> None:
    """The broker may have seen us, so its will may follow: the caller is told."""
    began = time.monotonic()
    with pytest.raises(LinkFailed, match="no answer to our greeting") as failed:
        await link_to(silent_server.port, connect_timeout_s=0.2).connect()
    assert failed.value.contacted
    assert time.monotonic() - began < 2


async def test_a_broker_that_hangs_up_on_our_greeting_is_told_at_once(silent_server: Any) -> None:
    """The library would wait for its time-out: a missing certificate shows in no other way."""
    silent_server.answer = b""
    began = time.monotonic()
    with pytest.raises(LinkFailed, match="closed the connection"):
        await link_to(silent_server.port).connect()
    assert time.monotonic() - began < 2


async def test_nobody_at_the_port_is_a_failure_without_contact() -> None:
    """No CONNECT left the machine, so the session number can be used again."""
    with pytest.raises(LinkFailed) as failed:
        await link_to(1).connect()
    assert not failed.value.contacted


async def test_wrong_credentials_name_the_reason(make_mosquitto: Any, tmp_path: Path) -> None:
    """An operator reads why the broker said no."""
    (tmp_path / "passwords").write_text("")
    broker = make_mosquitto("allow_anonymous false", f"password_file {tmp_path / 'passwords'}", start=False)
    broker.lines.remove("allow_anonymous true")
    broker.start()
    (tmp_path / "secret").write_text("wrong\n")
    with pytest.raises(LinkFailed, match=r"(?i)not authori[sz]ed"):
        await link_to(broker.port, username="t", password_file=tmp_path / "secret").connect()


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
async def test_a_password_that_cannot_be_read_is_a_reason(
    run: Any, until: Any, tmp_path: Path, content: bytes | None
) -> None:
    """It names the file and what to do; the next try looks again, and no fault of ours is recorded."""
    secret = tmp_path / "secret"
    if content is not None:
        secret.write_bytes(content)
    running = run(1, username="t", password_file=secret)
    await until(lambda: "broker_lost" in running.kinds())
    reason = running.publisher.status()["reason"]
    assert reason.startswith(f"[mqtt] password_file: {secret} cannot be read: ")
    assert running.kinds() == ["broker_lost"]
    secret.write_text("right\n")
    await until(lambda: "password" not in running.publisher.status()["reason"])


async def test_a_certificate_that_cannot_be_read_is_a_reason(run: Any, until: Any, tmp_path: Path) -> None:
    """The file is named, and what to do."""
    running = run(1, tls=Tls(tmp_path / "ca.pem"))
    await until(lambda: "broker_lost" in running.kinds())
    assert running.publisher.status()["reason"].startswith("tls_file_missing: ")
    assert str(tmp_path / "ca.pem") in running.publisher.status()["reason"]


async def test_a_frozen_broker_is_noticed_by_its_silence(mosquitto: Any) -> None:
    """One and a half keep-alives, although the socket stays open; nothing that was on its way is answered."""
    link, answers = link_to(mosquitto.port), []
    await link.connect()
    mosquitto.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    link.send("a", b"x", qos=1, answered=answers.append)
    async with asyncio.timeout(10):
        closed = await link.closed()
    assert 2 < time.monotonic() - began < 6
    assert "silent" in closed.reason, "paho alone needs two keep-alives"
    assert not closed.provoked
    assert answers == []
    with pytest.raises(LinkDown):
        link.send("a", b"x", qos=1)


async def test_a_killed_broker_ends_the_link_at_once_and_for_everybody(mosquitto: Any) -> None:
    """Whoever waits for the end or for messages is woken; the broker is the one that hung up."""
    link = link_to(mosquitto.port)
    await link.connect()
    assert await link.subscribe("a") == 1

    async def read() -> int:
        return len([m async for m in link.incoming()])

    reader = asyncio.create_task(read())
    link.send("a", b"x", qos=1)
    link.send("a", b"y", qos=0)
    await code_of(link, "a", b"z")
    mosquitto.stop()
    async with asyncio.timeout(5):
        assert (await link.closed()).provoked
        assert await reader == 3
    await link.close()


@pytest.mark.parametrize(
    ("goodbye", "provoked", "reason"),
    [
        ("e0 01 8e", False, "taken over"),  # a second machine with our client id
        ("e0 01 8b", False, "shutting down"),
        ("e0 01 95", True, "too large"),
        ("e0 01 82", True, "Protocol error"),
        ("", True, "closed the connection"),  # it just hung up, as all do on 3.1.1
    ],
)
async def test_only_an_end_that_a_message_can_have_caused_is_blamed_on_one(
    silent_server: Any, goodbye: str, provoked: bool, reason: str
) -> None:
    """Bytes by hand: CONNACK (success, no properties), then DISCONNECT with a reason code, then the end."""
    silent_server.answer = bytes.fromhex("20 03 00 00 00" + goodbye)
    link = link_to(silent_server.port)
    await link.connect()
    async with asyncio.timeout(5):
        closed = await link.closed()
    assert reason in closed.reason
    assert closed.provoked is provoked


async def test_more_than_the_socket_takes_waits_for_it_and_is_not_lost(mosquitto: Any, until: Any) -> None:
    """A broker that stops reading for a while gets everything, in order, once it reads again."""
    link, answers = link_to(mosquitto.port, keepalive_s=20), []
    await link.connect()
    mosquitto.send_signal(signal.SIGSTOP)
    for _ in range(100):
        link.send("a", b"x" * 100_000, qos=1, answered=answers.append)
    assert answers == []
    mosquitto.send_signal(signal.SIGCONT)
    await until(lambda: len(answers) == 100)
    await link.close()


async def test_an_idle_link_costs_no_busy_loop(mosquitto: Any) -> None:
    """A writer left registered on a writable socket would spin; a few calls a second are all there may be."""
    link = link_to(mosquitto.port)
    await link.connect()
    await code_of(link, "a")
    before = time.process_time()
    await asyncio.sleep(0.5)
    assert time.process_time() - before < 0.1
    await link.close()


async def test_a_goodbye_keeps_the_will_back_and_an_abort_does_not(
    mosquitto: Any, listen: Any, until: Any
) -> None:
    """DISCONNECT leaves the socket before it is closed."""
    heard = await listen(mosquitto.port, WILL.topic)
    for leave in (MqttLink.close, None):
        link = link_to(mosquitto.port, will_delay_s=0)
        await link.connect()
        if leave is not None:
            await leave(link)
            assert (await link.closed()).reason == "said goodbye"
            await code_of_once(mosquitto.port)
            assert heard.messages == []
        else:
            link.abort("test")
            await until(lambda: heard.messages)


async def code_of_once(port: int) -> None:
    """A round trip on another connection: the broker has seen by then what came before."""
    link = link_to(port, client_id="probe")
    await link.connect()
    await code_of(link, "probe")
    await link.close()


@pytest.mark.parametrize("length", [0, 1, 50, 20_000])
def test_packed_properties_read_back_as_what_was_meant(length: int) -> None:
    """paho's own reader of the property block is the second opinion; lengths cover one, two and three length bytes."""
    user = (("id", "x" * length), ("type", "ünï"), ("source", ""))
    packed = Packed(Properties("application/cloudevents+json", user)).pack()
    read = PahoProperties(PacketTypes.PUBLISH)
    read.unpack(packed)
    assert read.ContentType == "application/cloudevents+json"
    assert tuple(read.UserProperty) == user
    assert Packed(Properties()).pack() == b"\x00"


@pytest.fixture
def certificates(tmp_path: Path) -> Callable[[str], Path]:
    """A throw-away authority and a certificate for broker and table each, made by openssl."""
    assert shutil.which("openssl"), "openssl is not installed"

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=tmp_path)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(
        "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority", "-days", "2"
    )
    (tmp_path / "ext").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    for name in ("broker", "table"):
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "ext", "-days", "2")
        openssl("x509", "-req", "-in", f"{name}.csr", "-out", f"{name}.pem", *signed)
    return lambda name: tmp_path / name


@pytest.mark.filterwarnings("ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning")
async def test_tls_with_a_client_certificate(make_mosquitto: Any, certificates: Callable[[str], Path]) -> None:
    """TLS 1.3 both ways; without our certificate the broker hangs up, and a foreign authority is refused by us.

    paho leaves the socket of a failed handshake to the garbage collector, which grumbles; the leak check still counts.
    """
    broker = make_mosquitto(start=False)
    files = {"cafile": "ca.pem", "certfile": "broker.pem", "keyfile": "broker.key"}
    broker.tail = [*(f"{k} {certificates(v)}" for k, v in files.items()), "require_certificate true"]
    broker.start()
    mine = Tls(certificates("ca.pem"), certificates("table.pem"), certificates("table.key"))
    link = link_to(broker.port, tls=mine)
    await link.connect()
    assert await code_of(link, "a", b"x" * 50_000) == 0x10
    await link.close()
    for tls in (Tls(certificates("ca.pem")), Tls(certificates("table.pem"))):
        with pytest.raises(LinkFailed):
            await link_to(broker.port, tls=tls, connect_timeout_s=3).connect()


async def test_a_cancellation_that_comes_with_the_answer_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is left at that instant would wait for ever for the one that read on."""
    link, asked = link_to(1), asyncio.Event()

    async def answered_all_the_same(*_: object, **__: object) -> list[int]:
        asked.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        return [1]

    monkeypatch.setattr(link._client, "subscribe", answered_all_the_same)
    reading = asyncio.create_task(link.subscribe("t"))
    await asked.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


def _waiting(command: int, packet: bytes, qos: int = 1, pos: int = 0) -> dict[str, Any]:
    """A packet as paho keeps it until it is written; `pos`: bytes of it that went out before."""
    return {"command": command, "packet": packet, "qos": qos, "pos": pos, "to_process": len(packet) - pos}


def test_what_waits_goes_out_in_one_write_in_its_order():
    """Also behind a packet of which a part is out; an acknowledgement of ours between two messages keeps its place."""
    queue = deque(
        [_waiting(0x32, b"\x32\x02ab", pos=1), _waiting(0x40, b"\x40\x02\0\x07", 0), _waiting(0x33, b"\x33\x01c")]
    )
    join(queue)
    assert [(p["packet"], p["pos"], p["to_process"]) for p in queue] == [(b"\x02ab\x40\x02\0\x07\x33\x01c", 0, 10)]


@pytest.mark.parametrize("last", [_waiting(0xE0, b"\xe0\0", 0), _waiting(0x30, b"\x30\x01d", 0)])
def test_a_packet_behind_which_paho_has_work_stays_by_itself(last):
    """DISCONNECT ends the connection once it is out; a PUBLISH at QoS 0 is then said to be published."""
    queue = deque([_waiting(0x32, b"\x32\x02ab"), last])
    join(queue)
    assert [p["packet"] for p in queue] == [b"\x32\x02ab", last["packet"]]
