"""The bytes of what a device reports and of the levels it is asked for; numbers on the wire are fixed here for ever.

Fixed fields come first, little-endian, then tagged values (u8 tag, u8 length, value). A value that may be unknown is
tagged and left out when it is. Unknown tags are passed over, so that a later minor version can add some. The position
of a name in the tuples below is its number on the wire: append, never insert.
"""

import re
import struct
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from drivers.protocol import reports as r
from drivers.protocol.constants import MAX_DISPLAY, MAX_LINE
from drivers.protocol.records import dataclass

Tagged = tuple[tuple[int, bytes], ...]
"""Tagged values as they came, in order."""


class PayloadError(ValueError):
    """Bytes that break the rules of their type, or a value that does not fit its field."""


BACKS: Final = (r.Back.UNKNOWN, r.Back.RED, r.Back.BLUE, r.Back.GREEN, r.Back.BLACK)
MODES: Final = (r.Mode.SHUFFLE, r.Mode.COVER_ALL, r.Mode.SORT, r.Mode.COUNT, r.Mode.DEMO)
ACTIVITIES: Final = (r.Activity.IDLE, r.Activity.SHUFFLING, r.Activity.DEALING)
PLACES: Final = (r.JamPlace.UNKNOWN, r.JamPlace.INFEED, r.JamPlace.RACK, r.JamPlace.OUTPUT)
REASONS: Final = (
    r.StopReason.STOPPED,
    r.StopReason.POWER_LOST,
    r.StopReason.COVER_OPEN,
    r.StopReason.TIMEOUT,
    r.StopReason.FAILED_TO_DEAL,
)
VERDICTS: Final = (r.Identities.NOT_READ, r.Identities.COMPLETE, r.Identities.INCOMPLETE)
DEFECTS: Final = (
    r.Defect.MISSING,
    r.Defect.EXTRA,
    r.Defect.DUPLICATE,
    r.Defect.FOREIGN_BACK,
    r.Defect.UNREADABLE,
    r.Defect.FLIPPED,
)
RECOGNITIONS: Final = (r.Recognition.NOT_READ, r.Recognition.READ, r.Recognition.UNREADABLE)
SEVERITIES: Final = (r.Severity.WARNING, r.Severity.ALARM)
CAUSES: Final = (r.Cause.COMMAND, r.Cause.BUTTON, r.Cause.WATCHDOG, r.Cause.POWER_UP)
BUTTONS: Final = (r.Button.GREEN, r.Button.LOCKOUT)
RESETS: Final = (r.ResetCause.UNKNOWN, r.ResetCause.POWER, r.ResetCause.WATCHDOG, r.ResetCause.SOFTWARE)
KINDS: Final = (r.DeviceKind.SHUFFLER, r.DeviceKind.SHOE, r.DeviceKind.PROGRESSIVE, r.DeviceKind.LINE)
LEVELS: Final = (r.Level.LOCKOUT, r.Level.DISPENSING, r.Level.LAMPS, r.Level.DISPLAY, r.Level.MODE)
CAPABILITIES: Final = (
    r.Capability.COUNTS_EACH_SHUFFLE,
    r.Capability.READS_CARDS,
    r.Capability.FORMS_HANDS,
    r.Capability.TWO_SETS,
    r.Capability.DISPENSES_STACKS,
    r.Capability.LOCKOUT,
    r.Capability.SENSES_WAGERS,
    r.Capability.EVENT_LOG,
    r.Capability.KEEPS_LOG,
    r.Capability.SENSES_CARDS_INSIDE,
    r.Capability.RESHUFFLES,
    r.Capability.TELLS_DRAWS,
    r.Capability.CHAINS_LOG,
)
LOCKOUTS: Final = (None, r.ENGAGED, r.RELEASED)
DISPENSINGS: Final = (None, r.INHIBITED, r.ALLOWED)


@dataclass(frozen=True, slots=True)
class _Number:
    """A fixed field: an unsigned number of `size` bytes within `low`..`high`, or the position of a name in
    `names`."""

    name: str
    size: int = 1
    low: int = 0
    high: int | None = None
    names: tuple[StrEnum, ...] | None = None

    def to_wire(self, value: object) -> bytes:
        number = self.names.index(value) if self.names and isinstance(value, StrEnum) else value
        high = self.high if self.high is not None else (1 << 8 * self.size) - 1
        if not isinstance(number, int) or not self.low <= number <= high:
            raise PayloadError(f"{self.name} must be {self.low} to {high}, not {value!r}")
        return number.to_bytes(self.size, "little")

    def from_wire(self, data: bytes) -> object:
        number = int.from_bytes(data, "little")
        if self.names is not None:
            if number >= len(self.names):
                raise PayloadError(f"{self.name} {number} has no meaning in this version")
            return self.names[number]
        if number < self.low or (self.high is not None and number > self.high):
            raise PayloadError(f"{self.name} {number} is out of range")
        return number


