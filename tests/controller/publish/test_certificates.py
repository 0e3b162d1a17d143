"""Certificates: made by our command, used by mosquitto as it is shipped, and each failure of TLS by its name and remedy."""

import asyncio
import json
import shutil
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from controller.cli.certificate import CLIENT, SERVER, certificate, issue, make_authority
from controller.publish.broker.link import LinkFailed, Will
from controller.publish.broker.mqtt import MqttLink
from controller.publish.broker.tls_faults import TLS_FAULTS
from controller.publish.certificates import Certificates
from controller.publish.config import PublishConfig, Tls

ROOT = Path(__file__).parents[3]
TABLE = "lv01-bj-017"
BASE = f"tablewarden/v1/lv01/{TABLE}"
NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority, and certificates of it for a broker, a table, another table, the recorder and a reader."""
    folder = tmp_path_factory.mktemp("authority")
    run = CliRunner()
    for arguments in (
        ["authority"], ["broker", "localhost", "127.0.0.1"], ["table", TABLE], ["table", "lv01-bj-018"],
        ["consumer", "recorder"], ["consumer", "reader"],
    ):  # fmt: skip
        done = run.invoke(certificate, [*arguments, "--in", str(folder)])
        assert done.exit_code == 0, done.output
    make_authority(folder / "other", 10)
    issue(folder / "other", TABLE, CLIENT, days=5)
    issue(folder / "other", "broker", SERVER, ["127.0.0.1"], days=5)
    for name, begins, days in (("late", -20, 5), ("early", 5, 5)):
        at = NOW + timedelta(days=begins)
        issue(folder, name, CLIENT, days=days, begins=at)
        issue(folder, f"{name}-broker", SERVER, ["127.0.0.1"], days=days, begins=at)
    issue(folder, "named", SERVER, ["broker.example"], days=5)
    return folder


def tls_of(folder: Path, name: str = TABLE, **other: Any) -> Tls:
    return Tls(other.pop("ca", folder / "authority.pem"), folder / f"{name}.pem", folder / f"{name}.key", **other)


def shipped(broker: Any, folder: Path, server: str = "broker") -> Any:
    """Makes a mosquitto one by the shipped configuration, with these files and a port of its own."""
    lines = (ROOT / "config/broker/mosquitto.conf").read_text().splitlines()
    acl = broker.folder / "acl"
    shutil.copy(ROOT / "config/broker/acl", acl)
    files = {
        "cafile": folder / "authority.pem",
        "certfile": folder / f"{server}.pem",
        "keyfile": folder / f"{server}.key",
    }
    files |= {"acl_file": acl, "persistence_location": f"{broker.folder}/"}
    kept = [line for line in lines if line and not line.startswith(("#", "listener"))]
    broker.lines = ["log_type none"]
    broker.tail = [f"{word} {files[word]}" if (word := line.split()[0]) in files else line for line in kept]
    return broker


@pytest.fixture
def patient(make_mosquitto: Any, folder: Path) -> Any:
    """2.0 hangs up after each publish that it denies where `max_queued_messages` is 0; here it says why, again and again."""
    broker = shipped(make_mosquitto(start=False), folder)
    broker.tail = [line.replace("max_queued_messages 0", "max_queued_messages 1000") for line in broker.tail]
    broker.start()
    return broker


@pytest.fixture
def mosquitto(make_mosquitto: Any, folder: Path) -> Any:
    broker = shipped(make_mosquitto(start=False), folder)
    broker.start()
    return broker


def link_to(port: int, tls: Tls | None, **changes: Any) -> MqttLink:
    settings = {"host": "127.0.0.1", "client_id": TABLE, "connect_timeout_s": 5, **changes}
    return MqttLink(PublishConfig("lv01", TABLE, port=port, tls=tls, **settings), Will(f"{BASE}/conn", b"{}"))


async def reason_of(port: int, tls: Tls | None, **changes: Any) -> str:
    with pytest.raises(LinkFailed) as failed:
        await link_to(port, tls, **changes).connect()
    return failed.value.reason


# -- who may do what ---------------------------------------------------------------------------------------------------

RIGHTS: dict[str, tuple[list[str], list[str]]] = {
    TABLE: (
        ["conn", "evt/main", "state/table", "tele/heartbeat", "rsp/recorder", "rpl/recorder", "api"],
        ["ack/recorder", "cmd/replay", "cmd/refresh"],
    ),
    "lv01-bj-018": (
        [],
        ["conn", "evt/main", "state/table", "tele/heartbeat", "rsp/recorder", "rpl/recorder", "ack/recorder"],
    ),
    "recorder": (
        ["ack/recorder", "cmd/replay", "cmd/refresh"],
        [
            "conn",
            "evt/main",
            "state/table",
            "tele/heartbeat",
            "rsp/recorder",
            "rpl/recorder",
            "ack/other",
            "cmd/open",
        ],
    ),
    "reader": ([], ["conn", "evt/main", "state/table", "ack/reader", "cmd/replay", "cmd/refresh", "rsp/reader"]),
}
"""Who -> topics of the table that they may write, and some that they may not."""
HEARD: dict[str, set[str]] = {
    TABLE: {"conn", "ack/recorder", "cmd/replay", "cmd/refresh"},
    "lv01-bj-018": set(),
    "recorder": {"conn", "evt/main", "state/table", "tele/heartbeat", "rsp/recorder", "rpl/recorder", "api"},
    "reader": {"conn", "evt/main", "state/table", "tele/heartbeat", "api"},
}
"""Who -> topics of the table that they get."""


@pytest.fixture
async def client(folder: Path) -> AsyncIterator[Callable[[str, int], Any]]:
    made: list[aiomqtt.Client] = []

    async def connect(name: str, port: int) -> aiomqtt.Client:
        context = ssl.create_default_context(cafile=str(folder / "authority.pem"))
        context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
        made.append(
            aiomqtt.Client(
                "127.0.0.1",
                port,
                identifier="whatever",
                tls_context=context,
                protocol=aiomqtt.ProtocolVersion.V5,
            )
        )
        return await made[-1].__aenter__()

    yield connect
    for one in made:
        await one.__aexit__(None, None, None)
    await asyncio.get_running_loop().shutdown_default_executor()


async def code_of(client: aiomqtt.Client, topic: str) -> int:
    """The reason code of a publish, which aiomqtt keeps to itself."""
    answered: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    paho, loop = client._client, asyncio.get_running_loop()
    before = paho.on_publish
    paho.on_publish = lambda *given: loop.call_soon_threadsafe(answered.set_result, given[3].value)
    try:
        paho.publish(topic, b"{}", 1)
        return await asyncio.wait_for(answered, 10)
    finally:
        paho.on_publish = before


async def test_the_shipped_rights_give_each_role_its_direction_and_no_other(client: Any, patient: Any) -> None:
    """Each role writes what it may and is refused the rest (0x87); each gets what it may read, and nothing else."""
    clients = {name: await client(name, patient.port) for name in RIGHTS}
    for one in clients.values():
        await one.subscribe(f"{BASE}/#", qos=1)
        for topic in (
            "ack/+",
            "cmd/+",
            "evt/+",
            "state/+",
            "tele/+",
            "rsp/+",
            "rpl/+",
            "rsp/recorder",
            "rpl/recorder",
            "conn",
        ):
            await one.subscribe(f"{BASE}/{topic}", qos=1)
    got: dict[str, set[str]] = {name: set() for name in clients}
    for name, (may, may_not) in RIGHTS.items():
        codes = {topic: await code_of(clients[name], f"{BASE}/{topic}") for topic in (*may, *may_not)}
        assert {topic for topic, code in codes.items() if code < 0x80} == set(may), name
        assert {code for topic, code in codes.items() if topic in may_not} == {0x87}, name
    for name, one in clients.items():
        with suppress(TimeoutError):
            async with asyncio.timeout(0.3):
                async for message in one.messages:
                    got[name].add(str(message.topic).removeprefix(f"{BASE}/"))
    assert got == HEARD


async def test_the_broker_takes_the_client_id_from_the_certificate(
    client: Any, mosquitto: Any, folder: Path
) -> None:
    """Another table that says it is this one throws nobody out."""
    link = link_to(mosquitto.port, tls_of(folder))
    await link.connect()
    await client("lv01-bj-018", mosquitto.port)
    other = link_to(mosquitto.port, tls_of(folder, "lv01-bj-018"))
    await other.connect()
    assert await link.subscribe(f"{BASE}/conn") == 1
    await link.close()
    await other.close()


# -- each failure by its name --------------------------------------------------------------------------------------------

paho_leaves_a_socket = pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
)


@paho_leaves_a_socket
@pytest.mark.parametrize(
    ("server", "code"),
    [
        ("late-broker", "tls_broker_expired"),
        ("early-broker", "tls_broker_not_yet_valid"),
        ("other/broker", "tls_broker_other_authority"),
        ("named", "tls_broker_other_name"),
    ],
)
async def test_a_broker_that_cannot_be_trusted_is_named(
    make_mosquitto: Any, folder: Path, server: str, code: str
) -> None:
    """By the check of this side, against mosquitto."""
    broker = shipped(make_mosquitto(start=False), folder, server)
    broker.start()
    reason = await reason_of(broker.port, tls_of(folder))
    assert reason.startswith(f"{code}: {' '.join(TLS_FAULTS[code])}")


@paho_leaves_a_socket
async def test_what_the_broker_has_against_this_table_is_named(mosquitto: Any, folder: Path) -> None:
    """Its alert comes after the handshake of TLS 1.3."""
    cases = {
        "tls_own_missing": Tls(folder / "authority.pem"),
        "tls_own_expired": tls_of(folder, "late"),
        "tls_own_not_yet_valid": tls_of(folder, "early"),
        "tls_own_other_authority": tls_of(folder / "other", ca=folder / "authority.pem"),
        "tls_own_refused": tls_of(folder, "broker"),  # a server's certificate
    }
    found = {code: (await reason_of(mosquitto.port, tls)).split(":")[0] for code, tls in cases.items()}
    assert found == {code: code for code in cases}


@paho_leaves_a_socket
async def test_a_port_without_tls_and_one_with_it_are_named(
    make_mosquitto: Any, mosquitto: Any, folder: Path
) -> None:
    """TLS towards a plain port, and the other way round."""
    plain = make_mosquitto()
    assert (await reason_of(plain.port, tls_of(folder))).startswith("tls_plain_port: ")
    assert (await reason_of(mosquitto.port, None)).startswith("mqtt_not_answered: ")


@paho_leaves_a_socket
async def test_a_broker_that_speaks_only_old_tls_is_named(
    make_mosquitto: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """mosquitto, held at TLS 1.2 by its OpenSSL; by `tls_minimum` it is reached."""
    config = "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nMaxProtocol = TLSv1.2\n"
    (tmp_path / "openssl.cnf").write_text(config)
    broker = shipped(make_mosquitto(start=False), folder)
    broker.tail = [line for line in broker.tail if not line.startswith("tls_version")]
    monkeypatch.setenv("OPENSSL_CONF", str(tmp_path / "openssl.cnf"))
    broker.start()
    assert (await reason_of(broker.port, tls_of(folder))).startswith("tls_protocol_version: ")
    link = link_to(broker.port, tls_of(folder, minimum="1.2"))
    await link.connect()
    await link.close()


async def test_files_that_cannot_be_used_are_named(folder: Path, tmp_path: Path) -> None:
    """Before anything is dialled; an encrypted key does not wait for a passphrase that nobody types."""
    key = load_pem_private_key((folder / f"{TABLE}.key").read_bytes(), None)
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x"))
    (tmp_path / "locked.key").write_bytes(locked)
    (tmp_path / "junk.pem").write_text("junk")
    ca, cert, mine = folder / "authority.pem", folder / f"{TABLE}.pem", folder / f"{TABLE}.key"
    cases = {
        "tls_key_mismatch": Tls(ca, cert, folder / "recorder.key"),
        "tls_key_encrypted": Tls(ca, cert, tmp_path / "locked.key"),
        "tls_file_missing": Tls(ca, cert, tmp_path / "none.key"),
        "tls_file_damaged": Tls(ca, tmp_path / "junk.pem", mine),
    }
    for code, tls in cases.items():
        assert (await reason_of(1, tls)).split(":")[0] == code
    assert str(tmp_path / "none.key") in await reason_of(1, cases["tls_file_missing"])
    assert (await reason_of(1, Tls(tmp_path / "junk.pem"))).startswith("tls_file_damaged: ")


async def test_a_key_that_the_daemon_may_not_read_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As whoever runs the tests may be root, opening the file is what fails here."""
    opened = Path.open

    def refuse(path: Path, *given: Any, **named: Any) -> Any:
        if path.suffix == ".key":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *given, **named)

    monkeypatch.setattr(Path, "open", refuse)
    reason = await reason_of(1, tls_of(folder))
    assert reason.startswith("tls_file_unreadable: ")
    assert reason.endswith(f"({folder / TABLE}.key)")


