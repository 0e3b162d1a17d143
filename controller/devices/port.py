"""Opens a port by hand, without a daemon, or says why not."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from drivers.conformance.bare_host import BareHost, LinkLost
from drivers.device import DeviceConfig
from drivers.errors import Fault, PortUnavailable
from drivers.keys import KeyRefused, read_key
from drivers.protocol.reports import DeviceKind
from drivers.session.assembly import BITS_A_BYTE, TransportFactory, device_transport
from drivers.transport.ports import holder_of

T = TypeVar("T")


class PortTrouble(Exception):
    """A port cannot be used or went away; the text says what to do."""


def on_port(
    path: str,
    baud: int,
    work: Callable[[BareHost], Awaitable[T]],
    key_file: Path | None = None,
    transport_factory: TransportFactory = device_transport,
) -> T:
    """Runs `work` with the port open for it alone. Raises `PortTrouble`."""
    key = _key(key_file)
    config = DeviceConfig("port", DeviceKind.SHUFFLER, path, baud=baud)  # the kind is not known yet, nor asked for

    async def run() -> T:
        host = BareHost(
            lambda on_data, on_lost: transport_factory(config, on_data, on_lost),
            entropy=os.urandom,
            byte_time_s=BITS_A_BYTE / baud,
            key=key,
        )
        async with host:
            return await work(host)

    try:
        return asyncio.run(run())
    except PortUnavailable as exc:
        raise PortTrouble(why_unavailable(exc)) from exc
    except LinkLost as exc:
        raise PortTrouble(f"{path}: {exc}; look at the cable and the device's power, then try again") from exc


def _key(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return read_key(path)
    except KeyRefused as exc:
        raise PortTrouble(str(exc)) from exc


def why_unavailable(exc: PortUnavailable) -> str:
    """Returns the reason, with the name of the process that has the port."""
    if exc.fault is not Fault.LINK_BUSY or (holder := holder_of(exc.path)) is None:
        return str(exc)
    if holder.is_daemon:
        return (
            f"{exc.path}: the daemon (process {holder.pid}) serves this port. "
            "See it with `tablewarden device list`, or stop the daemon first"
        )
    return f"{exc.path}: process {holder.pid} has this port ({holder.command or 'name not known'}); end it first"
