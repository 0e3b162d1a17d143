"""What lies beside a record leads nowhere else and has its mode; what will stop the record is said before it does."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.clock import Stamp
from controller.journal.disk import free_space
from controller.journal.errors import JournalWriteFailed
from controller.journal.proof.expected import keep_head
from controller.journal.proof.key_change import known_keys
from controller.journal.record import Transaction
from controller.journal.store import Journal
from tests.controller.journal.conftest import SITE, TABLE

Event = Callable[..., Transaction]
READER = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None); db.execute('BEGIN'); " \
    "print(db.execute('SELECT count(*) FROM main').fetchone(), flush=True); sys.stdin.read()"  # fmt: skip


def test_a_link_in_the_place_of_the_lock_is_refused(path: Path, tmp_path: Path) -> None:
    """What it leads to is not touched."""
    other = tmp_path / "passwords"
    other.write_text("root\n")
    path.with_name(path.name + ".lock").symlink_to(other)
    with pytest.raises(JournalWriteFailed, match=r"journal.db.lock is a link"):
        Journal.open(path, site=SITE, table=TABLE)
    assert other.read_text() == "root\n"
    assert other.stat().st_mode & 0o777 == 0o644


def test_a_link_in_the_place_of_a_head_is_replaced_and_never_read(journal: Journal, tmp_path: Path) -> None:
    """Nor is one in the place of its draft written through."""
    other, head = tmp_path / "other", journal.path.with_name(journal.path.name + ".head")
    other.write_text('{"what":"tablewarden checkpoint"}')
    head.symlink_to(other)
    head.with_name(head.name + ".new").symlink_to(other)
    assert known_keys(journal.path) == frozenset()
    keep_head(journal.path, "{}", "00")
    assert other.read_text() == '{"what":"tablewarden checkpoint"}'
    assert not head.is_symlink()


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_side_files_have_the_mode_of_the_record(
    filled: Path, mode: int, open_journal: Callable[..., Journal]
) -> None:
    """Whatever the mask of the daemon."""
    filled.chmod(mode)
    before = os.umask(0)
    try:
        open_journal(filled)
        keep_head(filled, "{}", "00")
    finally:
        os.umask(before)
    beside = [filled.with_name(filled.name + end) for end in (".lock", ".head", "-wal", "-shm")]
    assert [file.stat().st_mode & 0o777 for file in beside] == [mode] * 4


def test_a_disk_that_is_nearly_full_is_said_before_the_hold(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what is left and what the reserve is."""
    assert free_space.room_problem(journal.path) == ""
    monkeypatch.setattr(free_space, "RESERVE_BYTES", 1 << 60)
    said = free_space.room_problem(journal.path)
    assert "MiB left" in said
    assert f"{(1 << 60) >> 20} MiB are its reserve: make room" in said


def test_a_reader_that_keeps_the_log_is_named_with_its_pid(
    journal: Journal, event: Event, now: Stamp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only where the log grew by it."""
    monkeypatch.setattr(free_space, "MOST_OVERWRITTEN", 10_000)
    with subprocess.Popen(
        [sys.executable, "-c", READER, journal.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdin is not None
        reader.stdout.readline()
        journal.append([event(1)], now)
        said = free_space.room_problem(journal.path)
        reader.stdin.close()
    assert f"(pid {reader.pid}) has been reading the record without a pause: end it" in said
    with closing(sqlite3.connect(journal.path)):
        assert "as a reader has been" in free_space.room_problem(journal.path), "it is gone"