@dataclass(frozen=True, slots=True)
class _Flag:
    """A fixed field of one byte: 0 or 1."""

    name: str
    size: int = 1

    def to_wire(self, value: object) -> bytes:
        return b"\1" if value else b"\0"

    def from_wire(self, data: bytes) -> object:
        if data[0] > 1:
            raise PayloadError(f"{self.name} must be 0 or 1, not {data[0]}")
        return data[0] == 1


@dataclass(frozen=True, slots=True)
class _Optional:
    """A tagged u16, left out if the device does not know it."""

    name: str
    tag: int


TAG_COUNT, TAG_CARDS_INSIDE, TAG_CARDS_LEFT, TAG_TEXT, TAG_DEFECTS = 1, 2, 3, 4, 5
WITH_TEXT: Final = (r.LineUnparsed, r.AlarmRaised)

_BACK = _Number("back", names=BACKS)
_MODE = _Number("mode", names=MODES)
_ACTIVITY = _Number("activity", names=ACTIVITIES)
_REASON = _Number("reason", names=REASONS)
_CAUSE = _Number("cause", names=CAUSES)
_OPERATION = _Number("operation", 8)
_SEAT, _SENSOR, _LOCKED = _Number("seat", low=1, high=15), _Number("sensor", low=1, high=3), _Flag("locked")
_COUNT = _Optional("count", TAG_COUNT)
_INSIDE = _Optional("cards_inside", TAG_CARDS_INSIDE)
_LEFT = _Optional("cards_left", TAG_CARDS_LEFT)

_Fixed = tuple[_Number | _Flag, ...]


@dataclass(frozen=True, slots=True)
class _Layout:
    code: int
    report: type[r.Report]
    fixed: _Fixed = ()
    optional: tuple[_Optional, ...] = ()


_LAYOUTS: Final = (
    _Layout(0x01, r.ShuffleStarted, (_BACK, _MODE)),
    _Layout(0x02, r.ShuffleCompleted, (_BACK, _MODE, _Number("identities", names=VERDICTS)), (_COUNT,)),
    _Layout(0x03, r.ShuffleStopped, (_BACK, _REASON), (_INSIDE,)),
    _Layout(0x04, r.Jammed, (_BACK, _ACTIVITY, _Number("place", names=PLACES), _Number("stack")), (_INSIDE,)),
    _Layout(0x05, r.JamCleared, (_Flag("by_itself"), _Number("tries"))),
    _Layout(0x06, r.CardsLoaded, (_BACK,), (_COUNT,)),
    _Layout(0x07, r.CardsRemoved, (), (_INSIDE,)),
    _Layout(0x08, r.StackDispensed, (_BACK, _Number("stack"), _Number("cards"))),
    _Layout(0x09, r.DealStopped, (_BACK, _REASON, _Number("stack")), (_INSIDE,)),
    _Layout(0x0A, r.DealCompleted, (_BACK, _Number("stacks")), (_LEFT,)),
    _Layout(0x0B, r.FaceUpCard, (_BACK, _ACTIVITY)),
    _Layout(0x0C, r.ButtonPressed, (_Number("button", names=BUTTONS),)),
    _Layout(0x0D, r.ModeChanged, (_MODE,)),
    _Layout(0x0E, r.DoorOpened),
    _Layout(0x0F, r.DoorClosed),
    _Layout(0x10, r.WagerSensed, (_SEAT, _SENSOR, _LOCKED)),
    _Layout(0x11, r.WagerRemoved, (_SEAT, _SENSOR, _LOCKED)),
    _Layout(0x12, r.LockoutEngaged, (_CAUSE, _OPERATION)),
    _Layout(0x13, r.LockoutReleased, (_CAUSE, _OPERATION)),
    _Layout(0x14, r.DispensingInhibited, (_CAUSE, _OPERATION)),
    _Layout(0x15, r.DispensingAllowed, (_CAUSE, _OPERATION)),
    _Layout(0x16, r.SelfTestFailed, (_Number("code", 2),)),
    _Layout(0x17, r.ServiceDue, (_Number("cycles", 4),)),
    _Layout(0x18, r.PoweredUp, (_Number("cause", names=RESETS),), (_INSIDE,)),
    _Layout(0x19, r.LineUnparsed),
    _Layout(
        0x1A,
        r.CardDrawn,
        (_BACK, _Number("recognition", names=RECOGNITIONS), _Flag("burned"), _Flag("repeat_suspected")),
        (_LEFT,),
    ),
    _Layout(0x1B, r.CuttingCardSensed, (_BACK,)),
    _Layout(0x1C, r.AlarmRaised, (_Number("severity", names=SEVERITIES), _Number("code", 2))),
)
_BY_CODE: Final = {layout.code: layout for layout in _LAYOUTS}
_BY_REPORT: Final = {layout.report: layout for layout in _LAYOUTS}


