"""A record that is deleted, renamed, replaced or cut under a live table: held at once, saved from what is open, put back."""

import asyncio
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.daemon import app
from controller.daemon.engine import RecordFailed
from controller.journal.archive.rescue import rescue
from controller.journal.errors import JournalLocked
from controller.journal.proof.verify import verify
from controller.journal.record import Stream
from controller.journal.store import Journal, opened
from controller.rules.vocabulary import Role
from controller.table.words.acts import NewDealer
from controller.table.words.inputs import Actor
from tests.controller.daemon.record.test_record_kept import PATIENCE_S, config, journal, public, running  # noqa: F401  # fixtures

FLORA = Actor("flora", Role.FLOORPERSON)
HELD_WITHIN_S = 2.0
ORDER = 4
"""Where the order stands in a header of `journal export`."""


def _log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _replaced_by_a_copy(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


def _folder_renamed(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


WHOLE: dict[str, Callable[[Path], Any]] = {
    "deleted": lambda path: path.unlink(),
    "renamed": lambda path: path.rename(path.with_name("archive")),
    "replaced": _replaced_by_a_copy,
    "replaced by text": lambda path: (path.unlink(), path.write_text("nothing")),
    "log deleted": lambda path: _log(path).unlink(),
    "log replaced": lambda path: (_log(path).unlink(), _log(path).write_bytes(b"")),
    "all deleted": lambda path: [p.unlink() for p in path.parent.glob(f"{path.name}*")],
    "a second name": lambda path: os.link(path, path.with_name("second")),
    "folder renamed": _folder_renamed,
}
"""What happens to the file while descriptors still hold all of it."""


async def told_on_record(daemon: app.Daemon, acts: int) -> list[int]:
    """The orders of the facts of some acts, each told as durable."""
    assert daemon.desk.table is not None
    told = [await daemon.desk.table.engine.act(NewDealer(), FLORA) for _ in range(acts)]
    return [fact.order for facts in told for fact in facts]


async def until_up_again(daemon: app.Daemon, before: object) -> None:
    await until(lambda: daemon.desk.table not in (None, before) and daemon.desk.table.engine.state.holds)


async def until(is_so: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110  # what is waited for tells nobody
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("disaster", WHOLE.values(), ids=list(WHOLE))
async def test_a_record_that_is_taken_away_is_held_and_put_back_whole(
    disaster: Callable[[Path], Any],
    config: Path,  # noqa: F811
    journal: Path,  # noqa: F811
) -> None:
    """Nothing is told that is not in it, the numbers go on, and a supervisor finds out who did that before play does."""
    folder = journal.parent / "record"
    folder.mkdir()
    path = folder / journal.name
    text = config.read_text()  # noqa: ASYNC240
    config.write_text(text.replace(str(journal), str(path)))  # noqa: ASYNC240
    async with running(config) as daemon:
        first = daemon.desk.table
        assert first is not None
        identity, told = first.journal.id, await told_on_record(daemon, 5)
        begun = time.monotonic()
        disaster(path)
        await until(lambda: daemon.desk.table is not first or first.engine.failed)
        assert time.monotonic() - begun < 2 * HELD_WITHIN_S, "twice the promise, for a machine that is busy"
        await until_up_again(daemon, first)
        assert daemon.desk.table is not None
        (hold,) = daemon.desk.table.engine.state.holds.values()
        assert "It was put back from the open file" in hold.reason
        assert hold.least_role is Role.SUPERVISOR
        assert daemon.desk.table.journal.id == identity
        told += await told_on_record(daemon, 1)
    report = verify(path)
    assert report.ok, report.faults
    with opened(path) as view:
        assert view.description.id == identity
        assert set(told) <= {record.order for record in view.merged([*Stream])}


async def test_an_act_after_the_file_is_gone_is_told_as_failed_and_still_on_record(
    config: Path,  # noqa: F811
    journal: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before anybody hears that it is durable the journal looks whether its file is there."""
    monkeypatch.setattr(
        app, "POSITIONS_S", 3600.0
    )  # the look of each second would refuse the act before it is written
    async with running(config) as daemon:
        first = daemon.desk.table
        assert first is not None
        await until(lambda: first.engine.idle and not first.engine._under_way)
        journal.unlink()  # noqa: ASYNC240
        with pytest.raises(RecordFailed, match="deleted or renamed"):
            await first.engine.act(NewDealer(), FLORA)
        await until_up_again(daemon, first)
    with opened(journal) as view:
        assert "new_dealer" in [record.kind for record in view.merged([Stream.INPUT])]


@pytest.mark.parametrize("suffix", ["", "-wal"])
async def test_of_a_record_that_was_cut_the_newest_records_are_saved_as_text(
    suffix: str,
    config: Path,  # noqa: F811
    journal: Path,  # noqa: F811
) -> None:
    """Its pages are gone for everybody: what is in memory is written beside it, and a new record with a new id says so."""
    async with running(config) as daemon:
        first = daemon.desk.table
        assert first is not None
        identity, told = first.journal.id, await told_on_record(daemon, 3)
        os.truncate(journal.with_name(journal.name + suffix), 5000)
        await until_up_again(daemon, first)
        assert daemon.desk.table is not None
        (hold,) = daemon.desk.table.engine.state.holds.values()
        assert "t.journal.damaged-" in hold.reason
        assert daemon.desk.table.journal.id != identity
    (saved,) = journal.parent.glob("t.journal.rescued-*.txt")
    orders = {json.loads(line.split("\t")[2])[ORDER] for line in saved.read_text().splitlines()[4:]}
    assert set(told) <= orders
    with opened(journal) as view:
        replaced = next(record for record in view.merged([Stream.MAIN]))
    assert saved.name in json.loads(replaced.data)["found"]


def test_a_record_whose_path_another_daemon_plays_at_is_not_put_back(tmp_path: Path) -> None:
    """Two records at one path would be two tables."""
    folder = tmp_path / "a"
    folder.mkdir()
    path = folder / "j"
    ours = Journal.open(path, site="s", table="t")
    folder.rename(tmp_path / "b")
    folder.mkdir()
    theirs = Journal.open(path, site="s", table="t")
    try:
        assert ours.moved
        with pytest.raises(JournalLocked):
            rescue(ours)
    finally:
        theirs.close()
        ours.close()
