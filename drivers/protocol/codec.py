"""Encodes and decodes a frame's body: header, payload, and the place of the seal. Pure functions; the records are
in `messages`."""

import struct
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Final, assert_never

from drivers.protocol import messages as m
from drivers.protocol.constants import (
    HEADER_SIZE,
    MAX_DISPLAY,
    MAX_ERROR_TEXT,
    MAX_EXTRA,
    MAX_NAME,
    MAX_PAYLOAD,
    MAX_SEALED_PAYLOAD,
    OLD_LOGS,
    SEAL_SIZE,
    VERSION_MAJOR,
    VERSION_MINOR,
)
from drivers.protocol.framing import CAUSES, Cause, FrameError
from drivers.protocol.payloads import (
    KINDS,
    LEVELS,
    RESETS,
    PayloadError,
    UnknownReport,
    decode_levels,
    decode_report,
    decode_tags,
    encode_report,
    encode_tag,
    from_bits,
    to_bits,
)
from drivers.protocol.reports import ResetCause
from drivers.protocol.texts import is_plain, plain

REQUEST_GET_LEVELS, REQUEST_SET_LEVEL = 0x01, 0x02
TAG_VALUE, TAG_ERROR_TEXT, TAG_LEVELS = 1, 1, 1
TAG_VENDOR, TAG_MODEL, TAG_HARDWARE, TAG_SERIAL, TAG_FIRMWARE, TAG_OLD_LOG, TAG_DISPLAY = 1, 2, 3, 4, 5, 6, 7

_VERSION: Final = VERSION_MAJOR << 4 | VERSION_MINOR
_KNOWN_FLAGS: Final = m.FLAG_RETRANSMIT | m.FLAG_SEALED | m.FLAG_CLOCK_UNSET
_FROZEN: Final = (m.TYPE_CODES[m.Hello], m.TYPE_CODES[m.Welcome])

_HEADER: Final = struct.Struct("<BBBBHHIH")
_HELLO: Final = struct.Struct("<BBHBx16s")
_WELCOME: Final = struct.Struct("<BBHB16s16sBBQIIIQQ32s32s")
_MEASURE: Final = struct.Struct("<16s16I")
_SET_LEVEL: Final = struct.Struct("<BBQ")
_ERROR: Final = struct.Struct("<HB")
_RECORD: Final = struct.Struct("<QQ8s")
_CHAINED: Final = struct.Struct("<QQQ8s")
_RANGE: Final = struct.Struct("<QQQ")
_ACK: Final = struct.Struct("<QQ")
_PONG: Final = struct.Struct(f"<8sQQIQ{len(CAUSES)}I")
_TIME: Final = struct.Struct("<QI")
_RESTARTED: Final = struct.Struct("<QB")
_NAMES: Final = (TAG_VENDOR, TAG_MODEL, TAG_HARDWARE, TAG_SERIAL, TAG_FIRMWARE)


def encode(frame: m.Frame) -> bytes:
    """Returns the body of a frame, ready for `framing.encode_frame`. Raises `PayloadError` if a value does not
    fit."""
    kind = type(frame.message)
    try:
        payload = _encode_payload(frame.message)
    except struct.error as error:
        raise PayloadError(f"{kind.__name__}: {error}") from error
    if len(payload) > (limit := MAX_SEALED_PAYLOAD if frame.seal else MAX_PAYLOAD):
        raise PayloadError(f"{kind.__name__} has {len(payload)} bytes, over {limit}")
    if len(frame.seal) not in (0, SEAL_SIZE):
        raise PayloadError(f"a seal has {SEAL_SIZE} bytes, not {len(frame.seal)}")
    flags = (
        m.FLAG_RETRANSMIT * frame.retransmit
        | m.FLAG_SEALED * bool(frame.seal)
        | m.FLAG_CLOCK_UNSET * frame.clock_unset
    )
    header = _HEADER.pack(
        _VERSION,
        m.TYPE_CODES[kind],
        flags,
        m.channel_of(frame.message),
        frame.seq,
        frame.ack,
        frame.session,
        len(payload),
    )
    return header + payload + frame.seal


def decode_header(body: bytes) -> m.Header:
    """Returns the header of a checked body. Raises `FrameError`: length, or version (other major, undefined flag)."""
    if len(body) < HEADER_SIZE:
        raise FrameError(Cause.LENGTH, f"{len(body)} bytes are less than a header")
    version, kind, flags, channel, seq, ack, session, length = _HEADER.unpack_from(body)
    if version >> 4 != VERSION_MAJOR and kind not in _FROZEN:
        raise FrameError(Cause.VERSION, f"major version {version >> 4}")
    if flags & ~_KNOWN_FLAGS:
        raise FrameError(Cause.VERSION, f"flags {flags:#04x}")
    if HEADER_SIZE + length + (SEAL_SIZE if flags & m.FLAG_SEALED else 0) != len(body):
        raise FrameError(Cause.LENGTH, f"the header says {length} bytes of payload, the body has {len(body)}")
    return m.Header(kind, flags, channel, seq, ack, session, length)


