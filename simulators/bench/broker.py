"""The broker of a run: a mosquitto or an iotcore of our own on a free loopback port, an existing one, or none."""

import asyncio
import getpass
import shutil
import socket
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from drivers.protocol.records import dataclass
from simulators.bench.children import Child, start

DEFAULT_PORT, MAX_PORT = 1883, 65535
UP_S = 10.0
"""How long a broker of our own may take until it takes connections."""
SEEN = ("/usr/sbin", "/usr/local/sbin")
"""Where distributions put mosquitto outside a user's path."""


OURS = ("auto", "iotcore", "memory")
"""What can be asked for beside an existing broker."""
NO_ACL = "any client may read and write every topic (no ACL), and refusals by the broker are not tested"
NO_BROKER = (
    "there is no broker on this machine: install mosquitto, or `pip install tablewarden[bench]` for one that needs no root; or "
    "say --broker memory, then no recorder runs and no delivery is checked"
)
_IOTCORE = """id = 0
[router]
id = 0
max_connections = 100
max_outgoing_packet_count = 200
max_segment_size = 104857600
max_segment_count = 10
[v5.1]
name = "v5"
listen = "127.0.0.1:{port}"
next_connection_delay_ms = 1
[v5.1.connections]
connection_timeout_ms = 60000
max_payload_size = 1048576
max_inflight_count = 100
dynamic_filters = true
"""


class BrokerUnusable(ValueError):
    """The requested broker cannot be used."""


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker of a run. `host` "" = none: the daemon keeps its events in memory and delivers them to nobody.

    `level`: by which a subscriber must speak to it, 4 = MQTT 3.1.1, 5 = MQTT 5.
    """

    says: str
    host: str = ""
    port: int = 0
    child: Child | None = None
    level: int = 4


def _find(program: str) -> str | None:
    return shutil.which(program) or next(
        (found for directory in SEEN if (found := shutil.which(program, path=directory))), None
    )


def is_there() -> bool:
    """Returns True if this machine has a broker that `auto` can take."""
    return _find("mosquitto") is not None or find_spec("iotcore") is not None


def address(wanted: str) -> tuple[str, int] | None:
    """Returns host and port of an existing broker; None for `auto` and `memory`. Raises `BrokerUnusable`."""
    if wanted in OURS:
        return None
    host, port = _parts(wanted)
    if host is None:
        raise BrokerUnusable(f"--broker is auto, iotcore, memory or mqtt://host:port, not {wanted!r}")
    if not 1 <= port <= MAX_PORT:
        raise BrokerUnusable(f"{wanted!r} names no port; a port is from 1 to {MAX_PORT}, as in mqtt://host:1883")
    return host, port


def _parts(wanted: str) -> tuple[str | None, int]:
    """Returns the host (None if missing) and the port (0 if it is no number)."""
    try:
        url = urlsplit(wanted)
    except ValueError:  # half of an address in brackets
        return None, 0
    if url.scheme != "mqtt" or not url.hostname:
        return None, 0
    try:
        return url.hostname, DEFAULT_PORT if url.port is None else url.port
    except ValueError:
        return url.hostname, 0


async def choose(wanted: str, directory: Path) -> Broker:
    """Starts or finds the broker: `auto`, `memory` or `mqtt://host:port`. Raises `BrokerUnusable`, `ChildFailed`."""
    if wanted == "memory":
        return Broker("memory: nothing leaves the daemon, so no recorder runs and no delivery is checked")
    if (there := address(wanted)) is not None:
        return Broker(f"{wanted}, which was there before", *there)
    if wanted == "auto" and (program := _find("mosquitto")) is not None:
        return await _own(program, directory)
    if find_spec("iotcore") is not None:
        return await _iotcore(directory)
    raise BrokerUnusable(NO_BROKER)


async def _own(program: str, directory: Path) -> Broker:
    port = _free_port()
    config = directory / "mosquitto.conf"
    config.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 0\n"
        f"user {getpass.getuser()}\n"  # started by root it would become another user, and outlive us if we are killed
        f"log_dest stderr\nlog_type error\nlog_type warning\nlog_type notice\n"
    )
    child = await start("mosquitto", [program, "-c", str(config)], directory)
    await _up(child, port)
    return Broker(f"mosquitto of our own on 127.0.0.1:{port}", "127.0.0.1", port, child)


async def _iotcore(directory: Path) -> Broker:
    """A broker that pip installs. A listener of it speaks one version of MQTT, and what is published by 5 reaches no 3.1.1."""
    port = _free_port()
    config = directory / "iotcore.toml"
    config.write_text(_IOTCORE.format(port=port))
    code = "import sys; from iotcore.iotcore import IotCoreBroker; IotCoreBroker(config_path=sys.argv[1]).run_forever()"
    child = await start("iotcore", [sys.executable, "-c", code, str(config)], directory)
    await _up(child, port)
    return Broker(f"iotcore on 127.0.0.1:{port}: {NO_ACL}", "127.0.0.1", port, child, level=5)


async def _up(child: Child, port: int) -> None:
    """Waits until the broker takes connections. Raises `ChildFailed`."""
    try:
        async with asyncio.timeout(UP_S):
            while not await _answers(port):
                if not child.is_running:
                    raise child.failed("ended at once")
                await asyncio.sleep(0.02)
    except TimeoutError as exc:
        await child.stop()
        raise child.failed(f"took no connection within {UP_S:g} s") from exc


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