@dataclass(frozen=True, slots=True)
class UnknownReport:
    """A report that this version cannot read: a newer code, or broken fields.

    Its number in the order is known, its meaning is not; a host releases it as a loss.
    """

    code: int
    data: bytes
    why: str


def encode_report(report: r.Report) -> bytes:
    """Returns code byte, fixed fields and tagged values. Raises `PayloadError` for a value that does not fit."""
    layout = _BY_REPORT[type(report)]
    out = bytes([layout.code]) + b"".join(f.to_wire(getattr(report, f.name)) for f in layout.fixed)
    for optional in layout.optional:
        value = getattr(report, optional.name)
        if value is not None:
            out += encode_tag(optional.tag, _Number(optional.name, 2).to_wire(value))
    if isinstance(report, r.ShuffleCompleted) and report.defects:
        out += encode_tag(TAG_DEFECTS, _defects_to_wire(report))
    if isinstance(report, WITH_TEXT):
        if len(report.text) > MAX_LINE:
            raise PayloadError(f"a text has at most {MAX_LINE} characters, not {len(report.text)}")
        out += encode_tag(TAG_TEXT, _latin(report.text))
    return out


def decode_report(data: bytes) -> r.Report | UnknownReport:
    """Returns the report in `data` (code byte first); `UnknownReport` if unreadable. Never raises on one byte or
    more."""
    try:
        return _decode_report(data)
    except PayloadError as error:
        return UnknownReport(data[0], data[1:], str(error))


def _decode_report(data: bytes) -> r.Report:
    layout = _BY_CODE.get(data[0])
    if layout is None:
        raise PayloadError(f"report code {data[0]:#04x} is not known")
    values: dict[str, object] = {}
    at = 1
    for field in layout.fixed:
        end = at + field.size
        if len(data) < end:
            raise PayloadError(f"{layout.report.kind} ends before {field.name}")
        values[field.name] = field.from_wire(data[at:end])
        at = end
    tagged = dict(decode_tags(data[at:])) if len(data) > at else {}
    for optional in layout.optional:
        values[optional.name] = _optional_u16(tagged, optional)
    if layout.report is r.ShuffleCompleted:
        values["defects"] = _defects_from_wire(tagged, values["identities"])
    if layout.report in WITH_TEXT:
        if TAG_TEXT not in tagged or len(tagged[TAG_TEXT]) > MAX_LINE:
            raise PayloadError("a text is missing or too long")
        values["text"] = tagged[TAG_TEXT].decode("latin-1")
    return layout.report(**values)  # type: ignore[arg-type]  # each layout names its record's fields; the vectors check


def _optional_u16(tagged: Mapping[int, bytes], field: _Optional) -> int | None:
    value = tagged.get(field.tag)
    if value is None:
        return None
    if len(value) != 2:
        raise PayloadError(f"{field.name} has 2 bytes, not {len(value)}")
    return int.from_bytes(value, "little")


def _defects_to_wire(report: r.ShuffleCompleted) -> bytes:
    if report.identities is not r.Identities.INCOMPLETE:
        raise PayloadError(f"a set that is {report.identities} has no defects")
    bits = sum(1 << DEFECTS.index(defect) for defect in set(report.defects))
    return _Number("defects", 2).to_wire(bits)


