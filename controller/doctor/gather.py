"""Looks at an installation, so that `checks` can judge it. Changes nothing but one file that a flush is timed with."""

import os
import socket
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.clock import STA_UNSYNC, kernel_discipline
from controller.config.model import Config
from controller.doctor.machine import (
    BrokerSeen,
    CertificateSeen,
    CopySeen,
    DaemonSeen,
    DiskSeen,
    Machine,
    PortSeen,
)
from controller.journal.disk.free_space import free_bytes, room_problem
from controller.publish.broker.credentials import validity
from controller.readers.fault import Fault
from drivers.transport.ports import PROCESSES, others_at

SERVES = ("online", "suspect")
CONNECT_S = 3.0
DAY_S = 86_400
MIB = 1 << 20
LEFT = (".new", ".tmp", ".orig", ".bak")
Document = Mapping[str, Any]


def gather(
    config: Config | None,
    faults: Sequence[Fault],
    status: Document | None,
    why_no_daemon: str,
    version: str,
    foreign: str = "",
    *,
    tries_broker: bool = True,
) -> Machine:
    """Returns what was seen. `status`: of the running daemon, None = none answered, for the reason `why_no_daemon`.

    `faults`: of the configuration, here too. `tries_broker`: connects to the broker where no daemon has.
    """
    found = kernel_discipline()
    seen = Machine(
        version=version,
        python=sys.version_info[:2],
        sqlite=sqlite3.sqlite_version_info,
        is_root=os.geteuid() == 0,
        faults=tuple(fault for fault in faults if not (status and fault.code in OF_A_RUNNING_TABLE)),
        foreign=foreign,
        clock="unknown" if found is None else "unsynced" if found.status & STA_UNSYNC else "synced",
        clock_error_ms=None if found is None else found.max_error_us / 1000,
        zone=_zone(),
        daemon=None if status is None else _daemon(status),
        why_no_daemon=why_no_daemon,
        may_sleep=_may_sleep(),
    )
    if config is None:
        return replace(seen, copy=CopySeen(), in_production=False)
    calendar = config.table.calendar
    return replace(
        seen,
        in_production=config.table.production,
        ports=tuple(_ports(config, has_modem_manager=_runs("ModemManager"))),
        house_zone=getattr(calendar.zone, "key", "") if calendar else "",
        disk=_disk(config.journal, is_served=status is not None),
        copy=_copy(config, status),
        certificates=tuple(_certificates(config)),
        broker=_broker(config, status) if tries_broker or status else None,
        firmware_rows=_firmware(config),
    )


OF_A_RUNNING_TABLE = ("socket_taken", "port_busy")
"""Faults of a second start: where the daemon answers, it is what holds socket and ports."""


def _daemon(status: Document) -> DaemonSeen:
    offline = {}
    for name, device in (status.get("devices") or {}).items():
        link = device.get("link") or {}
        if link.get("state") not in SERVES:
            offline[name] = link.get("detail") or link.get("reason") or str(link.get("state"))
    record = status.get("record") or {}
    failed = "" if record.get("ok", True) else str(record.get("reason"))
    return DaemonSeen(str(status.get("version", "")), offline, failed, len(status.get("alarms") or ()))


def _ports(config: Config, *, has_modem_manager: bool) -> Iterator[PortSeen]:
    for device in config.devices:
        path = os.path.realpath(device.path)
        if not os.path.exists(path):
            continue
        system = Path("/sys/class/tty") / os.path.basename(path) / "device"
        holders = tuple(found.words for found in others_at(path) if not found.is_daemon)
        yield PortSeen(
            device.name, device.path, holders, _number(system / "latency_timer"), _may_usb_sleep(system),
            has_modem_manager and system.exists() and not _is_ignored(path),
        )  # fmt: skip


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _may_usb_sleep(system: Path) -> bool:
    """The nearest USB device above the port says whether it may be switched off."""
    folder = system.resolve()
    for above in (folder, *folder.parents):
        with suppress(OSError):
            if (above / "idVendor").exists():
                return (above / "power/control").read_text().strip() == "auto"
    return False


def _is_ignored(path: str) -> bool:
    """What udev keeps of the port says that ModemManager leaves it alone."""
    with suppress(OSError):
        node = os.stat(path).st_rdev
        kept = Path(f"/run/udev/data/c{os.major(node)}:{os.minor(node)}").read_text()
        return "ID_MM_DEVICE_IGNORE=1" in kept or "ID_MM_PORT_IGNORE=1" in kept
    return False