def decode(body: bytes, header: m.Header | None = None) -> m.Frame:
    """Returns the frame in a checked body; `header`: its header, if decoded before.

    Raises `FrameError`: length, version, unexpected (a type that is unknown here), payload.
    """
    header = header or decode_header(body)
    code, flags, channel, seq, ack, session, length = header
    kind = m.TYPES.get(code)
    if kind is None:
        raise FrameError(Cause.UNEXPECTED, f"type {code:#04x}")
    end = HEADER_SIZE + length
    try:
        message = _DECODERS[kind](body[HEADER_SIZE:end])
    except PayloadError as error:
        raise FrameError(Cause.PAYLOAD, f"{kind.__name__}: {error}") from error
    except struct.error as error:
        raise FrameError(Cause.PAYLOAD, f"{kind.__name__} is too short") from error
    except UnicodeDecodeError as error:
        raise FrameError(Cause.PAYLOAD, f"{kind.__name__} holds text that is not UTF-8") from error
    if isinstance(message, m.Error) and channel <= m.CHANNEL_MEASURE:
        message = replace(message, channel=channel)
    if channel != m.channel_of(message):
        raise FrameError(Cause.PAYLOAD, f"{kind.__name__} on channel {channel}")
    is_repeat, is_unset = flags & m.FLAG_RETRANSMIT != 0, flags & m.FLAG_CLOCK_UNSET != 0
    return m.Frame(message, session, seq, ack, is_repeat, is_unset, body[end:])


def encode_record(record: m.Record) -> bytes:
    """Returns one report as in EVENT and LOG_DATA: counter, tick, chain, code, fields."""
    return _RECORD.pack(record.counter, record.tick_us, record.chain) + _encode_fields(record)


def chained_bytes(boot: int, record: m.Record, before: bytes) -> bytes:
    """Returns the bytes under a record's chain value: an EVENT's payload with `before` in the place of the chain
    value."""
    fields = record.raw or _encode_fields(record)
    return _CHAINED.pack(boot, record.counter, record.tick_us, before) + fields


def _encode_fields(record: m.Record) -> bytes:
    report = record.report
    return bytes([report.code]) + report.data if isinstance(report, UnknownReport) else encode_report(report)


def decode_record(data: bytes) -> m.Record:
    """Undoes `encode_record`. Raises `PayloadError` if counter or code is missing, or the counter is 0."""
    if len(data) <= _RECORD.size:
        raise PayloadError("a record is too short")
    counter, tick_us, chain = _RECORD.unpack_from(data)
    return _record(counter, tick_us, chain, data[_RECORD.size :])


def _record(counter: int, tick_us: int, chain: bytes, fields: bytes) -> m.Record:
    if counter == 0:
        raise PayloadError("counters start at 1")
    return m.Record(counter, tick_us, decode_report(fields), chain, fields)


def _encode_payload(message: m.Message) -> bytes:
    match message:  # what is sent most comes first
        case m.Event(boot, record):
            return boot.to_bytes(8, "little") + encode_record(record)
        case m.EventAck(boot, counter):
            return _ACK.pack(boot, counter)
        case m.Hello() | m.Welcome() | m.Auth() | m.AuthOk() | m.Measured() | m.Measure():
            return _encode_opening(message)
        case m.Request(what):
            return _encode_request(what)
        case m.Response(levels):
            return b"" if levels is None else encode_tag(TAG_LEVELS, levels)
        case m.Error(code, retryable, text, _):
            return _ERROR.pack(code, retryable) + encode_tag(TAG_ERROR_TEXT, _cut(text, MAX_ERROR_TEXT))
        case m.LogRead(boot, first, last) | m.LogGone(boot, first, last):
            return _RANGE.pack(boot, first, last)
        case m.LogData(boot, records):
            encoded = [encode_record(record) for record in records]
            return boot.to_bytes(8, "little") + b"".join(bytes([len(e)]) + e for e in encoded)
        case m.Ping(nonce):
            return _exactly(8, nonce)
        case m.Pong(nonce, boot, tick_us, digest, log_last, dropped):
            counts = (n & 0xFFFFFFFF for n in dropped)
            return _PONG.pack(_exactly(8, nonce), boot, tick_us, digest, log_last, *counts)
        case m.TimeSet(utc_us, uncertainty_us):
            return _TIME.pack(utc_us, uncertainty_us)
        case m.Bye(reason):
            return bytes([reason])
        case m.Restarted(boot, cause):
            return _RESTARTED.pack(boot, RESETS.index(cause))
        case _:
            assert_never(message)


