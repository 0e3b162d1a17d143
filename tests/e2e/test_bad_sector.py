"""A sector of the record that the disk cannot read any more, found at a start: put aside, named, and replaced, never a loop.

A small library, loaded before the daemon, fails every read of that sector, through whatever call.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.preload import library

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* BAD_FILE, by its inode so that a new name changes nothing, has a sector at byte BAD_AT that cannot be read. */
static int bad(int fd, off64_t at, size_t size) {
    static ino_t inode;
    struct stat s;
    off64_t from = atoll(getenv("BAD_AT"));
    if (!inode && !stat(getenv("BAD_FILE"), &s)) inode = s.st_ino;
    return !fstat(fd, &s) && s.st_ino == inode && at < from + 512 && at + (off64_t)size > from;
}
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAILS if (bad(fd, at, n)) { errno = EIO; return -1; }
ssize_t pread(int fd, void *d, size_t n, off_t at) { FAILS return NEXT(pread)(fd, d, n, at); }
ssize_t pread64(int fd, void *d, size_t n, off64_t at) { FAILS return NEXT(pread64)(fd, d, n, at); }
ssize_t read(int fd, void *d, size_t n) {
    off64_t at = lseek64(fd, 0, SEEK_CUR);
    if (at >= 0) FAILS
    return NEXT(read)(fd, d, n);
}
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return library(SHIM, tmp_path_factory.mktemp("shim"))


@pytest.mark.timeout(180)
@pytest.mark.parametrize("suffix", ["", "-wal"], ids=["of the file", "of its log"])
async def test_a_first_sector_that_cannot_be_read_costs_the_record_its_place_and_the_table_a_look(
    rig: Callable[..., Awaitable[Any]], shim: Path, suffix: str
) -> None:
    """What is left of it lies beside the new one, which names it first; a restart finds a sound record and the same hold."""
    table = await rig(seed=3)
    await table.up()
    await table.open_betting()
    await table.kill_daemon()
    journal = table.names.journal
    size = journal.stat().st_size
    await table.start_daemon(through=_with_a_bad_sector(shim, Path(f"{journal}{suffix}")))

    (hold,) = await table.until(lambda: _held(table), "a person is asked")
    assert hold["least_role"] == "supervisor"
    (replaced,) = table.facts("record_replaced")
    assert table.records()[0].kind == "record_replaced"
    assert replaced["file"] in hold["reason"]
    aside = journal.with_name(replaced["file"])
    assert (replaced["size"], aside.stat().st_size) == (size, size)
    assert aside.with_name(f"{aside.name}-wal").exists()
    assert bool(replaced.get("sha256")) is bool(suffix), "what cannot be read has no hash"
    await table.until(lambda: _is_locked(table), "the lock-out is engaged")

    await table.kill_daemon()
    await table.start_daemon(through=_with_a_bad_sector(shim, Path(f"{aside}{suffix}")))
    assert [h["hold"] for h in await _held(table)] == [hold["hold"]]
    await table.act("resolve_hold", "supervisor", hold=hold["hold"], resolution="go_on", note="counted the cards")
    assert len(list(journal.parent.glob("*.damaged-*[0-9]Z"))) == 1
    table.assert_journal_verifies()


def _with_a_bad_sector(shim: Path, file: Path) -> tuple[str, ...]:
    """What comes before a daemon that cannot read the first sector of this file."""
    return ("env", f"LD_PRELOAD={shim}", f"BAD_FILE={file}", "BAD_AT=0")


async def _is_locked(table: Any) -> bool:
    return bool((await table.device("progressive"))["lockout"] == "engaged")


async def _held(table: Any) -> list[dict[str, Any]]:
    """Holds of a table that plays; none while its record fails."""
    status = await table.status()
    return list(status["held"]) if status.get("devices") else []
