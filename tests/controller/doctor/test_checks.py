"""Planted sicknesses: each is found by its code, says what to do, and a healthy installation has none."""

from dataclasses import replace
from typing import Any

import pytest

from controller.doctor.checks import sicknesses
from controller.doctor.machine import (
    BrokerSeen,
    CertificateSeen,
    CopySeen,
    DaemonSeen,
    DiskSeen,
    Machine,
    PortSeen,
)
from controller.readers.fault import Fault

PORT = PortSeen("shoe-1", "/dev/table/shoe-1", (), 1)
HEALTHY = Machine(
    ports=(PORT,),
    broker=BrokerSeen("broker:8883"),
    certificates=(CertificateSeen("table", 300.0),),
    firmware_rows=3,
)


def port(**more: Any) -> Machine:
    return replace(HEALTHY, ports=(replace(PORT, **more),))


def disk(**more: Any) -> Machine:
    return replace(HEALTHY, disk=replace(DiskSeen(), **more))


def broker(**more: Any) -> Machine:
    return replace(HEALTHY, broker=replace(BrokerSeen("broker:8883"), **more))


def copies(**more: Any) -> Machine:
    return replace(HEALTHY, copy=replace(CopySeen(), **more))


def certificate(days_left: float, begins: float = -1.0) -> Machine:
    return replace(HEALTHY, certificates=(CertificateSeen("table", days_left, begins),))


PLANTED = {
    "port_missing": replace(HEALTHY, faults=(Fault("[[device]] shoe-1", "is away; plug it in", "port_missing"),)),
    "foreign_package": replace(HEALTHY, foreign="controller is another distribution's"),
    "sqlite_old": replace(HEALTHY, sqlite=(3, 46, 1)),
    "version_differs": replace(HEALTHY, daemon=DaemonSeen("0.0.9")),
    "no_daemon": replace(HEALTHY, daemon=None),
    "record_failed": replace(HEALTHY, daemon=DaemonSeen("0.1.0", record_failed="disk is full")),
    "device_offline": replace(HEALTHY, daemon=DaemonSeen("0.1.0", {"shoe-1": "link eof"})),
    "alarms_open": replace(HEALTHY, daemon=DaemonSeen("0.1.0", alarms=2)),
    "modem_manager": port(is_probed=True),
    "latency_timer": port(latency_ms=16),
    "port_shared": port(holders=("process 7 (minicom)",)),
    "usb_sleeps": port(may_sleep=True),
    "clock_unsynced": replace(HEALTHY, clock="unsynced"),
    "clock_error": replace(HEALTHY, clock_error_ms=900.0),
    "zone_differs": replace(HEALTHY, house_zone="America/Denver"),
    "host_sleeps": replace(HEALTHY, may_sleep=True),
    "disk_read_only": disk(options=frozenset({"ro"})),
    "disk_full": disk(free_mib=20),
    "record_log_grows": disk(room_problem="the log has 90 MiB, as backup (pid 9) reads it"),
    "disk_volatile": disk(kind="tmpfs"),
    "disk_no_flush": disk(options=frozenset({"rw", "nobarrier"})),
    "disk_slow": disk(flush_ms=900.0),
    "record_open": disk(mode=0o644),
    "record_shared": disk(writers=("process 9 (sqlite3)",)),
    "leftovers": disk(leftovers=("t1.journal.new",)),
    "no_copy": replace(HEALTHY, copy=None),
    "copy_failed": copies(problem="no space"),
    "copy_behind": copies(behind_days=9),
    "copy_same_disk": copies(is_same_disk=True),
    "certificate_early": certificate(300.0, 2.0),
    "certificate_expired": certificate(-3.0),
    "certificate_ends": certificate(9.0),
    "broker_away": broker(unreachable="connection refused"),
    "acl_lacks": broker(refused=("tablewarden/v1/lv01/t1/evt/main",)),
    "events_parked": broker(parked=3),
    "identity_shared": broker(shared_with="0123456789abcdef"),
    "firmware_list_empty": replace(HEALTHY, firmware_rows=0),
}


def test_a_healthy_installation_has_nothing() -> None:
    assert sicknesses(HEALTHY) == []


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_sickness_is_found_with_its_remedy(code: str) -> None:
    (found,) = sicknesses(PLANTED[code])
    assert found.code == code
    assert found.what
    assert found.remedy or "; " in found.what
