"""Plays on the bench and keeps the journals of the present release. Only until it is out: after that a journal stays.

python -m tests.journals.make
"""

import asyncio
import gzip
import shutil
import sqlite3
import tempfile
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

from simulators.bench.options import Options
from simulators.bench.run import run

FOLDER = Path(__file__).parent
PLAYED = {
    "md-uth": {"rounds": 4, "mishaps": ("shoe_jam@2",)},
    "fast-action": {"rounds": 3},
}


def keep(journal: Path, name: str) -> None:
    """The journal without its free pages, compressed, and the public key that signed it."""
    folder = FOLDER / version("tablewarden")
    folder.mkdir(exist_ok=True)
    packed = journal.with_name("packed")
    with closing(sqlite3.connect(journal, isolation_level=None)) as db:
        db.execute(f"VACUUM INTO '{packed}'")
    (folder / f"{name}.journal.gz").write_bytes(gzip.compress(packed.read_bytes(), mtime=0))
    shutil.copy(journal.with_name(journal.name + ".key.pub"), folder / f"{name}.pub")


def main() -> None:
    for name, asked in PLAYED.items():
        place = Path(tempfile.mkdtemp(prefix="tw-"))
        outcome = asyncio.run(run(Options(rulebook=name, keep=place, seconds=120, **asked)))
        assert not outcome.failed, outcome.failed
        keep(outcome.journal, name)
        shutil.rmtree(place)
        print(f"{name}: {len(outcome.evidence.rows)} records")


if __name__ == "__main__":
    main()
