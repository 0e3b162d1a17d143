"""Faults of whole frames on a cable: picked by type and turn, forged if the fault says so.

A forged frame has right framing and check unless these are the fault.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from drivers.protocol import messages as m
from drivers.protocol.codec import decode, decode_header, encode
from drivers.protocol.constants import CRC_SIZE, HEADER_SIZE, MAC_SIZE, SEAL_SIZE
from drivers.protocol.framing import FrameError, cobs_encode, crc32c, decode_piece, encode_frame
from drivers.protocol.reports import ResetCause, ServiceDue
from simulators.scenario.faults import Fault

NAMES = {kind: re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower() for kind in m.TYPE_CODES}
"""Name of each message as a fault names it."""
UNKNOWN_TYPE, UNKNOWN_TAG = 0x7E, b"\xee\x02hi"
OVERSIZE = b"\0" + b"\x55" * 600 + b"\0"
_VERSION_AT, _TYPE_AT, _FLAGS_AT, _SEQ_AT, _ACK_AT, _SESSION_AT, _LENGTH_AT = 0, 1, 2, 4, 6, 8, 12

Forge = Callable[[bytes, Fault, Random], bytes]


def name_of(body: bytes) -> str:
    """Returns a frame's type by its body; "" = unknown."""
    try:
        kind = m.TYPES.get(decode_header(body).type)
    except FrameError:
        return ""
    return NAMES[kind] if kind else ""


def body_of(raw: bytes) -> bytes | None:
    """Returns the body between two zero bytes; None if it is no frame."""
    try:
        return decode_piece(raw)
    except FrameError:
        return None


def session_of(body: bytes) -> int:
    """Returns the session number in a frame's body."""
    return int.from_bytes(body[_SESSION_AT:_LENGTH_AT], "little")


def _patched(body: bytes, at: int, size: int, change: Callable[[int], int]) -> bytes:
    """Returns the body with one header number changed."""
    value = change(int.from_bytes(body[at : at + size], "little")) % (1 << 8 * size)
    return body[:at] + value.to_bytes(size, "little") + body[at + size :]


def _crc(body: bytes, fault: Fault, rng: Random) -> bytes:
    wrong = crc32c(body) ^ (1 << rng.randrange(32))
    return b"\0" + cobs_encode(body + wrong.to_bytes(CRC_SIZE, "little")) + b"\0"


def _mac(body: bytes, fault: Fault, rng: Random) -> bytes:
    """Returns the frame with a wrong MAC; an unsealed frame gets an invented seal."""
    if body[_FLAGS_AT] & m.FLAG_SEALED:
        return encode_frame(body[:-MAC_SIZE] + rng.randbytes(MAC_SIZE))
    return encode_frame(
        _patched(body, _FLAGS_AT, 1, lambda flags: flags | m.FLAG_SEALED) + rng.randbytes(SEAL_SIZE)
    )


def _session(body: bytes, fault: Fault, rng: Random) -> bytes:
    return encode_frame(_patched(body, _SESSION_AT, 4, lambda session: session ^ (1 << rng.randrange(32))))


def _length(body: bytes, fault: Fault, rng: Random) -> bytes:
    return encode_frame(_patched(body, _LENGTH_AT, 2, lambda length: length + fault.number("by")))


def _type(body: bytes, fault: Fault, rng: Random) -> bytes:
    return encode_frame(_patched(body, _TYPE_AT, 1, lambda _: UNKNOWN_TYPE))


def _version(body: bytes, fault: Fault, rng: Random) -> bytes:
    return encode_frame(_patched(body, _VERSION_AT, 1, lambda version: version + 0x10))


def _tag(body: bytes, fault: Fault, rng: Random) -> bytes:
    """Returns the frame with an extra tag after the payload, as a later version may send."""
    length = int.from_bytes(body[_LENGTH_AT:HEADER_SIZE], "little")
    longer = body[: HEADER_SIZE + length] + UNKNOWN_TAG + body[HEADER_SIZE + length :]
    return encode_frame(_patched(longer, _LENGTH_AT, 2, lambda size: size + len(UNKNOWN_TAG)))


def _fragment(body: bytes, fault: Fault, rng: Random) -> bytes:
    return encode_frame(_patched(body, _FLAGS_AT, 1, lambda flags: flags | m.FLAG_MORE))


def _answer(body: bytes, fault: Fault, rng: Random) -> bytes:
    stray = m.Frame(m.Response(), session_of(body), seq=0xBEEF)
    return encode_frame(encode(stray)) + encode_frame(body)


def _restarted(body: bytes, fault: Fault, rng: Random) -> bytes:
    frame = decode(body)
    assert isinstance(frame.message, m.Pong)
    stray = m.Frame(m.Restarted(frame.message.boot, ResetCause.UNKNOWN), frame.session)
    return encode_frame(encode(stray)) + encode_frame(body)


def _ack(body: bytes, fault: Fault, rng: Random) -> bytes:
    return encode_frame(_patched(body, _ACK_AT, 2, lambda ack: ack + 1000))


def _seq(body: bytes, fault: Fault, rng: Random) -> bytes:
    return encode_frame(_patched(body, _SEQ_AT, 2, lambda seq: seq + fault.number("by")))


