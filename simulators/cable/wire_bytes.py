"""What a bad cable does to single bytes; random, from a seed."""

from collections.abc import Callable
from random import Random

from simulators.scenario.faults import Fault

GHOST_BYTES = 4095
"""What a tty keeps of the session before, until somebody reads it."""
XON, XOFF = b"\x11", b"\x13"
NOISE = {
    "modem": b"AT+GCAP\rATE0\rAT+CGMM\r",
    "boot": b"\r\nU-Boot 2021.01 (Jan 01 2021)\r\nHit any key to stop autoboot: 3\r\n",
}
"""What programs and boot loaders put onto a serial line by themselves."""

Damage = Callable[[int, Fault, Random], bytes]


def _flipped(byte: int, fault: Fault, rng: Random) -> bytes:
    bits = fault.number("bits")
    flipped = (rng.randrange(8),) if bits == 1 else rng.sample(range(8), min(8, bits))
    return bytes([byte ^ sum(1 << bit for bit in flipped)])


def _doubled_delimiter(byte: int, fault: Fault, rng: Random) -> bytes:
    return b"\0\0" if byte == 0 else bytes([byte])


def _lost_delimiter(byte: int, fault: Fault, rng: Random) -> bytes:
    return b"" if byte == 0 else bytes([byte])


DAMAGE: dict[str, Damage] = {
    "wire_drop": lambda byte, fault, rng: b"",
    "wire_corrupt": _flipped,
    "wire_double": lambda byte, fault, rng: bytes([byte, byte]),
    "wire_insert": lambda byte, fault, rng: bytes([rng.randrange(256), byte]),
    "wire_zero": lambda byte, fault, rng: b"\x00",
    "wire_ones": lambda byte, fault, rng: b"\xff",
    "wire_mark": lambda byte, fault, rng: bytes([0xFF, 0x00, byte]),
    "wire_flow": lambda byte, fault, rng: rng.choice((XON, XOFF)) + bytes([byte]),
    "wire_undelimit": _lost_delimiter,
    "wire_redelimit": _doubled_delimiter,
}
"""What becomes of a byte that is hit."""


def damaged(data: bytes, faults: list[Fault], rng: Random) -> bytes:
    """Returns what is left of `data`; each fault hits each byte with its `rate`, in the order of `DAMAGE`."""
    by_name = {fault.name: fault for fault in faults}
    if stuck := by_name.get("wire_stuck"):
        return bytes([int(stuck.text("as"), 16)]) * stuck.number("bytes")
    hitting = [(DAMAGE[name], by_name[name], by_name[name].real("rate")) for name in DAMAGE if name in by_name]
    if hitting:
        data = b"".join(_hit(byte, hitting, rng) for byte in data)
    if swap := by_name.get("wire_swap"):
        data = _swapped(data, swap.real("rate"), rng)
    return data


def _hit(byte: int, hitting: list[tuple[Damage, Fault, float]], rng: Random) -> bytes:
    left = bytes([byte])
    for damage, fault, rate in hitting:
        left = b"".join(damage(b, fault, rng) if rng.random() < rate else bytes([b]) for b in left)
    return left


def _swapped(data: bytes, rate: float, rng: Random) -> bytes:
    out = bytearray(data)
    for at in range(len(out) - 1):
        if rng.random() < rate:
            out[at], out[at + 1] = out[at + 1], out[at]
    return bytes(out)


def noise(fault: Fault, rng: Random) -> bytes:
    """Returns a burst of bytes that nobody sent."""
    count = fault.number("bytes")
    text = NOISE.get(fault.text("text"))
    return rng.randbytes(count) if text is None else (text * (count // len(text) + 1))[:count]
