"""`python -m tests.disasters.run [--count 1000] [--seed N]`: a random disaster befalls a record at a random moment.

Each time a writer plays a table's part with the daemon's own pieces (journal, rescue, comparison at a start), and tells what is
durable. Then the file, its log or its folder is deleted, renamed, replaced, rolled back, cut or linked, while it is open or while
the daemon is down. Judged is what anybody was told: each told record is on record under its number afterwards, or the record that
comes next begins by saying that one was lost; and no number is ever told with two contents.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import structlog

from controller.clock import ManualClock
from controller.daemon.record.checkpointer import Sealer
from controller.daemon.record.record_loss import RecordLoss
from controller.journal.errors import JournalDamaged, JournalError
from controller.journal.proof.keys import SigningKey, make_key
from controller.journal.proof.verify import verify
from controller.journal.record import Draft, Record, Stream, Transaction
from controller.journal.recorder import Recorder
from controller.journal.store import Journal
from controller.table.words.inputs import RecordReplaced

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where the records lie: syncs would only measure the disk."""
BESIDE = ("", "-wal", "-shm")
MOST_WRITES = 25
SEEN_WITHIN = 3
"""A writer that found nothing wrong after so many looks goes on as if nothing had happened."""

Disaster = Callable[["Place", Random], object]


@dataclass
class Place:
    """The folder of a record, and a copy of it from an earlier time. `path`: of the record."""

    room: Path
    folder: Path = field(init=False)
    older: Path = field(init=False)
    path: Path = field(init=False)

    def __post_init__(self) -> None:
        self.folder, self.older = self.room / "state", self.room / "older"
        self.folder.mkdir()
        self.path = self.folder / "t.journal"

    def part(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    def copy(self, to: Path) -> None:
        """What is on the disk now: as a kill of the daemon would leave it."""
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.folder, to)

    def delete(self, *suffixes: str) -> None:
        for suffix in suffixes:
            self.part(suffix).unlink(missing_ok=True)

    def cut(self, suffix: str, rng: Random) -> None:
        if (part := self.part(suffix)).exists():
            os.truncate(part, rng.randrange(part.stat().st_size + 1))

    def put_older(self, *suffixes: str) -> None:
        """Parts out of the earlier copy take the places of those of now, as a restore does."""
        for suffix in suffixes:
            before = self.older / f"{self.path.name}{suffix}"
            if before.exists():
                shutil.copy(before, self.room / "restored")
                (self.room / "restored").replace(self.part(suffix))
            else:
                self.part(suffix).unlink(missing_ok=True)


def _folder_rolled_back(place: Place, rng: Random) -> None:
    place.folder.rename(place.room / "away")
    shutil.copytree(place.older, place.folder)


def _replaced_by_text(place: Place, rng: Random) -> None:
    place.delete("")
    place.path.write_text("nothing")


def _replaced_by_a_copy(place: Place, rng: Random) -> None:
    shutil.copy(place.path, place.room / "copy")
    (place.room / "copy").replace(place.path)


def _linked(place: Place, rng: Random) -> None:
    """Somebody moves the record to a larger disk and leaves a link."""
    away = place.room / "larger"
    away.mkdir()
    place.path.rename(away / place.path.name)
    place.path.symlink_to(away / place.path.name)


def _of_another_table(place: Place, rng: Random) -> None:
    """A restore that took the wrong table's file."""
    other = place.room / "other.journal"
    Journal.open(other, site="s", table="u").close()
    place.delete(*BESIDE)
    other.replace(place.path)


def _folder_in_its_place(place: Place, rng: Random) -> None:
    place.delete("")
    place.path.mkdir()


def _pipe_in_its_place(place: Place, rng: Random) -> None:
    """What waits for a reader when it is opened."""
    place.delete("")
    os.mkfifo(place.path)


