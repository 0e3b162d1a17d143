"""Keeps how far each reader of the record is: in memory, and durable with a commit now and then."""

import sqlite3
from collections.abc import Mapping
from threading import Lock
from typing import TypeAlias

from controller.journal.record import Position, Stream

At: TypeAlias = dict[tuple[str, str], Position]
"""By reader and stream."""

EVERY_NS = 1_000_000_000
"""Positions ride on a commit at most this often. After a crash a reader repeats at most what it did since."""

_UPSERT = """INSERT INTO position VALUES (?, ?, ?, ?)
 ON CONFLICT (reader, stream) DO UPDATE SET through = excluded.through, extra = excluded.extra"""


class Positions:
    """The positions of all readers. The loop notes them; the committing thread takes what was noted since."""

    def __init__(self, known: Mapping[tuple[str, str], Position]) -> None:
        self._known: At = dict(known)
        self._moved: At = {}
        self._taken_ns = 0
        self._lock = Lock()

    def of(self, reader: str) -> dict[Stream, Position]:
        """Returns a reader's position in each stream that it has moved in."""
        with self._lock:
            return {Stream(stream): at for (name, stream), at in self._known.items() if name == reader}

    def move(self, reader: str, stream: Stream, to: Position) -> None:
        """Notes a reader's new position."""
        with self._lock:
            self._known[reader, stream.value] = self._moved[reader, stream.value] = to

    def due(self, mono_ns: int) -> At:
        """Returns what to write with a commit at that time; {} = nothing yet."""
        if not self._moved or mono_ns - self._taken_ns < EVERY_NS:
            return {}
        self._taken_ns = mono_ns
        return self.take()

    def take(self) -> At:
        """Takes what to write now; the caller writes it or gives it back."""
        with self._lock:
            moved, self._moved = self._moved, {}
            return moved

    def give_back(self, moved: At) -> None:
        """Takes back what could not be written; newer notes stay."""
        with self._lock:
            self._moved = moved | self._moved


def write_positions(writer: sqlite3.Connection, moved: At) -> None:
    """Writes positions within the caller's transaction."""
    rows = [(reader, stream, at.through, at.extra) for (reader, stream), at in moved.items()]
    writer.executemany(_UPSERT, rows)
