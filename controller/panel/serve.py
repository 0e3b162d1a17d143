"""Runs the panel: where it may listen, its certificate, and an end that waits for no open stream."""

import asyncio
import ipaddress
import ssl
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import uvicorn

from controller.panel.app import Panel
from controller.panel.live import Live
from controller.panel.people import PeopleFile
from drivers.protocol.records import dataclass

GRACE_S = 1
"""Seconds that a request under way may still take when the panel ends."""


class MayNotListen(Exception):
    """The panel may not serve there; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the panel listens. `names`: further host names under which people reach it."""

    host: str
    port: int
    cert: Path | None = None
    key: Path | None = None
    names: tuple[str, ...] = ()

    def verify(self) -> None:
        """Raises `MayNotListen` for an address beyond this machine without a certificate."""
        if self.cert is None and not ipaddress.ip_address(self.host).is_loopback:
            raise MayNotListen(
                f"{self.host} can be reached from other machines: give --cert and --key, or listen on 127.0.0.1"
            )

    @property
    def hosts(self) -> frozenset[str]:
        """What a browser may write into `Host`."""
        bare = f"[{self.host}]" if ":" in self.host else self.host
        names = {bare, *self.names, *(["localhost"] if ipaddress.ip_address(self.host).is_loopback else [])}
        default = 443 if self.cert else 80
        return frozenset({f"{name}:{self.port}" for name in names} | (names if self.port == default else set()))


class _Server(uvicorn.Server):
    """uvicorn waits for open streams for ever; so this server ends them first."""

    def __init__(self, config: uvicorn.Config, tables: Sequence[Live], loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(config)
        self._tables, self._loop = tables, loop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ends streams, then the server."""
        for live in self._tables:
            self._loop.call_soon_threadsafe(live.stop)
        super().handle_exit(sig, frame)


async def serve(address: Address, tables: Sequence[Live], people: Path, bench: Path | None = None) -> None:
    """Serves until a signal; the first table is the dealer's own. `bench`: its strip, if it is simulated.

    Raises `MayNotListen`, `PeopleUnreadable`.
    """
    address.verify()
    file = PeopleFile(people)
    file.read()
    panel = Panel(tables[0], file, secure=address.cert is not None, others=tables[1:], bench=bench)
    config = uvicorn.Config(
        panel.app(address.hosts), address.host, address.port, log_config=None, access_log=False, server_header=False,
        timeout_graceful_shutdown=GRACE_S, ws="none", ssl_certfile=address.cert, ssl_keyfile=address.key,
    )  # fmt: skip
    try:
        config.load()
    except (OSError, ssl.SSLError) as exc:
        raise MayNotListen(f"{address.cert}: this certificate and key cannot be used: {exc}") from exc
    if config.ssl is not None:
        config.ssl.minimum_version = ssl.TLSVersion.TLSv1_3
    await _Server(config, tables, asyncio.get_running_loop()).serve()
