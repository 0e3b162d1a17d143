"""A disk as a power cut left it, judged: everything that was told is there, nothing is half there, and the daemon takes it up.

The file system is put in order and read by its own tools, without a mount and without root; everything after that is the product.
"""

import asyncio
import json
import shutil
import subprocess
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from controller.config.load import load_config
from controller.daemon.app import Daemon
from controller.journal.errors import JournalError
from controller.journal.proof.keys import PublicKey
from controller.journal.proof.verify import verify
from controller.journal.proof.witness import HeadKept
from controller.journal.record import Stream
from controller.journal.store import Journal, opened
from controller.table.words.inputs import RecordReplaced
from simulators.bench.broker import Broker
from simulators.bench.options import Options
from simulators.bench.rig import Rig
from tests.powercut.writelog import SECTOR, Recording

__all__ = ["Judge", "Promise", "contents", "points"]

START_S = 30.0
LOSES_A_SECTOR = 5
"""Each so many disks are spoilt besides, once all that was asked of them held."""
CREDENTIALS = (".key", ".key.pub", ".vault")
CLEAN, PUT_IN_ORDER = 0, 1
"""What e2fsck says by its exit code of a file system that is sound, or sound again."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What was told of one journal before the cut. `order`: of the newest record; `next`: of the commit after it, if any;
    `signed`: a checkpoint was among it; `heads`: as `verify --against` takes them."""

    order: int = 0
    next: int = 0
    session: int = 0
    signed: bool = False
    heads: tuple[HeadKept, ...] = ()


def points(recording: Recording, journal: str, count: int, chance: Random) -> list[int]:
    """Places in the log at which power may go while this journal lives: half of them just after something was told."""
    marks = [mark.after for mark in recording.marks if mark.said["journal"] == journal]
    told = chance.choices(marks, k=count // 2)
    begin = max((m.after for m in recording.marks if m.after < marks[0]), default=1)
    end = min((m.after for m in recording.marks if m.after > marks[-1]), default=len(recording.writes))
    return told + [chance.randint(begin, end) for _ in range(count - len(told))]


def promised(recording: Recording, journal: str, cut: int) -> Promise:
    """What stands behind everything that anybody was told by then."""
    said = [(mark.after, mark.said) for mark in recording.marks if mark.said["journal"] == journal]
    before = [words for after, words in said if after <= cut]
    commits = [words for words in before if "order" in words]
    newest = commits[-1] if commits else {"order": 0, "id": "", "heads": {}, "signed": False}
    orders = [words["order"] for _, words in said if "order" in words]
    coming = orders[bisect_right(orders, newest["order"]) :]
    heads = [
        HeadKept(newest["id"], Stream(stream), sequence, bytes.fromhex(recordhash))
        for stream, (sequence, recordhash) in newest["heads"].items()
        if sequence
    ]
    session = max((words["session"] for words in before if "session" in words), default=0)
    following = coming[0] if coming else newest["order"]
    return Promise(newest["order"], following, session, newest["signed"], tuple(heads))


def contents(disk: bytes, directory: Path) -> None:
    """The files of an ext4 image, as they are after a start of the PC. Raises `AssertionError` where they cannot be had."""
    image = directory.with_name(directory.name + ".img")
    image.write_bytes(disk)
    checked = _tool("e2fsck", "-fy", image)
    assert checked.returncode in (CLEAN, PUT_IN_ORDER), checked.stdout
    directory.mkdir()
    _tool("debugfs", "-R", f"rdump / {directory}", image)
    image.unlink()


class Judge:
    """Judges disks of one recording in a directory of its own."""

    def __init__(self, recording: Recording, directory: Path) -> None:
        self._recording, self._directory = recording, directory
        self._whole = directory / "uncut"
        contents(recording.cut(len(recording.writes), Random(0)), self._whole)
        self.told = 0
        """Records that somebody had been told of, over all cuts."""

    async def violations(self, journal: str, cut: int, seed: int) -> list[str]:
        """What does not hold on the disk as it may be after so many entries of the log; empty if all holds."""
        place = self._directory / f"cut-{cut}-{seed}"
        contents(self._recording.cut(cut, Random(seed)), place)
        try:
            for credential in CREDENTIALS:  # they are on disk before a record begins
                if (given := self._whole / f"{journal}{credential}").exists():
                    shutil.copy(given, place)
            promise = promised(self._recording, journal, cut)
            self.told += promise.order
            found = _of_record(place / journal, promise)
            found = found or await _of_start(place / journal, promise)
            return found or (await _of_lost_sector(place / journal) if seed % LOSES_A_SECTOR == 0 else [])
        finally:
            shutil.rmtree(place)


def _of_record(path: Path, promise: Promise) -> list[str]:
    """What is not as it was told, with nothing of ours having touched it yet."""
    if not path.exists():
        return ["there is no journal"] if promise.order else []
    key = PublicKey.load(path.with_name(f"{path.name}.key.pub"))
    try:
        report = verify(path, keys=[key] if promise.signed else [], against=promise.heads)
    except JournalError as error:
        return [str(error)]
    found = [str(fault) for fault in report.faults]
    if not found and report.order not in (promise.order, promise.next):
        found.append(
            f"it ends at {report.order}; told was {promise.order}, and the next commit ends at {promise.next}"
        )
    return found


async def _of_start(path: Path, promise: Promise) -> list[str]:
    """The daemon begins on it: no record is put aside, and no number is given twice."""
    found = await _started(path, promise.order) or [f"{name} was put aside" for name in _aside(path)]
    if not found:
        with _opened(path) as journal:
            if (session := journal.next_session()) <= promise.session:
                found.append(f"session {session} is given twice")
    return found


async def _of_lost_sector(path: Path) -> list[str]:
    """Where the first sector is lost besides, the daemon puts the record aside and begins one that says so."""
    with path.open("r+b") as file:
        file.write(bytes(SECTOR))
    if found := await _started(path, 0):
        return found
    with opened(path) as view:
        first = next(view.merged([Stream.MAIN]))
    named = [str(json.loads(first.data).get("file"))]
    aside = _aside(path)
    return (
        []
        if first.kind == RecordReplaced.kind and named == aside
        else [f"{aside} lie aside, {first.kind} is first"]
    )


def _aside(path: Path) -> list[str]:
    """Journals that were put aside."""
    return [p.name for p in path.parent.glob("*.damaged-*") if not p.name.endswith(("-wal", "-shm"))]


@contextmanager
def _opened(path: Path) -> Iterator[Journal]:
    with opened(path) as view:
        site, table = view.description.site, view.description.table
    journal = Journal.open(path, site=site, table=table)
    try:
        yield journal
    finally:
        journal.close()


async def _started(path: Path, order: int) -> list[str]:
    """A daemon runs until it has recorded more than `order` records, and is stopped in order; what it could not do."""
    rig = Rig(Options(journal=path), path.parent)
    rig.write_config(Broker("none"))
    daemon = Daemon(load_config(rig.config))
    serving = asyncio.create_task(daemon.serve())
    try:
        async with asyncio.timeout(START_S):
            while (table := daemon.desk.table) is None or table.engine.order <= order:
                await asyncio.sleep(0.01)
                if serving.done():
                    return [f"the daemon ended: {serving.exception() or serving.result()}"]
    except TimeoutError:
        return [f"the daemon is held: {daemon.desk.failed}"]
    finally:
        daemon._stop.set()
        await serving
    return []


def _tool(name: str, *words: object) -> "subprocess.CompletedProcess[str]":
    place = shutil.which(name) or f"/usr/sbin/{name}"
    return subprocess.run([place, *map(str, words)], capture_output=True, text=True, check=False)
