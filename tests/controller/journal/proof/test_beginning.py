"""A file that begins late proves only where its record says that it was pruned there, and a key has signed that."""

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli
from controller.clock import ManualClock
from controller.journal.archive.boundary import Boundary, closed_day, read_boundary
from controller.journal.archive.keep import seal_days
from controller.journal.archive.shelf import all_in, beside
from controller.journal.errors import JournalDamaged
from controller.journal.opening import opened
from controller.journal.proof.checkpoint import signed_statement
from controller.journal.proof.expected import shortfall
from controller.journal.proof.export import export_lines
from controller.journal.proof.keys import PublicKey, SigningKey, make_key
from controller.journal.proof.verify import verify
from controller.journal.record import Stream, Transaction
from controller.journal.store import Journal
from controller.table.words.inputs import CheckpointSigned, RecordDayClosed
from tests.support.closed_days import STARTED, close_day, mark, note, say_pruned

Event = Callable[..., Transaction]
COPY = "copy.db"
SCRIPT = Path(__file__).resolve().parents[4] / "docs" / "verify-record.sh"


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    make_key(tmp_path / "k")
    return SigningKey.load(tmp_path / "k")


@pytest.fixture
def days(journal: Journal, event: Event, clock: ManualClock, key: SigningKey) -> list[Boundary]:
    """Three closed days of two events, signed and sealed; nothing is pruned."""
    closed, begin = [], mark(journal)
    for n in range(3):
        journal.append([event(2 * n + k, Stream.MAIN, Stream.DIAG) for k in range(2)], clock.stamp())
        sign(journal, key, clock)
        closed.append(close_day(journal, f"2026-01-0{n + 1}", begin, clock, key))
        begin = closed[-1].end
    sign(journal, key, clock)
    seal_days(journal.path)
    return closed


def sign(journal: Journal, key: SigningKey, clock: ManualClock) -> None:
    heads, order = journal.last()
    text, signature = signed_statement(key, journal.id, journal.site, journal.table, heads, order, clock.stamp())
    note(journal, CheckpointSigned(text, signature), clock)


def cut(path: Path, through: int) -> Path:
    """A copy without the records through this order, and with the beginning set behind them. Its chain is unbroken."""
    copy = path.with_name(COPY)
    with closing(sqlite3.connect(path)) as db, closing(sqlite3.connect(copy)) as to:
        db.backup(to)
    with closing(sqlite3.connect(copy, isolation_level=None)) as db:
        guards = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            db.execute(f"DROP TRIGGER {name}")
        for stream in Stream:
            last = db.execute(
                f"SELECT sequence, recordhash FROM {stream} WHERE ord <= ? ORDER BY ord DESC LIMIT 1", (through,)
            ).fetchone()
            if last:
                db.execute(
                    "UPDATE anchor SET sequence = ?, recordhash = ? WHERE stream = ?", (*last, stream.value)
                )
            db.execute(f"DELETE FROM {stream} WHERE ord <= ?", (through,))
        db.execute("DELETE FROM body WHERE ord <= ?", (through,))
        db.execute("UPDATE journal SET order_before = ?", (through,))
        for _, sql in guards:
            db.execute(sql)
    return copy


