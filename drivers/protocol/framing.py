"""Turns a line's bytes into frame bodies and back: COBS between zero bytes, CRC-32C after each body.

The deframer is a pure function of bytes and times. It never raises on input: it drops and counts what is no frame,
and begins anew at the next zero byte.
"""

import struct
from collections.abc import Mapping
from enum import StrEnum

from drivers.protocol.constants import CRC_SIZE, HEADER_SIZE, MAX_BODY, RX_LIMIT, gap_limit

_POLYNOMIAL = 0x82F63B78  # Castagnoli, reflected


class Cause(StrEnum):
    """Why bytes or a frame were dropped; the words of the FRAME family in the driver's faults."""

    CRC = "crc"
    COBS = "cobs"
    OVERSIZE = "oversize"
    PARTIAL = "partial"
    LENGTH = "length"
    VERSION = "version"
    MAC = "mac"
    STALE_SESSION = "stale_session"
    DUPLICATE = "duplicate"
    PAYLOAD = "payload"
    UNEXPECTED = "unexpected"


CAUSES = tuple(Cause)
"""In the order in which a PONG carries the counters."""


class FrameError(ValueError):
    """A frame that is dropped. `cause`: how it is counted."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(f"{cause.value}: {detail}")
        self.cause, self.detail = cause, detail


def _table() -> tuple[int, ...]:
    def entry(value: int) -> int:
        for _ in range(8):
            value = (value >> 1) ^ (_POLYNOMIAL if value & 1 else 0)
        return value

    return tuple(entry(value) for value in range(256))


def _later(table: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the CRC table for a byte with one more byte after it."""
    return tuple(_TABLE[value & 0xFF] ^ (value >> 8) for value in table)


