"""What `doctor` has seen of one installation, as plain values: the checks judge them without looking at the machine."""

from collections.abc import Mapping
from dataclasses import field

from controller.readers.fault import Fault
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class PortSeen:
    """A serial port of a device. `holders`: other processes that have it open; `latency_ms`: of an FTDI adapter, None = none.

    `may_sleep`: USB autosuspend is on; `is_probed`: ModemManager may send AT commands to it.
    """

    device: str
    path: str
    holders: tuple[str, ...] = ()
    latency_ms: int | None = None
    may_sleep: bool = False
    is_probed: bool = False


@dataclass(frozen=True, slots=True)
class DiskSeen:
    """The disk of the record. `flush_ms`: how long one flush takes, None = not tried; `writers`: others that have it open."""

    free_mib: int = 100_000
    kind: str = "ext4"
    options: frozenset[str] = frozenset()
    flush_ms: float | None = 5.0
    room_problem: str = ""
    mode: int = 0o640
    writers: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CopySeen:
    """The second place of the record; None in `Machine.copy` = none is configured."""

    folder: str = "/media/record"
    is_same_disk: bool = False
    behind_days: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CertificateSeen:
    """A certificate of the broker link: `table`, `authority`. Days from now."""

    name: str
    days_left: float
    begins_in_days: float = -1.0


@dataclass(frozen=True, slots=True)
class BrokerSeen:
    """`unreachable`: why no connection came about, "" = one did. `refused`: topics that its ACL keeps from this table."""

    address: str
    unreachable: str = ""
    refused: tuple[str, ...] = ()
    parked: int = 0
    shared_with: str = ""


@dataclass(frozen=True, slots=True)
class DaemonSeen:
    """The running daemon; None in `Machine.daemon` = none answers. `offline`: devices that do not serve, with the reason."""

    version: str
    offline: Mapping[str, str] = field(default_factory=dict)
    record_failed: str = ""
    alarms: int = 0


@dataclass(frozen=True, slots=True)
class Machine:
    """One installation. `zone`, `house_zone`: time zones of system and gaming day, "" = unknown or none.

    `clock`: synced, holdover, unsynced, or unknown; `clock_error_ms`: its largest error, None = unknown.
    """

    version: str = "0.1.0"
    python: tuple[int, int] = (3, 11)
    sqlite: tuple[int, int, int] = (3, 51, 3)
    is_root: bool = False
    in_production: bool = True
    faults: tuple[Fault, ...] = ()
    foreign: str = ""
    ports: tuple[PortSeen, ...] = ()
    clock: str = "synced"
    clock_error_ms: float | None = 1.0
    zone: str = "America/New_York"
    house_zone: str = ""
    disk: DiskSeen = DiskSeen()
    copy: CopySeen | None = CopySeen()
    certificates: tuple[CertificateSeen, ...] = ()
    broker: BrokerSeen | None = None
    daemon: DaemonSeen | None = DaemonSeen("0.1.0")
    why_no_daemon: str = ""
    firmware_rows: int | None = None
    may_sleep: bool = False
