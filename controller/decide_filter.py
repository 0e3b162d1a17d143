"""The core as a filter: a line of JSON for each input, lines of JSON for the facts that follow from it. Pure.

A line is read strictly, as whoever writes one by hand needs it: each cause is named with what would be allowed. A line
that cannot be read changes nothing, and the next one is decided as if it had not been there.
"""

from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from controller.rules.reader import nearest
from controller.table.codec import BODIES, VERSION, body_from, encode
from controller.table.decide import decided
from controller.table.inputs import Actor, Input, Moment
from controller.table.state import Setup, State
from drivers.events import Origin

__all__ = ["MAX_AT", "MAX_LINE", "DecideFilter", "ErrorLine", "FactLine", "InputLine", "JournalLine", "Recorded"]

MAX_LINE = 64 * 1024
"""Bytes of a line; the longest input that a journal can hold, with 2,000 characters of text, has a quarter of it."""
MIN_NUMBER, MAX_NUMBER = -(2**63), 2**64 - 1
"""What devices count to and other readers of JSON can keep."""
MAX_AT = (2**63 - 1) // 1000
"""Microseconds, so that the same in nanoseconds still has 64 bits."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_US = timedelta(microseconds=1)
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class InputLine:
    """An input as one writes it. `at`: a whole moment, or only its Unix time in microseconds; `actor`: for acts."""

    at: Moment | int
    subject: str
    kind: str
    body: dict[str, Any]
    actor: Actor | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a journal keeps of an input beside its kind and its time."""

    body: dict[str, Any]
    origin: Origin | None = None
    actor: Actor | None = None


@dataclass(frozen=True, slots=True)
class JournalLine:
    """A record as `journal tail --json --stream input` prints it; its other keys are not read. `time`: RFC 3339."""

    stream: str
    kind: str
    version: int
    subject: str
    time: str
    mono_ns: int
    boot: str
    clock: str
    data: Recorded


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact. `line`: number of the input's line, from 1; `data`: as it would stand in the journal."""

    line: int
    subject: str
    kind: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """A line that was not decided. `error`: the cause, and what would be allowed."""

    line: int
    error: str


class _LineRefused(Exception):
    """This line cannot be read as an input; the text says why."""


class DecideFilter:
    """Decides line after line for one table. `bad`: lines that were answered with an error; `state`: after the last."""

    def __init__(self, setup: Setup) -> None:
        self._setup, self.state = setup, State.initial(setup)
        self.lines = self.bad = 0

    def feed(self, line: bytes) -> bytes:
        """What is to be written for this line: complete lines, none for a blank one. Never raises."""
        self.lines += 1
        if not line.strip():
            return b""
        try:
            given = _input(line)
        except _LineRefused as refused:
            return self._error(str(refused))
        draft = decided(self._setup, self.state, given)
        self.state = draft.state
        return b"".join(self._fact(fact.subject, fact.event) for fact in draft.facts)

    def _fact(self, subject: str, event: Any) -> bytes:
        data = msgspec.Raw(encode(event))
        return _ENCODER.encode({"line": self.lines, "subject": subject, "kind": event.kind, "data": data}) + b"\n"

    def _error(self, error: str) -> bytes:
        self.bad += 1
        return _ENCODER.encode({"line": self.lines, "error": error}) + b"\n"


def _input(line: bytes) -> Input:
    if len(line) > MAX_LINE:
        raise _LineRefused(f"a line has at most {MAX_LINE} bytes, and this one has more")
    try:
        raw = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, ValueError) as exc:
        raise _LineRefused(f"not a line of JSON: {exc}") from exc
    if not isinstance(raw, dict):
        raise _LineRefused(
            'a line is an object such as {"at": 0, "subject": "table", "kind": "open_table", "body": {}}'
        )
    return _recorded(raw) if "stream" in raw else _written(raw)


def _written(raw: dict[str, Any]) -> Input:
    _verify(raw, InputLine, "")
    line = _convert(raw, InputLine, "")
    at = line.at if isinstance(line.at, Moment) else _moment(line.at)
    return _with_body(at, line.subject, line.kind, line.body, line.origin, line.actor)


def _moment(wall_us: int) -> Moment:
    """One clock for both: it is as if the computer had been started with Unix time, and never again."""
    if not 0 <= wall_us <= MAX_AT:
        raise _LineRefused(f"'at' is {wall_us}; Unix time in microseconds is from 0 to {MAX_AT}")
    return Moment(wall_us, wall_us * 1000, "")


