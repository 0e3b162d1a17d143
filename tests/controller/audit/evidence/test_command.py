"""What `journal evidence` makes of records that are odd, and of what it is asked for."""

import gzip
import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli
from controller.journal.archive.keep import seal_days
from controller.journal.archive.shelf import all_in, beside
from controller.journal.proof.keys import make_key
from controller.rules.vocabulary import Area
from controller.table.words import acts as a
from tests.journals.test_journals import FOLDER
from tests.support.recorded import FLUSH, Recorded, disputed
from tests.support.unzipped import part

ASKED_FOR = ("0.1.0/fast-action.journal.gz", "0.1.0-bodies-1/fast-action.journal.gz")
"""Kept journals under rulebooks of which this release has other files; evidence holds the very file that was in force."""


@pytest.fixture(scope="module")
def flush(tmp_path_factory: pytest.TempPathFactory) -> tuple[Recorded, str]:
    return disputed(tmp_path_factory.mktemp("table"))


def ask(*args: object) -> Result:
    return CliRunner().invoke(cli, ["journal", "evidence", *map(str, args)])


def test_a_round_that_is_not_there_is_named_with_the_nearest(flush: tuple[Recorded, str], tmp_path: Path) -> None:
    """And where there is no record, that is another answer than where it lacks a round."""
    done = ask(flush[0].path, "41")
    assert done.exit_code == 1
    assert "no round uth-017-41 began in this record: the newest are uth-017-4, uth-017-3" in done.output
    assert "(nearest: uth-017-4)" in ask(flush[0].path, "uth-O17-4").output
    assert ask(tmp_path / "nowhere", "1").exit_code == 3


def test_nothing_is_overwritten_and_nothing_half_is_left(flush: tuple[Recorded, str], tmp_path: Path) -> None:
    """By a second call, or where the place cannot be written."""
    table, name = flush
    assert (
        ask(table.path, name, "--key", table.public, "--sign", table.key, "--out", tmp_path / "e.zip").exit_code
        == 0
    )
    before = (tmp_path / "e.zip").read_bytes()
    done = ask(table.path, "1", "--key", table.public, "--sign", table.key, "--out", tmp_path / "e.zip")
    assert (done.exit_code, "never overwritten" in done.output) == (1, True)
    assert (tmp_path / "e.zip").read_bytes() == before
    assert "cannot be written" in ask(table.path, name, "--out", tmp_path / "no" / "e.zip").output
    assert [p.name for p in tmp_path.iterdir()] == ["e.zip"]


