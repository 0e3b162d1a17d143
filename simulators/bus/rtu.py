"""Modbus RTU from the unit's side, written apart from the driver on purpose.

No clock and no port. A unit receives every byte on the bus and answers only what is addressed to it.
"""

from collections.abc import Callable

from drivers.protocol.records import dataclass

READ_COILS, READ_INPUTS, READ_HOLDING, READ_INPUT_REGISTERS = 1, 2, 3, 4
WRITE_COIL, WRITE_REGISTER, WRITE_COILS, WRITE_REGISTERS = 5, 6, 15, 16
ILLEGAL_FUNCTION, ILLEGAL_ADDRESS, ILLEGAL_VALUE = 1, 2, 3
SILENCE_S = 0.02
"""A silence that ends whatever was begun. A real unit waits for less; a process is not always on time."""
LONGEST = 256


@dataclass(frozen=True, slots=True)
class Question:
    """One request. `raw`: as received, CRC included. `data`: after the function code."""

    unit: int
    function: int
    data: bytes
    raw: bytes

    @property
    def address(self) -> int:
        """The first coil or register that the question is about."""
        return int.from_bytes(self.data[:2], "big")

    @property
    def word(self) -> int:
        """The second word: a count, or the value of a single write."""
        return int.from_bytes(self.data[2:4], "big")


class No(Exception):
    """A request that gets an exception answer."""

    def __init__(self, code: int) -> None:
        super().__init__(f"exception {code}")
        self.code = code


def crc(data: bytes) -> bytes:
    """Returns the two check bytes, computed bit by bit as the standard draws them, low byte first."""
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            carry, value = value & 1, value >> 1
            if carry:
                value ^= 0xA001
    return value.to_bytes(2, "little")


def framed(unit: int, function: int, data: bytes) -> bytes:
    """Returns a Modbus RTU frame: unit, function, data and CRC."""
    body = bytes((unit, function)) + data
    return body + crc(body)


class Ear:
    """Cuts bytes into requests. Drops everything else at the next silence; keeps at most one frame."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._last = 0.0
        self.noise = 0

    def hear(self, data: bytes, now: float) -> list[Question]:
        """Returns the whole questions in the bytes received; a pause drops a half one as noise."""
        if self._held and now - self._last > SILENCE_S:
            self.noise += len(self._held)
            self._held.clear()
        self._last = now
        self._held += data
        questions = []
        while (size := _size(self._held)) is not None and len(self._held) >= size:
            raw = bytes(self._held[:size])
            if crc(raw[:-2]) != raw[-2:]:
                break
            del self._held[:size]
            questions.append(Question(raw[0], raw[1], raw[2:-2], raw))
        if len(self._held) > LONGEST:
            self.noise += len(self._held)
            self._held.clear()
        return questions


def _size(held: bytearray) -> int | None:
    """Returns the bytes of the request that begins here; None = unknown yet, or no request."""
    if len(held) < 2:
        return None
    if held[1] in (WRITE_COILS, WRITE_REGISTERS):
        return 9 + held[6] if len(held) > 6 else None
    return 8


@dataclass(slots=True)
class Memory:
    """The data that a unit answers from. Blocks begin at 0; `write_coil` and `write_register` do the writes."""

    coils: list[int]
    inputs: Callable[[], list[int]]
    holding: list[int]
    input_registers: Callable[[], list[int]]
    write_coil: Callable[[int, int], None]
    write_register: Callable[[int, int], None]


def answer(question: Question, memory: Memory) -> bytes:
    """Returns the answer to a request for this unit, with CRC. The caller must not answer broadcasts."""
    try:
        data = _carried_out(question, memory)
    except No as no:
        return framed(question.unit, question.function | 0x80, bytes((no.code,)))
    return framed(question.unit, question.function, data)


def _carried_out(question: Question, memory: Memory) -> bytes:
    at, word, data = question.address, question.word, question.data
    match question.function:
        case 1 | 2:
            bits = _block(memory.coils if question.function == READ_COILS else memory.inputs(), at, word, 2000)
            packed = bytes(sum(bit << n for n, bit in enumerate(bits[i : i + 8])) for i in range(0, word, 8))
            return bytes((len(packed),)) + packed
        case 3 | 4:
            words = _block(
                memory.holding if question.function == READ_HOLDING else memory.input_registers(), at, word, 125
            )
            return bytes((2 * word,)) + b"".join(w.to_bytes(2, "big") for w in words)
        case 5:
            if word not in (0, 0xFF00):
                raise No(ILLEGAL_VALUE)
            _block(memory.coils, at, 1, 1)
            memory.write_coil(at, int(word != 0))
        case 6:
            _block(memory.holding, at, 1, 1)
            memory.write_register(at, word)
        case 15:
            _block(memory.coils, at, word, 1968)
            if len(data) != 5 + (word + 7) // 8 or data[4] != (word + 7) // 8:
                raise No(ILLEGAL_VALUE)
            for n in range(word):
                memory.write_coil(at + n, data[5 + n // 8] >> n % 8 & 1)
        case 16:
            _block(memory.holding, at, word, 123)
            if len(data) != 5 + 2 * word or data[4] != 2 * word:
                raise No(ILLEGAL_VALUE)
            for n in range(word):
                memory.write_register(at + n, int.from_bytes(data[5 + 2 * n : 7 + 2 * n], "big"))
        case _:
            raise No(ILLEGAL_FUNCTION)
    return data[:4]


def _block(values: list[int], at: int, count: int, most: int) -> list[int]:
    if not 1 <= count <= most:
        raise No(ILLEGAL_VALUE)
    if at + count > len(values):
        raise No(ILLEGAL_ADDRESS)
    return values[at : at + count]