def _put_right(place: Place) -> None:
    """What a person does who reads why play is held: bring the file back, or take away what stands in its place."""
    if place.path.is_symlink():
        target = place.path.readlink()
        place.path.unlink()
        target.replace(place.path)
    elif place.path.is_dir():
        place.path.rmdir()
    else:
        place.path.unlink()


def _grown(place: Place, suffix: str, data: bytes) -> None:
    """A program that mistook the file for its own appends to it."""
    if (part := place.part(suffix)).exists():
        with part.open("ab") as file:
            file.write(data)


def _swapped(place: Place, rng: Random) -> None:
    """File and log change their names."""
    file, log = place.part(""), place.part("-wal")
    if log.exists():
        file.rename(place.room / "swap")
        log.rename(file)
        (place.room / "swap").rename(log)


LIVE: dict[str, Disaster] = {
    "deleted": lambda place, rng: place.delete(""),
    "log deleted": lambda place, rng: place.delete("-wal"),
    "file and log deleted": lambda place, rng: place.delete(*BESIDE),
    "all of it deleted": lambda place, rng: shutil.rmtree(place.folder),
    "renamed": lambda place, rng: place.path.rename(place.part(".moved")),
    "log renamed": lambda place, rng: place.part("-wal").rename(place.part("-wal.moved")),
    "folder renamed": lambda place, rng: place.folder.rename(place.room / "away"),
    "folder rolled back": _folder_rolled_back,
    "replaced by a copy": _replaced_by_a_copy,
    "replaced by text": _replaced_by_text,
    "replaced by an older one": lambda place, rng: place.put_older(""),
    "file and log replaced by older ones": lambda place, rng: place.put_older("", "-wal"),
    "log emptied": lambda place, rng: os.truncate(place.part("-wal"), 0),
    "file cut": lambda place, rng: os.truncate(place.path, rng.randrange(place.path.stat().st_size)),
    "log cut": lambda place, rng: place.cut("-wal", rng),
    "a second name": lambda place, rng: os.link(place.path, place.part(".second")),
    "modes taken away": lambda place, rng: [p.chmod(0) for p in place.folder.iterdir() if p.is_file()],
    "lock deleted": lambda place, rng: place.delete(".lock"),
    "checkpoint deleted": lambda place, rng: place.delete(".head"),
    "moved away, a link left": _linked,
    "a folder in its place": _folder_in_its_place,
    "a pipe in its place": _pipe_in_its_place,
    "another table's record": _of_another_table,
    "file and log swapped": _swapped,
    "log grown by rubbish": lambda place, rng: _grown(place, "-wal", rng.randbytes(5000)),
}
"""What befalls a record that is open."""

DOWN: dict[str, Disaster] = {
    "deleted": lambda place, rng: place.delete(""),
    "log deleted": lambda place, rng: place.delete("-wal"),
    "file and log deleted": lambda place, rng: place.delete(*BESIDE),
    "index deleted": lambda place, rng: place.delete("-shm"),
    "renamed": lambda place, rng: place.path.rename(place.part(".moved")),
    "an older one": lambda place, rng: place.put_older(*BESIDE),
    "an older file with its log of now": lambda place, rng: place.put_older(""),
    "file cut": lambda place, rng: place.cut("", rng),
    "log cut": lambda place, rng: place.cut("-wal", rng),
    "replaced by text": _replaced_by_text,
    "modes taken away": lambda place, rng: [p.chmod(0) for p in place.folder.iterdir() if p.is_file()],
    "lock deleted": lambda place, rng: place.delete(".lock"),
    "moved away, a link left": _linked,
    "a pipe in its place": _pipe_in_its_place,
    "another table's record": _of_another_table,
    "file and log swapped": _swapped,
    "log grown by rubbish": lambda place, rng: _grown(place, "-wal", rng.randbytes(5000)),
    "file grown by zeros": lambda place, rng: _grown(place, "", bytes(4096 * rng.randint(1, 9))),
    "log of before": lambda place, rng: place.put_older("-wal"),
    "checkpoint is rubbish": lambda place, rng: place.part(".head").write_bytes(rng.randbytes(200)),
    "lock is rubbish": lambda place, rng: place.part(".lock").write_bytes(rng.randbytes(200)),
}
"""What befalls a record whose daemon is down. A folder that is rolled back whole, checkpoint and all, is known to those alone who
were told: the second place and the broker."""


