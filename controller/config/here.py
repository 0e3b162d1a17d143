"""What of a sound configuration this machine does not fulfil: keys, folders, ports and files of the broker link.

`run` and `check --here` both ask this module, so they say the same words.
"""

import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from controller.config.model import Config
from controller.control.endpoint import ControlUnavailable, verify_free
from controller.journal.errors import JournalError
from controller.journal.opening import of_one_file
from controller.journal.proof.key_change import known_keys
from controller.journal.proof.keys import SigningKey
from controller.journal.vault.key_file import KeyUnusable
from controller.journal.vault.key_rows import known_vaults
from controller.journal.vault.vault_keys import VaultKeys
from controller.publish.broker.credentials import password, unfit
from controller.readers.fault import Fault
from drivers.device import DeviceConfig
from drivers.transport.ports import holder_of
from drivers.transport.usb_address import USB_SCHEME

BENCH = "a bench that runs as it is: `tablewarden init --bench`"


def keeps_from_starting(config: Config) -> list[Fault]:
    """Returns what makes `run` refuse to start on this machine, under this user."""
    socket = config.control.socket
    return [*(list(_folder("[control] socket", socket)) or _socket(socket)), *_keys(config)]


def keeps_from_serving(config: Config) -> list[Fault]:
    """Returns what keeps record, devices, broker link or copies away; `run` starts, waits for each, and logs it."""
    faults = list(_folder("[journal] path", config.journal)) or list(_record(config.journal))
    faults += [fault for device in config.devices for fault in _port(device)]
    copy = config.retention.copy
    if copy is not None:
        faults += _folder("[retention] copy", copy / "segment")
    return [*faults, *_broker(config)]


def _folder(place: str, path: Path) -> Iterator[Fault]:
    """The folder of a path must be there, and this user must be able to write there."""
    folder = path.parent
    if not folder.is_dir():
        where = f"the folder {folder} does not exist"
        yield Fault(place, f"{where}; make it, or let systemd make it as in the unit; or make {BENCH}", "not_here")
    elif not os.access(folder, os.W_OK | os.X_OK):
        owner = folder.stat().st_uid
        what = f"user {os.geteuid()} may not write to {folder}, which belongs to user {owner}"
        yield Fault(place, f"{what}; run as that user, or make {BENCH}", "not_permitted")


def _record(path: Path) -> Iterator[Fault]:
    try:
        of_one_file(path)
    except JournalError as exc:
        yield Fault("[journal] path", str(exc), "not_here")
        return
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        what = f"user {os.geteuid()} may not write {path}, which belongs to user {path.stat().st_uid}"
        yield Fault("[journal] path", f"{what}; run as that user", "not_permitted")


def _socket(path: Path) -> Iterator[Fault]:
    try:
        verify_free(path)
    except ControlUnavailable as exc:
        yield Fault("[control] socket", str(exc), "socket_taken")


def _keys(config: Config) -> Iterator[Fault]:
    """The keys that sign and seal the record: there, private, whole, and those that the record knows."""
    key, vault = config.journal_key, config.vault
    try:
        if key is not None:
            SigningKey.load(key, known_keys(config.journal))
    except KeyUnusable as exc:
        yield Fault("[journal] key", str(exc), "key_file_unfit")
    try:
        if vault is not None:
            VaultKeys.load(vault, partial(known_vaults, config.journal))
    except KeyUnusable as exc:
        yield Fault("[journal] vault", str(exc), "key_file_unfit")


def _port(device: DeviceConfig) -> Iterator[Fault]:
    """A serial port: there, a port, open to this user, and held by no other program."""
    place, path = f"[[device]] {device.name} path {device.path}", device.path
    if path.startswith(USB_SCHEME):
        return
    try:
        mode = os.stat(path).st_mode
    except OSError as exc:
        remedy = "plug the device in, or correct `path` (`tablewarden device list` shows the ports)"
        yield Fault(place, f"{exc.strerror}; {remedy}", "port_missing")
        return
    if stat.S_ISSOCK(mode):
        return  # a simulated USB bus
    if not stat.S_ISCHR(mode):
        yield Fault(place, "is no serial port; correct `path`", "port_missing")
    elif not os.access(path, os.R_OK | os.W_OK):
        what = f"user {os.geteuid()} may not open it (group {os.stat(path).st_gid})"
        yield Fault(place, f"{what}; add the user to that group, and start its session anew", "port_forbidden")
    elif (holder := holder_of(path)) is not None:
        yield Fault(place, f"{holder.words} has this port; end it", "port_busy")


def _broker(config: Config) -> Iterator[Fault]:
    mqtt = config.mqtt
    if mqtt is None:
        return
    try:
        password(mqtt)
    except (OSError, ValueError) as exc:
        said = exc.strerror if isinstance(exc, OSError) else str(exc)
        what = f"{mqtt.password_file} cannot be read: {said}; let the daemon's login read it"
        yield Fault("[mqtt] password_file", what, "broker_file_unfit")
    if mqtt.tls is not None and (reason := unfit(mqtt.tls)):
        yield Fault("[mqtt]", reason, "broker_file_unfit")
