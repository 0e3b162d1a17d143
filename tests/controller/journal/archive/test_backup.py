"""Copies: taken from a live journal, proved before they count, found changed by any flipped byte, and laid beside a lost one."""

import random
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.clock import Stamp
from controller.journal.archive.backup import back_up, restore
from controller.journal.archive.quarantine import newest_aside
from controller.journal.errors import (
    JournalDamaged,
    JournalForeign,
    JournalMissing,
    JournalNewer,
    JournalOlder,
    JournalWriteFailed,
)
from controller.journal.proof.verify import verify
from controller.journal.record import Transaction
from controller.journal.store import Journal, opened


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / "copies" / "one.journal"


@pytest.fixture(autouse=True)
def place(copy: Path) -> None:
    copy.parent.mkdir()


def test_a_live_journal_is_copied_whole(
    journal: Journal, copy: Path, event: Callable[..., Transaction], now: Stamp
) -> None:
    """What was durable when the copy began is in it; the journal goes on, and the copy's hash lies beside it."""
    journal.append([event(n) for n in range(1, 51)], now)
    made = back_up(journal.path, copy)
    journal.append([event(51)], now)
    assert (made.report.records, made.report.journal) == (100, journal.id)
    assert verify(copy).ok
    with opened(copy) as view:
        assert [r.origin[2] for r in view.merged(["input"]) if r.origin] == list(range(1, 51))  # type: ignore[list-item]
    assert copy.with_name("one.journal.sha256").read_text() == f"{made.sha256}  one.journal\n"
    assert {p.name for p in copy.parent.iterdir()} == {"one.journal", "one.journal.sha256"}


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum here")
def test_the_hash_is_one_that_sha256sum_reads(filled: Path, copy: Path) -> None:
    """Nobody needs this software to see that a copy is the same."""
    back_up(filled, copy)
    subprocess.run(["sha256sum", "-c", "--status", "one.journal.sha256"], cwd=copy.parent, check=True)


def test_a_copy_never_overwrites_and_a_damaged_journal_gives_none_that_counts(
    filled: Path, copy: Path, tamper: Callable[..., None]
) -> None:
    """A copy that does not prove has no hash beside it."""
    copy.write_text("somebody's")
    with pytest.raises(JournalWriteFailed, match="is there already"):
        back_up(filled, copy)
    assert copy.read_text() == "somebody's"
    copy.unlink()
    tamper(filled, "UPDATE main SET kind = 'x' WHERE sequence = 7")
    with pytest.raises(JournalDamaged, match="the copy does not prove: main/7: changed"):
        back_up(filled, copy)
    assert not copy.with_name("one.journal.sha256").exists()
    with pytest.raises(JournalWriteFailed, match="cannot be written"):
        back_up(filled, copy.parent / "none" / "x")


def test_every_flipped_byte_of_a_copy_is_found(filled: Path, copy: Path) -> None:
    """Also where SQLite keeps nothing: the whole file is under one hash."""
    back_up(filled, copy)
    data, chance = bytearray(copy.read_bytes()), random.Random(20260112)
    for _ in range(60):
        at, bit = chance.randrange(len(data)), 1 << chance.randrange(8)
        data[at] ^= bit
        copy.write_bytes(data)
        with suppress(JournalForeign, JournalNewer, JournalOlder):
            assert not verify(copy).ok, f"byte {at}"
        data[at] ^= bit


def test_a_copy_is_laid_beside_a_lost_journal_and_the_next_one_names_it(filled: Path, copy: Path) -> None:
    """Never over a journal that is there; the next start finds what to name."""
    made = back_up(filled, copy)
    with pytest.raises(JournalWriteFailed, match="is there; move it"):
        restore(copy, filled)
    filled.unlink()
    where, report = restore(copy, filled)
    assert where.name.startswith("journal.db.restored-")
    assert where.read_bytes() == copy.read_bytes()
    assert report.records == 90
    aside = newest_aside(filled)
    assert aside is not None
    assert (aside.name, aside.sha256) == (where.name, made.sha256)
    copy.write_bytes(copy.read_bytes()[:9000])
    with pytest.raises(JournalDamaged, match="does not prove"):
        restore(copy, filled.with_name("other"))
    with pytest.raises(JournalMissing):
        restore(copy.with_name("none"), filled.with_name("other"))