class Lost(AssertionError):
    """A told record is gone and nobody said so, or a number was told twice."""


class Writer:
    """One table's writer over its lives, and what it told. `told`: (journal, stream, sequence) -> hash of the record."""

    def __init__(self, place: Place, key: SigningKey, rng: Random) -> None:
        self.place, self.rng, self.clock = place, rng, ManualClock()
        self.told: dict[tuple[str, str, int], bytes] = {}
        self.declared: list[str] = []
        self.journal: Journal
        self.recorder: Recorder
        self._key, self._counter = key, 0
        self.loss = RecordLoss(place.path, lambda cause: None, key.public, None)

    def start(self) -> None:
        """As the daemon opens its record: what is damaged or lacks something goes aside, and a new one says so first."""
        for _ in range(3):
            journal, damage = self._opened()
            if journal is not None:
                break
            if damage is None or not self.loss.put_aside(damage):
                raise Lost(f"it could not be put aside: {damage}")
        else:
            raise Lost("no record could be begun in three tries")
        self.journal, self.recorder = journal, Recorder(journal, self.clock)
        news = self.loss.news(journal)
        for event in news:
            found = event.found if isinstance(event, RecordReplaced) else event.first_fault
            self._append(event.kind, {"found": found})
            self.declared.append(f"{journal.id}: {found}")
        self.loss.on_record()
        self.seal()

    def _opened(self) -> tuple[Journal | None, JournalDamaged | None]:
        """The record at the path, or what is wrong with it."""
        journal = None
        try:
            journal = Journal.open(self.place.path, site="s", table="t")
            self.loss.compare(journal)
        except JournalDamaged as damage:
            if journal is not None:
                journal.close()
            return None, damage
        return journal, None

    def seal(self) -> None:
        """Signs the heads of now, and keeps the checkpoint beside the record."""
        table: Any = SimpleNamespace(state=None)
        Sealer(self._key, table, self.journal, self.clock).checkpoint()

    def write(self, times: int) -> None:
        """Appends, and tells what is durable. Raises `JournalError`."""
        for _ in range(times):
            self._append("device_report", {"number": self._counter})
            if self.rng.random() < 0.1:
                self.seal()

    def _append(self, kind: str, body: dict[str, object]) -> None:
        self._counter += 1
        data = json.dumps(body).encode()
        facts = (Draft(Stream.MAIN, kind, 1, "table", None, data),) * self.rng.randint(1, 3)
        said = Draft(Stream.INPUT, kind, 1, "table", None, data)
        given = Transaction(self.clock.stamp(), said, None, facts)
        self.tell(self.journal.append([given], self.clock.stamp()))

    def tell(self, records: list[Record]) -> None:
        """Somebody hears of them from here on."""
        for record in records:
            key = (self.journal.id, record.stream.value, record.sequence)
            if self.told.setdefault(key, record.recordhash) != record.recordhash:
                raise Lost(f"{key} was told twice with different contents")

    async def go_on(self) -> str:
        """Looks and writes as the daemon does, until the disaster is found or for some time; then the next life begins."""
        noticed = ""
        try:
            for _ in range(SEEN_WITHIN):
                self.write(self.rng.randint(0, 2))
                self.journal.flush()
        except JournalError as error:
            noticed = str(error)
        await self.stop()
        return noticed

    async def stop(self) -> None:
        """The end of a life: what is not at its path is put back first, as the daemon does."""
        await self.loss.rescue(self.journal, self.recorder)
        with contextlib.suppress(JournalError):  # it was said already
            await self.recorder.close()

    async def die(self) -> None:
        """Leaves on the disk what a kill would: file and log as they are now."""
        left = self.place.room / "left"
        self.place.copy(left)
        await self.recorder.close()
        shutil.rmtree(self.place.folder)
        left.rename(self.place.folder)

    def judge(self) -> str:
        """What became of the told records: `kept`, or `declared`. Raises `Lost`."""
        report = verify(self.place.path)
        if not report.ok:
            raise Lost(f"the record does not verify: {report.faults}")
        here = {
            (self.journal.id, r.stream.value, r.sequence): r.recordhash
            for r in self.journal.view.merged([*Stream])
        }
        missing = {key for key in self.told if key not in here}
        if any(here[key] != told for key, told in self.told.items() if key in here):
            raise Lost("a told record has other contents now")
        if not missing:
            return "kept"
        if any(journal == self.journal.id for journal, _, _ in missing):
            raise Lost(f"{len(missing)} told records are gone and the record goes on under its id")
        first = next(self.journal.view.merged([Stream.MAIN]))
        if first.kind != "record_replaced":
            raise Lost(f"{len(missing)} told records are gone, and a new record begins with {first.kind}")
        return "declared"


