"""Who may open a journal, and what is found when the file is not the table's sound journal. Nothing is ever changed then."""

import errno
import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from controller.clock import Stamp
from controller.journal.errors import (
    JournalDamaged,
    JournalForeign,
    JournalLocked,
    JournalMissing,
    JournalNewer,
    JournalWriteFailed,
)
from controller.journal.proof.verify import verify
from controller.journal.record import FACTS, Stream, Transaction
from controller.journal.store import Journal

Open = Callable[..., Journal]
Event = Callable[..., Transaction]

HOLDER = """
import sys
from functools import partial
from pathlib import Path
from typing import Any
from controller.journal.store import Journal
from controller.journal.proof.verify import verify
journal = Journal.open(Path(sys.argv[1]), site="lv01", table="uth-017")
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the journal open."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        yield child
        child.kill()


def test_a_second_daemon_is_refused_and_told_who_is_there(
    open_journal: Open, holder: subprocess.Popen[str]
) -> None:
    """By process id; once the first is gone, killed or not, the way is free."""
    with pytest.raises(JournalLocked, match=f"process {holder.pid} has this journal open") as refused:
        open_journal()
    assert refused.value.pid == holder.pid
    holder.kill()
    holder.wait()
    assert open_journal().heads()


def test_a_second_opening_in_one_process_is_refused_by_any_name(
    open_journal: Open, path: Path, tmp_path: Path
) -> None:
    """A symbolic link is no way around the lock."""
    open_journal()
    link = tmp_path / "link.db"
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(JournalLocked):
            open_journal(name)


def test_a_removed_lock_file_gives_the_next_journal_a_new_one(open_journal: Open, path: Path) -> None:
    """A tidy hand that removes lock files does no harm to a journal that nobody has open."""
    open_journal().close()
    path.with_name("journal.db.lock").unlink()
    open_journal()
    with pytest.raises(JournalLocked):
        open_journal()


def test_a_lock_file_that_is_removed_in_the_moment_of_locking_is_no_lock(
    open_journal: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock must be on the file that the next process will find."""
    lock, flock, calls = path.with_name("journal.db.lock"), fcntl.flock, []

    def flock_after_a_tidy_hand(descriptor: int, operation: int) -> None:
        if not calls:
            lock.unlink()
        calls.append(descriptor)
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock_after_a_tidy_hand)
    open_journal()
    assert len(calls) == 2
    with pytest.raises(JournalLocked):
        open_journal()


def test_a_journal_is_made_only_where_it_may_be(open_journal: Open, path: Path) -> None:
    """A missing journal is missing, and no file is left behind by asking."""
    with pytest.raises(JournalMissing):
        open_journal(create=False)
    with pytest.raises(JournalMissing):
        Journal.open_readonly(path)
    assert not path.exists()