def _with_message(body: bytes, change: Callable[[m.Message], m.Message]) -> bytes:
    frame = decode(body)
    return encode_frame(encode(replace(frame, message=change(frame.message))))


def _counter(body: bytes, fault: Fault, rng: Random) -> bytes:
    def moved(message: m.Message) -> m.Message:
        assert isinstance(message, m.Event)
        counter = max(1, message.record.counter + fault.number("by"))
        return replace(message, record=replace(message.record, counter=counter))

    return _with_message(body, moved)


def _reuse(body: bytes, fault: Fault, rng: Random) -> bytes:
    def other(message: m.Message) -> m.Message:
        assert isinstance(message, m.Event)
        return replace(message, record=replace(message.record, report=ServiceDue(rng.randrange(1000))))

    return encode_frame(body) + _with_message(body, other)


def _log_last(body: bytes, fault: Fault, rng: Random) -> bytes:
    def shorter(message: m.Message) -> m.Message:
        assert isinstance(message, m.Welcome)
        last = max(message.log_first - 1, message.log_last - fault.number("by"))
        return replace(message, log_last=last)

    return _with_message(body, shorter)


def _error(body: bytes, fault: Fault, rng: Random) -> bytes:
    return _with_message(body, lambda _: m.Error(fault.number("code"), False, "injected"))


def _nonce(body: bytes, fault: Fault, rng: Random) -> bytes:
    def foreign(message: m.Message) -> m.Message:
        assert isinstance(message, m.Pong)
        return replace(message, nonce=rng.randbytes(8))

    return _with_message(body, foreign)


FORGES: dict[str, Forge] = {
    "frame_drop": lambda body, fault, rng: b"",
    "frame_crc": _crc,
    "frame_mac": _mac,
    "frame_session": _session,
    "frame_truncate": lambda body, fault, rng: encode_frame(body)[: fault.number("bytes")] + b"\0",
    "frame_oversize": lambda body, fault, rng: OVERSIZE,
    "frame_length": _length,
    "frame_type": _type,
    "frame_version": _version,
    "frame_tag": _tag,
    "frame_fragment": _fragment,
    "frame_answer": _answer,
    "frame_ack": _ack,
    "frame_seq": _seq,
    "frame_counter": _counter,
    "frame_reuse": _reuse,
    "frame_log_last": _log_last,
    "frame_error": _error,
    "frame_restarted": _restarted,
    "frame_nonce": _nonce,
}
"""What comes in place of a frame that is picked, by the name of the fault."""
ONLY_OF = {
    "frame_counter": m.Event, "frame_reuse": m.Event, "frame_log_last": m.Welcome, "frame_nonce": m.Pong,
    "frame_error": m.Response, "frame_restarted": m.Pong,
}  # fmt: skip
"""Faults that only make sense in one type of frame."""


class FrameFault:
    """One fault of frames in one direction, and how often it may still strike."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self._type = fault.text("type")
        self._skip, self._every, self._times = (fault.number(key) for key in ("skip", "every", "times"))
        self._seen = self._struck = 0
        self._held = b""
        self._session = 0
        self._former: bytes | None = None
        self._latest = b""
        self._tick_0: int | None = None

    def picks(self, kind: str) -> bool:
        """Returns True if the fault strikes this frame; counts it."""
        only = ONLY_OF.get(self.fault.name)
        if not kind or self._type not in ("any", kind) or (only and NAMES[only] != kind):
            return False
        if self._times and self._struck >= self._times:
            return False
        self._seen += 1
        if self._seen <= self._skip or (self._seen - self._skip - 1) % max(1, self._every):
            return False
        self._struck += 1
        return True

    def former(self, body: bytes, kind: str) -> bytes | None:
        """Returns a frame of its type from the session before, once there was one."""
        if self._type not in ("any", kind):
            return None
        if session_of(body) != self._session:
            self._session, self._former = session_of(body), self._latest or None
        self._latest = encode_frame(body)
        return self._former

    def behind(self, raw: bytes, *, strike: bool) -> bytes:
        """Keeps the struck frame until another one has passed it."""
        if strike and not self._held:
            self._held = raw
            return b""
        passed, self._held = raw + self._held, b""
        return passed

    def ticked(self, body: bytes) -> bytes:
        """Returns the frame with the present clock value."""

        def tick(true_us: int) -> int:
            if self._tick_0 is None:
                self._tick_0 = true_us
            since = true_us - self._tick_0
            if since < 0:
                return true_us
            jump, rate = self.fault.real("jump"), self.fault.real("rate")
            return max(0, int(self._tick_0 + jump * 1e6 + since * rate))

        def record(r: m.Record) -> m.Record:
            return replace(r, tick_us=tick(r.tick_us))

        frame = decode(body)
        match frame.message:
            case m.Pong() as pong:
                message: m.Message = replace(pong, tick_us=tick(pong.tick_us))
            case m.Event(boot, was):
                message = m.Event(boot, record(was))
            case m.LogData(boot, records):
                message = m.LogData(boot, tuple(record(r) for r in records))
            case other:
                message = other
        return encode_frame(encode(replace(frame, message=message)))
