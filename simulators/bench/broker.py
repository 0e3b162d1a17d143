"""The broker of a run: a mosquitto of our own on a free loopback port, an existing one, or none."""

import asyncio
import getpass
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from simulators.bench.children import Child, start

DEFAULT_PORT, MAX_PORT = 1883, 65535
UP_S = 10.0
"""How long a broker of our own may take until it takes connections."""
SEEN = ("/usr/sbin", "/usr/local/sbin")
"""Where distributions put mosquitto outside a user's path."""


class BrokerUnusable(ValueError):
    """The requested broker cannot be used."""


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker of a run. `host` "" = none: the daemon keeps its events in memory and delivers them to nobody."""

    says: str
    host: str = ""
    port: int = 0
    child: Child | None = None


def _find(program: str) -> str | None:
    return shutil.which(program) or next(
        (found for directory in SEEN if (found := shutil.which(program, path=directory))), None
    )


def address(wanted: str) -> tuple[str, int] | None:
    """Returns host and port of an existing broker; None for `auto` and `memory`. Raises `BrokerUnusable`."""
    if wanted in ("auto", "memory"):
        return None
    host, port = _parts(wanted)
    if host is None:
        raise BrokerUnusable(f"--broker is auto, memory or mqtt://host:port, not {wanted!r}")
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
        return Broker("memory: nothing is delivered outside")
    if (there := address(wanted)) is not None:
        return Broker(f"{wanted}, which was there before", *there)
    program = _find("mosquitto")
    if program is None:
        return Broker("memory: there is no mosquitto on this machine")
    return await _own(program, directory)


async def _own(program: str, directory: Path) -> Broker:
    port = _free_port()
    config = directory / "mosquitto.conf"
    config.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 0\n"
        f"user {getpass.getuser()}\n"  # started by root it would become another user, and outlive us if we are killed
        f"log_dest stderr\nlog_type error\nlog_type warning\nlog_type notice\n"
    )
    child = await start("mosquitto", [program, "-c", str(config)], directory)
    try:
        async with asyncio.timeout(UP_S):
            while not await _answers(port):
                if not child.is_running:
                    raise child.failed("ended at once")
                await asyncio.sleep(0.02)
    except TimeoutError as exc:
        await child.stop()
        raise child.failed(f"took no connection within {UP_S:g} s") from exc
    return Broker(f"mosquitto of our own on 127.0.0.1:{port}", "127.0.0.1", port, child)


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
