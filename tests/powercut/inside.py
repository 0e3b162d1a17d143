"""What runs in the guest: a record is written, and whatever is durable is marked on its disk before anyone is told of it.

    python3 inside.py bench ROUNDS MARKS_AT             a whole bench with all devices
    python3 inside.py write SETTINGS DAY MARKS_AT       a recorded day, written once more by the journal itself

A mark is one sector written past the file system's end, and past every cache of the guest. So it stands in the log of the writes
at the instant at which the journal said that its records are on disk, and before a device, a person or a broker hears of them.
SETTINGS is what `PRAGMA synchronous` is set to after the journal has set its own, as FULL,OFF: a journal for each. FULL changes
nothing, any other breaks the promise.
"""

import asyncio
import itertools
import json
import mmap
import os
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.clock import Stamp, SystemClock
from controller.journal import recorder, store
from controller.journal.proof.checkpoint import signed_statement
from controller.journal.proof.keys import SigningKey, make_key
from controller.journal.record import Draft, Record, Stream, Transaction
from controller.table.words.codec import encode, encode_input
from controller.table.words.inputs import CheckpointSigned, Input, Moment

DISK = "/dev/vdb"
SECTOR = 512
RECORD = Path("/record")
PATIENCE_S = 900.0
"""For a part of the bench to be there: each of them takes ten times as long to start as outside, or more."""
SITE, TABLE = "bench", "uth-1"
"""Those of the kept days, so that a daemon of the bench's table may take the record up."""


class Marker:
    """Writes marks to the record's own disk, at a byte behind the file system on it."""

    def __init__(self, at: int) -> None:
        self._at = at
        self._disk = os.open(DISK, os.O_WRONLY | os.O_DIRECT | os.O_CLOEXEC)
        self._sector = mmap.mmap(-1, SECTOR)  # direct writes want an aligned place

    def mark(self, **said: Any) -> None:
        self._sector[:] = json.dumps(said, separators=(",", ":")).encode().ljust(SECTOR, b" ")
        os.pwrite(self._disk, self._sector, self._at)

    def listen(self) -> None:
        """From now on each commit and each session number of any journal of this process is marked before it is used."""
        append, next_session = store.Journal.append, store.Journal.next_session
        signed: set[str] = set()

        def marked(journal: store.Journal, *given: Any) -> list[Record]:
            records = append(journal, *given)
            heads, order = journal.last()
            told = {stream.value: [head.sequence, head.recordhash.hex()] for stream, head in heads.items()}
            signed.update(journal.id for record in records if record.kind == CheckpointSigned.kind)
            is_signed = journal.id in signed
            self.mark(journal=journal.path.name, id=journal.id, order=order, heads=told, signed=is_signed)
            return records

        def counted(journal: store.Journal) -> int:
            number = next_session(journal)
            self.mark(journal=journal.path.name, id=journal.id, session=number)
            return number

        store.Journal.append, store.Journal.next_session = marked, counted  # type: ignore[method-assign]


def bench(rounds: int, at: int) -> None:
    """Devices, people and daemon, a process each; only the daemon's marks are planted."""
    from simulators.bench import rig, run
    from simulators.bench.options import Options
    from simulators.bench.report import page

    run.UP_S = PATIENCE_S
    rig.RUN_CLI = f"import inside; inside.Marker({at}).listen(); inside.be_patient(); {rig.RUN_CLI}"
    _key_of(RECORD / "bench.journal")
    journal = RECORD / "bench.journal"
    options = Options(rounds=rounds, broker="memory", journal=journal, seconds=3600, speed=50.0, pays=True)
    outcome = asyncio.run(run.run(options))
    print(page(outcome))
    sys.exit(outcome.failed or 0)


def be_patient() -> None:
    """A commit may take its time where the whole machine is slow; how a slow disk is held is tried elsewhere."""
    recorder.Recorder.__init__.__kwdefaults__["limit_s"] = PATIENCE_S  # type: ignore[index]


def write(settings: list[str], day: Path, at: int) -> None:
    """The inputs and facts of a kept journal, in commits of one to three, with readers' positions and sessions between."""
    connect, clock = store.connect_writer, SystemClock()
    Marker(at).listen()
    for setting in settings:
        store.connect_writer = lambda path, setting=setting: _loosened(connect(path), setting)  # type: ignore[misc]
        path = RECORD / f"{setting.lower()}.journal"
        key = _key_of(path)
        journal = store.Journal.open(path, site=SITE, table=TABLE)
        left = list(_recorded(day))
        for number in itertools.count(1):
            group, left = left[: 1 + number % 3], left[1 + number % 3 :]
            if not group:
                break
            journal.append([_signed(given, key, journal, clock) for given in group], clock.stamp())
            journal.move("mqtt", Stream.MAIN, journal.heads()[Stream.MAIN])
            if number % 10 == 0:
                journal.next_session()
        journal.close()


def _key_of(path: Path) -> SigningKey:
    """A key beside the journal, on disk before the record begins: it is a part of the setting up, not of the record."""
    key = path.with_name(f"{path.name}.key")
    make_key(key)
    os.sync()
    return SigningKey.load(key)


def _loosened(writer: sqlite3.Connection, setting: str) -> sqlite3.Connection:
    writer.execute(f"PRAGMA synchronous = {setting}")
    return writer


def _signed(given: Transaction, key: SigningKey, journal: store.Journal, clock: SystemClock) -> Transaction:
    """The same, but a checkpoint is of this journal as it is now."""
    if given.input.kind != CheckpointSigned.kind:
        return given
    at, (heads, order) = clock.stamp(), journal.last()
    text, signature = signed_statement(key, journal.id, SITE, TABLE, heads, order, at)
    said = CheckpointSigned(text, signature)
    source = encode_input(Input(Moment(at.wall_us, at.mono_ns, at.boot, at.clock), "table", said))
    (fact,) = given.facts
    return Transaction(at, replace(given.input, data=source), None, (replace(fact, data=encode(said)),))


def _recorded(day: Path) -> Iterator[Transaction]:
    """Each input of a journal with its facts, as they were handed in then."""
    with store.opened(day) as view:
        said, facts = None, []
        for record in view.merged(Stream):
            draft = Draft(record.stream, record.kind, record.version, record.subject, record.round_id, record.data)
            if record.stream is not Stream.INPUT:
                facts.append(draft)
                continue
            if said is not None:
                yield Transaction(*said, tuple(facts))
            at = Stamp(record.time_us, record.mono_ns, record.boot, record.clock)  # type: ignore[arg-type]
            said, facts = (at, draft, record.origin), []
        if said is not None:
            yield Transaction(*said, tuple(facts))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["bench", rounds, at]:
            bench(int(rounds), int(at))
        case ["write", settings, day, at]:
            write(settings.split(","), Path(day), int(at))
