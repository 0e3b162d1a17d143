"""The words of the journal: what is handed in (`Transaction` of `Draft`s) and what is then on record (`Record`)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from controller.clock import Stamp

__all__ = ["FACTS", "Draft", "Origin", "Position", "Record", "Stream", "Transaction"]


class Stream(StrEnum):
    """One numbered, chained series of records. Sequence numbers start at 1 in each and have no holes."""

    INPUT = "input"  # what came in; stays on the table PC
    MAIN = "main"  # what was decided about play: the regulatory record
    DIAG = "diag"  # what was decided about the health of devices and links


FACTS = (Stream.MAIN, Stream.DIAG)
"""The streams that a start folds and that are published."""

Origin = tuple[str, str, int]
"""A device's own identity of an event: serial, boot (16 hex digits), counter (u64). Unique in a journal."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A record before it is numbered. `data`: canonical JSON, an object; `kind` and `version` say how to read it.

    `subject`: the device instance or other thing it is about, e.g. `shoe-1`.
    """

    stream: Stream
    kind: str
    version: int
    subject: str
    round_id: str | None
    data: bytes


@dataclass(frozen=True, slots=True)
class Transaction:
    """One input and everything that was decided from it: on record together or not at all.

    `at`: when the input came in. `unique`: the device's identity of the input, None for acts and deadlines.
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
        """The name of this record for ever and everywhere, e.g. `0f3a…-main-17`."""
        return record_id(journal_id, self.stream, self.sequence)


@dataclass(frozen=True, slots=True)
class Position:
    """How far a reader has come in a stream: `through` is the last sequence it is done with; `extra` is its own."""

    through: int
    extra: bytes = b""


def record_id(journal_id: str, stream: Stream, sequence: int) -> str:
    return "".join((journal_id, "-", stream, "-", str(sequence)))
