"""Whatever is done to a journal at rest is found, and named by stream and sequence."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.clock import Stamp
from controller.journal.errors import JournalDamaged, JournalForeign, JournalMissing, JournalNewer
from controller.journal.proof.findings import Cause
from controller.journal.proof.verify import verify
from controller.journal.record import FACTS, Record, Stream, Transaction
from controller.journal.store import Journal

Tamper = Callable[..., None]
INPUT, MAIN, DIAG = Stream.INPUT, Stream.MAIN, Stream.DIAG
Found = set[tuple[Cause, Stream | None, int | None, int | None]]


def found(path: Path) -> Found:
    return {(f.cause, f.stream, f.first, f.last) for f in verify(path).faults}


def test_a_sound_journal_is_proved_with_its_heads(filled: Path) -> None:
    """The heads are what somebody else can hold against a cut end later."""
    report = verify(filled)
    reader = Journal.open_readonly(filled)
    newest = {stream: reader.read(stream, head - 1, 1)[0] for stream, head in reader.heads().items()}
    reader.close()
    assert report.ok
    assert (report.journal, report.records) == (reader.id, 90)
    assert report.heads == {s: (r.sequence, r.recordhash) for s, r in newest.items()}


def test_an_empty_journal_is_sound(journal: Journal) -> None:
    """Its heads are the genesis of each stream."""
    report = verify(journal.path)
    assert report.ok
    assert {head.sequence for head in report.heads.values()} == {0}


def test_verifying_writes_nothing(filled: Path) -> None:
    """Not a byte of the file, so a copy that is evidence may be verified."""
    filled.chmod(0o440)
    before = filled.read_bytes()
    assert verify(filled).ok
    assert filled.read_bytes() == before


def test_a_live_journal_is_proved_while_it_grows(
    journal: Journal, event: Callable[..., Transaction], now: Stamp
) -> None:
    """What is committed at the time of looking, from the write-ahead log too, with no pause in writing."""
    for n in range(1, 41):
        journal.append([event(n, MAIN, DIAG)], now)
        report = verify(journal.path)
        assert report.ok, report.faults
        assert {head.sequence for head in report.heads.values()} == {n}


CHANGES: dict[str, tuple[str, Found]] = {
    "kind": ("UPDATE main SET kind = 'round_closed' WHERE sequence = 7", {(Cause.CHANGED, MAIN, 7, 7)}),
    "version": ("UPDATE main SET version = 1 WHERE sequence = 1", {(Cause.CHANGED, MAIN, 1, 1)}),
    "subject": ("UPDATE diag SET subject = 'shoe-2' WHERE sequence = 10", {(Cause.CHANGED, DIAG, 10, 10)}),
    "round": ("UPDATE main SET round = NULL WHERE sequence = 7", {(Cause.CHANGED, MAIN, 7, 7)}),
    "cause": ("UPDATE main SET cause = replace(cause, '-7', '-8') WHERE sequence = 7", {(Cause.CHANGED, MAIN, 7, 7)}),
    "time": ("UPDATE input SET time_us = time_us + 1 WHERE sequence = 40", {(Cause.CHANGED, INPUT, 40, 40)}),
    "recorded": ("UPDATE input SET recorded_us = 0 WHERE sequence = 2", {(Cause.CHANGED, INPUT, 2, 2)}),
    "monotonic": ("UPDATE input SET mono_ns = mono_ns - 1 WHERE sequence = 2", {(Cause.CHANGED, INPUT, 2, 2)}),
    "boot": ("UPDATE input SET boot = 'b2' WHERE sequence BETWEEN 2 AND 5", {(Cause.CHANGED, INPUT, 2, 5)}),
    "clock": ("UPDATE input SET clock = 'unsynced' WHERE sequence = 2", {(Cause.CHANGED, INPUT, 2, 2)}),
    "serial": ("UPDATE input SET serial = 'X' WHERE sequence = 2", {(Cause.CHANGED, INPUT, 2, 2)}),
    "no serial": ("UPDATE input SET serial = NULL WHERE sequence = 2", {(Cause.CHANGED, INPUT, 2, 2)}),
    "device boot": ("UPDATE input SET device_boot = 'X' WHERE sequence = 2", {(Cause.CHANGED, INPUT, 2, 2)}),
    "counter": ("UPDATE input SET counter = -1 WHERE sequence = 2", {(Cause.CHANGED, INPUT, 2, 2)}),
    "record hash": ("UPDATE main SET recordhash = zeroblob(32) WHERE sequence = 7", {(Cause.CHANGED, MAIN, 7, 7)}),
    "last record hash": ("UPDATE main SET recordhash = x'00' WHERE sequence = 40", {(Cause.CHANGED, MAIN, 40, 40)}),
    "data hash": (
        "UPDATE main SET datahash = zeroblob(32) WHERE sequence = 7",
        {(Cause.CHANGED, MAIN, 7, 7), (Cause.BODY_CHANGED, MAIN, 7, 7)},
    ),
    "body": (
        "UPDATE body SET data = CAST(replace(data, '0', '1') AS BLOB) WHERE ord = (SELECT ord FROM main WHERE sequence = 7)",
        {(Cause.BODY_CHANGED, MAIN, 7, 7)},
    ),
    "salt": (
        "UPDATE body SET salt = zeroblob(16) WHERE ord = (SELECT ord FROM diag WHERE sequence = 3)",
        {(Cause.BODY_CHANGED, DIAG, 3, 3)},
    ),
    "byte moved from body to salt": (
        "UPDATE body SET salt = CAST(salt || substr(data, 1, 1) AS BLOB), data = substr(data, 2) "
        "WHERE ord = (SELECT ord FROM main WHERE sequence = 7)",
        {(Cause.BODY_CHANGED, MAIN, 7, 7)},
    ),
    "number of the last": (
        "UPDATE main SET sequence = 42 WHERE sequence = 40",
        {(Cause.MISSING, MAIN, 40, 41)},
    ),
    "one deleted": ("DELETE FROM main WHERE sequence = 7", {(Cause.MISSING, MAIN, 7, 7)}),
    "first deleted": ("DELETE FROM main WHERE sequence = 1", {(Cause.MISSING, MAIN, 1, 1)}),
    "end of one stream cut": (
        "DELETE FROM main WHERE sequence > 38", {(Cause.ORDER, None, 87, 87), (Cause.ORDER, None, 89, 89)}),
    "body deleted": (
        "DELETE FROM body WHERE ord = 15", {(Cause.BODY_MISSING, MAIN, 7, 7), (Cause.ORDER, None, 15, 15)}),
    "order": ("UPDATE main SET ord = 1000 WHERE sequence = 40", {
        (Cause.CHANGED, MAIN, 40, 40), (Cause.BODY_MISSING, MAIN, 40, 40)}),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_of_the_record_is_named(filled: Path, tamper: Tamper, name: str) -> None:
    """By what is wrong and where; the records around it are not accused."""
    statement, expected = CHANGES[name]
    tamper(filled, statement)
    assert found(filled) == expected


def test_text_that_is_no_text_makes_its_record_unreadable_and_no_other(filled: Path, tamper: Tamper) -> None:
    """Bytes that are no UTF-8 in a text column."""
    tamper(filled, "UPDATE main SET kind = CAST(x'ff' AS TEXT) WHERE sequence = 7")
    assert found(filled) == {(Cause.UNREADABLE, MAIN, 7, 7)}
    with pytest.raises(JournalDamaged, match="main/7: unreadable"):
        _contents(filled)


def test_a_column_that_is_not_of_its_type_is_a_change(filled: Path, tamper: Tamper) -> None:
    """Somebody who takes the strictness off a table for a moment is found like any other."""
    tamper(
        filled,
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'input'",
        "PRAGMA writable_schema = RESET",
        "UPDATE input SET counter = 'seven' WHERE sequence = 7",
        "UPDATE input SET ord = x'07' WHERE sequence = 20",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE name = 'input'",
        "PRAGMA writable_schema = RESET",
    )
    faults = found(filled)
    assert {(Cause.CHANGED, INPUT, 7, 7), (Cause.CHANGED, INPUT, 20, 20)} <= faults
    assert {f[2] for f in faults if f[1]} == {7, 20}


def test_two_swapped_records_are_named(filled: Path, tamper: Tamper) -> None:
    """Numbers exchanged between neighbours; the link to the next one is broken too."""
    tamper(
        filled, *(f"UPDATE main SET sequence = {b} WHERE sequence = {a}" for a, b in ((7, 99), (8, 7), (99, 8)))
    )
    assert found(filled) == {(Cause.CHANGED, MAIN, 7, 9), (Cause.ORDER, MAIN, 8, 8)}


def test_a_record_put_in_between_is_named(filled: Path, tamper: Tamper) -> None:
    """An invented record with a body of its own cannot be linked, nor can what follows."""
    tamper(
        filled,
        "INSERT INTO main SELECT 41, 91, kind, version, subject, round, cause, time_us, recorded_us, mono_ns, boot, "
        "clock, datahash, recordhash FROM main WHERE sequence = 40",
        "INSERT INTO body SELECT 91, salt, data FROM body WHERE ord = (SELECT ord FROM main WHERE sequence = 40)",
    )
    assert found(filled) == {(Cause.CHANGED, MAIN, 41, 41)}


def test_a_whole_rewritten_chain_does_not_follow_from_this_journal(
    filled: Path, tamper: Tamper, tmp_path: Path, event: Callable[..., Transaction], now: Stamp
) -> None:
    """Records of a journal that was made with our own code for the purpose carry another genesis."""
    forged = Journal.open(tmp_path / "forged.db", site="lv01", table="uth-017")
    for n in range(1, 11):
        forged.append([event(n, DIAG)], now)
    forged.close()
    tamper(filled, f"ATTACH '{tmp_path / 'forged.db'}' AS f", "DELETE FROM diag",
           "INSERT INTO diag SELECT * FROM f.diag")  # fmt: skip
    assert (Cause.CHANGED, DIAG, 1, 10) in found(filled)
    tamper(filled, f"ATTACH '{tmp_path / 'forged.db'}' AS f", "DELETE FROM anchor WHERE stream = 'diag'",
           "INSERT INTO anchor SELECT * FROM f.anchor WHERE stream = 'diag'")  # fmt: skip
    assert (Cause.ANCHOR, DIAG, 0, 0) in found(filled)


@pytest.mark.parametrize(
    ("statement", "detail"),
    [
        ("DROP TRIGGER main_no_update", "not there: CREATE TRIGGER main_no_update"),
        ("DROP INDEX origin", "not there: CREATE UNIQUE INDEX"),
        ("CREATE TRIGGER t AFTER INSERT ON main BEGIN DELETE FROM position; END", "not of a journal: t"),
    ],
)
def test_missing_guards_and_foreign_ones_are_named(filled: Path, statement: str, detail: str) -> None:
    """A file whose triggers are not ours is not append-only, whatever its records say."""
    with closing(sqlite3.connect(filled)) as db:
        db.execute(statement)
    assert [(f.cause, f.detail) for f in verify(filled).faults] == [(Cause.SCHEMA, detail)]


def _zero_first_leaf(path: Path, table: str) -> None:
    """Blanks the page with the table's lowest numbers, by the layout of an SQLite file: page 1 begins at 0."""
    with closing(sqlite3.connect(path)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    data = bytearray(path.read_bytes())
    start = (root - 1) * 4096
    cell = start + int.from_bytes(data[start + 12 : start + 14], "big")
    child = int.from_bytes(data[cell : cell + 4], "big")
    data[(child - 1) * 4096 : child * 4096] = bytes(4096)
    path.write_bytes(data)


def _zero_leaf_of(path: Path, table: str, number: int) -> None:
    """Blanks the page on which `number` would stand; the table has one page above its leaves."""
    with closing(sqlite3.connect(path)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    data = bytearray(path.read_bytes())
    start = (root - 1) * 4096
    cells = int.from_bytes(data[start + 3 : start + 5], "big")
    for at in range(start + 12, start + 12 + 2 * cells, 2):
        cell = start + int.from_bytes(data[at : at + 2], "big")
        child, key = int.from_bytes(data[cell : cell + 4], "big"), _varint(data[cell + 4 : cell + 13])
        if key >= number:
            data[(child - 1) * 4096 : child * 4096] = bytes(4096)
            path.write_bytes(data)
            return
    raise AssertionError("it stands on the last page")


def _varint(data: bytearray) -> int:
    value = 0
    for byte in data[:8]:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value
    return value << 8 | data[8]


def test_pages_that_cannot_be_read_are_named_by_range(
    path: Path, event: Callable[..., Transaction], now: Stamp
) -> None:
    """Everything on the other pages is still proved."""
    journal = Journal.open(path, site="lv01", table="uth-017")
    journal.append([event(n) for n in range(1, 201)], now)
    journal.close()
    _zero_first_leaf(path, "main")
    report = verify(path)
    (unreadable,) = [f for f in report.faults if f.cause is Cause.UNREADABLE]
    assert (unreadable.stream, unreadable.first) == (MAIN, 1)
    assert unreadable.last is not None
    assert 5 < unreadable.last < 60
    assert {f.cause for f in report.faults} == {Cause.UNREADABLE, Cause.FILE}
    assert report.heads[MAIN].sequence == 200


def test_a_false_number_behind_a_page_that_cannot_be_read_is_no_way_without_end(
    path: Path, event: Callable[..., Transaction], now: Stamp, tamper: Tamper
) -> None:
    """A forged record must not keep a regulator's proof busy for ever: the stretch is told as a range, what follows it proved."""
    journal = Journal.open(path, site="lv01", table="uth-017")
    journal.append([event(n) for n in range(1, 201)], now)
    journal.close()
    far = 1 << 61
    tamper(path, f"UPDATE main SET sequence = sequence + {far} WHERE sequence > 100", "VACUUM")
    _zero_leaf_of(path, "main", far)
    (unreadable,) = [f for f in verify(path).faults if f.cause is Cause.UNREADABLE]
    assert unreadable.first is not None
    assert unreadable.last is not None
    assert 50 < unreadable.first <= 100
    assert far + 101 <= unreadable.last < far + 160


def test_what_is_not_damage_is_told_apart(path: Path, filled: Path, tmp_path: Path) -> None:
    """Missing, of another program, of a later release: raised; text in place of the file: reported."""
    with pytest.raises(JournalMissing):
        verify(tmp_path / "nothing.db")
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE songs (name TEXT)")
    with pytest.raises(JournalForeign):
        verify(other)
    with closing(sqlite3.connect(filled)) as db:
        db.execute("PRAGMA user_version = 9")
    with pytest.raises(JournalNewer):
        verify(filled)
    filled.write_text("no journal\n" * 1000)
    assert [(f.cause, f.stream) for f in verify(filled).faults] == [(Cause.FILE, None)]


def _contents(path: Path) -> list[Record]:
    reader = Journal.open_readonly(path)
    try:
        return sorted([*reader.records((Stream.INPUT,), {}), *reader.records(FACTS, {})], key=lambda r: r.order)
    finally:
        reader.close()


def test_a_flipped_byte_is_found_or_changes_no_record(filled: Path) -> None:
    """Any byte of the pages in use: either the proof fails, or every record is read back as it was."""
    before, data = _contents(filled), filled.read_bytes()
    used = [n for n in range(len(data) // 4096) if any(data[n * 4096 : (n + 1) * 4096])]
    chance, failed = random.Random(20260101), 0
    for _ in range(300):
        at = chance.choice(used) * 4096 + chance.randrange(4096)
        flipped = bytearray(data)
        flipped[at] ^= 1 << chance.randrange(8)
        filled.write_bytes(flipped)
        try:
            is_sound = verify(filled).ok
        except (JournalForeign, JournalNewer):
            is_sound = False
        failed += not is_sound
        assert not is_sound or _contents(filled) == before, f"byte {at}"
    assert failed > 30
