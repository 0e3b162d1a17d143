"""The messages of TDP/1 as frozen records, one a type, and the header of each.

A `Frame` is one message with its header; `codec.encode` and `codec.decode` handle its bytes. `docs/protocol.md`
draws them.
"""

from dataclasses import field
from typing import NamedTuple

from drivers.protocol.constants import LOG_DEPTH, MAX_BODY, UNACKED_WINDOW, VERSION_MAJOR
from drivers.protocol.framing import Cause
from drivers.protocol.payloads import UnknownReport
from drivers.protocol.records import dataclass
from drivers.protocol.reports import Capability, DeviceKind, Level, Report, ResetCause

FLAG_RETRANSMIT, FLAG_SEALED, FLAG_MORE, FLAG_CLOCK_UNSET = 0x01, 0x02, 0x04, 0x08
CHANNEL_CONTROL, CHANNEL_EVENT, CHANNEL_LOG, CHANNEL_MEASURE = 0, 1, 2, 3

ERR_UNKNOWN_TYPE, ERR_UNKNOWN_REQUEST, ERR_REFUSED, ERR_BUSY, ERR_BAD_VALUE, ERR_UNSUPPORTED = 1, 2, 3, 4, 5, 6
ERR_NOT_PROVEN = 7
"""Codes of an ERR; from 256 on they are the maker's own."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a device says of itself. Hashes: 32 bytes, zeros = not measured. `extra`: unknown tagged values.

    `display`: characters that its display shows; None = no display.
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
    """Records `first`..`last` of one boot in a device's log; `first` > `last` = none."""

    boot: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Record:
    """One report as the log holds it. `counter`: from 1 in each boot. `chain`: 8 bytes, zeros = not chained.

    `raw`: code and fields as received, additions of later versions included; empty for a record made here.
    """

    counter: int
    tick_us: int
    report: Report | UnknownReport
    chain: bytes = bytes(8)
    raw: bytes = field(default=b"", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Hello:
    """The host asks who is there and offers a session (its number is in the header). Frozen for every major
    version."""

    nonce: bytes  # 16
    min_version: int = VERSION_MAJOR
    max_version: int = VERSION_MAJOR
    max_body: int = MAX_BODY
    window: int = UNACKED_WINDOW


@dataclass(frozen=True, slots=True)
class Welcome:
    """The device answers a HELLO: identity, boot, content of its log. Frozen for every major version."""

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
    """The host's proof of the shared key; first frame of an authenticated session."""

    proof: bytes  # 32


@dataclass(frozen=True, slots=True)
class AuthOk:
    """The device's proof of the shared key. All later frames, both ways, are sealed."""

    proof: bytes  # 32


@dataclass(frozen=True, slots=True)
class Measure:
    """The host asks for a hash of eight firmware ranges (offset, length) with a fresh nonce."""

    nonce: bytes  # 16
    ranges: tuple[tuple[int, int], ...]  # 8


@dataclass(frozen=True, slots=True)
class Measured:
    """The device's answer to `Measure`."""

    digest: bytes  # 32


@dataclass(frozen=True, slots=True)
class GetLevels:
    """The host asks for the device's present levels."""


@dataclass(frozen=True, slots=True)
class SetLevel:
    """The host commands `level` to be `value` from now on. `operation`: u64, equal in each repeat of one command."""

    level: Level
    value: str
    operation: int


@dataclass(frozen=True, slots=True)
class UnknownRequest:
    """A request code of a later minor version; the device answers ERR and executes nothing."""

    code: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Request:
    """The host asks a device to report or to set a level."""

    what: GetLevels | SetLevel | UnknownRequest


@dataclass(frozen=True, slots=True)
class Response:
    """The device confirms a request. `levels`: bytes of `payloads.encode_levels` in answer to `GetLevels`,
    otherwise None.

    They stay bytes, because a PONG's digest covers them, additions of later versions included.
    """

    levels: bytes | None = None


@dataclass(frozen=True, slots=True)
class Error:
    """The device refuses a request. `code`: one of ERR_*, from 256 the maker's. `text`: for people. `channel`: of
    the request."""

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
    """The host has every report of `boot` up to `counter` on disk."""

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
    """Records from the first requested one on, without a gap, as many as fit one frame."""

    boot: int
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class LogGone:
    """The requested records `first`..`last` are no longer in the log."""

    boot: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Ping:
    """The host asks for a sign of life; the PONG repeats the nonce."""

    nonce: bytes  # 8


@dataclass(frozen=True, slots=True)
class Pong:
    """The device's echo of a PING. `digest`: CRC-32C of the levels' bytes. `dropped`: its counts in the order of
    `framing.CAUSES`."""

    nonce: bytes  # 8
    boot: int
    tick_us: int
    digest: int
    log_last: int
    dropped: tuple[int, ...] = (0,) * len(Cause)


@dataclass(frozen=True, slots=True)
class TimeSet:
    """The host's wall time, for a device's display and log; a device never decides by it."""

    utc_us: int
    uncertainty_us: int


@dataclass(frozen=True, slots=True)
class Bye:
    """An orderly end. `reason`: 0 = closing, 1 = restart, 2 = update."""

    reason: int = 0


@dataclass(frozen=True, slots=True)
class Restarted:
    """The device rebooted and does not know the session of the frame it answers (session 0: it just came up)."""

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
    """Returns the channel that a message travels on; each channel has its own sequence numbers."""
    return message.channel if isinstance(message, Error) else _CHANNELS.get(type(message), CHANNEL_CONTROL)


class Header(NamedTuple):
    """The first 14 bytes of a body. `type`: a code of `TYPE_CODES`, or one of a later minor version."""

    type: int
    flags: int
    channel: int
    seq: int
    ack: int
    session: int
    length: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One message with its header. `seq`: the sender's count in the channel; an answer repeats its request's.

    `ack`: last control number seen from the other end. `seal`: 24 bytes, empty = none; see `auth`.
    """

    message: Message
    session: int
    seq: int = 0
    ack: int = 0
    retransmit: bool = False
    clock_unset: bool = False
    seal: bytes = b""