_TABLE = _table()
_TABLE_1 = _later(_TABLE)
_TABLE_2 = _later(_TABLE_1)
_TABLE_3 = _later(_TABLE_2)
_WORDS = tuple(struct.Struct(f"<{count}I") for count in range((MAX_BODY + CRC_SIZE) // 4 + 1))
_CODES = tuple(bytes([size + 1]) for size in range(254))


def crc32c(data: bytes) -> int:
    """Returns CRC-32C: init and xorout FFFFFFFF, reflected. Check value of b"123456789": E3069283.

    Four bytes at a time by four tables ("slicing-by-4", Kounavis and Berry, 2005), in half the time of byte by byte.
    """
    crc = 0xFFFFFFFF
    table, table_1, table_2, table_3 = _TABLE, _TABLE_1, _TABLE_2, _TABLE_3
    whole = min(len(data) // 4, len(_WORDS) - 1)
    for word in _WORDS[whole].unpack_from(data):
        crc ^= word
        crc = table_3[crc & 0xFF] ^ table_2[crc >> 8 & 0xFF] ^ table_1[crc >> 16 & 0xFF] ^ table[crc >> 24]
    for byte in data[whole * 4 :]:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def cobs_encode(data: bytes) -> bytes:
    """Returns the data without zero bytes; one byte longer, and one more for each full run of 254."""
    runs = data.split(b"\0")
    if max(map(len, runs)) < 254:
        return b"".join([_CODES[len(run)] + run for run in runs])
    out = bytearray()
    last = len(runs) - 1
    for index, whole in enumerate(runs):
        run = whole
        while len(run) > 254 or (len(run) == 254 and index < last):
            out.append(0xFF)
            out += run[:254]
            run = run[254:]
        out.append(len(run) + 1)  # a full run at the very end gets FF and needs no code byte after it
        out += run
    return bytes(out)


def cobs_decode(data: bytes) -> bytes:
    """Undoes `cobs_encode`. Raises `FrameError` (cobs) for a zero inside, or a run that ends early."""
    if b"\0" in data:
        raise FrameError(Cause.COBS, "zero inside a frame")
    decoded = bytearray(data)
    at, size = 0, len(data)
    no_zeros = [0]  # places of codes that stand for no zero byte: the first, and each behind a full run
    if b"\xff" in data:
        while at < size:
            code = data[at]
            decoded[at] = 0
            at += code
            if code == 0xFF:
                no_zeros.append(at)
    else:  # nearly all frames: no run is full
        while at < size:
            code = data[at]
            decoded[at] = 0
            at += code
    if at > size:
        raise FrameError(Cause.COBS, "the last run is cut short")
    for place in reversed(no_zeros):
        del decoded[place : place + 1]
    return bytes(decoded)


def encode_frame(body: bytes) -> bytes:
    """Returns a body as sent, with zero bytes on both sides. Raises ValueError over 512 bytes or below a header's
    size."""
    if not HEADER_SIZE <= len(body) <= MAX_BODY:
        raise ValueError(f"a body has {HEADER_SIZE} to {MAX_BODY} bytes, not {len(body)}")
    return b"\0" + cobs_encode(body + crc32c(body).to_bytes(CRC_SIZE, "little")) + b"\0"


def decode_piece(piece: bytes) -> bytes:
    """Returns the body between two zero bytes. Raises `FrameError` with the cause."""
    data = cobs_decode(piece)
    if len(data) < HEADER_SIZE + CRC_SIZE:
        raise FrameError(Cause.LENGTH, f"{len(data)} bytes are less than a header and its check")
    body, check = data[:-CRC_SIZE], int.from_bytes(data[-CRC_SIZE:], "little")
    if len(body) > MAX_BODY:
        raise FrameError(Cause.OVERSIZE, f"a body of {len(body)} bytes")
    if crc32c(body) != check:
        raise FrameError(Cause.CRC, "the check does not match")
    return body


class Deframer:
    """Cuts a line's bytes into bodies. Holds at most `RX_LIMIT` bytes, and a begun frame at most for the gap
    limit."""

    def __init__(self, byte_time_s: float = 0.0) -> None:
        self._gap_s = gap_limit(byte_time_s)
        self._held = bytearray()
        self._dropping = False  # an oversize frame is passing
        self._last_byte = 0.0
        self._frames = dict.fromkeys(CAUSES, 0)
        self._bytes = dict.fromkeys(CAUSES, 0)

    @property
    def frames_dropped(self) -> Mapping[Cause, int]:
        """Counts dropped frames by cause."""
        return self._frames

    @property
    def bytes_dropped(self) -> Mapping[Cause, int]:
        """Counts bytes of dropped frames by cause, without delimiters."""
        return self._bytes

    def feed(self, data: bytes, now: float) -> list[bytes]:
        """Returns the checked bodies that `data` completes, in order."""
        if not data:
            return []
        self.tick(now)
        self._last_byte = now
        bodies = []
        *ended, rest = data.split(b"\0")
        for piece in ended:
            if (body := self._end_piece(piece)) is not None:
                bodies.append(body)
        if rest:
            self._hold(rest)
        return bodies

    def tick(self, now: float) -> None:
        """Drops a begun frame if its rest did not come within the gap limit."""
        if not (self._held or self._dropping) or now < self._last_byte + self._gap_s:
            return
        if self._held:
            self.count(Cause.PARTIAL, len(self._held))
        self._held.clear()
        self._dropping = False

    def next_deadline(self) -> float | None:
        """Returns when a begun frame is dropped; None if none is begun."""
        return self._last_byte + self._gap_s if self._held or self._dropping else None

    def extend(self, lag_s: float) -> None:
        """Gives a begun frame more time, because the host itself stood still."""
        self._last_byte += lag_s

    def count(self, cause: Cause, size: int) -> None:
        """Counts one dropped frame of `size` bytes; the link counts its own drops here too."""
        self._frames[cause] += 1
        self._bytes[cause] += size

    def _hold(self, piece: bytes) -> None:
        if self._dropping:
            self._bytes[Cause.OVERSIZE] += len(piece)
        elif len(self._held) + len(piece) > RX_LIMIT:
            self.count(Cause.OVERSIZE, len(self._held) + len(piece))
            self._held.clear()
            self._dropping = True
        else:
            self._held += piece

    def _end_piece(self, piece: bytes) -> bytes | None:
        """Returns the body before a zero byte; None if it is empty, too large, or no frame."""
        if self._held or self._dropping or len(piece) > RX_LIMIT:
            self._hold(piece)
            if self._dropping:
                self._dropping = False
                return None
            piece = bytes(self._held)
            self._held.clear()
        if not piece:
            return None
        try:
            return decode_piece(piece)
        except FrameError as error:
            self.count(error.cause, len(piece))
            return None