def _defects_from_wire(tagged: Mapping[int, bytes], identities: object) -> tuple[r.Defect, ...]:
    """Returns the defects that this version knows; unknown ones are dropped, the set stays incomplete."""
    bits = _optional_u16(tagged, _Optional("defects", TAG_DEFECTS)) or 0
    if bits and identities is not r.Identities.INCOMPLETE:
        raise PayloadError(f"a set that is {identities} has no defects")
    return tuple(defect for i, defect in enumerate(DEFECTS) if bits >> i & 1)


def encode_tag(tag: int, value: bytes) -> bytes:
    """Returns one tagged value. Raises `PayloadError` over 255 bytes."""
    if len(value) > 255:
        raise PayloadError(f"tag {tag} holds {len(value)} bytes, over 255")
    return bytes([tag, len(value)]) + value


def decode_tags(data: bytes) -> Tagged:
    """Returns all tagged values at a payload's end. Raises `PayloadError` if one is cut short."""
    found = []
    at = 0
    while at < len(data):
        if at + 2 > len(data) or at + 2 + data[at + 1] > len(data):
            raise PayloadError("a tagged value is cut short")
        found.append((data[at], data[at + 2 : at + 2 + data[at + 1]]))
        at += 2 + data[at + 1]
    return tuple(found)


def _latin(text: str) -> bytes:
    """Returns text as one byte a character, so that every byte of a device's line survives."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError as error:
        raise PayloadError(f"character {text[error.start]!r} is not one byte") from error


_LEVELS_FIXED: Final = struct.Struct("<BBBBQH")


def encode_levels(levels: r.Levels) -> bytes:
    """Returns the device's levels as bytes; their CRC-32C is the digest on each PONG."""
    mode = 0 if levels.mode is None else MODES.index(levels.mode) + 1
    bits = levels.jammed | levels.door_open << 1
    try:
        lockout, dispensing = LOCKOUTS.index(levels.lockout), DISPENSINGS.index(levels.dispensing)
        out = _LEVELS_FIXED.pack(lockout, dispensing, mode, bits, levels.wagers, levels.lamps)
    except (ValueError, struct.error) as error:
        raise PayloadError(f"levels out of range: {error}") from error
    if levels.cards_inside is not None:
        out += encode_tag(TAG_CARDS_INSIDE, _Number("cards_inside", 2).to_wire(levels.cards_inside))
    return out


def decode_levels(data: bytes) -> r.Levels:
    """Undoes `encode_levels`. Raises `PayloadError`."""
    if len(data) < _LEVELS_FIXED.size:
        raise PayloadError(f"levels have {_LEVELS_FIXED.size} bytes at least, not {len(data)}")
    lockout, dispensing, mode, bits, wagers, lamps = _LEVELS_FIXED.unpack_from(data)
    if lockout >= len(LOCKOUTS) or dispensing >= len(DISPENSINGS) or mode > len(MODES) or bits > 3:
        raise PayloadError("a level has no meaning in this version")
    tagged = dict(decode_tags(data[_LEVELS_FIXED.size :]))
    return r.Levels(
        lockout=LOCKOUTS[lockout],
        dispensing=DISPENSINGS[dispensing],
        mode=MODES[mode - 1] if mode else None,
        jammed=bool(bits & 1),
        door_open=bool(bits & 2),
        cards_inside=_optional_u16(tagged, _INSIDE),
        wagers=wagers,
        lamps=lamps,
    )


_SEATS: Final = re.compile(r"(?:(?:[1-9]|1[0-5])(?:,(?:[1-9]|1[0-5]))*)?")


def is_level_value(level: r.Level, value: str) -> bool:
    """Returns True if `level` can have this value."""
    match level:
        case r.Level.LOCKOUT:
            return value in LOCKOUTS
        case r.Level.DISPENSING:
            return value in DISPENSINGS
        case r.Level.MODE:
            return value in MODES
        case r.Level.LAMPS:
            return _SEATS.fullmatch(value) is not None
        case r.Level.DISPLAY:
            return len(value) <= MAX_DISPLAY and value.isascii() and (value.isprintable() or not value)


def to_bits(capabilities: Iterable[r.Capability]) -> int:
    """Returns capabilities as a bit set; bit 0 is the first of `CAPABILITIES`."""
    return sum(1 << CAPABILITIES.index(c) for c in set(capabilities))


def from_bits(bits: int) -> tuple[r.Capability, ...]:
    """Returns the known capabilities of a bit set; unknown bits are ignored."""
    return tuple(c for i, c in enumerate(CAPABILITIES) if bits >> i & 1)