def test_what_lies_in_the_log_of_a_saved_journal_is_restored_with_it(
    journal: Journal, copy: Path, event: Callable[..., Transaction], now: Stamp
) -> None:
    """Who saves a file from a dead PC has its log beside it: the newest records are only there."""
    journal.append([event(n) for n in range(1, 51)], now)
    for suffix in ("", "-wal"):
        shutil.copyfile(journal.path.with_name(journal.path.name + suffix), copy.with_name(copy.name + suffix))
    lost = copy.with_name("lost.journal")
    where, report = restore(copy, lost)
    assert (report.path, report.records) == (where, 100)
    assert verify(where).records == 100
    assert {p.name for p in lost.parent.iterdir() if p.name.startswith("lost")} == {where.name}


@pytest.mark.parametrize("cut_off", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_work_that_is_cut_off_leaves_nothing_that_looks_like_a_copy(
    filled: Path, copy: Path, monkeypatch: pytest.MonkeyPatch, cut_off: type[BaseException] | OSError
) -> None:
    """A start would name half a restore as what it goes on after; half a backup has a copy's name and proves nothing."""
    kept = copy.with_name("kept.journal")
    back_up(filled, kept)
    before = {p.name for p in copy.parent.iterdir()}

    def fail(*_: object) -> None:
        raise cut_off

    monkeypatch.setattr("controller.journal.archive.backup._durable", fail)
    for work in (lambda: back_up(filled, copy), lambda: restore(kept, copy)):
        with pytest.raises((KeyboardInterrupt, JournalWriteFailed)):
            work()
        assert {p.name for p in copy.parent.iterdir()} == before
    assert newest_aside(copy) is None


def test_what_is_no_journal_is_said_to_be_none_and_gives_no_copy(filled: Path, copy: Path, tmp_path: Path) -> None:
    """And what is left of an earlier copy is not held against this one."""
    (tmp_path / "text").write_text("no database " * 100)
    (tmp_path / "empty").touch()
    with pytest.raises(JournalDamaged, match="text: damaged: file is not a database"):
        back_up(tmp_path / "text", copy)
    with pytest.raises(JournalDamaged, match="empty: damaged: the file is empty"):
        back_up(tmp_path / "empty", copy)
    assert not [*copy.parent.iterdir()]
    copy.with_name("one.journal.sha256").write_text("0 one.journal\n")
    with pytest.raises(JournalWriteFailed, match=r"one\.journal\.sha256 is there already"):
        back_up(filled, copy)


def test_a_restored_copy_that_somebody_reads_is_still_what_a_start_names(filled: Path, copy: Path) -> None:
    """A reader's files lie beside it, and are no copies."""
    back_up(filled, copy)
    where, _ = restore(copy, copy.with_name("x"))
    with opened(where):
        for suffix in ("-wal", "-shm"):
            where.with_name(where.name + suffix).touch()
        aside = newest_aside(copy.with_name("x"))
    assert aside is not None
    assert aside.name == where.name


def test_the_commands_say_what_they_did(filled: Path, copy: Path) -> None:
    """With the number of records and the hash; exit codes as everywhere."""
    runner = CliRunner()
    done = runner.invoke(cli, ["journal", "backup", str(filled), str(copy)])
    assert done.exit_code == 0
    assert "90 records, proved; sha256 " in done.output
    assert runner.invoke(cli, ["journal", "backup", str(filled), str(copy)]).exit_code == 1
    assert runner.invoke(cli, ["journal", "restore", str(copy), str(filled)]).exit_code == 1
    filled.unlink()
    done = runner.invoke(cli, ["journal", "restore", str(copy), str(filled)])
    assert done.exit_code == 0
    assert "90 records of journal" in done.output
    assert runner.invoke(cli, ["journal", "backup", str(filled), str(copy)]).exit_code == 3