def test_a_number_is_as_good_as_the_id_and_a_copy_as_good_as_the_record(
    flush: tuple[Recorded, str], tmp_path: Path
) -> None:
    """The same bytes come of each."""
    table, name = flush
    shutil.copy(table.path, tmp_path / "copy")
    for path, round_id, out in ((table.path, name, "a"), (tmp_path / "copy", "2", "b")):
        assert (
            ask(path, round_id, "--key", table.public, "--sign", table.key, "--out", tmp_path / out).exit_code == 0
        )
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_changed_record_gives_no_evidence(flush: tuple[Recorded, str], tmp_path: Path) -> None:
    """A body that is not the one that was hashed, in the round: verify is named, and no file is made."""
    path = tmp_path / "copy"
    shutil.copy(flush[0].path, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        sql = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'body' AND sql LIKE '%UPDATE%'"
        trigger, made = db.execute(sql).fetchone()
        db.execute(f"DROP TRIGGER {trigger}")
        sql = "SELECT ord FROM main WHERE kind = 'wager_settled' AND round = ?"
        (order,) = db.execute(f"{sql} LIMIT 1", (flush[1],)).fetchone()
        changed = db.execute(
            "UPDATE body SET data = CAST(replace(CAST(data AS TEXT), '\"paid\":1000', '\"paid\":9000') AS BLOB) WHERE ord = ?",
            (order,),
        )
        assert changed.rowcount == 1
        db.execute(made)
    done = ask(path, flush[1], "--out", tmp_path / "e.zip")
    assert done.exit_code == 1
    assert "is not what was hashed: `tablewarden journal verify` says what else is wrong" in done.output
    assert not (tmp_path / "e.zip").exists()


def test_the_key_that_has_signed_is_asked_for_by_its_id(flush: tuple[Recorded, str], tmp_path: Path) -> None:
    """Another key proves nothing, and a file without any says so."""
    table, name = flush
    make_key(tmp_path / "other")
    done = ask(table.path, name, "--key", tmp_path / "other.pub", "--out", tmp_path / "e.zip")
    assert done.exit_code == 1
    assert table.signer is not None
    assert f"is signed by key {table.signer.public.id}" in done.output
    done = ask(table.path, name, "--out", tmp_path / "e.zip")
    assert done.exit_code == 1
    assert "UNSIGNED no public key is in it" in done.output
    done = ask(table.path, name, "--key", table.public, "--out", tmp_path / "unsigned.zip")
    assert (done.exit_code, "UNSIGNED the page, the cards and all but the records" in done.output) == (1, True)


def test_a_round_in_play_on_a_live_record_says_what_is_not_signed_yet(tmp_path: Path) -> None:
    """The daemon goes on writing; the file is made again after the next checkpoint."""
    table = Recorded(tmp_path)
    table.ready()
    table.begin("red")
    name = table.round.id
    done = ask(table.path, name, "--key", table.public, "--sign", table.key, "--out", tmp_path / "e.zip")
    table.act(a.PlaceWager(1, "trips", 500)) if "trips" not in table.round.seats[1].wagers else None
    table.journal.close()
    assert done.exit_code == 1, done.output
    assert "records are named by no checkpoint yet: make the file again" in done.output
    assert b"not ended yet" in part((tmp_path / "e.zip").read_bytes(), "page.html")


def test_what_was_said_later_of_an_alarm_in_the_round_is_in_it(tmp_path: Path) -> None:
    """Who saw it and who cleared it, rounds later, although neither names the round."""
    table = Recorded(tmp_path)
    table.ready()
    table.begin("red")
    alarm = table.alarm()
    table.let_out().deal().to_showdown().end()
    name = table.state.last_round.id if table.state.last_round else ""
    table.checkpoint()
    table.act(a.SeeAlarm(alarm))
    table.act(a.ClearAlarm(alarm, "a coat lay over it"))
    table.checkpoint()
    table.journal.close()
    assert (
        ask(table.path, name, "--key", table.public, "--sign", table.key, "--out", tmp_path / "e.zip").exit_code
        == 0
    )
    page = part((tmp_path / "e.zip").read_bytes(), "page.html").decode()
    assert "a coat lay over it" in page
    assert f"alarm seen {alarm}" in page


def test_cards_of_a_sealed_round_are_said_to_need_a_supervisor(tmp_path: Path) -> None:
    """The file is made without them."""
    table = Recorded(tmp_path)
    table.ready()
    name = table.round_of("red", FLUSH, is_open=False)
    table.journal.close()
    done = ask(table.path, name, "--key", table.public, "--sign", table.key, "--out", tmp_path / "e.zip")
    assert done.exit_code == 0
    assert f"tablewarden vault open {name}" in done.output


def test_a_hand_that_was_refused_is_no_hand_of_the_round(tmp_path: Path) -> None:
    """Also once a supervisor let it out: whatever somebody typed there, it is neither a card nor a reason to ask for one."""
    table = Recorded(tmp_path)
    table.ready()
    table.begin("red").let_out().deal().to_showdown()
    name = table.round.id
    table.refused(a.RecordHand(Area.PLAYER, "As\tKs\nmain/1\tplayer", seat=2))
    table.tell(FLUSH)
    table.act(a.SettleRound())
    table.act(a.CollectCards())
    table.open_cards()
    table.act(a.EndRound())
    table.checkpoint()
    table.journal.close()
    done = ask(table.path, name, "--key", table.public, "--sign", table.key, "--out", tmp_path / "e.zip")
    assert (done.exit_code, "SEALED" in done.output) == (0, False), done.output
    data = (tmp_path / "e.zip").read_bytes()
    assert len(part(data, "cards.tsv").splitlines()) == 11
    assert "seat 2: not in play" in part(data, "page.html").decode()


def _recording(path: Path, speaks: str, began_us: int) -> None:
    """A frame a second for a minute, the round beginning in the middle."""
    wall = datetime.fromtimestamp(began_us / 1e6 - 30, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    head = {
        "tablewarden_recording": 1, "device": "shoe-1", "kind": "shoe", "path": "/dev/shoe", "baud": 115200, "speaks": speaks,
        "serial": None, "software": "tablewarden 0.1.0", "wall": wall, "part": 1,
    }  # fmt: skip
    lines = [head, *({"us": 5_000_000 + n * 1_000_000, "in": f"{n:02x}"} for n in range(120))]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_the_wires_are_cut_to_the_time_of_the_round(flush: tuple[Recorded, str], tmp_path: Path) -> None:
    """Ten seconds around it, with what ties the clock to the time; a folder without any of that time adds nothing."""
    table, name = flush
    with closing(sqlite3.connect(table.path)) as db:
        sql = "SELECT time_us FROM main WHERE round = ? AND kind = ?"
        began, ended = (db.execute(sql, (name, kind)).fetchone()[0] for kind in ("round_begun", "round_ended"))
    folder = tmp_path / "wires"
    folder.mkdir()
    _recording(folder / "shoe.jsonl", "tdp/1", began)
    _recording(folder / "long-ago.jsonl", "tdp/1", began - 3_600_000_000)
    out = tmp_path / "e.zip"
    assert (
        ask(
            table.path, name, "--key", table.public, "--sign", table.key, "--frames", folder, "--out", out
        ).exit_code
        == 0
    )
    head, first, *rest = part(out.read_bytes(), "shoe.jsonl").decode().splitlines()
    assert "tablewarden_recording" in head
    assert json.loads(first)["us"] == 5_000_000
    seconds = [(json.loads(line)["us"] - 35_000_000) / 1e6 for line in rest]
    assert -11 <= seconds[0] <= -9
    assert abs(seconds[-1] - ((ended - began) / 1e6 + 10)) <= 1.1
    with pytest.raises(ValueError, match="not enough values"):
        part(out.read_bytes(), "long-ago.jsonl")
    assert b"Frames on the wire: frames/shoe.jsonl" in part(out.read_bytes(), "page.html")


def test_a_wire_that_may_name_cards_is_left_out(flush: tuple[Recorded, str], tmp_path: Path) -> None:
    """Nobody has let them out."""
    _recording(tmp_path / "r.jsonl", "bee-tek", 60_000_000)
    done = ask(flush[0].path, flush[1], "--frames", tmp_path / "r.jsonl", "--out", tmp_path / "e.zip")
    assert (done.exit_code, "may name cards" in done.output) == (1, True)
    (tmp_path / "r.jsonl").write_text("{}\n")
    assert "is no recording" in ask(flush[0].path, flush[1], "--frames", tmp_path / "r.jsonl").output


def test_the_records_of_every_release_give_evidence(tmp_path: Path) -> None:
    """Of a round of each kept journal, with the key that signed it. A rulebook that is another file by now is asked for."""
    for packed in sorted(FOLDER.glob("*/*.journal.gz")):
        path = tmp_path / packed.parent.name / packed.name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        public = packed.with_name(packed.name.replace(".journal.gz", ".pub"))
        done = ask(path, "2", "--key", public, "--out", path.with_suffix(".zip"), "--json")
        assert done.exit_code == 1, done.output
        if f"{packed.parent.name}/{packed.name}" in ASKED_FOR:
            assert "put that file" in done.output, packed
            continue
        told = json.loads(done.output)
        assert told["records"] > 30
        assert (told["unsigned"], told["signatures_looked_at"], told["manifest_signed"]) == (0, True, False)


def test_a_round_whose_day_was_sealed_and_pruned_gives_the_same_evidence(tmp_path: Path) -> None:
    """From the segments beside the record; what was said since is in the live file. A segment alone keeps its cards sealed."""
    table = Recorded(tmp_path)
    table.ready()
    name = table.round_of("red", FLUSH)
    boundary = table.close_day()
    table.round_of("blue")
    table.dispute(name)
    seal_days(table.path)
    (segment,) = all_in(beside(table.path, table.journal.id))
    asked = ("--key", table.public, "--sign", table.key, "--out")
    assert ask(table.path, name, *asked, tmp_path / "before").exit_code == 0
    table.journal.prune(boundary.end)
    while table.journal.remove_some():
        pass
    table.journal.close()
    done = ask(table.path, name, *asked, tmp_path / "after")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
    done = ask(segment.path, name, *asked, tmp_path / "alone")
    assert (done.exit_code, "SEALED" in done.output) == (0, True), done.output
    second = ask(table.path, "2", *asked, tmp_path / "second")
    assert second.exit_code == 0, second.output
    segment.path.unlink()
    done = ask(table.path, name, *asked, tmp_path / "gone")
    assert (done.exit_code, "was pruned: bring its segments from the second place" in done.output) == (1, True)
    assert ask(table.path, "2", *asked, tmp_path / "without").exit_code == 0, (
        "its start stands in the closing of the day"
    )
