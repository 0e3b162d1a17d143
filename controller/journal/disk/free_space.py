"""Warns before the record stops: a disk that is nearly full, or a reader that keeps the log from shrinking."""

import os
from contextlib import suppress
from pathlib import Path

from controller.journal.disk.file import LOG, MOST_OVERWRITTEN

RESERVE_BYTES = 256 << 20
"""Below so much free space people are warned: some weeks of play, and less than what a day's segment and a copy may need."""
AGAIN_BYTES = RESERVE_BYTES + (64 << 20)
"""From so much free space on a disk that was low has room again: what comes and goes at the reserve is no news each time."""
MIB = 1 << 20
SHARED = "-shm"
READ_LOCKS = range(123, 128)
"""Bytes of the shared file that SQLite's readers lock, one of them each."""


def room_problem(record: Path) -> str:
    """Returns what will stop the record, and what to do; "" = nothing. Never raises."""
    free = free_bytes(record)
    if free is not None and free < RESERVE_BYTES:
        return (
            f"the disk of {record.name} has {free // MIB} MiB left, and {RESERVE_BYTES // MIB} MiB are its reserve: make "
            "room before the record cannot be written and play is held"
        )
    with suppress(OSError):
        size = record.with_name(record.name + LOG).stat().st_size
        if size > MOST_OVERWRITTEN:
            who = ", ".join(f"{name} (pid {pid})" for pid, name in _readers(record)) or "a reader"
            return f"{record.name}{LOG} has {size // MIB} MiB, as {who} has been reading the record without a pause: end it"
    return ""


def free_bytes(record: Path) -> int | None:
    """Returns what a service may still write on the disk of a record; None where that cannot be read. Never raises."""
    with suppress(OSError):
        disk = os.statvfs(record)
        return disk.f_bavail * disk.f_frsize
    return None


def _readers(record: Path) -> list[tuple[int, str]]:
    """Returns other processes that read the record in a transaction: pid and name."""
    inode = record.with_name(record.name + SHARED).stat().st_ino
    found = {}
    for line in Path("/proc/locks").read_text().splitlines():
        words = line.replace("->", "").split()  # 1: POSIX ADVISORY READ pid major:minor:inode first last
        if len(words) < 8 or words[5].rpartition(":")[2] != str(inode) or int(words[6]) not in READ_LOCKS:
            continue
        if (pid := int(words[4])) != os.getpid():
            found[pid] = _name(pid)
    return sorted(found.items())


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "a process"
