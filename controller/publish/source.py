"""What the publisher needs of the journal, as a face: the two rooms know nothing of each other.

The journal names its streams by an enumeration of words that are equal to the plain words used here.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

__all__ = ["READER", "STREAMS", "JournalReader", "Position", "Record", "Report"]

READER = "outbox"
"""The name under which the journal keeps the publisher's positions."""

STREAMS = ("main", "diag")
"""Streams that leave the table, the regulatory one first: it has three quarters of the way when both have a backlog."""


class Record(Protocol):
    """One journal record as the envelope tells it. Times in microseconds since 1970 UTC, hashes 32 bytes."""

    @property
    def stream(self) -> str: ...
    @property
    def sequence(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def subject(self) -> str: ...
    @property
    def round_id(self) -> str | None: ...
    @property
    def cause(self) -> str | None: ...
    @property
    def time_us(self) -> int: ...
    @property
    def recorded_us(self) -> int: ...
    @property
    def mono_ns(self) -> int: ...
    @property
    def boot(self) -> str: ...
    @property
    def clock(self) -> str: ...
    @property
    def data(self) -> bytes: ...
    @property
    def prevhash(self) -> bytes: ...
    @property
    def recordhash(self) -> bytes: ...
    @property
    def datahash(self) -> bytes: ...


class Position(Protocol):
    """How far this reader is done with a stream; `extra` is the reader's own."""

    @property
    def through(self) -> int: ...
    @property
    def extra(self) -> bytes: ...


class JournalReader(Protocol):
    """The read side of the journal and this reader's own durable positions; every call returns at once."""

    @property
    def id(self) -> str: ...

    def heads(self) -> Mapping[Any, int]: ...

    def oldest(self) -> Mapping[Any, int]: ...

    def read(self, stream: Any, after: int, limit: int) -> Sequence[Record]:
        """Up to `limit` records with `sequence > after`, in order."""

    def input_body(self, sequence: int) -> bytes | None:
        """The body of the input with this number; None where it is gone."""

    def position(self, reader: str) -> Mapping[Any, Position]: ...

    def move(self, reader: str, stream: Any, through: int, extra: bytes = b"") -> None: ...

    def next_session(self) -> int:
        """The next number of a broker connection; durable, never given twice."""


class Report(Protocol):
    """Takes one fact about the broker link, to be journalled by whoever owns the journal. Must not block or raise."""

    def __call__(self, kind: str, **data: object) -> None: ...
