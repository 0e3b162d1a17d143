"""`tablewarden device`: what stands at the ports, who it is, and how it behaves. For a technician with a torch.

What is done with recordings of a wire is in `cli_recording`.
"""

import sys
from pathlib import Path
from typing import Any

import click

from controller.cli.device.conformance import conformance
from controller.cli.device.recording import BAUD, KEY_FILE, PORT, anonymise, export, monitor, record, replay
from controller.cli.groups import Sentences
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, reaching, show
from controller.config.load import load_config, socket_of
from controller.config.model import ConfigInvalid
from controller.control.client import DEFAULT_SOCKET, ControlClient, ControlFailed, ControlUnreachable
from controller.devices import documents, page
from controller.devices.listing import UP, listing
from controller.devices.port import PortTrouble, on_port
from drivers.device import DeviceConfig
from drivers.session.probe import Silence
from drivers.session.probe import probe as look_at
from drivers.transport.ports import holder_of, ports


@click.group(cls=Sentences)
def device() -> None:
    """Look at devices, their ports and their wires."""


@device.command(name="list", short_help="Devices and ports: who holds each, what to do next.")
@reaching
@AS_JSON
def list_(socket: Path | None, config: Path | None, as_json: bool) -> None:
    """Show the devices of the table, their ports, who holds each, and the ports of no device.

    Exit code 1 if a device of the table does not serve it.

    \b
    Example:
      tablewarden device list
      tablewarden device list --config config/tables/example.toml
    """
    configured: tuple[DeviceConfig, ...] = ()
    if config is not None:
        try:
            configured = load_config(config).devices
            socket = socket or socket_of(config)
        except ConfigInvalid as exc:
            end(str(exc), WRONG)
    status, why_not = _status(socket or DEFAULT_SOCKET)
    found = listing(configured, status, why_not, ports(), holder_of)
    show(found, page.list_page, as_json)
    is_wrong = any((d["link"] or {}).get("state") not in UP for d in found["devices"])
    sys.exit(WRONG if is_wrong else 0)


def _status(socket: Path) -> tuple[dict[str, Any] | None, str]:
    """What the daemon says, or why it says nothing: its absence is no reason not to look at the ports."""
    try:
        with ControlClient(socket) as daemon:
            return daemon.ask("status"), ""
    except (ControlUnreachable, ControlFailed) as exc:
        return None, str(exc)


@device.command(short_help="Who answers at a port, and how good its line is.")
@PORT
@BAUD
@KEY_FILE
@AS_JSON
def probe(port: str, baud: int, key_file: Path | None, as_json: bool) -> None:
    """Say who answers at a port, what it says of itself, and how good its line is. Changes nothing.

    No level is asked for, no report acknowledged. Takes some four seconds. Exit code 1 if the line is not clean.

    \b
    Example:
      tablewarden device probe /dev/table/shoe-1
    """
    try:
        seen = on_port(port, baud, look_at, key_file=key_file)
    except PortTrouble as exc:
        end(str(exc), UNREACHABLE)
    if isinstance(seen, Silence):
        silence = {"port": port, "answers": False, "bytes_in": seen.bytes_in, "dropped": dict(seen.dropped)}
        show(silence, lambda said: page.silence_page(port, baud, said), as_json)
        sys.exit(UNREACHABLE)
    show(documents.probe_document(port, seen), page.probe_page, as_json)
    sys.exit(0 if seen.is_clean else WRONG)


for command in (record, replay, export, anonymise, monitor, conformance):
    device.add_command(command)