def script(exported: str, folder: Path, *keys: Path) -> tuple[int, str]:
    (folder / "r.tsv").write_text(exported)
    done = subprocess.run(["bash", SCRIPT, folder / "r.tsv", *keys], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def ask(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["journal", *map(str, words)])


def test_a_file_cut_at_its_beginning_does_not_prove(
    journal: Journal, days: list[Boundary], tmp_path: Path
) -> None:
    """Anywhere, at the end of a day too, and for every command that reads it."""
    for through in (1, days[0].order - 1, days[0].order, days[1].order, days[1].order + 3):
        copy = cut(journal.path, through)
        for keys in ([], [PublicKey.load(tmp_path / "k.pub")]):
            (fault, *_) = verify(copy, keys=keys).faults
            assert "are not in it" in str(fault)
        copy.unlink()
    copy = cut(journal.path, days[1].order)
    for words in (
        ("verify", copy, "--key", tmp_path / "k.pub"), ("prove", copy, "r-0007"), ("evidence", copy, "r-0007"),
        ("export", copy), ("tail", copy),
    ):  # fmt: skip
        done = ask(*words)
        assert (done.exit_code, "no record_pruned says" in done.output) == (1, True), words


def test_a_number_alone_moves_no_beginning(
    journal: Journal, days: list[Boundary], tamper: Callable[..., None]
) -> None:
    """`order_before` and where the streams begin must be of the same place."""
    journal.close()
    for statement in (
        "UPDATE journal SET order_before = 7",
        "UPDATE anchor SET sequence = 7 WHERE stream = 'main'",
    ):
        copy = journal.path.with_name(COPY)
        shutil.copy(journal.path, copy)
        tamper(copy, statement)
        assert any("its streams begin elsewhere" in str(f) for f in verify(copy).faults)


def test_a_pruned_file_proves_and_says_where_it_begins(
    journal: Journal, days: list[Boundary], clock: ManualClock, key: SigningKey, tmp_path: Path
) -> None:
    """By itself, without the segments too; a cut behind the day that was pruned is still found."""
    say_pruned(journal, days[:1], clock)
    sign(journal, key, clock)
    journal.prune(days[0].end)
    while journal.remove_some():
        pass
    begins = f"begins at order {days[0].order + 1}: the days through 2026-01-01 were pruned"
    done = ask("verify", journal.path, "--key", tmp_path / "k.pub")
    assert (done.exit_code, begins in done.output) == (0, True), done.output
    assert ask("verify", journal.path, "--whole", "--key", tmp_path / "k.pub").exit_code == 0
    assert shortfall(journal, key.public, None) == ""
    copy = cut(journal.path, days[1].order)
    assert not verify(copy).ok
    copy.unlink()
    (first,) = (n.path for n in all_in(beside(journal.path, journal.id)) if n.day == "2026-01-01")
    first.unlink()
    done = ask("verify", journal.path, "--key", tmp_path / "k.pub")
    assert (done.exit_code, begins in done.output) == (0, True), done.output
    assert ask("verify", journal.path, "--whole").exit_code == 1


def test_who_has_no_key_cannot_say_that_it_was_pruned(
    journal: Journal, days: list[Boundary], clock: ManualClock, key: SigningKey, tmp_path: Path
) -> None:
    """Words behind the newest checkpoint move no beginning, for an auditor nor at a start."""
    say_pruned(journal, days[:2], clock)
    copy = cut(journal.path, days[1].order)
    assert verify(copy).ok, "nobody is asked who signed it"
    (fault,) = verify(copy, keys=[key.public]).faults
    assert "names record_pruned at order" in str(fault)
    forged = Journal.open(copy, site=journal.site, table=journal.table)
    assert "names record_pruned at order" in shortfall(forged, key.public, None)
    assert shortfall(forged, None, None) == ""
    sign(forged, key, clock)
    assert verify(copy, keys=[key.public]).ok
    assert shortfall(forged, key.public, None) == ""
    forged.close()


def test_a_day_with_a_false_signature_is_no_beginning(
    journal: Journal, event: Event, clock: ManualClock, key: SigningKey
) -> None:
    """The statement of the day names this key, and this key has not signed it."""
    begin = mark(journal)
    journal.append([event(1, Stream.MAIN, Stream.DIAG)], clock.stamp())
    text, _ = closed_day(key, journal.description, "2026-01-01", begin, mark(journal), clock.stamp())
    day = read_boundary(text)
    note(journal, RecordDayClosed("2026-01-01", STARTED, ("{}",), text, "00" * 64), clock)
    say_pruned(journal, [day], clock)
    sign(journal, key, clock)
    journal.prune(day.end)
    (fault,) = verify(journal.path, keys=[key.public]).faults
    assert "has not signed where 2026-01-01 ends" in str(fault)


def test_segments_that_do_not_begin_with_the_first_say_so(
    journal: Journal, days: list[Boundary], tmp_path: Path
) -> None:
    """A folder without its first days is not whole: code 3. One day alone is a day."""
    folder = beside(journal.path, journal.id)
    first, second, *_ = (n.path for n in all_in(folder))
    done = ask("verify", folder, "--key", tmp_path / "k.pub")
    assert (done.exit_code, "NOT WHOLE" in done.output) == (0, False)
    first.unlink()
    done = ask("verify", folder, "--key", tmp_path / "k.pub")
    assert (done.exit_code, f"NOT WHOLE  the segments through order {days[0].order}" in done.output) == (3, True)
    done = ask("verify", second, "--key", tmp_path / "k.pub", "--json")
    assert (done.exit_code, json.loads(done.output)["begins"]["order"]) == (0, days[0].order + 1)


def test_a_start_does_not_take_up_a_record_that_was_cut(journal: Journal, days: list[Boundary]) -> None:
    """Nor does any reader open it."""
    copy = cut(journal.path, days[0].order)
    with pytest.raises(JournalDamaged, match="no record_pruned says"):
        Journal.open(copy, site=journal.site, table=journal.table)
    with pytest.raises(JournalDamaged, match="no record_pruned says"), opened(copy):
        pass


def test_the_script_takes_no_beginning_on_trust(
    journal: Journal, days: list[Boundary], clock: ManualClock, key: SigningKey, tmp_path: Path
) -> None:
    """It accepts what the record says was pruned and a key has signed, and a sealed day; it says where they begin."""
    public, begins = tmp_path / "k.pub", f"begins behind order {days[1].order}"
    (last,) = (n.path for n in all_in(beside(journal.path, journal.id)) if n.day == "2026-01-03")
    whole = exported(journal.path)
    sealed = exported(last)
    say_pruned(journal, days[1:2], clock)
    journal.prune(days[1].end)
    for named in all_in(beside(journal.path, journal.id)):
        named.path.unlink()
    unsigned = exported(journal.path)
    sign(journal, key, clock)
    pruned = exported(journal.path)
    code, said = script(whole, tmp_path, public)
    assert (code, "begins behind" in said) == (0, False), said
    for text, *keys in ((sealed, public), (pruned, public), (pruned,)):
        code, said = script(text, tmp_path, *keys)
        assert (code, begins in said) == (0, True), said
    unsealed = sealed[: sealed.index("segment\t")]
    withheld = [_without(pruned, kind) for kind in ("record_pruned", "record_day_closed")]
    for text in (unsigned, unsealed, *withheld):
        code, said = script(text, tmp_path, public)
        assert (code, "no signed record says that they were pruned" in said) == (1, True), said
    moved = pruned.replace(f"\t{days[1].order}\n", f"\t{days[1].order - 1}\n", 1)
    assert "do not begin behind order" in script(moved, tmp_path, public)[1]


def exported(path: Path) -> str:
    with opened(path) as view:
        return "".join(export_lines(view))


def _without(text: str, kind: str) -> str:
    """Its bodies are withheld, which the chain allows."""
    lines = [line.split("\t") for line in text.splitlines()]
    lines = [[*a[:3], "-", "-", *a[5:]] if len(a) > 5 and f'"{kind}"' in a[2] else a for a in lines]
    return "".join("\t".join(line) + "\n" for line in lines)