def _runs(command: str) -> bool:
    for process in PROCESSES.iterdir():
        with suppress(OSError):
            if process.name.isdecimal() and (process / "comm").read_text().strip() == command:
                return True
    return False


def _disk(record: Path, *, is_served: bool) -> DiskSeen:
    folder = record.parent
    free = free_bytes(folder)
    kind, options = _mount_of(folder)
    mode = stat.S_IMODE(record.stat().st_mode) if record.exists() else 0o640
    writers = () if is_served else tuple(found.words for found in others_at(str(record)))
    return DiskSeen(
        free // MIB if free is not None else 0, kind, options, _flush_ms(folder), room_problem(record), mode, writers,
        tuple(_leftovers(folder, record.name)),
    )  # fmt: skip


def _mount_of(folder: Path) -> tuple[str, frozenset[str]]:
    """Returns file system and options of the mount that holds a folder."""
    best, where = ("", frozenset[str]()), ""
    with suppress(OSError):
        real = str(folder.resolve())
        for line in Path("/proc/self/mounts").read_text().splitlines():
            _, point, kind, options, *_ = line.split()
            if (real == point or real.startswith(point.rstrip("/") + "/")) and len(point) >= len(where):
                best, where = (kind, frozenset(options.split(","))), point
    return best


def _flush_ms(folder: Path) -> float | None:
    probe = folder / f".doctor-{os.getpid()}"
    try:
        descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, b"\0" * 4096)
            began = time.perf_counter()
            os.fsync(descriptor)
            return (time.perf_counter() - began) * 1000
        finally:
            os.close(descriptor)
            probe.unlink()
    except OSError:
        return None


def _leftovers(folder: Path, record: str) -> Iterator[str]:
    """Files beside the record that a cut-off command left, and logs of a record that is not there."""
    with suppress(OSError):
        for path in sorted(folder.iterdir()):
            is_lost_log = path.name == f"{record}-wal" and not (folder / record).exists()
            if (
                (path.name.startswith(record) and path.suffix in LEFT)
                or is_lost_log
                or path.name.startswith("core.")
            ):
                yield path.name


def _copy(config: Config, status: Document | None) -> CopySeen | None:
    folder = config.retention.copy
    if folder is None:
        return None
    kept = ((status or {}).get("record") or {}).get("kept") or {}
    same = kept.get("same_disk", False)
    with suppress(OSError):
        same = same or folder.stat().st_dev == config.journal.parent.stat().st_dev
    return CopySeen(str(folder), bool(same), kept.get("behind_days") or 0, kept.get("problem") or "")


def _certificates(config: Config) -> Iterator[CertificateSeen]:
    if config.mqtt is None or config.mqtt.tls is None:
        return
    now = time.time()
    for name, found in validity(config.mqtt.tls):
        for begins, ends in found[:1]:
            yield CertificateSeen(name, (ends - now) / DAY_S, (begins - now) / DAY_S)


def _broker(config: Config, status: Document | None) -> BrokerSeen | None:
    if config.mqtt is None:
        return None
    address = f"{config.mqtt.host}:{config.mqtt.port}"
    told = (status or {}).get("broker")
    if told is None:
        try:
            socket.create_connection((config.mqtt.host, config.mqtt.port), timeout=CONNECT_S).close()
        except OSError as exc:
            return BrokerSeen(address, exc.strerror or str(exc))
        return BrokerSeen(address)
    parked = sum(r["last"] - r["first"] + 1 for box in told["streams"].values() for r in box["parked"])
    other = told.get("identity")
    shared = str(other.get("machine") or other["reason"]) if other else ""
    refused = tuple(sorted({row.get("topic", "") for row in told.get("parked_topics") or ()}))
    away = "" if told["connected"] else told.get("reason") or "not connected"
    return BrokerSeen(address, away, refused, parked, shared)


def _firmware(config: Config) -> int | None:
    if not config.table.production or not config.devices:
        return None
    return len(config.devices[0].approved)


def _zone() -> str:
    with suppress(OSError):
        return os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    return ""


def _may_sleep() -> bool:
    """A machine with a lid or a battery sleeps by itself, unless systemd's sleep is masked."""
    if not any(Path("/sys/class/power_supply").glob("BAT*")):
        return False
    return os.path.realpath("/etc/systemd/system/sleep.target") != "/dev/null"
