"""A disk that runs out of room is on record and an alarm before play is held, and so is that it has room again."""

from pathlib import Path

import pytest

from controller.daemon.record.room_watch import RoomWatch
from controller.journal.disk import free_space
from controller.table.words.inputs import RecordRoom

MIB = 1 << 20
RESERVE, AGAIN = 256, 320


class Table:
    def __init__(self, *, takes: bool = True) -> None:
        self.told: list[RecordRoom] = []
        self.takes = takes

    def submit(self, subject: str, body: RecordRoom) -> bool:
        assert subject == "table"
        if self.takes:
            self.told.append(body)
        return self.takes


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch):
    """Looks once at each of these numbers of MiB, or at a disk that cannot be read (None)."""

    def look(watch: RoomWatch, *mib: int | None) -> None:
        for left in mib:
            monkeypatch.setattr(free_space, "free_bytes", lambda _, n=left: None if n is None else n * MIB)
            watch.look()

    return look


def test_it_is_told_once_when_it_begins_and_once_when_it_ends(looked) -> None:
    """What comes and goes between 256 and 320 MiB is no news; nor is a disk that cannot be read."""
    table = Table()
    watch = RoomWatch(table, Path("journal"), low=False)
    looked(watch, 400, 256, 255, 100, None, 256, 300, 319, 255, 320, 300, 256, 255)
    assert [(told.low, told.free_mib) for told in table.told] == [(True, 255), (False, 320), (True, 255)]
    assert {told.reserve_mib for told in table.told} == {RESERVE}
    assert (free_space.RESERVE_BYTES, free_space.AGAIN_BYTES) == (RESERVE * MIB, AGAIN * MIB)


def test_a_start_says_nothing_twice(looked) -> None:
    """The record says that room is low, and it still is; or it no longer is."""
    table = Table()
    looked(RoomWatch(table, Path("journal"), low=True), 200)
    assert table.told == []
    looked(RoomWatch(table, Path("journal"), low=True), 500)
    assert [told.low for told in table.told] == [False]


def test_a_full_queue_is_asked_again(looked) -> None:
    """What was not taken is told with the next look."""
    table = Table(takes=False)
    watch = RoomWatch(table, Path("journal"), low=False)
    looked(watch, 100)
    table.takes = True
    looked(watch, 100, 100)
    assert [told.low for told in table.told] == [True]
