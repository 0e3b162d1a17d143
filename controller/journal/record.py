"""The data of a journal: a `Transaction` of `Draft`s goes in, a `Record` is on disk."""

from enum import StrEnum
from typing import NamedTuple

from controller.clock import Stamp
from drivers.protocol.records import dataclass


class Stream(StrEnum):
    """A numbered, chained series of records. Numbers start at 1 and have no gaps."""

    INPUT = "input"  # what came in; stays on the table PC
    MAIN = "main"  # what was decided about play: the regulatory record
    DIAG = "diag"  # what was decided about the health of devices and links


FACTS = (Stream.MAIN, Stream.DIAG)
"""The streams that a start folds and that are published."""

Origin = tuple[str, str, int]
"""A device's own identity of an event: serial, boot (16 hex digits), counter (u64). Unique in a journal."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A record before it has a number. `data`: canonical JSON object; `kind` and `version` say how to read it.

    `subject`: the device or other thing it is about, e.g. `shoe-1`.
    """

    stream: Stream
    kind: str
    version: int
    subject: str
    round_id: str | None
    data: bytes


@dataclass(frozen=True, slots=True)
class Transaction:
    """One input and everything decided from it: on record together or not at all.

    `at`: when the input came. `unique`: the device's identity of the input; None for acts and deadlines.
    """

    at: Stamp
    input: Draft
    unique: Origin | None = None
    facts: tuple[Draft, ...] = ()


class Record(NamedTuple):
    """One row of the journal, as it is on disk; immutable.

    `cause`: id of the input record that this fact was decided from; None for inputs. `time_us`, `mono_ns`, `boot`,
    `clock`: when that input came in; `recorded_us`: when the row was committed. Hashes are SHA-256, 32 bytes; `salt` has 16.
    `order`: place among all records of all streams, from 1, without holes. `origin`: on inputs that came from a device.

    A tuple and not a dataclass because a start makes one for each row of the file.
    """

    stream: Stream
    sequence: int
    kind: str
    version: int
    subject: str
    round_id: str | None
    cause: str | None
    time_us: int
    recorded_us: int
    mono_ns: int
    boot: str
    clock: str
    data: bytes
    prevhash: bytes
    recordhash: bytes
    datahash: bytes
    salt: bytes
    order: int
    origin: Origin | None = None

    def id(self, journal_id: str) -> str:
        """The record's unique name, e.g. `0f3a…-main-17`."""
        return record_id(journal_id, self.stream, self.sequence)


@dataclass(frozen=True, slots=True)
class Position:
    """A reader's position in a stream. `through`: the last number it is done with; `extra`: the reader's own
    bytes."""

    through: int
    extra: bytes = b""


def record_id(journal_id: str, stream: Stream, sequence: int) -> str:
    """Returns a record's unique name: journal, stream and number."""
    return "".join((journal_id, "-", stream, "-", str(sequence)))
