"""The core as a filter: a line of JSON for each input, lines of JSON for its facts. Pure.

Lines are read strictly: each fault is named with what is allowed. An unreadable line changes nothing, and the next
one is decided.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from controller.filters.error_line import error_line
from controller.readers.json import LineRefused, convert, object_on, type_wrong, verify
from controller.readers.nearest import nearest
from controller.table.decide import decided
from controller.table.state.table import Setup, State
from controller.table.words.codec import BODIES, IDENTITIES, SEALED_VERSIONS, body_from, encode, raised, version_of
from controller.table.words.inputs import Actor, Input, Moment, Seen
from drivers.events import Origin

MAX_AT = (2**63 - 1) // 1000
"""Microseconds, so that the same in nanoseconds still has 64 bits."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_US = timedelta(microseconds=1)
_ENCODER = msgspec.json.Encoder()


class InputLine(Struct, frozen=True):
    """An input as people write it. `at`: a whole moment, or Unix time in microseconds; `actor`: for acts."""

    at: Moment | int
    subject: str
    kind: str
    body: dict[str, Any]
    actor: Actor | None = None
    origin: Origin | None = None


class Recorded(Struct, frozen=True):
    """What a journal keeps of an input beside kind and time."""

    body: dict[str, Any]
    origin: Origin | None = None
    actor: Actor | None = None
    seen: Seen | None = None


class JournalLine(Struct, frozen=True):
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


class FactLine(Struct, frozen=True):
    """A fact. `line`: number of the input's line, from 1; `data`: as it would stand in the journal."""

    line: int
    subject: str
    kind: str
    data: dict[str, Any]


class DecideFilter:
    """Decides line after line for one table. `bad`: lines that were answered with an error; `state`: after the last."""

    def __init__(self, setup: Setup) -> None:
        self._setup, self.state = setup, State.initial(setup)
        self.lines = self.bad = 0

    def feed(self, line: bytes) -> bytes:
        """Returns the output for this line: complete lines, none for a blank one. Never raises."""
        self.lines += 1
        if not line.strip():
            return b""
        try:
            given = _input(line)
        except LineRefused as refused:
            self.bad += 1
            return error_line(self.lines, str(refused), refused.code)
        draft = decided(self._setup, self.state, given)
        self.state = draft.state
        return b"".join(self._fact(fact.subject, fact.event) for fact in draft.facts)

    def _fact(self, subject: str, event: Any) -> bytes:
        data = msgspec.Raw(encode(event))
        return _ENCODER.encode({"line": self.lines, "subject": subject, "kind": event.kind, "data": data}) + b"\n"


def _input(line: bytes) -> Input:
    raw = object_on(line, '{"at": 0, "subject": "table", "kind": "open_table", "body": {}}')
    return _recorded(raw) if "stream" in raw else _written(raw)


def _written(raw: dict[str, Any]) -> Input:
    verify(raw, InputLine)
    line = convert(raw, InputLine)
    at = line.at if isinstance(line.at, Moment) else _moment(line.at)
    return _with_body(at, line.subject, line.kind, line.body, line.origin, line.actor)


def _moment(wall_us: int) -> Moment:
    """Returns a moment whose two clocks agree, as if the computer had started with Unix time."""
    if not 0 <= wall_us <= MAX_AT:
        raise LineRefused(
            f"'at' is {wall_us}; Unix time in microseconds is from 0 to {MAX_AT}", "number_out_of_range"
        )
    return Moment(wall_us, wall_us * 1000, "")


def _recorded(raw: dict[str, Any]) -> Input:
    if raw["stream"] != "input":
        raise LineRefused(
            f"a record of stream {raw['stream']!r} is no input; tail with --stream input", "not_an_input"
        )
    raw = {key: value for key, value in raw.items() if key in JournalLine.__struct_fields__}
    if raw.get("version") in [*SEALED_VERSIONS] and raw.get("kind") in [
        *IDENTITIES
    ]:  # neither need have a hash yet
        raise LineRefused(
            "which cards it tells is sealed; `journal replay --verify` decides it if the round is open, or with --vault",
            "cards_sealed",
        )
    verify(raw, JournalLine)
    line = convert(raw, JournalLine)
    newest = version_of(line.kind)
    if not 1 <= line.version <= newest:
        raise LineRefused(
            f"'version' is {line.version}, and this software reads versions 1 to {newest}", "version_unknown"
        )
    at = Moment(_microseconds(line.time), line.mono_ns, line.boot, line.clock)
    given = line.data
    body = raised(line.kind, given.body, line.version)
    return _with_body(at, line.subject, line.kind, body, given.origin, given.actor, given.seen)


def _with_body(
    at: Moment, subject: str, kind: str, body: dict[str, Any], origin: Origin | None, actor: Actor | None,
    seen: Seen | None = None,
) -> Input:  # fmt: skip
    cls = BODIES.get(kind)
    if cls is None:
        raise LineRefused(f"'kind': there is no input {kind!r} {nearest(kind, BODIES)}", "word_unknown")
    verify(body, cls, "body")
    try:
        return Input(at, subject, body_from(kind, body), origin, actor, seen)
    except msgspec.ValidationError as exc:
        raise type_wrong(exc, "body") from exc


def _microseconds(time: str) -> int:
    try:
        return (datetime.fromisoformat(time) - _EPOCH) // _US
    except (ValueError, TypeError) as exc:
        raise LineRefused(
            f"'time' is {time!r}, and must be like 2026-01-01T00:00:00.000001Z", "text_unfit"
        ) from exc