def _recorded(raw: dict[str, Any]) -> Input:
    if raw["stream"] != "input":
        raise _LineRefused(f"a record of stream {raw['stream']!r} is no input; tail with --stream input")
    known = {f.name for f in fields(JournalLine)}
    raw = {key: value for key, value in raw.items() if key in known}
    _verify(raw, JournalLine, "")
    line = _convert(raw, JournalLine, "")
    if not 1 <= line.version <= VERSION:
        raise _LineRefused(f"'version' is {line.version}, and this software reads versions 1 to {VERSION}")
    at = Moment(_microseconds(line.time), line.mono_ns, line.boot, line.clock)
    given = line.data
    return _with_body(at, line.subject, line.kind, given.body, given.origin, given.actor)


def _with_body(
    at: Moment, subject: str, kind: str, body: dict[str, Any], origin: Origin | None, actor: Actor | None
) -> Input:
    cls = BODIES.get(kind)
    if cls is None:
        raise _LineRefused(f"'kind': there is no input {kind!r} {nearest(kind, BODIES)}")
    _verify(body, cls, "body")
    try:
        return Input(at, subject, body_from(kind, body), origin, actor)
    except msgspec.ValidationError as exc:
        raise _LineRefused(_in_words(exc, "body")) from exc


def _microseconds(time: str) -> int:
    try:
        return (datetime.fromisoformat(time) - _EPOCH) // _US
    except (ValueError, TypeError) as exc:
        raise _LineRefused(f"'time' is {time!r}, and must be like 2026-01-01T00:00:00.000001Z") from exc


def _convert(raw: dict[str, Any], cls: type[Any], where: str) -> Any:
    try:
        return msgspec.convert(raw, cls)
    except msgspec.ValidationError as exc:
        raise _LineRefused(_in_words(exc, where)) from exc


_SHAPES: dict[type[Any], tuple[dict[str, Any], frozenset[str]]] = {}


def _shape(cls: type[Any]) -> tuple[dict[str, Any], frozenset[str]]:
    """Types by key, and the keys that must be there; what may be unknown may be absent."""
    if cls not in _SHAPES:
        types = get_type_hints(cls)
        types = {f.name: types[f.name] for f in fields(cls)}
        needed = {f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING}
        _SHAPES[cls] = types, frozenset(n for n in needed if type(None) not in get_args(types[n]))
    return _SHAPES[cls]


def _verify(raw: dict[str, Any], cls: type[Any], where: str) -> None:
    """Raises `_LineRefused` for the first key or word that this record does not have. Types are left to msgspec."""
    types, needed = _shape(cls)
    what = where or "a line"
    for key in raw:
        if key not in types:
            raise _LineRefused(f"{what} has no {key!r} {nearest(key, types)}")
    for key in types:
        if key in needed and key not in raw:
            raise _LineRefused(f"{what} needs {key!r}")
    for key, value in raw.items():
        _verify_value(value, types[key], f"{where}.{key}" if where else key)


def _verify_value(value: Any, typed: Any, where: str) -> None:
    if value is None:
        raise _LineRefused(f"{where!r} is null; leave out what is not known")
    if isinstance(value, int) and not MIN_NUMBER <= value <= MAX_NUMBER:
        raise _LineRefused(f"{where!r} is {value}; whole numbers are from {MIN_NUMBER} to {MAX_NUMBER}")
    if get_origin(typed) in (Union, UnionType):
        for inner in get_args(typed):
            if inner is not type(None) and (isinstance(value, dict) or not is_dataclass(inner)):
                _verify_value(value, inner, where)
        return
    if is_dataclass(typed) and isinstance(value, dict):
        _verify(value, typed, where)  # type: ignore[arg-type]  # a hint is a class, never an instance
    elif get_origin(typed) is tuple and isinstance(value, list):
        for item in value:
            _verify_value(item, get_args(typed)[0], where)
    elif isinstance(typed, type) and issubclass(typed, StrEnum) and value not in [*typed]:
        raise _LineRefused(f"{where!r} is {value!r} {nearest(str(value), [word.value for word in typed])}")


def _in_words(error: msgspec.ValidationError, where: str) -> str:
    """``Expected `int`, got `str` - at `$.seat` `` as `'body.seat': expected int, got str`."""
    what, _, path = str(error).replace("`", "").partition(" - at ")
    place = ".".join(part for part in (where, path.removeprefix("$").removeprefix(".")) if part)
    return f"{place!r}: {what[:1].lower()}{what[1:]}" if place else what
