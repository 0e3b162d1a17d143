"""What a round takes of a disk: in the live file, in a segment, and for ever, and what five years of play come to.

    python -m tests.bench.record_size [--rounds 40]

Rounds are played on the bench with all devices, every card told and every wager settled by itself: no table records more. What
a table says at its opening is left out, as a day has 1,200 rounds and one opening.
"""

import argparse
import asyncio
import lzma
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from controller.audit.day_rounds import DayRounds, by_set, write_day
from controller.audit.rounds_of_set import empty_table, touched_in
from controller.journal.archive.segment import PRESET, line
from controller.journal.opening import opened, opened_alone
from controller.journal.record import Record, Stream
from controller.journal.vault.day_keys import key_text
from controller.journal.vault.vault import rewrapped
from controller.journal.vault.vault_keys import SECRET_BYTES, VaultKeys
from controller.journal.view import MAX_SEQUENCE
from simulators.bench.options import Options
from simulators.bench.run import run

__all__ = ["DISK", "KEEP_DAYS", "Sizes", "measured", "play", "report", "sizes"]

DISK = 24e9
"""Bytes that the record of five years may take on the table's PC."""
ROUNDS_A_DAY = 60 * 20
DAYS = 5 * 365.25
KEEP_DAYS = 35
"""Days in the live file, as config/tables/example.toml proposes: a look-back of a month needs no segment."""
BEFORE = 5
"""Rounds that are left out."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes a round. `live`: in the live file, `segment`: in a sealed day; `kept`: keys, which stay in the live file for ever;
    `worked_out`: for look-backs, beside its day's segment; `copied_keys`: in the second place."""

    records: float
    live: float
    segment: float
    kept: float
    worked_out: float
    copied_keys: float

    @property
    def five_years(self) -> float:
        """Bytes of all segments and what lies beside them, of the live file with its days, and of the keys of every round."""
        rounds = ROUNDS_A_DAY * DAYS
        return rounds * (self.segment + self.worked_out + self.kept) + ROUNDS_A_DAY * KEEP_DAYS * self.live


async def play(directory: Path, rounds: int) -> Path:
    """The journal of so many rounds, in `directory`."""
    options = Options(
        rounds=rounds,
        speed=100,
        broker="memory",
        pays=True,
        journal=directory / "play.journal",
        seconds=240,
        seed=8,
    )
    outcome = await run(options)
    assert not outcome.failed, outcome.failed
    return outcome.journal


def sizes(journal: Path) -> Sizes:
    """Worked out from a journal of some rounds."""
    with opened(journal) as view:
        records, name = list(view.merged(Stream)), view.description.id
    ends = [number for number, record in enumerate(records, 1) if record.kind == "round_ended"]
    begin, rounds = ends[BEFORE - 1], len(ends) - BEFORE
    live, kept = _pages(journal)
    whole = len(records)
    return Sizes(
        records=(ends[-1] - begin) / rounds,
        live=live / whole * (ends[-1] - begin) / rounds,
        segment=(_packed(name, records[: ends[-1]]) - _packed(name, records[:begin])) / rounds,
        kept=kept / len(ends),
        worked_out=_worked_out(journal) / len(ends),
        copied_keys=_copied_keys(journal) / len(ends),
    )


def _worked_out(journal: Path) -> int:
    with opened(journal) as view, tempfile.TemporaryDirectory(dir=journal.parent) as place:
        state, through = empty_table(view), view.last()[0][Stream.MAIN].sequence
        rounds = by_set(touched_in(view, state, state.sets, 0, through))
        write_day(Path(place) / "rounds", DayRounds("x", 0, through, (), rounds))
        return (Path(place) / "rounds").stat().st_size


def _copied_keys(journal: Path) -> int:
    """The vault that makes the file is another one: that says nothing of its size."""
    with opened_alone(journal) as view:
        keys = [
            rewrapped(VaultKeys([bytes(SECRET_BYTES)]), view.description.id, row)
            for row in view.keys_made(0, MAX_SEQUENCE)
        ]
        return len(key_text(view.description.id, "x", keys))


def _packed(journal: str, records: list[Record]) -> int:
    return len(lzma.compress(b"".join(line(journal, record) for record in records), preset=PRESET))


def _pages(journal: Path) -> tuple[int, int]:
    """Bytes of the records and of the keys of rounds in a file without free pages, indexes included."""
    with tempfile.TemporaryDirectory(dir=journal.parent) as place:
        packed = Path(place) / "packed"
        with closing(sqlite3.connect(journal, isolation_level=None)) as db:
            db.execute("VACUUM INTO ?", (str(packed),))
        with closing(sqlite3.connect(packed)) as db:
            keys = (
                db.execute("SELECT sum(pgsize - unused) FROM dbstat WHERE name LIKE 'round_key%'").fetchone()[0]
                or 0
            )
        return packed.stat().st_size - keys, keys


def report(found: Sizes) -> str:
    """One figure a line."""
    return "\n".join(
        f"{name:24} {value:12,.0f}"
        for name, value in (
            ("records_a_round", found.records),
            ("live_bytes_a_round", found.live),
            ("segment_bytes_a_round", found.segment),
            ("kept_bytes_a_round", found.kept),
            ("worked_out_bytes_a_round", found.worked_out),
            ("copied_keys_a_round", found.copied_keys),
            ("five_years_mb", found.five_years / 1e6),
        )
    )


async def measured(directory: Path, rounds: int) -> Sizes:
    """Plays and weighs."""
    with tempfile.TemporaryDirectory(dir=directory) as place:
        return sizes(await play(Path(place), rounds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    print(report(asyncio.run(measured(Path("/var/tmp"), parser.parse_args().rounds))))


if __name__ == "__main__":
    main()
