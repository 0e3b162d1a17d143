"""The short form of the thousand disasters: a few of each kind, and proof that the judge finds what is lost."""

import asyncio
import shutil
from pathlib import Path
from random import Random

import pytest

from controller.daemon.record import record_loss
from controller.journal.disk.lock import WriterLock
from controller.journal.errors import JournalWriteFailed
from controller.journal.proof.keys import SigningKey, make_key
from tests.disasters.run import DOWN, LIVE, Lost, Place, Writer, befall, befall_many


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    make_key(tmp_path / "key")
    return SigningKey.load(tmp_path / "key")


async def test_every_told_record_is_kept_or_declared_lost() -> None:
    """A dozen random disasters at random moments; `python -m tests.disasters.run` does a thousand."""
    tally, wrong = await befall_many(12, seed=19)
    assert not wrong, "\n".join(wrong)
    assert tally.total() == 12


@pytest.mark.parametrize("name", ["log cut", "an older one"])
async def test_a_record_that_is_shorter_than_it_was_told_is_put_aside(
    name: str, key: SigningKey, tmp_path: Path
) -> None:
    """Also where no checkpoint was signed since: its numbers would be given again."""
    place = Place(tmp_path)
    writer = Writer(place, key, Random(1))
    writer.start()
    writer.write(3)
    place.copy(place.older)
    log = place.part("-wal").stat().st_size
    for _ in range(6):
        writer._append("device_report", {})
    await writer.die()
    if name == "log cut":
        shutil.copy(place.part("-wal"), tmp_path / "log")
        place.put_older("-wal")
        assert place.part("-wal").stat().st_size <= log
    else:
        DOWN[name](place, Random(1))
    writer.start()
    assert writer.judge() == "declared"
    assert "and went to" in writer.declared[-1]
    await writer.stop()


async def test_the_judge_finds_a_loss_that_nobody_declares(
    key: SigningKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the comparisons of a start out of the way an older copy is gone on with, and numbers are told twice."""
    monkeypatch.setattr(WriterLock, "lacks", lambda *given: "")
    monkeypatch.setattr(record_loss, "shortfall", lambda *given: "")
    place = Place(tmp_path)
    writer = Writer(place, key, Random(1))
    writer.start()
    writer.write(3)
    place.copy(place.older)
    writer.write(6)
    await writer.die()
    DOWN["an older one"](place, Random(1))
    writer.start()
    with pytest.raises(Lost, match="told twice"):
        writer.write(6)
    await writer.stop()


async def test_nothing_is_undone_by_a_disaster_that_is_none(key: SigningKey, tmp_path: Path) -> None:
    """A lock, an index or a checkpoint that is gone costs no record."""
    for number, name in enumerate(("lock deleted", "checkpoint deleted")):
        (room := tmp_path / str(number)).mkdir()
        writer = Writer(Place(room), key, Random(2))
        writer.start()
        writer.write(4)
        LIVE[name](writer.place, Random(1))
        assert await writer.go_on() == ""
        writer.start()
        assert writer.judge() == "kept"
        await writer.stop()


async def test_one_disaster_says_what_it_was(key: SigningKey, tmp_path: Path) -> None:
    """Its name and what became of the records, for the tally."""
    name, fate = await befall(tmp_path, key, Random(5))
    assert name.partition(": ")[0] in ("live", "down")
    assert fate in ("kept", "declared")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("moved away, a link left", "a link stands in its place"),
        ("a folder in its place", "a folder stands in its place"),
        ("a pipe in its place", "no file stands in its place"),
    ],
)
async def test_what_is_no_file_holds_play_and_is_named(
    name: str, said: str, key: SigningKey, tmp_path: Path
) -> None:
    """A link once led away from the log, and numbers were told twice; to open a pipe waited for ever."""
    place = Place(tmp_path)
    writer = Writer(place, key, Random(1))
    writer.start()
    writer.write(4)
    await writer.die()
    {**LIVE, **DOWN}[name](place, Random(1))
    with pytest.raises(JournalWriteFailed, match=said):
        writer.start()


async def test_a_pipe_in_the_place_of_a_live_record_keeps_nobody_waiting(key: SigningKey, tmp_path: Path) -> None:
    """It is put aside unread, and the record comes back from what is open."""
    place = Place(tmp_path)
    writer = Writer(place, key, Random(1))
    writer.start()
    writer.write(4)
    LIVE["a pipe in its place"](place, Random(1))
    await asyncio.wait_for(writer.go_on(), 5)
    writer.start()
    assert writer.judge() == "kept"
    await writer.stop()
