"""A start finds less than there was: the record is put aside, a new one begins, and a supervisor looks before play goes on."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.journal.proof.keys import make_key
from controller.journal.record import Stream
from controller.journal.store import opened
from controller.rules.vocabulary import Role
from tests.controller.daemon.record.test_record_kept import config, journal, public, running  # noqa: F401  # fixtures
from tests.controller.daemon.record.test_rescue import told_on_record


def _copy_of(path: Path) -> Path:
    copy = path.with_name("older")
    for suffix in ("", "-wal"):
        if (part := path.with_name(path.name + suffix)).exists():
            shutil.copy(part, copy.with_name(copy.name + suffix))
    return copy


def _older(path: Path) -> None:
    """File and log of an earlier time, or the file alone where it was whole."""
    copy = path.with_name("older")
    for suffix in ("", "-wal"):
        if (part := copy.with_name(copy.name + suffix)).exists():
            part.replace(path.with_name(path.name + suffix))


@pytest.mark.parametrize("is_live", [False, True], ids=["stopped", "copied while it played"])
async def test_a_record_that_is_older_than_its_checkpoint_is_put_aside(
    is_live: bool,
    config: Path,  # noqa: F811
    journal: Path,  # noqa: F811
) -> None:
    """No number is given twice: the new record has an id of its own, and says how far the old one went."""
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        await told_on_record(daemon, 3)
        identity = daemon.desk.table.journal.id
        if is_live:
            _copy_of(journal)
        await told_on_record(daemon, 3)
    if not is_live:
        _copy_of(journal)
        async with running(config) as daemon:
            await told_on_record(daemon, 3)
    _older(journal)
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        assert daemon.desk.table.journal.id != identity
        (hold,) = daemon.desk.table.engine.state.holds.values()
        assert hold.least_role is Role.SUPERVISOR
    with opened(journal) as view:
        first = next(view.merged([Stream.MAIN]))
    assert first.kind == "record_replaced"
    assert "its checkpoint in t.journal.head was signed at" in json.loads(first.data)["found"]
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        assert len(daemon.desk.table.engine.state.holds) == 1, "it is told once"


def _delete(path: Path) -> None:
    for part in (path, path.with_name(path.name + "-wal")):
        part.unlink(missing_ok=True)


@pytest.mark.parametrize("left", ["head", "segments"])
async def test_a_record_that_is_gone_is_missed(
    left: str,
    config: Path,  # noqa: F811
    journal: Path,  # noqa: F811
) -> None:
    """A new one begins, and its first words are that another was here."""
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        identity = daemon.desk.table.journal.id
    _delete(journal)
    if left == "segments":
        journal.with_name("t.journal.head").unlink()
        (journal.with_name("t.journal.segments") / identity).mkdir(parents=True, exist_ok=True)
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        assert len(daemon.desk.table.engine.state.holds) == 1
    with opened(journal) as view:
        first = next(view.merged([Stream.MAIN]))
    assert first.kind == "record_replaced"
    assert identity in json.loads(first.data)["found"]


async def test_a_segment_knows_how_far_the_record_went(
    config: Path,  # noqa: F811
    journal: Path,  # noqa: F811
) -> None:
    """Its name says so, here and in the second place."""
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        table = daemon.desk.table
        folder = journal.with_name("t.journal.segments") / table.journal.id
        order = table.journal.order
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"2026-01-01-{1:012}-{order + 50:012}-{'0' * 16}.segment").touch()
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        assert len(daemon.desk.table.engine.state.holds) == 1


@pytest.mark.parametrize(
    "spoil", [lambda head: head.write_text("torn"), lambda head: make_key(head.with_name("other"))]
)
async def test_a_checkpoint_that_is_torn_or_not_ours_decides_nothing(
    spoil: Callable[[Path], Any],
    config: Path,  # noqa: F811
    journal: Path,  # noqa: F811
) -> None:
    """A power cut may tear it; whoever forges one needs the key."""
    async with running(config):
        pass
    head = journal.with_name("t.journal.head")
    text, signature = head.read_text().splitlines()
    head.write_text(f"{text.replace('order', 'orders', 1)}\n{signature}\n")
    spoil(head)
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        assert not daemon.desk.table.engine.state.holds
