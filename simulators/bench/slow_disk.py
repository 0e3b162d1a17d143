"""Simulates a slow disk: a small library, loaded before the daemon, that delays every sync."""

import shutil
import subprocess
from pathlib import Path

from simulators.bench.children import ChildFailed

SOURCE = """
/* Loaded before the daemon: every fsync and fdatasync takes SLOW_SYNC_MS longer, as on a slow card. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_first(void) {
    const char *given = getenv("SLOW_SYNC_MS");
    long ms = given ? atol(given) : 0;
    struct timespec span = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&span, 0);
}

int fsync(int fd) {
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_first();
    return next(fd);
}

int fdatasync(int fd) {
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_first();
    return next(fd);
}
"""


def slow_sync(directory: Path, ms: int) -> dict[str, str]:
    """Returns the environment that delays each sync by `ms` milliseconds; empty for 0.

    Raises `ChildFailed` if the library cannot be built, for example without a C compiler.
    """
    if not ms:
        return {}
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise ChildFailed("slow disk", "there is no C compiler on this machine")
    source, library = directory / "slow_sync.c", directory / "slow_sync.so"
    source.write_text(SOURCE)
    made = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        raise ChildFailed("slow disk", "the library could not be built", made.stderr)
    return {"LD_PRELOAD": str(library), "SLOW_SYNC_MS": str(ms)}