def test_a_place_that_cannot_be_written_to_is_a_failed_write(open_journal: Open, tmp_path: Path) -> None:
    """The daemon stays up and says so; it is not a bug."""
    with pytest.raises(JournalWriteFailed, match="cannot be opened for writing: No such file or directory"):
        open_journal(tmp_path / "missing" / "journal.db")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "No space left on device; make room on its disk"),
        (errno.EROFS, "Read-only file system; look at its disk"),
        (errno.EACCES, "Permission denied"),
    ],
)
def test_a_disk_that_takes_nothing_is_named_with_what_a_person_can_do(
    open_journal: Open, filled: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    """At a start, before anything of the record was looked at."""

    def refused(*given: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "pwrite", refused)
    with pytest.raises(JournalWriteFailed, match=said):
        open_journal()


def test_a_journal_is_let_go_also_where_nothing_can_be_written_any_more(
    open_journal: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system that became read-only under it must neither end the daemon nor lock it out of its own journal."""

    def refused(*given: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    journal = open_journal()
    with monkeypatch.context() as while_read_only:
        while_read_only.setattr(os, "ftruncate", refused)
        journal.close()
    open_journal().close()


@pytest.mark.parametrize(("site", "table"), [("lv02", "uth-017"), ("lv01", "uth-018")])
def test_the_journal_of_another_table_is_refused(open_journal: Open, filled: Path, site: str, table: str) -> None:
    """Told apart from damage: it names whose it is."""
    with pytest.raises(JournalForeign, match="this is the journal of lv01/uth-017, not"):
        open_journal(site=site, table=table)


def test_a_database_of_another_program_is_refused(open_journal: Open, path: Path) -> None:
    """It is sound, and none of ours."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE songs (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(JournalForeign, match="another program"):
        open_journal()
    assert path.read_bytes() == before


def test_a_later_format_is_refused(open_journal: Open, filled: Path) -> None:
    """An older release never writes into a newer file."""
    with closing(sqlite3.connect(filled)) as db:
        db.execute("PRAGMA user_version = 3")
    with pytest.raises(JournalNewer, match="format 3"):
        open_journal()


def _cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 6 // 10])


def _zero_page(number: int) -> Callable[[Path], None]:
    def zero(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[4096 * (number - 1) : 4096 * number] = bytes(4096)
        path.write_bytes(data)

    return zero


def _zero_root_of(table: str) -> Callable[[Path], None]:
    def zero(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        _zero_page(page)(path)

    return zero


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut to 60 %": _cut,
    "first page zeroed": _zero_page(1),
    "second page zeroed": _zero_page(2),
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("this is a log file\n" * 500),
    "readable but for a page of bodies": _zero_root_of("body"),
    "readable but for a page of an index": _zero_root_of("origin"),
}


@pytest.mark.parametrize("name", list(DAMAGE))
def test_a_damaged_file_is_named_and_left_as_it_is(open_journal: Open, filled: Path, name: str) -> None:
    """Found before anything is written, said with what was seen, and every byte stays for whoever looks into it."""
    DAMAGE[name](filled)
    before = filled.read_bytes()
    with pytest.raises(JournalDamaged) as found:
        open_journal()
    assert str(filled) in str(found.value)
    assert found.value.found
    assert filled.read_bytes() == before


def test_a_log_of_another_journal_is_found_before_it_is_taken_over(
    open_journal: Open, filled: Path, tmp_path: Path, event: Callable[..., Transaction], now: Stamp
) -> None:
    """A write-ahead log that belongs to another file would overwrite this one; the mixture is refused."""
    other = open_journal(tmp_path / "other.db")
    other.append([event(n) for n in range(1, 30)], now)
    shutil.copy(tmp_path / "other.db-wal", filled.with_name("journal.db-wal"))
    before = filled.read_bytes()
    with pytest.raises(JournalDamaged):
        open_journal()
    assert filled.read_bytes() == before


def test_a_log_without_its_journal_is_damage_and_not_a_new_beginning(open_journal: Open, path: Path) -> None:
    """The file was taken away and its newest records are still there: no new journal grows over them."""
    path.with_name("journal.db-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(4096))
    with pytest.raises(JournalDamaged, match="write-ahead log"):
        open_journal()
    assert not path.exists()


def test_a_start_that_was_cut_off_while_it_made_the_journal_is_no_damage(open_journal: Open, path: Path) -> None:
    """A journal appears whole under its name or not at all."""
    path.with_name("journal.db.new").write_bytes(b"half of a journal")
    assert open_journal().heads()
    assert not path.with_name("journal.db.new").exists()


def test_a_changed_record_near_the_end_is_found_at_open(
    open_journal: Open, filled: Path, tamper: Callable[..., None]
) -> None:
    """SQLite finds nothing wrong with it; the chain does."""
    tamper(filled, "UPDATE main SET round = 'r-0008' WHERE sequence = 38")
    with pytest.raises(JournalDamaged, match="main/38: changed"):
        open_journal()


def test_damage_that_open_did_not_see_shows_at_the_first_read(
    open_journal: Open, filled: Path, tamper: Callable[..., None]
) -> None:
    """A record that is gone is never passed over."""
    journal = open_journal()
    tamper(filled, "DELETE FROM main WHERE sequence = 5", "DELETE FROM body WHERE ord = 21")
    with pytest.raises(JournalDamaged, match="record main/5 is missing"):
        list(journal.records(FACTS, {}))
    with pytest.raises(JournalDamaged, match="the body of record"):
        list(journal.records((Stream.INPUT,), {}))


def test_a_log_that_cannot_be_read_is_never_passed_over(
    journal: Journal, event: Event, now: Stamp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a medium where nothing may be written SQLite reads a file without its log: the record would prove, and lack its end."""
    journal.append([event(n) for n in range(1, 51)], now)
    sealed = tmp_path / "sealed.journal"
    for suffix in ("", "-wal"):
        shutil.copyfile(journal.path.with_name(journal.path.name + suffix), sealed.with_name(sealed.name + suffix))
    real = sqlite3.connect

    class ReadOnlyMedium(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if "schema_version" in sql:
                real("file:/proc/none?mode=ro", uri=True)  # fails as SQLite does there
            return super().execute(sql, *values)

    monkeypatch.setattr(sqlite3, "connect", partial(real, factory=ReadOnlyMedium))
    with pytest.raises(OSError, match=r"newest records may be in sealed.journal-wal, .* a copy of both"):
        verify(sealed)
    sealed.with_name("sealed.journal-wal").write_bytes(b"")
    assert verify(sealed).journal == journal.id


def test_an_empty_file_is_damage_and_keeps_the_log_beside_it(path: Path) -> None:
    """SQLite takes an empty file for a new one, and would remove a log: it may be all that is left of the record."""
    path.touch()
    log = path.with_name(path.name + "-wal")
    log.write_bytes(b"what is left")
    assert [fault.detail for fault in verify(path).faults] == ["the file is empty"]
    assert log.read_bytes() == b"what is left"


def test_pages_that_a_start_cannot_write_are_damage_and_no_full_disk(filled, open_journal, monkeypatch):
    """A file that was cut may read well up to the first page that is written: it is put aside, not tried again for ever."""
    malformed = sqlite3.DatabaseError("database disk image is malformed")
    malformed.sqlite_errorcode = sqlite3.SQLITE_CORRUPT | 3 << 8

    def fails(*_: object) -> None:
        raise malformed

    monkeypatch.setattr("controller.journal.disk.file._prime", fails)
    with pytest.raises(JournalDamaged, match="malformed"):
        open_journal(filled)
