"""The tables of one list join one mosquitto with the files of `tablewarden provision`, and each writes its own topics alone."""

import asyncio
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.config.load import toml_of
from controller.publish.broker.link import Will
from controller.publish.broker.mqtt import MqttLink
from controller.publish.config import PublishConfig, Tls
from simulators.crowd.table import Table

SITE = "crowd"
"""The site of the crowd's tables."""
INSTALLED = Path("/etc/tablewarden")
LEAST_REFUSAL = 0x80


@pytest.mark.parametrize("tables", [3, pytest.param(40, marks=pytest.mark.full)])
async def test_all_tables_of_a_list_join_and_none_writes_for_another(
    make_mosquitto: Any, tmp_path: Path, tables: int
) -> None:
    """Birth, events and heartbeat of each arrive; its words in the name of its neighbour are refused and reach nobody."""
    names = [f"t-{number:05}" for number in range(tables)]
    (tmp_path / "site.csv").write_text(
        "table,rulebook,broker,devices\n" + "".join(f"{name},md-uth,127.0.0.1,shoe=FT{name}\n" for name in names)
    )
    out = tmp_path / "out"
    run = ["provision", str(tmp_path / "site.csv"), "--site", SITE, "--out", str(out)]
    made = CliRunner().invoke(cli, run)
    assert made.exit_code == 0, made.output
    broker = _broker(make_mosquitto(start=False), out / "broker")
    heard: list[str] = []
    recorder = aiomqtt.Client(
        "127.0.0.1", broker.port, identifier="recorder", protocol=aiomqtt.ProtocolVersion.V5,
        tls_params=aiomqtt.TLSParameters(
            ca_certs=str(out / "recorder/broker-ca.pem"), certfile=str(out / "recorder/recorder.pem"),
            keyfile=str(out / "recorder/recorder.key"),
        ),
    )  # fmt: skip
    async with recorder:
        for topic in ("conn", "evt/+", "tele/+"):
            await recorder.subscribe(f"tablewarden/v1/{SITE}/+/{topic}", qos=1)
        lines = [_line(out / "tables" / name, name, broker.port) for name in names]
        await asyncio.gather(*(line.connect() for line in lines))
        for number, (name, line) in enumerate(zip(names, lines, strict=True)):
            table = Table(number, 1_767_225_600_000_000)
            for topic, body in ((table.topics.conn, table.birth()), (table.topics.heartbeat, table.heartbeat(1))):
                assert not await _refused(line, topic, body)
            assert not await _refused(line, f"{table.topics.base}/evt/main", b"{}")
            other = names[(number + 1) % tables]
            assert name != other
            assert await _refused(line, f"tablewarden/v1/{SITE}/{other}/evt/main", b"false")
        async with asyncio.timeout(20):
            while len(heard) < 3 * tables:
                message = await anext(aiter(recorder.messages))
                assert message.payload != b"false"
                heard.append(message.topic.value)
    assert sorted({topic.split("/")[3] for topic in heard}) == names
    await asyncio.gather(*(line.close() for line in lines))
    await asyncio.get_running_loop().shutdown_default_executor()  # aiomqtt dials in it


def _broker(broker: Any, folder: Path) -> Any:
    """Makes a mosquitto one by the provisioned configuration, with a port and a disk of its own."""
    placed = (folder / "mosquitto.conf").read_text().replace("/etc/mosquitto/tablewarden", str(folder))
    placed = placed.replace("/var/lib/mosquitto/", f"{broker.folder}/")
    broker.lines = ["log_type none"]
    broker.tail = [line for line in placed.splitlines() if line and not line.startswith(("#", "listener"))]
    broker.start()
    return broker


def _line(folder: Path, name: str, port: int) -> MqttLink:
    """The product's connection, by the table's own file; its files lie in the folder instead of where they are installed."""
    said = toml_of(folder / "table.toml")[0]["mqtt"]
    ca, cert = (folder / Path(said[key]).relative_to(INSTALLED) for key in ("ca", "cert"))
    assert Path(said["key"]).name == "table-key"
    tls = Tls(ca, cert, folder / "table.key")
    config = PublishConfig(SITE, name, said["host"], said["client_id"], port=port, tls=tls, connect_timeout_s=20)
    return MqttLink(config, Will(f"tablewarden/v1/{SITE}/{name}/conn", b"{}"))


async def _refused(line: MqttLink, topic: str, body: bytes) -> bool:
    """True where the broker says that this is not permitted, or hangs up over it."""
    code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    closed = asyncio.create_task(line.closed())
    line.send(topic, body, qos=1, answered=code.set_result)
    await asyncio.wait({code, closed}, timeout=10, return_when=asyncio.FIRST_COMPLETED)
    if not code.done():
        assert closed.done(), "no answer"
        return True
    closed.cancel()
    return code.result() >= LEAST_REFUSAL
