"""Power cuts in the short form: one guest, some disks; `make powercut` rebuilds two hundred, of a whole bench too."""

import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.powercut.guest import MARKS, Machine
from tests.powercut.judge import Judge, points
from tests.powercut.run import INSIDE, kept_day
from tests.powercut.writelog import LogUnreadable, Recording, Write, parse

CUTS, CUTS_OF_A_BROKEN_ONE = 5, 6
GUEST_S = 240.0
"""Some ten seconds where nothing else runs; many times that where other programs keep both cores busy."""
SECTOR = 512


@pytest.fixture
def place() -> Iterator[Path]:
    """Short: names of sockets have at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="tw-") as name:
        yield Path(name)


@pytest.mark.timeout(500)
async def test_whatever_was_told_before_a_power_cut_is_on_the_disk_and_the_daemon_goes_on_from_there(
    place: Path,
) -> None:
    """Nothing told is missing, nothing is there in part, the chain and its signatures prove, and no record is put aside.

    A day is written with the journal's own settings, then with syncs switched off; that the second one is found out is what
    says that the first one was looked at.
    """
    machine = Machine(place, [INSIDE, kept_day(place)])
    recording = machine.run(f"inside.py write FULL,OFF /work/day.journal {MARKS}", seconds=GUEST_S)
    judge = Judge(recording, place)
    cuts = points(recording, "full.journal", CUTS, Random(20261128))
    found = {cut: await judge.violations("full.journal", cut, seed) for seed, cut in enumerate(cuts)}
    assert {cut: violations for cut, violations in found.items() if violations} == {}
    assert judge.told > 1000

    cuts = points(recording, "off.journal", CUTS_OF_A_BROKEN_ONE, Random(20261128))
    lost = [await judge.violations("off.journal", cut, seed) for seed, cut in enumerate(cuts)]
    assert sum(1 for violations in lost if violations) > CUTS_OF_A_BROKEN_ONE // 2
    assert any("cut" in violation for violations in lost for violation in violations)


# -- the log of writes, by bytes made by hand ---------------------------------------------------------------------------


def entry(at: int, data: bytes = b"", flags: int = 0) -> bytes:
    """Sector, sectors, flags, 0; then the data from the next sector on."""
    head = struct.pack("<QQQQ", at // SECTOR, len(data) // SECTOR, flags, 0)
    return head.ljust(SECTOR, b"\0") + data


def log_of(*entries: bytes) -> bytes:
    head = struct.pack("<QQQI", 0x6A736677736872, 1, len(entries), SECTOR)
    return head.ljust(SECTOR, b"\0") + b"".join(entries)


def sectors(*letters: bytes) -> bytes:
    return b"".join(letter * SECTOR for letter in letters)


def test_the_log_of_writes_is_read_entry_by_entry(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(
        log_of(entry(1024, sectors(b"a", b"b")), entry(0, flags=1), entry(512, sectors(b"c"), flags=2))
    )
    assert list(parse(log)) == [
        Write(1024, sectors(b"a", b"b"), flushes=False, durable=False),
        Write(0, b"", flushes=True, durable=False),
        Write(512, sectors(b"c"), flushes=False, durable=True),
    ]


@pytest.mark.parametrize("spoilt", [b"", log_of(entry(0, sectors(b"a")))[:-1], log_of(entry(0, flags=4)), b"x" * 600],
                         ids=["empty", "ends early", "a discard", "no log"])  # fmt: skip
def test_what_is_no_log_of_writes_is_refused_by_name(tmp_path: Path, spoilt: bytes) -> None:
    log = tmp_path / "log"
    log.write_bytes(spoilt)
    with pytest.raises(LogUnreadable, match="log"):
        list(parse(log))


def disks(recording: Recording, after: int) -> set[bytes]:
    return {recording.cut(after, Random(seed)) for seed in range(300)}


def test_a_flushed_write_is_on_every_disk_and_a_later_one_on_some_in_any_part() -> None:
    """Two sectors that were not flushed: both, none or one of them, and nothing else."""
    base, flushed, later = sectors(b".", b".", b"."), sectors(b"a"), sectors(b"b", b"c")
    writes = [Write(0, flushed, False, False), Write(0, b"", True, False), Write(512, later, False, False)]
    recording = Recording(base, writes, marks_at=len(base))
    assert disks(recording, 0) == {base}
    assert disks(recording, 1) == {base, sectors(b"a", b".", b".")}
    assert disks(recording, 2) == {sectors(b"a", b".", b".")}
    assert disks(recording, 3) == {sectors(b"a", x, y) for x in (b".", b"b") for y in (b".", b"c")}


def test_a_write_through_the_cache_is_on_disk_by_itself_and_takes_no_other_with_it() -> None:
    base = sectors(b".", b".")
    writes = [Write(0, sectors(b"a"), False, False), Write(512, sectors(b"b"), False, True)]
    recording = Recording(base, writes, marks_at=len(base))
    assert disks(recording, 2) == {sectors(b".", b"b"), sectors(b"a", b"b")}


def test_a_mark_is_said_after_its_entry_and_is_no_part_of_the_disk() -> None:
    base, mark = sectors(b"."), b'{"journal":"j","order":3}'.ljust(SECTOR)
    writes = [Write(0, sectors(b"a"), False, False), Write(512, mark, False, False)]
    recording = Recording(base, writes, marks_at=512)
    assert [(m.after, m.said["order"]) for m in recording.marks] == [(2, 3)]
    assert disks(recording, 2) == {base, sectors(b"a")}
