"""Records that somebody else has written: whatever stands in a body, every command of the record says what it cannot read."""

import random
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli
from controller.journal.chain import data_hash, header_of, record_hash
from controller.journal.disk.file import SCHEMA_SQL
from controller.journal.opening import opened_alone
from controller.journal.record import Record, Stream
from controller.table.words.inputs import CardsErased
from tests.support.recorded import FLUSH, Recorded

ODD = (b"no JSON", b"[1]", b"null", b'"text"', b"7", b"{}", b'{"a":', b"\xff\xfe", b'{"body":[]}', b"[" * 3000)
"""What a body may be: no JSON, none that is an object, one of another kind, none that is text, one that is too deep."""
VALUES: tuple[Any, ...] = (None, 7, -1, "x", "", [], {}, True, 10**15)
GONE = 0.25
CODES = (0, 1, 3)
PARTS = 8
"""Of the full test, so that both cores have something to do."""
Source = tuple[Path, str, list[Record]]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """A day that was closed and the next one, with rounds, cards, a dispute and an alarm; the file, a round, its records.

    Nobody has signed it, so that evidence goes on behind what was changed.
    """
    table = Recorded(tmp_path_factory.mktemp("table"), signs=False)
    table.ready()
    table.round_of("red")
    table.close_day()
    table.alarm()
    name = table.round_of("blue", FLUSH)
    table.dispute(name)
    table.round_of("red")
    table.put(CardsErased(1, "retention", "sam", "supervisor"))
    table.journal.close()
    with opened_alone(table.path) as view:
        return table.path, name, list(view.merged(Stream))


def rewritten(source: Path, target: Path, wanted: tuple[Stream, int], data: bytes) -> Path:
    """The record with another body at one place, and hashes that lead on from it: nobody sees by them that it was changed."""
    shutil.copy(source, target)
    with opened_alone(source) as view:
        journal, records, prevhash = view.description.id, list(view.merged(wanted[:1])), b""
    with closing(sqlite3.connect(target)) as db, db:
        for guard in [sql for sql in SCHEMA_SQL[2] if sql.startswith("CREATE TRIGGER")]:
            db.execute(f"DROP TRIGGER {guard.split()[2]}")
        for record in records:
            if record.sequence < wanted[1]:
                continue
            body = data if record.sequence == wanted[1] else record.data
            datahash = data_hash(record.salt, body)
            prevhash = record_hash(prevhash or record.prevhash, header_of(journal, record), datahash)
            db.execute("UPDATE body SET data = ? WHERE ord = ?", (body, record.order))
            db.execute(
                f"UPDATE {wanted[0].value} SET datahash = ?, recordhash = ? WHERE sequence = ?",
                (datahash, prevhash, record.sequence),
            )
        for guard in [sql for sql in SCHEMA_SQL[2] if sql.startswith("CREATE TRIGGER")]:
            db.execute(guard)
    return target


def every_command(path: Path, round_id: str, vault: Path, scratch: Path) -> list[tuple[str, Result]]:
    """What each command that reads a record says of this one."""
    out, second = scratch / "evidence.zip", scratch / "second"
    out.unlink(missing_ok=True)
    (scratch / "copy").unlink(missing_ok=True)
    shutil.rmtree(second, ignore_errors=True)
    second.mkdir()
    commands = [
        ["tail", path, "--all"], ["tail", path, "--json"], ["export", path], ["verify", path], ["alarms", path],
        ["lookback", path, "red"], ["lookback", path, "blue", "--by", "reading"], ["prove", path, round_id, "--vault", vault],
        ["replay", path, "--verify", "--vault", vault], ["replay", path, "--at", round_id],
        ["replay", path, "--at", "2100-01-01"], ["evidence", path, round_id, "--out", out],
        ["keep", path, "--copy", second, "--vault", vault], ["drill", second], ["backup", path, scratch / "copy"],
    ]  # fmt: skip
    run = CliRunner()
    return [(words[0], run.invoke(cli, ["journal", *map(str, words)])) for words in commands]


