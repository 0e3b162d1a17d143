"""The log of a disk's writes, and the disk as a power cut could have left it at any place in that log.

What was written before the last flush is there. Of what came after it, each write is there, is not, or is there in part: a sector
of 512 bytes is whole or old. The format is that of dm-log-writes, which QEMU's `blklogwrites` writes.
"""

import json
import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

__all__ = ["LogUnreadable", "Mark", "Recording", "Write", "parse"]

SECTOR = 512
MAGIC = 0x6A736677736872
SUPER = struct.Struct("<QQQI")
ENTRY = struct.Struct("<QQQQ")
FLUSH, FUA, DISCARD = 1, 2, 4


class LogUnreadable(Exception):
    """These bytes are no log of writes, or one of another format."""


@dataclass(frozen=True, slots=True)
class Write:
    """One entry. `at`, in bytes; `data` empty for a flush alone; `flushes`: all before it is on disk; `durable`: it is, too."""

    at: int
    data: bytes
    flushes: bool
    durable: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """What the guest said, and after how many entries of the log."""

    after: int
    said: dict[str, Any]


def parse(log: Path) -> Iterator[Write]:
    """All entries, in the order in which the disk took them. Raises `LogUnreadable`."""
    with log.open("rb") as file:
        head = file.read(SUPER.size)
        magic, version, entries, size = SUPER.unpack(head) if len(head) == SUPER.size else (0, 0, 0, 0)
        if (magic, version) != (MAGIC, 1):
            raise LogUnreadable(f"{log} is no log of writes: magic {magic:x}, version {version}")
        place = size
        for _ in range(entries):
            file.seek(place)
            sector, sectors, flags, _ = ENTRY.unpack(file.read(ENTRY.size))
            file.seek(place + size)
            if flags & DISCARD:
                raise LogUnreadable(f"{log}: a discard; mount the file system without it")
            data = file.read(sectors * size)
            if len(data) != sectors * size:
                raise LogUnreadable(f"{log}: ends within an entry")
            place += size + len(data)
            yield Write(sector * size, data, bool(flags & FLUSH), bool(flags & FUA))


class Recording:
    """The writes of one run from a disk as it was at first. `marks_at`: what is written there is said, not kept."""

    def __init__(self, base: bytes, writes: Iterable[Write], marks_at: int) -> None:
        self._base, self.writes = base, list(writes)
        self._marks_at = marks_at
        self.marks = [
            Mark(n + 1, json.loads(w.data)) for n, w in enumerate(self.writes) if w.data and w.at == marks_at
        ]
        self._flushes = [n for n, w in enumerate(self.writes) if w.flushes]

    def cut(self, after: int, chance: Random) -> bytes:
        """The disk when power went after so many entries: one of the many that it may be."""
        number = bisect_left(self._flushes, after)
        flushed = self._flushes[number - 1] + 1 if number else 0
        disk = bytearray(self._base)
        for write in self.writes[:flushed]:
            self._lay(disk, write)
        share = chance.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        for write in self.writes[flushed:after]:
            if write.durable:
                self._lay(disk, write)
            elif chance.random() < 0.5:
                self._tear(disk, write, share, chance)
            elif chance.random() < share:
                self._lay(disk, write)
        return bytes(disk)

    def _lay(self, disk: bytearray, write: Write) -> None:
        if write.at < self._marks_at:
            disk[write.at : write.at + len(write.data)] = write.data

    def _tear(self, disk: bytearray, write: Write, share: float, chance: Random) -> None:
        for begin in range(0, len(write.data), SECTOR):
            if chance.random() < share:
                part = write.data[begin : begin + SECTOR]
                self._lay(disk, Write(write.at + begin, part, flushes=False, durable=False))
