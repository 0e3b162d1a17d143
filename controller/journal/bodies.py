"""Decodes bodies of records; an unreadable one is named with its place."""

from typing import TypeVar

import msgspec

from controller.journal.errors import JournalError
from controller.journal.record import Record, Stream
from controller.journal.view import Brief
from controller.table.words.codec import decode_fact, decode_input
from controller.table.words.facts import Fact
from controller.table.words.inputs import Input, Moment

T = TypeVar("T")
UNREADABLE = (msgspec.MsgspecError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What decoding raises of bytes that are no JSON, or no object, or not one of that kind."""


class BodyUnreadable(JournalError):
    """A record's body does not fit its kind: another program or a later release wrote it."""

    def __init__(self, stream: str, sequence: int, kind: str, exc: Exception) -> None:
        found = f"{exc} is not in it" if isinstance(exc, KeyError) else exc
        super().__init__(
            f"{stream}/{sequence}: this is no body of a {kind}: {found}; `tablewarden journal verify` says whether it is as it "
            "was written"
        )


def body_of(stream: Stream, record: Record | Brief, as_: type[T]) -> T:
    """Returns a body as one of these classes, or as `dict`. Raises `BodyUnreadable`."""
    try:
        return msgspec.json.decode(record.data, type=as_)
    except UNREADABLE as exc:
        raise BodyUnreadable(stream.value, record.sequence, record.kind, exc) from exc


def fact_of(stream: Stream, record: Record | Brief) -> Fact:
    """Returns a fact in its present form. Raises `BodyUnreadable`, `UnknownKind`."""
    try:
        return decode_fact(record.kind, record.subject, record.data, record.version)
    except UNREADABLE as exc:
        raise BodyUnreadable(stream.value, record.sequence, record.kind, exc) from exc


def input_of(record: Record) -> Input:
    """Returns an input with the moment at which it came. Raises `BodyUnreadable`, `UnknownKind`."""
    at = Moment(record.time_us, record.mono_ns, record.boot, record.clock)
    try:
        return decode_input(record.kind, record.subject, at, record.data, record.version)
    except UNREADABLE as exc:
        raise BodyUnreadable(record.stream.value, record.sequence, record.kind, exc) from exc
