"""Modbus RTU frames: a request as bytes, and an answer as values or one named error. No clock, no port.

Functions 1 to 6, 15 and 16 of the Modbus Application Protocol V1.1b3, in RTU frames of Modbus over Serial Line
V1.02.
"""

from enum import IntEnum, StrEnum
from functools import lru_cache

from drivers.protocol.records import dataclass

MAX_ADU = 256
"""Bytes of the longest frame, address and CRC included."""

UNITS = range(1, 248)
"""Addresses that a unit may have. 0 is broadcast, which nobody answers, so it is never used."""

EXCEPTION = 0x80
"""Set in the function of an answer that says no."""

MAX_BITS, MAX_WORDS = 2000, 125
MAX_WRITTEN_BITS, MAX_WRITTEN_WORDS = 1968, 123
ON = 0xFF00
"""The word that stands for a coil switched on in a request for one coil; 0 is off."""


class Function(IntEnum):
    """The Modbus function codes that the driver uses."""

    READ_COILS = 1
    READ_INPUTS = 2  # discrete inputs
    READ_HOLDING = 3
    READ_INPUT_REGISTERS = 4
    WRITE_COIL = 5
    WRITE_REGISTER = 6
    WRITE_COILS = 15
    WRITE_REGISTERS = 16

    @property
    def writes(self) -> bool:
        """True for functions that change coils or registers."""
        return self in (self.WRITE_COIL, self.WRITE_REGISTER, self.WRITE_COILS, self.WRITE_REGISTERS)

    @property
    def of_bits(self) -> bool:
        """True for functions about single bits: coils and discrete inputs."""
        return self in (self.READ_COILS, self.READ_INPUTS, self.WRITE_COIL, self.WRITE_COILS)


SINGLE = (Function.WRITE_COIL, Function.WRITE_REGISTER)


class Wrong(StrEnum):
    """Ways in which an answer can be wrong. Each is counted apart."""

    SILENT = "silent"  # nothing came in time
    CRC = "crc"
    PARTIAL = "partial"  # too short to be an answer
    OVERLONG = "overlong"  # more bytes than the answer has: noise, or two units with one address
    ECHO = "echo"  # our own question: the adapter hears what it sends
    UNIT = "wrong_unit"
    FUNCTION = "wrong_function"
    COUNT = "wrong_count"
    CONTENT = "wrong_content"  # a write was answered with another address or value
    EXCEPTION = "exception"


class AnswerWrong(Exception):
    """An answer that cannot be used. `code`: of an exception answer, 1-255; otherwise 0."""

    def __init__(self, kind: Wrong, code: int = 0) -> None:
        super().__init__(f"{kind.value} {code}" if code else kind.value)
        self.kind, self.code = kind, code


@dataclass(frozen=True, slots=True)
class Request:
    """One request to one unit. `values`: what to write, bits 0 or 1, words 0-65535; () = read `count` of them.

    Raises ValueError for a request that no frame can carry.
    """

    unit: int
    function: Function
    address: int
    count: int = 1
    values: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        most = {
            (False, True): MAX_BITS, (False, False): MAX_WORDS,
            (True, True): MAX_WRITTEN_BITS, (True, False): MAX_WRITTEN_WORDS,
        }[self.function.writes, self.function.of_bits]  # fmt: skip
        if self.function in SINGLE:
            most = 1
        if self.unit not in UNITS:
            raise ValueError(f"unit {self.unit}: addresses are {UNITS[0]} to {UNITS[-1]}")
        if not (1 <= self.count <= most and 0 <= self.address <= 0x10000 - self.count):
            raise ValueError(f"{self.function.name} of {self.count} at {self.address} cannot be asked for")
        highest = 1 if self.function.of_bits else 0xFFFF
        wanted = self.count if self.function.writes else 0
        if len(self.values) != wanted or not all(0 <= value <= highest for value in self.values):
            raise ValueError(f"{self.function.name} of {self.count} cannot carry {self.values}")

    @property
    def answer_size(self) -> int:
        """Bytes of the answer, if it is no exception."""
        if self.function.writes:
            return 8
        return 5 + ((self.count + 7) // 8 if self.function.of_bits else 2 * self.count)


def _table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0xA001 if byte & 1 else 0)  # noqa: PLW2901
        table.append(byte)
    return tuple(table)


