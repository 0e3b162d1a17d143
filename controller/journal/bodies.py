"""Bodies of records as a reader of a record takes them: each one that cannot be read is named, with where it stands."""

from typing import TypeVar

import msgspec

from controller.journal.errors import JournalError
from controller.journal.record import Record, Stream
from controller.journal.view import Brief
from controller.table.words.codec import decode_fact, decode_input
from controller.table.words.facts import Fact
from controller.table.words.inputs import Input, Moment

__all__ = ["UNREADABLE", "BodyUnreadable", "body_of", "fact_of", "input_of"]

T = TypeVar("T")
UNREADABLE = (msgspec.MsgspecError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What decoding raises of bytes that are no JSON, or no object, or not one of that kind."""


class BodyUnreadable(JournalError):
    """A record is there and is not what its kind says. The daemon writes none such: another writer did, or a later release."""

    def __init__(self, stream: str, sequence: int, kind: str, exc: Exception) -> None:
        found = f"{exc} is not in it" if isinstance(exc, KeyError) else exc
        super().__init__(
            f"{stream}/{sequence}: this is no body of a {kind}: {found}; `tablewarden journal verify` says whether it is as it "
            "was written"
        )


def body_of(stream: Stream, record: Record | Brief, as_: type[T]) -> T:
    """A body as one of these, or as a `dict` where any object will do. Raises `BodyUnreadable`."""
    try:
        return msgspec.json.decode(record.data, type=as_)
    except UNREADABLE as exc:
        raise BodyUnreadable(stream.value, record.sequence, record.kind, exc) from exc


def fact_of(stream: Stream, record: Record | Brief) -> Fact:
    """A fact in its present form. Raises `BodyUnreadable`, `UnknownKind`."""
    try:
        return decode_fact(record.kind, record.subject, record.data, record.version)
    except UNREADABLE as exc:
        raise BodyUnreadable(stream.value, record.sequence, record.kind, exc) from exc


def input_of(record: Record) -> Input:
    """An input, with the moment at which it came in. Raises `BodyUnreadable`, `UnknownKind`."""
    at = Moment(record.time_us, record.mono_ns, record.boot, record.clock)
    try:
        return decode_input(record.kind, record.subject, at, record.data, record.version)
    except UNREADABLE as exc:
        raise BodyUnreadable(record.stream.value, record.sequence, record.kind, exc) from exc
