"""A disk that takes nothing more, for ten minutes under play: it is full, or the kernel has made it read-only.

A small library, loaded before the daemon, refuses every write while a file says so, as those disks do.
"""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.preload import library

TEN_MINUTES = 120
"""Tries to open the record again: one each five seconds, here one each twentieth of one."""
CAUSE = {
    "ENOSPC": (
        "database or disk is full",
        "cannot be opened for writing: database or disk is full; make room on its disk",
    ),
    "EROFS": ("disk I/O error", "Read-only file system; look at its disk"),
}
"""What a commit is told, and what each try to open the record again is told."""
HASTE = """
from controller.daemon import app
app.RETRY_S = 0.05
"""
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fault(void) {
    char word[8] = "";
    ssize_t n = readlink(getenv("DISK_FAULT"), word, sizeof word - 1);
    return n <= 0 ? 0 : strcmp(word, "EROFS") ? ENOSPC : EROFS;
}
/* A few bytes still find room in a block that the file has, as the number in a lock file does. */
static int refused(size_t size) {
    int no = fault();
    if (no == ENOSPC && size < 24) return 0;
    if (no) errno = no;
    return no;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
ssize_t pwrite(int fd, const void *d, size_t n, off_t at) { return refused(n) ? -1 : NEXT(pwrite)(fd, d, n, at); }
ssize_t pwrite64(int fd, const void *d, size_t n, off64_t at) { return refused(n) ? -1 : NEXT(pwrite64)(fd, d, n, at); }
int fallocate64(int fd, int m, off64_t a, off64_t n) { return refused(n) ? -1 : NEXT(fallocate64)(fd, m, a, n); }
int ftruncate(int fd, off_t n) { return fault() == EROFS ? (errno = EROFS, -1) : NEXT(ftruncate)(fd, n); }
int ftruncate64(int fd, off64_t n) { return fault() == EROFS ? (errno = EROFS, -1) : NEXT(ftruncate64)(fd, n); }

static int opened(int (*next)(const char *, int, ...), const char *path, int flags, mode_t mode) {
    int writes = (flags & O_ACCMODE) != O_RDONLY && strncmp(path, "/dev/", 5);
    if (writes && fault() == EROFS) { errno = EROFS; return -1; }
    return next(path, flags, mode);
}
#define MODE va_list more; va_start(more, flags); mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; va_end(more)
int open(const char *path, int flags, ...) { MODE; return opened(NEXT(open), path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE; return opened(NEXT(open64), path, flags, mode); }
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return library(SHIM, tmp_path_factory.mktemp("shim"))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", ["ENOSPC", "EROFS"])
async def test_a_disk_that_takes_nothing_for_ten_minutes_holds_play_and_costs_nothing(
    rig: Callable[..., Awaitable[Any]], shim: Path, fault: str
) -> None:
    """The table says so to those who ask and to the back office, what was told stays told, and then play goes on."""
    table = await rig(seed=9)
    switch = table.directory / "fault"
    await table.all_but_the_daemon_up()
    await table.start_daemon(HASTE, through=("env", f"LD_PRELOAD={shim}", f"DISK_FAULT={switch}"))
    await table.all_online()
    await table._start("people", table.names.people_command())
    await table.play_on(60)

    switch.symlink_to(fault)
    await table.until(lambda: _is_held(table), "the status says that the record failed")
    for kind, key, safe in (("progressive", "lockout", "engaged"), ("shoe", "dispensing", "inhibited")):
        await table.hands(kind, "await", key=key, value=safe, timeout_s=10)
    for kind in table.options.kinds:
        await table.until(
            lambda kind=kind: _last_text(table, kind).startswith("HELD: technician"), f"{kind} shows it"
        )
    there = table.records()
    await table.until(lambda: table.latest("conn").get("state") == "offline", "the back office is told")
    said = table.latest("conn")["reason"]
    assert said.startswith("HELD: the record cannot be written")
    assert CAUSE[fault][0] in said
    assert table.latest("state/table")["next"] == said
    await table.assert_everything_is_told()
    await table.until(lambda: _tries(table) > 20, "it tries again and again")
    early = _costs(table)
    await table.until(lambda: _tries(table) > TEN_MINUTES, "ten minutes of tries", within_s=200)
    with pytest.raises(Exception, match="record_failed"):
        await table.act("place_wager", "player-2", seat=2, wager="ante", cents=1000)
    assert CAUSE[fault][1] in (await table.status())["record"]["reason"]
    assert await _is_held(table)
    up = table.daemon.log.read_text().count("table_up")
    assert up == 1, "no table comes up only to be held again"
    late = _costs(table)
    assert late[0] <= early[0] + 2, "no descriptor is left behind by a try"
    assert late[1] - early[1] < 5 * 1024, "nor memory"
    assert table.records() == there

    switch.unlink()
    await table.all_online()
    await table.until(lambda: table.facts("round_ended"), "the round that was held ends")
    await table.child("people").stop()
    await table.assert_everything_is_told()
    assert await table.daemon.stop() == 0
    table.assert_journal_verifies()
    table.assert_reports_are_on_record()
    table.assert_nothing_was_opened_off_the_record()
    table.assert_it_is_decided_as_it_was()
    assert {fact["outcome"] for fact in table.facts("round_ended")} == {"played"}
    await table.until(lambda: not table.latest("state/table")["held"], "the state topic says that play goes on")


async def _is_held(table: Any) -> bool:
    status = await table.status()
    return not status["record"]["ok"] and status["next"].startswith("HELD")


def _last_text(table: Any, kind: str) -> str:
    """What a device was told last to show."""
    texts = [line["value"] for line in table.device_log(kind, "command") if line["level"] == "display"]
    return str(texts[-1]) if texts else ""


def _tries(table: Any) -> int:
    return int(table.daemon.log.read_text().count("record_failed"))


def _costs(table: Any) -> tuple[int, int]:
    """Descriptors and resident KiB of the daemon."""
    lines = Path(f"/proc/{table.daemon.pid}/status").read_text().splitlines()
    resident = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
    return len(os.listdir(f"/proc/{table.daemon.pid}/fd")), resident
