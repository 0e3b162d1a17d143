"""Judges an installation: each sickness with what it leads to and what to do. Pure."""

from collections.abc import Callable, Iterator

from controller.doctor.machine import Machine
from controller.readers.fault import together
from drivers.protocol.records import dataclass

LATENCY_MS = 1
CLOCK_ERROR_MS = 100.0
FLUSH_MS = 250.0
FREE_MIB = 256
CERTIFICATE_DAYS = 30
BEHIND_DAYS = 2
WAL_RESET_FIXED = (3, 51, 3)
"""The first SQLite without the fault by which two writers can damage a write-ahead log."""
VOLATILE = ("tmpfs", "ramfs", "overlay", "9p", "nfs", "nfs4", "cifs")
NO_FLUSH = frozenset({"nobarrier", "barrier=0"})


@dataclass(frozen=True, slots=True)
class Sickness:
    """`code`: stable; `what`: what is wrong and what follows; `remedy`: what to do. `is_note`: it works, and may not for long."""

    code: str
    what: str
    remedy: str
    is_note: bool = False

    def __str__(self) -> str:
        return "; ".join(filter(None, (self.what, self.remedy)))


def sicknesses(machine: Machine) -> list[Sickness]:
    """Returns everything that is wrong, in the order in which to mend it."""
    return [found for check in CHECKS for found in check(machine)]


def of_this_machine(machine: Machine) -> list[Sickness]:
    """Returns what is wrong apart from the configuration and the daemon: for `check --here`, and for the log at a start."""
    return [found for check in CHECKS if check not in (_configuration, _daemon) for found in check(machine)]


def _configuration(m: Machine) -> Iterator[Sickness]:
    """The faults that `check --here` prints, in its words; a fault's text says what to do."""
    for code in dict.fromkeys(fault.code for fault in m.faults):
        for text in together([fault for fault in m.faults if fault.code == code]):
            yield Sickness(code, text, "")


def _software(m: Machine) -> Iterator[Sickness]:
    if m.foreign:
        yield Sickness("foreign_package", m.foreign, "install tablewarden anew into an environment of its own")
    if m.sqlite < WAL_RESET_FIXED:
        what = f"SQLite {'.'.join(map(str, m.sqlite))} can damage a record that two programs write"
        yield Sickness("sqlite_old", what, "let nobody but the daemon write the record; look for an update", True)
    if m.daemon is not None and m.daemon.version != m.version:
        what = f"the daemon runs {m.daemon.version}, and {m.version} is installed"
        yield Sickness("version_differs", what, "close the table, then restart the daemon")


def _daemon(m: Machine) -> Iterator[Sickness]:
    if m.daemon is None:
        yield Sickness(
            "no_daemon", m.why_no_daemon or "no daemon answers", "start it: systemctl start tablewarden"
        )
        return
    if m.daemon.record_failed:
        yield Sickness(
            "record_failed", f"play is held: {m.daemon.record_failed}", "mend the disk; the daemon tries again"
        )
    for device, why in m.daemon.offline.items():
        yield Sickness(
            "device_offline",
            f"{device} does not serve: {why}",
            f"`tablewarden device probe` shows its line ({device})",
        )
    if m.daemon.alarms:
        what = f"{m.daemon.alarms} security alarms are not cleared"
        yield Sickness(
            "alarms_open", what, "look at devices and seals; a supervisor clears them (act clear_alarm)", True
        )


def _ports(m: Machine) -> Iterator[Sickness]:
    for port in m.ports:
        where = f"{port.device} at {port.path}"
        if port.is_probed:
            what = f"ModemManager runs and may send AT commands to {where}"
            yield Sickness(
                "modem_manager", what, "install 60-tablewarden.rules, then udevadm trigger; or remove ModemManager"
            )
        if port.latency_ms is not None and port.latency_ms > LATENCY_MS:
            what = f"the adapter of {where} holds bytes back for {port.latency_ms} ms"
            remedy = f"install 60-tablewarden.rules, or write {LATENCY_MS} to its latency_timer"
            yield Sickness("latency_timer", what, remedy)
        if port.holders:
            what = f"{', '.join(port.holders)} has {where} open and takes bytes off it"
            yield Sickness("port_shared", what, "end that program")
        if port.may_sleep:
            what = f"USB autosuspend may switch off {where}; the first bytes after a pause are lost"
            yield Sickness("usb_sleeps", what, "install 60-tablewarden.rules, or write on to power/control")


def _clock(m: Machine) -> Iterator[Sickness]:
    if m.clock in ("unsynced", "unknown"):
        what = "the clock is not synchronised: no gaming day begins by it, and no picture is found by the record's times"
        yield Sickness("clock_unsynced", what, "set up chrony or systemd-timesyncd, and let it reach its server")
    elif m.clock_error_ms is not None and m.clock_error_ms > CLOCK_ERROR_MS:
        what = f"the clock may be wrong by {m.clock_error_ms:.0f} ms"
        yield Sickness("clock_error", what, "look at the time server: chronyc tracking")
    if m.house_zone and m.zone and m.zone != m.house_zone:
        what = f"the gaming day is in {m.house_zone}, and this machine shows times in {m.zone}"
        yield Sickness("zone_differs", what, f"timedatectl set-timezone {m.house_zone}", True)
    if m.may_sleep:
        yield Sickness("host_sleeps", "this machine may go to sleep", "systemctl mask sleep.target suspend.target")


