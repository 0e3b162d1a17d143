"""Judges requests on `cmd/{verb}`: which are refused and why, which were seen before. Pure: time is given.

Nothing here can act on the table: a request asks for copies of what the table has published or may publish.
"""

import hashlib
import re
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.publish.topics import LEVEL

COMMAND_LIMIT = 65_536
"""Bytes of a request at most."""
BURST, REFILL_NS = 10, 1_000_000_000
"""So many requests at once, and one more for each of these spans."""
EXPIRES_MOST_US = 300_000_000
"""A request expires at most so long after it came, so that few ids must be remembered."""
KNOWN_MOST = 256
"""Unexpired ids that are remembered at most."""
RANGE_MOST = 10_000
"""Events of one replay at most."""
WAITING_MOST = 8
"""Replays that wait or run at most."""
VERBS = ("replay", "refresh")
STREAM = re.compile(r"main|diag", re.ASCII)


class CommandRefusal(StrEnum):
    """Why a request was refused or failed: a stable code."""

    RETAINED = "command_retained"
    TOO_LARGE = "command_too_large"
    FLOOD = "command_flood"
    MALFORMED = "command_malformed"
    UNKNOWN = "command_unknown"
    EXPIRED = "command_expired"
    EXPIRES_LATE = "command_expires_late"
    RESPONSE_FOREIGN = "command_response_foreign"
    ID_USED = "command_id_used"
    OTHER_JOURNAL = "command_other_journal"
    RANGE = "command_range_unfit"
    WAITING = "command_too_many_waiting"
    INTERRUPTED = "command_interrupted"
    GONE = "command_event_gone"
    NOT_TAKEN = "command_not_taken"


WORDS = {
    CommandRefusal.RETAINED: "a request must not be retained",
    CommandRefusal.TOO_LARGE: f"a request has at most {COMMAND_LIMIT} bytes",
    CommandRefusal.FLOOD: "too many requests; wait a second for each",
    CommandRefusal.UNKNOWN: f"the verbs are {' and '.join(VERBS)}",
    CommandRefusal.EXPIRES_LATE: f"`expires` is at most {EXPIRES_MOST_US // 1_000_000} s ahead",
    CommandRefusal.RESPONSE_FOREIGN: "answers go to a topic `rsp/{client}` of this table only",
    CommandRefusal.ID_USED: "the id was used for another request",
    CommandRefusal.OTHER_JOURNAL: "this table has another journal",
    CommandRefusal.WAITING: f"{WAITING_MOST} replays wait already; ask again later",
    CommandRefusal.INTERRUPTED: "the table was restarted before it was done; ask again with a new id",
    CommandRefusal.GONE: "the table has some of these events only in segments",
}

_Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._:-]{1,64}$")]
_Level = Annotated[str, Meta(pattern="^[a-z0-9-]{1,32}$")]
_Time = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$")]
_Number = Annotated[int, Meta(ge=1, le=2**53 - 1)]


class Request(msgspec.Struct, frozen=True, rename={"first": "from", "last": "to"}, omit_defaults=True):
    """The body of a request. `response`, `correlation`: what MQTT 3.1.1 has no properties for."""

    id: _Id
    consumer: _Level
    expires: _Time
    stream: str | UnsetType = UNSET
    journal: str | UnsetType = UNSET
    first: _Number | UnsetType = UNSET
    last: _Number | UnsetType = UNSET
    response: Annotated[str, Meta(max_length=256)] | UnsetType = UNSET
    correlation: Annotated[str, Meta(max_length=256)] | UnsetType = UNSET


