"""What the publisher needs of the journal, as an interface: the two rooms know nothing of each other.

The journal's stream names are an enumeration whose values equal the plain words used here.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

READER = "outbox"
"""The name under which the journal keeps the publisher's positions."""

STREAMS = ("main", "diag")
"""Streams that leave the table, the regulatory one first: it has three quarters of the way when both have a backlog."""


class Record(Protocol):
    """One journal record as the envelope needs it. Times: microseconds since 1970 UTC; hashes: 32 bytes."""

    @property
    def stream(self) -> str:
        """The name of the stream: main, diag or input."""

    @property
    def sequence(self) -> int:
        """The record's number in its stream, from 1 on, without gaps."""

    @property
    def kind(self) -> str:
        """The kind of fact or input, such as `round_void`."""

    @property
    def version(self) -> int:
        """The version of the body's shape."""

    @property
    def subject(self) -> str:
        """The device, or the table, that the record is about."""

    @property
    def round_id(self) -> str | None:
        """The id of the round; None outside of a round."""

    @property
    def cause(self) -> str | None:
        """The id of the record that led to this record; None if there is none."""

    @property
    def time_us(self) -> int:
        """When the reported thing happened: wall clock, microseconds since 1970."""

    @property
    def recorded_us(self) -> int:
        """When the record was written: wall clock, microseconds since 1970."""

    @property
    def mono_ns(self) -> int:
        """When the record was written: monotonic clock of `boot`, nanoseconds."""

    @property
    def boot(self) -> str:
        """The id of the machine's boot in which the record was written."""

    @property
    def clock(self) -> str:
        """Whether the wall clock was synchronised when the record was written."""

    @property
    def data(self) -> bytes:
        """The body, as canonical JSON bytes."""

    @property
    def order(self) -> int:
        """The record's place among all records of all streams, from 1 on, without gaps."""

    @property
    def prevhash(self) -> bytes:
        """The hash of the record before this record in its stream, 32 bytes."""

    @property
    def recordhash(self) -> bytes:
        """The hash over the record's head and body, 32 bytes."""

    @property
    def datahash(self) -> bytes:
        """The hash of the salt and the body, 32 bytes."""

    @property
    def salt(self) -> bytes:
        """The random bytes that are hashed before the body, 16 bytes."""


class Position(Protocol):
    """A reader's position in a stream; `extra` is the reader's own."""

    @property
    def through(self) -> int:
        """The number of the last record that the broker has confirmed."""

    @property
    def extra(self) -> bytes:
        """Confirmed records after `through`, packed by the reader; the journal does not look into it."""


class Description(Protocol):
    """The journal's description of itself, from which the first `prevhash` of each stream is made."""

    @property
    def created_us(self) -> int:
        """When the journal was made: microseconds since 1970."""


class JournalReader(Protocol):
    """The journal's reading side with this reader's durable positions; every call returns at once."""

    @property
    def id(self) -> str:
        """The journal's id, the first part of every event id."""

    @property
    def description(self) -> Description:
        """The journal's description of itself."""

    def heads(self) -> Mapping[Any, int]:
        """Returns the number of each stream's last record."""

    def oldest(self) -> Mapping[Any, int]:
        """Returns the number of each stream's oldest record."""

    def read(self, stream: Any, after: int, limit: int) -> Sequence[Record]:
        """Returns up to `limit` records with `sequence > after`, in order."""

    def input_body(self, sequence: int) -> bytes | None:
        """Returns the body of the input with this number; None = it is gone."""

    def position(self, reader: str) -> Mapping[Any, Position]:
        """Returns how far the reader of this name has come in each stream."""

    def move(self, reader: str, stream: Any, through: int, extra: bytes = b"") -> None:
        """Stores the reader's position in a stream durably."""

    def next_session(self) -> int:
        """Returns the next number of a broker connection, durable and unique."""


class Report(Protocol):
    """Takes one fact about the broker link, to be recorded by the journal's owner. Must not block or raise."""

    def __call__(self, kind: str, **data: object) -> None:
        """Records news about publishing under this kind."""