def _encode_opening(message: m.Hello | m.Welcome | m.Auth | m.AuthOk | m.Measure | m.Measured) -> bytes:
    """Returns the payload of a message that opens a session: greeting, proof of the key, measurement."""
    match message:
        case m.Hello(nonce, low, high, max_body, window):
            return _HELLO.pack(low, high, max_body, window, _exactly(16, nonce))
        case m.Welcome():
            return _encode_welcome(message)
        case m.Measure(nonce, ranges):
            return _MEASURE.pack(_exactly(16, nonce), *(number for pair in ranges for number in pair))
        case m.Auth(proof) | m.AuthOk(proof) | m.Measured(proof):
            return _exactly(32, proof)


def _encode_welcome(w: m.Welcome) -> bytes:
    who = w.identity
    fixed = _WELCOME.pack(
        w.min_version, w.max_version, w.max_body, w.window, _exactly(16, w.nonce), _exactly(16, w.device_nonce),
        KINDS.index(who.kind), RESETS.index(w.reset_cause), w.boot, to_bits(who.capabilities), w.log_depth,
        who.tick_hz, w.log_first, w.log_last, _exactly(32, who.firmware_hash), _exactly(32, who.config_hash),
    )  # fmt: skip
    texts = zip(_NAMES, (who.vendor, who.model, who.hardware, who.serial, who.firmware), strict=True)
    names = b"".join(encode_tag(tag, _cut(text, MAX_NAME)) for tag, text in texts)
    logs = b"".join(encode_tag(TAG_OLD_LOG, _RANGE.pack(s.boot, s.first, s.last)) for s in w.old_logs[-OLD_LOGS:])
    display = b"" if who.display is None else encode_tag(TAG_DISPLAY, bytes([who.display]))
    return fixed + names + logs + display + b"".join(encode_tag(tag, value) for tag, value in who.extra)


def _encode_request(what: m.GetLevels | m.SetLevel | m.UnknownRequest) -> bytes:
    match what:
        case m.GetLevels():
            return bytes([REQUEST_GET_LEVELS])
        case m.SetLevel(level, value, operation):
            fixed = _SET_LEVEL.pack(REQUEST_SET_LEVEL, LEVELS.index(level) + 1, operation)
            return fixed + encode_tag(TAG_VALUE, value.encode("ascii"))
        case m.UnknownRequest(code, data):
            return bytes([code]) + data


def _decode_hello(data: bytes) -> m.Hello:
    low, high, max_body, window, nonce = _HELLO.unpack_from(data)
    return m.Hello(nonce, low, high, max_body, window)


def _decode_welcome(data: bytes) -> m.Welcome:
    (low, high, max_body, window, nonce, device_nonce, kind, cause, boot, bits, depth, tick_hz, log_first, log_last,
     firmware_hash, config_hash) = _WELCOME.unpack_from(data)  # fmt: skip
    if kind >= len(KINDS) or tick_hz == 0:
        raise PayloadError(f"device kind {kind}, tick rate {tick_hz}")
    texts: dict[int, str] = {}
    old_logs: list[m.LogSpan] = []
    extra: list[tuple[int, bytes]] = []
    display = None
    for tag, value in decode_tags(data[_WELCOME.size :]):
        if tag in _NAMES:
            texts[tag] = _name(value)
        elif tag == TAG_OLD_LOG:
            old_logs.append(m.LogSpan(*_RANGE.unpack_from(value)))
        elif tag == TAG_DISPLAY:
            display = _display(value)
        elif len(extra) < MAX_EXTRA:
            extra.append((tag, value))
    vendor, model, hardware, serial, firmware = (texts.get(tag, "") for tag in _NAMES)
    if not serial:
        raise PayloadError("a device must have a serial number")
    identity = m.Identity(
        KINDS[kind], vendor, model, hardware, serial, firmware, firmware_hash, config_hash,
        from_bits(bits), tick_hz, tuple(extra), display,
    )  # fmt: skip
    return m.Welcome(
        nonce, device_nonce, identity, boot, _reset_cause(cause), log_first, log_last, tuple(old_logs),
        low, high, max_body, window, depth,
    )  # fmt: skip


def _name(value: bytes) -> str:
    """Returns a name of a device. Raises `PayloadError` if it is too long or cannot be shown."""
    text = value.decode("utf-8")
    if len(value) > MAX_NAME or not is_plain(text):
        raise PayloadError("a name is too long, or holds characters that are not printable")
    return text


def _display(value: bytes) -> int:
    if len(value) != 1 or not 1 <= value[0] <= MAX_DISPLAY:
        raise PayloadError(f"a display shows 1 to {MAX_DISPLAY} characters")
    return value[0]