class Refused(Exception):
    """The request is not done. `reason` is for people."""

    def __init__(self, code: CommandRefusal, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The body of an answer on `rsp/{client}`. `first`, `last`, `sent`: of a replay that ended."""

    id: str
    verb: str
    state: str  # accepted | done | failed
    code: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    sent: int | UnsetType = UNSET
    correlation: str | UnsetType = UNSET


class Known(msgspec.Struct):
    """A request that was taken, and its newest answer."""

    digest: str
    expires_us: int
    answer: Answer


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_REQUEST = msgspec.json.Decoder(Request)
_KEPT = msgspec.json.Decoder(dict[str, Known])


def refused(code: CommandRefusal, reason: str = "") -> Refused:
    """Returns a refusal with its words."""
    return Refused(code, reason or WORDS[code])


class Commands:
    """What is remembered of requests. `kept`: the bytes of `keep()` of an earlier process."""

    def __init__(self, kept: bytes = b"") -> None:
        self._tokens, self._refilled_ns = BURST, 0
        self._known: dict[str, Known] = {}
        if kept:
            self._recall(kept)

    def _recall(self, kept: bytes) -> None:
        try:
            self._known = _KEPT.decode(kept)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        for known in self._known.values():
            if known.answer.state == "accepted":
                code = CommandRefusal.INTERRUPTED
                known.answer = msgspec.structs.replace(
                    known.answer, state="failed", code=code.value, reason=WORDS[code]
                )

    def keep(self) -> bytes:
        """Returns the remembered ids and answers, for the next process."""
        return msgspec.json.encode(self._known)

    def admit(self, payload: bytes, *, retained: bool, now_ns: int) -> None:
        """Raises `Refused` for what is not even read."""
        if retained:
            raise refused(CommandRefusal.RETAINED)
        if (refill := (now_ns - self._refilled_ns) // REFILL_NS) > 0:
            self._tokens, self._refilled_ns = min(BURST, self._tokens + refill), now_ns
        if self._tokens < 1:
            raise refused(CommandRefusal.FLOOD)
        self._tokens -= 1
        if len(payload) > COMMAND_LIMIT:
            raise refused(CommandRefusal.TOO_LARGE)

    def read(self, payload: bytes) -> Request:
        """Returns the request in `payload`. Raises `Refused`."""
        try:
            return _REQUEST.decode(payload)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
            raise refused(CommandRefusal.MALFORMED, str(exc)[:200] or "the request cannot be read") from None

    def judge(self, verb: str, request: Request, now_us: int) -> Answer | None:
        """Returns the answer to a request that came before; None = it is new. Raises `Refused`."""
        if verb == "replay":
            _complete(request)
        expires_us = _microseconds(request.expires)
        if expires_us <= now_us:
            raise refused(CommandRefusal.EXPIRED, f"it expired at {request.expires}, by the clock of the table")
        if expires_us > now_us + EXPIRES_MOST_US:
            raise refused(CommandRefusal.EXPIRES_LATE)
        self._known = {key: known for key, known in self._known.items() if known.expires_us > now_us}
        if (known := self._known.get(_key(request))) is not None:
            if known.digest != _digest(verb, request):
                raise refused(CommandRefusal.ID_USED)
            return known.answer
        if len(self._known) >= KNOWN_MOST:
            raise refused(CommandRefusal.FLOOD)
        return None

    def answered(self, verb: str, request: Request, answer: Answer) -> None:
        """Remembers the newest answer to a request."""
        expires_us = _microseconds(request.expires)
        self._known[_key(request)] = Known(_digest(verb, request), expires_us, answer)


def _complete(request: Request) -> None:
    for key, value in (("stream", request.stream), ("journal", request.journal)):
        if value is UNSET:
            raise refused(CommandRefusal.MALFORMED, f"`{key}` is missing")
    if isinstance(request.stream, str) and not STREAM.fullmatch(request.stream):
        raise refused(CommandRefusal.MALFORMED, "`stream` is main or diag")
    if isinstance(request.first, UnsetType) or isinstance(request.last, UnsetType):
        raise refused(CommandRefusal.MALFORMED, "`from` and `to` are the first and the last number")
    if not 0 <= request.last - request.first < RANGE_MOST:
        raise refused(CommandRefusal.RANGE, f"a replay has 1 to {RANGE_MOST} events")


def _key(request: Request) -> str:
    return f"{request.consumer}/{request.id}"


def _digest(verb: str, request: Request) -> str:
    return hashlib.sha256(verb.encode() + msgspec.json.encode(request)).hexdigest()[:32]


def _microseconds(text: str) -> int:
    try:
        return (datetime.fromisoformat(text) - _EPOCH) // timedelta(microseconds=1)
    except ValueError as exc:
        raise refused(CommandRefusal.MALFORMED, f"`expires`: {exc}") from None


def response_topic(base: str, named: str, consumer: str) -> str:
    """Returns the last levels of the topic of the answers. `named`: the whole topic that was asked for, "" = none.

    Raises `Refused`."""
    if not named:
        return f"rsp/{consumer}"
    prefix = f"{base}/rsp/"
    client = named.removeprefix(prefix)
    if not named.startswith(prefix) or not LEVEL.fullmatch(client):
        raise refused(CommandRefusal.RESPONSE_FOREIGN)
    return f"rsp/{client}"
