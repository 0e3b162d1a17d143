"""What a table says of itself: `conn` and heartbeat, read strictly. Pure."""

from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.backoffice.row import LARGEST, Refused
from controller.backoffice.store.batch import Signed

_Journal = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
_Stream = Annotated[str, Meta(pattern="^[a-z0-9-]{1,32}$")]
_Number = Annotated[int, Meta(ge=0, le=LARGEST)]
_Text = Annotated[str, Meta(max_length=500, pattern="^[^\x00]*$")]
MOST_RANGES = 10_000
TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$"
T = TypeVar("T")


class _Checkpoint(msgspec.Struct):
    statement: Annotated[str, Meta(max_length=65_536, pattern="^[^\x00]*$")]
    signature: Annotated[str, Meta(pattern="^[0-9a-f]{128}$")]


class _Statement(msgspec.Struct):
    what: Literal["tablewarden checkpoint"]
    journal: _Journal
    order: _Number
    key: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]


class Conn(msgspec.Struct):
    """A birth, a clean stop or a last will."""

    state: Literal["online", "offline", "lost"]
    session: _Number
    journal: _Journal | UnsetType = UNSET
    created: Annotated[str, Meta(pattern=TIME)] | UnsetType = UNSET
    heads: dict[_Stream, _Number] = {}
    oldest: dict[_Stream, _Number] = {}
    reason: _Text | UnsetType = UNSET
    machine: _Text | UnsetType = UNSET
    process: _Text | UnsetType = UNSET
    version: _Text | UnsetType = UNSET
    checkpoint: _Checkpoint | UnsetType = UNSET


class Heartbeat(msgspec.Struct):
    """Head numbers and declared holes."""

    session: _Number
    journal: _Journal
    heads: dict[_Stream, _Number]
    parked: dict[_Stream, Annotated[list[tuple[_Number, _Number]], Meta(max_length=MOST_RANGES)]] = {}


class Answer(msgspec.Struct):
    """The table's answer to a command."""

    id: str
    verb: str = ""
    state: str = ""
    code: str = ""
    reason: str = ""


class _OfCheckpoint(msgspec.Struct):
    data: _Checkpoint


def conn(payload: bytes) -> Conn:
    """Returns a message of `conn`. Raises Refused."""
    return _read(payload, Conn)


def heartbeat(payload: bytes) -> Heartbeat:
    """Returns a heartbeat. Raises Refused."""
    said = _read(payload, Heartbeat)
    if any(not 0 < first <= last for ranges in said.parked.values() for first, last in ranges):
        raise Refused("a range of parked numbers ends before it begins")
    return said


def answer(payload: bytes) -> Answer:
    """Returns an answer of `rsp`. Raises Refused."""
    return _read(payload, Answer)


def signed(source: str, found: _Checkpoint | UnsetType) -> Signed | None:
    """Returns a checkpoint as a row; None if there is none, or if its statement is none of a checkpoint."""
    if found is UNSET:
        return None
    try:
        said = msgspec.json.decode(found.statement, type=_Statement)
    except (ValueError, RecursionError):
        return None
    return Signed(source, said.journal, said.order, found.statement, found.signature, said.key)


def signed_in(source: str, event: str) -> Signed | None:
    """Returns the checkpoint in the event `checkpoint_signed`."""
    try:
        return signed(source, msgspec.json.decode(event, type=_OfCheckpoint).data)
    except (ValueError, RecursionError):
        return None


def _read(payload: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(payload, type=kind)
    except (ValueError, RecursionError) as exc:
        raise Refused(str(exc)) from exc
