"""`backoffice verify`: a store that was changed in any place is found, and each hole is named for what it is."""

import json
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from controller.backoffice.row import Row
from controller.backoffice.store.reading import opened
from controller.backoffice.store.schema import migrations
from controller.backoffice.verify import Grade, Hole, Proof, keys_in, proofs
from controller.cli.main import cli
from controller.journal.proof.keys import make_key
from tests.controller.backoffice.reading.captured import kept_days
from tests.controller.backoffice.reading.stores import fill, sqlite_store

T1 = "urn:tablewarden:lv01:t-1"
OUTSIDE = ("deviceserial", "deviceboot", "devicecounter", "devicetick", "devicetime", "deviceerrorus", "devicelog", "devicechain",
           "deviceauth", "openkeys")  # fmt: skip
"""Keys of an event that no hash covers (docs/back-office.md)."""


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[bytes], Path]:
    """What two tables published, and the folder of their keys."""
    folder = tmp_path_factory.mktemp("days")
    return kept_days(["md-uth-1", "nj-pikit-4"], folder, 60), folder / "keys"


@pytest.fixture(scope="module")
def stored(days: tuple[list[bytes], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stored") / "store"
    sqlite_store(path, days[0])
    return path


@pytest.fixture
def store(stored: Path, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A copy of the store, to be spoiled."""
    shutil.copy(stored, tmp_path / "store")
    with closing(sqlite3.connect(tmp_path / "store", isolation_level=None)) as connection:
        yield connection


def proven(path: Path | str, keys: Path, **span: str) -> list[Proof]:
    with closing(opened(path if isinstance(path, str) else f"sqlite:{path}")) as reading:
        return list(proofs(reading, keys_in(keys), **span))


def holes(found: Sequence[Proof], *grades: Grade) -> list[Hole]:
    return [hole for proof in found for hole in proof.holes if hole.grade in grades]


def test_what_was_published_is_sound(days: tuple[list[bytes], Path], stored: Path) -> None:
    texts, keys = days
    found = proven(stored, keys)
    assert [(proof.wrong, proof.partial) for proof in found] == [(0, 0), (0, 0)]
    assert sum(proof.events for proof in found) == len(texts)
    assert all(proof.checkpoints >= 2 and proof.unsigned == 1 for proof in found)


def test_postgresql_is_proven_alike(days: tuple[list[bytes], Path], postgres_url: str, stored: Path) -> None:
    texts, keys = days
    with psycopg.connect(postgres_url) as connection:
        for step in migrations("postgresql"):
            connection.execute(step.sql)
        fill(connection, "postgresql", texts)
    assert proven(postgres_url, keys) == proven(stored, keys)
    with psycopg.connect(postgres_url) as connection:
        connection.execute(
            "UPDATE event SET body = replace(body, '\"by\":\"a ', '\"by\":\"o ') WHERE kind = 'table_opened'"
        )
        connection.execute(
            "DELETE FROM event WHERE source = %s AND stream = 'main' AND sequence BETWEEN 7 AND 9", [T1]
        )
    codes = {hole.code for hole in holes(proven(postgres_url, keys), Grade.WRONG)}
    assert codes == {"event_changed", "gap"}


MAIN = f"source = '{T1}' AND stream = 'main'"
EDITS = {
    "one event is taken out": (f"DELETE FROM event WHERE {MAIN} AND sequence = 9", ["gap main/9..9"]),
    "the first events are taken out": (f"DELETE FROM event WHERE {MAIN} AND sequence < 4", ["gap main/1..3"]),
    "the signed end is taken out": (
        f"DELETE FROM event WHERE {MAIN} AND sequence > (SELECT MAX(sequence) - 6 FROM event WHERE {MAIN})", ["tail main/"]),
    "a whole stream is taken out": (f"DELETE FROM event WHERE {MAIN}", ["tail main/1.."]),
    "a body is changed": (
        f"UPDATE event SET body = replace(body, '\"by\":\"a ', '\"by\":\"o ') WHERE {MAIN} AND kind = 'table_opened'",
        ["event_changed main/"]),
    "a column is changed": (f"UPDATE event SET kind = 'round_ended' WHERE {MAIN} AND sequence = 5", ["row_changed main/5"]),
    "a text stands twice": (
        f"UPDATE event SET body = (SELECT o.body FROM event o WHERE o.source = event.source AND o.stream = 'main' "
        f"AND o.sequence = 6) WHERE {MAIN} AND sequence = 5", ["row_changed main/5", "gap main/5..5"]),
    "a text is none": (
        f"UPDATE event SET body = '' WHERE {MAIN} AND sequence = 5", ["message_unreadable main/5", "gap main/5..5"]),
    "an event moves to another table": (
        f"UPDATE event SET source = 'urn:tablewarden:lv01:t-2' WHERE {MAIN} AND sequence = 5",
        ["gap main/5..5", "table_foreign main/5"]),
    "a signature is changed": (
        f"UPDATE checkpoint SET signature = replace(signature, 'a', 'b') WHERE source = '{T1}'", ["signature_wrong checkpoint"]),
    "the table has named more": (
        f"UPDATE stream_position SET head = head + 3 WHERE {MAIN}", ["tail main/"]),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_found_and_named(
    edit: str, store: sqlite3.Connection, days: tuple[list[bytes], Path], tmp_path: Path
) -> None:
    sql, wanted = EDITS[edit]
    assert store.execute(sql).rowcount
    found = [f"{hole.code} {hole.text}" for hole in holes(proven(tmp_path / "store", days[1]), Grade.WRONG)]
    assert all(any(one.startswith(begins) for one in found) for begins in wanted), found


def test_a_chain_that_is_rewritten_whole_contradicts_its_signature(
    store: sqlite3.Connection,
    days: tuple[list[bytes], Path],
    tmp_path: Path,
    rewritten: Callable[[list[bytes]], list[bytes]],
) -> None:
    """Somebody changes a body and computes every hash behind it anew: no event is wrong by itself."""
    mine = [text for text in days[0] if T1 in text.decode()]
    others = [text for text in days[0] if T1 not in text.decode()]
    path = tmp_path / "rewritten"
    sqlite_store(path, [*rewritten(mine), *others])
    found = holes(proven(path, days[1]), Grade.WRONG)
    assert {hole.code for hole in found} == {"chain_forked"}
    assert "main" in found[0].text


@pytest.fixture
def rewritten() -> Callable[[list[bytes]], list[bytes]]:
    from controller.backoffice.envelope import read
    from controller.backoffice.proof import recomputed

    def rewrite(texts: list[bytes]) -> list[bytes]:
        made, last = [], {}
        for text in texts:
            event = json.loads(text)
            if (before := last.get(event["stream"])) is not None:
                event["prevhash"] = before
            if event["sequence"].endswith("0005") and event["stream"] == "main":
                event["data"]["by"] = "somebody else"
            bare = json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()
            event["recordhash"] = last[event["stream"]] = recomputed(read(bare)).recordhash.hex()
            made.append(json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode())
        return made

    return rewrite


def test_a_declared_hole_is_no_fault_and_not_whole(
    store: sqlite3.Connection, days: tuple[list[bytes], Path], tmp_path: Path
) -> None:
    """What lies beside it is a fault all the same."""
    (journal,) = store.execute(f"SELECT DISTINCT journal FROM event WHERE {MAIN}").fetchone()
    store.execute(f"DELETE FROM event WHERE {MAIN} AND sequence BETWEEN 5 AND 8")
    parked = (T1, journal, "main", 5, 7, "parked", "2027-01-15T08:00:00.000000Z")
    store.execute(
        "INSERT INTO parked (source, journal, stream, first, last, reason, declared) VALUES (?,?,?,?,?,?,?)",
        parked,
    )
    found = proven(tmp_path / "store", days[1])
    assert [hole.text[:11] for hole in holes(found, Grade.PARTIAL)] == ["main/5..7: "]
    assert [hole.text[:11] for hole in holes(found, Grade.WRONG)] == ["main/8..8: "]
    store.execute("UPDATE parked SET last = 8")
    assert not holes(proven(tmp_path / "store", days[1]), Grade.WRONG)


def test_a_store_without_checkpoints_is_not_proven(
    store: sqlite3.Connection, days: tuple[list[bytes], Path], tmp_path: Path
) -> None:
    """Whoever takes the signatures out takes numbers out, too; a table that never signed is named as well."""
    store.execute(f"DELETE FROM checkpoint WHERE source = '{T1}'")
    assert not holes(proven(tmp_path / "store", days[1]), Grade.WRONG), "the signatures stand in the events, too"
    store.execute(f"DELETE FROM event WHERE source = '{T1}' AND kind = 'checkpoint_signed'")
    codes = [hole.code for hole in holes(proven(tmp_path / "store", days[1]), Grade.WRONG)]
    assert codes.count("checkpoint_missing") == 1
    assert "gap" in codes


def test_keys_decide_what_is_proven(days: tuple[list[bytes], Path], stored: Path, tmp_path: Path) -> None:
    """Another key is a fault, no key is said, and a table of which nothing is stored is named."""
    make_key(tmp_path / "other.key")
    keys = tmp_path / "keys"
    keys.mkdir()
    shutil.copy(tmp_path / "other.key.pub", keys / "lv01_t-1.pub")
    shutil.copy(tmp_path / "other.key.pub", keys / "lv01_t-9.pub")
    first, second, ninth = proven(stored, keys)
    assert {hole.code for hole in holes([first], Grade.WRONG)} == {"key_unknown", "checkpoint_missing"}
    assert [hole.code for hole in holes([second], Grade.PARTIAL)] == ["no_key"]
    assert [hole.code for hole in ninth.holes] == ["nothing_stored"]
    shutil.copy(days[1] / "lv01_t-1.pub", keys / "lv01_t-1.2.pub")
    assert not proven(stored, keys)[0].wrong
    asked = ("--from", f"sqlite:{stored}", "--keys", str(keys), "--json")
    two = subprocess.run(
        [sys.executable, "-m", "controller.cli", "backoffice", "verify", *asked, "--processes", "2"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (two.returncode, two.stdout) == _run(*asked, "--processes", "1"), "two processes say what one says"


@pytest.fixture
def long(tmp_path: Path) -> tuple[Path, Path, str]:
    """The store of a table that played on three days, its keys, and the first of the days."""
    sqlite_store(tmp_path / "long", kept_days(["nj-pikit-4"], tmp_path))
    return tmp_path / "long", tmp_path / "keys", "2027-01-15"


def test_a_span_is_proven_by_itself(long: tuple[Path, Path, str]) -> None:
    """A day hangs on the events around it, so that one that was emptied is found."""
    path, keys, first = long
    (whole,) = proven(path, keys)
    parts = [
        proof
        for day in ("15", "16", "17")
        for proof in proven(path, keys, since=f"2027-01-{day}", until=f"2027-01-{day}")
    ]
    assert sum(proof.events for proof in parts) == whole.events
    assert len([proof for proof in parts if proof.events]) >= 2
    assert not any(proof.wrong for proof in parts)
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("DELETE FROM event WHERE day = ?", [first])
    assert {hole.code for hole in holes(proven(path, keys, since=first, until=first), Grade.WRONG)} == {"gap"}


def test_pruned_days_are_named(long: tuple[Path, Path, str]) -> None:
    path, keys, first = long
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("DELETE FROM event WHERE day = ?", [first])
        assert {hole.code for hole in holes(proven(path, keys), Grade.WRONG)} == {"gap"}
        store.executemany("INSERT INTO retention VALUES (?, '2027-01-16')", [["main"], ["diag"]])
    found = proven(path, keys)
    assert not holes(found, Grade.WRONG)
    assert {hole.code for hole in holes(found, Grade.NOTE)} >= {"pruned"}


def _flipped(rng: random.Random, value: object) -> object:
    """The value with one bit of it turned, as it lies in the file."""
    match value:
        case int():
            return value ^ (1 << rng.randrange(16))
        case None:
            return "x"
        case bytes() | str():
            raw = bytearray(value.encode() if isinstance(value, str) else value)
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
            return bytes(raw)
    raise AssertionError(value)


def _flip_and_prove(path: Path, keys: Path, seed: str, count: int) -> None:
    """Turns a bit of a random column of a random row again and again; each must be found."""
    rng = random.Random(seed)
    provable = [name for name in Row._fields if name not in ("body", "received")]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        rows = [row for (row,) in connection.execute("SELECT rowid FROM event")]
        for number in range(count):
            row, name = rng.choice(rows), rng.choice(("body", "body", "body", rng.choice(provable)))
            (value, kind) = connection.execute(
                f"SELECT {name}, typeof({name}) FROM event WHERE rowid = ?", [row]
            ).fetchone()
            flipped = _flipped(rng, value)
            mark = "CAST(? AS TEXT)" if kind == "text" else "?"
            try:
                connection.execute(f"UPDATE event SET {name} = {mark} WHERE rowid = ?", [flipped, row])
            except sqlite3.IntegrityError:
                continue  # the store itself refuses it: another row has this key, or the column this type
            assert holes(proven(path, keys), Grade.WRONG), (number, row, name, value, flipped)
            connection.execute(f"UPDATE event SET {name} = ? WHERE rowid = ?", [value, row])


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    """A store of the first minutes of two tables, so that a proof of it takes no time, and its keys."""
    sqlite_store(tmp_path / "small", kept_days(["md-uth-1", "nj-pikit-4"], tmp_path, 12))
    return tmp_path / "small", tmp_path / "keys"


def test_any_flipped_bit_is_found(small: tuple[Path, Path]) -> None:
    _flip_and_prove(*small, "short", 120)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_any_of_ten_thousand_flipped_bits_is_found(small: tuple[Path, Path]) -> None:
    _flip_and_prove(*small, "long", 10_000)


def _run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["backoffice", "verify", *arguments])
    return done.exit_code, done.output


def test_the_command_says_it_by_its_exit_code(
    store: sqlite3.Connection, days: tuple[list[bytes], Path], tmp_path: Path
) -> None:
    """0 as published, 1 not, 3 not all proven or no store; with --json a table a line."""
    asked = ("--from", f"sqlite:{tmp_path / 'store'}", "--keys", str(days[1]), "--processes", "1")
    code, page = _run(*asked)
    assert (code, page.splitlines()[-1].rpartition(": ")[2]) == (0, "complete and as published")
    code, page = _run(*asked, "--json", "--tables", "lv01/t-2")
    (told,) = map(json.loads, page.splitlines())
    assert (code, told["table"], told["sound"], told["wrong"]) == (0, "lv01/t-2", True, 0)
    assert _run(*asked, "--tables", "lv01/t-7")[0] == 3
    assert _run("--from", f"sqlite:{tmp_path / 'none'}", "--keys", str(days[1]))[0] == 3
    assert _run("--from", "mysql://x", "--keys", str(days[1]))[0] == 3
    store.execute(f"DELETE FROM event WHERE {MAIN} AND sequence = 9")
    code, page = _run(*asked)
    assert code == 1
    assert "WRONG  main/9..9: missing [gap]" in page