async def befall(room: Path, key: SigningKey, rng: Random) -> tuple[str, str]:
    """One disaster. Returns its name, and what became of the told records. Raises `Lost`."""
    place = Place(room)
    writer = Writer(place, key, rng)
    writer.start()
    writer.write(rng.randint(0, MOST_WRITES))
    place.copy(place.older)
    writer.write(rng.randint(1, MOST_WRITES))
    is_live = rng.random() < 0.6
    name, disaster = rng.choice([*(LIVE if is_live else DOWN).items()])
    name = f"{'live' if is_live else 'down'}: {name}"
    try:
        if is_live:
            disaster(place, rng)
            await writer.go_on()
        else:
            await (writer.die() if rng.random() < 0.7 else writer.stop())
            disaster(place, rng)
        fate = ""
        try:
            writer.start()
        except JournalError as held:  # play is held until a person has looked
            fate = "held, "
            if isinstance(held, JournalDamaged):
                raise
            _put_right(place)
            writer.start()
        writer.write(rng.randint(1, 5))
        fate += writer.judge()
        await writer.stop()
    except Lost as lost:
        raise Lost(f"{name}: {lost}") from lost
    return name, fate


async def befall_many(count: int, seed: int) -> tuple[Counter[tuple[str, str]], list[str]]:
    """How often each disaster came to what, and what is wrong."""
    tally: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(dir=MEMORY) as base:
        make_key(Path(base) / "key")
        key = SigningKey.load(Path(base) / "key")
        for number in range(count):
            room = Path(base) / str(number)
            room.mkdir()
            try:
                tally[await befall(room, key, Random(f"{seed}/{number}"))] += 1
            except Exception as error:
                wrong.append(f"{seed}/{number}: {type(error).__name__}: {error}")
            shutil.rmtree(room)
    return tally, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=None)
    given = parser.parse_args()
    seed = secrets.randbelow(1_000_000) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL)
    )  # each loss is an error
    began = time.monotonic()
    tally, wrong = asyncio.run(befall_many(given.count, seed))
    for (name, fate), times in sorted(tally.items()):
        print(f"  {times:5} {fate:9} {name}")
    for what in wrong:
        print(f"WRONG {what}")
    fates = Counter(fate for (_, fate), times in tally.items() for _ in range(times))
    took = time.monotonic() - began
    print(
        f"{given.count} disasters in {took:.0f} s: {fates['kept']} kept all, {fates['declared']} declared, "
        f"{sum(n for fate, n in fates.items() if fate.startswith('held'))} held until a person had looked; wrong: {len(wrong)}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
