"""The lines of the control socket: JSON objects in UTF-8, one a line. Requests are read strictly.

An unknown key is an error, because it is most likely a misspelt one.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, field

from controller.control.desk import ErrorCode, Refused
from controller.readers.json import LineRefused, convert, object_in, verify, verify_plain
from controller.readers.nearest import nearest
from controller.table.words.acts import ACTS, Act
from controller.table.words.inputs import Seen

MAX_REQUEST = 64 * 1024
"""Bytes of one request with its line end. The longest sensible one, an act with a note, has under 1 KiB."""

MAX_ID = 64
"""Characters of a request's id, where it is text."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

INT64 = 2**63
"""Whole numbers beyond it cannot be stored as one; no amount or count at a table comes near."""

STREAMS = ("main", "diag", "input")
"""What can be watched. `input` is what came in, before anything was decided; it never leaves this machine."""


class StatusRequest(Struct, frozen=True):
    """Asks the daemon for the table's status."""


class ActRequest(Struct, frozen=True):
    """Asks the daemon to record an act: its name, who does it, in which role, and its arguments.

    `session`: of the person at a voucher; `seen`: what the person was looking at, None = not checked.
    """

    act: str
    who: str
    role: str
    args: dict[str, Any] = field(default_factory=dict)
    session: str | None = None
    seen: Seen | None = None


class TryRequest(Struct, frozen=True):
    """Asks what would follow from an act; nothing is recorded."""

    act: str
    who: str
    role: str
    args: dict[str, Any] = field(default_factory=dict)
    session: str | None = None


class WatchRequest(Struct, frozen=True):
    """Asks for records. `after`: order of the last known record; 0 = from the beginning, None = from now."""

    after: int | None = None
    streams: tuple[str, ...] = ("main", "diag")


class OutboxStatusRequest(Struct, frozen=True):
    """Asks the daemon how far publishing is."""


class OutboxReleaseRequest(Struct, frozen=True):
    """Asks to send the parked events `sequence`..`last` again; without `last` only the first."""

    stream: str
    sequence: int
    who: str
    role: str
    last: int | None = None


class OpenRoundRequest(Struct, frozen=True):
    """Asks to open a round's sealed cards before the rules do, or refused ones. `round` "" = outside of rounds."""

    round: str
    reason: str
    who: str
    role: str


class EraseCardsRequest(Struct, frozen=True):
    """Asks to erase the keys of all rounds before a time (Unix, microseconds)."""

    before_us: int
    reason: str
    who: str
    role: str


class NextKeyRequest(Struct, frozen=True):
    """Asks the signing key to name its successor. `public`: 32 bytes of its public half, in hex."""

    public: str
    reason: str
    who: str
    role: str


T = TypeVar("T")
Supervised = OpenRoundRequest | EraseCardsRequest | NextKeyRequest
"""What only a supervisor may, with a reason."""
Asked = ActRequest | TryRequest | OutboxReleaseRequest | Supervised
"""Requests in a person's name."""
Request = StatusRequest | WatchRequest | OutboxStatusRequest | Asked
RequestId = int | str | None

REQUESTS: dict[str, type[Request]] = {
    "status": StatusRequest,
    "act": ActRequest,
    "try": TryRequest,
    "watch": WatchRequest,
    "outbox_status": OutboxStatusRequest,
    "outbox_release": OutboxReleaseRequest,
    "open_round": OpenRoundRequest,
    "erase_cards": EraseCardsRequest,
    "next_key": NextKeyRequest,
}


def request_from(line: bytes) -> tuple[RequestId, Request | Refused]:
    """Returns the request in a line and its id; a `Refused` in its place if it cannot be read.

    The id is None if even the id cannot be read.
    """
    try:
        raw, twice = object_in(line, '{"id": 1, "do": "status"}')
    except LineRefused as exc:
        return None, _unread(exc)
    request_id = raw.pop("id", None)
    if isinstance(request_id, bool) or not isinstance(request_id, int | str) or _is_huge(request_id):
        wanted = f"'id' is a whole number, or text of at most {MAX_ID} characters"
        return None, _unread(LineRefused(wanted, "type_wrong"))
    if twice is not None:
        told = LineRefused(f"{twice!r} stands twice in one object; say it once", "key_twice")
        return None if twice == "id" else request_id, _unread(told)
    try:
        return request_id, _request(raw)
    except Refused as refused:
        return request_id, refused


def _unread(exc: LineRefused, what: str = "") -> Refused:
    return Refused(ErrorCode.BAD_REQUEST, f"{what}: {exc}" if what else str(exc), refusal=exc.code)


def act_from(name: str, args: Mapping[str, Any], *, strict: bool = True) -> Act:
    """The act of this name with these arguments; without `strict`, text such as "5" or "true" stands for its value.

    Raises `Refused`: unknown name, unknown, missing or unfit argument, with the nearest known name.
    """
    cls = ACTS.get(name)
    if cls is None:
        raise Refused(ErrorCode.UNKNOWN_ACT, f"no act {name!r} {nearest(name, ACTS)}")
    if not strict:
        args = {key: _moment(value) if key.endswith("_us") else value for key, value in args.items()}
    return _convert(args, cls, name, strict=strict)


def _moment(text: Any) -> Any:
    """Returns Unix time in microseconds for a typed time with UTC offset; otherwise the text unchanged."""
    try:
        moment = datetime.fromisoformat(text)
        return text if moment.tzinfo is None else (moment.astimezone(UTC) - EPOCH) // timedelta(microseconds=1)
    except (TypeError, ValueError, OverflowError):
        return text


def answer(request_id: RequestId, key: str, value: object) -> bytes:
    """Returns the line of a granted request; `key`: result, event or caught_up."""
    return msgspec.json.encode({"id": request_id, "ok": True, key: value}) + b"\n"


def failure(request_id: RequestId, refused: Refused) -> bytes:
    """Returns the line of a refused request."""
    error: dict[str, Any] = {"code": refused.code.value, "reason": refused.reason, "cite": list(refused.cite)}
    if refused.refusal is not None:
        error["refusal"] = refused.refusal
    return msgspec.json.encode({"id": request_id, "ok": False, "error": error}) + b"\n"


def _request(raw: dict[str, Any]) -> Request:
    do = raw.pop("do", None)
    cls = REQUESTS.get(do) if isinstance(do, str) else None
    if cls is None:
        raise _unread(LineRefused(f"'do' is {do!r} {nearest(str(do), REQUESTS)}", "word_unknown"))
    request = _convert(raw, cls, str(do), strict=True)
    if isinstance(request, WatchRequest):
        _verify_watch(request)
    return request


def _verify_watch(request: WatchRequest) -> None:
    if request.after is not None and request.after < 0:
        raise _unread(LineRefused(f"'after' is an order from 0, not {request.after}", "number_out_of_range"))
    unknown = [stream for stream in request.streams if stream not in STREAMS]
    if unknown or not request.streams:
        raise _unread(LineRefused(f"'streams' are one or more of {', '.join(STREAMS)}", "word_unknown"))


def _convert(raw: Mapping[str, Any], cls: type[T], what: str, *, strict: bool) -> T:
    raw = {key: value for key, value in raw.items() if value is not None}
    try:
        verify_plain(raw, INT64)
        verify(raw, cls, what=what)
        found: T = convert(raw, cls, strict=strict)
    except LineRefused as exc:
        raise _unread(exc, "" if str(exc).startswith(what) else what) from exc
    return found


def _is_huge(request_id: int | str) -> bool:
    return len(request_id) > MAX_ID if isinstance(request_id, str) else not -INT64 <= request_id < INT64