def fails(name: str, done: Result) -> str:
    """ "" where a command has said in words what is the matter."""
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return f"{name}: {done.exception!r}"
    if done.exit_code not in CODES or "Traceback" in done.output:
        return f"{name}: {done.exit_code} {done.output[-200:]}"
    return ""


def ends(records: list[Record]) -> list[Record]:
    """The first and the last record of each stream and kind."""
    first: dict[tuple[Stream, str], Record] = {}
    last: dict[tuple[Stream, str], Record] = {}
    for record in records:
        first.setdefault((record.stream, record.kind), record)
        last[record.stream, record.kind] = record
    return sorted({*first.values(), *last.values()}, key=lambda record: record.order)


def spots(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where in a body something stands."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, there in inside:
        yield (*path, key)
        yield from spots(there, (*path, key))


def another(body: bytes, rng: random.Random) -> bytes:
    """The body with one value that is gone, or another one."""
    whole: Any = msgspec.json.decode(body)
    places = list(spots(whole))
    if not places:
        return b'{"more":1}'
    *way, last = rng.choice(places)
    at = whole
    for key in way:
        at = at[key]
    if rng.random() < GONE:
        del at[last]
    else:
        at[last] = rng.choice(VALUES)
    return msgspec.json.encode(whole)


def failing(source: Source, folder: Path, changed: Iterable[tuple[Record, bytes]]) -> list[str]:
    """What went wrong with which record and body."""
    path, name, _ = source
    wrong = []
    for record, body in changed:
        odd = rewritten(path, folder / "odd", (record.stream, record.sequence), body)
        for command, done in every_command(odd, name, path.with_name("vault"), folder):
            if found := fails(command, done):
                wrong.append(f"{record.stream}/{record.sequence} {record.kind} {body[:80]!r}: {found}")
    return wrong


@pytest.mark.timeout(240)  # a hundred commands
def test_every_command_says_what_it_cannot_read(source: Source, tmp_path: Path) -> None:
    """Of some kinds of record the first or the last one, with one of the odd bodies: no command falls over."""
    rng = random.Random(6)
    some = rng.sample(ends(source[2]), 8)
    assert failing(source, tmp_path, [(record, rng.choice(ODD)) for record in some]) == []


@pytest.mark.timeout(240)  # a hundred commands
def test_every_command_says_what_cannot_be(source: Source, tmp_path: Path) -> None:
    """Bodies of the right kind in which one value is gone, or is one that nobody could have recorded there."""
    rng = random.Random(7)
    some = rng.choices(ends(source[2]), k=8)
    assert failing(source, tmp_path, [(record, another(record.data, rng)) for record in some]) == []


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_command_says_what_it_cannot_read_in_any_record(source: Source, tmp_path: Path, part: int) -> None:
    """Each odd body in each kind, and ten other values in each."""
    rng = random.Random(8)
    odd = [(record, body) for record in ends(source[2]) for body in ODD]
    values = [(record, another(record.data, rng)) for record in ends(source[2]) for _ in range(10)]
    assert failing(source, tmp_path, [*odd, *values][part::PARTS]) == []


def test_what_cannot_be_read_is_named_with_its_place(source: Source, tmp_path: Path) -> None:
    """And with what proves the record; the tail of the record shows it as it lies there."""
    path, name, records = source
    begun = next(r for r in records if r.kind == "bookmark_named")
    odd = rewritten(path, tmp_path / "odd", (Stream.MAIN, begun.sequence), b"[1]")
    said = dict(every_command(odd, name, path.with_name("vault"), tmp_path))
    named = f"main/{begun.sequence}: this is no body of a bookmark_named: "
    for command in ("alarms", "evidence"):
        assert named in said[command].output
        assert "`tablewarden journal verify` says whether" in said[command].output
        assert said[command].exit_code == 1
    shown = CliRunner().invoke(cli, ["journal", "tail", str(odd), "--all"]).output
    assert "bookmark_named           no object 5b315d" in shown
