"""The messages of TDP/1 as frozen records, one for each type, and the header that each travels with.

A `Frame` is one message with its header; `codec.encode` and `codec.decode` are its bytes. `docs/protocol.md` draws them.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from drivers.protocol.constants import LOG_DEPTH, MAX_BODY, UNACKED_WINDOW, VERSION_MAJOR
from drivers.protocol.framing import Cause
from drivers.protocol.payloads import UnknownReport
from drivers.protocol.reports import Capability, DeviceKind, Level, Report, ResetCause

FLAG_RETRANSMIT, FLAG_SEALED, FLAG_MORE, FLAG_CLOCK_UNSET = 0x01, 0x02, 0x04, 0x08
CHANNEL_CONTROL, CHANNEL_EVENT, CHANNEL_LOG, CHANNEL_MEASURE = 0, 1, 2, 3

ERR_UNKNOWN_TYPE, ERR_UNKNOWN_REQUEST, ERR_REFUSED, ERR_BUSY, ERR_BAD_VALUE, ERR_UNSUPPORTED = 1, 2, 3, 4, 5, 6
ERR_NOT_PROVEN = 7
"""Codes of an ERR; from 256 on they are the maker's own."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a device says of itself. Hashes are 32 bytes, zeros = not measured. `extra`: tagged values we do not know.

    `display`: characters that its display shows, None = it has none.
    """

    kind: DeviceKind
    vendor: str
    model: str
    hardware: str
    serial: str
    firmware: str
    firmware_hash: bytes = bytes(32)
    config_hash: bytes = bytes(32)
    capabilities: tuple[Capability, ...] = ()
    tick_hz: int = 1_000_000
    extra: tuple[tuple[int, bytes], ...] = ()
    display: int | None = None


@dataclass(frozen=True, slots=True)
class LogSpan:
    """Records `first`..`last` of one boot that a device's log holds; `first` > `last` = none."""

    boot: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Record:
    """One report as the log holds it. `counter`: from 1 in each boot. `chain`: 8 bytes, zeros where the log is not chained.

    `raw`: code and fields as they came off the wire, with what a later version added; empty for one that did not.
    """

    counter: int
    tick_us: int
    report: Report | UnknownReport
    chain: bytes = bytes(8)
    raw: bytes = field(default=b"", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Hello:
    """Host asks who is there and offers a session (its number is in the header). Frozen for every major version."""

    nonce: bytes  # 16
    min_version: int = VERSION_MAJOR
    max_version: int = VERSION_MAJOR
    max_body: int = MAX_BODY
    window: int = UNACKED_WINDOW


@dataclass(frozen=True, slots=True)
class Welcome:
    """Device answers a HELLO: who it is, which boot, what its log holds. Frozen for every major version."""

    nonce: bytes  # 16, of the HELLO
    device_nonce: bytes  # 16, for the challenge to come
    identity: Identity
    boot: int
    reset_cause: ResetCause
    log_first: int
    log_last: int
    old_logs: tuple[LogSpan, ...] = ()  # former boots, oldest first
    min_version: int = VERSION_MAJOR
    max_version: int = VERSION_MAJOR
    max_body: int = MAX_BODY
    window: int = UNACKED_WINDOW
    log_depth: int = LOG_DEPTH


@dataclass(frozen=True, slots=True)
class Auth:
    """The host's proof of the shared key; the first frame of an authenticated session."""

    proof: bytes  # 32


@dataclass(frozen=True, slots=True)
class AuthOk:
    """The device's proof of the shared key. All that follows, both ways, is sealed."""

    proof: bytes  # 32


@dataclass(frozen=True, slots=True)
class Measure:
    """Eight ranges (offset, length) of the firmware, to be hashed with a fresh nonce."""

    nonce: bytes  # 16
    ranges: tuple[tuple[int, int], ...]  # 8


@dataclass(frozen=True, slots=True)
class Measured:
    """The device's answer to `Measure`."""

    digest: bytes  # 32


@dataclass(frozen=True, slots=True)
class GetLevels:
    """What are your levels now?"""


@dataclass(frozen=True, slots=True)
class SetLevel:
    """Let `level` be `value` from now on. `operation`: u64, the same in each repeat of one wish."""

    level: Level
    value: str
    operation: int


@dataclass(frozen=True, slots=True)
class UnknownRequest:
    """A request code of a later minor version; answered with ERR, never executed."""

    code: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Request:
    """The host asks a device to report or to set a level."""

    what: GetLevels | SetLevel | UnknownRequest


@dataclass(frozen=True, slots=True)
class Response:
    """Yes, done. `levels`: the bytes of `payloads.encode_levels` in answer to `GetLevels`, else None.

    They stay bytes, because the digest on a PONG is taken over them, additions of a later version included.
    """

    levels: bytes | None = None


@dataclass(frozen=True, slots=True)
class Error:
    """No. `code`: one of ERR_*, from 256 the maker's. `text` is for people. `channel`: that of the question."""

    code: int
    retryable: bool
    text: str = ""
    channel: int = CHANNEL_CONTROL


@dataclass(frozen=True, slots=True)
class Event:
    """The device sends one report from its log, with the boot in which it was written."""

    boot: int
    record: Record


@dataclass(frozen=True, slots=True)
class EventAck:
    """Host: every report of `boot` up to `counter` is on disk."""

    boot: int
    counter: int


@dataclass(frozen=True, slots=True)
class LogRead:
    """The host asks for the reports numbered `first` to `last` of a boot."""

    boot: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class LogData:
    """Records from the first one asked for on, without a hole, as many as fit into one frame."""

    boot: int
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class LogGone:
    """Records `first`..`last` of those asked for are no longer there."""

    boot: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Ping:
    """The host asks for a sign of life; the PONG repeats the nonce."""

    nonce: bytes  # 8


@dataclass(frozen=True, slots=True)
class Pong:
    """`digest`: CRC-32C of the levels' bytes. `dropped`: the device's own counters in the order of `framing.CAUSES`."""

    nonce: bytes  # 8
    boot: int
    tick_us: int
    digest: int
    log_last: int
    dropped: tuple[int, ...] = (0,) * len(Cause)


@dataclass(frozen=True, slots=True)
class TimeSet:
    """The host's wall time, for a device's display and log only; a device never decides by it."""

    utc_us: int
    uncertainty_us: int


@dataclass(frozen=True, slots=True)
class Bye:
    """An orderly end. `reason`: 0 = closing, 1 = restart, 2 = update."""

    reason: int = 0


@dataclass(frozen=True, slots=True)
class Restarted:
    """The device rebooted: it does not know the session of the frame it answers (or, with session 0, it just came up)."""

    boot: int
    cause: ResetCause


Message = (
    Hello
    | Welcome
    | Auth
    | AuthOk
    | Measure
    | Measured
    | Request
    | Response
    | Error
    | Event
    | EventAck
    | LogRead
    | LogData
    | LogGone
    | Ping
    | Pong
    | TimeSet
    | Bye
    | Restarted
)

TYPE_CODES: dict[type[Message], int] = {
    Hello: 0x01, Welcome: 0x02, Auth: 0x03, AuthOk: 0x04, Measure: 0x05, Measured: 0x06,
    Request: 0x10, Response: 0x11, Error: 0x12,
    Event: 0x20, EventAck: 0x21, LogRead: 0x22, LogData: 0x23, LogGone: 0x24,
    Ping: 0x30, Pong: 0x31, TimeSet: 0x32,
    Bye: 0x40, Restarted: 0x41,
}  # fmt: skip
TYPES: dict[int, type[Message]] = {code: cls for cls, code in TYPE_CODES.items()}

_CHANNELS: dict[type[Message], int] = {
    Event: CHANNEL_EVENT, EventAck: CHANNEL_EVENT,
    LogRead: CHANNEL_LOG, LogData: CHANNEL_LOG, LogGone: CHANNEL_LOG,
    Measure: CHANNEL_MEASURE, Measured: CHANNEL_MEASURE,
}  # fmt: skip


def channel_of(message: Message) -> int:
    """The channel a message travels on, whose sequence numbers its own belongs to."""
    return message.channel if isinstance(message, Error) else _CHANNELS.get(type(message), CHANNEL_CONTROL)


class Header(NamedTuple):
    """The first 14 bytes, checked for themselves. `type`: a code of `TYPE_CODES`, or one of a later minor version."""

    type: int
    flags: int
    channel: int
    seq: int
    ack: int
    session: int
    length: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One message with its header. `seq`: the sender's count in the channel; an answer repeats its question's.

    `ack`: the last control sequence number seen from the other end. `seal`: 24 bytes, empty = none; see `auth`.
    """

    message: Message
    session: int
    seq: int = 0
    ack: int = 0
    retransmit: bool = False
    clock_unset: bool = False
    seal: bytes = b""
