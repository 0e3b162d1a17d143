"""One file is the whole record after a clean stop; before it, the file itself says that a log belongs to it."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from click.testing import CliRunner

from controller.cli.main import cli
from controller.clock import Stamp
from controller.journal.archive.backup import back_up
from controller.journal.archive.rescue import rescue
from controller.journal.proof.expected import shortfall
from controller.journal.proof.verify import verify
from controller.journal.record import Transaction
from controller.journal.store import Journal, opened

Event = Callable[..., Transaction]


def alone(path: Path) -> Path:
    """A copy of the file without what lies beside it."""
    (path.parent / "alone").mkdir(exist_ok=True)
    return Path(shutil.copy(path, path.parent / "alone" / path.name))


def test_a_clean_stop_leaves_one_whole_file(journal: Journal, event: Event, now: Stamp) -> None:
    """Also where somebody reads it meanwhile."""
    journal.append([event(n) for n in range(1, 6)], now)
    with opened(journal.path) as view:
        order = view.last()[1]
        journal.close()
        report = verify(alone(journal.path))
        assert (report.ok, report.order, report.lacks_log) == (True, order, "")


def test_a_file_whose_log_is_missing_says_so(
    journal: Journal, event: Event, now: Stamp, open_journal: Callable[..., Journal]
) -> None:
    """Its chain is unbroken, and the records are fewer than were told; a start does not go on with it."""
    journal.append([event(1)], now)
    copy = alone(journal.path)
    done = CliRunner().invoke(cli, ["journal", "verify", str(copy)])
    assert (done.exit_code, f"LOG MISSING  its newest records may be in {copy.name}-wal" in done.output) == (
        3,
        True,
    ), done.output
    log = journal.path.with_name(journal.path.name + "-wal")
    shutil.copy(log, copy.with_name(log.name))
    assert (verify(copy).ok, verify(copy).lacks_log) == (True, "")


def test_a_start_knows_how_far_the_record_went(
    journal: Journal, event: Event, now: Stamp, open_journal: Callable[..., Journal]
) -> None:
    """To the record, where no checkpoint says so: the log was lost after a crash, or an older copy was laid there."""
    journal.append([event(1)], now)
    older = alone(journal.path)
    for part in ("-wal", ".lock"):  # as a kill leaves them
        shutil.copy(journal.path.with_name(journal.path.name + part), older.with_name(older.name + part))
    whole = open_journal(older)
    assert whole.order == 2
    whole.append([event(2)], now)
    whole.close()
    with closing(sqlite3.connect(older)) as tool:
        assert tool.execute("SELECT count(*) FROM main").fetchone() == (2,)
    again = open_journal(older)
    assert (again.order, shortfall(again, None, None)) == (4, ""), "another tool may look at it meanwhile"
    again.close()
    shutil.copy(journal.path, older)
    cut = open_journal(older)
    assert shortfall(cut, None, None) == "it ends at 0 and went to 4: its log was lost, or it is an older copy"


def test_a_reader_that_stands_keeps_the_log(journal: Journal, event: Event, now: Stamp) -> None:
    """Then the file goes on to say that it belongs to it; with it, the record is whole."""
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM main").fetchall()
        journal.append([event(1)], now)
        order = journal.order
        journal.close()
        assert verify(alone(journal.path)).lacks_log
        assert (verify(journal.path).order, verify(journal.path).lacks_log) == (order, "")
    again = Journal.open(journal.path, site=journal.site, table=journal.table)
    assert again.order == order
    again.close()


def test_a_copy_in_one_piece_wants_no_log(
    journal: Journal, event: Event, now: Stamp, open_journal: Callable[..., Journal]
) -> None:
    """A backup, and a record that was put back from its descriptors."""
    journal.append([event(1)], now)
    assert back_up(journal.path, journal.path.with_name("copy")).report.lacks_log == ""
    for part in journal.path.parent.glob(f"{journal.path.name}*"):
        part.unlink()
    saved = rescue(journal)
    assert saved.is_whole
    journal.refuse("its file was gone")
    journal.close()
    assert verify(journal.path).lacks_log == ""
    assert open_journal().order == 2