def _decode_measure(data: bytes) -> m.Measure:
    nonce, *numbers = _MEASURE.unpack_from(data)
    return m.Measure(nonce, tuple(zip(numbers[::2], numbers[1::2], strict=True)))


def _decode_request(data: bytes) -> m.Request:
    if not data:
        raise PayloadError("a request has a code")
    if data[0] == REQUEST_GET_LEVELS:
        return m.Request(m.GetLevels())
    if data[0] != REQUEST_SET_LEVEL:
        return m.Request(m.UnknownRequest(data[0], data[1:]))
    _, level, operation = _SET_LEVEL.unpack_from(data)
    tagged = dict(decode_tags(data[_SET_LEVEL.size :]))
    if not 1 <= level <= len(LEVELS) or TAG_VALUE not in tagged:
        raise PayloadError(f"level {level} is not known, or has no value")
    return m.Request(m.SetLevel(LEVELS[level - 1], tagged[TAG_VALUE].decode("utf-8"), operation))


def _decode_response(data: bytes) -> m.Response:
    levels = dict(decode_tags(data)).get(TAG_LEVELS)
    if levels is not None:
        decode_levels(levels)  # what cannot be read must fail here, where the frame is still at hand
    return m.Response(levels)


def _decode_error(data: bytes) -> m.Error:
    code, retryable = _ERROR.unpack_from(data)
    text = dict(decode_tags(data[_ERROR.size :])).get(TAG_ERROR_TEXT, b"")
    return m.Error(code, bool(retryable), plain(text[:MAX_ERROR_TEXT].decode("utf-8", "replace")))


def _decode_event(data: bytes) -> m.Event:
    if len(data) <= _CHAINED.size:
        raise PayloadError("a record is too short")
    boot, counter, tick_us, chain = _CHAINED.unpack_from(data)
    return m.Event(boot, _record(counter, tick_us, chain, data[_CHAINED.size :]))


def _decode_log_data(data: bytes) -> m.LogData:
    if len(data) < 8:
        raise PayloadError("a boot has 8 bytes")
    records = []
    at = 8
    while at < len(data):
        end = at + 1 + data[at]
        if end > len(data):
            raise PayloadError("a record is cut short")
        records.append(decode_record(data[at + 1 : end]))
        at = end
    if not records or any(b.counter != a.counter + 1 for a, b in pairwise(records)):
        raise PayloadError("log data must hold records without a hole")
    return m.LogData(int.from_bytes(data[:8], "little"), tuple(records))


def _decode_pong(data: bytes) -> m.Pong:
    nonce, boot, tick_us, digest, log_last, *dropped = _PONG.unpack_from(data)
    return m.Pong(nonce, boot, tick_us, digest, log_last, tuple(dropped))


def _decode_restarted(data: bytes) -> m.Restarted:
    boot, cause = _RESTARTED.unpack_from(data)
    return m.Restarted(boot, _reset_cause(cause))


def _reset_cause(number: int) -> ResetCause:
    """Returns the reset cause; an unknown code reads as `UNKNOWN`, so that no reboot is missed."""
    return RESETS[number] if number < len(RESETS) else ResetCause.UNKNOWN


def _exactly(size: int, value: bytes) -> bytes:
    if len(value) != size:
        raise PayloadError(f"{size} bytes are needed, not {len(value)}")
    return value


def _at_least(size: int, data: bytes) -> bytes:
    """Checks the size of the fixed fields; later minor versions may append more."""
    return _exactly(size, data[:size])


def _cut(text: str, size: int) -> bytes:
    """Returns UTF-8 of at most `size` bytes, never cut inside a character."""
    return text.encode()[:size].decode("utf-8", "ignore").encode()


_DECODERS: Final[dict[type[m.Message], Callable[[bytes], m.Message]]] = {
    m.Hello: _decode_hello,
    m.Welcome: _decode_welcome,
    m.Auth: lambda data: m.Auth(_at_least(32, data)),
    m.AuthOk: lambda data: m.AuthOk(_at_least(32, data)),
    m.Measure: _decode_measure,
    m.Measured: lambda data: m.Measured(_at_least(32, data)),
    m.Request: _decode_request,
    m.Response: _decode_response,
    m.Error: _decode_error,
    m.Event: _decode_event,
    m.EventAck: lambda data: m.EventAck(*_ACK.unpack_from(data)),
    m.LogRead: lambda data: m.LogRead(*_RANGE.unpack_from(data)),
    m.LogData: _decode_log_data,
    m.LogGone: lambda data: m.LogGone(*_RANGE.unpack_from(data)),
    m.Ping: lambda data: m.Ping(_at_least(8, data)),
    m.Pong: _decode_pong,
    m.TimeSet: lambda data: m.TimeSet(*_TIME.unpack_from(data)),
    m.Bye: lambda data: m.Bye(_at_least(1, data)[0]),
    m.Restarted: _decode_restarted,
}