def _disk(m: Machine) -> Iterator[Sickness]:
    disk = m.disk
    if "ro" in disk.options:
        yield Sickness(
            "disk_read_only", "the disk of the record is mounted read-only", "look at it (dmesg), then remount it"
        )
    if disk.free_mib < FREE_MIB:
        what = f"{disk.free_mib} MiB are free for the record, and {FREE_MIB} MiB are its reserve"
        yield Sickness("disk_full", what, "make room; set [retention] copy and keep_days")
    elif disk.room_problem:
        yield Sickness("record_log_grows", disk.room_problem, "end the program that is named")
    if disk.kind in VOLATILE and m.in_production:
        yield Sickness(
            "disk_volatile", f"the record lies on {disk.kind}, which loses it", "move it to a disk of this machine"
        )
    if off := sorted(NO_FLUSH & disk.options):
        yield Sickness(
            "disk_no_flush",
            f"the disk is mounted with {off[0]}: a power cut loses rounds",
            f"mount it without {off[0]}",
        )
    if disk.flush_ms is not None and disk.flush_ms > FLUSH_MS:
        what = f"one flush of the disk takes {disk.flush_ms:.0f} ms: acts wait so long"
        yield Sickness("disk_slow", what, "replace the disk, or end what else writes to it")
    if disk.mode & 0o007:
        yield Sickness(
            "record_open", f"every user may read the record (mode {disk.mode:o})", "chmod 640 the record"
        )
    if disk.writers:
        what = f"{', '.join(disk.writers)} has the record open for writing"
        yield Sickness("record_shared", what, "end it; read a record with `tablewarden journal`")
    if disk.leftovers:
        yield Sickness(
            "leftovers", f"left over: {', '.join(disk.leftovers)}", "look at them, then remove them", True
        )


def _copies(m: Machine) -> Iterator[Sickness]:
    if m.copy is None:
        if m.in_production:
            yield Sickness(
                "no_copy", "the record is on one disk only", "set [retention] copy to a folder on another", True
            )
        return
    if m.copy.problem:
        yield Sickness("copy_failed", f"nothing is copied: {m.copy.problem}", f"mend {m.copy.folder}")
    if m.copy.behind_days > BEHIND_DAYS:
        what = f"{m.copy.behind_days} gaming days are not at {m.copy.folder}"
        yield Sickness("copy_behind", what, "look at that disk; `status` says what keeps it")
    if m.copy.is_same_disk:
        what = f"{m.copy.folder} lies on the disk of the record: one failure destroys both"
        yield Sickness("copy_same_disk", what, "mount another disk there")


def _link(m: Machine) -> Iterator[Sickness]:
    for found in m.certificates:
        if found.begins_in_days > 0:
            yield Sickness(
                "certificate_early", f"the certificate of the {found.name} is not valid yet", "set the clock right"
            )
        elif found.days_left < 0:
            what = f"the certificate of the {found.name} ended {-found.days_left:.0f} days ago"
            yield Sickness(
                "certificate_expired", what, "lay a new one in its place; the daemon takes it while connected"
            )
        elif found.days_left < CERTIFICATE_DAYS:
            what = f"the certificate of the {found.name} ends in {found.days_left:.0f} days"
            yield Sickness("certificate_ends", what, "lay a new one in its place before", True)
    if (broker := m.broker) is None:
        return
    if broker.unreachable:
        what = f"no connection to {broker.address}: {broker.unreachable}"
        yield Sickness(
            "broker_away", what, "look at network, host and port; the unit's IPAddressAllow= must name the broker"
        )
    if broker.refused:
        what = f"the broker's ACL refuses this table {', '.join(broker.refused)}"
        yield Sickness("acl_lacks", what, "add the lines of config/broker/acl to the broker's")
    if broker.parked:
        what = f"{broker.parked} events were refused by the broker and are set aside"
        yield Sickness("events_parked", what, "mend the cause, then `tablewarden outbox release`")
    if broker.shared_with:
        what = f"another machine uses this table's identity: {broker.shared_with}"
        yield Sickness(
            "identity_shared", what, "give each table its own [table] id and client_id; stop the other one"
        )


def _firmware(m: Machine) -> Iterator[Sickness]:
    if m.firmware_rows == 0:
        yield Sickness(
            "firmware_list_empty", "the list of approved firmware has no row", "ask for the signed list"
        )


CHECKS: tuple[Callable[[Machine], Iterator[Sickness]], ...] = (
    _configuration, _software, _daemon, _ports, _firmware, _clock, _disk, _copies, _link,
)  # fmt: skip
