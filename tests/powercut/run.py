"""`make powercut`: power goes at random instants of a whole bench and of a written day, and each disk is judged.

python -m tests.powercut.run [--cuts 200] [--rounds 2] [--seed N]
"""

import argparse
import asyncio
import gzip
import logging
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import structlog

from tests.powercut.guest import MARKS, GuestUnusable, Machine
from tests.powercut.judge import Judge, points
from tests.powercut.writelog import Recording

__all__ = ["INSIDE", "kept_day"]

INSIDE = Path(__file__).with_name("inside.py")
DAYS = Path(__file__).resolve().parents[1] / "journals"
SOUND = ("bench.journal", "full.journal")
BROKEN = ("normal.journal", "off.journal")
"""`PRAGMA synchronous` as no record may have it: a tenth of the cuts each, to see that the judge finds it out."""
GUEST_S = 1800.0
BROKE, UNUSABLE = 1, 3


def kept_day(directory: Path) -> Path:
    """A day of the newest release that has one, unpacked into this folder."""
    packed = max(DAYS.glob("*/md-uth.journal.gz"), key=lambda path: path.parent.name)
    day = directory / "day.journal"
    day.write_bytes(gzip.decompress(packed.read_bytes()))
    return day


async def judged(recording: Recording, directory: Path, journal: str, cuts: int, seed: int) -> int:
    """Cuts at so many places in the life of one journal, says what it finds, and gives how many disks were wrong."""
    began, judge, wrong = time.monotonic(), Judge(recording, directory), 0
    for number, cut in enumerate(points(recording, journal, cuts, Random(seed))):
        if found := await judge.violations(journal, cut, seed + number):
            wrong += 1
            if journal in SOUND or wrong == 1:
                print(f"  {journal} cut after write {cut} (seed {seed + number}): {'; '.join(found)}", flush=True)
        if sys.stderr.isatty():
            print(f"\r{journal} {number + 1}/{cuts}", end="\r", file=sys.stderr)
    took = time.monotonic() - began
    print(
        f"{journal:16}{cuts:5} cuts, {judge.told:7} told records looked for, {wrong:4} disks wrong, {took:.0f} s",
        flush=True,
    )
    return wrong


async def cut_all(cuts: int, rounds: int, seed: int) -> int:
    """The exit code: 0 where every sound disk held and every broken setting was found out."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tw-") as name:
        directory = Path(name)
        machine = Machine(directory, [INSIDE, kept_day(directory)])
        print(f"the guest plays {rounds} rounds, then writes a day three times", flush=True)
        recording = machine.run(
            f"inside.py bench {rounds} {MARKS}",
            f"inside.py write FULL,NORMAL,OFF /work/day.journal {MARKS}",
            seconds=GUEST_S,
        )
        flushes = sum(1 for write in recording.writes if write.flushes)
        took = time.monotonic() - began
        print(
            f"{len(recording.writes)} writes, {flushes} flushes, {len(recording.marks)} marks, {took:.0f} s",
            flush=True,
        )
        wrong = 0
        for n, journal in enumerate((*SOUND, *BROKEN)):
            place = directory / str(n)
            place.mkdir()
            share = cuts // 2 if journal in SOUND else max(4, cuts // 10)
            disks = await judged(recording, place, journal, share, seed)
            wrong += disks if journal in SOUND else int(not disks)
    return BROKE if wrong else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=200, help="disks of sound journals that are judged")
    parser.add_argument("--rounds", type=int, default=2, help="rounds of the bench in the guest")
    parser.add_argument("--seed", type=int, default=1, help="the places, and what of the last writes is there")
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    try:
        sys.exit(asyncio.run(cut_all(asked.cuts, asked.rounds, asked.seed)))
    except GuestUnusable as exc:
        print(exc, file=sys.stderr)
        sys.exit(UNUSABLE)


if __name__ == "__main__":
    main()
