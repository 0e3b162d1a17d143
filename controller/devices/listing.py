"""Makes the list of `device list`: the table's devices, this machine's ports, and which belong together."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from drivers.device import DeviceConfig
from drivers.errors import Fault
from drivers.transport import USB_SCHEME
from drivers.transport.ports import Holder, Port

Document = dict[str, Any]

UP = ("online", "suspect")
"""States of a link in which its device serves the table."""


def listing(
    configured: Iterable[DeviceConfig],
    status: Mapping[str, Any] | None,
    why_not: str,
    ports: Iterable[Port],
    holder_of: Any,
) -> Document:
    """Returns the list from the configuration, the daemon's status (None = no answer, `why_not`), and the ports.

    `holder_of(path)`: returns who has a port locked. Devices that only the daemon knows are listed too.
    """
    told: Mapping[str, Any] = (status or {}).get("devices") or {}
    by_path = {port.path: port for port in ports}
    devices = {device.name: _of_config(device) for device in configured}
    for name, said in told.items():
        link = said.get("link") or {}
        known = devices.setdefault(
            name, _device(name, said["kind"], link.get("path", ""), said.get("serial") or None)
        )
        known["link"] = {key: link.get(key) for key in ("state", "since_s", "reason", "detail", "counters")}
    for device in devices.values():
        _find_port(device, by_path, holder_of)
    taken = {device["leads_to"] for device in devices.values()}
    others = [
        {**asdict(port), "names": list(port.names), "holder": _holder(holder_of(port.path))}
        for port in by_path.values()
        if port.path not in taken
    ]
    daemon = {"running": status is not None, "reason": why_not, "table": (status or {}).get("table", "")}
    return {"daemon": daemon, "devices": list(devices.values()), "ports": others}


def _of_config(device: DeviceConfig) -> Document:
    return _device(device.name, device.kind.value, device.path, device.serial)


def _device(name: str, kind: str, path: str, serial: str | None) -> Document:
    return {"device": name, "kind": kind, "path": path, "expected_serial": serial, "link": None}


def _find_port(device: Document, by_path: Mapping[str, Port], holder_of: Any) -> None:
    """Returns where a device's path leads, what is there, and who has it."""
    path = device["path"]
    is_usb = path.startswith(
        USB_SCHEME
    )  # known by model, serial number and socket; only its link tells whether it is there
    link = device["link"] or {}
    device["present"] = link.get("reason") != Fault.LINK_MISSING if is_usb else bool(path) and os.path.exists(path)
    device["leads_to"] = os.path.realpath(path) if device["present"] and not is_usb else ""
    port = by_path.get(device["leads_to"])
    device["port"] = {**asdict(port), "names": list(port.names)} if port else None
    device["holder"] = _holder(holder_of(path)) if device["present"] else None


def _holder(holder: Holder | None) -> Document | None:
    if holder is None:
        return None
    return {"pid": holder.pid, "command": holder.command, "is_daemon": holder.is_daemon}
