"""A writer that dies at each sync and in the middle of writes, and a disk whose sync fails once and then claims that all is well.

A small library, loaded before the writer, counts its syncs and writes and does the worst at the one that it is told.
"""

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.proof.verify import verify
from controller.journal.record import FACTS, Stream
from controller.journal.store import Journal
from tests.support.preload import library

KILLS = int(os.environ.get("KILLS", "100"))
STRIDE = 7
"""The short form dies at each so many writes; the full form at every one."""

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long told(const char *name) { const char *text = getenv(name); return text ? atol(text) : 0; }
static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

static int sync_by(const char *name, int fd) {
    static long count;
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    long n = ++count;
    if (n == told("DIE_BEFORE_SYNC")) die();
    if (n == told("FAIL_SYNC")) { errno = EIO; return -1; }
    int done = next(fd);
    if (n == told("DIE_AFTER_SYNC")) die();
    return done;
}
int fsync(int fd) { return sync_by("fsync", fd); }
int fdatasync(int fd) { return sync_by("fdatasync", fd); }

static ssize_t write_by(const char *name, int fd, const void *data, size_t size, off_t at) {
    static long count;
    ssize_t (*next)(int, const void *, size_t, off_t) =
        (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, name);
    if (size >= 24 && ++count == told("DIE_IN_WRITE")) { next(fd, data, size / 2, at); die(); }
    return next(fd, data, size, at);
}
ssize_t pwrite(int fd, const void *d, size_t n, off_t at) { return write_by("pwrite", fd, d, n, at); }
ssize_t pwrite64(int fd, const void *d, size_t n, off_t at) { return write_by("pwrite64", fd, d, n, at); }
"""

WRITER = """
import os, sys
from pathlib import Path
from controller.clock import SystemClock
from controller.journal.errors import JournalWriteFailed
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal

clock = SystemClock()
def event(counter):
    facts = tuple(Draft(s, "stub_counted", 1, "shoe-1", "r-1", b'{"of":%d}' % counter) for s in (Stream.MAIN, Stream.DIAG))
    return Transaction(clock.stamp(), Draft(Stream.INPUT, "report", 1, "shoe-1", None, b"{}"), ("S", "B", counter), facts)
def life(path, events):
    journal = Journal.open(path, site="lv01", table="uth-017")
    newest = journal.last_of("S")
    counter = newest[1] + 1 if newest else 1
    print("open", counter - 1, flush=True)
    try:
        for counter in range(counter, counter + events):
            journal.append([event(counter)], clock.stamp())
            print("told", counter, flush=True)
        journal.close()
    except JournalWriteFailed as exc:
        print("failed", exc.reason, flush=True)
        try:
            journal.append([event(counter)], clock.stamp())
        except JournalWriteFailed as again:
            print("refused", again.reason, flush=True)
        journal.close()
        return True
for line in sys.stdin:  # one life a line, each a child of its own: the imports are paid once
    name, number, path, events = line.split()
    child = os.fork()
    if not child:
        os.environ[name] = number
        life(Path(path), int(events)) and life(Path(path), int(events))
        os._exit(0)
    print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Writers:
    """Lives of a writer, one after another, each with a fault of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def live(self, path: Path, events: int, fault: str = "NONE", number: int = 0) -> tuple[int, list[str]]:
        """Its exit code and its lines; after a failed write it opens the journal again, once."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{fault} {number} {path} {events}\n")
        self._process.stdin.flush()
        lines = []
        while not (line := self._process.stdout.readline().strip()).startswith("ended"):
            assert self._process.poll() is None, lines
            lines.append(line)
        return int(line.split()[1]), lines


@pytest.fixture(scope="module")
def writers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Writers]:
    shim = library(SHIM, tmp_path_factory.mktemp("shim"))
    env = {**os.environ, "LD_PRELOAD": str(shim)}
    command = [sys.executable, "-c", WRITER]
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Writers(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


def assert_whole(path: Path, told: int, most: int) -> int:
    """The chain holds; each event up to `told` is there once with its two facts, and `most` at most. Gives the newest."""
    report = verify(path)
    assert report.ok, [str(fault) for fault in report.faults]
    journal = Journal.open_readonly(path)
    counters = [record.origin[2] for record in journal.records((Stream.INPUT,), {}) if record.origin]
    facts = sum(1 for _ in journal.records(FACTS, {}))
    journal.close()
    assert counters == list(range(1, len(counters) + 1))
    assert facts == 2 * len(counters)
    assert told <= len(counters) <= most
    return len(counters)


def newest_told(lines: list[str]) -> int:
    return max([0, *(int(line.split()[1]) for line in lines if line.startswith(("told", "open")))])


def _die(path: Path, writers: Writers, name: str, places: "itertools.count[int] | range") -> int:
    """One life of a writer after another on one journal, each with a death of its own; how many died."""
    there = deaths = 0
    for n in places:
        code, lines = writers.live(path, 3, name, n)
        if path.exists():
            there = assert_whole(path, max(there, newest_told(lines)), max(there, newest_told(lines)) + 1)
        else:
            assert not newest_told(lines)
        if code == 0:
            break
        assert code == -signal.SIGKILL, lines
        deaths += 1
    return deaths


@pytest.mark.parametrize("name", ["DIE_BEFORE_SYNC", "DIE_AFTER_SYNC"])
def test_a_writer_that_dies_at_each_sync_of_its_life_leaves_all_that_it_told(
    path: Path, writers: Writers, name: str
) -> None:
    """From the making of the file over its priming and each commit to its closing; what was not told is whole or not there."""
    assert _die(path, writers, name, itertools.count(1)) > 8


def test_a_writer_that_dies_in_the_middle_of_a_write_leaves_all_that_it_told(path: Path, writers: Writers) -> None:
    """Half of a page or of a log frame is on the disk, at places spread over its life."""
    assert writers.live(path, 1)[0] == 0
    assert _die(path, writers, "DIE_IN_WRITE", range(1, 64, STRIDE)) > 3


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_kill_in_every_write_of_a_life(path: Path, writers: Writers) -> None:
    """The same at each write in turn."""
    assert _die(path, writers, "DIE_IN_WRITE", range(1, KILLS + 1)) > 0


def test_after_a_sync_that_failed_nothing_is_tried_again_on_that_file(path: Path, writers: Writers) -> None:
    """The kernel says once that it lost pages, and then calls the next sync a success: only what is read back counts."""
    assert writers.live(path, 2)[0] == 0
    at_commit = 0
    for n in range(1, 20):
        code, lines = writers.live(path, 3, "FAIL_SYNC", n)
        failed = [k for k, line in enumerate(lines) if line.startswith("failed")]
        if not failed:
            continue
        at_commit += 1
        assert code == 0
        assert lines[failed[0]].replace("failed", "refused") == lines[failed[0] + 1]
        reopened = lines[failed[0] + 2]
        assert reopened.startswith("open"), "closed, opened anew and read back"
        assert_whole(path, newest_told(lines), newest_told(lines))
    assert at_commit >= 3
