"""Whatever is done to a small journal: either the proof fails, or the record that is read from it is byte for byte the same."""

import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.clock import ManualClock
from controller.journal.errors import JournalError
from controller.journal.proof.export import export_lines
from controller.journal.proof.verify import verify
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal, opened

FLIPS = 600
"""Of the short form; the full form flips each byte."""
STREAMS = (Stream.INPUT, Stream.MAIN, Stream.DIAG)
TEXTS = ("kind", "subject", "round", "cause", "boot", "clock")
NUMBERS = ("sequence", "ord", "version", "time_us", "recorded_us", "mono_ns")
BLOBS = ("datahash", "recordhash")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a closed journal of 12 inputs, without the free pages that a priming leaves."""
    path, clock = tmp_path_factory.mktemp("small") / "j", ManualClock()
    journal = Journal.open(path, site="lv01", table="t1")
    for n in range(1, 13):
        facts = tuple(
            Draft(s, "stub_counted", 1, "shoe-1", "r-1", b'{"n":%d}' % n) for s in STREAMS[1 : 1 + n % 3]
        )
        said = Draft(Stream.INPUT, "report", 1, "shoe-1", None, b'{"n":%d}' % n)
        journal.append([Transaction(clock.stamp(), said, ("S", "B", n), facts)], clock.stamp())
    journal.move("outbox", Stream.MAIN, 3)
    journal.close()
    packed = path.with_name("packed")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"VACUUM INTO '{packed}'")
    return packed.read_bytes()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file name in memory where there is such a place: thousands of small files are written there."""
    name = f"tablewarden-edits-{os.getpid()}"
    at = Path("/dev/shm") if Path("/dev/shm").is_dir() else tmp_path_factory.mktemp("edits")
    yield at / name
    for left in at.glob(f"{name}*"):
        left.unlink()


def contents(path: Path) -> list[str]:
    with opened(path) as view:
        return list(export_lines(view))


def is_proved(path: Path) -> bool:
    try:
        return verify(path).ok
    except JournalError:
        return False


def _flip(place: Path, data: bytes, places: list[tuple[int, int]]) -> int:
    """How many of these flips were found; each other one must leave the record as it was."""
    place.write_bytes(data)
    before, found, flipped = contents(place), 0, bytearray(data)
    for at, bit in places:
        flipped[at] ^= 1 << bit
        place.write_bytes(flipped)
        if is_proved(place):
            assert contents(place) == before, f"byte {at}, bit {bit}"
        else:
            found += 1
        flipped[at] ^= 1 << bit
    return found


def test_a_flipped_byte_is_found_or_changes_nothing_that_is_read(small: bytes, place: Path) -> None:
    """A chance bit of chance bytes, and each byte of the file's first hundred."""
    chance = random.Random(20260110)
    places = [(at, chance.randrange(8)) for at in range(100)]
    places += [(chance.randrange(len(small)), chance.randrange(8)) for _ in range(FLIPS)]
    assert _flip(place, small, places) > 60


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_each_flipped_byte_is_found_or_changes_nothing_that_is_read(small: bytes, place: Path) -> None:
    """Every byte of the file in turn, a chance bit of it."""
    chance = random.Random(20260111)
    found = _flip(place, small, [(at, chance.randrange(8)) for at in range(len(small))])
    print(f"{found} of {len(small)} flips were found, the others changed nothing that is read")
    assert found > len(small) // 20


def _edit(draw: st.DataObject) -> str:
    """One statement of somebody with a tool."""
    table = draw.draw(st.sampled_from([s.value for s in STREAMS]))
    at, other = draw.draw(st.integers(1, 12)), draw.draw(st.integers(1, 12))
    match draw.draw(
        st.sampled_from(["text", "number", "blob", "body", "delete", "cut", "swap", "double", "erase"])
    ):
        case "text":
            column, value = (
                draw.draw(st.sampled_from(TEXTS)),
                draw.draw(st.sampled_from(["'x'", "'shoe-1'", "NULL"])),
            )
            return f"UPDATE OR IGNORE {table} SET {column} = {value} WHERE sequence = {at}"
        case "number":
            column, value = draw.draw(st.sampled_from(NUMBERS)), draw.draw(st.integers(0, 40))
            return f"UPDATE OR IGNORE {table} SET {column} = {value} WHERE sequence = {at}"
        case "blob":
            column = draw.draw(st.sampled_from(BLOBS))
            taken = f"FROM {table} AS f WHERE f.sequence = {other} AND {table}.sequence = {at}"
            return f"UPDATE {table} SET {column} = f.{column} {taken}"
        case "body":
            column = draw.draw(st.sampled_from(["salt", "data"]))
            return f"UPDATE body SET {column} = (SELECT {column} FROM body WHERE ord = {other}) WHERE ord = {at}"
        case "delete":
            return f"DELETE FROM {table} WHERE sequence = {at}"
        case "cut":
            return f"DELETE FROM {table} WHERE sequence >= {at}"
        case "swap":
            moved = f"CASE sequence WHEN {at} THEN -1 ELSE {at} END"
            return f"UPDATE {table} SET sequence = {moved} WHERE sequence IN ({at}, {other})"
        case "double":
            return f"INSERT OR IGNORE INTO body SELECT ord + {other}, salt, data FROM body WHERE ord = {at}"
        case _:
            return f"DELETE FROM body WHERE ord = {at}"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_edits_by_a_tool_are_found_or_change_nothing_that_is_read(
    small: bytes, place: Path, tamper: Callable[..., None], data: st.DataObject
) -> None:
    """One to three statements on any stream, number and column, the guards out of the way."""
    place.write_bytes(small)
    before = contents(place)
    statements = [_edit(data) for _ in range(data.draw(st.integers(1, 3)))]
    try:
        tamper(place, *statements)
    except sqlite3.IntegrityError:
        return  # the file itself refuses it
    if is_proved(place):
        assert contents(place) == before, statements