# -- new certificates, and old ones ----------------------------------------------------------------------------------------


@pytest.fixture
def mine(folder: Path, tmp_path: Path) -> Tls:
    """A table's files in a folder of its own."""
    for name in ("authority.pem", "authority.key", f"{TABLE}.pem", f"{TABLE}.key"):
        shutil.copy(folder / name, tmp_path / name)
    return tls_of(tmp_path)


async def test_a_new_certificate_is_taken_while_connected(
    mosquitto: Any, mine: Tls, run: Any, journal: Any, until: Any, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that cannot be used changes nothing; with a good one the connection is made again, and no event is lost."""
    monkeypatch.setattr(Certificates, "look_s", 0.05)
    heard: list[str] = []
    recorder = await client("recorder", mosquitto.port)
    await recorder.subscribe(f"{BASE}/evt/+", qos=1)
    running = run(mosquitto.port, tls=mine, client_id=TABLE)
    journal.add(count=30)
    await until(lambda: running.publisher.status()["acked"] >= 30)
    session = running.publisher.status()["session"]
    good = mine.cert.read_bytes()
    mine.cert.write_text("junk")
    await asyncio.sleep(0.3)
    assert running.publisher.status()["session"] == session
    mine.cert.write_bytes(good)
    issue(mine.ca.parent, TABLE, CLIENT, days=300, renew=True)
    journal.add(count=30)
    running.publisher.wake()
    await until(
        lambda: (running.publisher.status()["session"] or 0) > session and running.publisher.status()["connected"]
    )
    journal.add(count=30)
    running.publisher.wake()
    async with asyncio.timeout(20):
        async for message in recorder.messages:
            heard.append(json.loads(message.payload)["sequence"])
            if len(set(heard)) == 90:
                break
    assert sorted(set(heard)) == [f"{n:020d}" for n in range(1, 91)]
    assert [data["reason"] for kind, data in running.reports if kind == "broker_lost"] == [
        "a new certificate is in place"
    ]


def test_the_end_of_a_certificate_is_reported_ahead_once_a_span(folder: Path) -> None:
    """Table, authority and broker; a restart says it again, another day of the same span does not."""
    told: list[tuple[str, int]] = []
    watch = Certificates(tls_of(folder), lambda kind, **data: told.append((data["certificate"], data["days"])))
    watch.begin()
    end_s = watch._ends["table"]
    for left in (31, 30.5, 30, 29, 14.5, 13, 6, 2, 0.5, 0.4, -1):
        watch.warn(round((end_s - left * 86_400) * 1_000_000), None)
    assert told == [("table", 30), ("table", 14), ("table", 6), ("table", 2), ("table", 0)]
    told.clear()
    watch.warn(round((end_s - 100 * 86_400) * 1_000_000), end_s - 98 * 86_400)
    assert told == [("broker", 2)]


def test_the_command_never_overwrites_and_renews_with_the_key_that_is_there(tmp_path: Path) -> None:
    """Files of an authority are no table's."""
    run = CliRunner()

    def invoke(*arguments: str) -> Any:
        return run.invoke(certificate, [*arguments, "--in", str(tmp_path)])

    assert invoke("table", "t-1").exit_code == 1
    assert invoke("authority").exit_code == 0
    assert invoke("table", "t-1", "--days", "5").exit_code == 0
    key, first = (tmp_path / "t-1.key").read_bytes(), (tmp_path / "t-1.pem").read_bytes()
    assert (tmp_path / "t-1.key").stat().st_mode & 0o777 == 0o600
    again = invoke("table", "t-1")
    assert (again.exit_code, "never overwritten" in again.output) == (1, True)
    assert invoke("table", "t-1", "--renew").exit_code == 0
    assert (tmp_path / "t-1.key").read_bytes() == key
    assert (tmp_path / "t-1.pem").read_bytes() != first
    for arguments in (["table", "broker"], ["consumer", "authority"], ["table", "No Table"]):
        assert invoke(*arguments).exit_code == 2