CRC_TABLE = _table()


def crc16(data: bytes) -> int:
    """Returns CRC-16/MODBUS: polynomial 0x8005 reflected, init 0xFFFF. `crc16(b"123456789")` is 0x4B37; low byte
    first on the wire."""
    crc = 0xFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc


@lru_cache(maxsize=256)
def encode(request: Request) -> bytes:
    """Returns the request's bytes. They are cached, because the master repeats few requests for ever."""
    function, values = request.function, request.values
    body = bytes((request.unit, function)) + request.address.to_bytes(2, "big")
    if function is Function.WRITE_COIL:
        body += (ON if values[0] else 0).to_bytes(2, "big")
    elif function is Function.WRITE_REGISTER:
        body += values[0].to_bytes(2, "big")
    else:
        body += request.count.to_bytes(2, "big")
    if function in (Function.WRITE_COILS, Function.WRITE_REGISTERS):
        data = _packed(values) if function.of_bits else b"".join(word.to_bytes(2, "big") for word in values)
        body += bytes((len(data),)) + data
    return body + crc16(body).to_bytes(2, "little")


def decode(request: Request, answer: bytes) -> tuple[int, ...]:
    """Returns the unit's answer: `request.count` bits or words; () for a write that was taken.

    `answer`: all bytes between two silences. Raises `AnswerWrong` for anything else, by its kind.
    """
    if not request.function.writes and answer.startswith(encode(request)):
        raise AnswerWrong(Wrong.ECHO)
    if len(answer) < 5:
        raise AnswerWrong(Wrong.PARTIAL)
    if _has_more(request, answer):  # looked at first: a frame with a 00 behind it has a right CRC too
        raise AnswerWrong(Wrong.OVERLONG)
    if crc16(answer) != 0:  # over a frame and its own CRC nothing is left
        is_piece = len(answer) < request.answer_size and answer[:2] == bytes((request.unit, request.function))
        raise AnswerWrong(Wrong.PARTIAL if is_piece else Wrong.CRC)
    unit, function = answer[0], answer[1]
    if unit != request.unit:
        raise AnswerWrong(Wrong.UNIT)
    if function == request.function | EXCEPTION and len(answer) == 5 and answer[2]:
        raise AnswerWrong(Wrong.EXCEPTION, answer[2])
    if function != request.function:
        raise AnswerWrong(Wrong.FUNCTION)
    if request.function.writes:
        if answer[2:-2] != encode(request)[2:6]:
            raise AnswerWrong(Wrong.CONTENT)
        return ()
    if len(answer) != request.answer_size or answer[2] != request.answer_size - 5:
        raise AnswerWrong(Wrong.COUNT)
    return _unpacked(answer[3:-2], request.count) if function in (1, 2) else _words(answer[3:-2])


def _has_more(request: Request, answer: bytes) -> bool:
    """Returns True if bytes follow a whole answer or exception."""
    size = 5 if answer[1] & EXCEPTION else request.answer_size
    return len(answer) > size and crc16(answer[:size]) == 0


def _packed(bits: tuple[int, ...]) -> bytes:
    """Returns bits as bytes, eight bits a byte, the first bit lowest."""
    return sum(bit << place for place, bit in enumerate(bits)).to_bytes((len(bits) + 7) // 8, "little")


def _unpacked(data: bytes, count: int) -> tuple[int, ...]:
    whole = int.from_bytes(data, "little")
    return tuple(whole >> place & 1 for place in range(count))


def _words(data: bytes) -> tuple[int, ...]:
    return tuple(int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2))
